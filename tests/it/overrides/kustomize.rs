//! Case by case: what kustomize makes of an image, and what is made of it here.

use serde_json::{Value, json};

use super::{apply, read, rewrite, rules, table};
use sealift::overrides::{self, TableError};

const IMAGES: &str = include_str!("../../../fixtures/overrides/images.tsv");
const PLACES: &str = include_str!("../../../fixtures/overrides/places.tsv");

/// The rows of a file: five cells each, the header left out.
fn rows(text: &str) -> Vec<[String; 5]> {
    let spelled =
        text.replace("<a64>", super::HEX).replace("<b64>", &"b".repeat(64)).replace("<c128>", &"c".repeat(128));
    let row = |line: &str| -> [String; 5] {
        let cells: Vec<String> = line.split('\t').map(str::to_owned).collect();
        cells.try_into().unwrap_or_else(|cells| panic!("{cells:?}"))
    };
    spelled.lines().skip(1).map(row).collect()
}

/// What sealift makes of one image.
fn made(image: &str, entries: &str) -> String {
    // JSON is YAML, so a table is written as it stands.
    let table = match read(entries) {
        Ok(table) => table,
        Err(TableError::Invalid(problems)) => return format!("invalid {}", rules(&problems).join(" ")),
        Err(error) => panic!("{error}"),
    };
    let manifest = json!({ "spec": { "containers": [{ "image": image }] } }).to_string();
    match rewrite(&table, &manifest) {
        Err(rules) => format!("refused {}", rules.join(" ")),
        Ok(after) => {
            let after: Value = serde_json::from_str(&after).unwrap();
            after["spec"]["containers"][0]["image"].as_str().unwrap().to_owned()
        }
    }
}

#[test]
fn images_are_as_in_kustomize_or_differ_on_purpose() {
    let rows = rows(IMAGES);
    assert!(rows.len() > 40, "{} rows", rows.len());
    for [image, entries, kustomize, sealift, why] in rows {
        let image: String = serde_json::from_str(&image).unwrap();
        let (expected, unpins) = match sealift.strip_suffix(" unpins") {
            Some(expected) => (expected, true),
            None => (sealift.as_str(), false),
        };
        let made = made(&image, &entries);
        let expected = if expected == "=" { &kustomize } else { expected };
        assert_eq!(made, expected, "{image} {entries}");
        assert!(made == kustomize || !why.is_empty(), "{image} {entries}: no reason for the difference");
        // No digest is lost in silence.
        if let Ok(table) = read(&entries) {
            let manifest = json!({ "spec": { "containers": [{ "image": image }] } }).to_string();
            let applied = apply(&table, manifest).unwrap();
            assert_eq!(applied.edits.iter().any(|edit| edit.unpinned), unpins, "{image} {entries}");
            let told = overrides::warnings(&table, &[("m".to_owned(), applied)]);
            assert_eq!(rules(&told).contains(&"unpins"), unpins, "{image} {entries}");
        }
    }
}

#[test]
fn places_are_as_in_kustomize_or_differ_on_purpose() {
    let table = table("[{name: nginx, newTag: v2}]");
    let rows = rows(PLACES);
    assert!(rows.len() > 20, "{} rows", rows.len());
    for [place, manifest, kustomize, sealift, why] in rows {
        let manifest: String = serde_json::from_str(&manifest).unwrap();
        let made = match rewrite(&table, &manifest) {
            Err(rules) => format!("refused {}", rules.join(" ")),
            // Of a shared node one edit is enough.
            Ok(after) if place == "an anchor on an image" => {
                assert!(after.contains("&i nginx:v2") && after.contains("{image: nginx:v2}"), "{after}");
                "2".to_owned()
            }
            Ok(after) => after.matches("nginx:v2").count().to_string(),
        };
        assert_eq!(made, sealift, "{place}");
        assert!(made == kustomize || !why.is_empty(), "{place}: no reason for the difference");
    }
}

#[test]
fn the_differences_are_in_the_page() {
    let page = include_str!("../../../docs/overrides.md");
    let differ = rows(IMAGES).into_iter().chain(rows(PLACES)).filter(|[_, _, kustomize, sealift, _]| {
        !sealift.starts_with('=') && sealift != kustomize && !(sealift.starts_with("invalid") && kustomize == "error")
    });
    let reasons: std::collections::BTreeSet<String> = differ.map(|[.., why]| why.replace(super::HEX, "")).collect();
    assert!(reasons.len() > 10, "{reasons:?}");
    for reason in reasons {
        let words = reason.split(';').next().unwrap_or_default().trim();
        assert!(page.contains(words), "docs/overrides.md doesn't say: {words}");
    }
}
