//! Building a candidate, as a project's own build does: images, digests stamped into the tree,
//! the packages artifact, the pin, the commit on the candidate's branch.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};

use sealift::archive::{self, Options};
use sealift::model::{Digest, Rc, Repository, Tag};
use sealift::port::registry::RegistryWrite;
use sealift::promotion::Names;
use sealift::refs::{self, Class};
use sealift::tree::{MemTree, Subtree};

use super::World;
use super::source::{File, Files, Source, write};
use crate::support::images;
use crate::support::sandbox::scratch;

impl World {
    /// Builds a candidate on top of a branch: its git tag goes on the branch's tip, its commit on
    /// a branch of its own. Component-versioned images stay the same from one candidate to the next.
    pub async fn cut(mut self, rc: Rc, branch: &str) -> Self {
        self.rc = rc;
        let names = Names::with_base(self.pipeline(), &rc, self.names().base).unwrap();
        let work = self.clone_of(branch);
        let tip = self.sandbox.git(&work, &["rev-parse", "HEAD"]);
        let tag = names.rc_tag.short();
        self.sandbox.git(&work, &["tag", "-a", "-m", tag, tag]);
        let mut files = Source::read(&work, &self.source.version).files;
        files.retain(|path, _| !path.starts_with(".git/"));
        files.extend(self.with_copies(self.versioned(rc)));
        self.hosts.extend(self.hosts_in(&files, rc));
        let registries = self.registries();
        let digests = self.images(&files, rc, &registries).await;
        for file in files.values_mut() {
            file.edit(|bytes| unpacked(bytes, |content| replaced_all(content, &digests)));
        }
        self.pin(&mut files, Digest::of(b"the artifact of an older candidate"));
        let artifact = self.artifact(&files, rc, &tip, &registries).await;
        self.pin(&mut files, artifact);
        write(&work, &files);
        self.sandbox.commit_all(&work, &format!("build: stamp v{rc}"));
        let head = format!("HEAD:{}", names.rc_branch);
        self.push(&work, &[&head, &format!("refs/tags/{tag}")]);
        self.released(rc, &tip);
        self
    }

    /// The source with a candidate's version in it.
    fn versioned(&self, rc: Rc) -> Files {
        let mut files = self.source.files.clone();
        let (old, new) = (self.source.version.clone(), rc.to_string());
        for file in files.values_mut() {
            file.edit(|bytes| unpacked(bytes, |content| replaced(content, &old, &new)));
        }
        files
    }

    /// Declared gzip copies that the source leaves to be made of their plain files.
    pub(super) fn with_copies(&self, mut files: Files) -> Files {
        let pipeline = self.pipeline();
        for copy in &pipeline.references.gzip {
            let plain = files.get(&pipeline.below_root(&copy.plain)).and_then(File::bytes).map(compressed);
            if let Some(bytes) = plain {
                files.entry(pipeline.below_root(&copy.path)).or_insert(File::Plain(bytes));
            }
        }
        files
    }

    fn tree(&self, files: &Files) -> MemTree {
        let mut tree = MemTree::new("the candidate");
        for (path, file) in files {
            match file {
                File::Plain(bytes) => tree.put(path, 0o644, bytes.as_slice()),
                File::Executable(bytes) => tree.put(path, 0o755, bytes.as_slice()),
                File::Link(target) => tree.symlink(path, target.as_slice()),
            };
        }
        tree
    }

    fn hosts_in(&self, files: &Files, rc: Rc) -> Vec<String> {
        let pipeline = self.pipeline();
        let found = refs::read(&self.tree(files), &pipeline.spec(), Some(&rc)).unwrap().occurrences;
        let declared = pipeline.chart.iter().map(|chart| &chart.repository).chain([&pipeline.artifact.repository]);
        let hosts = found.iter().filter_map(|found| found.repository.as_ref()).chain(declared);
        hosts.map(|repository| repository.host().to_owned()).collect()
    }

