//! One promotion, from a candidate to a judged release, with trouble on the way.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Output, Stdio};

use super::counted;
use super::dice::Dice;
use super::people::{Deed, Obstacle, below, merged};
use super::trouble::Trouble;
use crate::support::judge::check_world;
use crate::support::world::remote::{Kill, Remote};

/// What a round did, by name.
#[derive(Default)]
pub struct Tally {
    rounds: usize,
    counts: BTreeMap<String, usize>,
}

pub struct Round {
    at: Remote,
    dice: Dice,
    obstacles: Vec<Obstacle>,
    /// Stable tags that people put themselves.
    by_hand: BTreeSet<String>,
    /// What happened, in order.
    story: Vec<String>,
    tally: Tally,
    before: std::path::PathBuf,
}

/// Exit codes, as the README has them.
const HOLDS: i32 = 0;
const ERROR: i32 = 1;
const WAITS: i32 = 4;
const REFUSED: i32 = 5;

/// Looks until a promotion that nobody disturbs has ended: one to the merge, one to the end, and one for
/// each thing that was only half done.
const PATIENCE: usize = 6;

impl Round {
    pub fn new(seed: u64, world: &Remote) -> Self {
        let at = world.copy();
        let before = at.world.sandbox.path("before.txt");
        Self {
            at,
            dice: Dice::new(seed),
            obstacles: Vec::new(),
            by_hand: BTreeSet::new(),
            story: Vec::new(),
            tally: Tally::default(),
            before,
        }
    }

    /// What it did, or the story of how it failed.
    pub fn play(mut self) -> Result<Tally, String> {
        match self.steps() {
            Ok(()) => {
                self.tally.rounds = 1;
                Ok(self.tally)
            }
            Err(why) => Err(format!("{}\n=> {why}", self.story.join("\n"))),
        }
    }

    fn steps(&mut self) -> Result<(), String> {
        let listed = check_world(&["--list"], &self.at.world.origin(), &self.at.registry.url(), &[]);
        if listed.code != Some(0) {
            return Err(format!("the judge can't list the world: {}", listed.err));
        }
        std::fs::write(&self.before, &listed.out).unwrap();
        for _ in 0..4 + self.dice.below(9) {
            self.disturbed()?;
            self.is_safe()?;
        }
        self.calm()?;
        self.judged()?;
        self.twice_is_once()
    }

    fn told(&mut self, what: &str, detail: impl fmt::Display) {
        *self.tally.counts.entry(what.to_owned()).or_default() += 1;
        self.story.push(format!("{what}: {detail}"));
    }

    fn machine(&mut self) -> String {
        format!("machine-{}", self.dice.below(3))
    }

    /// A run, a kill, a fault, a race or a person's deed.
    fn disturbed(&mut self) -> Result<(), String> {
        match self.dice.below(10) {
            0 => {
                let output = self.ran();
                self.ended("run", &output, &[])
            }
            1 | 2 => {
                let (nth, after) = (1 + self.dice.below(8), self.dice.coin());
                let kills = [Kill::Registry(nth, after), Kill::Git(1 + nth % 4, after), Kill::GitHub(nth, after)];
                let (kill, machine) = (*self.dice.pick(&kills), self.machine());
                let output = self.at.command_killed(self.at.command_on(&machine), kill);
                if output.status.signal() == Some(9) {
                    self.told("killed", format_args!("{kill:?} on {machine}"));
                    return Ok(());
                }
                self.ended("outlived its killer", &output, &[])
            }
            3 | 4 => {
                let (trouble, machine) = (Trouble::any(&mut self.dice), self.machine());
                trouble.begin(&self.at);
                let output = self.at.command_on(&machine).stdin(Stdio::null()).output().unwrap();
                self.at.heal();
                self.told("faults", trouble);
                self.ended("run among faults", &output, &[ERROR])
            }
            5 => {
                let commands = [self.machine(), self.machine() + "-too"].map(|machine| self.at.command_on(&machine));
                let children = commands.map(|mut command| {
                    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
                });
                for output in children.map(|child| std::thread::spawn(move || child.wait_with_output().unwrap())) {
                    // Whoever came second may be told so.
                    self.ended("race", &output.join().unwrap(), &[ERROR, REFUSED])?;
                }
                Ok(())
            }
            _ => {
                let deed = *self.dice.pick(&Deed::possible(&self.at));
                let before = self.at.registry.tags();
                let obstacle = deed.done(&self.at, &mut self.dice);
                let put = self.at.registry.tags().into_keys().filter(|name| !before.contains_key(name));
                self.by_hand.extend(put);
                self.told(&deed.to_string(), obstacle.is_some());
                self.obstacles.extend(obstacle);
                Ok(())
            }
        }
    }

