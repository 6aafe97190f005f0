//! The git port against real git: the store, and origins over a path and over smart HTTP.

mod store;
