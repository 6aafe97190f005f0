//! Who is asked, and how often.

use super::*;
use crate::support::registry_server::Act;
use sealift::lint::Looked;

/// Three indexes, one of them under its tag.
async fn two() -> Two {
    Two::with(async |to| {
        push(to, "a", "RC", "a").await;
        images::push_index(to, &repository("b"), None, "b").await;
        push(to, "c", "RC", "c").await;
        push(to, "quay.example/x/y", "1", "y").await;
    })
    .await
}

fn text() -> String {
    let [a, b, c, y] = ["a", "b", "c", "y"].map(digest);
    format!(
        "a: OWN/a:RC@{a}\nb: OWN/a:RC@{a}\nc: OWN/b@{b}\nd: OWN/b:v0.1.0@{b}\ne: OWN/c:RC@{}\nf: OWN/c@{c}\n\
         g: OWN/none:RC\nh: quay.example/x/y:1@{y}\ni: quay.example/x/y:2@{y}\n",
        digest("gone")
    )
}

#[tokio::test]
async fn each_tag_digest_and_repository_is_asked_for_once() {
    let two = two().await;
    let lint = two.lint(&text()).await;
    // a:RC, b:v0.1.0, c:RC, none:RC; a, b, c and what is gone; two platforms of each of three.
    let (tags, digests, manifests, named) = (4, 4, 6, 2);
    assert_eq!(two.ours.count("", "/v2/"), tags + (digests - named) + manifests);
    assert_eq!(two.public.count("", "/v2/"), 3, "a, b and c answered");
    let Looked { controls, .. } = lint.registry.clone().unwrap();
    let looked = Looked { tags, digests, manifests, repositories: 3, unnamed: 0, controls };
    assert_eq!(lint.registry, Some(looked));
    assert!(two.ours.requests().iter().chain(&two.public.requests()).all(|request| request.method == "GET"));
    let mut targets: Vec<String> = two.ours.requests().into_iter().map(|request| request.target).collect();
    targets.sort();
    let all = targets.len();
    targets.dedup();
    assert_eq!(targets.len(), all);
}

#[tokio::test]
async fn others_are_asked_only_where_told_and_without_credentials() {
    let two = two().await;
    let lint = two.lint(&text()).await;
    assert_eq!((two.ours.count("", "/x/y/"), two.public.count("", "/x/y/")), (0, 0));
    let note = "third-party references at quay.example are not asked for (--third-party HOST)";
    assert!(lint.notes.iter().any(|found| found == note), "{:?}", lint.notes);
    let told = Told { third_party: &[OTHER], ..Told::default() };
    let lint = two.lint_by(&text(), &told).await;
    // Its digest and its two platforms; never its tags, nor whether it is public.
    assert_eq!((two.ours.count("", "/x/y/"), two.public.count("", "/x/y/")), (0, 3));
    assert!(!lint.notes.iter().any(|found| found == note));
    let other = Told { third_party: &["docker.io"], ..Told::default() };
    two.public.clear_log();
    two.lint_by(&text(), &other).await;
    assert_eq!(two.public.count("", "/x/y/"), 0);
}

#[tokio::test]
async fn a_digest_without_a_repository_is_not_asked_for_and_told() {
    let two = two().await;
    let [a, b, x] = ["a", "b", "x"].map(digest);
    // One that is named elsewhere is asked for there.
    let text = format!("image: OWN/a:RC@{a}\nb: {{tag: 1.0.0@{b}}}\nc: {{tag: 1.0.0@{x}}}\nd: {{tag: RC@{a}}}\n");
    let lint = two.lint(&text).await;
    let note = "2 digests without a repository are not asked for: nothing says where they are";
    assert!(lint.notes.iter().any(|found| found == note), "{:?}", lint.notes);
    assert_eq!(lint.registry.as_ref().unwrap().unnamed, 2);
    assert!(two.ours.requests().iter().all(|request| !request.target.contains(&b.to_string())));
    for (form, text) in crate::lint::hostile::forms(&lint) {
        assert!(form == "annotations" || text.contains(note), "{form}: {text}");
    }
    let named = two.lint(&format!("image: OWN/a:RC@{a}\n")).await;
    assert!(!named.notes.iter().any(|note| note.contains("without a repository")), "{:?}", named.notes);
}

#[tokio::test]
async fn what_others_pin_is_judged_where_told() {
    let two = two().await;
    let (single, blobs) = images::image("single", "amd64");
    images::push_image(&at(&url(&two.public)), &repository("quay.example/x/y"), &single, &blobs).await;
    let [gone, y] = ["gone", "y"].map(digest);
    let text = format!(
        "a: quay.example/x/y:1@{y}\nb: quay.example/x/y:2@{}\nc: quay.example/x/y@{gone}\nd: docker.io/x/y@{gone}\n",
        single.digest()
    );
    assert_eq!(found(&two.lint(&text).await), Vec::<String>::new());
    let lint = two.lint_by(&text, &Told { third_party: &[OTHER], ..Told::default() }).await;
    assert_eq!(found(&lint), ["2 not-multi-arch error", "3 digest-gone error"]);
}

#[tokio::test]
async fn what_is_found_does_not_depend_on_how_many_are_asked_at_once() {
    let two = two().await;
    // The first answers come last.
    let late = || Act::Change(Box::new(|response| response.delay(Duration::from_millis(60))));
    two.ours.fault("GET", "/a/", 1..=usize::MAX, late());
    let at_once = two.lint(&text()).await;
    let one = two.lint_by(&text(), &Told { parallel: 1, ..Told::default() }).await;
    assert!(!found(&one).is_empty());
    assert_eq!(at_once, one);
}

#[tokio::test]
async fn a_tree_names_nobody_who_is_asked() {
    let two = two().await;
    // Beside the prefix, not below it; and a host that only looks like it.
    let text = format!(
        "a: registry.example/org/own-else/x@{0}\nb: registry.example/org/x@{0}\nc: registry.example:80/org/own/x@{0}\n",
        digest("a")
    );
    two.lint(&text).await;
    assert_eq!((two.ours.requests().len(), two.public.requests().len()), (0, 0));
}
