//! What the retag stage does for its images, for tests and benchmarks alike: it looks, the engine acts, it looks again.

use std::path::PathBuf;
use std::sync::Arc;

use sealift::engine::{self, Effects, Event, Looker, Observer, Patience, Settings, Stop};
use sealift::model::{Digest, Repository, Tag};
use sealift::pipeline;
use sealift::port::registry::{Config, Location, Registries, RetryPolicy};
use sealift::port::repository::{Origin, Store};
use sealift::stage::retag::{Name, look};
use sealift::stage::{Inputs, Memory, Sight, Step};

use super::images;
use super::registry_server::RegistryServer;
use super::sandbox::{NOW, Sandbox};
use super::sized::{HOST, REAL};

/// What `--parallel` is, unless somebody says otherwise.
pub const PARALLEL: usize = 16;
/// A look that finds nothing, the manifest, the look right before the write, the write, the look after.
pub const ROUND_TRIPS: usize = 5;

/// Images of a candidate that have no stable tag yet.
#[derive(Clone, Copy, Debug)]
pub struct Images {
    pub count: usize,
    /// Over so many repositories.
    pub repositories: usize,
}

impl Images {
    /// Each in a repository of its own, as projects have them.
    pub fn apart(count: usize) -> Self {
        Self { count, repositories: count }
    }

    pub fn repository(self, n: usize) -> Repository {
        format!("{HOST}/platform/image-{}", n % self.repositories).parse().unwrap()
    }

    pub fn stable(self, n: usize) -> Tag {
        format!("v1.6.2{}", if self.repositories < self.count { format!("-{n}") } else { String::new() })
            .parse()
            .unwrap()
    }

    pub fn digest(self, n: usize) -> Digest {
        images::index(&seed(n)).0.digest()
    }

    /// Pushes them, by digest.
    pub async fn push(self, server: &RegistryServer) {
        let registries = registries(server, None);
        for n in 0..self.count {
            images::push_index(&registries, &self.repository(n), None, &seed(n)).await;
        }
    }

    /// Gives each its stable tag.
    pub async fn retag(self, registries: &Registries) {
        let wanted: Vec<_> = (0..self.count).map(|n| (self.repository(n), self.stable(n), self.digest(n))).collect();
        // Only the registries are asked for anything; the rest is what the engine has to be given.
        let sandbox = Sandbox::new();
        let store = Arc::new(Store::open(&sandbox.path("store")).unwrap());
        let origin = Origin::new(store.clone(), &sandbox.path("none").display().to_string(), None).unwrap();
        let pipeline = pipeline::parse("sized", &REAL.pipeline()).unwrap();
        let (inputs, spool) = (Inputs::default(), PathBuf::new());
        let looker = Looker {
            pipeline: &pipeline,
            store,
            origin: &origin,
            registry: registries,
            forge: None,
            inputs: &inputs,
            spool,
            parallel: PARALLEL,
        };
        let settings = settings();
        let memory = Memory::new(PathBuf::new());
        let sight = Sight { registry: registries, memory: &memory, parallel: PARALLEL };
        let free = |name| match name {
            Name::Free(action) => *action,
            _ => panic!("a stable name is not free"),
        };
        let found = look(sight, wanted.clone()).await;
        let step = Step::new("images", found.into_iter().map(|(_, name)| free(name)).collect::<Vec<_>>());
        let effects = Effects { origin: &origin, registry: registries, forge: None };
        let applied = engine::apply::step("retag", &step, &looker, &effects, &settings).await;
        assert_eq!((applied.written.len(), applied.failed.len()), (self.count, 0), "{:?}", applied.failed);
        assert!(look(sight, wanted).await.iter().all(|(_, name)| matches!(name, Name::Right)));
    }
}

fn seed(n: usize) -> String {
    format!("image {n}")
}

/// sealift's own way to a server.
pub fn registries(server: &RegistryServer, docker_config: Option<PathBuf>) -> Registries {
    registries_at(&server.url(), docker_config)
}

pub fn registries_at(url: &str, docker_config: Option<PathBuf>) -> Registries {
    let locations = [(HOST.to_owned(), Location::Url(url.to_owned()))].into();
    let retry = RetryPolicy { attempts: 1, ..RetryPolicy::default() };
    Registries::new(Config { locations, docker_config, retry, concurrency: PARALLEL, ..Config::default() }).unwrap()
}

/// Nobody is told.
struct Silent;

impl Observer for Silent {
    fn event(&self, _: &Event) {}
}

pub fn settings() -> Settings<'static> {
    Settings {
        observer: &Silent,
        patience: Patience::default(),
        stop: Stop::default(),
        now: &|| NOW,
        operator: "tester".into(),
        resume: "sealift resume".into(),
    }
}
