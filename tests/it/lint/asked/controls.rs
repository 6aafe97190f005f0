//! Controls: what is absent is a fault only where something answers.

use super::*;
use crate::support::registry_server::{Act, oci_error};
use sealift::lint::Verdict;

fn controls(lint: &Lint) -> Vec<(&str, bool, bool, Option<&str>, bool)> {
    let looked = lint.registry.as_ref().unwrap();
    looked
        .controls
        .iter()
        .map(|c| (c.host.as_str(), c.third_party, c.named, c.reference.as_deref(), c.digest.is_some()))
        .collect()
}

#[tokio::test]
async fn the_first_reference_that_answers() {
    let two = Two::with(async |to| {
        push(to, "late", "RC", "late").await;
    })
    .await;
    let text = format!("a: OWN/never:RC@{}\nb: OWN/late:RC\n", digest("never"));
    let lint = two.lint(&text).await;
    assert_eq!(found(&lint), ["1 digest-gone error", "1 unpublished error"]);
    let control = filled("OWN/late:RC");
    assert_eq!(controls(&lint), [(HOST, false, false, Some(control.as_str()), true)]);
    for rule in ["digest-gone", "unpublished"] {
        assert!(messages(&lint, rule)[0].ends_with(&format!("while {control} answers")), "{:?}", messages(&lint, rule));
    }
}

#[tokio::test]
async fn nothing_that_answers_proves_nothing() {
    let two = Two::with(async |_| ()).await;
    let lint = two.lint(&format!("a: OWN/never:RC@{}\nb: OWN/x:v0.1.0\n", digest("never"))).await;
    let expected = ["1 digest-gone unknown", "1 unpublished unknown", "2 unpublished unknown"];
    assert_eq!(found(&lint), expected);
    assert!(messages(&lint, "unpublished")[0].ends_with("nothing answers at registry.example: the query may be wrong"));
    assert_eq!(controls(&lint), [(HOST, false, false, None, false)]);
    // With a fault beside it, it is still told.
    let alone = two.lint(&format!("a: OWN/never:RC@{}\n", digest("never"))).await;
    assert_eq!(alone.verdict, Verdict::Unknown);
}

#[tokio::test]
async fn a_named_one_is_the_only_one() {
    let two = Two::with(async |to| {
        push(to, "fine", "RC", "fine").await;
        push(to, "elsewhere", "v1.0.0", "elsewhere").await;
    })
    .await;
    let never = format!("a: OWN/never:RC@{}\n", digest("never"));
    let fine = format!("{never}b: OWN/fine:RC@{}\n", digest("fine"));
    let by_digest = format!("OWN/elsewhere@{}", digest("elsewhere"));
    // Not in the tree, by tag and by digest: where nothing else answers, and where something does.
    for text in [&never, &fine] {
        for control in ["OWN/elsewhere:v1.0.0", by_digest.as_str()] {
            let lint = two.lint_by(text, &Told { controls: &[control], ..Told::default() }).await;
            assert_eq!(found(&lint), ["1 digest-gone error", "1 unpublished error"], "{control}");
            assert_eq!(controls(&lint), [(HOST, false, true, Some(filled(control).as_str()), true)]);
        }
    }
    // It must answer, whatever else does.
    let lint = two.lint_by(&fine, &Told { controls: &["OWN/elsewhere:v9.9.9"], ..Told::default() }).await;
    assert_eq!(found(&lint), ["1 digest-gone unknown", "1 unpublished unknown"]);
    assert!(messages(&lint, "unpublished")[0].contains("elsewhere:v9.9.9 doesn't answer: it is not there"));
    two.ours.fault("GET", "/elsewhere/", 1..=usize::MAX, Act::Answer(oci_error(429, "TOOMANYREQUESTS", "x")));
    let lint = two.lint_by(&fine, &Told { controls: &["OWN/elsewhere:v1.0.0"], ..Told::default() }).await;
    assert_eq!(found(&lint), ["1 digest-gone unknown", "1 unpublished unknown"]);
    assert!(messages(&lint, "unpublished")[0].contains("429"));
}

#[tokio::test]
async fn each_host_and_each_client_has_its_own() {
    let two = Two::with(async |to| {
        push(to, "fine", "RC", "fine").await;
        push(to, "quay.example/x/y", "1", "y").await;
    })
    .await;
    let text = format!("a: OWN/fine:RC@{}\nb: registry.example/else/z:1@{}\n", digest("fine"), digest("gone"));
    let told = Told { third_party: &[HOST, OTHER], ..Told::default() };
    // The owned one answers to credentials; nothing has answered without.
    let lint = two.lint_by(&text, &told).await;
    assert_eq!(found(&lint), ["2 digest-gone unknown"]);
    // Nor does a named one of ours.
    let named = Told { third_party: &[HOST, OTHER], controls: &["OWN/fine:RC"], ..Told::default() };
    assert_eq!(found(&two.lint_by(&text, &named).await), ["2 digest-gone unknown"]);
    let text = format!("{text}c: quay.example/x/y:1@{}\nd: quay.example/x/y:1@{}\n", digest("y"), digest("gone"));
    let lint = two.lint_by(&text, &told).await;
    assert_eq!(found(&lint), ["2 digest-gone unknown", "4 digest-gone error"]);
    let hosts: Vec<_> =
        controls(&lint).into_iter().map(|(host, third, _, _, answers)| (host, third, answers)).collect();
    assert_eq!(hosts, [(HOST, false, true), (OTHER, true, true), (HOST, true, false)]);
}
