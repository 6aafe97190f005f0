//! The doors the engine has, and what it was told from outside.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::event::Observer;
use crate::pipeline::Pipeline;
use crate::port::registry::{RegistryRead, RegistryWrite};
use crate::port::repository::{OriginRead, OriginWrite, Store};

/// Read ports, and everything a plan needs. There is no way to write from here.
pub struct Looker<'a> {
    pub pipeline: &'a Pipeline,
    pub store: Arc<Store>,
    pub origin: &'a dyn OriginRead,
    pub registry: &'a dyn RegistryRead,
    /// Where files are spooled.
    pub spool: PathBuf,
    pub parallel: usize,
}

/// Write ports: only the interpreter and the log get them.
pub struct Effects<'a> {
    pub origin: &'a dyn OriginWrite,
    pub registry: &'a dyn RegistryWrite,
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

/// How long to wait for a registry that lags behind its own writes.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// Looks after the first one.
    pub looks: u32,
    /// Before the first of them; doubled each time.
    pub pause: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { looks: 5, pause: Duration::from_millis(500) }
    }
}

/// Asked between actions; set by Ctrl-C.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    pub fn request(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    pub fn requested(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
