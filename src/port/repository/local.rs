//! An origin that is a directory: its refs and objects are read and written in place.
//!
//! Not by libgit2's local transport, which pushes to bare repositories only, overwrites whatever
//! a ref names by then, and stumbles over a dangling symbolic ref. Here a ref moves under its
//! lock file, as git's own does, with the old value compared under that lock.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use git2::{ErrorCode, ObjectType, Oid, ReferenceType, Repository, RepositoryOpenFlags};

use super::compare::{self, Attempt};
use super::libgit::{self, found, id, oid};
use super::{Listed, RefUpdate, Refs, Store, policy, private};
use crate::model::{ObjectId, RefName, Unknown};
use crate::port::WriteError;

/// Another git holds a ref's lock for moments only.
const LOCK_TRIES: u32 = 50;
const LOCK_PAUSE: Duration = Duration::from_millis(20);

pub(super) struct Local {
    path: PathBuf,
}

impl Local {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path }
    }

    pub(super) fn list(&self) -> Result<Refs, Unknown> {
        self.open().and_then(|origin| list(&origin)).map_err(|error| self.unknown(None, &error))
    }

    pub(super) fn fetch(&self, store: &Store, names: &[RefName]) -> Result<(), Unknown> {
        let refs = self.list()?;
        let mut wanted = Vec::new();
        for name in names {
            let absent = || Unknown::new(self.what(Some(name)), "the origin doesn't list it");
            wanted.push((name, refs.get(name).ok_or_else(absent)?));
        }
        let fetch = || {
            let (origin, store) = (self.open()?, Repository::open_bare(store.dir())?);
            let have = tips(&store, "refs/origin/*")?;
            transfer(&origin, &store, wanted.iter().map(|(_, listed)| listed.id), &have)?;
            private::require(&store, wanted.iter().map(|(_, listed)| *listed))?;
            private::prune(&store, &refs)?;
            for (name, listed) in &wanted {
                store.reference(&private::name(name), oid(listed.id), true, "fetch")?;
            }
            Ok(())
        };
        fetch().map_err(|error: git2::Error| self.unknown(None, &error))
    }

    pub(super) fn update(&self, store: &Store, update: &RefUpdate) -> Result<(), WriteError> {
        let what = self.what(Some(&update.name));
        let unmade = |error: git2::Error| WriteError::Unknown(self.unknown(Some(&update.name), &error));
        let origin = self.open().map_err(unmade)?;
        let now = current(&origin, &update.name).map_err(unmade)?;
        if now == update.target {
            return Ok(());
        }
        if now != update.expect {
            return Err(compare::lost(&what, update, now));
        }
        if let Some(detail) = policy::objection(&origin, update).map_err(unmade)? {
            return Err(WriteError::Refused { what, status: None, detail });
        }
        let moved = self.send(store, &origin, update).and_then(|()| {
            if policy::forbidden_rewind(&origin, update)? {
                return Err(git2::Error::from_str("receive.denyNonFastForwards forbids to rewind it"));
            }
            with_lock(|| write(&origin, update))
        });
        moved.or_else(|error| {
            let attempt = Attempt::Rejected { status: None, detail: libgit::words(&error) };
            let look = || current(&origin, &update.name).map_err(|error| self.unknown(Some(&update.name), &error));
            compare::settle(&what, update, attempt, look)
        })
    }

    fn send(&self, store: &Store, origin: &Repository, update: &RefUpdate) -> Result<(), git2::Error> {
        let Some(target) = update.target else { return Ok(()) };
        let store = Repository::open_bare(store.dir())?;
        transfer(&store, origin, [target].into_iter(), &tips(origin, "refs/*")?)
    }

    fn open(&self) -> Result<Repository, git2::Error> {
        let nowhere = std::iter::empty::<&Path>();
        Repository::open_ext(&self.path, RepositoryOpenFlags::NO_SEARCH, nowhere)
    }

    fn what(&self, name: Option<&RefName>) -> String {
        compare::what(&self.path.to_string_lossy(), name)
    }

    fn unknown(&self, name: Option<&RefName>, error: &git2::Error) -> Unknown {
        Unknown::new(self.what(name), libgit::words(error))
    }
}

