//! Real trees give exactly what is listed in `fixtures/lint`, each finding with a person's sentence that says why it
//! is right.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use sealift::refs::Spec;
use sealift::tree::DirTree;

use super::*;
use crate::refs::unpack;
use crate::support::world::shipped;

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn shipped_pipeline(name: &str) -> Pipeline {
    shipped().into_iter().find(|shipped| shipped.name == name).unwrap().pipeline
}

/// A tree with the gzip copies that its pipeline declares.
fn with_copies(tree: &dyn Tree, spec: &Spec) -> MemTree {
    let mut copy = MemTree::copy_of(tree).unwrap();
    for declared in &spec.gzip {
        let plain = copy.get(format!("{}/{}", spec.root, declared.plain).as_bytes()).unwrap().to_vec();
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(&plain).unwrap();
        copy.put(format!("{}/{}", spec.root, declared.path), 0o644, encoder.finish().unwrap());
    }
    copy
}

/// Compares with a list: rule, level, place, what is marked, and a sentence.
#[track_caller]
fn expect(name: &str, lint: &Lint) {
    let path = here("fixtures/lint").join(format!("{name}.tsv"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut expected: Vec<String> = Vec::new();
    for line in text.lines().skip(1) {
        let (finding, sentence) = line.rsplit_once('\t').unwrap();
        assert!(sentence.len() > 30 && sentence.ends_with('.'), "{name}: no sentence says why: {line}");
        expected.push(finding.replace('\t', " "));
    }
    expected.sort();
    assert_eq!(all(lint), expected, "{name}");
}

#[test]
fn the_real_tree_gives_what_a_person_can_justify() {
    let Some(data) = crate::support::reference_or_skip("cozystack-1.6.2") else { return };
    let pipeline = shipped_pipeline("cozystack");
    let candidate = lint_by(&pipeline, &unpack(&data.join("rc.tar.gz")), None);
    assert_eq!(candidate.version, Some("1.6.2-rc.1".parse().unwrap()));
    assert_eq!((candidate.verdict, candidate.references > 59), (Verdict::Failed, true));
    expect("cozystack-1.6.2", &candidate);
    // What was released has the same faults, at its own version.
    let stable = lint_by(&pipeline, &unpack(&data.join("pinned.tar.gz")), None);
    assert_eq!(stable.version, Some("1.6.2".parse().unwrap()));
    expect("cozystack-1.6.2", &stable);
}

#[test]
fn the_trees_of_the_shipped_pipelines_give_what_is_listed() {
    for name in ["cozystack", "minimal"] {
        let pipeline = shipped_pipeline(name);
        let tree = DirTree::open(here("fixtures/world").join(name)).unwrap();
        expect(&format!("world-{name}"), &lint_by(&pipeline, &with_copies(&tree, &pipeline.spec()), None));
    }
}

#[test]
fn the_tree_of_every_shape_gives_what_is_listed() {
    let text = "{path: system/net/templates/daemonset.yml, required: true}";
    let text = Text { text, gzip: "system/provider/files/components", ..Text::default() }.build();
    let pipeline = pipeline::parse("own.yaml", &text).unwrap();
    let tree = DirTree::open(here("fixtures/refs/tree")).unwrap();
    expect("refs-tree", &lint_by(&pipeline, &tree, None));
}
