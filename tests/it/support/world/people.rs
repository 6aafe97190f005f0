//! What people do to an origin: with git, in clones of their own.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use sealift::model::Digest;
use serde_json::{Value, json};

use super::World;

impl World {
    /// A fresh clone with a branch checked out.
    pub fn clone_of(&self, branch: &str) -> PathBuf {
        let dir = self.sandbox.path(&format!("clone-{}", self.made.fetch_add(1, Ordering::Relaxed)));
        let (origin, clone) = (self.origin().display().to_string(), dir.display().to_string());
        self.sandbox.git(&self.origin(), &["clone", "--quiet", "--branch", branch, &origin, &clone]);
        dir
    }

    pub fn push(&self, clone: &Path, what: &[&str]) {
        let origin = self.origin().display().to_string();
        let mut arguments = vec!["push", "--quiet", &origin];
        arguments.extend(what);
        self.sandbox.git(clone, &arguments);
    }

    /// Merges the staging branch into its base, as the wait stage tells a person to. The merge's id.
    pub fn merge(&self) -> String {
        self.bring_in(&["merge", "--quiet", "--no-ff", "--no-edit"])
    }

    /// Moves the base to the staging branch without a merge commit.
    pub fn fast_forward(&self) -> String {
        self.bring_in(&["merge", "--quiet", "--ff-only"])
    }

    /// Squashes the staging branch into one commit on the base.
    pub fn squash(&self) -> String {
        let clone = self.clone_of(self.names().base.short());
        let staging = format!("origin/{}", self.names().staging.short());
        self.sandbox.git(&clone, &["merge", "--quiet", "--squash", &staging]);
        self.sandbox.git(&clone, &["commit", "--quiet", "-m", "release, squashed"]);
        self.push(&clone, &["HEAD"]);
        self.sandbox.git(&clone, &["rev-parse", "HEAD"])
    }

    /// Merges, and slips a file into the merge commit that neither side has.
    pub fn merge_with(&self, path: &str, text: &str) -> String {
        let names = self.names();
        let clone = self.clone_of(names.base.short());
        let staging = format!("origin/{}", names.staging.short());
        self.sandbox.git(&clone, &["merge", "--quiet", "--no-ff", "--no-commit", &staging]);
        self.sandbox.write(&clone, path, text);
        self.sandbox.git(&clone, &["add", "--all"]);
        self.sandbox.git(&clone, &["commit", "--quiet", "--no-edit"]);
        self.push(&clone, &["HEAD"]);
        self.sandbox.git(&clone, &["rev-parse", "HEAD"])
    }

    fn bring_in(&self, command: &[&str]) -> String {
        let names = self.names();
        let clone = self.clone_of(names.base.short());
        let staging = format!("origin/{}", names.staging.short());
        self.sandbox.git(&clone, &[command, &[&staging]].concat());
        self.push(&clone, &["HEAD"]);
        self.sandbox.git(&clone, &["rev-parse", "HEAD"])
    }

    /// A person's commit on a branch. Its id.
    pub fn person_commits(&self, branch: &str, path: &str, text: &str) -> String {
        let clone = self.clone_of(branch);
        self.sandbox.write(&clone, path, text);
        let commit = self.sandbox.commit_all(&clone, &format!("{path}: by hand"));
        self.push(&clone, &["HEAD"]);
        commit
    }

    /// A person's commit on the base, as it is now.
    pub fn advance_base(&self, path: &str) -> String {
        self.person_commits(self.names().base.short(), path, "the base moved on\n")
    }

    /// Deletes a branch, as hosts do at a merge.
    pub fn delete_branch(&self, branch: &str) {
        self.sandbox.git(&self.origin(), &["update-ref", "-d", &format!("refs/heads/{branch}")]);
    }

    /// Points a ref of the origin somewhere, behind everyone's back.
    pub fn set_ref(&self, name: &str, id: &str) {
        self.sandbox.git(&self.origin(), &["update-ref", name, id]);
    }

    /// Points a tag of the registry at a manifest that is there, behind everyone's back.
    pub fn set_tag(&self, name: &str, digest: &Digest) {
        self.edit_index(name, |entries, tag| {
            let blob = self.layout(name).join("blobs/sha256").join(digest.hex());
            let bytes = std::fs::read(blob).unwrap();
            let manifest: Value = serde_json::from_slice(&bytes).unwrap();
            entries.push(json!({
                "mediaType": manifest["mediaType"], "digest": digest.to_string(), "size": bytes.len(),
                "annotations": {REF_NAME: tag},
            }));
        });
    }

    /// Takes a tag away, as retention does.
    pub fn remove_tag(&self, name: &str) {
        self.edit_index(name, |_, _| {});
    }

    /// Rewrites a repository's index without a tag, and with what `edit` adds.
    fn edit_index(&self, name: &str, edit: impl FnOnce(&mut Vec<Value>, &str)) {
        let (_, tag) = name.rsplit_once(':').unwrap();
        let file = self.layout(name).join("index.json");
        let mut index: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        let entries = index["manifests"].as_array_mut().unwrap();
        entries.retain(|entry| entry["annotations"][REF_NAME] != tag);
        edit(entries, tag);
        std::fs::write(file, serde_json::to_vec_pretty(&index).unwrap()).unwrap();
    }

    /// The folder of the repository that a name with a tag is in.
    fn layout(&self, name: &str) -> PathBuf {
        let (repository, _) = name.rsplit_once(':').unwrap();
        let (host, path) = repository.split_once('/').unwrap();
        self.registry().join(host.replace(':', "_")).join(path)
    }
}

const REF_NAME: &str = "org.opencontainers.image.ref.name";
