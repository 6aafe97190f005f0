//! A tree in a directory on disk.

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::{Entry, Kind, Tree, TreeError, not_a_directory, order};

/// A directory, seen as a checkout of its repository would be: a `.git` at its very top is
/// the repository's store and no content, everything else is listed.
///
/// Below the directory itself no symbolic link is ever followed, and whatever can't be
/// listed or read is an error, never an absence.
#[derive(Clone, Debug)]
pub struct DirTree {
    root: PathBuf,
}

impl DirTree {
    /// Opens a directory. The path itself may be a link: the user named it.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, TreeError> {
        let root = path.into();
        let tree = Self { root };
        let metadata = std::fs::metadata(&tree.root).map_err(|source| tree.error(b".", source))?;
        if !metadata.is_dir() {
            return Err(tree.error(b".", io::Error::new(io::ErrorKind::NotADirectory, "not a directory")));
        }
        Ok(tree)
    }

    /// The directory on disk.
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// Where a path of the tree is on disk, once no component of it but the last can be a link.
    fn locate(&self, path: &[u8]) -> io::Result<PathBuf> {
        let mut place = self.root.clone();
        let mut components = path.split(|&b| b == b'/').peekable();
        while let Some(component) = components.next() {
            if component.is_empty() || component == b"." || component == b".." || component.contains(&0) {
                return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a path inside a tree"));
            }
            place.push(OsStr::from_bytes(component));
            if components.peek().is_some() && !place.symlink_metadata()?.is_dir() {
                return Err(io::Error::new(io::ErrorKind::NotADirectory, "a component of the path is not a directory"));
            }
        }
        Ok(place)
    }

    fn walk(&self, directory: &Path, prefix: &[u8], entries: &mut Vec<Entry>) -> Result<(), TreeError> {
        let failed = |source| self.error(prefix, source);
        let mut names = Vec::new();
        for child in std::fs::read_dir(directory).map_err(failed)? {
            let child = child.map_err(failed)?;
            // Of the entry itself, never of what a link names; and relative to the directory, whose path is long.
            names.push((child.file_name().into_vec(), child.metadata()));
        }
        names.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        for (name, metadata) in names {
            if prefix.is_empty() && name == b".git" {
                continue;
            }
            let place = directory.join(OsStr::from_bytes(&name));
            let path = if prefix.is_empty() { name } else { [prefix, &name].join(&b'/') };
            let metadata = metadata.map_err(|source| self.error(&path, source))?;
            let found = entry(path.clone(), &metadata);
            let descend = found.kind == Kind::Directory;
            entries.push(found);
            if descend {
                self.walk(&place, &path, entries)?;
            }
        }
        Ok(())
    }
}

fn entry(path: Vec<u8>, metadata: &Metadata) -> Entry {
    let kind = match metadata.file_type() {
        t if t.is_file() => Kind::File,
        t if t.is_dir() => Kind::Directory,
        t if t.is_symlink() => Kind::Symlink,
        _ => Kind::Other,
    };
    let size = if kind == Kind::File { metadata.len() } else { 0 };
    Entry { path, kind, mode: metadata.mode() & 0o7777, size }
}

impl Tree for DirTree {
    fn entries(&self) -> Result<Vec<Entry>, TreeError> {
        let mut entries = Vec::new();
        self.walk(&self.root, b"", &mut entries)?;
        debug_assert!(entries.is_sorted_by(|a, b| order(&a.path, &b.path).is_lt()));
        Ok(entries)
    }

    fn find(&self, path: &[u8]) -> Result<Option<Entry>, TreeError> {
        match self.locate(path).and_then(|place| place.symlink_metadata()) {
            Ok(metadata) => Ok(Some(entry(path.to_vec(), &metadata))),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
            Err(error) => Err(self.error(path, error)),
        }
    }

    fn entries_under(&self, directory: &[u8]) -> Result<Vec<Entry>, TreeError> {
        if directory.is_empty() {
            return self.entries();
        }
        match self.find(directory)? {
            Some(Entry { kind: Kind::Directory, .. }) => {
                let place = self.locate(directory).map_err(|source| self.error(directory, source))?;
                let mut entries = Vec::new();
                self.walk(&place, directory, &mut entries)?;
                Ok(entries)
            }
            _ => Err(self.error(directory, not_a_directory())),
        }
    }

    fn open(&self, path: &[u8]) -> Result<Box<dyn Read + '_>, TreeError> {
        let open = || {
            let place = self.locate(path)?;
            match place.symlink_metadata()?.is_file() {
                true => File::open(place),
                false => Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")),
            }
        };
        Ok(Box::new(open().map_err(|source| self.error(path, source))?))
    }

    fn root_mode(&self) -> u32 {
        std::fs::metadata(&self.root).map_or(0o755, |metadata| metadata.mode() & 0o7777)
    }

    fn describe(&self) -> String {
        self.root.display().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    #[test]
    fn lists_in_the_order_of_components_with_modes_and_raw_names() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::create_dir_all(at("a/b")).unwrap();
        std::fs::create_dir_all(at(".git")).unwrap();
        std::fs::write(at("a/b/x"), "x").unwrap();
        std::fs::write(at("a.txt"), "12").unwrap();
        std::fs::set_permissions(at("a.txt"), std::fs::Permissions::from_mode(0o750)).unwrap();
        std::fs::write(dir.path().join(OsStr::from_bytes(b"\xff")), "").unwrap();
        symlink("a", at("link")).unwrap();
        let tree = DirTree::open(dir.path()).unwrap();
        let found: Vec<_> = tree.entries().unwrap();
        let paths: Vec<_> = found.iter().map(|e| e.path.as_slice()).collect();
        assert_eq!(paths, [&b"a"[..], b"a/b", b"a/b/x", b"a.txt", b"link", b"\xff"]);
        assert_eq!((found[3].mode, found[3].size, found[3].is_executable()), (0o750, 2, true));
        assert_eq!(found[4].kind, Kind::Symlink);
        let under: Vec<_> = tree.entries_under(b"a").unwrap().into_iter().map(|e| e.path).collect();
        assert_eq!(under, [b"a/b".to_vec(), b"a/b/x".to_vec()]);
        assert_eq!(tree.read(b"a/b/x").unwrap(), b"x");
    }

    #[test]
    fn never_follows_a_link_and_never_leaves_the_tree() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("a")).unwrap();
        std::fs::write(dir.path().join("a/x"), "x").unwrap();
        symlink("a", dir.path().join("b")).unwrap();
        symlink("a/x", dir.path().join("y")).unwrap();
        let tree = DirTree::open(dir.path()).unwrap();
        for path in [&b"b/x"[..], b"y", b"../x", b"a/../a/x", b"/etc/passwd", b"a", b"", b"a/x/z"] {
            assert!(tree.read(path).is_err(), "{}", path.escape_ascii());
        }
        assert!(tree.entries_under(b"b").is_err());
        assert!(tree.entries_under(b"missing").is_err());
        assert!(tree.find(b"b/x").unwrap().is_none());
        assert!(DirTree::open(dir.path().join("a/x")).is_err());
        assert!(DirTree::open(dir.path().join("missing")).is_err());
    }
}
