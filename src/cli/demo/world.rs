//! The world of the demo: a repository with two release candidates, and a registry with their images.
//!
//! Written through the same ports a promotion uses. Everything follows from fixed dates and
//! seeds, so that two demos have the same commits and digests, and making it twice is making
//! it once.

use std::sync::Arc;

use anyhow::Context as _;
use futures_util::{StreamExt as _, TryStreamExt as _};

use super::images::{self, IMAGES};
use super::tree::{self, Build};
use crate::archive::{self, Options};
use crate::cli::session::Session;
use crate::model::{CommitId, Digest, ObjectId, RefName, Tag, TreeId};
use crate::port::registry::{Registries, RegistryWrite as _};
use crate::port::repository::{NewCommit, NewTag, OriginWrite as _, RefUpdate, Store};
use crate::promotion;
use crate::tree::GitTree;

/// The release that is out already.
pub const BEFORE: &str = "v1.4.1";
/// The candidate that is promoted, and what it becomes.
pub const RC: &str = "v1.4.2-rc.1";
pub const STABLE: &str = "v1.4.2";
pub const LINE: &str = "release-1.4";
/// The candidate that must be refused: somebody has used up its version.
pub const SPENT_RC: &str = "v1.5.0-rc.1";
pub const SPENT: &str = "v1.5.0";
pub const SPENT_IMAGE: &str = "api";

/// 2026-01-01T00:00:00Z
const NEW_YEAR: i64 = 1_767_225_600;
const HOUR: i64 = 3600;

/// Who commits in the demo: developers and their build, and who merges.
const BUILD: (&str, &str) = ("Demo Build", "build@example.org");
const DEVELOPER: (&str, &str) = ("Demo Developer", "developer@example.org");
pub const MAINTAINER: (&str, &str) = ("Demo Maintainer", "maintainer@example.org");

const DEPLOYMENT: &str = "packages/apps/api/templates/deployment.yaml";
const RETRIES: &str = concat!(
    include_str!("files/packages/apps/api/templates/deployment.yaml"),
    "          env: [{name: RETRIES, value: \"3\"}]\n"
);
const PLATFORM: &str = "packages/core/platform/values.yaml";
const TENANTS: &str = "# No image here: a package without one is fine.\ntenants: [first]\n";

struct Maker<'a> {
    session: &'a Session,
    store: &'a Arc<Store>,
}

/// A build's commit, and the artifact it pins.
struct Built {
    commit: CommitId,
    artifact: Digest,
}

/// Makes the world. What is there of it already stays.
pub async fn make(session: &Session) -> anyhow::Result<()> {
    let maker = Maker { session, store: &session.store };
    maker.images().await.context("the demo's images can't be written")?;
    maker.history().await.context("the demo's repository can't be written")
}

/// When the maintainer merges.
pub const MERGE_TIME: i64 = NEW_YEAR + 72 * HOUR;

