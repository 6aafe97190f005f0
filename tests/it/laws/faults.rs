//! Faults reach the user: whatever a port fails at, and at whatever stage, the report says stage,
//! action, cause and what to do; nothing later is written; and a run without the fault goes on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use sealift::engine::{Event, State};
use sealift::model::Unknown;
use sealift::port::WriteError;
use sealift::stage::STAGES;

use super::{Undisturbed, all};
use crate::support::crash::{Effect, Hook, Look, Looks, Writes};
use crate::support::world::{Ran, Session, shipped};

const CAUSE: &str = "injected: the disk of the server is full";

/// How a write goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrong {
    Refused,
    /// Not written, and nobody can say so.
    Unknown,
    /// Written, and the answer was lost.
    Unheard,
    /// The server found something else.
    Lost,
}

/// What goes wrong, from its first time on.
#[derive(Clone, Debug)]
enum Fault {
    /// After so many looks of all kinds.
    Look(usize, Look),
    Write(Wrong, Effect),
}

impl Fault {
    /// What is looked at, or written.
    fn what(&self) -> &str {
        match self {
            Self::Look(_, look) => &look.what,
            Self::Write(_, effect) => &effect.what,
        }
    }

    fn of_the_log(&self) -> bool {
        self.what().starts_with("refs/sealift/")
    }
}

struct Broken<'a> {
    fault: Fault,
    session: &'a Session,
    looks: Mutex<usize>,
    /// The stage that had spoken last when it went wrong.
    hit: Mutex<Option<&'static str>>,
    /// Effects since then.
    since: Mutex<Vec<Effect>>,
}

impl Broken<'_> {
    fn hits(&self) {
        let mut hit = self.hit.lock().unwrap();
        if hit.is_none() {
            *hit = Some(self.session.told.last_stage().unwrap_or(STAGES[0].name()));
        }
    }

    fn wrong(&self, effect: &Effect, unheard: bool) -> Result<(), WriteError> {
        let Fault::Write(wrong, wanted) = &self.fault else { return Ok(()) };
        if effect != wanted || (*wrong == Wrong::Unheard) != unheard {
            return Ok(());
        }
        self.hits();
        let what = effect.what.clone();
        Err(match wrong {
            Wrong::Refused => WriteError::Refused { what, status: Some(507), detail: CAUSE.into() },
            Wrong::Unknown | Wrong::Unheard => Unknown::new(what, CAUSE).into(),
            Wrong::Lost => WriteError::Lost { what, expected: "nothing".into(), found: CAUSE.into() },
        })
    }
}

impl Hook for Broken<'_> {
    fn look(&self, look: &Look) -> Option<Unknown> {
        let mut looks = self.looks.lock().unwrap();
        *looks += 1;
        let Fault::Look(after, wanted) = &self.fault else { return None };
        if *looks < *after || look != wanted {
            return None;
        }
        self.hits();
        Some(Unknown::new(&look.what, CAUSE))
    }

    fn before(&self, effect: &Effect) -> Result<(), WriteError> {
        self.wrong(effect, false)
    }

    fn after(&self, effect: &Effect) -> Result<(), WriteError> {
        if self.hit.lock().unwrap().is_some() {
            self.since.lock().unwrap().push(effect.clone());
        }
        self.wrong(effect, true)
    }
}

/// Which step of which stage an effect belongs to, in the order of an undisturbed run.
pub(super) struct Order(BTreeMap<String, usize>, Vec<(String, String)>);

impl Order {
    pub fn of(ran: [&Ran; 2]) -> Self {
        let (mut places, mut steps) = (BTreeMap::new(), Vec::new());
        for event in ran.iter().flat_map(|ran| &ran.events) {
            let Event::Stage(state) = event else { continue };
            for step in &state.steps {
                for action in &step.actions {
                    let (verb, target) = (action.verb, &action.target);
                    let name = match verb {
                        "push-blob" => format!("{target}@{}", action.value.split(' ').next().unwrap()),
                        "put-manifest" | "create-ref" | "update-ref" | "delete-ref" => target.clone(),
                        _ => format!("{verb} {target}"),
                    };
                    places.insert(name, steps.len());
                }
                steps.push((state.stage.to_owned(), step.kind.to_owned()));
            }
        }
        Self(places, steps)
    }

