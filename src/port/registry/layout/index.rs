//! `index.json`: read leniently, changed in one entry, everything else kept as it was.

use serde_json::{Map, Value, json};

use crate::model::manifest::OCI_INDEX;
use crate::model::{Descriptor, Digest, Manifest, Tag};

/// The annotation that names an entry (OCI image-spec, annotations).
const REF_NAME: &str = "org.opencontainers.image.ref.name";

/// A layout's index. Entries other tools wrote are kept, whatever they say.
pub(super) struct Index(Map<String, Value>);

impl Index {
    pub fn empty() -> Self {
        let mut map = Map::new();
        map.insert("schemaVersion".into(), json!(2));
        map.insert("mediaType".into(), json!(OCI_INDEX));
        map.insert("manifests".into(), json!([]));
        Self(map)
    }

    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let map: Map<String, Value> = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if map.get("schemaVersion") != Some(&json!(2)) {
            return Err("schemaVersion is not 2".into());
        }
        match map.get("manifests") {
            Some(Value::Array(entries)) if entries.iter().all(Value::is_object) => Ok(Self(map)),
            _ => Err("`manifests` is not a list of descriptors".into()),
        }
    }

    pub fn bytes(&self) -> Vec<u8> {
        serde_json::to_vec_pretty(&self.0).expect("a map of JSON values always prints")
    }

    fn entries(&self) -> &[Value] {
        self.0.get("manifests").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
    }

    pub fn is_empty(&self) -> bool {
        self.entries().is_empty()
    }

    /// Names that are tags, sorted. Other tools also write whole references there; they
    /// name nothing in this repository.
    pub fn tags(&self) -> Vec<Tag> {
        let mut tags: Vec<Tag> = self.entries().iter().filter_map(name).filter_map(|name| name.parse().ok()).collect();
        tags.sort();
        tags.dedup();
        tags
    }

    /// What a tag names; two different answers are damage.
    pub fn tagged(&self, tag: &Tag) -> Result<Option<Descriptor>, String> {
        let mut found: Option<Descriptor> = None;
        for entry in self.entries().iter().filter(|entry| name(entry) == Some(tag.as_str())) {
            let entry = descriptor(entry)?;
            match &found {
                Some(first) if first.digest != entry.digest => {
                    return Err(format!("index.json names {tag} twice: {} and {}", first.digest, entry.digest));
                }
                _ => found = Some(entry),
            }
        }
        Ok(found)
    }

    /// The entry of a digest, tagged or not.
    pub fn listed(&self, digest: &Digest) -> Result<Option<Descriptor>, String> {
        let text = digest.to_string();
        let entry = self.entries().iter().find(|entry| entry.get("digest").and_then(Value::as_str) == Some(&text));
        entry.map(descriptor).transpose()
    }

    /// Makes a tag name a manifest, in the place of its old entry where there is one.
    pub fn set(&mut self, tag: &Tag, manifest: &Manifest) {
        let entry = json!({
            "mediaType": manifest.media_type(),
            "digest": manifest.digest(),
            "size": manifest.bytes().len(),
            "annotations": { REF_NAME: tag.as_str() },
        });
        let Some(Value::Array(entries)) = self.0.get_mut("manifests") else { return };
        let at = entries.iter().position(|entry| name(entry) == Some(tag.as_str())).unwrap_or(entries.len());
        entries.retain(|entry| name(entry) != Some(tag.as_str()));
        entries.insert(at.min(entries.len()), entry);
    }
}

fn name(entry: &Value) -> Option<&str> {
    entry.get("annotations")?.get(REF_NAME)?.as_str()
}

fn descriptor(entry: &Value) -> Result<Descriptor, String> {
    serde_json::from_value(entry.clone()).map_err(|error| format!("index.json has an unreadable entry: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_others_wrote() {
        let foreign = format!(
            r#"{{"schemaVersion":2,"x":1,"manifests":[{{"mediaType":"a","digest":"sha512:00","size":1}},
            {{"mediaType":"{OCI_INDEX}","digest":"{d}","size":3,"annotations":{{"{REF_NAME}":"v1"}}}}]}}"#,
            d = Digest::of(b"old")
        );
        let mut index = Index::parse(foreign.as_bytes()).unwrap();
        let tag: Tag = "v1".parse().unwrap();
        assert_eq!(index.tagged(&tag).unwrap().unwrap().digest, Digest::of(b"old"));
        let manifest = Manifest::new(br#"{"schemaVersion":2,"manifests":[]}"#.to_vec(), Some(OCI_INDEX)).unwrap();
        index.set(&tag, &manifest);
        let again = Index::parse(&index.bytes()).unwrap();
        assert_eq!(again.tagged(&tag).unwrap().unwrap().digest, manifest.digest());
        assert_eq!(again.entries().len(), 2);
        assert_eq!(again.0.get("x"), Some(&json!(1)));
        assert_eq!(again.tags(), [tag]);
    }

    #[test]
    fn refuses_what_is_not_an_index() {
        for text in ["", "[]", "{}", r#"{"schemaVersion":1,"manifests":[]}"#, r#"{"schemaVersion":2,"manifests":[1]}"#]
        {
            assert!(Index::parse(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn a_tag_that_names_two_things_is_damage() {
        let entry = |seed: &str| {
            json!({"mediaType": OCI_INDEX, "digest": Digest::of(seed.as_bytes()), "size": 1,
            "annotations": {REF_NAME: "v1"}})
        };
        let text = json!({"schemaVersion": 2, "manifests": [entry("a"), entry("b")]}).to_string();
        assert!(Index::parse(text.as_bytes()).unwrap().tagged(&"v1".parse().unwrap()).is_err());
    }
}