    fn ran(&mut self) -> Output {
        let machine = self.machine();
        self.at.command_on(&machine).stdin(Stdio::null()).output().unwrap()
    }

    /// It holds or waits; refuses what stands in its way; or ends as it may besides.
    fn ended(&mut self, what: &str, output: &Output, besides: &[i32]) -> Result<(), String> {
        let code = output.status.code().unwrap_or(-1);
        self.told(what, format_args!("{code}"));
        let could_not_look = besides.contains(&ERROR) && unknowns_alone(output);
        let stopped = code == REFUSED && (!self.obstacles.is_empty() || could_not_look);
        if code == HOLDS || code == WAITS || stopped || besides.contains(&code) {
            return Ok(());
        }
        Err(format!("{what} ended with {code}:\n{}", text(output)))
    }

    /// No stable name before the merge, and never a wrong one, but for what people did themselves.
    fn is_safe(&self) -> Result<(), String> {
        let (tags, merged) = (self.at.registry.tags(), merged(&self.at));
        for (name, digest) in &self.at.world.images {
            if !merged && tags.contains_key(below(name)) && !self.by_hand.contains(below(name)) {
                return Err(format!("{name} is there before the merge"));
            }
            let wrong = tags.get(below(name)).is_some_and(|found| found != digest);
            let by_hand =
                self.obstacles.iter().any(|obstacle| matches!(obstacle, Obstacle::Image(image) if image == name));
            if wrong && !by_hand {
                return Err(format!("{name} names other bytes"));
            }
        }
        let names = self.at.world.names();
        let released = self.at.world.names_of(names.git_tag.as_str()).is_some();
        if released && !merged {
            return Err(format!("{} is there before the merge", names.git_tag.short()));
        }
        Ok(())
    }

    /// People undo what they did, merge when they are told to, and the same command ends it.
    fn calm(&mut self) -> Result<(), String> {
        for obstacle in std::mem::take(&mut self.obstacles) {
            obstacle.undo(&self.at);
        }
        for _ in 0..PATIENCE {
            let output = self.ran();
            let code = output.status.code();
            self.told("calm run", format_args!("{code:?}"));
            match code {
                Some(HOLDS) => return Ok(()),
                Some(WAITS) if !merged(&self.at) => {
                    self.at.world.merge();
                    self.told("merge at last", "");
                }
                _ => return Err(format!("a run that nobody disturbs ended with {code:?}:\n{}", text(&output))),
            }
        }
        Err(format!("not at the end after {PATIENCE} runs"))
    }

    fn judged(&self) -> Result<(), String> {
        let (world, list) = (&self.at.world, self.before.display().to_string());
        let judged = check_world(&[], &world.origin(), &self.at.registry.url(), &[&format!("v{}", world.rc), &list]);
        let right = judged.code == Some(0) && judged.err.is_empty();
        if right { Ok(()) } else { Err(format!("the judge says:\n{}{}", judged.out, judged.err)) }
    }

    fn twice_is_once(&mut self) -> Result<(), String> {
        let before = (self.at.writes(), self.at.snapshot());
        let output = self.ran();
        let after = (self.at.writes(), self.at.snapshot());
        if output.status.code() != Some(HOLDS) || before != after {
            let difference = before.1.difference(&after.1);
            return Err(format!("a second run wrote: {:?} {:?} {difference:?}\n{}", before.0, after.0, text(&output)));
        }
        Ok(())
    }
}

/// Whether it refused what it couldn't know, and nothing else.
fn unknowns_alone(output: &Output) -> bool {
    let events = String::from_utf8_lossy(&output.stdout);
    let events = events.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let refusals: Vec<_> = events.flat_map(|event| event["refusals"].as_array().cloned().unwrap_or_default()).collect();
    let unknown = |refusal: &serde_json::Value| refusal["code"] == "unknown";
    !refusals.is_empty() && refusals.iter().all(unknown)
}

/// What a run told, without the goal, which is the same in all of them.
fn text(output: &Output) -> String {
    let lines = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat();
    lines.lines().filter(|line| !line.starts_with(r#"{"event":"goal""#)).map(|line| format!("{line}\n")).collect()
}

impl Tally {
    pub fn add(&mut self, other: &Self) {
        self.rounds += other.rounds;
        for (name, count) in &other.counts {
            *self.counts.entry(name.clone()).or_default() += count;
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ended right: {}", self.rounds, counted(&self.counts))
    }
}
