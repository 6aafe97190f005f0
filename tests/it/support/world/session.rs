//! sealift in a world: what one machine opens, and one command of it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use sealift::engine::{
    self, Asked, Effects, End, Event, Looker, Observer, Patience, Scope, Settings, StageState, State, Stop,
};
use sealift::model::{Rc, Refusal};
use sealift::pipeline::Pipeline;
use sealift::port::forge::github::GitHub;
use sealift::port::forge::{Forge, ForgeRead, ForgeWrite};
use sealift::port::registry::{Layout, RegistryRead, RegistryWrite};
use sealift::port::repository::{Origin, OriginRead, OriginWrite, Store};
use sealift::promotion::locate::Request;
use sealift::stage::{Inputs, Summary};

use super::World;
use super::hosted::{TOKEN, client};
use crate::support::crash::{Hook, Watched};
use crate::support::sandbox::{NOW, scratch};

/// A machine: a store of its own, and the ports.
pub struct Session {
    pub pipeline: Pipeline,
    pub store: Arc<Store>,
    pub origin: Origin,
    pub registries: Layout,
    /// `None` on plain git.
    pub forge: Option<GitHub>,
    /// What people bring to every command.
    pub inputs: Inputs,
    pub stop: Stop,
    /// Requests to registries in flight at once.
    pub parallel: usize,
    /// What the last command told so far.
    pub told: Told,
    home: tempfile::TempDir,
}

/// How a command ended, and what it told on the way.
#[derive(Debug)]
pub struct Ran {
    pub state: anyhow::Result<State>,
    pub events: Vec<Event>,
}

#[derive(Default)]
pub struct Told(Mutex<Vec<Event>>);

impl Observer for Told {
    fn event(&self, event: &Event) {
        self.0.lock().unwrap().push(event.clone());
    }
}

impl World {
    /// Another machine: nothing is in its store yet.
    pub fn session(&self) -> Session {
        self.session_as(Some(TOKEN))
    }

    /// The same, as whoever has that token at the forge.
    pub fn session_as(&self, token: Option<&str>) -> Session {
        let home = scratch();
        let store = Arc::new(Store::open(home.path()).unwrap());
        let url = format!("file://{}", self.origin().display());
        let origin = Origin::new(store.clone(), &url, None).unwrap();
        let (pipeline, registries) = (self.pipeline().clone(), self.registries());
        let (stop, told) = (Stop::default(), Told::default());
        let forge = self.github.as_ref().map(|github| client(github, &pipeline, token));
        let inputs = Inputs { assets: self.assets(), ..Inputs::default() };
        Session { pipeline, store, origin, registries, forge, inputs, stop, parallel: 4, told, home }
    }

    /// The registry's directory, for every host.
    pub fn registries(&self) -> Layout {
        Layout::new(self.registry())
    }

    /// Promotes the last candidate from a fresh machine, as far as it goes.
    pub async fn run(&self) -> Ran {
        self.session().run(&self.request()).await
    }

    /// Plans the last candidate on a fresh machine.
    pub async fn plan(&self) -> Ran {
        self.session().plan(&self.request()).await
    }

    /// Promotes the last candidate to the end, a person's merge included.
    pub async fn promote(&self) {
        self.run().await.must_be(State::Waiting);
        self.merge();
        self.run().await.must_be(State::Holds);
    }
}

