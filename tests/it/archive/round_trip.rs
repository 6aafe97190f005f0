//! Whatever tree goes in comes out again.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use sealift::archive::{self, Ignore, Limits, Modes, Options};
use sealift::model::{Descriptor, Digest};
use sealift::tree::{Entry, Kind, Tree as _};

use super::trees::{Made, bytes};

fn name() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![
        6 => proptest::sample::select(b"abz.- _~\"'\n".to_vec()),
        1 => 0x80..=0xffu8,
    ];
    let length = prop_oneof![4 => 1..6usize, 1 => 90..160usize];
    length
        .prop_flat_map(move |n| vec(byte.clone(), n))
        .prop_filter("not a name, or one Flux can't pull", |n| n != b"." && !n.ends_with(b".."))
}

fn tree() -> impl Strategy<Value = Made> {
    let node = (any::<bool>(), 0..0o10000u32, vec(any::<u8>(), 0..1500));
    btree_map(vec(name(), 1..4), node, 0..12).prop_map(|nodes| {
        let mut tree = Made::default();
        for (names, (is_file, mode, content)) in nodes {
            for depth in 1..names.len() {
                let above = names[..depth].join(&b'/');
                tree.nodes.insert(above, (Kind::Directory, 0o755, Vec::new()));
            }
            let path = names.join(&b'/');
            if tree.nodes.contains_key(&path) {
                continue;
            }
            tree = if is_file { tree.put(path, mode, content) } else { tree.dir(path, mode) };
        }
        tree
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn a_tree_comes_back(tree in tree()) {
        let dir = tempfile::tempdir().unwrap();
        let options = Options { modes: Modes::AsIs, ignore: Ignore::new::<&str>([]), ..Options::default() };
        let artifact = archive::build(&tree, &options, dir.path()).unwrap();
        let (config, layer) = (bytes(&artifact.config), bytes(&artifact.layer));
        let read = archive::read(&artifact.manifest, &config, &layer, &Limits::default()).unwrap();
        prop_assert_eq!(read.diff_id(), artifact.diff_id);
        let mut expected: Vec<Entry> = tree.entries().unwrap();
        expected.sort_by(|a, b| sealift::tree::order(&a.path, &b.path));
        prop_assert_eq!(read.entries().unwrap(), expected.clone());
        for entry in expected.iter().filter(|e| e.kind == Kind::File) {
            prop_assert_eq!(read.read(&entry.path).unwrap(), tree.read(&entry.path).unwrap());
        }
        // What was read can be archived again, to the same bytes.
        prop_assert_eq!(archive::diff_id(&read, &options).unwrap(), artifact.diff_id);
    }

    /// Spoiled bytes are refused or read as something clean; they never bring the reader down.
    #[test]
    fn spoiled_bytes_do_no_harm(tree in tree(), at in any::<proptest::sample::Index>(), to in any::<u8>()) {
        let dir = tempfile::tempdir().unwrap();
        let artifact = archive::build(&tree, &Options::default(), dir.path()).unwrap();
        let mut content = Vec::new();
        GzDecoder::new(bytes(&artifact.layer).as_slice()).read_to_end(&mut content).unwrap();
        let at = at.index(content.len());
        let changed = content[at] != to;
        content[at] = to;
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&content).unwrap();
        let layer = encoder.finish().unwrap();
        let pointer = Descriptor { size: layer.len() as u64, digest: Digest::of(&layer), ..artifact.layer.descriptor.clone() };
        let manifest = archive::manifest_for(&artifact.config.descriptor, &pointer, &BTreeMap::new());
        // The config still names the diff id, so that any change shows.
        let read = archive::read(&manifest, &bytes(&artifact.config), &layer, &Limits::default());
        prop_assert_eq!(read.is_err(), changed);
        // Without a diff id the tar's own checks are all there is.
        let config = Descriptor { size: 2, digest: Digest::of(b"{}"), ..artifact.config.descriptor.clone() };
        let manifest = archive::manifest_for(&config, &pointer, &BTreeMap::new());
        if let Ok(read) = archive::read(&manifest, b"{}", &layer, &Limits::default()) {
            for entry in read.entries().unwrap() {
                let clean = |c: &[u8]| !matches!(c, b"" | b"." | b"..");
                prop_assert!(entry.path.split(|&b| b == b'/').all(clean) && !entry.path.contains(&b'\\'));
            }
        }
    }
}
