//! One layout's files: verified reads, writes by rename, the lock.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use super::super::{At, WriteError};
use super::index::Index;
use crate::model::{Descriptor, Digest, Hasher, Manifest, Repository, Tag, Unknown};
use crate::port::turn::Turn;
use crate::port::whole::NewFile;

const MARKER: &str = "oci-layout";
const INDEX: &str = "index.json";
/// No repository component starts with a dot, so this can't be one.
const LOCK: &str = ".sealift.lock";
const VERSION: &str = r#"{"imageLayoutVersion":"1.0.0"}"#;

/// Where one repository's layout is.
#[derive(Clone)]
pub(super) struct Place {
    root: PathBuf,
    dir: PathBuf,
    repository: Repository,
}

impl Place {
    pub fn new(root: &Path, repository: &Repository) -> Self {
        let dir = root.join(repository.host().replace(':', "_")).join(repository.path());
        Self { root: root.to_owned(), dir, repository: repository.clone() }
    }

    pub fn name(&self, at: &At) -> String {
        match at {
            At::Tag(tag) => format!("{}:{tag}", self.repository),
            At::Digest(digest) => format!("{}@{digest}", self.repository),
        }
    }

    pub fn refused(&self, tag: Option<&Tag>, detail: String) -> WriteError {
        let what = tag.map_or_else(|| self.repository.to_string(), |tag| format!("{}:{tag}", self.repository));
        WriteError::Refused { what, status: None, detail }
    }

    fn unknown(&self, path: &Path, detail: impl std::fmt::Display) -> Unknown {
        Unknown::new(&self.repository, format!("{}: {detail}", path.display()))
    }

    fn blobs(&self) -> PathBuf {
        self.dir.join("blobs/sha256")
    }

    fn read(&self, name: &str) -> Result<Option<Vec<u8>>, Unknown> {
        let path = self.dir.join(name);
        found(fs::read(&path)).map_err(|error| self.unknown(&path, error))
    }

    /// The index, or `None` where there is no layout. Marker and index are two files: a pair
    /// that doesn't fit may be a layout in the making, so it is looked at twice.
    pub fn read_index(&self) -> Result<Option<Index>, Unknown> {
        match fs::metadata(&self.root) {
            Ok(meta) if meta.is_dir() => {}
            Ok(_) => return Err(self.unknown(&self.root, "not a directory")),
            Err(error) => {
                return Err(self.unknown(&self.root, format!("{error}; a layout registry's directory must exist")));
            }
        }
        self.read_pair().or_else(|_| self.read_pair())
    }

    fn read_pair(&self) -> Result<Option<Index>, Unknown> {
        let damaged = |detail: &str| self.unknown(&self.dir, format!("damaged layout: {detail}"));
        let marker = self.read(MARKER)?;
        let index = match self.read(INDEX)? {
            Some(bytes) => Some(Index::parse(&bytes).map_err(|error| damaged(&format!("{INDEX}: {error}")))?),
            None => None,
        };
        if let Some(bytes) = &marker {
            let value: serde_json::Value = serde_json::from_slice(bytes).unwrap_or_default();
            if value.get("imageLayoutVersion").and_then(|v| v.as_str()) != Some("1.0.0") {
                return Err(damaged("`oci-layout` does not say imageLayoutVersion 1.0.0"));
            }
        }
        match (marker, index) {
            (Some(_), Some(index)) => Ok(Some(index)),
            (None, None) => Ok(None),
            // Creation writes the empty index first: a crash in between named nothing yet.
            (None, Some(index)) if index.is_empty() => Ok(None),
            (None, Some(_)) => Err(damaged("`oci-layout` is missing")),
            (Some(_), None) => Err(damaged("`index.json` is missing")),
        }
    }

    /// Makes the layout where there is none; never repairs a damaged one.
    pub fn create(&self) -> Result<(), WriteError> {
        if self.read_index()?.is_some() {
            return Ok(());
        }
        let make = || {
            fs::create_dir_all(self.blobs())?;
            let _turn = self.turn()?;
            if !self.dir.join(INDEX).try_exists()? {
                self.replace(INDEX, &Index::empty().bytes())?;
            }
            if !self.dir.join(MARKER).try_exists()? {
                self.replace(MARKER, VERSION.as_bytes())?;
            }
            Ok(())
        };
        make().map_err(|error: io::Error| self.refused(None, format!("{}: {error}", self.dir.display())))
    }

    fn turn(&self) -> io::Result<Turn> {
        Turn::at(&self.dir.join(LOCK))
    }

