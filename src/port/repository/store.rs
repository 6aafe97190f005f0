//! The object store: a git repository read and written without checkout, configuration,
//! hooks or filters.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use git2::{ErrorCode, Repository, RepositoryInitOptions, RepositoryOpenFlags};

use super::libgit::{self, found, id, oid};
use crate::model::{CommitId, ObjectId, TreeId};
use crate::port::turn::Turn;

/// A git repository as a store of objects. Calls block; share it in an `Arc`.
pub struct Store {
    repository: Mutex<Repository>,
    /// Held by whoever moves the names of what was fetched.
    fetching: Mutex<()>,
    dir: PathBuf,
}

/// What processes that share a store take turns by.
const LOCK: &str = "sealift.lock";

/// What a store could not do.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("{}: not a git repository that can be read: {detail}", dir.display())]
    Open { dir: PathBuf, detail: String },
    #[error("`{text}` names no commit in {}: {detail}", dir.display())]
    Revision { text: String, dir: PathBuf, detail: String },
    #[error("{what} is not in {}", dir.display())]
    Missing { what: String, dir: PathBuf },
    #[error("{} is a shallow clone: its history can't answer this; fetch it in full", dir.display())]
    Shallow { dir: PathBuf },
    #[error("{path}: {reason}")]
    Edit { path: String, reason: String },
    #[error("{what}: {reason}")]
    Invalid { what: &'static str, reason: String },
    #[error("{}: {detail}", dir.display())]
    Git { dir: PathBuf, detail: String },
}

/// A commit as read. Texts that aren't UTF-8 are read with replacement characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    pub id: CommitId,
    pub tree: TreeId,
    pub parents: Vec<CommitId>,
    /// `Name <email>`
    pub author: String,
    pub committer_time: Time,
    pub message: String,
}

/// A moment as git writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Time {
    /// Since 1970-01-01 UTC.
    pub seconds: i64,
    /// East of UTC, in minutes.
    pub offset: i32,
}

impl Commit {
    /// The first line of the message.
    pub fn summary(&self) -> &str {
        self.message.lines().next().unwrap_or_default()
    }
}

impl From<git2::Time> for Time {
    fn from(time: git2::Time) -> Self {
        Self { seconds: time.seconds(), offset: time.offset_minutes() }
    }
}

impl Store {
    /// Opens the bare store in `dir`, making it where there is none.
    pub fn open(dir: &Path) -> Result<Self, StoreError> {
        let open = || {
            libgit::setup()?;
            match Repository::open_bare(dir) {
                Err(error) if error.code() == ErrorCode::NotFound => make(dir),
                result => result,
            }
        };
        Self::opened(dir, open())
    }

    /// Opens a user's repository for reading: a checkout (also one of `git worktree`, a shallow
    /// or a foreign-owned one) or a bare one, found from `dir` upwards.
    pub fn open_existing(dir: &Path) -> Result<Self, StoreError> {
        let open = || {
            libgit::setup()?;
            Repository::open_ext(dir, RepositoryOpenFlags::CROSS_FS, std::iter::empty::<&Path>())
        };
        Self::opened(dir, open())
    }

    fn opened(dir: &Path, result: Result<Repository, git2::Error>) -> Result<Self, StoreError> {
        match result {
            Ok(repository) => Ok(Self {
                dir: repository.path().to_owned(),
                repository: Mutex::new(repository),
                fetching: Mutex::new(()),
            }),
            Err(error) => Err(StoreError::Open { dir: dir.to_owned(), detail: libgit::words(&error) }),
        }
    }