impl Maker<'_> {
    async fn images(&self) -> anyhow::Result<()> {
        let registry = &self.session.registries;
        let pushes = futures_util::stream::iter(IMAGES.iter().map(|image| push_all(registry, image)));
        pushes.buffer_unordered(8).try_collect::<()>().await?;
        // Not from any build: this is what makes v1.5.0 a spent version.
        images::push_seed(registry, SPENT_IMAGE, "pushed by hand", &[SPENT]).await
    }

    async fn history(&self) -> anyhow::Result<()> {
        let older = Digest::of(b"the packages artifact of v1.4.0");
        let none: &[(&str, &str)] = &[];
        let first = self.release(BEFORE, older, none).await?;
        let retries: &[(&str, &str)] = &[(DEPLOYMENT, RETRIES)];
        let tenants: &[(&str, &str)] = &[(PLATFORM, TENANTS)];
        let fixed = self.develop(&first, "api: retry broken connections", retries, 24)?;
        let grown = self.develop(&first, "platform: a first tenant", tenants, 30)?;
        let rc = self.candidate(RC, &first, fixed, retries, 48).await?;
        let spent = self.candidate(SPENT_RC, &first, grown, tenants, 54).await?;
        let branches =
            [("main", grown), (LINE, fixed), ("release-1.4.2-rc.1", rc.commit), ("release-1.5.0-rc.1", spent.commit)];
        for (name, commit) in branches {
            self.point(RefName::branch(name)?, commit).await?;
        }
        for (name, commit, hours) in [(BEFORE, first.commit, 2), (RC, fixed, 25), (SPENT_RC, grown, 31)] {
            let (tagger_name, tagger_email) = (DEVELOPER.0.to_owned(), DEVELOPER.1.to_owned());
            let tag = self.store.write_tag(&NewTag {
                name: name.to_owned(),
                target: commit,
                tagger_name,
                tagger_email,
                time_seconds: NEW_YEAR + hours * HOUR,
                message: format!("{name}\n"),
            })?;
            self.point(RefName::tag(name)?, tag).await?;
        }
        Ok(())
    }

    /// The release that was made before sealift: the first commit there is.
    async fn release(&self, tag: &str, older: Digest, changes: &[(&str, &str)]) -> anyhow::Result<Built> {
        let tree = tree::write(self.store, &Build { tag, pin: older, changes })?;
        let artifact = self.artifact(tree, format!("{tag}@sha1:{}", "0".repeat(40)), &[tag, "latest"]).await?;
        let tree = tree::write(self.store, &Build { tag, pin: artifact, changes })?;
        let commit = self.commit(DEVELOPER, tree, vec![], &format!("release: {tag}"), 1)?;
        Ok(Built { commit, artifact })
    }

    fn develop(&self, on: &Built, what: &str, changes: &[(&str, &str)], hours: i64) -> anyhow::Result<CommitId> {
        let tree = tree::write(self.store, &Build { tag: BEFORE, pin: on.artifact, changes })?;
        self.commit(DEVELOPER, tree, vec![on.commit], what, hours)
    }

    /// As in life: the tag names what was built, the build commits its digests on top, on a
    /// branch of the candidate's own; the artifact was packed before its digest was known.
    async fn candidate(
        &self,
        tag: &str,
        before: &Built,
        tagged: CommitId,
        changes: &[(&str, &str)],
        hours: i64,
    ) -> anyhow::Result<Built> {
        let tree = tree::write(self.store, &Build { tag, pin: before.artifact, changes })?;
        let packed = tree::with_leftovers(self.store, tree, tag)?;
        let artifact = self.artifact(packed, format!("{tag}@sha1:{tagged}"), &[tag]).await?;
        let tree = tree::write(self.store, &Build { tag, pin: artifact, changes })?;
        let commit = self.commit(BUILD, tree, vec![tagged], &format!("build: {tag}"), hours)?;
        Ok(Built { commit, artifact })
    }

    async fn artifact(&self, tree: TreeId, revision: String, tags: &[&str]) -> anyhow::Result<Digest> {
        let pipeline = &self.session.pipeline;
        let packages: GitTree = promotion::packages(self.store, tree, &pipeline.root)?;
        let options = Options {
            modes: pipeline.artifact.modes.0,
            source: pipeline.artifact.source.clone(),
            revision,
            ..Options::default()
        };
        let artifact = archive::build(&packages, &options, &self.session.looker().spool)?;
        let (registry, repository) = (&self.session.registries, &pipeline.artifact.repository);
        for blob in [&artifact.config, &artifact.layer] {
            registry.put_blob(repository, blob).await?;
        }
        for tag in tags {
            registry.put_manifest(repository, &tag.parse::<Tag>()?, &artifact.manifest).await?;
        }
        Ok(artifact.manifest.digest())
    }

    fn commit(
        &self,
        who: (&str, &str),
        tree: TreeId,
        parents: Vec<CommitId>,
        what: &str,
        hours: i64,
    ) -> anyhow::Result<CommitId> {
        Ok(self.store.write_commit(&NewCommit {
            tree,
            parents,
            name: who.0.to_owned(),
            email: who.1.to_owned(),
            time_seconds: NEW_YEAR + hours * HOUR,
            message: format!("{what}\n"),
        })?)
    }

    async fn point(&self, name: RefName, target: ObjectId) -> anyhow::Result<()> {
        Ok(self.session.origin.update(&RefUpdate { name, expect: None, target: Some(target) }).await?)
    }
}

async fn push_all(registry: &Registries, image: &images::Image) -> anyhow::Result<()> {
    let aliased = matches!(image.version, images::Version::Line(""));
    let further: &[&str] = if aliased { &["latest"] } else { &[] };
    images::push(registry, image, BEFORE, further).await?;
    for build in [RC, SPENT_RC] {
        images::push(registry, image, build, &[]).await?;
    }
    Ok(())
}
