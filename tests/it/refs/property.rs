//! Properties: the reference grammar, and the edit.

use proptest::prelude::*;
use sealift::model::{Digest, Reference, Repository, Tag};
use sealift::refs::{self, Declared, GzipCopy, RewriteError, Spec};
use sealift::tree::MemTree;

use super::own;

const RC: &str = "v2.3.0-rc.1";
const STABLE: &str = "v2.3.0";

fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::default() }
}

fn host() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z0-9]{1,8}(-[a-z0-9]{1,4})?\\.[a-z]{2,5}",
        "[a-z]{1,6}:[1-9][0-9]{1,4}",
        "[a-z]{1,6}\\.[a-z]{1,4}:[1-9][0-9]{1,4}",
        Just("localhost".to_owned()),
        Just("[::1]:5000".to_owned()),
    ]
}

fn path() -> impl Strategy<Value = String> {
    prop::collection::vec("[a-z0-9]{1,8}((\\.|_|__|-{1,3})[a-z0-9]{1,4}){0,2}", 1..4).prop_map(|parts| parts.join("/"))
}

fn digest() -> impl Strategy<Value = String> {
    any::<u64>().prop_map(|seed| Digest::of(&seed.to_be_bytes()).to_string())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn what_the_grammar_makes_parses_to_itself(
        host in host(),
        path in path(),
        tag in prop::option::of("[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}"),
        digest in prop::option::of(digest()),
    ) {
        let mut text = format!("{host}/{path}");
        if let Some(tag) = &tag {
            text = format!("{text}:{tag}");
        }
        if let Some(digest) = &digest {
            text = format!("{text}@{digest}");
        }
        let found: Reference = text.parse().unwrap();
        prop_assert_eq!((found.repository.host(), found.repository.path()), (host.as_str(), path.as_str()));
        prop_assert_eq!(found.tag.as_ref().map(Tag::as_str), tag.as_deref());
        prop_assert_eq!(found.digest.map(|digest| digest.to_string()), digest);
        prop_assert_eq!(found.to_string(), text.as_str());
        prop_assert_eq!(&text[found.spans.name], format!("{host}/{path}"));
        prop_assert_eq!(found.spans.tag.map(|span| &text[span]), tag.as_deref());
    }

    #[test]
    fn a_normal_form_is_its_own_normal_form(text in "([a-z.:0-9]{1,8}/)?[a-z0-9._/-]{1,20}") {
        if let Ok(repository) = text.parse::<Repository>() {
            prop_assert_eq!(repository.to_string().parse::<Repository>().unwrap(), repository);
        }
    }

    #[test]
    fn no_text_makes_a_parser_panic(text in "\\PC{0,60}", soup in "[a-zA-Z0-9@:/._\\[\\]-]{0,60}") {
        for text in [text, soup] {
            let _ = (text.parse::<Reference>(), text.parse::<Tag>(), text.parse::<Digest>());
        }
    }

    #[test]
    fn no_file_makes_reading_panic(
        noise in prop::collection::vec(any::<u8>(), 0..60),
        soup in "([a-z{}\\[\\]:,'\"|>&*#@/ \n-]|sha256:|registry\\.example/org/own|tag: |digest: |v2\\.3\\.0-rc\\.1){0,40}",
    ) {
        for bytes in [noise, soup.into_bytes()] {
            let mut tree = MemTree::new("noise");
            for path in ["packages/a/b/values.yaml", "packages/a/b/images/x.tag", "packages/a/b/t", "packages/a/b/o.yaml"] {
                tree.put(path, 0o644, bytes.clone());
            }
            tree.put("packages/a/b/t.gz", 0o644, [&[0x1f, 0x8b, 8][..], &bytes].concat());
            let text = vec![Declared { path: "a/b/t".into(), required: true }];
            let gzip = vec![GzipCopy { path: "a/b/t.gz".into(), plain: "t".into(), required: true }];
            let spec = Spec { text, gzip, ..own() };
            let rc = "2.3.0-rc.1".parse().unwrap();
            let _ = refs::read(&tree, &spec, None);
            let _ = refs::census(&tree, &spec);
            let _ = refs::rewrite(&tree, &spec, &rc);
            let _ = refs::survivors(&tree, &spec, &rc);
            let _ = refs::normalise_pin(&bytes, &spec.pair);
        }
    }
}

/// One entry of a generated file, before and after the rewrite; `\n` stands for the line end.
#[derive(Clone, Debug)]
struct Piece {
    before: String,
    after: String,
}

fn repository() -> impl Strategy<Value = (String, bool)> {
    prop_oneof![
        3 => "[a-z]{1,6}".prop_map(|name| (format!("registry.example/org/own/{name}"), true)),
        1 => "[a-z]{1,6}".prop_map(|name| (format!("registry.example/org/own-ui/{name}"), false)),
        1 => "[a-z]{1,6}".prop_map(|name| (format!("quay.io/foreign/{name}"), false)),
    ]
}

