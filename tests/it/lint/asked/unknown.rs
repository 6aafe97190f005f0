//! What is no answer is unknown: never fine, never a fault, and nothing hides it.

use super::*;
use crate::support::http::Response;
use crate::support::registry_server::{Act, oci_error};
use sealift::lint::Verdict;

/// Answers that prove nothing.
fn answers() -> Vec<(&'static str, Response)> {
    vec![
        ("429", oci_error(429, "TOOMANYREQUESTS", "request id 404")),
        ("500", Response::new(500, "oops")),
        ("401", oci_error(401, "UNAUTHORIZED", "authentication required")),
        ("403", oci_error(403, "DENIED", "requested access to the resource is denied")),
        ("a proxy's page", Response::new(200, "<html>MANIFEST_UNKNOWN</html>").with("content-type", "text/html")),
        ("a proxy's 404", Response::new(404, "<html>not found</html>").with("content-type", "text/html")),
        ("an empty 404", Response::new(404, "")),
        ("a 404 of another kind", oci_error(404, "UNSUPPORTED", "MANIFEST_UNKNOWN")),
        ("nothing", Response::new(200, "")),
        ("a cut", Response::hang_up()),
    ]
}

async fn two() -> Two {
    Two::with(async |to| {
        push(to, "fine", "RC", "fine").await;
        push(to, "x", "RC", "x").await;
    })
    .await
}

fn text() -> String {
    format!("a: OWN/fine:RC@{}\nb: OWN/x:RC@{}\n", digest("fine"), digest("x"))
}

#[tokio::test]
async fn of_a_tag() {
    for (name, answer) in answers() {
        let two = two().await;
        two.ours.fault("GET", "/x/manifests/v2.3.0-rc.1", 1..=usize::MAX, Act::Answer(answer));
        let lint = two.lint(&text()).await;
        assert_eq!((found(&lint), lint.verdict), (vec!["2 unpublished unknown".into()], Verdict::Unknown), "{name}");
        assert!(messages(&lint, "unpublished")[0].contains("can't be known"), "{name}");
    }
}

#[tokio::test]
async fn of_a_digest_and_of_a_manifest_in_it() {
    for (name, answer) in answers() {
        let (index, children) = images::index("x");
        for (what, digest) in [("index", index.digest()), ("manifest", children[0].0.digest())] {
            let two = two().await;
            let pinned = format!("a: OWN/fine:RC@{}\nb: OWN/x@{}\n", super::digest("fine"), index.digest());
            two.ours.fault("GET", &digest.to_string(), 1..=usize::MAX, Act::Answer(answer.clone()));
            let lint = two.lint(&pinned).await;
            // Of a repository that shows nothing, nobody can say that it is public.
            let mut expected = vec!["2 digest-gone unknown".to_owned()];
            expected.extend((what == "index").then(|| "2 not-public unknown".to_owned()));
            assert_eq!((found(&lint), lint.verdict), (expected, Verdict::Unknown), "{name} {what}");
        }
    }
}

#[tokio::test]
async fn a_registry_that_is_not_there() {
    let gone = RegistryServer::start();
    let location = url(&gone);
    drop(gone);
    let lint = lint_at(&at(&location), &at(&location), &text(), &Told::default()).await;
    let expected: Vec<String> = (1..=2)
        .flat_map(|n| ["digest-gone", "not-public", "unpublished"].map(|rule| format!("{n} {rule} unknown")))
        .collect();
    assert_eq!((found(&lint), lint.verdict), (expected, Verdict::Unknown));
    let nowhere = tempfile::tempdir().unwrap().path().join("no-such");
    let layout = Location::Layout(nowhere);
    let lint = lint_at(&at(&layout), &at(&layout), &text(), &Told::default()).await;
    assert_eq!((found(&lint).len(), lint.verdict), (6, Verdict::Unknown));
}

#[tokio::test]
async fn neither_a_baseline_nor_an_exclusion_hides_it() {
    let two = two().await;
    // Known as a fault, and then it can't be known.
    let absent = format!("a: OWN/fine:RC@{}\nb: OWN/y:RC\n", digest("fine"));
    let known = Baseline::of(&two.lint(&absent).await);
    assert_eq!(known.len(), 2, "bare-tag and unpublished");
    let pipeline =
        format!("lint: {{exclude: [{{rule: unpublished, path: {VALUES}, reason: It is not built yet.}}]}}\n");
    for (baseline, pipeline) in [(Some(&known), ""), (None, pipeline.as_str())] {
        let told = Told { baseline, pipeline, ..Told::default() };
        assert_eq!(found(&two.lint_by(&absent, &told).await), Vec::<String>::new());
    }
    two.ours.fault("GET", "/y/", 1..=usize::MAX, Act::Answer(oci_error(429, "TOOMANYREQUESTS", "slow down")));
    for (baseline, pipeline) in [(Some(&known), ""), (None, pipeline.as_str())] {
        let told = Told { baseline, pipeline, ..Told::default() };
        let lint = two.lint_by(&absent, &told).await;
        assert_eq!(found(&lint), ["2 not-public unknown", "2 unpublished unknown"]);
        assert!(lint.left_over.iter().all(|left| !left.starts_with("baseline")), "{:?}", lint.left_over);
    }
    assert!(Baseline::of(&two.lint(&absent).await).len() == 1, "only bare-tag can be known");
}
