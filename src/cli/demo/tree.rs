//! The demo's files, as a build stamps them: every storage kind and shape of a reference, and decoys.

use std::io::Write as _;

use super::images;
use crate::model::{Digest, TreeId};
use crate::port::repository::{Change, Edit, Store, StoreError, mode};

macro_rules! files {
    ($($path:literal),* $(,)?) => { &[$(($path, include_str!(concat!("files/", $path)))),*] };
}

/// `%TAG%`, `%sha256:IMAGE%` and `%PIN%` are what a build fills in.
const FILES: &[(&str, &str)] = files![
    "README.md",
    "api/go.mod",
    "docs/changelogs/README.md",
    "packages/apps/api/README.md",
    "packages/apps/api/images/api/go.sum",
    "packages/apps/api/scripts/migrate.sh",
    "packages/apps/api/templates/deployment.yaml",
    "packages/apps/api/values.yaml",
    "packages/apps/kubernetes/images/kubelet-v1.30.tag",
    "packages/apps/kubernetes/images/kubelet-v1.31.tag",
    "packages/apps/kubernetes/values.yaml",
    "packages/apps/legacy/values.yaml",
    "packages/apps/web/charts/redis/values.yaml",
    "packages/apps/web/values.yaml",
    "packages/apps/worker/values.yaml",
    "packages/core/installer/.helmignore",
    "packages/core/installer/Chart.yaml",
    "packages/core/installer/README.md",
    "packages/core/installer/templates/operator.yaml",
    "packages/core/installer/values.yaml",
    "packages/core/platform/values.yaml",
    "packages/system/cache/values.yaml",
    "packages/system/cni/templates/daemonset.yaml",
    "packages/system/cni/values.yaml",
    "packages/system/ingress/values.yaml",
    "packages/system/metrics/values.yaml",
    "packages/system/network/values.yaml",
    "packages/system/provider/files/components.yaml",
    "packages/system/provider/values.yaml",
    "packages/system/storage/values.yaml",
];

const CRLF: &str = "packages/apps/legacy/values.yaml";
const PLAIN: &str = "packages/system/provider/files/components.yaml";
const COPY: &str = "packages/system/provider/files/components.gz";
const LINK: (&str, &str) = ("packages/apps/web/README.md", "../api/README.md");
const BUILD_REVISION: &str = "packages/core/platform/.build-revision";

/// What a build stamps, and what people changed since the first commit.
pub struct Build<'a> {
    /// The tag of the version line: `v1.4.2-rc.1`.
    pub tag: &'a str,
    /// The packages artifact that the installer pins.
    pub pin: Digest,
    /// Files with other text than the embedded one.
    pub changes: &'a [(&'a str, &'a str)],
}

/// Writes the repository's tree.
pub fn write(store: &Store, build: &Build<'_>) -> anyhow::Result<TreeId> {
    let mut edits = vec![Edit::put(LINK.0, mode::SYMLINK, store.write_blob(LINK.1.as_bytes())?)];
    for &(path, text) in FILES {
        let changed = build.changes.iter().find(|(changed, _)| *changed == path);
        let text = stamp(changed.map_or(text, |(_, text)| text), build)?;
        if path == PLAIN {
            edits.push(file(COPY, mode::FILE, gzip(text.as_bytes())?));
        }
        let executable = path.ends_with(".sh");
        let bytes = if path == CRLF { text.trim_end().replace('\n', "\r\n") } else { text };
        edits.push(file(path, if executable { mode::EXECUTABLE } else { mode::FILE }, bytes));
    }
    Ok(store.edit(store.empty_tree()?, &edits)?)
}

/// The tree that a candidate's artifact is built from: with a leftover of the build.
pub fn with_leftovers(store: &Store, tree: TreeId, tag: &str) -> Result<TreeId, StoreError> {
    store.edit(tree, &[file(BUILD_REVISION, mode::FILE, format!("{tag} build 4711\n"))])
}

fn file(path: &str, mode: u32, bytes: impl Into<Vec<u8>>) -> Edit {
    Edit { path: path.into(), change: Change::Write { mode: Some(mode), bytes: bytes.into() } }
}

fn stamp(text: &str, build: &Build<'_>) -> anyhow::Result<String> {
    let mut text = text.replace("%TAG%", build.tag).replace("%PIN%", &build.pin.to_string());
    for image in images::IMAGES {
        let placeholder = format!("%sha256:{}%", image.name);
        if text.contains(&placeholder) {
            text = text.replace(&placeholder, &image.digest(build.tag)?.to_string());
        }
    }
    Ok(text)
}

/// As a project's own build makes the copy: another encoder's choice of level, but no name and no time.
fn gzip(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = flate2::GzBuilder::new().mtime(0).write(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes)?;
    encoder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_stays_unstamped() {
        let build = Build { tag: "v1.4.2-rc.1", pin: Digest::of(b"pin"), changes: &[] };
        for (path, text) in FILES {
            assert!(!stamp(text, &build).unwrap().contains('%'), "{path}");
        }
    }

    #[test]
    fn every_embedded_file_is_listed() {
        let dir = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cli/demo/files");
        let mut found = Vec::new();
        let mut folders = vec![dir.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => folders.push(path),
                    false => found.push(path.strip_prefix(&dir).unwrap().to_str().unwrap().to_owned()),
                }
            }
        }
        found.retain(|path| path != "pipeline.yaml");
        found.sort();
        assert_eq!(found, FILES.iter().map(|(path, _)| *path).collect::<Vec<_>>());
    }
}
