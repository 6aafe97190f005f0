//! An origin with some history, reached by path or over HTTP.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use sealift::model::{Answer, CommitId, ObjectId, RefName, Unknown};
use sealift::port::WriteError;
use sealift::port::repository::{
    Credential, Edit, Http, NewCommit, Origin, OriginRead as _, OriginWrite as _, RefUpdate, Refs, Store,
};

use crate::support::git_server::GitServer;
use crate::support::sandbox::{NOW, Sandbox};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Path,
    FileUrl,
    Http,
}

pub const WAYS: [Way; 3] = [Way::Path, Way::FileUrl, Way::Http];

/// `origin.git` with `main` (two commits) and an annotated tag `v1` on the first.
pub struct World {
    pub sandbox: Sandbox,
    pub server: Arc<GitServer>,
    pub bare: PathBuf,
    pub way: Way,
    pub first: CommitId,
    pub main: CommitId,
    pub tag: ObjectId,
}

impl World {
    pub fn new(way: Way) -> Self {
        let sandbox = Sandbox::new();
        let bare = sandbox.init("origin.git", true);
        let work = sandbox.init("work", false);
        sandbox.write(&work, "file", "one\n");
        let first = sandbox.commit_all(&work, "one").parse().unwrap();
        sandbox.git(&work, &["tag", "-a", "-m", "v1", "v1"]);
        let tag = sandbox.git(&work, &["rev-parse", "v1"]).parse().unwrap();
        sandbox.write(&work, "file", "two\n");
        let main = sandbox.commit_all(&work, "two").parse().unwrap();
        sandbox.git(&work, &["push", "--quiet", &bare.to_string_lossy(), "main", "v1"]);
        let server = Arc::new(GitServer::start(&sandbox.path("")));
        Self { sandbox, server, bare, way, first, main, tag }
    }

    pub fn url(&self) -> String {
        match self.way {
            Way::Path => self.bare.to_string_lossy().into_owned(),
            Way::FileUrl => format!("file://{}", self.bare.display()),
            Way::Http => self.server.url("origin.git"),
        }
    }

    /// The origin, seen with a store of its own.
    pub fn origin(&self, store: &str) -> Origin {
        self.origin_with(store, None)
    }

    pub fn origin_with(&self, store: &str, credential: Option<Credential>) -> Origin {
        let store = Arc::new(Store::open(&self.sandbox.path(store)).unwrap());
        Origin::over(store, &self.url(), credential, &Http { patience: Duration::from_secs(20), ..Http::default() })
            .unwrap()
    }

    /// What a ref of the origin names, as git itself says.
    pub fn names(&self, name: &str) -> Option<ObjectId> {
        let listed = self.sandbox.git(&self.bare, &["for-each-ref", "--format=%(objectname)", name]);
        listed.parse().ok()
    }

    /// Moves a ref of the origin behind everyone's back.
    pub fn set(&self, name: &str, id: ObjectId) {
        self.sandbox.git(&self.bare, &["update-ref", name, &id.to_string()]);
    }
}

pub fn branch(name: &str) -> RefName {
    RefName::branch(name).unwrap()
}

pub fn update(name: &str, expect: Option<ObjectId>, target: Option<ObjectId>) -> RefUpdate {
    RefUpdate { name: branch(name), expect, target }
}

/// A commit on top of a fetched one, in the origin's store only.
pub fn commit_on(origin: &Origin, parent: CommitId, text: &str) -> CommitId {
    let store = origin.store();
    let tree = store.edit(store.tree_of(parent).unwrap(), &[Edit::write("file", text)]).unwrap();
    let (name, email) = ("Bot".to_owned(), "bot@example.org".to_owned());
    let message = format!("{text}\n");
    store.write_commit(&NewCommit { tree, parents: vec![parent], name, email, time_seconds: NOW, message }).unwrap()
}

/// The origin with `main` fetched.
pub async fn fetched(world: &World, store: &str) -> Origin {
    let origin = world.origin(store);
    origin.fetch(&[branch("main")]).await.unwrap();
    origin
}

pub async fn list(origin: &Origin) -> Refs {
    match origin.refs().await {
        Answer::Found(refs) => refs,
        other => panic!("{other:?}"),
    }
}

pub async fn unknown(origin: &Origin) -> Unknown {
    match origin.refs().await {
        Answer::Unknown(unknown) => unknown,
        other => panic!("{other:?}"),
    }
}

pub async fn push(
    origin: &Origin,
    name: &str,
    expect: Option<ObjectId>,
    target: Option<ObjectId>,
) -> Result<(), WriteError> {
    origin.update(&update(name, expect, target)).await
}
