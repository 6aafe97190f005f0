//! The YAML span reader and the edit: whatever a file says, a rewrite replaces the planned spans and not
//! a byte besides, and a second one finds nothing to do.

use sealift::refs::{self, Declared, RewriteError, Spec};
use sealift::tree::MemTree;

const VALUES: &str = "packages/apps/shop/values.yaml";
const TEXT: &str = "packages/apps/shop/daemon.yml";

fn spec() -> Spec {
    Spec {
        root: "packages".into(),
        owned: vec!["registry.example/org/own".parse().unwrap()],
        artifact: "registry.example/org/own/packages".parse().unwrap(),
        pair: refs::Pair { url: "sourceUrl".into(), reference: "sourceRef".into() },
        tag_prefixes: vec!["v1.30-".into()],
        values: vec!["*/*/values.yaml".into()],
        tag_files: vec!["*/*/images/*.tag".into()],
        text: vec![Declared { path: "apps/shop/daemon.yml".into(), required: false }],
        gzip: Vec::new(),
        exclude: Vec::new(),
    }
}

/// The first byte says whether the rest is read as YAML or as text.
pub fn check(data: &[u8]) {
    let Some((kind, content)) = data.split_first() else { return };
    let path = if kind % 4 == 0 { TEXT } else { VALUES };
    let mut tree = MemTree::new("fuzzed");
    tree.put(path, 0o644, content);
    let (spec, rc) = (spec(), "2.3.0-rc.1".parse().unwrap());
    let _ = refs::census(&tree, &spec);
    let rewrite = match refs::rewrite(&tree, &spec, &rc) {
        Ok(rewrite) => rewrite,
        Err(RewriteError::References(_) | RewriteError::Edits(_) | RewriteError::Nothing { .. }) => return,
        // References to the candidate in places that a rewrite doesn't reach.
        Err(RewriteError::Survivors(problems)) => return assert!(!problems.is_empty()),
    };
    for file in &rewrite.files {
        assert_eq!((file.path.as_str(), file.before.as_slice()), (path, content));
        let mut wanted = Vec::new();
        let mut at = 0;
        for edit in &file.edits {
            wanted.extend_from_slice(&content[at..edit.span.start]);
            assert_eq!(&content[edit.span.clone()], edit.old.as_bytes(), "the span is what was read");
            wanted.extend_from_slice(edit.new.as_bytes());
            at = edit.span.end;
        }
        wanted.extend_from_slice(&content[at..]);
        assert_eq!(wanted, file.after, "nothing but the spans changed");
    }
    let mut again = MemTree::new("rewritten");
    again.put(path, 0o644, rewrite.files[0].after.as_slice());
    match refs::rewrite(&again, &spec, &rc) {
        Err(RewriteError::Nothing { stable, .. }) => assert!(stable > 0),
        other => panic!("a second rewrite: {other:?}"),
    }
}
