//! The one integration binary: an area is a module here.

mod report;