fn tag() -> impl Strategy<Value = (&'static str, &'static str)> {
    prop_oneof![
        4 => Just((RC, STABLE)),
        1 => Just(("v1.30-v2.3.0-rc.1", "v1.30-v2.3.0")),
        1 => prop::sample::select(vec!["v2.3.0-rc.10", "v12.3.0-rc.1", "latest", "v2.3.0-rc.1-arm64", "v2.3.0", "2.3.0-rc.1"])
            .prop_map(|tag| (tag, tag)),
    ]
}

fn quote() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["", "'", "\""])
}

fn comment() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["", "  # don't: registry.example/org/own/x:v2.3.0-rc.1", " # \"ü\" v2.3.0-rc.1", "   "])
}

fn piece() -> impl Strategy<Value = Piece> {
    (repository(), tag(), digest(), quote(), quote(), comment(), 0..11).prop_map(
        |((repository, owned), (old, new), digest, q, p, comment, shape)| {
            let write = |tag: &str| match shape {
                0 => format!("K: {q}{repository}:{tag}@{digest}{q}{comment}\n"),
                1 => format!("K:{comment}\n  - {q}{repository}:{tag}@{digest}{q}\n  - x{comment}\n"),
                2 => format!("K: {{ repository: {q}{repository}{q}, tag: {p}{tag}{p}, digest: '{digest}' }}{comment}\n"),
                3 => format!("K:\n  tag: {q}{tag}@{digest}{q}{comment}\n\n  repository: {p}{repository}{p}\n"),
                4 => format!("K:\n    tag:   {q}{tag}{q}{comment}\n    x: ü\n    digest: {digest}\n    repository: {repository}\n"),
                5 => format!("K: [a, {q}--image={repository}:{tag}@{digest}{q}, {p}b c{p}]{comment}\n"),
                6 => format!("K: |\n  # in text\n  run ü {repository}:{tag}@{digest} x\n"),
                7 => format!("K: >-\n  run\n  {repository}:{tag}@{digest}\n\n"),
                8 => format!("K: {q}{repository}:{tag}{q}{comment}\n"),
                9 => format!("K:\n  ? {q}x{q}\n  : !!str {p}{repository}:{tag}@{digest}{p}{comment}\n"),
                _ => format!("# {repository}:{tag}\nK: &K {q}{repository}:{tag}@{digest}{q}\n"),
            };
            // A third-party tag without a digest is no reference; it has no other spelling to reach.
            Piece { before: write(old), after: write(if owned { new } else { old }) }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..config() })]

    #[test]
    fn a_rewrite_changes_the_planned_tags_and_not_another_byte(
        pieces in prop::collection::vec(piece(), 1..8),
        mark in any::<bool>(),
        windows in any::<bool>(),
        cut in any::<bool>(),
        documents in any::<bool>(),
    ) {
        let join = |side: fn(&Piece) -> &String| {
            let mut text = String::from(if mark { "\u{feff}" } else { "" });
            for (i, piece) in pieces.iter().enumerate() {
                if documents && i % 3 == 2 {
                    text.push_str("---\n");
                }
                let key = format!("k{i}");
                text.push_str(&side(piece).replace("K:", &format!("{key}:")).replace("&K", &format!("&{key}")));
            }
            // The comment of a piece says the tag as it was before, in both.
            let text = if cut { text.trim_end_matches('\n').to_owned() } else { text };
            if windows { text.replace('\n', "\r\n") } else { text }
        };
        let before = join(|piece| &piece.before);
        let after = uncommented(&before, &join(|piece| &piece.after));
        let mut tree = MemTree::new("generated");
        tree.put("packages/a/b/values.yaml", 0o644, before.clone());
        let spec = Spec { text: vec![], gzip: vec![], ..own() };
        match refs::rewrite(&tree, &spec, &"2.3.0-rc.1".parse().unwrap()) {
            Ok(rewrite) => {
                prop_assert_eq!(rewrite.files.len(), 1);
                prop_assert_eq!(String::from_utf8(rewrite.files[0].after.clone()).unwrap(), after);
                for edit in &rewrite.files[0].edits {
                    prop_assert_eq!(&before[edit.span.clone()], &edit.old);
                }
            }
            Err(RewriteError::Nothing { .. }) => prop_assert_eq!(before, after),
            Err(RewriteError::References(error)) => {
                prop_assert!(error.to_string().contains("not one reference"), "{}", error);
                prop_assert_eq!(before, after);
            }
            Err(error) => prop_assert!(false, "{}\n{}", error, before),
        }
    }
}

/// Whole-line comments keep the text they had before.
fn uncommented(before: &str, after: &str) -> String {
    let comment =
        |line: &str| line.trim_start_matches('\u{feff}').starts_with("# registry") || line.starts_with("# quay");
    let lines = before.split('\n').zip(after.split('\n'));
    lines.map(|(old, new)| if comment(old) { old } else { new }.to_owned()).collect::<Vec<_>>().join("\n")
}
