//! One file for each rule; [`super::RULES`] has their order.

pub mod bare_tag;
pub mod digest_gone;
pub mod floating_tag;
pub mod malformed_reference;
pub mod no_producer;
pub mod not_in_build_list;
pub mod not_multi_arch;
pub mod not_public;
pub mod number_like_tag;
pub mod placeholder_tag;
pub mod split_host;
pub mod stale_copy;
pub mod stale_version;
pub mod tag_collision;
pub mod tag_moved;
pub mod two_digests;
pub mod two_producers;
pub mod unclaimed_digest;
pub mod unclaimed_reference;
pub mod unpublished;
pub mod unreadable;
pub mod vendored_owned;
