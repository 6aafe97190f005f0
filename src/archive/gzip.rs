//! gzip, both ways: one pinned encoder out, a bounded decoder in.

use std::io::{self, Read, Write};

use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};

use super::ReadError;

/// What the encoder is fed with: blocks of this size, whatever was written to it.
pub(super) const BLOCK: usize = 64 * 1024;

/// Deflate level. The same as Flux's, though the encoders' bytes differ.
const LEVEL: u32 = 6;

/// An archive this small unpacked may have any ratio: a header of zeros packs very well.
const RATIO_FLOOR: u64 = 1024 * 1024;

/// A gzip writer whose bytes depend on the content alone. The header has no name, no time
/// and an unknown system (RFC 1952): `1f 8b 08 00 00000000 00 ff`.
pub(super) struct Gzip<W: Write> {
    encoder: GzEncoder<W>,
    block: Vec<u8>,
}

impl<W: Write> Gzip<W> {
    pub(super) fn new(sink: W) -> Self {
        let encoder = GzBuilder::new().mtime(0).operating_system(255).write(sink, Compression::new(LEVEL));
        Self { encoder, block: Vec::with_capacity(BLOCK) }
    }

    /// Writes what is left and the trailer (CRC and length).
    pub(super) fn finish(mut self) -> io::Result<W> {
        self.encoder.write_all(&self.block)?;
        self.encoder.finish()
    }
}

impl<W: Write> Write for Gzip<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (taken, _) = bytes.split_at(bytes.len().min(BLOCK - self.block.len()));
        self.block.extend_from_slice(taken);
        if self.block.len() == BLOCK {
            self.encoder.write_all(&self.block)?;
            self.block.clear();
        }
        Ok(taken.len())
    }

    /// Does nothing: a flush would show in the bytes.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// How much an archive may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Entries, directories included.
    pub entries: usize,
    /// Bytes of the uncompressed tar.
    pub bytes: u64,
    /// Uncompressed bytes for each compressed one. Archives of up to a MiB unpacked may have any.
    pub ratio: u64,
}

impl Default for Limits {
    /// A hundred thousand entries, 1 GiB, 200 to 1: twenty times a large platform's packages.
    fn default() -> Self {
        Self { entries: 100_000, bytes: 1 << 30, ratio: 200 }
    }
}

/// Unpacks one gzip member to its end, CRC and length checked, within limits.
///
/// A second member, or anything else after the first, is refused: Flux and Helm write one,
/// and readers differ on what the rest means.
pub(super) fn unpack(packed: &[u8], limits: &Limits) -> Result<Vec<u8>, ReadError> {
    let ratio = (packed.len() as u64).saturating_mul(limits.ratio).max(RATIO_FLOOR);
    let mut decoder = GzDecoder::new(packed);
    let mut content = Vec::new();
    loop {
        let step = (&mut decoder).take(BLOCK as u64).read_to_end(&mut content).map_err(ReadError::Gzip)?;
        let length = content.len() as u64;
        if length > limits.bytes {
            return Err(ReadError::Bytes { limit: limits.bytes });
        }
        if length > ratio {
            return Err(ReadError::Ratio { limit: limits.ratio });
        }
        if step == 0 {
            break;
        }
    }
    match decoder.into_inner().len() {
        0 => Ok(content),
        rest => Err(ReadError::AfterGzip { rest }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Digest;

    /// 300 kB of words and noise, the same everywhere.
    fn sample() -> Vec<u8> {
        let mut state = 1u32;
        let mut out = Vec::new();
        while out.len() < 300_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            match state >> 29 {
                0 => out.extend_from_slice(&state.to_le_bytes()),
                n => out.extend_from_slice(&b"image: registry.example/sealed@sha256: "[..(n as usize) * 5]),
            }
        }
        out
    }

    fn pack(content: &[u8], chunk: usize) -> Vec<u8> {
        let mut gzip = Gzip::new(Vec::new());
        for part in content.chunks(chunk) {
            gzip.write_all(part).unwrap();
            gzip.flush().unwrap();
        }
        gzip.finish().unwrap()
    }

    /// Fails when another deflate encoder gets in (a feature of flate2 that some dependency
    /// turned on, or a new version): every layer digest would change with it.
    #[test]
    fn the_encoder_is_the_pinned_one() {
        let packed = pack(&sample(), 1000);
        assert_eq!(packed[..10], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
        assert_eq!(
            Digest::of(&packed).to_string(),
            "sha256:781b26c5dba1043cb6cbcf844b532b04ff6153e0819a6bf63de3c39b662a814a"
        );
    }

    #[test]
    fn bytes_do_not_depend_on_how_they_came() {
        let content = sample();
        let whole = pack(&content, content.len());
        for chunk in [1, 7, 512, 8191, 65_535, 65_536, 65_537, 200_000] {
            assert_eq!(pack(&content, chunk), whole, "{chunk}");
        }
        assert_eq!(unpack(&whole, &Limits::default()).unwrap(), content);
    }

    #[test]
    fn one_member_whole_and_nothing_after_it() {
        let packed = pack(b"sealed", 6);
        let refusal = |bytes: &[u8]| unpack(bytes, &Limits::default()).unwrap_err().to_string();
        assert_eq!(unpack(&packed, &Limits::default()).unwrap(), b"sealed");
        assert!(refusal(&packed[..packed.len() - 1]).contains("not a whole gzip stream"));
        assert!(refusal(b"").contains("not a whole gzip stream"));
        assert!(refusal(b"plain").contains("not a whole gzip stream"));
        for at in [packed.len() - 8, packed.len() - 4, 12] {
            let mut broken = packed.clone();
            broken[at] ^= 1;
            assert!(refusal(&broken).contains("not a whole gzip stream"), "{at}");
        }
        assert!(refusal(&[packed.as_slice(), &packed].concat()).contains("bytes after the gzip stream"));
        assert!(refusal(&[packed.as_slice(), b"\0"].concat()).contains("1 bytes after the gzip stream"));
    }

    #[test]
    fn bombs_are_stopped_early() {
        let packed = pack(&vec![0; 8 << 20], 1 << 16);
        let wide = Limits { ratio: 2000, ..Limits::default() };
        assert_eq!(unpack(&packed, &wide).unwrap().len(), 8 << 20);
        assert!(matches!(unpack(&packed, &Limits::default()), Err(ReadError::Ratio { limit: 200 })));
        assert!(matches!(unpack(&packed, &Limits { bytes: 4 << 20, ..wide }), Err(ReadError::Bytes { .. })));
    }
}
