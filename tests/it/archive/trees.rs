//! A tree to archive that can misbehave.

use std::collections::BTreeMap;
use std::io::{self, Read};

use sealift::port::registry::{Blob, Content};
use sealift::tree::{Entry, Kind, Tree, TreeError};

/// Entries as they were put, listed in whatever order is asked for.
#[derive(Clone, Debug, Default)]
pub struct Made {
    pub nodes: BTreeMap<Vec<u8>, (Kind, u32, Vec<u8>)>,
    pub root_mode: Option<u32>,
    pub reversed: bool,
    /// Handed out at most so many bytes a read; 0 is all at once.
    pub chunk: usize,
    /// What listing says a file's size is, where it lies.
    pub lie: Option<(Vec<u8>, u64)>,
    /// A file whose reading breaks.
    pub broken: Option<Vec<u8>>,
}

impl Made {
    pub fn put(mut self, path: impl AsRef<[u8]>, mode: u32, bytes: impl Into<Vec<u8>>) -> Self {
        self.nodes.insert(path.as_ref().to_vec(), (Kind::File, mode, bytes.into()));
        self
    }

    pub fn dir(mut self, path: impl AsRef<[u8]>, mode: u32) -> Self {
        self.nodes.insert(path.as_ref().to_vec(), (Kind::Directory, mode, Vec::new()));
        self
    }

    pub fn other(mut self, path: impl AsRef<[u8]>, kind: Kind) -> Self {
        self.nodes.insert(path.as_ref().to_vec(), (kind, 0o777, Vec::new()));
        self
    }

    /// A chart or package of text files; folders come with them.
    pub fn text(files: &[(&str, &str)]) -> Self {
        let mut tree = Self::default();
        for (path, content) in files {
            for (slash, _) in path.match_indices('/') {
                tree = tree.dir(&path[..slash], 0o755);
            }
            tree = tree.put(path, 0o644, *content);
        }
        tree
    }
}

struct Chunked<'a>(&'a [u8], usize, bool);

impl Read for Chunked<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.2 {
            return Err(io::Error::other("the disk is on fire"));
        }
        let room = if self.1 == 0 { buffer.len() } else { buffer.len().min(self.1) };
        self.0.read(&mut buffer[..room])
    }
}

impl Tree for Made {
    fn entries(&self) -> Result<Vec<Entry>, TreeError> {
        let entry = |(path, (kind, mode, bytes)): (&Vec<u8>, &(Kind, u32, Vec<u8>))| {
            let lie = self.lie.as_ref().filter(|(p, _)| p == path).map(|(_, size)| *size);
            let size = if *kind == Kind::File { lie.unwrap_or(bytes.len() as u64) } else { 0 };
            Entry { path: path.clone(), kind: *kind, mode: *mode, size }
        };
        let mut all: Vec<_> = self.nodes.iter().map(entry).collect();
        if self.reversed {
            all.reverse();
        }
        Ok(all)
    }

    fn open(&self, path: &[u8]) -> Result<Box<dyn Read + '_>, TreeError> {
        match self.nodes.get(path) {
            Some((Kind::File, _, bytes)) => {
                let broken = self.broken.as_deref() == Some(path);
                Ok(Box::new(Chunked(bytes, self.chunk, broken)))
            }
            _ => Err(self.error(path, io::ErrorKind::NotFound.into())),
        }
    }

    fn root_mode(&self) -> u32 {
        self.root_mode.unwrap_or(0o755)
    }

    fn describe(&self) -> String {
        "made".into()
    }
}

/// A blob's bytes, wherever they are.
pub fn bytes(blob: &Blob) -> Vec<u8> {
    match &blob.content {
        Content::Bytes(bytes) => bytes.to_vec(),
        Content::File(path) => std::fs::read(&**path).unwrap(),
    }
}