    /// The git directory itself.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    pub fn contains(&self, object: ObjectId) -> Result<bool, StoreError> {
        self.with(|repository| Ok(repository.odb()?.exists(oid(object))))
    }

    pub fn commit(&self, commit: CommitId) -> Result<Option<Commit>, StoreError> {
        self.with(|repository| Ok(found(repository.find_commit(oid(commit)))?.map(|commit| read(&commit))))
    }

    /// Like [`Store::commit`], for a commit that must be there.
    pub fn existing_commit(&self, commit: CommitId) -> Result<Commit, StoreError> {
        self.commit(commit)?.ok_or_else(|| self.missing("commit", commit))
    }

    /// The tree of a commit that must be there.
    pub fn tree_of(&self, commit: CommitId) -> Result<TreeId, StoreError> {
        Ok(self.existing_commit(commit)?.tree)
    }

    /// The commit that a revision names (gitrevisions(7)).
    pub fn rev_parse(&self, text: &str) -> Result<CommitId, StoreError> {
        self.lock()
            .revparse_single(text)
            .and_then(|object| object.peel_to_commit())
            .map(|commit| id(commit.id()))
            .map_err(|error| StoreError::Revision {
                text: text.to_owned(),
                dir: self.dir.clone(),
                detail: libgit::words(&error),
            })
    }

    /// A blob's content.
    pub fn blob(&self, blob: ObjectId) -> Result<Option<Vec<u8>>, StoreError> {
        self.with(|repository| Ok(found(repository.find_blob(oid(blob)))?.map(|blob| blob.content().to_vec())))
    }

    /// Writes bytes as they are.
    pub fn write_blob(&self, bytes: &[u8]) -> Result<ObjectId, StoreError> {
        self.with(|repository| Ok(id(repository.blob(bytes)?)))
    }

    /// An object's size in bytes, from its header.
    pub(crate) fn size(&self, object: ObjectId) -> Result<u64, StoreError> {
        self.with(|repository| Ok(repository.odb()?.read_header(oid(object))?.0 as u64))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Repository> {
        // A panic elsewhere leaves the repository handle as it was: all state is on disk.
        self.repository.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Held by whoever moves the names of what was fetched: alone in this process, and among others.
    pub(super) fn fetching(&self) -> Result<(MutexGuard<'_, ()>, Option<Turn>), StoreError> {
        let alone = self.fetching.lock().unwrap_or_else(PoisonError::into_inner);
        Ok((alone, turn(&self.dir).map_err(|error| self.error(&error))?))
    }

    /// Runs `work` on the repository; its errors name the store.
    pub(super) fn with<T>(&self, work: impl FnOnce(&Repository) -> Result<T, git2::Error>) -> Result<T, StoreError> {
        work(&self.lock()).map_err(|error| self.error(&error))
    }

    pub(super) fn error(&self, error: &git2::Error) -> StoreError {
        StoreError::Git { dir: self.dir.clone(), detail: libgit::words(error) }
    }

    pub(super) fn missing(&self, kind: &str, object: ObjectId) -> StoreError {
        StoreError::Missing { what: format!("{kind} {object}"), dir: self.dir.clone() }
    }
}

/// A turn among processes. Where the file system has no locks there is none: git's own lock files then
/// refuse whoever comes second.
fn turn(dir: &Path) -> Result<Option<Turn>, git2::Error> {
    match Turn::at(&dir.join(LOCK)) {
        Ok(turn) => Ok(Some(turn)),
        Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(None),
        Err(error) => Err(git2::Error::from_str(&error.to_string())),
    }
}

/// Makes a store, unless another process was faster.
fn make(dir: &Path) -> Result<Repository, git2::Error> {
    std::fs::create_dir_all(dir).map_err(|error| git2::Error::from_str(&error.to_string()))?;
    let _turn = turn(dir)?;
    match Repository::open_bare(dir) {
        Err(error) if error.code() == ErrorCode::NotFound => {
            let mut options = RepositoryInitOptions::new();
            options.bare(true).external_template(false).initial_head("main");
            Repository::init_opts(dir, &options)
        }
        result => result,
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").field("dir", &self.dir).finish_non_exhaustive()
    }
}

fn read(commit: &git2::Commit<'_>) -> Commit {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let author = commit.author();
    Commit {
        id: id(commit.id()),
        tree: id(commit.tree_id()),
        parents: commit.parent_ids().map(id).collect(),
        author: format!("{} <{}>", text(author.name_bytes()), text(author.email_bytes())),
        committer_time: commit.committer().when().into(),
        message: text(commit.message_raw_bytes()),
    }
}