impl Session {
    /// The read ports, or others in their place.
    pub fn looker_through<'a>(
        &'a self,
        origin: &'a dyn OriginRead,
        registry: &'a dyn RegistryRead,
        forge: Option<&'a dyn ForgeRead>,
    ) -> Looker<'a> {
        let (pipeline, store, inputs) = (&self.pipeline, self.store.clone(), &self.inputs);
        let spool = self.home.path().to_owned();
        Looker { pipeline, store, origin, registry, forge, inputs, spool, parallel: self.parallel }
    }

    pub fn looker(&self) -> Looker<'_> {
        self.looker_through(&self.origin, &self.registries, self.forge().map(|forge| forge as &dyn ForgeRead))
    }

    pub fn forge(&self) -> Option<&dyn Forge> {
        self.forge.as_ref().map(|forge| forge as &dyn Forge)
    }

    pub fn effects(&self) -> Effects<'_> {
        let forge = self.forge().map(|forge| forge as &dyn ForgeWrite);
        Effects { origin: &self.origin, registry: &self.registries, forge }
    }

    pub async fn run(&self, request: &Request) -> Ran {
        self.run_through(request, &Scope::default(), &self.origin, &self.registries, self.forge()).await
    }

    pub async fn run_until(&self, request: &Request, stage: &str) -> Ran {
        let scope = Scope { until: Some(stage.to_owned()), seal: None };
        self.run_through(request, &scope, &self.origin, &self.registries, self.forge()).await
    }

    /// Runs what was reviewed under a seal, watched.
    pub async fn run_sealed(&self, request: &Request, seal: &str, hook: &dyn Hook) -> Ran {
        let scope = Scope { until: None, seal: Some(seal.parse().unwrap()) };
        let ports = Watched::new(self, hook);
        self.run_through(request, &scope, &ports, &ports, ports.forge()).await
    }

    /// Runs with every look and effect watched.
    pub async fn run_watched(&self, request: &Request, hook: &dyn Hook) -> Ran {
        let ports = Watched::new(self, hook);
        self.run_through(request, &Scope::default(), &ports, &ports, ports.forge()).await
    }

    /// Runs with ports in the place of the real ones.
    pub async fn run_through<O, R>(
        &self,
        request: &Request,
        scope: &Scope,
        origin: &O,
        registry: &R,
        forge: Option<&dyn Forge>,
    ) -> Ran
    where
        O: OriginRead + OriginWrite,
        R: RegistryRead + RegistryWrite,
    {
        let effects = Effects { origin, registry, forge: forge.map(|forge| forge as &dyn ForgeWrite) };
        let looker = self.looker_through(origin, registry, forge.map(|forge| forge as &dyn ForgeRead));
        self.ran(engine::run(request, scope, &looker, &effects, &self.settings()).await)
    }

    pub async fn plan(&self, request: &Request) -> Ran {
        self.plan_through(request, &self.origin, &self.registries, self.forge()).await
    }

    /// Plans with read ports in the place of the real ones.
    pub async fn plan_through(
        &self,
        request: &Request,
        origin: &dyn OriginRead,
        registry: &dyn RegistryRead,
        forge: Option<&dyn Forge>,
    ) -> Ran {
        let looker = self.looker_through(origin, registry, forge.map(|forge| forge as &dyn ForgeRead));
        self.ran(engine::plan(request, &looker, &self.settings()).await)
    }

    pub async fn preview(&self, asked: &Asked<'_>, rc: Option<Rc>) -> Ran {
        self.preview_through(asked, rc, &self.registries).await
    }

    /// Previews with a registry in the place of the real one.
    pub async fn preview_through(&self, asked: &Asked<'_>, rc: Option<Rc>, registry: &dyn RegistryRead) -> Ran {
        let forge = self.forge().map(|forge| forge as &dyn ForgeRead);
        let looker = self.looker_through(&self.origin, registry, forge);
        self.ran(engine::preview(asked, rc, &looker, &self.settings()).await)
    }

    /// Puts a preview's comment on a pull request.
    pub async fn comment(&self, pull: u64, marker: &str, body: &str) -> Ran {
        engine::comment(pull, marker, body, &self.looker(), &self.effects(), &self.settings()).await;
        self.ran(Ok(State::Holds))
    }

    pub async fn verify(&self, request: &Request) -> Ran {
        self.ran(engine::verify(request, &self.looker(), &self.settings()).await)
    }

    pub async fn abandon(&self, request: &Request, discard: bool) -> Ran {
        self.ran(engine::abandon(request, discard, &self.looker(), &self.effects(), &self.settings()).await)
    }

    fn ran(&self, state: anyhow::Result<State>) -> Ran {
        Ran { state, events: std::mem::take(&mut *self.told.0.lock().unwrap()) }
    }

    pub fn settings(&self) -> Settings<'_> {
        Settings {
            observer: &self.told,
            patience: Patience { looks: 2, pause: Duration::from_millis(1), lag: Duration::from_millis(1) },
            stop: self.stop.clone(),
            now: &now,
            operator: "tester".into(),
            resume: "sealift resume".into(),
        }
    }
}

impl Told {
    /// The action that is being done.
    pub fn acting(&self) -> Option<Summary> {
        match self.0.lock().unwrap().last() {
            Some(Event::Acting { action, .. }) => Some(action.clone()),
            _ => None,
        }
    }

    /// The stage that spoke last.
    pub fn last_stage(&self) -> Option<&'static str> {
        let of = |event: &Event| match event {
            Event::Stage(state) => Some(state.stage),
            Event::Acting { stage, .. } | Event::Acted { stage, .. } | Event::Failed { stage, .. } => Some(*stage),
            _ => None,
        };
        self.0.lock().unwrap().iter().rev().find_map(of)
    }
}

fn now() -> i64 {
    NOW
}

impl Ran {
    /// The state, or a panic that shows everything that was told.
    #[track_caller]
    pub fn must_be(&self, state: State) -> &Self {
        match &self.state {
            Ok(found) if *found == state => self,
            other => panic!("expected {state:?}, got {other:?}\n{}", self.told()),
        }
    }

    /// The events, one a line.
    pub fn told(&self) -> String {
        self.events.iter().map(|event| serde_json::to_string(event).unwrap() + "\n").collect()
    }

    /// The last word of a stage.
    pub fn stage(&self, name: &str) -> Option<&StageState> {
        self.events.iter().rev().find_map(|event| match event {
            Event::Stage(state) if state.stage == name => Some(state),
            _ => None,
        })
    }

    pub fn refusals(&self) -> Vec<&Refusal> {
        self.events
            .iter()
            .flat_map(|event| match event {
                Event::Stage(state) => state.refusals.as_slice(),
                _ => &[],
            })
            .collect()
    }

    /// Actions that were done, as people read them.
    pub fn acted(&self) -> Vec<String> {
        let of = |event: &Event| match event {
            Event::Acted { action, .. } => Some(action.to_string()),
            _ => None,
        };
        self.events.iter().filter_map(of).collect()
    }

    /// What one stage did.
    pub fn acted_in(&self, name: &str) -> Vec<String> {
        let of = |event: &Event| match event {
            Event::Acted { stage, action } if *stage == name => Some(action.to_string()),
            _ => None,
        };
        self.events.iter().filter_map(of).collect()
    }

    pub fn end(&self) -> Option<&End> {
        self.events.iter().rev().find_map(|event| match event {
            Event::End(end) => Some(end),
            _ => None,
        })
    }

    pub fn seal(&self) -> String {
        let of = |event: &Event| match event {
            Event::Goal(goal) => Some(goal.seal.clone()),
            _ => None,
        };
        self.events.iter().find_map(of).expect("a goal was told")
    }
}
