//! What lint finds, one per way it can look.

use sealift::engine::event::Event;
use sealift::lint::{
    Control, Excerpt, Finding, Level, Lint, Looked, NotApplicable, Place, Related, Suppressed, Suppression, Verdict,
};
use sealift::model::Digest;

use super::REGISTRY;

/// A finding of every level, an excluded one, a known one, and every note there can be.
pub fn found() -> Vec<Event> {
    let mut collision = finding("tag-collision", Level::Error, &format!("2 digests want the name {REGISTRY}/a:v1.6.2"));
    collision.related = vec![related("packages/apps/b/values.yaml", 12), related("packages/apps/c/values.yaml", 3)];
    let unknown = Finding {
        place: whole("packages/apps/x/values.yaml"),
        ..finding("unreadable", Level::Unknown, "can't be read: Permission denied")
    };
    let suppressed = |by, reason: &str| Suppressed {
        by,
        reason: reason.to_owned(),
        finding: finding("stale-version", Level::Warning, "the mesh reads as 1.5.0"),
    };
    told(Lint {
        findings: vec![
            unknown,
            collision,
            finding("floating-tag", Level::Warning, "a:latest is pinned, but `latest` says nothing"),
            finding("vendored-owned", Level::Info, "an owned reference in a chart of upstream's"),
        ],
        suppressed: vec![
            suppressed(Suppression::Exclusion, "The mesh has versions of its own."),
            suppressed(Suppression::Baseline, "it was there when the baseline was written"),
        ],
        not_applicable: vec![NotApplicable { rule: "bare-tag", why: "there is nothing to go by".into() }],
        left_over: vec!["baseline: bare-tag in packages/apps/y/values.yaml:3 is gone".into()],
        registry: Some(looked(&format!("{REGISTRY}/a:v1.6.2-rc.1"), "nothing answers there")),
        notes: vec!["packages/apps/z.yml: declared, and not in the tree (take it out of the pipeline)".into()],
        ..clean_lint()
    })
}

/// Nothing at all.
pub fn clean() -> Vec<Event> {
    told(clean_lint())
}

/// Everything that comes from a tree does its worst.
pub fn hostile() -> Vec<Event> {
    let evil = "a|b `c` @team #1 [x](y) <script>alert(1)</script></details>\n::error::x ##[set-env name=x]y \u{1b}[2J\u{202e}z";
    let excerpt = || Some(Excerpt { before: evil.into(), marked: evil.into(), after: evil.into() });
    let place = |line| Place {
        file: evil.into(),
        line,
        column: line,
        end_column: line + 1,
        span: Some(0..1),
        excerpt: excerpt(),
    };
    let one = |level, line| Finding {
        place: place(line),
        related: vec![Related { place: place(7), message: evil.into() }],
        hint: evil.into(),
        ..finding("malformed-reference", level, evil)
    };
    let file_alone =
        Finding { place: whole(&format!("::error::{evil}")), ..finding("unreadable", Level::Unknown, evil) };
    told(Lint {
        findings: vec![file_alone, one(Level::Error, 3), one(Level::Warning, 4), one(Level::Info, 5)],
        suppressed: vec![Suppressed { by: Suppression::Exclusion, reason: evil.into(), finding: one(Level::Error, 6) }],
        not_applicable: vec![NotApplicable { rule: "bare-tag", why: evil.into() }],
        left_over: vec![evil.into()],
        registry: Some(looked(evil, evil)),
        notes: vec![evil.into()],
        tree: evil.into(),
        ..clean_lint()
    })
}

/// A host with a control, and one without.
fn looked(reference: &str, why: &str) -> Looked {
    let control = Control {
        host: "registry.example".into(),
        third_party: false,
        named: false,
        reference: Some(reference.to_owned()),
        digest: Some(Digest::of(b"control")),
        why: None,
    };
    let none = Control {
        host: "quay.io".into(),
        third_party: true,
        reference: None,
        digest: None,
        why: Some(why.to_owned()),
        ..control.clone()
    };
    Looked { tags: 40, digests: 1, manifests: 80, repositories: 38, unnamed: 0, controls: vec![control, none] }
}

fn told(lint: Lint) -> Vec<Event> {
    let any = |level| lint.findings.iter().any(|finding| finding.level == level);
    let verdict = match () {
        () if any(Level::Error) => Verdict::Failed,
        () if any(Level::Unknown) => Verdict::Unknown,
        () => Verdict::Clean,
    };
    vec![Event::Lint(Box::new(Lint { verdict, ..lint }))]
}

fn clean_lint() -> Lint {
    Lint {
        verdict: Verdict::Clean,
        tree: ".".into(),
        version: Some("1.6.2-rc.1".parse().unwrap()),
        version_asked: false,
        fail_on: Level::Error,
        findings: Vec::new(),
        suppressed: Vec::new(),
        not_applicable: Vec::new(),
        registry: None,
        left_over: Vec::new(),
        notes: Vec::new(),
        files: 13,
        references: 59,
    }
}

fn finding(rule: &'static str, level: Level, message: &str) -> Finding {
    Finding {
        rule,
        level,
        message: message.to_owned(),
        place: at("packages/apps/a/values.yaml", 3),
        related: Vec::new(),
        hint: "do this".to_owned(),
        fingerprint: Digest::of(rule.as_bytes()),
    }
}

fn at(file: &str, line: usize) -> Place {
    let (before, marked, after) = (format!("  image: {REGISTRY}/ä:"), "latest".to_owned(), "@sha256:…".to_owned());
    let column = before.chars().count() + 1;
    let span = Some(before.len()..before.len() + marked.len());
    let end_column = column + marked.len();
    Place { file: file.to_owned(), line, column, end_column, span, excerpt: Some(Excerpt { before, marked, after }) }
}

fn whole(file: &str) -> Place {
    Place { file: file.to_owned(), line: 0, column: 0, end_column: 0, span: None, excerpt: None }
}

fn related(file: &str, line: usize) -> Related {
    Related { place: at(file, line), message: Digest::of(file.as_bytes()).to_string() }
}
