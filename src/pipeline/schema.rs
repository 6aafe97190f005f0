//! The JSON Schema of pipeline files (draft 7), by which editors complete, explain and check them.
//!
//! It is made from the definition's own types and comments, and from the table of texts below, by a test that also
//! holds that the committed file is what they give. It is never stricter than [`super::parse`], which has the last word.

/// The schema, as `pipelines/schema.json` holds it.
pub const SCHEMA: &str = include_str!("../../pipelines/schema.json");

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::path::Path;

    use proptest::prelude::*;
    use regex_automata::meta::Regex;
    use schemars::generate::SchemaSettings;
    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
    use serde_json::{Map, Value, json};

    use super::super::definition::Stages;
    use super::super::texts::RULES;
    use super::super::{Globs, Pipeline, STAGES, Template, parse};
    use super::SCHEMA;
    use crate::lint;
    use crate::model::{Prefix, Repository, Tag};
    use crate::port::registry::Location;

    /// What a text must match, what it mustn't, and what an editor says where it doesn't.
    #[derive(Clone, Copy)]
    struct Text {
        pattern: &'static str,
        never: &'static str,
        expected: &'static str,
    }

    const fn text(pattern: &'static str, expected: &'static str) -> Text {
        Text { pattern, never: "", expected }
    }

    const NAME: Text = text("^[A-Za-z0-9._-]+$", "letters, digits, `-`, `_` and `.`");
    const ORIGIN: Text = text(
        r"^((https?|file)://([^/@]+(/.*)?|/.*)|[^:/]+(/.*)?|/.*)$",
        "`https://…`, `http://…`, `file:///…` or a path, without a user or password",
    );
    const LOCATION: Text = text("^(layout:.*|https?://[^/@]*(/.*)?)$", "`layout:DIR`, `http://…` or `https://…`");
    const URL: Text =
        text("^https?://[^/@]*(/.*)?$", "an address such as `https://github.com/org/project`, without a user");
    const PERSON: Text = text(
        r"^[^\x00-\x20\x7f<>]([^\x00-\x1f\x7f<>]*[^\x00-\x20\x7f<>])?$",
        "a bare name or address, without `<`, `>` and blanks around",
    );
    const PATH: Text = text(
        r"^([^./\\\x00-\x1f\x7f][^/\\\x00-\x1f\x7f]*|\.[^./\\\x00-\x1f\x7f][^/\\\x00-\x1f\x7f]*|\.\.[^/\\\x00-\x1f\x7f]+)(/([^./\\\x00-\x1f\x7f][^/\\\x00-\x1f\x7f]*|\.[^./\\\x00-\x1f\x7f][^/\\\x00-\x1f\x7f]*|\.\.[^/\\\x00-\x1f\x7f]+))*$",
        "a relative path such as `a/b`, without `..`, `.` and backslashes",
    );
    const GLOB: Text =
        Text { never: r"\[[^\]]*$", expected: "a relative glob: `*`, `**`, `?`, `[…]`, `{a,b}` or a path", ..PATH };
    const GZIP: Text = Text {
        pattern: r"^[^\\\x00-\x1f\x7f]*\.gz$",
        never: r"(^|/)(\.\.?)?(/|$)",
        expected: "the relative path of a file in `.gz`",
    };
    const REASON: Text = text(
        r"^[^\x00-\x1f\x7f]*[^\x00-\x20\x7f][^\x00-\x1f\x7f]*\n*$",
        "the reason, in a sentence: it is shown wherever this exception is used",
    );
    const LINE: Text = text(r"^[^\x00-\x1f\x7f]*[^\x00-\x20\x7f][^\x00-\x1f\x7f]*$", "text that stands in one line");
    const PLACE: Text = text(
        r"^([A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+(:[0-9]+)?|[A-Za-z0-9.-]+:[0-9]+|\[[0-9A-Fa-f:]+\](:[0-9]+)?|localhost)(/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)+$",
        "host and path in lower case, such as `ghcr.io/org/project`",
    );
    const TAG_PREFIX: Text = text("^[A-Za-z0-9_][A-Za-z0-9._-]*$", "what tags begin with, such as `v1.30-`");
    const ALIAS: Text = Text {
        pattern: "^[A-Za-z_][A-Za-z0-9._-]*$",
        never: "^(v[0-9]|promotion-)",
        expected: "a word such as `latest`, that no release is called",
    };
    const MODE: Text = text("^0?[0-7]{3}$", "three octal digits after a 0, quoted, such as \"0644\"");
    const KEY: Text = text(r"^[^ .:\x00-\x1f\x7f]+$", "the last name of a key only, without the path to it");
    const KEY_PATH: Text =
        text(r"^[^ .:\x00-\x1f\x7f]+(\.[^ .:\x00-\x1f\x7f]+)*$", "the dotted path of a key, such as `image.tag`");
    const RULE: Text = text("^[a-z-]+$", "the id of a rule, such as `bare-tag`");
    const WORKFLOW: Text =
        text(r"^[A-Za-z0-9_.-]+\.ya?ml$", "a file's name in `.github/workflows`, such as `e2e.yaml`");
    const JOB: Text = text(
        r"^([^\x00-\x20\x7f{}]|\{(version|n|rc)\})(([^\x00-\x1f\x7f{}]|\{(version|n|rc)\})*([^\x00-\x20\x7f{}]|\{(version|n|rc)\}))?$",
        "the job's name as GitHub shows it, with `{rc}`, or `{version}` and `{n}`, for the candidate",
    );
    const LOGIN: Text =
        text(r"^[A-Za-z0-9_][A-Za-z0-9_-]{0,38}(\[bot\])?$", "a login such as `octocat`, or an app's: `name[bot]`");
    const LABEL: Text = text(
        r"^[^\x00-\x20\x7f,]([^\x00-\x1f\x7f,]{0,48}[^\x00-\x20\x7f,])?$",
        "50 characters at most, no comma, no blanks around",
    );
    const CHANGELOG: Text = Text {
        pattern: r"^([^/\\{}\x00-\x1f\x7f]|\{line\})[^\\\x00-\x1f\x7f]*\{version\}|^\{version\}",
        never: r"(^|/)(\.\.?)?(/|$)|\{rc\}|\{n\}|\\",
        expected: "a path with `{version}`, such as `docs/changelogs/v{version}.md`",
    };
    const ASSET: Text = Text {
        pattern: "^[A-Za-z0-9_-]([A-Za-z0-9_.-]*[A-Za-z0-9_-])?$",
        never: r"^[Ss][Ee][Aa][Ll][Ii][Ff][Tt]\.[Jj][Ss][Oo][Nn]$",
        expected: "letters, digits, `-`, `_`, and `.` except at the ends",
    };
    const ASSET_GLOB: Text = Text {
        pattern: r"^[A-Za-z0-9_.*?!^{},\[\]-]+$",
        never: r"\[[^\]]*$|^\*+$|^sealift\.json$|^\*\.json$",
        expected: "a glob of file names, such as `tool-*.tar.gz`",
    };
    const STAMP: Text =
        text(r"^([^{}]|\{(version|line)\})*$", "text with `{version}` or `{line}`, such as `v{version}`");
    /// git-check-ref-format, with placeholders.
    const NO_REF: &str = r"^-|\.\.|//|^/|/$|(^|/)\.|\.$|\.lock(/|$)|@\{$";
    const BRANCH: Text = Text {
        pattern: r"^[^\x00-\x20\x7f~^:?*\[\\{}]+$",
        never: NO_REF,
        expected: "one branch that is always there, such as `main`",
    };
    const RC_NAME: Text = Text {
        pattern: r"^([^\x00-\x20\x7f~^:?*\[\\{}]|\{line\})*(\{version\}([^\x00-\x20\x7f~^:?*\[\\{}]|\{line\})*\{n\}|\{n\}([^\x00-\x20\x7f~^:?*\[\\{}]|\{line\})*\{version\})([^\x00-\x20\x7f~^:?*\[\\{}]|\{line\})*$",
        never: NO_REF,
        expected: "a name that git allows with `{version}` and `{n}`",
    };
    const STABLE_NAME: Text = Text {
        pattern: r"^([^\x00-\x20\x7f~^:?*\[\\{}]|\{line\})*\{version\}([^\x00-\x20\x7f~^:?*\[\\{}]|\{line\})*$",
        never: NO_REF,
        expected: "a name that git allows with `{version}`",
    };
    const LINE_NAME: Text = Text {
        pattern: r"^[^\x00-\x20\x7f~^:?*\[\\{}]*\{line\}[^\x00-\x20\x7f~^:?*\[\\{}]*$",
        never: NO_REF,
        expected: "a name that git allows with `{line}`",
    };

    /// For each rule of a text, what an editor knows of it, and an example.
    const TEXTS: &[(&str, Text, &str)] = &[
        ("name", NAME, "shop"),
        ("repository", ORIGIN, "https://github.com/example/shop"),
        ("registries.*", LOCATION, "layout:registry"),
        ("branches.rc", RC_NAME, "release-{version}-rc.{n}"),
        ("branches.staging", STABLE_NAME, "release-{version}"),
        ("branches.line", LINE_NAME, "release-{line}"),
        ("branches.default", BRANCH, "main"),
        ("tags.rc", RC_NAME, "v{version}-rc.{n}"),
        ("tags.stable", STABLE_NAME, "v{version}"),
        ("tags.modules.*", STABLE_NAME, "api/v1/v{version}"),
        ("root", PATH, "packages"),
        ("identity.name", PERSON, "shop-release[bot]"),
        ("identity.email", PERSON, "shop-release[bot]@users.noreply.github.com"),
        ("allowed_paths.*", GLOB, "docs/changelogs/**"),
        ("references.owned.*", PLACE, "ghcr.io/example/shop"),
        ("references.tag_prefixes.*", TAG_PREFIX, "v1.30-"),
        ("references.values.*", GLOB, "*/*/values.yaml"),
        ("references.tag_files.*", GLOB, "*/*/images/*.tag"),
        ("references.text.*.path", PATH, "system/net/daemonset.yml"),
        ("references.gzip.*.path", GZIP, "system/api/components.gz"),
        ("references.gzip.*.plain", PATH, "system/api/components.yaml"),
        ("references.exclude.*.path", GLOB, "system/*/tests/*.yaml"),
        ("references.exclude.*.line", LINE, "image: example"),
        ("references.exclude.*.reason", REASON, "An example in a comment."),
        ("artifact.repository", PLACE, "ghcr.io/example/shop/packages"),
        ("artifact.source", URL, "https://github.com/example/shop"),
        ("artifact.modes.file", MODE, "0644"),
        ("artifact.modes.executable", MODE, "0755"),
        ("artifact.modes.directory", MODE, "0755"),
        ("artifact.rc_only.*", GLOB, "core/platform/.build-revision"),
        ("artifact.rc_tag.optional", REASON, "Candidates before 1.4 were published without a tag."),
        ("installer.values", PATH, "core/installer/values.yaml"),
        ("installer.url_key", KEY, "platformSourceUrl"),
        ("installer.ref_key", KEY, "platformSourceRef"),
        ("chart.path", PATH, "core/installer"),
        ("chart.repository", PLACE, "ghcr.io/example/shop/installer"),
        ("chart.stamp.*.file", PATH, "values.yaml"),
        ("chart.stamp.*.key", KEY_PATH, "operator.version"),
        ("chart.stamp.*.value", STAMP, "v{version}"),
        ("aliases.images.*", ALIAS, "latest"),
        ("aliases.chart.*", ALIAS, "latest"),
        ("verify.rest.report", REASON, "The documentation moves on its own."),
        ("overlay.packages.*", GLOB, "*/*"),
        ("overlay.skip.*.path", GLOB, "core/installer"),
        ("overlay.skip.*.reason", REASON, "The installer's own job stamps it."),
        ("lint.exclude.*.rule", RULE, "stale-version"),
        ("lint.exclude.*.path", GLOB, "packages/system/mesh/*.yaml"),
        ("lint.exclude.*.line", LINE, "tag: v1.5.0"),
        ("lint.exclude.*.reason", REASON, "The mesh has versions of its own."),
        ("producers.*.file", GLOB, "apps/kube/images/disk-*.tag"),
        ("producers.*.key", KEY_PATH, "image.tag"),
        ("producers.*.by", LINE, "make -C packages/apps/kube image-disk"),
        ("producers.*.reason", REASON, "One file per version of Kubernetes."),
        ("base_requires.*.file", PATH, ".github/workflows/finalize.yml"),
        ("base_requires.*.contains", LINE, "sealift resume"),
        ("evidence.*.workflow", WORKFLOW, "e2e.yaml"),
        ("evidence.*.job", JOB, "E2E {rc}"),
        ("evidence.*.branches.*", BRANCH, "main"),
        ("proposal.label", LABEL, "release"),
        ("proposal.authors.*", LOGIN, "shop-release[bot]"),
        ("release.changelog", CHANGELOG, "docs/changelogs/v{version}.md"),
        ("release.assets.copied.*", ASSET, "checksums.txt"),
        ("release.assets.built.*", ASSET_GLOB, "shopctl-*.tar.gz"),
        ("release.starts", WORKFLOW, "tags.yaml"),
    ];

    /// Lists that may not be empty.
    const FILLED: [&str; 3] = ["references.owned", "overlay.packages", "proposal.authors"];

    /// Defaults that are no plain values in the definition.
    fn defaults() -> [(&'static str, Value); 5] {
        [
            ("forge", json!("git")),
            ("artifact.modes", json!({ "file": "0644", "executable": "0755", "directory": "0755" })),
            ("artifact.rc_tag", json!("required")),
            ("verify.rest", json!("refuse")),
            ("overlay.packages", json!(["*/*"])),
        ]
    }

    macro_rules! written_as {
        ($($type:ty => $schema:tt),* $(,)?) => {$(
            impl JsonSchema for $type {
                fn schema_name() -> Cow<'static, str> {
                    stringify!($type).into()
                }

                fn json_schema(_: &mut SchemaGenerator) -> Schema {
                    json_schema!($schema)
                }
            }
        )*};
    }

    written_as! {
        Template => { "type": "string" },
        Prefix => { "type": "string" },
        Repository => { "type": "string" },
        Tag => { "type": "string" },
        Location => { "type": "string" },
        Globs => { "type": "array", "items": { "type": "string" } },
        Stages => { "type": "array", "items": STAGES.map(|stage| json!({ "const": stage })), "minItems": 10, "maxItems": 10 },
    }

    /// The schema as the definition and the table give it.
    fn generated() -> Value {
        let settings = SchemaSettings::draft07().with(|settings| settings.inline_subschemas = true);
        let mut schema = settings.into_generator().into_root_schema_for::<Pipeline>().to_value();
        tidy(&mut schema);
        let keys = schema.as_object_mut().unwrap();
        for (key, text) in [
            ("description", "How release candidates of one repository are promoted to stable."),
            ("title", "A pipeline of sealift"),
            ("$schema", "http://json-schema.org/draft-07/schema#"),
        ] {
            keys.shift_remove(key);
            keys.shift_insert(0, key.to_owned(), text.into());
        }
        for (key, text, example) in TEXTS {
            let place = at(&mut schema, key);
            place.insert("pattern".into(), text.pattern.into());
            if !text.never.is_empty() {
                place.insert("not".into(), json!({ "pattern": text.never }));
            }
            place.insert("patternErrorMessage".into(), format!("expected {}", text.expected).into());
            place.insert("examples".into(), json!([example]));
        }
        for key in FILLED {
            at(&mut schema, key).insert("minItems".into(), 1.into());
        }
        for (key, default) in defaults() {
            at(&mut schema, key).insert("default".into(), default);
        }
        let rules: Vec<Value> =
            lint::RULES.iter().map(|rule| json!({ "const": rule.id, "description": rule.what })).collect();
        at(&mut schema, "lint.exclude.*.rule").insert("anyOf".into(), [rules, vec![json!(true)]].concat().into());
        let (push, dispatched) = (json!({ "maxItems": 0 }), json!({ "minItems": 1 }));
        let candidate = |pattern: &str| json!({ "pattern": pattern, "patternErrorMessage": "expected `{rc}` in it, or `{version}` and `{n}`" });
        let told = json!({ "anyOf": [candidate(r"\{rc\}"), candidate(r"\{version\}.*\{n\}|\{n\}.*\{version\}")] });
        at(&mut schema, "evidence.*").extend([
            ("if".to_owned(), json!({ "properties": { "event": { "const": "push" } } })),
            ("then".to_owned(), json!({ "properties": { "branches": push } })),
            (
                "else".to_owned(),
                json!({ "required": ["branches"], "properties": { "branches": dispatched, "job": told } }),
            ),
        ]);
        let github = json!({ "pattern": "^https://[^/@]+/[A-Za-z0-9_-]+/[A-Za-z0-9_.-]+$" });
        let alone = json!({ "evidence": false, "proposal": false, "release": false });
        schema.as_object_mut().unwrap().extend([
            ("if".to_owned(), json!({ "required": ["forge"], "properties": { "forge": { "const": "github" } } })),
            ("then".to_owned(), json!({ "required": ["proposal"], "properties": { "repository": github } })),
            ("else".to_owned(), json!({ "properties": alone })),
        ]);
        schema
    }

    /// Takes out what is true of Rust's types and not of the file: no value is ever null.
    fn tidy(value: &mut Value) {
        match value {
            Value::Object(map) => {
                if map.get("default") == Some(&Value::Null) {
                    map.remove("default");
                }
                if let Some(kinds) = map.get_mut("type").filter(|kinds| kinds.is_array()) {
                    *kinds = kinds[0].clone();
                }
                if let Some(Value::String(text)) = map.get_mut("description") {
                    let paragraphs: Vec<String> = text.split("\n\n").map(|part| part.replace('\n', " ")).collect();
                    *text = paragraphs.join("\n\n");
                }
                let texts = map.get("items").is_some_and(|items| items["type"] == "string");
                if texts && map.get("type") == Some(&"array".into()) {
                    map.insert("uniqueItems".into(), true.into());
                }
                without_null(map);
                map.values_mut().for_each(tidy);
            }
            Value::Array(items) => items.iter_mut().for_each(tidy),
            _ => {}
        }
    }

    /// One alternative beside null is no alternative.
    fn without_null(map: &mut Map<String, Value>) {
        let Some(Value::Array(parts)) = map.get_mut("anyOf") else { return };
        let all = parts.len();
        parts.retain(|part| part["type"] != "null");
        if let ([Value::Object(one)], true) = (&parts[..], all == 2) {
            let one = one.clone();
            map.remove("anyOf");
            for (key, value) in one {
                map.entry(key).or_insert(value);
            }
        }
    }

    /// The schema of a key: dots lead into maps, `*` to each item or to each key of the user's own.
    fn at<'s>(schema: &'s mut Value, key: &str) -> &'s mut Map<String, Value> {
        let found = key.split('.').fold(schema, |schema, step| step_into(schema, step, key));
        found.as_object_mut().unwrap()
    }

    fn step_into<'s>(schema: &'s mut Value, step: &str, key: &str) -> &'s mut Value {
        if schema.get("anyOf").is_some_and(|parts| parts.as_array().is_some_and(|parts| parts.len() > 1)) {
            let parts = schema["anyOf"].as_array_mut().unwrap();
            let map = parts.iter_mut().find(|part| part.get("properties").is_some());
            return step_into(map.unwrap(), step, key);
        }
        let place = match step {
            "*" if schema.get("items").is_some() => schema.get_mut("items"),
            "*" => schema.get_mut("additionalProperties"),
            _ => schema.get_mut("properties").and_then(|keys| keys.get_mut(step)),
        };
        place.unwrap_or_else(|| panic!("{key}: there is no {step}"))
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test that writes its golden file only when told")]
    fn the_committed_schema_is_what_the_definition_gives() {
        let text = serde_json::to_string_pretty(&generated()).unwrap() + "\n";
        if std::env::var_os("SEALIFT_BLESS").is_some_and(|value| value == "1") {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("pipelines/schema.json");
            std::fs::write(path, &text).unwrap();
        } else {
            assert!(text == SCHEMA, "pipelines/schema.json is stale; SEALIFT_BLESS=1 writes it anew:\n{text}");
        }
    }

    #[test]
    fn every_text_is_in_the_table_and_fits_its_own_example() {
        let keys: Vec<&str> = TEXTS.iter().map(|(key, _, _)| *key).collect();
        assert_eq!(keys, RULES.iter().map(|(key, _)| *key).collect::<Vec<_>>());
        for ((key, text, example), (_, rule)) in TEXTS.iter().zip(RULES) {
            assert_eq!(rule(example), Ok(()), "{key}");
            assert!(text.accepts(example), "{key}: {example}");
        }
    }

    #[test]
    fn every_key_is_explained() {
        fn walk(schema: &Value, path: &str, seen: &mut usize) {
            for (key, value) in schema["properties"].as_object().into_iter().flatten() {
                let description = value["description"].as_str().unwrap_or_default();
                assert!(description.len() > 8, "{path}.{key} has no description");
                assert!(!description.contains("contract"), "{path}.{key}: {description}");
                *seen += 1;
                walk(value, &format!("{path}.{key}"), seen);
            }
            assert!(
                schema.get("properties").is_none() || schema["additionalProperties"] == false,
                "{path} takes any key"
            );
            let more = schema["anyOf"].as_array().into_iter().flatten();
            more.chain(schema.get("items")).for_each(|part| walk(part, path, seen));
        }
        let mut seen = 0;
        walk(&generated(), "", &mut seen);
        assert!(seen > 80, "only {seen} keys were seen");
    }

    #[test]
    fn the_defaults_are_the_ones_that_hold() {
        let minimal = include_str!("../../pipelines/minimal.yaml");
        let mut value: Value = serde_yaml::from_str(minimal).unwrap();
        let spelled = |value: &Value| parse("x.yaml", &serde_yaml::to_string(value).unwrap()).unwrap();
        let expected = format!("{:?}", spelled(&value));
        for (key, default) in defaults() {
            let mut steps = key.split('.');
            let first = steps.next().unwrap();
            match steps.next() {
                Some(second) => value[first][second] = default,
                None => value[first] = default,
            }
        }
        assert_eq!(format!("{:?}", spelled(&value)), expected);
    }

    impl Text {
        fn accepts(self, text: &str) -> bool {
            let found = |pattern: &str| Regex::new(pattern).unwrap().is_match(text);
            found(self.pattern) && (self.never.is_empty() || !found(self.never))
        }
    }

    proptest! {
        /// What sealift takes no editor underlines.
        #[test]
        fn a_pattern_is_never_stricter_than_its_rule(
            text in prop_oneof![
                "[-a-zA-Z0-9_./*{}\\[\\]:@, ^!?<>~\\\\é\n\t]{0,12}",
                "(https?|file|layout|ssh)?:?/{0,3}[a-z.:@-]{0,8}(/[a-z.]{0,5}){0,3}",
                "[a-zv./-]{0,4}(\\{(version|line|n|rc)\\}[a-zA-Z0-9./@-]{0,3}){0,3}",
                "(localhost|a\\.b|[A-Za-z-]{1,3}|\\[::1\\])(:[0-9]{1,4})?(/[a-zA-Z0-9._-]{1,6}){0,3}(\\.gz)?",
                "\\.{0,3}[a-z]{0,3}(/\\.{0,3}[a-z]{0,3}){0,3}(\\.gz|\\.lock|\\.json|\\[bot\\]|\\.ya?ml)?",
            ],
        ) {
            for ((key, pattern, _), (_, rule)) in TEXTS.iter().zip(RULES) {
                if rule(&text).is_ok() {
                    prop_assert!(pattern.accepts(&text), "{key}: {text:?} is fine, and the schema refuses it");
                }
            }
        }
    }
}
