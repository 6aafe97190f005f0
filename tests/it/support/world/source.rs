//! A repository before any candidate: its files, with a placeholder for the version.

use std::collections::BTreeMap;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use super::Shipped;

/// A file of a checkout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum File {
    Plain(Vec<u8>),
    Executable(Vec<u8>),
    Link(Vec<u8>),
}

pub type Files = BTreeMap<String, File>;

#[derive(Clone)]
pub struct Source {
    /// By path in the repository.
    pub files: Files,
    /// The version that the files carry.
    pub version: String,
}

impl File {
    pub fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Plain(bytes) | Self::Executable(bytes) => Some(bytes),
            Self::Link(_) => None,
        }
    }

    pub fn edit(&mut self, edit: impl FnOnce(&[u8]) -> Vec<u8>) {
        if let Self::Plain(bytes) | Self::Executable(bytes) = self {
            *bytes = edit(bytes);
        }
    }
}

impl Source {
    /// A pipeline's own tree: `fixtures/world/<name>`.
    pub fn fixture(shipped: &Shipped) -> Self {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/world").join(&shipped.name);
        let name = &shipped.name;
        assert!(dir.is_dir(), "pipelines/{name}.yaml needs a tree in fixtures/world/{name}: see the README there");
        Self::read(&dir, "0.0.0-rc.0")
    }

    pub fn read(dir: &Path, version: &str) -> Self {
        let mut files = Files::new();
        read(dir, "", &mut files);
        assert!(!files.is_empty(), "{}: nothing in it", dir.display());
        Self { files, version: version.to_owned() }
    }

    /// Writes the files below a checkout, over what is there.
    pub fn write(&self, checkout: &Path) {
        write(checkout, &self.files);
    }
}

fn read(dir: &Path, below: &str, files: &mut Files) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{below}{}", path.file_name().unwrap().to_str().unwrap());
        let meta = std::fs::symlink_metadata(&path).unwrap();
        if meta.is_dir() {
            read(&path, &format!("{name}/"), files);
        } else if meta.is_symlink() {
            let target = std::fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes();
            files.insert(name, File::Link(target));
        } else {
            let bytes = std::fs::read(&path).unwrap();
            let runs = meta.permissions().mode() & 0o100 != 0;
            files.insert(name, if runs { File::Executable(bytes) } else { File::Plain(bytes) });
        }
    }
}

pub fn write(checkout: &Path, files: &Files) {
    for (name, file) in files {
        let path = checkout.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let _ = std::fs::remove_file(&path);
        match file {
            File::Link(target) => symlink(std::str::from_utf8(target).unwrap(), &path).unwrap(),
            File::Plain(bytes) | File::Executable(bytes) => {
                std::fs::write(&path, bytes).unwrap();
                let mode = if matches!(file, File::Executable(_)) { 0o755 } else { 0o644 };
                std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
            }
        }
    }
}
