//! Streams of events as an engine tells them, one per way a command can end.

pub mod lints;
pub mod previews;

use sealift::engine::event::{End, Event, Goal, StageState, State, StepState};
use sealift::model::Digest;
use sealift::stage::{Code, Refusal, Summary, Wait};

const STAGES: [&str; 10] =
    ["gate", "rewrite", "commit", "push", "pin", "propose", "wait", "verify", "retag", "finalize"];
const REGISTRY: &str = "ghcr.io/acme/demo";

/// Every stream there is, by name.
pub fn all() -> Vec<(&'static str, Vec<Event>)> {
    vec![
        ("plan", plan()),
        ("waiting", waiting()),
        ("refused", refused()),
        ("failed", failed()),
        ("finished", finished()),
        ("interrupted", interrupted()),
        ("hostile", hostile()),
        ("preview", previews::clean()),
        ("preview-refused", previews::refused()),
        ("preview-release", previews::release()),
        ("preview-hostile", previews::hostile()),
        ("lint", lints::found()),
        ("lint-clean", lints::clean()),
        ("lint-hostile", lints::hostile()),
        ("census", vec![crate::explain::census_event()]),
        ("explanation", vec![crate::explain::explanation_event("packages/a/x/values.yaml")]),
        ("explanation-nothing", vec![crate::explain::explanation_event("packages/a/x/values.yaml:3")]),
    ]
}

/// Nothing has been done yet.
pub fn plan() -> Vec<Event> {
    let mut gate = stage("gate", State::Holds, vec![]);
    gate.notes.push("the end-to-end evidence is a recorded bypass: nightly runner out of order".into());
    let mut verify = stage("verify", State::Waiting, vec![]);
    verify.wait = Some(wait("merge", "the merge can't be compared before it exists", &[]));
    let tree = vec![
        step("blobs", vec![blob("layer", 48_211_034), blob("config", 233)]),
        step("manifests", vec![put("packages", "promotion-1.6.2-from-1.6.2-rc.1-0a1b2c3d4e5f", "packages")]),
    ];
    vec![
        goal(),
        Event::Stage(gate),
        Event::Stage(stage("rewrite", State::Holds, vec![])),
        Event::Stage(stage("commit", State::Work, vec![step("branches", vec![create_branch()])])),
        Event::Stage(stage("push", State::Work, tree)),
        Event::Stage(stage("pin", State::Work, vec![step("branches", vec![update_branch()])])),
        Event::Stage(stage("propose", State::Holds, vec![])),
        Event::Stage(merge()),
        Event::Stage(verify),
        Event::Stage(stage(
            "retag",
            State::Work,
            vec![step("images", images(43)), step("artifacts", vec![artifact()])],
        )),
        Event::Stage(stage(
            "finalize",
            State::Work,
            vec![
                step("charts", vec![put("charts/installer", "1.6.2", "chart")]),
                step("tags", vec![create("refs/tags/v1.6.2", "merge")]),
                step("lines", vec![update("refs/heads/release-1.6", "base", "merge")]),
                step("aliases", vec![alias("api"), alias("web")]),
            ],
        )),
        end(
            State::Work,
            &["gate", "rewrite", "propose"],
            Some(&format!("sealift run v1.6.2-rc.1 --plan {}", digest("seal"))),
        ),
    ]
}

/// A run up to the merge.
pub fn waiting() -> Vec<Event> {
    let mut events = vec![
        goal(),
        Event::Stage(stage("gate", State::Holds, vec![])),
        Event::Stage(stage("rewrite", State::Holds, vec![])),
        Event::Stage(stage("commit", State::Work, vec![step("branches", vec![create_branch()])])),
        Event::Acting { stage: "commit", action: create_branch() },
        Event::Acted { stage: "commit", action: create_branch() },
        Event::Stage(stage("commit", State::Holds, vec![])),
        Event::Warning { message: "the log ref refs/sealift/v1.6.2 was refused by the server: hook declined".into() },
    ];
    events.push(Event::Stage(stage("push", State::Holds, vec![])));
    events.push(Event::Stage(StageState { commit: Some(commit("pin")), ..stage("pin", State::Holds, vec![]) }));
    events.push(Event::Stage(stage("propose", State::Holds, vec![])));
    let mut merge = merge();
    merge.wait.iter_mut().for_each(|wait| wait.pull_request = Some(7));
    events.push(Event::Stage(merge));
    events.push(end(State::Waiting, &STAGES[..6], Some("sealift resume v1.6.2-rc.1")));
    events
}

