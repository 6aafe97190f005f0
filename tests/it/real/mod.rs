//! Whole promotions on real parts: the program as a process, git over file:// and smart HTTP,
//! docker-registry, a person with git; judged by a script that knows nothing of sealift.

mod aliases;
mod mutations;
mod parts;
mod promotion;
mod proxy;
pub mod tree;
