//! What works on a directory: references, rewrite, survivors, archive, lint, census.

use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

use sealift::archive::{self, Ignore, Options};
use sealift::explain::Census;
use sealift::lint::{Judging, Level, Lint, Subject};
use sealift::model::Rc;
use sealift::pipeline::{self, Pipeline};
use sealift::refs;
use sealift::tree::{DirTree, Subtree, Tree as _};

use super::measure::{Sample, timed};
use super::support::sized::{self, REAL, Size};
use super::table::Table;
use super::{peers, samples};

pub struct Case {
    pub name: &'static str,
    /// Whether it looks into a file, by its path below the root.
    reads: fn(&str) -> bool,
    work: fn(&DirTree, &Pipeline, &Rc),
}

pub const CASES: &[Case] = &[
    Case {
        name: "references",
        reads: enumerated,
        work: |tree, pipeline, rc| {
            assert!(refs::read(tree, &pipeline.spec(), Some(rc)).unwrap().occurrences.len() > 50);
        },
    },
    Case {
        name: "rewrite",
        reads: scanned,
        work: |tree, pipeline, rc| {
            assert!(refs::rewrite(tree, &pipeline.spec(), rc).unwrap().files.len() > 20);
        },
    },
    Case {
        name: "survivors",
        reads: scanned,
        work: |tree, pipeline, rc| {
            assert!(refs::survivors(tree, &pipeline.spec(), rc).unwrap().len() > 20);
        },
    },
    Case {
        name: "archive",
        reads: |path| !Ignore::default().matches(path.as_bytes(), false),
        work: |tree, _, _| {
            let spool = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
            let packages = Subtree::new(tree, sized::ROOT).unwrap();
            archive::build(&packages, &Options::default(), spool.path()).unwrap();
        },
    },
    Case {
        name: "lint",
        reads: |path| !is_markdown(path),
        work: |tree, pipeline, rc| {
            let subject = Subject::read(pipeline, tree, tree.describe(), Some(rc));
            let lint = Lint::of(&subject, Judging { fail_on: Level::Error, baseline: None });
            assert!(lint.references > 50);
        },
    },
    Case {
        name: "census",
        reads: |_| true,
        work: |tree, pipeline, rc| {
            assert!(Census::of(pipeline, tree, tree.describe(), Some(rc), false).claimed > 50);
        },
    },
];

fn enumerated(path: &str) -> bool {
    let depth = path.matches('/').count();
    path.ends_with("/values.yaml") && depth == 2
        || path.ends_with(".tag")
        || path.ends_with("/daemonset-thick.yml")
        || path.contains("/files/components.")
}

fn scanned(path: &str) -> bool {
    !path.contains("/charts/") && !is_markdown(path)
}

fn is_markdown(path: &str) -> bool {
    path.ends_with(".md")
}

pub fn run(wanted: &dyn Fn(&str) -> bool, table: &mut Table) {
    for (times, size) in [("1×", REAL), ("10×", Size(10 * REAL.0))] {
        let cases: Vec<_> = CASES.iter().map(|case| (case, format!("{} {times}", case.name))).collect();
        let cases: Vec<_> = cases.into_iter().filter(|(_, name)| wanted(name)).collect();
        if cases.is_empty() {
            continue;
        }
        let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        size.write(dir.path());
        for (case, name) in cases {
            let words = ["tree", case.name, dir.path().to_str().unwrap()].map(str::to_owned);
            let measured = samples(|| words.to_vec());
            let mut beside = vec![format!("{:.1} × reading once", measured.ratio.unwrap())];
            beside.extend(peers::of_tree(case.name, dir.path(), &measured));
            table.row(&name, &measured, &beside);
        }
    }
}

pub fn sample(name: &str, dir: &Path) -> Sample {
    let case = CASES.iter().find(|case| case.name == name).unwrap();
    let pipeline = pipeline::load(&dir.join("pipeline.yaml")).unwrap();
    let rc: Rc = sized::VERSION.parse().unwrap();
    let once = once(&dir.join(sized::ROOT), case.reads);
    Sample::of(Some(once), || {
        (case.work)(&DirTree::open(dir).unwrap(), &pipeline, &rc);
        Vec::new()
    })
}

/// The yardstick: the same files listed and read, each once, into one buffer, and nothing made of them.
fn once(root: &Path, reads: fn(&str) -> bool) -> Duration {
    fn walk(dir: &Path, prefix: &str, reads: fn(&str) -> bool, buffer: &mut Vec<u8>) -> u64 {
        let mut sum = 0;
        for entry in std::fs::read_dir(dir).unwrap() {
            let entry = entry.unwrap();
            let path = format!("{prefix}{}", entry.file_name().to_str().unwrap());
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                sum += walk(&entry.path(), &format!("{path}/"), reads, buffer);
            } else if kind.is_file() && reads(&path) {
                buffer.clear();
                sum += std::fs::File::open(entry.path()).unwrap().read_to_end(buffer).unwrap() as u64;
            }
        }
        sum
    }
    // The first pass brings the files into the page cache: disks are not what is compared.
    let read = |_| timed(|| walk(root, "", reads, &mut Vec::new()));
    let [_, (sum, time)] = [(), ()].map(read);
    assert!(sum > 0);
    time
}