    /// Points a tag at a manifest that is already stored.
    pub fn update_index(&self, tag: &Tag, manifest: &Manifest) -> Result<(), WriteError> {
        let refused = |error: io::Error| self.refused(Some(tag), format!("{}: {error}", self.dir.display()));
        let _turn = self.turn().map_err(refused)?;
        let mut index = self
            .read_index()?
            .ok_or_else(|| self.refused(Some(tag), "the layout vanished while it was written to".into()))?;
        if matches!(index.tagged(tag), Ok(Some(now)) if now.digest == manifest.digest()) {
            return Ok(());
        }
        index.set(tag, manifest);
        self.replace(INDEX, &index.bytes()).map_err(refused)
    }

    fn replace(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut file = NewFile::at(&self.dir.join(name))?;
        file.write_all(bytes)?;
        file.appear()
    }

    /// A blob's bytes once they hash right; `size`, where known, is checked before reading.
    pub fn read_blob(&self, digest: &Digest, size: Option<u64>) -> Result<Option<Vec<u8>>, Unknown> {
        let path = self.blobs().join(digest.hex());
        let wrong = |detail: String| self.unknown(&path, format!("damaged blob: {detail}"));
        let Some(meta) = found(fs::metadata(&path)).map_err(|error| self.unknown(&path, error))? else {
            return Ok(None);
        };
        if let Some(size) = size.filter(|&size| size != meta.len()) {
            return Err(wrong(format!("{} bytes, expected {size}", meta.len())));
        }
        let Some(bytes) = found(fs::read(&path)).map_err(|error| self.unknown(&path, error))? else { return Ok(None) };
        match Digest::of(&bytes) {
            actual if actual == *digest => Ok(Some(bytes)),
            actual => Err(wrong(format!("its bytes hash to {actual}"))),
        }
    }

    /// Whether a blob is there and whole, without holding it in memory.
    pub fn check_blob(&self, digest: &Digest) -> Result<Option<()>, Unknown> {
        let path = self.blobs().join(digest.hex());
        match found(hash(&path)).map_err(|error| self.unknown(&path, error))? {
            None => Ok(None),
            Some((actual, _)) if actual == *digest => Ok(Some(())),
            Some((actual, _)) => Err(self.unknown(&path, format!("damaged blob: its bytes hash to {actual}"))),
        }
    }

    pub fn has_file(&self, part: &Descriptor) -> Result<bool, Unknown> {
        let path = self.blobs().join(part.digest.hex());
        let meta = found(fs::metadata(&path)).map_err(|error| self.unknown(&path, error))?;
        Ok(meta.is_some_and(|meta| meta.is_file() && meta.len() == part.size))
    }

    /// Stores a blob under its digest, hashed on the way; a damaged file of that name is replaced.
    pub fn write_blob(&self, digest: &Digest, size: u64, content: &mut dyn Read) -> Result<(), WriteError> {
        let path = self.blobs().join(digest.hex());
        if matches!(hash(&path), Ok((actual, _)) if actual == *digest) {
            return Ok(());
        }
        let failed = |error: io::Error| self.refused(None, format!("{}: {error}", path.display()));
        let mut file = NewFile::at(&path).map_err(failed)?;
        let (actual, length) = copy(content, &mut file).map_err(failed)?;
        if (actual, length) != (*digest, size) {
            return Err(self.refused(
                None,
                format!("DIGEST_INVALID: got {length} bytes of {actual}, expected {size} of {digest}"),
            ));
        }
        file.appear().map_err(failed)
    }

    pub fn copy_blob(&self, source: &Self, digest: &Digest) -> Result<(), WriteError> {
        let path = source.blobs().join(digest.hex());
        let failed = |error: io::Error| self.refused(None, format!("{}: {error}", path.display()));
        let mut file = File::open(&path).map_err(failed)?;
        let size = file.metadata().map_err(failed)?.len();
        self.write_blob(digest, size, &mut file)
    }
}

/// Only "no such file" is absence; "not a directory", "permission denied" and the rest are not.
fn found<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn hash(path: &Path) -> io::Result<(Digest, u64)> {
    copy(&mut File::open(path)?, &mut io::sink())
}

fn copy(from: &mut dyn Read, to: &mut dyn Write) -> io::Result<(Digest, u64)> {
    let (mut hasher, mut buffer) = (Hasher::default(), vec![0; 64 * 1024]);
    loop {
        match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(n) => {
                let chunk = buffer.get(..n).unwrap_or_default();
                hasher.update(chunk);
                to.write_all(chunk)?;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let length = hasher.len();
    Ok((hasher.finish(), length))
}
