//! How a test sets a scene: what is added without asking the API.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::state::{Asset, Head, Job, MARIA, Pull, Release, Ruleset, Run, State, Workflow};

impl State {
    /// The release of that tag, drafts too.
    pub fn release(&self, tag: &str) -> Option<&Release> {
        self.releases.iter().find(|release| release.tag_name == tag)
    }

    pub fn release_mut(&mut self, tag: &str) -> Option<&mut Release> {
        self.releases.iter_mut().find(|release| release.tag_name == tag)
    }

    pub fn pull(&self, number: u64) -> Option<&Pull> {
        self.pulls.iter().find(|pull| pull.number == number)
    }

    pub fn pull_mut(&mut self, number: u64) -> Option<&mut Pull> {
        self.pulls.iter_mut().find(|pull| pull.number == number)
    }

    /// Adds a release and returns its id; a published one is expected to have its tag already.
    pub fn add_release(&mut self, tag: &str, draft: bool, prerelease: bool) -> u64 {
        let (id, now) = (self.id(), self.now());
        self.releases.push(Release {
            id,
            tag_name: tag.into(),
            target_commitish: "main".into(),
            name: Some(tag.into()),
            body: None,
            draft,
            prerelease,
            immutable: false,
            author: MARIA.into(),
            created_at: now,
            published_at: (!draft).then_some(now),
            assets: Vec::new(),
            never_latest: false,
            hidden: 0,
        });
        id
    }

    /// Adds an asset to the release of that id and returns the asset's id.
    pub fn add_asset(&mut self, release: u64, name: &str, bytes: impl Into<Vec<u8>>) -> u64 {
        let (id, now, bytes) = (self.id(), self.now(), bytes.into());
        let release = self.releases.iter_mut().find(|known| known.id == release).unwrap();
        release.assets.push(Asset {
            id,
            name: name.into(),
            label: None,
            content_type: "application/octet-stream".into(),
            state: "uploaded".into(),
            digest: Some(super::assets::digest(&bytes)),
            bytes: Arc::new(bytes),
            uploader: MARIA.into(),
            created_at: now,
        });
        id
    }

    /// An upload of that name that broke: nothing in it, and in the way.
    pub fn add_broken_asset(&mut self, release: u64, name: &str) -> u64 {
        let id = self.add_asset(release, name, "");
        let assets = self.releases.iter_mut().flat_map(|release| &mut release.assets);
        let asset = assets.into_iter().find(|asset| asset.id == id).unwrap();
        (asset.state, asset.digest) = ("starter".into(), None);
        id
    }

    /// Takes a draft's tag away, as GitHub does when somebody deletes the tag of a release.
    pub fn orphan(&mut self, tag: &str) {
        let id = self.id();
        let release = self.release_mut(tag).unwrap();
        (release.draft, release.published_at) = (true, None);
        release.tag_name = format!("untagged-{:020x}", u128::from(id) * 0x9e37_79b9_7f4a_7c15);
    }

    /// Adds an open pull request from a branch of the repository itself and returns its number.
    pub fn add_pull(&mut self, head: &str, head_sha: &str, base: &str, base_sha: &str, title: &str) -> u64 {
        let (number, now) = (self.pulls.iter().map(|pull| pull.number).max().unwrap_or(0) + 1, self.now());
        self.pulls.push(Pull {
            number,
            title: title.into(),
            body: None,
            author: MARIA.into(),
            head: Head::Own,
            head_ref: head.into(),
            head_sha: head_sha.into(),
            base_ref: base.into(),
            base_sha: base_sha.into(),
            open: true,
            draft: false,
            labels: Vec::new(),
            created_at: now,
            updated_at: now,
            closed_at: None,
            merged_at: None,
            merged_by: None,
            merge_commit_sha: None,
        });
        number
    }

    /// Adds an active ruleset of the repository's and returns its id; rules are GitHub's, by type, the
    /// ones without parameters.
    pub fn add_ruleset(&mut self, target: &str, include: &[&str], rules: &[&str]) -> u64 {
        let id = self.id();
        let rules = rules.iter().map(|rule| serde_json::json!({"type": rule})).collect();
        let include = include.iter().map(|pattern| (*pattern).to_owned()).collect();
        let name = format!("rules {id}");
        let (target, enforcement) = (target.into(), "active".into());
        let (exclude, bypass) = (Vec::new(), BTreeMap::new());
        self.rulesets.push(Ruleset {
            id,
            name,
            target,
            enforcement,
            inherited: false,
            include,
            exclude,
            rules,
            bypass,
        });
        id
    }

    /// Adds a workflow, `.github/workflows/FILE`.
    pub fn add_workflow(&mut self, file: &str) -> u64 {
        let id = self.id();
        self.workflows.push(Workflow { id, path: format!(".github/workflows/{file}"), name: file.into() });
        id
    }

    /// Adds a successful run of now, to be changed at will, and returns its id.
    pub fn add_run(&mut self, file: &str, event: &str, branch: &str, sha: &str) -> u64 {
        let path = format!(".github/workflows/{file}");
        let known = self.workflows.iter().find(|workflow| workflow.path == path).map(|workflow| workflow.id);
        let workflow = known.unwrap_or_else(|| self.add_workflow(file));
        let (id, now) = (self.id(), self.now());
        self.runs.push(Run {
            id,
            workflow,
            name: Some(file.into()),
            head_branch: Some(branch.into()),
            head_sha: sha.into(),
            event: event.into(),
            status: Some("completed".into()),
            conclusion: Some("success".into()),
            actor: MARIA.into(),
            attempt: 1,
            created_at: now,
            started_at: now,
        });
        id
    }

    /// Adds a successful job to a run's first attempt.
    pub fn add_job(&mut self, run: u64, name: &str) -> u64 {
        let (id, now) = (self.id(), self.now());
        self.jobs.push(Job {
            id,
            run,
            attempt: 1,
            name: name.into(),
            status: "completed".into(),
            conclusion: Some("success".into()),
            started_at: now,
            completed_at: Some(now),
        });
        id
    }
}
