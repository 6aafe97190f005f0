//! The one integration binary: a module per area.

mod archive;
mod refs;
