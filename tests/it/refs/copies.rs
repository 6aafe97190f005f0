//! What only a gzip copy refers to: it would ship, and nobody would have proven it or given it a name.

use std::io::Write as _;

use sealift::promotion::survey::{FaultKind, survey};
use sealift::refs::{GzipCopy, Spec};
use sealift::tree::MemTree;

use super::own;

fn packed(text: &str) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(text.as_bytes()).unwrap();
    gzip.finish().unwrap()
}

fn image(digit: char) -> String {
    format!("a: registry.example/org/own/a:v2.3.0-rc.1@sha256:{}\n", digit.to_string().repeat(64))
}

#[test]
fn what_a_copy_alone_refers_to_is_refused() {
    let declared = GzipCopy { path: "a/b/x.gz".into(), plain: "a/b/x.yaml".into(), required: true };
    let spec = Spec { gzip: vec![declared], text: Vec::new(), ..own() };
    let (a, b) = (image('1'), image('2'));
    let unpinned = "a: registry.example/org/own/a:v2.3.0-rc.1\n".to_owned();
    let cases = [(&a, Some(&a), 0), (&a, None, 0), (&b, Some(&a), 1), (&b, None, 1), (&unpinned, None, 1)];
    for (copy, plain, faults) in cases {
        let mut tree = MemTree::new("test");
        // The image is pinned elsewhere, too.
        tree.put("packages/a/b/values.yaml", 0o644, a.as_str()).put("packages/a/b/x.gz", 0o644, packed(copy));
        plain.map(|plain| tree.put("packages/a/b/x.yaml", 0o644, plain.as_str()));
        let found = survey(&tree, &spec, Some(&"2.3.0-rc.1".parse().unwrap()));
        let kinds: Vec<FaultKind> = found.faults.iter().map(|fault| fault.kind).collect();
        assert_eq!(kinds, vec![FaultKind::Copy; faults], "{:#?}", found.faults);
        assert_eq!(found.images.len(), 1);
    }
}