/// Two reasons, with places.
pub fn refused() -> Vec<Event> {
    let mut gate = stage("gate", State::Refused, vec![]);
    gate.refusals = vec![
        Refusal::new(Code::TagCollision, format!("two digests want {REGISTRY}/api:v1.6.2"))
            .at(["packages/apps/api/values.yaml:12", "packages/apps/web/values.yaml:7:10"])
            .hint("give one of them a repository of its own, then cut the next rc"),
        Refusal::new(
            Code::VersionSpent,
            format!("{REGISTRY}/web:v1.6.2 names {} already: 1.6.2 is spent", digest("other")),
        )
        .at([format!("{REGISTRY}/web:v1.6.2")])
        .hint("promote the changes as v1.6.3"),
    ];
    vec![goal(), Event::Stage(gate), end(State::Refused, &STAGES[..0], None)]
}

/// One image of 43 can't be known: the others are tagged, and nothing after them.
pub fn failed() -> Vec<Event> {
    let mut known = images(43);
    let missing = known.remove(17);
    let mut tags = step("images", known.clone());
    let answer = format!("{}: the server answered 429: toomanyrequests", missing.target);
    tags.unknown.push(answer);
    let mut events = vec![goal()];
    events.extend(STAGES.iter().take(8).map(|&name| Event::Stage(stage(name, State::Holds, vec![]))));
    events.push(Event::Stage(stage("retag", State::Work, vec![tags.clone()])));
    for action in known {
        events.push(Event::Acting { stage: "retag", action: action.clone() });
        events.push(Event::Acted { stage: "retag", action });
    }
    tags.actions.clear();
    events.push(Event::Stage(stage("retag", State::Failed, vec![tags])));
    events.push(end(State::Failed, &STAGES[..8], Some("sealift resume v1.6.2-rc.1")));
    events
}

/// A second run of a finished promotion.
pub fn finished() -> Vec<Event> {
    let mut events = vec![goal()];
    events.extend(STAGES.map(|name| Event::Stage(stage(name, State::Holds, vec![]))));
    events.push(end(State::Holds, &STAGES[..10], None));
    events
}

/// Stopped by hand between two actions.
pub fn interrupted() -> Vec<Event> {
    let mut events = vec![goal()];
    events.extend(STAGES.iter().take(8).map(|&name| Event::Stage(stage(name, State::Holds, vec![]))));
    events.push(Event::Stage(stage("retag", State::Work, vec![step("images", images(3))])));
    for action in images(1) {
        events.push(Event::Acting { stage: "retag", action: action.clone() });
        events.push(Event::Acted { stage: "retag", action });
    }
    events.push(Event::Stage(stage("retag", State::Interrupted, vec![])));
    events.push(end(State::Interrupted, &STAGES[..8], Some("sealift resume v1.6.2-rc.1")));
    events
}

/// Names and words made to break out of wherever they are printed.
pub fn hostile() -> Vec<Event> {
    let evil = "a|b`c`\n::error::x, y: 100%\u{1b}[2J</details><script>@team #1 [l](http://e) ##[set-env]$x$";
    let action = Summary { verb: "create-ref", target: evil.into(), value: evil.into(), expects: Some(evil.into()) };
    let mut tags = step("tags", vec![action.clone()]);
    tags.unknown.push(evil.into());
    let mut gate = stage("gate", State::Refused, vec![tags]);
    gate.notes.push(evil.into());
    gate.wait = Some(wait("merge", evil, &["echo '\n````\n'", evil]));
    gate.refusals = vec![Refusal::new(Code::Unknown, evil).at([evil, "packages/a,b:c%.yaml:3"]).hint(evil)];
    let Event::Goal(mut goal) = goal() else { return Vec::new() };
    (goal.pipeline, goal.rc, goal.base, goal.staging) = (evil.into(), evil.into(), evil.into(), evil.into());
    goal.images = vec![(evil.into(), evil.into())];
    vec![
        Event::Goal(goal),
        Event::Stage(gate),
        Event::Acting { stage: "gate", action: action.clone() },
        Event::Failed { stage: "gate", action, cause: evil.into() },
        Event::Warning { message: evil.into() },
        end(State::Refused, &STAGES[..0], Some(evil)),
    ]
}

