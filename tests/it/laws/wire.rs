//! Faults of GitHub itself, at each kind of request: limits, failures, cut answers, a proxy's page, a
//! connection that ends, a thing done with no word of it. A passing one is survived, or told with what to
//! do; a lasting one is told; and in no case is anything written past it or done twice.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use sealift::engine::{Event, State};
use sealift::port::WriteError;
use sealift::stage::STAGES;

use super::faults::Order;
use super::{Undisturbed, all};
use crate::support::crash::{Effect, Hook, Writes};
use crate::support::github::{Act, FakeGitHub, Logged};
use crate::support::world::{Ran, Session, shipped};

/// A way to go wrong, and the words of it that people must be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrong {
    Limited,
    TooMany,
    Broken,
    Page,
    HungUp,
    /// Done, and the answer is a failure, cut short, or none.
    DoneButBroken,
    Cut,
    DoneButHungUp,
}

const ALL: [Wrong; 8] = [
    Wrong::Limited,
    Wrong::TooMany,
    Wrong::Broken,
    Wrong::Page,
    Wrong::HungUp,
    Wrong::DoneButBroken,
    Wrong::Cut,
    Wrong::DoneButHungUp,
];

impl Wrong {
    fn act(self) -> Act {
        match self {
            Self::Limited => Act::secondary_limit(0),
            Self::TooMany => Act::too_many(0),
            Self::Broken => Act::status(500),
            Self::Page => Act::html(),
            Self::HungUp => Act::hang_up(),
            Self::DoneButBroken => Act::done_but(502),
            Self::Cut => Act::cut(1),
            Self::DoneButHungUp => Act::done_but_hung_up(),
        }
    }

    fn words(self, kind: &str) -> &'static str {
        match self {
            // What a storage says of a file may have its address in it.
            Self::Limited if is_download(kind) => "403",
            Self::TooMany if is_download(kind) => "429",
            Self::Page if is_download(kind) => "bytes",
            Self::Limited => "secondary rate limit",
            Self::TooMany => "Too many requests",
            Self::Broken => "500",
            Self::Page => "HTML page",
            Self::HungUp | Self::DoneButHungUp => "connection closed",
            Self::DoneButBroken => "502",
            Self::Cut => "body",
        }
    }
}

/// What a request is for: its method and path, with nothing in it that a server gave.
fn kind(method: &str, target: &str) -> String {
    let path = target.split('?').next().unwrap();
    let given = |part: &str| part.parse::<u64>().is_ok();
    let parts: Vec<&str> = path.split('/').map(|part| if given(part) { "N" } else { part }).collect();
    format!("{method} {}", parts.join("/"))
}

fn is_write(kind: &str) -> bool {
    !kind.starts_with("GET ") && !kind.ends_with("/graphql")
}

fn is_download(kind: &str) -> bool {
    kind.starts_with("GET /storage/") || kind.starts_with("GET ") && kind.ends_with("/releases/assets/N")
}

/// A fault: at which kind of request, from which of them on (1: the first) and to which, how.
#[derive(Clone, Debug)]
struct Fault {
    early: bool,
    kind: String,
    nth: usize,
    lasts: bool,
    wrong: Wrong,
}

/// Every kind of request, each with some ways to go wrong: the ways take turns, so that all of them meet
/// looks, and every write meets them all.
fn faults(undisturbed: [&[Logged]; 2]) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut turn = 0;
    for (early, log) in [true, false].into_iter().zip(undisturbed) {
        let mut seen: Vec<String> = Vec::new();
        for logged in log {
            let kind = kind(&logged.method, &logged.target);
            seen.push(kind.clone());
            let nth = seen.iter().filter(|known| **known == kind).count();
            // Publishing and marking are the same kind of request.
            if nth > 1 && !(is_write(&kind) && kind.starts_with("PATCH")) {
                continue;
            }
            turn += 1;
            let way = |at: usize| ALL[(turn + at) % ALL.len()];
            let ways: Vec<(Wrong, bool)> = if is_write(&kind) {
                let lasting = [way(0), way(3), way(6)].map(|wrong| (wrong, true));
                ALL.map(|wrong| (wrong, false)).into_iter().chain(lasting).collect()
            } else {
                [(way(0), true), (way(3), true), (way(5), false)].into()
            };
            // A redirection has nothing that could be cut.
            let ways = ways.into_iter().filter(|(wrong, _)| *wrong != Wrong::Cut || !kind.ends_with("/assets/N"));
            faults.extend(ways.map(|(wrong, lasts)| Fault { early, kind: kind.clone(), nth, lasts, wrong }));
        }
    }
    faults
}

/// Effects since the fault came, and the stage that had spoken last by then.
struct Since<'a> {
    session: &'a Session,
    hits: Arc<AtomicUsize>,
    stage: Mutex<Option<&'static str>>,
    effects: Mutex<Vec<Effect>>,
    /// The write that it came at.
    hit: Mutex<Option<Effect>>,
}

impl Since<'_> {
    fn came(&self) -> bool {
        let came = self.hits.load(Ordering::SeqCst) > 0;
        if came {
            let told = self.session.told.last_stage().unwrap_or(STAGES[0].name());
            self.stage.lock().unwrap().get_or_insert(told);
        }
        came
    }
}