fn list(origin: &Repository) -> Result<Refs, git2::Error> {
    let mut refs = Refs::default();
    for reference in origin.references()? {
        let reference = reference?;
        let name = std::str::from_utf8(reference.name_bytes()).ok().and_then(|name| name.parse().ok());
        // A symbolic ref to nothing is no ref, as git's own listing has it.
        let (Some(name), Some(direct)) = (name, found(reference.resolve())?) else { continue };
        let Some(target) = direct.target() else { continue };
        let object = origin.find_object(target, None)?;
        let peeled = if object.kind() == Some(ObjectType::Tag) { object.peel(ObjectType::Any)?.id() } else { target };
        refs.refs.insert(name, Listed { id: id(target), peeled: id(peeled) });
    }
    let head = origin.find_reference("HEAD")?;
    let head = head.symbolic_target_bytes().and_then(|name| std::str::from_utf8(name).ok()?.parse().ok());
    refs.head = head.filter(|name| refs.refs.contains_key(name));
    Ok(refs)
}

fn current(origin: &Repository, name: &RefName) -> Result<Option<ObjectId>, git2::Error> {
    let Some(reference) = found(origin.find_reference(name.as_str()))? else { return Ok(None) };
    Ok(found(reference.resolve())?.and_then(|direct| direct.target()).map(id))
}

/// Moves the ref if it is what it must be: libgit2 compares while it holds the lock file.
fn write(origin: &Repository, update: &RefUpdate) -> Result<(), git2::Error> {
    let name = update.name.as_str();
    match update.target {
        Some(target) => {
            // "Force" is needed to get past a check made before the lock; zero stands for absent.
            let expect = update.expect.map_or(Oid::ZERO_SHA1, oid);
            origin.reference_matching(name, oid(target), true, expect, "sealift").map(drop)
        }
        None => {
            let mut reference = origin.find_reference(name)?;
            if reference.kind() != Some(ReferenceType::Direct) || reference.target() != update.expect.map(oid) {
                return Err(git2::Error::from_str("the ref is not what was expected"));
            }
            reference.delete()
        }
    }
}

fn with_lock(mut work: impl FnMut() -> Result<(), git2::Error>) -> Result<(), git2::Error> {
    for _ in 1..LOCK_TRIES {
        match work() {
            #[expect(clippy::disallowed_methods, reason = "the lock of a local ref is held for milliseconds")]
            Err(error) if error.code() == ErrorCode::Locked => std::thread::sleep(LOCK_PAUSE),
            result => return result,
        }
    }
    work()
}

/// What a repository's refs name: all of it is there, with its history.
fn tips(repository: &Repository, glob: &str) -> Result<Vec<Oid>, git2::Error> {
    let targets = repository.references_glob(glob)?.map(|reference| Ok(reference?.target()));
    targets.filter_map(Result::transpose).collect()
}

/// Copies objects and all they need, except what hangs on `have`.
fn transfer(
    from: &Repository,
    to: &Repository,
    wanted: impl Iterator<Item = ObjectId>,
    have: &[Oid],
) -> Result<(), git2::Error> {
    if from.is_shallow() {
        return Err(git2::Error::from_str("a shallow clone has no history to fetch or push; unshallow it first"));
    }
    let (mut walk, mut pack) = (from.revwalk()?, from.packbuilder()?);
    for wanted in wanted {
        let mut object = from.find_object(oid(wanted), None)?;
        while let Some(tag) = object.as_tag() {
            pack.insert_object(tag.id(), None)?;
            object = tag.target()?;
        }
        match object.kind() {
            Some(ObjectType::Commit) => walk.push(object.id())?,
            _ => pack.insert_recursive(object.id(), None)?,
        }
    }
    for &tip in have {
        if let Some(commit) = found(from.find_object(tip, None))?.and_then(|object| object.peel_to_commit().ok()) {
            walk.hide(commit.id())?;
        }
    }
    pack.insert_walk(&mut walk)?;
    if pack.object_count() == 0 {
        return Ok(());
    }
    let odb = to.odb()?;
    let mut writer = odb.packwriter()?;
    let mut failed = None;
    let packed = pack.foreach(|bytes| match writer.write_all(bytes) {
        Ok(()) => true,
        Err(error) => {
            failed = Some(error);
            false
        }
    });
    if let Some(error) = failed {
        return Err(git2::Error::from_str(&error.to_string()));
    }
    packed?;
    writer.commit().map(drop)
}
