//! A whole plan, and the proof of an artifact: over an origin and a registry in directories.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sealift::archive;
use sealift::engine::{self, Event, Looker, Observer, Settings, State};
use sealift::model::{Answer, Digest, Manifest, Rc};
use sealift::pipeline;
use sealift::port::registry::{At, Layout, RegistryRead};
use sealift::port::repository::{Origin, Store};
use sealift::promotion::locate::Request;
use sealift::promotion::packages;
use sealift::promotion::proof::Proof;
use sealift::stage::Inputs;

use super::measure::{Sample, timed};
use super::samples;
use super::support::retagging::{PARALLEL, settings};
use super::support::sized::{REAL, Size, VERSION};
use super::support::world::{Case, Shipped, World};
use super::table::Table;

pub fn run(wanted: &dyn Fn(&str) -> bool, table: &mut Table) {
    for (times, size) in [("1×", REAL), ("10×", Size(10 * REAL.0))] {
        let [first, again, verify] =
            ["plan, nothing fetched yet", "plan", "verify"].map(|name| format!("{name} {times}"));
        if ![&first, &again, &verify].iter().any(|name| wanted(name)) {
            continue;
        }
        let runtime = runtime();
        let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        size.write(dir.path());
        let file = dir.path().join("pipeline.yaml");
        let shipped =
            Shipped { name: "sized".to_owned(), pipeline: pipeline::load(&file).unwrap(), file: file.clone() };
        let world = runtime.block_on(World::from_tree(&Case::of(&shipped), dir.path(), VERSION));
        let cache = |name: &str| world.sandbox.path(name);
        let plan = |store: &Path| {
            let paths = [file.as_path(), &world.origin(), &world.registry(), store].map(text);
            [vec!["plan".to_owned()], paths.to_vec()].concat()
        };
        if wanted(&first) {
            let mut n = 0;
            let measured = samples(|| {
                n += 1;
                plan(&cache(&format!("store-{n}")))
            });
            table.row(&first, &measured, &[]);
        }
        if wanted(&again) {
            super::measure::elsewhere(&plan(&cache("store")));
            table.row(&again, &samples(|| plan(&cache("store"))), &[]);
        }
        if wanted(&verify) {
            let words = runtime.block_on(pinned(&world, &file, &cache("verified")));
            let measured = samples(|| words.clone());
            let beside = format!("{:.1} × two decompressions", measured.ratio.unwrap());
            table.row(&verify, &measured, &[beside]);
        }
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap()
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

/// Promotes up to the merge; the words of a sample of the proof.
async fn pinned(world: &World, file: &Path, dir: &Path) -> Vec<String> {
    world.run().await.must_be(State::Waiting);
    let store = Arc::new(Store::open(dir).unwrap());
    let origin = Origin::new(store.clone(), &world.origin().display().to_string(), None).unwrap();
    let (pipeline, registries, inputs) = (pipeline::load(file).unwrap(), world.registries(), Inputs::default());
    let look = Looker {
        pipeline: &pipeline,
        store,
        origin: &origin,
        registry: &registries,
        forge: None,
        inputs: &inputs,
        spool: PathBuf::new(),
        parallel: PARALLEL,
    };
    let promotion = look.promotion(&world.request()).await.unwrap().unwrap();
    let facts = look.facts(&promotion, false).await.unwrap();
    let (pin, staging) = (facts.pin.unwrap().artifact, facts.staging.unwrap());
    let tested = promotion.candidate.rc_artifact;
    vec![
        "verify".to_owned(),
        text(file),
        text(dir),
        text(&world.registry()),
        tested.to_string(),
        pin.to_string(),
        staging.to_string(),
    ]
}

/// A plan that refuses is no plan to measure.
struct Refusing;

impl Observer for Refusing {
    fn event(&self, event: &Event) {
        if let Event::Stage(state) = event {
            assert!(state.refusals.is_empty(), "{:?}", state.refusals);
        }
    }
}

pub fn sample_plan(words: &[&str]) -> Sample {
    let [file, origin, registry, store] = words else { panic!("{words:?}") };
    let pipeline = pipeline::load(Path::new(file)).unwrap();
    let spool = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let runtime = runtime();
    Sample::of(None, || {
        let store = Arc::new(Store::open(Path::new(store)).unwrap());
        let origin = Origin::new(store.clone(), origin, None).unwrap();
        let (registry, inputs) = (Layout::new(Path::new(registry)), Inputs::default());
        let look = Looker {
            pipeline: &pipeline,
            store,
            origin: &origin,
            registry: &registry,
            forge: None,
            inputs: &inputs,
            spool: spool.path().to_owned(),
            parallel: PARALLEL,
        };
        let settings = Settings { observer: &Refusing, ..settings() };
        let rc: Rc = VERSION.parse().unwrap();
        let state = runtime.block_on(engine::plan(&Request::Candidate(rc), &look, &settings)).unwrap();
        assert_eq!(state, State::Work);
        Vec::new()
    })
}

pub fn sample_verify(words: &[&str]) -> Sample {
    let [file, store, registry, tested, candidate, commit] = words else { panic!("{words:?}") };
    let (tested, candidate): (Digest, Digest) = (tested.parse().unwrap(), candidate.parse().unwrap());
    let pipeline = pipeline::load(Path::new(file)).unwrap();
    let (runtime, registry) = (runtime(), Layout::new(Path::new(registry)));
    let repository = &pipeline.artifact.repository;
    let manifest = |digest| found(runtime.block_on(registry.manifest(repository, &At::Digest(digest))));
    let manifests = [manifest(tested), manifest(candidate)];
    let layers = manifests
        .each_ref()
        .map(|manifest: &Manifest| found(runtime.block_on(registry.blob(repository, &manifest.layers()[0]))));
    let twice = twice(&layers);
    drop(layers);
    Sample::of(Some(twice), || {
        let store = Arc::new(Store::open(Path::new(store)).unwrap());
        let differences = runtime.block_on(async {
            let [tested_tree, candidate_tree] = [
                archive::fetch(&registry, repository, &manifests[0]).await.unwrap(),
                archive::fetch(&registry, repository, &manifests[1]).await.unwrap(),
            ];
            let merged = packages(&store, store.tree_of(commit.parse().unwrap()).unwrap(), &pipeline.root).unwrap();
            let proof = Proof {
                pipeline: &pipeline,
                rc: &VERSION.parse().unwrap(),
                tested: (&tested_tree, tested),
                candidate: (&candidate_tree, candidate),
                merged: &merged,
            };
            proof.differences().unwrap()
        });
        // The staging branch is what would be merged but for the pin.
        assert!(differences.is_empty(), "{differences:?}");
        Vec::new()
    })
}

fn found<T>(answer: Answer<T>) -> T {
    match answer {
        Answer::Found(found) => found,
        Answer::Absent => panic!("absent"),
        Answer::Unknown(unknown) => panic!("{unknown}"),
    }
}

/// The yardstick: both layers decompressed one after the other, and nothing made of it.
fn twice(layers: &[Vec<u8>; 2]) -> Duration {
    let unpack = |layer: &Vec<u8>| {
        let mut buffer = vec![0; 64 * 1024];
        let mut decoder = flate2::bufread::GzDecoder::new(layer.as_slice());
        while decoder.read(&mut buffer).unwrap() > 0 {}
    };
    timed(|| layers.iter().for_each(unpack)).1
}
