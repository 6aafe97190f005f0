//! git: a bare store of sealift's own for objects, and an origin for refs.

mod checkout;
mod compare;
mod content;
mod credential;
mod edit;
mod history;
mod libgit;
mod local;
mod origin;
mod paced;
mod policy;
mod private;
mod session;
mod smart;
mod store;
mod transport;
mod write;

use std::collections::BTreeMap;

use futures_util::future::BoxFuture;

pub use checkout::check_out;
pub use content::{Difference, Node, mode};
pub use credential::Credential;
pub use edit::{Change, Edit};
pub use history::Merged;
pub use origin::{Http, Origin, OriginError};
pub use store::{Commit, Store, StoreError, Time};
pub use write::{NewCommit, NewTag};

use super::WriteError;
use crate::model::{Answer, ObjectId, RefName, Unknown};

/// What an origin lists: every ref, and where `HEAD` points.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refs {
    /// The branch `HEAD` names: the default branch.
    pub head: Option<RefName>,
    pub refs: BTreeMap<RefName, Listed>,
}

/// One ref as listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// What the ref names: a commit, or a tag object.
    pub id: ObjectId,
    /// What an annotated tag peels to; the same as `id` for everything else.
    pub peeled: ObjectId,
}

/// One compare-and-set on a ref.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefUpdate {
    pub name: RefName,
    /// What the ref must name at the moment of the write; `None`: it must not exist.
    pub expect: Option<ObjectId>,
    /// What it names afterwards; `None`: it is deleted.
    pub target: Option<ObjectId>,
}

impl Refs {
    pub fn get(&self, name: &RefName) -> Option<Listed> {
        self.refs.get(name).copied()
    }
}

/// What can be seen of an origin.
pub trait OriginRead: Send + Sync {
    /// All refs, as the server lists them now.
    fn refs(&self) -> BoxFuture<'_, Answer<Refs>>;

    /// Brings the history of these refs into the store, without touching any other repository.
    fn fetch<'a>(&'a self, names: &'a [RefName]) -> BoxFuture<'a, Result<(), Unknown>>;
}

/// What can be changed at an origin.
pub trait OriginWrite: Send + Sync {
    /// Moves one ref, with the server checking the expectation. A rejection by the server
    /// (a hook, a protection rule) is [`WriteError::Refused`] with the server's words.
    fn update<'a>(&'a self, update: &'a RefUpdate) -> BoxFuture<'a, Result<(), WriteError>>;
}
