//! Producers over a tree of our own, whose Makefiles have one of each fault and of each near miss, and over hostile ones.

mod fixture;
mod hostile;
mod small;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use sealift::pipeline::{self, Pipeline};
use sealift::producers::{self, Producers};
use sealift::refs::{self, References};
use sealift::tree::Tree;

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/producers").join(path)
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn own() -> Pipeline {
    pipeline::load(&here("pipeline.yaml")).unwrap_or_else(|error| panic!("{error}"))
}

fn read(tree: &dyn Tree, pipeline: &Pipeline) -> (Producers, References) {
    let references = refs::read(tree, &pipeline.spec(), None).unwrap_or_else(|error| panic!("{error}"));
    (producers::read(tree, pipeline, &references), references)
}