impl Hook for Since<'_> {
    fn look(&self, _look: &crate::support::crash::Look) -> Option<sealift::model::Unknown> {
        self.came();
        None
    }

    fn before(&self, effect: &Effect) -> Result<(), WriteError> {
        if !self.came() {
            *self.hit.lock().unwrap() = Some(effect.clone());
        }
        Ok(())
    }

    fn after(&self, effect: &Effect) -> Result<(), WriteError> {
        if self.came() {
            self.effects.lock().unwrap().push(effect.clone());
        }
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_fault_of_github_is_survived_or_told() {
    for shipped in shipped().into_iter().filter(|shipped| shipped.forge() == "github") {
        let undisturbed = Arc::new(Undisturbed::of(&shipped).await);
        let mut logs = Vec::new();
        for world in [&undisturbed.fresh, &undisturbed.merged] {
            let world = world.copy();
            let mut session = world.session();
            session.parallel = 1;
            session.run(&world.request()).await.state.unwrap();
            logs.push(world.github().log());
        }
        let cases = faults([&logs[0], &logs[1]]);
        let kinds: BTreeSet<&str> = cases.iter().map(|fault| fault.kind.as_str()).collect();
        println!("{}: {} faults at {} kinds of requests", shipped.name, cases.len(), kinds.len());
        assert!(kinds.len() > 20, "{kinds:#?}");
        all(cases.into_iter().map(|fault| {
            let undisturbed = undisturbed.clone();
            move || survived_or_told(undisturbed, fault)
        }))
        .await;
    }
}

fn breaks(github: &FakeGitHub, fault: &Fault, hits: &Arc<AtomicUsize>) {
    let last = if fault.lasts { usize::MAX } else { fault.nth };
    let hits = hits.clone();
    let count = Act::before(move || {
        hits.fetch_add(1, Ordering::SeqCst);
    });
    for act in [count, fault.wrong.act()] {
        let wanted = fault.kind.clone();
        let fits = move |request: &crate::support::http::Request| kind(&request.method, &request.target) == wanted;
        github.fault_where(fits, fault.nth..=last, act);
    }
}

async fn survived_or_told(undisturbed: Arc<Undisturbed>, fault: Fault) {
    let world = if fault.early { undisturbed.fresh.copy() } else { undisturbed.merged.copy() };
    let mut session = world.session();
    session.parallel = 1;
    let hits = Arc::new(AtomicUsize::new(0));
    breaks(world.github(), &fault, &hits);
    let (stage, effects, hit) = (Mutex::default(), Mutex::default(), Mutex::default());
    let since = Since { session: &session, hits: hits.clone(), stage, effects, hit };
    let ran = session.run_watched(&world.request(), &since).await;
    let context = format!("{fault:?}\n{:?}\n{}", ran.state, ran.told());
    assert_ne!(hits.load(Ordering::SeqCst), 0, "it never came: {context}");
    let (finished, wanted) = undisturbed.end(fault.early);
    let went_on = matches!(&ran.state, Ok(state) if *state == finished);
    if !went_on {
        reported(&ran, &fault, &context);
        past(&undisturbed, &since, &fault, &context);
    } else if fault.lasts && !is_write(&fault.kind) {
        // What nothing depends on, like the address of the pull request to merge.
        assert!(ran.told().contains(fault.wrong.words(&fault.kind)), "the cause is not told: {context}");
    }
    world.github().heal();
    let ran = world.run().await;
    let ended = matches!(&ran.state, Ok(state) if *state == finished);
    assert!(ended, "{:?}\n{}\nafter {context}", ran.state, ran.told());
    wanted.assert_same(&world.snapshot(), &format!("after {fault:?}"));
}

/// Stage, action, cause, and what to do.
fn reported(ran: &Ran, fault: &Fault, context: &str) {
    match &ran.state {
        Ok(State::Failed | State::Refused) | Err(_) => {}
        Ok(state) => panic!("ended as {state:?}: {context}"),
    }
    let end = ran.end().unwrap_or_else(|| panic!("no end was told: {context}"));
    let hinted = ran.refusals().iter().any(|refusal| refusal.hint.is_some());
    assert!(end.next.is_some() || hinted, "nothing to do is told: {context}");
    let chain = ran.state.as_ref().err().map(|error| format!("{error:#}")).unwrap_or_default();
    let words = fault.wrong.words(&fault.kind);
    assert!((ran.told() + &chain).contains(words), "`{words}` is not told: {context}");
    if is_write(&fault.kind) {
        let failed = |event: &Event| matches!(event, Event::Failed { stage, cause, .. } if !stage.is_empty() && cause.contains(words));
        assert!(ran.events.iter().any(failed), "the failed action is not told: {context}");
    }
}

/// Nothing of a later step than the one that it came at.
fn past(undisturbed: &Undisturbed, since: &Since<'_>, fault: &Fault, context: &str) {
    let order = Order::of([&undisturbed.told[0], &undisturbed.told[1]]);
    let at = since.hit.lock().unwrap().clone().filter(|_| is_write(&fault.kind));
    let stage = since.stage.lock().unwrap().unwrap_or(STAGES[0].name());
    let last = at.and_then(|effect| order.step(&effect)).or_else(|| order.after(stage));
    for effect in since.effects.lock().unwrap().iter().filter(|effect| effect.kind != Writes::Log) {
        assert!(order.step(effect) <= last, "written past the fault: {effect:?}: {context}");
    }
}
