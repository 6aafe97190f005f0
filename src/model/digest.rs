//! Content addresses: `sha256:` and 64 lower-case hex digits, nothing else.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

/// A sha256 digest in OCI's spelling (image-spec, descriptor: digests).
///
/// Other algorithms and upper-case hex are refused: a digest that can be spelled
/// two ways can't be compared as text, and every comparison here is exact.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

/// Why a text is not a digest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a digest: expected `sha256:` and 64 lower-case hex digits")]
pub struct DigestError(pub String);

impl Digest {
    /// The digest of bytes in memory.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The 64 hex digits without the algorithm.
    pub fn hex(&self) -> String {
        hex::encode(self.0)
    }

    /// The first 12 hex digits: for names and for people, never for comparing.
    pub fn short(&self) -> String {
        hex::encode(&self.0[..6])
    }
}

/// Computes a digest over a stream, so that nothing has to be held in memory.
#[derive(Default)]
pub struct Hasher(Sha256, u64);

impl Hasher {
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
        self.1 += bytes.len() as u64;
    }

    /// Bytes seen so far.
    pub fn len(&self) -> u64 {
        self.1
    }

    pub fn is_empty(&self) -> bool {
        self.1 == 0
    }

    pub fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

impl std::io::Write for Hasher {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl FromStr for Digest {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, DigestError> {
        let error = || DigestError(text.to_owned());
        let digits = text.strip_prefix("sha256:").ok_or_else(error)?;
        if digits.len() != 64 || !digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) {
            return Err(error());
        }
        let mut bytes = [0; 32];
        hex::decode_to_slice(digits, &mut bytes).map_err(|_| error())?;
        Ok(Self(bytes))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", self.hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &str = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    #[test]
    fn round_trips_its_spelling() {
        let digest: Digest = EMPTY.parse().unwrap();
        assert_eq!(digest, Digest::of(b""));
        assert_eq!(digest.to_string(), EMPTY);
        assert_eq!(digest.short(), "e3b0c44298fc");
    }

    #[test]
    fn refuses_every_other_spelling() {
        let upper = EMPTY.to_uppercase().replace("SHA256", "sha256");
        for text in [&EMPTY[7..], &EMPTY[..70], &upper, &EMPTY.replace("256:", "512:"), &format!("{EMPTY} ")] {
            assert!(text.parse::<Digest>().is_err(), "{text}");
        }
    }
}
