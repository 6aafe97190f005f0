//! A directory or a revision is previewed without a pull request, and without GitHub.

use super::*;

/// What points a preview at a world and at no GitHub.
fn arguments(world: &World) -> Vec<String> {
    let all = world.arguments();
    let pairs = all.chunks(2).filter(|pair| !pair[0].starts_with("--github"));
    pairs.flatten().cloned().collect()
}

#[track_caller]
fn exits(output: &Output, code: i32) -> String {
    let said = format!("{}{}", text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{said}");
    said
}

#[tokio::test(flavor = "multi_thread")]
async fn a_directory_is_rehearsed_with_its_registry_and_its_origin() {
    let world = fresh().await;
    let clone = world.clone_of(RC_BRANCH);
    let tree = clone.to_str().unwrap();
    let before = world.snapshot();
    let seen = exits(&sealift(&world, &["preview", "--tree", tree], &[], &arguments(&world)), 0);
    assert!(seen.starts_with("Preview of a tree: it would promote cleanly"), "{seen}");
    assert!(
        seen.contains("v1.6.2-rc.1 to v1.6.2: the one that its own tags carry") && seen.contains("advisory"),
        "{seen}"
    );
    // The same as a revision, and the same by name.
    let revision =
        exits(&sealift(&world, &["preview", "--tree", RC_BRANCH, "v1.6.2-rc.1"], &[], &arguments(&world)), 0);
    let digest = |text: &str| text.lines().find(|line| line.contains("diff id")).unwrap().to_owned();
    assert_eq!(digest(&seen), digest(&revision));
    edit(&clone, POSTGRES, |text| format!("{text}stray: {}\n", sha("stray")));
    let refused = exits(&sealift(&world, &["preview", "--tree", tree], &[], &arguments(&world)), 5);
    assert!(
        refused.contains("a digest that no shape claims") && refused.contains(&format!("at {POSTGRES}:5:8")),
        "{refused}"
    );
    before.assert_same(&world.snapshot(), "a preview writes nothing");
    for (format, begins) in [("json", "{\"event\":\"preview\""), ("markdown", "## Preview of a tree: a promotion")] {
        let words = ["preview", "--tree", tree, "--format", format];
        let seen = exits(&sealift(&world, &words, &[], &arguments(&world)), 5);
        assert!(seen.starts_with(begins), "{seen}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_origin_that_does_not_answer_is_not_fine() {
    let world = fresh().await;
    let clone = world.clone_of(RC_BRANCH);
    std::fs::rename(world.origin(), world.sandbox.path("moved")).unwrap();
    let seen = exits(&sealift(&world, &["preview", "--tree", clone.to_str().unwrap()], &[], &arguments(&world)), 1);
    assert!(
        seen.contains("not everything could be looked at") && seen.contains("What could not be looked at"),
        "{seen}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn words_that_are_wrong_are_usage() {
    let world = fresh().await;
    for words in [
        ["preview"].as_slice(),
        &["preview", "--tree", ".", "--comment"],
        &["preview", "--tree", ".", "--pull-request", "1"],
        &["preview", "--tree", ".", "v1.6.2"],
        &["preview", "--pull-request", "x"],
    ] {
        exits(&sealift(&world, words, &[], &arguments(&world)), 2);
    }
    let seen = exits(&sealift(&world, &["preview", "--tree", "nowhere"], &[], &arguments(&world)), 1);
    assert!(seen.contains("neither a directory nor a revision"), "{seen}");
}
