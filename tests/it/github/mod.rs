//! The GitHub side: the GitHub to test against, and what a promotion does with one.

mod cases;
mod fake;
