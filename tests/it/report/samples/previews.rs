//! Previews, one per way they can look.

use sealift::engine::event::{Event, State};
use sealift::model::{Code, Refusal, Unknown};
use sealift::preview::{
    Artifact, Change, Destination, Finding, Kind, Level, Outlook, Preview, PullRequest, Source, Standing, Subject,
    Topic, Version,
};
use sealift::refs::Edit;

use super::{REGISTRY, commit, digest, goal, merge, stage};

/// An ordinary change whose tree carries one candidate.
pub fn clean() -> Vec<Event> {
    let images = (1..=14).map(|n| destination(Kind::Image, &format!("{REGISTRY}/image-{n:02}:v1.6.2"), Standing::Free));
    let mut preview = of(Subject { tree: tree(), ..subject("fix: a typo", "typo") });
    preview.version = version(Source::Tree);
    preview.carried = vec!["v1.6.2-rc.1".into()];
    preview.changes = (1..=14).map(change).collect();
    preview.destinations = images.chain(others()).collect();
    preview.artifact = artifact(None);
    preview.notes = vec!["12 third-party references are not looked up: a promotion never touches them".into()];
    told(preview)
}

/// Everything that can be at fault, and a destination in every state.
pub fn refused() -> Vec<Event> {
    let refusal = |text: &str, place: &str| Refusal::new(Code::Unknown, text).at([place]).hint("do this");
    let refused = |topic, text: &str, place: &str| Finding::refused(topic, refusal(text, place));
    let mut preview = of(Subject { tree: tree(), ..subject("feat: more images", "more") });
    preview.version = version(Source::Asked);
    preview.findings = vec![
        Finding::warning(Topic::Conflict, refusal("it can't be merged as it is", "packages/apps/a/values.yaml")),
        Finding::warning(
            Topic::Unpublished,
            refusal("image-01:v1.6.2-rc.1 is not published", "packages/apps/a/values.yaml:3"),
        ),
        Finding::unknown(Topic::Name, Unknown::new(format!("{REGISTRY}/image-04:v1.6.2"), "").with_status(429)),
        refused(Topic::Name, "v1.6.2 is spent", "packages/apps/a/values.yaml:3"),
        refused(Topic::Unclaimed, "a digest that no shape claims", "packages/apps/a/values.yaml:7:12"),
        refused(Topic::Survivor, "a reference to a release candidate survives", "packages/apps/a/notes.txt:1:1"),
        refused(Topic::Unpullable, "image-05 can't be pulled: it is not there", "packages/apps/e/values.yaml:3"),
        Finding::refused(
            Topic::Collision,
            Refusal::new(Code::TagCollision, format!("2 digests want the name {REGISTRY}/image-06:v1.6.2"))
                .at([
                    format!("packages/apps/f/values.yaml:3: {}", digest("f")),
                    format!("packages/apps/g/values.yaml:9: {}", digest("g")),
                ])
                .hint("stamp one digest"),
        ),
    ];
    let standings = [
        Standing::Free,
        Standing::Right,
        Standing::Taken { found: digest("other") },
        Standing::Unknown { why: "the server answered 429".into() },
        Standing::Unpullable,
    ];
    let image = |(n, standing)| destination(Kind::Image, &format!("{REGISTRY}/image-{:02}:v1.6.2", n + 1), standing);
    preview.destinations = standings.into_iter().enumerate().map(image).chain(others()).collect();
    preview.changes = vec![change(1)];
    preview.artifact = artifact(None);
    told(preview)
}

/// The release's own pull request.
pub fn release() -> Vec<Event> {
    let tree = "the staging branch release-1.6.2, to be merged into release-1.6".to_owned();
    let mut preview = of(Subject { tree, ..subject("Release v1.6.2", "release-1.6.2") });
    preview.version = version(Source::Release);
    preview.changes = (1..=3).map(change).collect();
    preview.destinations = vec![destination(Kind::Image, &format!("{REGISTRY}/image-01:v1.6.2"), Standing::Free)];
    preview.artifact = artifact(Some("pinned"));
    preview.outlook = Outlook::Refused;
    let mut verify = stage("verify", State::Refused, vec![]);
    verify.refusals = vec![
        Refusal::new(Code::NotProven, "the candidate is not proven by the prospective merge")
            .at(["core/x: differs (rule 1)"]),
    ];
    let stages = [stage("gate", State::Holds, vec![]), merge(), verify];
    [Event::Preview(Box::new(preview)), goal()].into_iter().chain(stages.map(Event::Stage)).collect()
}

