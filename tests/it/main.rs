//! The one integration binary: a module per area.

mod repository;
mod support;
