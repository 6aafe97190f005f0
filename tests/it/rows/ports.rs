//! Ports in front of the real ones, where something happens at a chosen moment: the process dies,
//! a look can't be had, somebody else is quicker.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::BoxFuture;
use sealift::engine::Scope;
use sealift::model::{Answer, Blob, Descriptor, Digest, Manifest, RefName, Repository, Tag, Unknown};
use sealift::port::WriteError;
use sealift::port::registry::{At, Mount, RegistryRead, RegistryWrite};
use sealift::port::repository::{OriginRead, OriginWrite, RefUpdate, Refs};
use sealift::promotion::locate::Request;

use crate::support::world::{Ran, Session};

/// What is about to happen, or has just happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Moment {
    /// A manifest is asked for: `repository:tag` or `repository@digest`.
    Look,
    /// A write begins: `blob repository`, `repository:tag`, `refs/…`.
    Before,
    /// It was done.
    After,
}

/// What happens then.
pub enum Then {
    GoOn,
    /// The process is gone, as SIGKILL leaves it.
    Die,
    /// No answer can be had.
    Unknown,
    /// The process stands still until it is told to go on.
    Stand(Arc<tokio::sync::Notify>),
}

type Script<'a> = dyn Fn(Moment, &str) -> Then + Send + Sync + 'a;

pub struct Ports<'a> {
    session: &'a Session,
    script: &'a Script<'a>,
    dead: AtomicBool,
    died: tokio::sync::Notify,
    /// Writes go one by one, so that a death between two of them is one.
    turn: tokio::sync::Mutex<()>,
}

/// Runs with a script; `None`: the process died.
pub async fn scripted(session: &Session, request: &Request, script: &Script<'_>) -> Option<Ran> {
    let (dead, died, turn) = Default::default();
    let ports = Ports { session, script, dead, died, turn };
    let scope = Scope::default();
    tokio::select! {
        ran = session.run_through(request, &scope, &ports, &ports, session.forge()) => Some(ran),
        () = ports.died.notified() => None,
    }
}

impl Ports<'_> {
    async fn moment(&self, moment: Moment, what: &str) -> Result<(), Unknown> {
        if !self.dead.load(Ordering::SeqCst) {
            match (self.script)(moment, what) {
                Then::GoOn => return Ok(()),
                Then::Unknown => return Err(Unknown::new(what, "too many requests").with_status(429)),
                Then::Stand(go) => {
                    go.notified().await;
                    return Ok(());
                }
                Then::Die => self.dead.store(true, Ordering::SeqCst),
            }
        }
        self.died.notify_one();
        std::future::pending().await
    }

    async fn write(&self, what: String, write: impl Future<Output = Result<(), WriteError>>) -> Result<(), WriteError> {
        let _turn = self.turn.lock().await;
        self.moment(Moment::Before, &what).await?;
        write.await?;
        Ok(self.moment(Moment::After, &what).await?)
    }
}

impl OriginRead for Ports<'_> {
    fn refs(&self) -> BoxFuture<'_, Answer<Refs>> {
        self.session.origin.refs()
    }

    fn fetch<'a>(&'a self, names: &'a [RefName]) -> BoxFuture<'a, Result<(), Unknown>> {
        self.session.origin.fetch(names)
    }
}

impl OriginWrite for Ports<'_> {
    fn update<'a>(&'a self, update: &'a RefUpdate) -> BoxFuture<'a, Result<(), WriteError>> {
        Box::pin(self.write(update.name.to_string(), self.session.origin.update(update)))
    }
}

impl RegistryRead for Ports<'_> {
    fn manifest<'a>(&'a self, repository: &'a Repository, at: &'a At) -> BoxFuture<'a, Answer<Manifest>> {
        Box::pin(async move {
            let what = match at {
                At::Tag(tag) => format!("{repository}:{tag}"),
                At::Digest(digest) => format!("{repository}@{digest}"),
            };
            match self.moment(Moment::Look, &what).await {
                Ok(()) => self.session.registries.manifest(repository, at).await,
                Err(unknown) => Answer::Unknown(unknown),
            }
        })
    }

    fn blob<'a>(&'a self, repository: &'a Repository, descriptor: &'a Descriptor) -> BoxFuture<'a, Answer<Vec<u8>>> {
        self.session.registries.blob(repository, descriptor)
    }

    fn has_blob<'a>(&'a self, repository: &'a Repository, digest: &'a Digest) -> BoxFuture<'a, Answer<()>> {
        self.session.registries.has_blob(repository, digest)
    }

    fn tags<'a>(&'a self, repository: &'a Repository) -> BoxFuture<'a, Answer<Vec<Tag>>> {
        self.session.registries.tags(repository)
    }
}

impl RegistryWrite for Ports<'_> {
    fn put_blob<'a>(&'a self, repository: &'a Repository, blob: &'a Blob) -> BoxFuture<'a, Result<(), WriteError>> {
        Box::pin(self.write(format!("blob {repository}"), self.session.registries.put_blob(repository, blob)))
    }

    fn put_manifest<'a>(
        &'a self,
        repository: &'a Repository,
        tag: &'a Tag,
        manifest: &'a Manifest,
    ) -> BoxFuture<'a, Result<(), WriteError>> {
        let put = self.session.registries.put_manifest(repository, tag, manifest);
        Box::pin(self.write(format!("{repository}:{tag}"), put))
    }

    fn put_manifest_by_digest<'a>(
        &'a self,
        repository: &'a Repository,
        manifest: &'a Manifest,
    ) -> BoxFuture<'a, Result<(), WriteError>> {
        self.session.registries.put_manifest_by_digest(repository, manifest)
    }

    fn mount_blob<'a>(
        &'a self,
        repository: &'a Repository,
        from: &'a Repository,
        digest: &'a Digest,
    ) -> BoxFuture<'a, Result<Mount, WriteError>> {
        self.session.registries.mount_blob(repository, from, digest)
    }
}
