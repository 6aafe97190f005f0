//! A real promotion: what must be found, and what rewrite and pin must leave.

use std::collections::BTreeSet;
use std::time::Instant;

use sealift::refs::{self, Rewrite};
use sealift::tree::{Edited, MemTree, Tree as _};

use super::{cozystack, row, shared, unpack};

fn after(tree: &MemTree, edits: &[refs::FileEdit]) -> MemTree {
    let files = edits.iter().map(|edit| (edit.path.clone().into_bytes(), edit.after.clone()));
    MemTree::copy_of(&Edited::new(tree, files)).unwrap()
}

fn assert_same(found: &MemTree, expected: &MemTree) {
    assert_eq!(found.entries().unwrap(), expected.entries().unwrap());
    for entry in found.entries().unwrap() {
        assert_eq!(found.get(&entry.path), expected.get(&entry.path), "{}", entry.path.escape_ascii());
    }
}

fn rewritten(tree: &MemTree) -> Rewrite {
    refs::rewrite(tree, &cozystack(), &"v1.6.2-rc.1".parse().unwrap()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn finds_exactly_what_is_expected() {
    let Some(data) = shared() else { return };
    let tree = unpack(&data.join("rc.tar.gz"));
    let start = Instant::now();
    let found = refs::read(&tree, &cozystack(), Some(&"1.6.2-rc.1".parse().unwrap())).unwrap();
    eprintln!("read in {:?}", start.elapsed());
    let expected = std::fs::read_to_string(data.join("expected-refs.tsv")).unwrap();
    let expected: BTreeSet<String> = expected.lines().skip(1).map(str::to_owned).collect();
    let rows: Vec<String> = found.occurrences.iter().filter(|found| found.copy_of.is_none()).map(row).collect();
    let set: BTreeSet<String> = rows.iter().cloned().collect();
    let missing: Vec<_> = expected.difference(&set).collect();
    let extra: Vec<_> = set.difference(&expected).collect();
    assert!(missing.is_empty() && extra.is_empty(), "missing {missing:#?}\nextra {extra:#?}");
    assert_eq!(rows.len(), set.len());
    let copies: Vec<_> = found.occurrences.iter().filter(|found| found.copy_of.is_some()).collect();
    assert_eq!(copies.len(), 1);
    assert_eq!(copies[0].key, "line 16295");
    // The artifact is packed without the copy's source.
    let notices: Vec<_> = found.notices.iter().map(|notice| (notice.kind, notice.line)).collect();
    assert_eq!(notices, [(refs::ProblemKind::StaleCopy, 0)]);
    // Without the release candidate the classes are the same: it is the prevailing version.
    let inferred = refs::read(&tree, &cozystack(), None).unwrap();
    assert_eq!(inferred.occurrences, found.occurrences);
}

#[test]
fn every_span_is_where_the_file_says_it() {
    let Some(data) = shared() else { return };
    let tree = unpack(&data.join("rc.tar.gz"));
    for found in refs::read(&tree, &cozystack(), None).unwrap().occurrences {
        if found.copy_of.is_some() {
            continue;
        }
        let bytes = tree.read(found.file.as_bytes()).unwrap();
        let text = |span: &Option<std::ops::Range<usize>>| {
            span.clone().map(|span| String::from_utf8(bytes[span].to_vec()).unwrap())
        };
        assert_eq!(text(&found.spans.tag), found.tag.map(|tag| tag.to_string()));
        assert_eq!(text(&found.spans.digest), found.digest.map(|digest| digest.to_string()));
        let whole = found.repository.map(|repository| repository.to_string());
        let name = text(&found.spans.name);
        assert!(name.is_none() == whole.is_none() && whole.unwrap_or_default().ends_with(&name.unwrap_or_default()));
    }
}

#[test]
fn the_census_of_the_real_tree_is_complete() {
    let Some(data) = shared() else { return };
    let tree = unpack(&data.join("rc.tar.gz"));
    let start = Instant::now();
    let census = refs::census(&tree, &cozystack()).unwrap_or_else(|error| panic!("{error}"));
    eprintln!("census in {:?}", start.elapsed());
    assert_eq!(census.claimed, 59);
    assert!(census.excluded.is_empty() && census.unused.is_empty());
}

#[test]
fn rewrite_and_pin_give_the_real_trees() {
    let Some(data) = shared() else { return };
    let tree = unpack(&data.join("rc.tar.gz"));
    let start = Instant::now();
    let rewrite = rewritten(&tree);
    eprintln!("rewrite in {:?}", start.elapsed());
    assert_eq!((rewrite.files.len(), rewrite.lines()), (35, 41));
    let stable = after(&tree, &rewrite.files);
    assert_same(&stable, &unpack(&data.join("stable.tar.gz")));

    let (spec, file) = (cozystack(), "packages/core/installer/values.yaml");
    let pinned = unpack(&data.join("pinned.tar.gz"));
    let (repository, digest) = refs::pinned(&pinned, &spec, file).unwrap();
    let pin = refs::pin(&stable, &spec, file, &repository, &digest).unwrap();
    assert_same(&after(&stable, std::slice::from_ref(&pin)), &pinned);
    let normalised = |bytes: &[u8]| refs::normalise_pin(bytes, &spec.pair).unwrap();
    assert_eq!(normalised(&pin.before), normalised(&pin.after));

    // A rewritten tree has nothing left to rewrite, and says so.
    let again = refs::rewrite(&stable, &spec, &rewrite.rc);
    assert!(matches!(again, Err(refs::RewriteError::Nothing { stable: 41, .. })), "{again:?}");
}
