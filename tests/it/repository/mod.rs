//! The git port against real git: the store, and origins over a path and over smart HTTP.

mod local;
mod origin;
mod smart;
mod store;
mod world;
