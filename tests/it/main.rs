//! The one integration binary: a module per area, helpers in `support`.

mod pipelines;
mod registry;
mod repository;
mod support;
//! The one integration binary: an area is a module here.

mod report;
