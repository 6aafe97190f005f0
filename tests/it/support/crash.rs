//! The real ports with somebody watching: every look and every effect can be counted, failed,
//! or be the last thing a process does.

mod forge;

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

use futures_util::future::BoxFuture;
use sealift::model::{Answer, Descriptor, Digest, Manifest, RefName, Repository, Tag, Unknown};
use sealift::port::WriteError;
use sealift::port::forge::Forge;
use sealift::port::registry::{At, Blob, Mount, RegistryRead, RegistryWrite};
use sealift::port::repository::{OriginRead, OriginWrite, RefUpdate, Refs};

use super::world::Session;

/// What is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Looks {
    Manifest,
    Blob,
    HasBlob,
    Tags,
    Refs,
    Fetch,
    Forge,
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Writes {
    Blob,
    Manifest,
    Mount,
    Ref,
    /// A ref that only sealift's log uses.
    Log,
    /// On a forge: by the verb of the action that it belongs to.
    Forge(&'static str),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Look {
    pub kind: Looks,
    pub what: String,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Effect {
    pub kind: Writes,
    pub what: String,
}

/// Somebody who watches, and may say how it goes.
pub trait Hook: Send + Sync {
    /// Answers in the place of the port.
    fn look(&self, _look: &Look) -> Option<Unknown> {
        None
    }

    /// Right before an effect; an error keeps it from happening.
    fn before(&self, _effect: &Effect) -> Result<(), WriteError> {
        Ok(())
    }

    /// Right after an effect happened; an error is what the caller hears of it.
    fn after(&self, _effect: &Effect) -> Result<(), WriteError> {
        Ok(())
    }
}

/// A session's ports, watched.
pub struct Watched<'a> {
    session: &'a Session,
    hook: &'a dyn Hook,
    /// What the forge's numbers are of.
    numbers: Mutex<forge::Numbers>,
}

impl<'a> Watched<'a> {
    pub fn new(session: &'a Session, hook: &'a dyn Hook) -> Self {
        Self { session, hook, numbers: Mutex::default() }
    }

    /// The forge, watched too; none on plain git.
    pub fn forge(&self) -> Option<&dyn Forge> {
        self.session.forge.as_ref().map(|_| self as &dyn Forge)
    }

    fn real(&self) -> &dyn Forge {
        self.session.forge().expect("asked only where there is one")
    }

    async fn looked<T>(&self, kind: Looks, what: String, look: impl Future<Output = Answer<T>> + Send) -> Answer<T> {
        match self.hook.look(&Look { kind, what }) {
            Some(unknown) => Answer::Unknown(unknown),
            None => look.await,
        }
    }

    async fn written<T>(
        &self,
        kind: Writes,
        what: String,
        write: impl Future<Output = Result<T, WriteError>> + Send,
    ) -> Result<T, WriteError> {
        let effect = Effect { kind, what };
        self.hook.before(&effect)?;
        let result = write.await?;
        self.hook.after(&effect)?;
        Ok(result)
    }
}

fn place(repository: &Repository, at: &At) -> String {
    match at {
        At::Tag(tag) => format!("{repository}:{tag}"),
        At::Digest(digest) => format!("{repository}@{digest}"),
    }
}

impl OriginRead for Watched<'_> {
    fn refs(&self) -> BoxFuture<'_, Answer<Refs>> {
        Box::pin(self.looked(Looks::Refs, "refs".into(), self.session.origin.refs()))
    }

    fn fetch<'a>(&'a self, names: &'a [RefName]) -> BoxFuture<'a, Result<(), Unknown>> {
        let what = names.iter().map(|name| name.short()).collect::<Vec<_>>().join(" ");
        Box::pin(async move {
            match self.hook.look(&Look { kind: Looks::Fetch, what }) {
                Some(unknown) => Err(unknown),
                None => self.session.origin.fetch(names).await,
            }
        })
    }
}

impl OriginWrite for Watched<'_> {
    fn update<'a>(&'a self, update: &'a RefUpdate) -> BoxFuture<'a, Result<(), WriteError>> {
        let log = update.name.as_str().starts_with("refs/sealift/");
        let kind = if log { Writes::Log } else { Writes::Ref };
        Box::pin(self.written(kind, update.name.to_string(), self.session.origin.update(update)))
    }
}