pub fn images(n: usize) -> Vec<Summary> {
    (1..=n).map(|i| put(&format!("image-{i:02}"), "v1.6.2", &format!("image {i}"))).collect()
}

pub fn step(kind: &'static str, actions: Vec<Summary>) -> StepState {
    StepState { kind, actions, unknown: Vec::new() }
}

pub fn stage(stage: &'static str, state: State, steps: Vec<StepState>) -> StageState {
    StageState { stage, state, commit: None, steps, wait: None, refusals: Vec::new(), notes: Vec::new() }
}

fn goal() -> Event {
    let images = images(43).into_iter().map(|image| (image.target, image.value)).collect();
    Event::Goal(Box::new(Goal {
        pipeline: "demo".into(),
        rc: "v1.6.2-rc.1".into(),
        stable: "v1.6.2".into(),
        rc_commit: commit("rc"),
        rc_artifact: digest("rc artifact"),
        base: "refs/heads/release-1.6".into(),
        staging: "release-1.6.2".into(),
        seal: digest("seal"),
        content_commit: commit("content"),
        diff_id: digest("tar"),
        images,
        changes: (1..=3).map(previews::change).collect(),
    }))
}

fn merge() -> StageState {
    let mut state = stage("wait", State::Waiting, vec![]);
    state.wait = Some(wait(
        "merge",
        "the staging branch release-1.6.2 is not merged into release-1.6 yet",
        &[
            "git fetch origin",
            "git checkout -B release-1.6 origin/release-1.6",
            "git merge --no-ff origin/release-1.6.2",
            "git push origin release-1.6",
        ],
    ));
    state
}

fn wait(on: &'static str, message: &str, commands: &[&str]) -> Wait {
    Wait { on, message: message.into(), commands: commands.iter().map(|&c| c.to_owned()).collect(), pull_request: None }
}

fn end(state: State, done: &[&'static str], next: Option<&str>) -> Event {
    let left = STAGES.into_iter().filter(|name| !done.contains(name)).collect();
    Event::End(End { state, done: done.to_vec(), left, next: next.map(str::to_owned) })
}

pub fn digest(of: &str) -> String {
    Digest::of(of.as_bytes()).to_string()
}

pub fn commit(of: &str) -> String {
    digest(of).chars().skip("sha256:".len()).take(40).collect()
}

fn summary(verb: &'static str, target: String, value: String, expects: Option<String>) -> Summary {
    Summary { verb, target, value, expects }
}

fn blob(of: &str, size: u64) -> Summary {
    summary("push-blob", format!("{REGISTRY}/packages"), format!("{} ({size} bytes)", digest(of)), None)
}

fn put(name: &str, tag: &str, of: &str) -> Summary {
    summary("put-manifest", format!("{REGISTRY}/{name}:{tag}"), digest(of), Some("absent".into()))
}

fn artifact() -> Summary {
    put("packages", "v1.6.2", "packages")
}

fn alias(name: &str) -> Summary {
    let target = format!("{REGISTRY}/{name}:latest");
    summary("put-manifest", target, digest(name), Some(digest(&format!("old {name}"))))
}

fn create(name: &str, of: &str) -> Summary {
    summary("create-ref", name.into(), commit(of), Some("absent".into()))
}

fn update(name: &str, from: &str, to: &str) -> Summary {
    summary("update-ref", name.into(), commit(to), Some(commit(from)))
}

fn create_branch() -> Summary {
    create("refs/heads/release-1.6.2", "content")
}

fn update_branch() -> Summary {
    update("refs/heads/release-1.6.2", "content", "pin")
}
