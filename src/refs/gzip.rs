//! gzip copies: looked into, and made again the same way every time.

use std::io::{self, Read, Write};

use flate2::read::MultiGzDecoder;
use flate2::{Compression, GzBuilder};

/// Content larger than this is refused, so that a small file can't fill the memory.
const LIMIT: u64 = 1 << 30;

/// Whether the bytes begin as a gzip member does (RFC 1952, section 2.3.1).
pub(super) fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b, 8])
}

pub(super) fn decompress(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let too_large = || io::Error::new(io::ErrorKind::FileTooLarge, "its content is larger than 1 GiB");
    decompress_within(bytes, LIMIT)?.ok_or_else(too_large)
}

/// `None`: its content is larger.
pub(super) fn decompress_within(bytes: &[u8], limit: u64) -> io::Result<Option<Vec<u8>>> {
    let mut content = Vec::new();
    MultiGzDecoder::new(bytes).take(limit.saturating_add(1)).read_to_end(&mut content)?;
    Ok((content.len() as u64 <= limit).then_some(content))
}

/// Compresses as `gzip -n9` would head it: no name, no time, from Unix. The compressed bytes
/// are those of the pinned encoder, the same on every machine; GNU gzip makes others of the
/// same content.
pub(super) fn compress(content: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzBuilder::new().mtime(0).operating_system(3).write(Vec::new(), Compression::best());
    encoder.write_all(content)?;
    encoder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trips_without_name_and_time() {
        let packed = compress(b"content").unwrap();
        assert_eq!(packed[..10], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 3]);
        assert_eq!(decompress(&packed).unwrap(), b"content");
        assert_eq!(packed, compress(b"content").unwrap());
        assert_eq!(decompress(&[packed.clone(), packed.clone()].concat()).unwrap(), b"contentcontent");
        assert!(decompress(&packed[..packed.len() - 1]).is_err());
        assert!(is_gzip(&packed) && !is_gzip(b"content"));
    }
}