    pub fn step(&self, effect: &Effect) -> Option<usize> {
        let what = &effect.what;
        match effect.kind {
            Writes::Forge(verb) => self.0.get(&format!("{verb} {what}")).copied(),
            _ => self.0.get(what).copied(),
        }
    }

    /// The step that a fault belongs to: looks belong to the target that they are made at.
    fn of_fault(&self, fault: &Fault) -> Option<usize> {
        match fault {
            Fault::Look(_, look) => self.0.get(&look.what).copied(),
            Fault::Write(_, effect) => self.step(effect),
        }
    }

    /// The last step of a stage, or of one before it.
    fn end_of(&self, stage: &str) -> Option<usize> {
        let place = |name: &str| STAGES.iter().position(|stage| stage.name() == name);
        self.1.iter().rposition(|(of, _)| place(of) <= place(stage))
    }

    /// The last step that a stage may come to that looked in vain: the one that spoke last, or the one
    /// after it.
    pub fn after(&self, stage: &str) -> Option<usize> {
        let at = STAGES.iter().position(|s| s.name() == stage)?;
        self.end_of(STAGES.get(at + 1).unwrap_or(&STAGES[at]).name())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_fault_is_told_and_nothing_is_written_past_it() {
    for shipped in shipped() {
        let undisturbed = Arc::new(Undisturbed::of(&shipped).await);
        let mut cases = Vec::new();
        for early in [true, false] {
            let faults = faults(&undisturbed, early).await;
            assert!(faults.len() > 10, "{}: {} faults", shipped.name, faults.len());
            cases.extend(faults.into_iter().map(|fault| (early, fault)));
        }
        println!("{}: {} faults", shipped.name, cases.len());
        all(cases.into_iter().map(|(early, fault)| {
            let undisturbed = undisturbed.clone();
            move || told(undisturbed, early, fault)
        }))
        .await;
    }
}

/// Learns which looks are made when.
struct Learn<'a> {
    session: &'a Session,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    looks: usize,
    /// By the stage that had spoken last; what a forge has is of many kinds.
    kinds: BTreeSet<(Option<&'static str>, Looks, Option<String>)>,
    faults: Vec<Fault>,
}

impl Hook for Learn<'_> {
    fn look(&self, look: &Look) -> Option<Unknown> {
        let seen = &mut *self.seen.lock().unwrap();
        seen.looks += 1;
        let thing = (look.kind == Looks::Forge).then(|| look.what.clone());
        if seen.kinds.insert((self.session.told.last_stage(), look.kind, thing)) {
            seen.faults.push(Fault::Look(seen.looks, look.clone()));
        }
        None
    }
}

/// Looks failing from the first time that a kind of look is made at a stage; writes of each kind
/// at each step failing in each way.
async fn faults(undisturbed: &Undisturbed, early: bool) -> Vec<Fault> {
    let world = if early { undisturbed.fresh.copy() } else { undisturbed.merged.copy() };
    let mut session = world.session();
    session.parallel = 1;
    let learn = Learn { session: &session, seen: Mutex::default() };
    session.run_watched(&world.request(), &learn).await.state.unwrap();
    let mut faults = learn.seen.into_inner().unwrap().faults;
    let count = if early { &undisturbed.before } else { &undisturbed.after };
    let order = Order::of([&undisturbed.told[0], &undisturbed.told[1]]);
    let mut known = BTreeSet::new();
    for effect in count.effects.lock().unwrap().iter() {
        if known.insert((order.step(effect), effect.kind)) {
            let all = [Wrong::Refused, Wrong::Unknown, Wrong::Unheard, Wrong::Lost];
            faults.extend(all.map(|wrong| Fault::Write(wrong, effect.clone())));
        }
    }
    faults
}

async fn told(undisturbed: Arc<Undisturbed>, early: bool, fault: Fault) {
    let world = if early { undisturbed.fresh.copy() } else { undisturbed.merged.copy() };
    let mut session = world.session();
    session.parallel = 1;
    let (looks, hit, since) = (Mutex::default(), Mutex::default(), Mutex::default());
    let broken = Broken { fault: fault.clone(), session: &session, looks, hit, since };
    let ran = session.run_watched(&world.request(), &broken).await;
    let context = format!("{fault:?}\n{:?}\n{}", ran.state, ran.told());
    let stage = broken.hit.into_inner().unwrap().unwrap_or_else(|| panic!("it never came: {context}"));
    let since = broken.since.into_inner().unwrap();
    let (finished, wanted) = undisturbed.end(early);
    let went_on = matches!(&ran.state, Ok(state) if *state == finished);
    match &fault {
        // What was written is found when it is looked at: no harm done.
        Fault::Write(Wrong::Unheard, effect) if went_on && effect.kind != Writes::Log => {}
        // Nothing is decided by the log: it costs a warning.
        fault if fault.of_the_log() => {
            assert!(went_on, "the log stopped a promotion: {context}");
            let warned = |event: &Event| matches!(event, Event::Warning { message } if message.contains(CAUSE));
            assert!(ran.events.iter().any(warned), "no warning: {context}");
        }
        // Where to merge, and whether the tag started its workflow: for people, and nothing depends on it.
        Fault::Look(_, look) if went_on && for_people(stage, look) => {
            assert!(ran.told().contains(CAUSE), "the cause is not told: {context}");
        }
        fault => {
            assert!(!went_on, "a fault was passed over: {context}");
            reported(&ran, fault, &context);
            let order = Order::of([&undisturbed.told[0], &undisturbed.told[1]]);
            past(&order, fault, stage, &since, &context);
        }
    }
    world.run().await.must_be(finished);
    world.snapshot().assert_same(wanted, &format!("after {fault:?}"));
}

/// Whether a look that failed, after that stage had spoken, decides nothing.
fn for_people(stage: &str, look: &Look) -> bool {
    let of = |what: &str| look.kind == Looks::Forge && look.what.starts_with(what);
    stage == "propose" && of("pull requests from") || stage == "finalize" && of("runs of")
}

/// Stage, action, cause, and what to do.
fn reported(ran: &Ran, fault: &Fault, context: &str) {
    let end = ran.end().unwrap_or_else(|| panic!("no end was told: {context}"));
    let hinted = ran.refusals().iter().any(|refusal| refusal.hint.is_some());
    assert!(end.next.is_some() || hinted, "nothing to do is told: {context}");
    let chain = ran.state.as_ref().err().map(|error| format!("{error:#}")).unwrap_or_default();
    let told = ran.told() + &chain;
    assert!(told.contains(CAUSE), "the cause is not told: {context}");
    let what = fault.what();
    assert!(told.contains(what), "{what} is not told: {context}");
    if let Fault::Write(_, effect) = fault {
        let target = effect.what.split('@').next().unwrap();
        let failed = ran.events.iter().any(|event| {
            matches!(event, Event::Failed { stage, action, cause }
                if !stage.is_empty() && action.target == target && cause.contains(CAUSE))
        });
        assert!(failed, "the failed action is not told: {context}");
    }
    match &ran.state {
        Ok(State::Failed | State::Refused) | Err(_) => {}
        Ok(state) => panic!("ended as {state:?}: {context}"),
    }
}

/// Nothing of a later step than the one that failed.
fn past(order: &Order, fault: &Fault, stage: &str, since: &[Effect], context: &str) {
    let last = order.of_fault(fault).or_else(|| order.after(stage));
    for effect in since.iter().filter(|effect| effect.kind != Writes::Log) {
        assert!(order.step(effect) <= last, "written past the fault: {effect:?}: {context}");
    }
}
