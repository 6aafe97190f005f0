//! The one integration binary; one module per area.

mod refs;
