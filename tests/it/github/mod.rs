//! The GitHub side: first of all, the GitHub to test against.

mod fake;
