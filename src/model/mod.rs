//! Words: what things are called and how they are spelled. No I/O.

pub mod answer;
pub mod blob;
pub mod digest;
pub mod git;
pub mod line;
pub mod lines;
pub mod manifest;
pub mod markdown;
pub mod path;
pub mod reference;
pub mod refusal;
pub mod version;

pub use answer::{Answer, Unknown};
pub use blob::{Blob, Content};
pub use digest::{Digest, Hasher};
pub use git::{CommitId, ObjectId, RefName, TreeId};
pub use lines::Lines;
pub use manifest::{Descriptor, Manifest};
pub use path::TreePath;
pub use reference::{Prefix, Reference, Repository, Tag};
pub use refusal::{Code, Refusal};
pub use version::{Rc, Stable, Version};
