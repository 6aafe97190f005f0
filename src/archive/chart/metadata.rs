//! `Chart.yaml` as Helm reads it, and what is made of it: the OCI config and annotations.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::archive::{CREATED, json};

/// Helm's chart metadata. Field order is the order in the config's JSON, which is the order
/// Helm writes; what is empty is left out; what Helm doesn't know stays in the file only.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Metadata {
    #[serde(skip_serializing_if = "empty")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "empty")]
    home: Option<String>,
    #[serde(skip_serializing_if = "none")]
    sources: Option<Vec<String>>,
    #[serde(skip_serializing_if = "empty")]
    pub version: Option<String>,
    #[serde(skip_serializing_if = "empty")]
    description: Option<String>,
    #[serde(skip_serializing_if = "none")]
    keywords: Option<Vec<String>>,
    #[serde(skip_serializing_if = "none")]
    maintainers: Option<Vec<Maintainer>>,
    #[serde(skip_serializing_if = "empty")]
    icon: Option<String>,
    #[serde(skip_serializing_if = "empty")]
    pub api_version: Option<String>,
    #[serde(skip_serializing_if = "empty")]
    condition: Option<String>,
    #[serde(skip_serializing_if = "empty")]
    tags: Option<String>,
    #[serde(skip_serializing_if = "empty")]
    app_version: Option<String>,
    #[serde(skip_serializing_if = "no")]
    deprecated: Option<bool>,
    #[serde(skip_serializing_if = "no_entries")]
    annotations: Option<BTreeMap<String, String>>,
    #[serde(skip_serializing_if = "empty")]
    kube_version: Option<String>,
    #[serde(skip_serializing_if = "none")]
    pub dependencies: Option<Vec<Dependency>>,
    #[serde(skip_serializing_if = "empty")]
    pub r#type: Option<String>,
}

#[derive(Debug, Deserialize, Serialize)]
struct Maintainer {
    #[serde(skip_serializing_if = "empty")]
    name: Option<String>,
    #[serde(skip_serializing_if = "empty")]
    email: Option<String>,
    #[serde(skip_serializing_if = "empty")]
    url: Option<String>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Dependency {
    pub name: String,
    #[serde(skip_serializing_if = "empty")]
    version: Option<String>,
    #[serde(default)]
    repository: String,
    #[serde(skip_serializing_if = "empty")]
    condition: Option<String>,
    #[serde(skip_serializing_if = "none")]
    tags: Option<Vec<String>>,
    #[serde(skip_serializing_if = "no")]
    enabled: Option<bool>,
    #[serde(skip_serializing_if = "none")]
    import_values: Option<Vec<serde_json::Value>>,
    #[serde(skip_serializing_if = "empty")]
    alias: Option<String>,
}

fn empty(value: &Option<String>) -> bool {
    value.as_ref().is_none_or(String::is_empty)
}

fn none<T>(value: &Option<Vec<T>>) -> bool {
    value.as_ref().is_none_or(Vec::is_empty)
}

fn no_entries(value: &Option<BTreeMap<String, String>>) -> bool {
    value.as_ref().is_none_or(BTreeMap::is_empty)
}

fn no(value: &Option<bool>) -> bool {
    !value.unwrap_or_default()
}

impl Metadata {
    /// Reads a `Chart.yaml`. The error is a line (0: unknown) and what is wrong there.
    pub(super) fn new(bytes: &[u8]) -> Result<Self, (usize, String)> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        serde_yaml::from_slice(bytes).map_err(|error| {
            let line = error.location().map_or(0, |at| at.line());
            (line, format!("{error}; write it as Helm's chart format has it, numbers that are text in quotes"))
        })
    }

    /// The config blob: the metadata as compact JSON, as Helm spells it.
    pub(super) fn config(&self) -> Result<Vec<u8>, serde_json::Error> {
        json::compact(self)
    }

    /// The manifest's annotations, as `helm push` makes them; `created` is fixed, since a chart
    /// packed twice must be one chart.
    pub(super) fn annotations(&self) -> BTreeMap<String, String> {
        let key = |last: &str| format!("org.opencontainers.image.{last}");
        let (title, version) = (key("title"), key("version"));
        let mut all = BTreeMap::new();
        let mut add = |last: &str, value: Option<&str>| {
            if let Some(value) = value.filter(|v| !v.trim().is_empty()) {
                all.insert(key(last), value.to_owned());
            }
        };
        add("description", self.description.as_deref());
        add("title", self.name.as_deref());
        add("version", self.version.as_deref());
        add("url", self.home.as_deref());
        add("created", Some(CREATED));
        add("source", self.sources.as_ref().and_then(|s| s.first()).map(String::as_str));
        add("authors", Some(&self.authors()));
        let own = self.annotations.iter().flatten().filter(|(k, _)| **k != title && **k != version);
        all.extend(own.map(|(k, v)| (k.clone(), v.clone())));
        all
    }