impl RegistryRead for Watched<'_> {
    fn manifest<'a>(&'a self, repository: &'a Repository, at: &'a At) -> BoxFuture<'a, Answer<Manifest>> {
        let look = self.session.registries.manifest(repository, at);
        Box::pin(self.looked(Looks::Manifest, place(repository, at), look))
    }

    fn blob<'a>(&'a self, repository: &'a Repository, descriptor: &'a Descriptor) -> BoxFuture<'a, Answer<Vec<u8>>> {
        let what = place(repository, &At::Digest(descriptor.digest));
        Box::pin(self.looked(Looks::Blob, what, self.session.registries.blob(repository, descriptor)))
    }

    fn has_blob<'a>(&'a self, repository: &'a Repository, digest: &'a Digest) -> BoxFuture<'a, Answer<()>> {
        let what = place(repository, &At::Digest(*digest));
        Box::pin(self.looked(Looks::HasBlob, what, self.session.registries.has_blob(repository, digest)))
    }

    fn tags<'a>(&'a self, repository: &'a Repository) -> BoxFuture<'a, Answer<Vec<Tag>>> {
        Box::pin(self.looked(Looks::Tags, repository.to_string(), self.session.registries.tags(repository)))
    }
}

impl RegistryWrite for Watched<'_> {
    fn put_blob<'a>(&'a self, repository: &'a Repository, blob: &'a Blob) -> BoxFuture<'a, Result<(), WriteError>> {
        let what = place(repository, &At::Digest(blob.descriptor.digest));
        Box::pin(self.written(Writes::Blob, what, self.session.registries.put_blob(repository, blob)))
    }

    fn put_manifest<'a>(
        &'a self,
        repository: &'a Repository,
        tag: &'a Tag,
        manifest: &'a Manifest,
    ) -> BoxFuture<'a, Result<(), WriteError>> {
        let what = place(repository, &At::Tag(tag.clone()));
        let put = self.session.registries.put_manifest(repository, tag, manifest);
        Box::pin(self.written(Writes::Manifest, what, put))
    }

    fn put_manifest_by_digest<'a>(
        &'a self,
        repository: &'a Repository,
        manifest: &'a Manifest,
    ) -> BoxFuture<'a, Result<(), WriteError>> {
        let what = place(repository, &At::Digest(manifest.digest()));
        let put = self.session.registries.put_manifest_by_digest(repository, manifest);
        Box::pin(self.written(Writes::Manifest, what, put))
    }

    fn mount_blob<'a>(
        &'a self,
        repository: &'a Repository,
        from: &'a Repository,
        digest: &'a Digest,
    ) -> BoxFuture<'a, Result<Mount, WriteError>> {
        let what = place(repository, &At::Digest(*digest));
        Box::pin(self.written(Writes::Mount, what, self.session.registries.mount_blob(repository, from, digest)))
    }
}

/// Writes down all that happens.
#[derive(Default)]
pub struct Count {
    pub effects: Mutex<Vec<Effect>>,
    pub looks: Mutex<Vec<Look>>,
}

impl Hook for Count {
    fn look(&self, look: &Look) -> Option<Unknown> {
        self.looks.lock().unwrap().push(look.clone());
        None
    }

    fn after(&self, effect: &Effect) -> Result<(), WriteError> {
        self.effects.lock().unwrap().push(effect.clone());
        Ok(())
    }
}

impl Count {
    /// How many effects there were.
    pub fn effects(&self) -> usize {
        self.effects.lock().unwrap().len()
    }

    /// How many there were of some kinds.
    pub fn of(&self, kinds: impl Fn(Writes) -> bool) -> usize {
        self.effects.lock().unwrap().iter().filter(|effect| kinds(effect.kind)).count()
    }
}

/// Death at the nth effect (from 1), right before it or right after it. The dead neither look nor
/// write: every later call is answered unknown, and nothing of it happens.
pub struct Death {
    at: usize,
    after: bool,
    begun: AtomicUsize,
    done: AtomicUsize,
    dead: AtomicBool,
}

impl Death {
    pub fn before(at: usize) -> Self {
        Self { at, after: false, begun: AtomicUsize::new(0), done: AtomicUsize::new(0), dead: AtomicBool::new(false) }
    }

    pub fn after(at: usize) -> Self {
        Self { after: true, ..Self::before(at) }
    }

    pub fn came(&self) -> bool {
        self.dead.load(SeqCst)
    }

    fn gone() -> Unknown {
        Unknown::new("this process", "is dead")
    }

    fn dies(&self, now: bool) -> Result<(), WriteError> {
        if now {
            self.dead.store(true, SeqCst);
        }
        if self.came() { Err(Self::gone().into()) } else { Ok(()) }
    }
}

impl Hook for Death {
    fn look(&self, _look: &Look) -> Option<Unknown> {
        self.came().then(Self::gone)
    }

    fn before(&self, _effect: &Effect) -> Result<(), WriteError> {
        if self.came() {
            return Err(Self::gone().into());
        }
        let number = self.begun.fetch_add(1, SeqCst) + 1;
        self.dies(!self.after && number == self.at)
    }

    fn after(&self, _effect: &Effect) -> Result<(), WriteError> {
        let number = self.done.fetch_add(1, SeqCst) + 1;
        self.dies(self.after && number == self.at)
    }
}
