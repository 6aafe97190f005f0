//! The doors the engine has, and what it was told from outside.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use super::event::Observer;
use crate::pipeline::Pipeline;
use crate::port::forge::{ForgeRead, ForgeWrite};
use crate::port::registry::{RegistryRead, RegistryWrite};
use crate::port::repository::{OriginRead, OriginWrite, Store};
use crate::stage::Inputs;

/// Read ports, and everything a plan needs. There is no way to write from here.
pub struct Looker<'a> {
    pub pipeline: &'a Pipeline,
    pub store: Arc<Store>,
    pub origin: &'a dyn OriginRead,
    pub registry: &'a dyn RegistryRead,
    /// `None` on plain git.
    pub forge: Option<&'a dyn ForgeRead>,
    /// What people brought.
    pub inputs: &'a Inputs,
    /// Where files are spooled.
    pub spool: PathBuf,
    pub parallel: usize,
}

/// Write ports: only the interpreter and the log get them.
pub struct Effects<'a> {
    pub origin: &'a dyn OriginWrite,
    pub registry: &'a dyn RegistryWrite,
    /// `None` on plain git.
    pub forge: Option<&'a dyn ForgeWrite>,
}

/// How a run behaves.
pub struct Settings<'a> {
    pub observer: &'a dyn Observer,
    pub patience: Patience,
    pub stop: Stop,
    /// Seconds since 1970, UTC: for the log only. Nothing that is promoted knows the time.
    pub now: &'a (dyn Fn() -> i64 + Send + Sync),
    /// Who runs this, for the log.
    pub operator: String,
    /// The command that goes on, as the user would type it.
    pub resume: String,
}

/// How long to wait for hosts that lag behind their own writes.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// Looks after the first one.
    pub looks: u32,
    /// Before the first of them; doubled each time.
    pub pause: Duration,
    /// Between the two looks that find a draft absent, before one is made.
    pub lag: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { looks: 5, pause: Duration::from_millis(500), lag: Duration::from_secs(3) }
    }
}

/// The wish to stop: asked between actions, awaited beside every wait; Ctrl-C asks for it. Once
/// asked for it stays. All clones are one.
#[derive(Clone, Debug)]
pub struct Stop(watch::Sender<bool>);

impl Default for Stop {
    fn default() -> Self {
        Self(watch::Sender::new(false))
    }
}

impl Stop {
    pub fn request(&self) {
        self.0.send_replace(true);
    }

    pub fn requested(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it is asked for: at once, when it was already. May be dropped at any time.
    pub async fn wait(&self) {
        // The sender lives in `self`: the channel can't close, and an end would be no request.
        if self.0.subscribe().wait_for(|asked| *asked).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_stop_is_seen_by_every_clone_before_and_after() {
        let stop = Stop::default();
        let (early, clone) = (stop.clone(), stop.clone());
        let waiting = tokio::spawn(async move { early.wait().await });
        assert!(!clone.requested() && !waiting.is_finished());
        stop.request();
        waiting.await.unwrap();
        clone.wait().await;
        assert!(clone.requested());
    }
}