    /// Pushes an index for every owned reference; answers what each placeholder digest becomes.
    async fn images(&mut self, files: &Files, rc: Rc, to: &dyn RegistryWrite) -> BTreeMap<String, String> {
        let mut digests = BTreeMap::new();
        self.images.clear();
        let found = refs::read(&self.tree(files), &self.pipeline().spec(), Some(&rc)).unwrap();
        for found in found.occurrences {
            let (Some(repository), Some(placeholder)) = (&found.repository, found.digest) else { continue };
            let (tag, seed) = match found.class {
                Class::VersionLine => (found.tag.as_ref().map(Tag::as_str), format!("{placeholder} of {rc}")),
                // Only a release pushes such a tag; until then the digest is what resolves.
                Class::ComponentVersioned => (None, placeholder.to_string()),
                _ => continue,
            };
            let digest = images::push_index(to, repository, tag, &seed).await;
            digests.insert(placeholder.hex(), digest.hex());
            let stable = match tag {
                Some(tag) => tag.replace(&rc.to_string(), &rc.stable.to_string()),
                None => format!("v{}", rc.stable),
            };
            self.images.insert(format!("{repository}:{stable}"), digest);
        }
        assert!(!digests.is_empty(), "the tree has no owned image");
        digests
    }

    fn pin(&self, files: &mut Files, artifact: Digest) {
        let pipeline = self.pipeline();
        let path = pipeline.below_root(&pipeline.installer.values);
        let tree = self.tree(files);
        let edit = refs::pin(&tree, &pipeline.spec(), &path, &pipeline.artifact.repository, &artifact).unwrap();
        files.get_mut(&path).unwrap().edit(|_| edit.after);
    }

    /// Pushes the candidate's packages artifact, with what only a candidate's may hold.
    async fn artifact(&self, files: &Files, rc: Rc, tagged: &str, to: &dyn RegistryWrite) -> Digest {
        let pipeline = self.pipeline();
        let mut files = files.clone();
        for glob in pipeline.artifact.rc_only.iter() {
            let path = pipeline.below_root(&glob.replace('*', "build"));
            files.insert(path, File::Plain(format!("left by the build of v{rc}\n").into_bytes()));
        }
        let options = Options {
            modes: pipeline.artifact.modes.0,
            source: pipeline.artifact.source.clone(),
            revision: format!("v{rc}@sha1:{tagged}"),
            ..Options::default()
        };
        let tree = self.tree(&files);
        let spool = scratch();
        let artifact = archive::build(&Subtree::new(&tree, &pipeline.root).unwrap(), &options, spool.path()).unwrap();
        let repository: &Repository = &pipeline.artifact.repository;
        for blob in [&artifact.config, &artifact.layer] {
            to.put_blob(repository, blob).await.unwrap();
        }
        to.put_manifest(repository, &format!("v{rc}").parse().unwrap(), &artifact.manifest).await.unwrap();
        artifact.manifest.digest()
    }
}

fn replaced(content: &[u8], old: &str, new: &str) -> Vec<u8> {
    let finder = memchr::memmem::Finder::new(old);
    let (mut after, mut at) = (Vec::with_capacity(content.len()), 0);
    for start in finder.find_iter(content) {
        after.extend_from_slice(&content[at..start]);
        after.extend_from_slice(new.as_bytes());
        at = start + old.len();
    }
    after.extend_from_slice(&content[at..]);
    after
}

fn replaced_all(content: &[u8], texts: &BTreeMap<String, String>) -> Vec<u8> {
    texts.iter().fold(content.to_vec(), |content, (old, new)| replaced(&content, old, new))
}

/// Edits content, inside gzip where it is compressed.
fn unpacked(bytes: &[u8], edit: impl FnOnce(&[u8]) -> Vec<u8>) -> Vec<u8> {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return edit(bytes);
    }
    let mut content = Vec::new();
    flate2::read::MultiGzDecoder::new(bytes).read_to_end(&mut content).unwrap();
    compressed(&edit(&content))
}

fn compressed(content: &[u8]) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(content).unwrap();
    gzip.finish().unwrap()
}
