//! Rules that go by what registries answer: each fault and near miss, what is unknown, controls, and what is asked.

mod asking;
mod command;
mod controls;
mod faults;
mod public;
mod unknown;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use sealift::lint::{Answers, Asking, Baseline, Finding, Judging, Level, Lint, Subject};
use sealift::model::manifest::{OCI_INDEX, OCI_MANIFEST};
use sealift::model::{Digest, Manifest, Reference, Repository};
use sealift::pipeline::Pipeline;
use sealift::port::registry::{Config, Location, Registries, RegistryWrite, RetryPolicy};
use sealift::tree::MemTree;

use super::{OWN, VALUES, pipeline};
use crate::support::images;
use crate::support::registry_server::RegistryServer;

pub const RULES: [&str; 5] = ["unpublished", "tag-moved", "digest-gone", "not-public", "not-multi-arch"];

/// The host of what is owned, and that of somebody else.
const HOST: &str = "registry.example";
const OTHER: &str = "quay.example";

fn repository(name: &str) -> Repository {
    let name = if name.contains('/') { name.to_owned() } else { format!("{OWN}/{name}") };
    name.parse().unwrap()
}

/// Registries at one address, patient for a moment.
fn at(location: &Location) -> Registries {
    Registries::new(config(location)).unwrap()
}

fn config(location: &Location) -> Config {
    let ms = Duration::from_millis;
    let everywhere = [HOST, OTHER].map(|host| (host.to_owned(), location.clone()));
    Config {
        locations: everywhere.into(),
        retry: RetryPolicy { attempts: 2, base: ms(1), cap: ms(5), budget: Duration::from_secs(5) },
        ..Config::default()
    }
}

fn url(server: &RegistryServer) -> Location {
    Location::Url(server.url())
}

/// A server for those with credentials, and one for those without.
struct Two {
    ours: RegistryServer,
    public: RegistryServer,
}

impl Two {
    /// Both with the same in them.
    async fn with(fill: impl AsyncFn(&dyn RegistryWrite)) -> Self {
        let ours = RegistryServer::start();
        fill(&at(&url(&ours))).await;
        ours.clear_log();
        let public = ours.copy();
        Self { ours, public }
    }

    async fn lint(&self, text: &str) -> Lint {
        self.lint_by(text, &Told::default()).await
    }

    async fn lint_by(&self, text: &str, told: &Told<'_>) -> Lint {
        lint_at(&at(&url(&self.ours)), &at(&url(&self.public)), text, told).await
    }
}

/// What a person says beside the tree.
#[derive(Default)]
struct Told<'a> {
    third_party: &'a [&'a str],
    controls: &'a [&'a str],
    /// Further keys of the pipeline.
    pipeline: &'a str,
    baseline: Option<&'a Baseline>,
    /// 16 where it is 0.
    parallel: usize,
}

/// A tree of one values file, at the candidate that `RC` stands for.
fn tree(text: &str) -> MemTree {
    let mut tree = MemTree::new("test");
    tree.put(VALUES, 0o644, filled(text));
    tree
}

fn filled(text: &str) -> String {
    text.replace("OWN", OWN).replace("RC", "v2.3.0-rc.1")
}

async fn lint_at(ours: &Registries, public: &Registries, text: &str, told: &Told<'_>) -> Lint {
    let (pipeline, tree): (Pipeline, MemTree) = (pipeline(told.pipeline), tree(text));
    let rc = "2.3.0-rc.1".parse().unwrap();
    let mut subject = Subject::read(&pipeline, &tree, "test".to_owned(), Some(&rc));
    let third_party: BTreeSet<String> = told.third_party.iter().map(|&host| host.to_owned()).collect();
    let controls: Vec<Reference> = told.controls.iter().map(|control| filled(control).parse().unwrap()).collect();
    let parallel = if told.parallel == 0 { 16 } else { told.parallel };
    let asking = Asking { registry: ours, anonymous: public, parallel, third_party: &third_party, controls: &controls };
    subject.registry = Some(Answers::look(&subject, asking).await);
    Lint::of(&subject, Judging { fail_on: Level::Error, baseline: told.baseline })
}

/// `line rule level`, of the rules here.
fn found(lint: &Lint) -> Vec<String> {
    let ours = lint.findings.iter().filter(|finding| RULES.contains(&finding.rule));
    let one = |finding: &Finding| (finding.place.line, format!("{} {}", finding.rule, finding.level.name()));
    let mut all: Vec<(usize, String)> = ours.map(one).collect();
    all.sort();
    all.into_iter().map(|(line, found)| format!("{line} {found}")).collect()
}

/// The messages of a rule.
fn messages<'a>(lint: &'a Lint, rule: &str) -> Vec<&'a str> {
    lint.findings.iter().filter(|finding| finding.rule == rule).map(|finding| finding.message.as_str()).collect()
}

/// Pushes an index whose manifests are for these platforms, `os/architecture`, by digest alone.
async fn push_for(to: &dyn RegistryWrite, name: &str, platforms: &[&str]) -> Digest {
    let mut children = Vec::new();
    for platform in platforms {
        let (os, architecture) = platform.split_once('/').unwrap();
        let (manifest, blobs) = images::image(&format!("{name} {platform}"), architecture);
        images::push_image(to, &repository(name), &manifest, &blobs).await;
        children.push(format!(
            r#"{{"mediaType":"{OCI_MANIFEST}","digest":"{}","size":{},"platform":{{"architecture":"{architecture}","os":"{os}"}}}}"#,
            manifest.digest(),
            manifest.bytes().len()
        ));
    }
    let text = format!(r#"{{"schemaVersion":2,"mediaType":"{OCI_INDEX}","manifests":[{}]}}"#, children.join(","));
    let index = Manifest::new(text.into_bytes(), None).unwrap();
    to.put_manifest_by_digest(&repository(name), &index).await.unwrap();
    index.digest()
}

/// Pushes an index for both platforms, under a tag.
async fn push(to: &dyn RegistryWrite, name: &str, tag: &str, seed: &str) -> Digest {
    images::push_index(to, &repository(name), Some(filled(tag).as_str()), seed).await
}

/// The digest of [`push`], before it or without it.
fn digest(seed: &str) -> Digest {
    images::index(seed).0.digest()
}
