//! Pipeline files: the ones that ship are good, and each bad one is refused with exactly its message.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use sealift::pipeline::{self, EvidenceEvent, Forge, Pipeline, PipelineError, RcTag, Rest};
use serde_json::Value;

use crate::support::json_schema;

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The YAML files of a folder, by name; at least one.
fn files(folder: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(here(folder))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "yaml"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{folder} holds no pipelines");
    files
}

fn good(path: &str) -> Pipeline {
    pipeline::load(&here(path)).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn shipped_pipelines_are_good_and_named_after_their_file() {
    for path in files("pipelines") {
        let pipeline = pipeline::load(&path).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(Some(pipeline.name.as_str()), path.file_stem().and_then(|stem| stem.to_str()));
    }
}

#[test]
fn good_fixtures_are_good() {
    for path in files("fixtures/pipelines/good") {
        pipeline::load(&path).unwrap_or_else(|error| panic!("{error}"));
    }
}

/// Each `bad/NAME.yaml` has its whole message in `bad/NAME.txt`: wording, line and column are held.
/// `SEALIFT_BLESS=1` writes them anew; read the difference before you commit it.
#[test]
fn bad_pipelines_are_refused_with_their_message() {
    let bless = std::env::var_os("SEALIFT_BLESS").is_some();
    let mut differences = Vec::new();
    for path in files("fixtures/pipelines/bad") {
        let name = path.file_name().unwrap().to_str().unwrap();
        let text = fs::read(&path).unwrap();
        let error = match pipeline::load(&path) {
            Ok(_) => panic!("{name} was accepted"),
            Err(error) => error,
        };
        let PipelineError::Invalid { problems } = &error else { panic!("{name}: {error}") };
        assert!(!problems.is_empty(), "{name}: refused without a problem");
        for problem in problems {
            let lines = text.split(|&byte| byte == b'\n').count();
            assert!((1..=lines).contains(&problem.line), "{name}: line {} of {lines}", problem.line);
        }
        let message = error.to_string().replace(path.to_str().unwrap(), name) + "\n";
        let expected = path.with_extension("txt");
        if bless {
            fs::write(&expected, &message).unwrap();
        } else if fs::read_to_string(&expected).ok().as_deref() != Some(&message) {
            differences.push(format!("{} should be:\n{message}", expected.display()));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn every_message_belongs_to_a_bad_pipeline() {
    let files = fs::read_dir(here("fixtures/pipelines/bad")).unwrap();
    for path in files.map(|entry| entry.unwrap().path()).filter(|path| path.extension().is_some_and(|e| e == "txt")) {
        assert!(path.with_extension("yaml").exists(), "{} has no pipeline", path.display());
    }
}

#[test]
fn messages_say_what_is_expected() {
    for path in files("fixtures/pipelines/bad") {
        let Err(PipelineError::Invalid { problems }) = pipeline::load(&path) else { panic!("{}", path.display()) };
        for problem in problems {
            let hint = ["expected", "write", "keep one", "delete the key", "missing key", "leave", "not YAML"];
            assert!(hint.iter().any(|word| problem.message.contains(word)), "{problem}");
        }
    }
}

#[test]
fn a_secret_in_an_address_is_never_shown() {
    let path = here("fixtures/pipelines/bad/credentials.yaml");
    assert!(fs::read_to_string(&path).unwrap().contains("hunter2"));
    assert!(!pipeline::load(&path).unwrap_err().to_string().contains("hunter2"));
}

#[test]
fn an_unreadable_file_is_named() {
    let error = pipeline::load(&here("pipelines/absent.yaml")).unwrap_err();
    assert!(matches!(&error, PipelineError::Read { .. }));
    assert!(error.to_string().contains("pipelines/absent.yaml"), "{error}");
}

#[test]
fn the_minimal_pipeline_gets_the_defaults() {
    let pipeline = good("pipelines/minimal.yaml");
    let rc = "1.6.2-rc.3".parse().unwrap();
    assert_eq!(pipeline.branches.rc.rc(&rc), "release-1.6.2-rc.3");
    assert_eq!(pipeline.branches.staging.rc(&rc), "release-1.6.2");
    assert_eq!(pipeline.branches.line.rc(&rc), "release-1.6");
    assert_eq!(pipeline.tags.stable.rc(&rc), "v1.6.2");
    assert_eq!(pipeline.artifact.rc_tag, RcTag::Required);
    assert_eq!(pipeline.verify.rest, Rest::Refuse);
    assert_eq!(pipeline.artifact.modes.0, sealift::archive::Modes::default());
    assert!(pipeline.allowed_paths.is_empty() && pipeline.chart.is_none() && pipeline.stages.is_none());
    assert_eq!(pipeline.spec().values, ["*/*/values.yaml"]);
    assert_eq!(pipeline.forge, Forge::Git);
    assert_eq!(pipeline.github(), None);
    assert!(pipeline.evidence.is_empty() && pipeline.proposal.is_none() && pipeline.release.assets.is_empty());
}

#[test]
fn the_keys_for_github_are_read() {
    let pipeline = good("fixtures/pipelines/good/full.yaml");
    let repository = pipeline.github().unwrap();
    assert_eq!((repository.host.as_str(), repository.to_string()), ("git.example.org", "shop/platform".into()));

    let rc = "1.6.2-rc.3".parse().unwrap();
    let [push, dispatch] = &pipeline.evidence[..] else { panic!("{:?}", pipeline.evidence) };
    assert_eq!((push.event, dispatch.event), (EvidenceEvent::Push, EvidenceEvent::WorkflowDispatch));
    assert!(push.names_job(&rc, "E2E 1.6.2-rc.3") && !push.names_job(&rc, "E2E 1.6.2 no. 3"));
    assert!(dispatch.names_job(&rc, "All / E2E 1.6.2 no. 3"));
    assert!(dispatch.trusts_branch("trunk") && !dispatch.trusts_branch("trunk/x") && !push.trusts_branch("trunk"));

    let proposal = pipeline.proposal.unwrap();
    assert!(proposal.label == "promotion" && proposal.checks_by_hand && proposal.is_author("shop-ci[bot]"));
    let release = pipeline.release;
    assert_eq!(release.changelog.unwrap().rc(&rc), "docs/changelogs/v1.6.2.md");
    assert_eq!(release.assets.copied, ["checksums.txt"]);
    assert!(release.assets.is_built("shopctl-arm64.tar.gz") && !release.assets.is_built("checksums.txt"));
    assert_eq!(release.starts.as_deref(), Some("tags.yaml"));
}

#[test]
fn shorthands_have_two_forms() {
    let pipeline = good("fixtures/pipelines/good/full.yaml");
    assert_eq!(pipeline.artifact.rc_tag, RcTag::Optional("Candidates before 1.4 were published without a tag.".into()));
    assert_eq!(pipeline.verify.rest, Rest::Report("The documentation moves on its own.".into()));
    let modes = sealift::archive::Modes::Fixed { file: 0o664, executable: 0o775, directory: 0o775 };
    assert_eq!(pipeline.artifact.modes.0, modes);
    assert_eq!(good("fixtures/pipelines/good/as-is.yaml").artifact.modes.0, sealift::archive::Modes::AsIs);
    assert_eq!(pipeline.stages.unwrap().0, pipeline::STAGES);
}

#[test]
fn people_may_change_allowed_paths_outside_the_root_only() {
    let pipeline = good("pipelines/cozystack.yaml");
    for (path, expected) in [
        ("docs/changelogs/v1.6.2.md", true),
        ("docs/changelogs/next/v1.md", true),
        ("docs/README.md", false),
        ("packages/docs/changelogs/x.md", false),
        ("packages", false),
        ("README.md", false),
    ] {
        assert_eq!(pipeline.is_allowed(path.as_bytes()), expected, "{path}");
    }
    assert!(pipeline.is_below_root(b"packages/a") && !pipeline.is_below_root(b"packages-old/a"));
    assert!(pipeline.is_rc_only(b"core/installer/images/build.log"));
    assert!(!pipeline.is_rc_only(b"core/installer/images/a/build.log"));
    assert!(!pipeline.is_rc_only(b"core/installer/values.yaml"));
}

/// What the schema says against a file: each line begins with a place.
fn against(path: &Path) -> Vec<String> {
    let schema: Value = serde_json::from_str(pipeline::SCHEMA).unwrap();
    let text = fs::read_to_string(path).unwrap();
    let value: Value = serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    json_schema::check(&schema, &value)
}

#[test]
fn the_schema_takes_every_good_pipeline() {
    for path in files("pipelines").into_iter().chain(files("fixtures/pipelines/good")) {
        assert_eq!(against(&path), Vec::<String>::new(), "{}", path.display());
    }
    for path in files("pipelines") {
        let first = fs::read_to_string(&path).unwrap().lines().next().unwrap_or_default().to_owned();
        assert_eq!(first, "# yaml-language-server: $schema=./schema.json", "{}", path.display());
    }
}

/// Of the fixtures what no schema sees, since it is about the text and not about what the text says.
const ABOUT_THE_TEXT: [&str; 11] = [
    "anchor",
    "byte-order-mark",
    "complex-key",
    "duplicate-key",
    "merge-key",
    "not-utf8",
    "not-yaml",
    "rc-tag-yaml-tag",
    "tab",
    "two-documents",
    "yaml-tag",
];

/// Faults that lie between keys, or are beyond a pattern: the fixture and the key.
const BETWEEN_KEYS: [(&str, &str); 28] = [
    ("allowed-paths", "allowed_paths[0]"),
    ("allowed-paths", "allowed_paths[1]"),
    ("allowed-paths", "allowed_paths[3]"),
    ("allowed-paths", "allowed_paths[4]"),
    ("allowed-paths", "allowed_paths[5]"),
    ("artifact-not-owned", "artifact.repository"),
    ("artifact-not-owned", "chart.repository"),
    ("chart-is-artifact", "chart.repository"),
    ("github-between", "evidence[0].job"),
    ("github-between", "release.changelog"),
    ("github-between", "release.assets.copied[1]"),
    ("globs", "allowed_paths[0]"),
    ("gzip-itself", "references.gzip[0].plain"),
    ("installer-keys", "installer.values"),
    ("installer-keys", "installer.ref_key"),
    ("lint-exclusions", "lint.exclude[0].path"),
    ("names-coincide", "branches.staging"),
    ("names-coincide", "branches.default"),
    ("names-coincide", "tags.stable"),
    ("names-coincide", "tags.rc"),
    ("names-nest", "branches.staging"),
    ("names-nest", "branches.line"),
    ("overlay", "overlay.skip[0].path"),
    ("producers-between", "producers[0].file"),
    ("producers-between", "producers[3].file"),
    ("rc-only", "references.exclude[0].path"),
    ("rc-only", "artifact.rc_only[0]"),
    ("rc-only", "artifact.rc_only[1]"),
];

#[test]
fn the_schema_refuses_what_a_schema_can() {
    let mut unseen = Vec::new();
    for path in files("fixtures/pipelines/bad") {
        let name = path.file_stem().unwrap().to_str().unwrap();
        if ABOUT_THE_TEXT.contains(&name) {
            continue;
        }
        let wrong = against(&path);
        let wrong: Vec<String> =
            wrong.iter().map(|line| line.split_once(": ").map_or("", |(at, _)| at).replace('.', "/")).collect();
        let Err(PipelineError::Invalid { problems }) = pipeline::load(&path) else { panic!("{name}") };
        for problem in problems {
            let key = problem.message.split_once(": ").map_or("", |(key, _)| key);
            let key = if key.contains([' ', '`']) { "" } else { key };
            let place = format!("/{}", key.replace('[', "/").replace(']', "").replace('.', "/"));
            // What `forge` asks for is missed at the top.
            let place = if place == "/forge" { "/" } else { place.as_str() };
            let seen = wrong.iter().any(|at| at.starts_with(place) || place.starts_with(&format!("{at}/")));
            if !seen {
                unseen.push((name.to_owned(), key.to_owned()));
            }
        }
    }
    let unseen: Vec<(&str, &str)> = unseen.iter().map(|(name, key)| (name.as_str(), key.as_str())).collect();
    assert_eq!(unseen, BETWEEN_KEYS);
}

const FULL: &str = include_str!("../../fixtures/pipelines/good/full.yaml");

proptest! {
    /// Whatever a hand slips into a file, the answer is a pipeline or problems at places in it.
    #[test]
    fn any_change_to_a_file_is_judged(
        cut in 0..FULL.len(),
        length in 0_usize..40,
        slip in "[-a-z0-9 {}\\[\\]:,*&!|>'\"#\n\t/.~ß\u{0}]{0,6}",
    ) {
        let boundary = |at: usize| (at.min(FULL.len())..=FULL.len()).find(|&at| FULL.is_char_boundary(at)).unwrap();
        let (start, end) = (boundary(cut), boundary(cut + length));
        let text = [&FULL[..start], &slip, &FULL[end..]].concat();
        if let Err(error) = pipeline::parse("full.yaml", &text) {
            let PipelineError::Invalid { problems } = &error else { panic!("{error}") };
            prop_assert!(!problems.is_empty());
            for problem in problems {
                let line = text.split('\n').nth(problem.line - 1);
                prop_assert!(line.is_some_and(|line| problem.column <= line.chars().count() + 1), "{}", problem);
            }
        }
    }
}