    fn authors(&self) -> String {
        let author = |m: &Maintainer| {
            let email = m.email.as_deref().filter(|e| !e.is_empty()).map(|e| format!(" ({e})"));
            m.name.clone().unwrap_or_default() + &email.unwrap_or_default()
        };
        self.maintainers.iter().flatten().map(author).collect::<Vec<_>>().join(", ")
    }
}

/// Whether a text is a version as Helm's registries want it (SemVer 2).
pub(super) fn is_semver(text: &str) -> bool {
    let number = |n: &str| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()) && (n == "0" || !n.starts_with('0'));
    let word = |w: &str| !w.is_empty() && w.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    let (rest, build) = text.split_once('+').map_or((text, None), |(r, b)| (r, Some(b)));
    let (core, pre) = rest.split_once('-').map_or((rest, None), |(c, p)| (c, Some(p)));
    let pre_word = |w: &str| word(w) && (!w.bytes().all(|b| b.is_ascii_digit()) || number(w));
    core.split('.').count() == 3
        && core.split('.').all(number)
        && pre.is_none_or(|p| p.split('.').all(pre_word))
        && build.is_none_or(|b| b.split('.').all(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn config_and_annotations_are_helm_s() {
        let chart = Metadata::new(
            "\u{feff}type: application\nname: demo\nversion: 1.2.3\napiVersion: v2\nappVersion: \"1.16\"\n\
             description: a <b> & c\nhome: https://e.org\nsources: [https://e.org/src, x]\nicon:\ndeprecated: false\n\
             maintainers:\n- {name: A, email: a@e.org}\n- {name: B}\nunknown: {x: 1}\n\
             annotations: {z: \"1\", org.opencontainers.image.title: no, a: \"2\"}\n\
             dependencies:\n- name: sub\n  version: ^1\n  repository: \"\"\n  import-values: [data, {child: a, parent: b}]\n"
                .as_bytes(),
        )
        .unwrap();
        assert_eq!(
            String::from_utf8(chart.config().unwrap()).unwrap(),
            r#"{"name":"demo","home":"https://e.org","sources":["https://e.org/src","x"],"version":"1.2.3","description":"a \u003cb\u003e \u0026 c","maintainers":[{"name":"A","email":"a@e.org"},{"name":"B"}],"apiVersion":"v2","appVersion":"1.16","annotations":{"a":"2","org.opencontainers.image.title":"no","z":"1"},"dependencies":[{"name":"sub","version":"^1","repository":"","import-values":["data",{"child":"a","parent":"b"}]}],"type":"application"}"#
        );
        let annotations: Vec<_> = chart.annotations().into_iter().collect();
        let at = |last: &str, value: &str| (format!("org.opencontainers.image.{last}"), value.to_owned());
        let expected = [
            ("a".to_owned(), "2".to_owned()),
            at("authors", "A (a@e.org), B"),
            at("created", "1970-01-01T00:00:00Z"),
            at("description", "a <b> & c"),
            at("source", "https://e.org/src"),
            at("title", "demo"),
            at("url", "https://e.org"),
            at("version", "1.2.3"),
            ("z".to_owned(), "1".to_owned()),
        ];
        assert_eq!(annotations, expected);
    }

    #[test]
    fn wrong_types_are_named_by_line() {
        let (line, reason) = Metadata::new(b"name: demo\nversion: 1.2.3\nkeywords: one\n").unwrap_err();
        assert!(line == 3 && reason.contains("keywords"), "{line} {reason}");
    }

    #[test]
    fn versions() {
        for good in ["1.2.3", "0.0.0", "1.2.3-rc.1", "1.2.3-rc.1+build.01", "1.2.3+a-b", "1.2.3--"] {
            assert!(is_semver(good), "{good}");
        }
        for bad in
            ["", "1.2", "v1.2.3", "1.2.3.4", "01.2.3", "1.2.3-", "1.2.3-01", "1.2.3+", "1.2.3 ", "1.2.3+a+b", "1..3"]
        {
            assert!(!is_semver(bad), "{bad}");
        }
    }
}
