//! The GitHub side: the GitHub to test against, and the port to it.

mod fake;
mod port;
