//! The one integration binary: a module per area.

mod repository;
//! The one integration binary: a module per area, helpers in `support`.

mod registry;
mod support;
