//! What was sent: counted for tests, benchmarks and the curious.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Requests by method and bytes of bodies. Chunked uploads are counted as what they take
/// (one POST, one PATCH per 4 MiB, one PUT) when they succeed.
#[derive(Debug, Default)]
pub struct Stats {
    get: AtomicU64,
    head: AtomicU64,
    post: AtomicU64,
    patch: AtomicU64,
    put: AtomicU64,
    delete: AtomicU64,
    sent: AtomicU64,
    received: AtomicU64,
}

/// The counters at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub get: u64,
    pub head: u64,
    pub post: u64,
    pub patch: u64,
    pub put: u64,
    pub delete: u64,
    /// Bytes.
    pub sent: u64,
    /// Bytes.
    pub received: u64,
}

impl Stats {
    pub(in crate::port) fn count(&self, method: &str, sent: u64) {
        let counter = match method {
            "GET" => &self.get,
            "HEAD" => &self.head,
            "POST" => &self.post,
            "PATCH" => &self.patch,
            "DELETE" => &self.delete,
            _ => &self.put,
        };
        counter.fetch_add(1, Relaxed);
        self.sent.fetch_add(sent, Relaxed);
    }

    pub(in crate::port) fn received(&self, bytes: u64) {
        self.received.fetch_add(bytes, Relaxed);
    }

    pub fn counts(&self) -> Counts {
        Counts {
            get: self.get.load(Relaxed),
            head: self.head.load(Relaxed),
            post: self.post.load(Relaxed),
            patch: self.patch.load(Relaxed),
            put: self.put.load(Relaxed),
            delete: self.delete.load(Relaxed),
            sent: self.sent.load(Relaxed),
            received: self.received.load(Relaxed),
        }
    }
}

impl Counts {
    pub fn requests(&self) -> u64 {
        self.get + self.head + self.post + self.patch + self.put + self.delete
    }
}
