//! The GitHub side: the GitHub to test against, the port to it, and what a promotion does with both.

mod cases;
mod emulate;
mod fake;
mod port;
