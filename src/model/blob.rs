//! Content on its way into a registry.

use std::sync::Arc;

use super::Descriptor;

/// Content to upload: its descriptor, and where the bytes are.
#[derive(Clone, Debug)]
pub struct Blob {
    pub descriptor: Descriptor,
    pub content: Content,
}

#[derive(Clone, Debug)]
pub enum Content {
    Bytes(Arc<[u8]>),
    /// A spooled file; its owner keeps it alive for as long as the blob is.
    File(Arc<tempfile::TempPath>),
}
