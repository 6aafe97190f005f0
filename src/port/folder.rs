//! Files that a person brings in a folder.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::sync::Arc;

use crate::model::{Blob, Content, Descriptor, Hasher};

/// What a file is called where nothing better is known (RFC 2046).
const BYTES: &str = "application/octet-stream";

/// The files of a folder, sorted by name: copied below `spool` and hashed on the way, so that what
/// is uploaded is what was looked at, whatever becomes of the folder meanwhile.
///
/// # Errors
/// Names the file: one that can't be read, whose name is no text, or that is no plain file.
pub fn read(folder: &Path, spool: &Path) -> io::Result<Vec<(String, Blob)>> {
    let named = |path: &Path, error: &dyn std::fmt::Display| io::Error::other(format!("{}: {error}", path.display()));
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|error| named(folder, &error))? {
        let path = entry.map_err(|error| named(folder, &error))?.path();
        let name = path.file_name().and_then(|name| name.to_str()).map(str::to_owned);
        let name = name.ok_or_else(|| named(&path, &"its name is not text"))?;
        // A link is as good as what it names; a folder is not.
        let metadata = std::fs::metadata(&path).map_err(|error| named(&path, &error))?;
        if !metadata.is_file() {
            return Err(named(&path, &"is not a file; a release's assets are files, side by side"));
        }
        files.push((name, freeze(&path, spool).map_err(|error| named(&path, &error))?));
    }
    files.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(files)
}

/// A spooled file that is known to be small.
///
/// # Errors
/// Also when it is larger than `limit` bytes.
pub fn small(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(io::Error::other("it is too large")) } else { Ok(bytes) }
}

fn freeze(path: &Path, spool: &Path) -> io::Result<Blob> {
    let mut from = File::open(path)?;
    let mut copy = tempfile::Builder::new().prefix("asset-").tempfile_in(spool)?;
    let (mut hasher, mut size, mut buffer) = (Hasher::default(), 0, vec![0; 1 << 16]);
    loop {
        let read = from.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        hasher.update(&buffer[..read]);
        copy.write_all(&buffer[..read])?;
        size += read as u64;
    }
    copy.flush()?;
    copy.rewind()?;
    let descriptor = Descriptor { media_type: BYTES.into(), size, digest: hasher.finish(), platform: None };
    Ok(Blob { descriptor, content: Content::File(Arc::new(copy.into_temp_path())) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Digest;

    #[test]
    fn what_was_looked_at_stays_what_it_was() {
        let (folder, spool) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::write(folder.path().join("b.txt"), "b").unwrap();
        std::fs::write(folder.path().join("a.txt"), "a").unwrap();
        let files = read(folder.path(), spool.path()).unwrap();
        std::fs::write(folder.path().join("a.txt"), "changed").unwrap();
        let [(a, blob), (b, _)] = files.as_slice() else { panic!("{files:?}") };
        assert_eq!((a.as_str(), b.as_str()), ("a.txt", "b.txt"));
        assert_eq!((blob.descriptor.digest, blob.descriptor.size), (Digest::of(b"a"), 1));
        let Content::File(copy) = &blob.content else { panic!() };
        assert_eq!(small(copy, 1).unwrap(), b"a");
        assert!(small(copy, 0).is_err());
    }

    #[test]
    fn a_folder_in_the_folder_is_no_asset() {
        let (folder, spool) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::create_dir(folder.path().join("sub")).unwrap();
        let error = read(folder.path(), spool.path()).unwrap_err().to_string();
        assert!(error.contains("sub: is not a file"), "{error}");
        let error = read(&folder.path().join("none"), spool.path()).unwrap_err().to_string();
        assert!(error.contains("none"), "{error}");
    }
}
