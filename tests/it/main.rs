//! The one integration binary: a module per area, helpers in `support`.

mod pipelines;
mod refs;
mod registry;
mod report;
mod repository;
mod support;