/// What a pull request's author can write, everywhere.
pub fn hostile() -> Vec<Event> {
    let evil = "a|b `c` @team #1 [x](y) <script>alert(1)</script></details>\n::error::x ##[set-env name=x]y \u{1b}[2J\u{202e}z";
    let mut preview = of(Subject { tree: evil.into(), conflicts: vec![evil.into()], ..subject(evil, evil) });
    preview.version = version(Source::Tree);
    preview.carried = vec![evil.into()];
    let levels = [Level::Refusal, Level::Unknown, Level::Warning];
    let refusal = || {
        Refusal::new(Code::Unknown, evil).at([
            evil.to_owned(),
            format!("packages/{evil}/values.yaml:3:1"),
            format!("{evil}:7: {evil}"),
        ])
    };
    preview.findings =
        levels.map(|level| Finding { level, topic: Topic::Unclaimed, refusal: refusal().hint(evil) }).into();
    preview.changes = vec![Change { file: evil.into(), edits: vec![edit(1, evil, evil)] }];
    preview.destinations = vec![
        destination(Kind::Image, evil, Standing::Taken { found: evil.into() }),
        destination(Kind::Image, evil, Standing::Unknown { why: evil.into() }),
        destination(Kind::GitTag, evil, Standing::Free),
    ];
    preview.artifact = Some(Artifact { repository: evil.into(), ..artifact(None).unwrap() });
    preview.notes = vec![evil.into()];
    told(preview)
}

/// Thousands of files, names and faults, with long words.
pub fn huge(n: usize) -> Vec<Event> {
    let mut preview = of(subject(&"long ".repeat(50), "huge"));
    preview.version = version(Source::Tree);
    let long = "x".repeat(5_000);
    let refusal = |n: usize| {
        Refusal::new(Code::Unknown, format!("{n} {long}"))
            .at((0..40).map(|place| format!("{long}:{place}")))
            .hint(&long)
    };
    preview.findings = (0..n).map(|n| Finding::refused(Topic::Unclaimed, refusal(n))).collect();
    preview.changes = (0..n).map(change).collect();
    let image = |n| destination(Kind::Image, &format!("{REGISTRY}/image-{n}:v1.6.2"), Standing::Free);
    preview.destinations = (0..n).map(image).collect();
    preview.notes = (0..n).map(|n| format!("{n} {long}")).collect();
    told(preview)
}

pub fn change(n: usize) -> Change {
    let edits = vec![edit(3, "v1.6.2-rc.1", "v1.6.2"), edit(9, "v1.30-v1.6.2-rc.1", "v1.30-v1.6.2")];
    Change { file: format!("packages/apps/app-{n:02}/values.yaml"), edits }
}

fn told(preview: Preview) -> Vec<Event> {
    vec![Event::Preview(Box::new(preview.judged()))]
}

fn of(subject: Subject) -> Preview {
    Preview::of(subject)
}

fn tree() -> String {
    format!("the prospective merge of {} into main at {}", commit("head"), commit("base"))
}

fn subject(title: &str, head: &str) -> Subject {
    let pull = PullRequest {
        number: 7,
        url: "https://github.com/acme/demo/pull/7".into(),
        title: title.into(),
        head: head.into(),
        head_commit: commit("head"),
        fork: head != "release-1.6.2",
        base: "main".into(),
        base_commit: commit("base"),
    };
    Subject { pull: Some(pull), tree: String::new(), conflicts: Vec::new() }
}

fn version(source: Source) -> Option<Version> {
    Some(Version { rc: Some("v1.6.2-rc.1".into()), stable: "v1.6.2".into(), source })
}

fn edit(line: usize, old: &str, new: &str) -> Edit {
    Edit { line, column: 8, key: "image.tag".into(), old: old.into(), new: new.into(), span: 0..0 }
}

fn artifact(pinned: Option<&str>) -> Option<Artifact> {
    let layer = pinned.is_none().then(|| digest("layer").parse().unwrap());
    let digest_of = |name: &str| digest(name).parse().unwrap();
    let repository = format!("{REGISTRY}/packages");
    Some(Artifact { repository, diff_id: digest_of("tar"), layer, digest: pinned.map(digest_of) })
}

fn destination(kind: Kind, name: &str, standing: Standing) -> Destination {
    let value = (kind == Kind::Image).then(|| digest(name));
    Destination { kind, name: name.into(), value, sources: Vec::new(), standing }
}

fn others() -> Vec<Destination> {
    vec![
        destination(Kind::Artifact, &format!("{REGISTRY}/packages:v1.6.2"), Standing::Free),
        destination(Kind::Chart, &format!("{REGISTRY}/installer:1.6.2"), Standing::Free),
        destination(Kind::GitTag, "refs/tags/v1.6.2", Standing::Free),
        destination(Kind::Line, "refs/heads/release-1.6", Standing::Follows),
    ]
}
