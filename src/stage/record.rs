//! `sealift.json`: what a release's assets must be. Uploaded last, so its presence says that all are there.

use serde::{Deserialize, Serialize};

use super::World;
use crate::model::{Blob, CommitId, Content, Descriptor, Digest};
use crate::pipeline::Assets;
use crate::promotion::history::Pin;

/// The record's own name among a release's assets.
pub const NAME: &str = Assets::RECORD;
/// More than any record has.
pub const LIMIT: u64 = 1 << 20;
/// The form of record that is written here.
const SCHEMA: u32 = 1;

/// What was promoted, and the files that belong to it. Keys that a later sealift adds are left
/// aside; another schema is not read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    pub schema: u32,
    pub version: String,
    pub candidate: String,
    pub candidate_commit: String,
    pub candidate_artifact: Digest,
    /// What built assets are built from.
    pub commit: String,
    pub artifact: Digest,
    pub assets: Vec<File>,
}

/// An asset as it must be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    pub name: String,
    pub size: u64,
    pub sha256: Digest,
}

impl File {
    pub fn of(name: &str, blob: &Blob) -> Self {
        Self { name: name.to_owned(), size: blob.descriptor.size, sha256: blob.descriptor.digest }
    }
}

impl Record {
    /// The record of this promotion with these files.
    pub fn of(world: &World<'_>, pin: Pin, assets: Vec<File>) -> Self {
        let candidate = &world.promotion.candidate;
        Self {
            schema: SCHEMA,
            version: format!("v{}", candidate.rc.stable),
            candidate: format!("v{}", candidate.rc),
            candidate_commit: candidate.rc_commit.to_string(),
            candidate_artifact: candidate.rc_artifact,
            commit: pin.commit.to_string(),
            artifact: pin.artifact,
            assets,
        }
    }

    /// Reads a record; the error says what is wrong with it.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Schema {
            schema: u32,
        }
        let Schema { schema } = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if schema != SCHEMA {
            return Err(format!("it is of schema {schema}, this sealift reads {SCHEMA}"));
        }
        serde_json::from_slice(bytes).map_err(|error| error.to_string())
    }

    /// Whether it was made for the same commit and artifact, whatever its files.
    pub fn is_of(&self, pin: Pin) -> bool {
        self.commit.parse::<CommitId>().is_ok_and(|commit| commit == pin.commit) && self.artifact == pin.artifact
    }

    /// The bytes that are uploaded.
    pub fn blob(&self) -> Blob {
        let mut bytes = serde_json::to_vec_pretty(self).expect("texts and numbers are JSON");
        bytes.push(b'\n');
        let descriptor = Descriptor {
            media_type: "application/json".into(),
            size: bytes.len() as u64,
            digest: Digest::of(&bytes),
            platform: None,
        };
        Blob { descriptor, content: Content::Bytes(bytes.into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        Record {
            schema: SCHEMA,
            version: "v1.6.2".into(),
            candidate: "v1.6.2-rc.1".into(),
            candidate_commit: "0123456789abcdef0123456789abcdef01234567".into(),
            candidate_artifact: Digest::of(b"rc"),
            commit: "89abcdef0123456789abcdef0123456789abcdef".into(),
            artifact: Digest::of(b"candidate"),
            assets: vec![File { name: "a.txt".into(), size: 1, sha256: Digest::of(b"a") }],
        }
    }

    fn bytes(record: &Record) -> Vec<u8> {
        let Content::Bytes(bytes) = record.blob().content else { panic!() };
        bytes.to_vec()
    }

    #[test]
    fn is_read_back() {
        assert_eq!(Record::read(&bytes(&record())), Ok(record()));
        let text = String::from_utf8(bytes(&record())).unwrap();
        let later = text.replacen('{', "{\n  \"more\": true,", 1);
        assert_eq!(Record::read(later.as_bytes()), Ok(record()));
    }

    #[test]
    fn another_schema_is_not_guessed_at() {
        let newer = bytes(&Record { schema: 2, ..record() });
        assert!(Record::read(&newer).unwrap_err().contains("schema 2"));
        for text in ["", "{}", "[]", "null", "{\"schema\": 1}"] {
            assert!(Record::read(text.as_bytes()).is_err(), "{text}");
        }
    }
}
