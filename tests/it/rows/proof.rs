//! The proof, rule by rule: each with a difference that fails that rule.

use std::collections::BTreeSet;

use sealift::archive;
use sealift::engine::State;
use sealift::model::{Digest, Rc};
use sealift::port::registry::{At, RegistryRead};
use sealift::promotion::proof::Proof;
use sealift::tree::{DirTree, MemTree, Subtree};

use super::{STAGING, altered, cozystack, merged, nothing_public, refused, refused_untouched, waiting};
use crate::support::world::{Case, MAIN, World};

const INSTALLER: &str = "core/installer/values.yaml";
const POSTGRES: &str = "apps/postgres/values.yaml";

/// The three trees of a promotion that holds, to be tampered with.
struct Trees {
    world: World,
    tested: (MemTree, Digest),
    candidate: (MemTree, Digest),
    merged: MemTree,
}

async fn unpacked(world: &World, tag: &str) -> (MemTree, Digest) {
    let (registries, repository) = (world.registries(), &world.pipeline().artifact.repository);
    let at = At::Tag(tag.parse().unwrap());
    let manifest = registries.manifest(repository, &at).await.known().unwrap().unwrap();
    let config = registries.blob(repository, manifest.config().unwrap()).await.known().unwrap().unwrap();
    let layer = registries.blob(repository, &manifest.layers()[0]).await.known().unwrap().unwrap();
    let tree = archive::read(&manifest, &config, &layer, &Default::default()).unwrap();
    (MemTree::copy_of(&tree).unwrap(), manifest.digest())
}

impl Trees {
    async fn of_a_promotion() -> Self {
        let (world, _) = merged().await;
        world.run().await.must_be(State::Holds);
        let clone = world.clone_of(MAIN);
        let merged = MemTree::copy_of(&Subtree::new(&DirTree::open(&clone).unwrap(), "packages").unwrap()).unwrap();
        let (tested, candidate) = (unpacked(&world, "v1.6.2-rc.1").await, unpacked(&world, "v1.6.2").await);
        Self { world, tested, candidate, merged }
    }

    /// The rules that fail, and what they say.
    fn rules(&self) -> (BTreeSet<u8>, String) {
        let rc: Rc = "1.6.2-rc.1".parse().unwrap();
        let proof = Proof {
            pipeline: self.world.pipeline(),
            rc: &rc,
            tested: (&self.tested.0, self.tested.1),
            candidate: (&self.candidate.0, self.candidate.1),
            merged: &self.merged,
        };
        let found = proof.differences().unwrap();
        let said: Vec<String> = found.iter().map(ToString::to_string).collect();
        (found.iter().map(|difference| difference.rule).collect(), said.join("\n"))
    }

    #[track_caller]
    fn must_fail(&self, rules: &[u8], text: &str) {
        let (found, said) = self.rules();
        assert_eq!(found, rules.iter().copied().collect(), "{said}");
        assert!(said.contains(text), "`{text}` is not in:\n{said}");
    }
}

fn edit(tree: &mut MemTree, path: &str, edit: impl Fn(&str) -> String) {
    let bytes = String::from_utf8(tree.get(path.as_bytes()).unwrap().to_vec()).unwrap();
    let edited = edit(&bytes);
    assert_ne!(edited, bytes, "{path}");
    tree.put(path, 0o644, edited);
}

fn comment(text: &str) -> String {
    format!("{text}# by hand\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn it_holds_for_a_promotion_and_fails_for_each_rule_alone() {
    let mut trees = Trees::of_a_promotion().await;
    assert_eq!(trees.rules(), (BTreeSet::new(), String::new()));
    let (tested, candidate, merged) = (trees.tested.0.clone(), trees.candidate.0.clone(), trees.merged.clone());

    // 1: the merge is not the candidate: a file more, one less, other bytes, the executable bit both ways.
    trees.merged.put("apps/new/file", 0o644, "new");
    trees.must_fail(&[1], "apps/new/file: is in the merge and not in the candidate (rule 1)");
    trees.merged = merged.clone();
    edit(&mut trees.merged, POSTGRES, comment);
    trees.must_fail(&[1], "apps/postgres/values.yaml: differs between the candidate and the merge (rule 1)");
    trees.merged = merged.clone();
    trees.merged.put("system/multus/hack/check.sh", 0o644, merged.get(b"system/multus/hack/check.sh").unwrap());
    trees.must_fail(&[1], "is executable in the candidate and not in the merge");
    trees.merged = merged.clone();
    trees.merged.put(POSTGRES, 0o755, merged.get(POSTGRES.as_bytes()).unwrap());
    trees.must_fail(&[1], "is executable in the merge and not in the candidate");
    trees.merged = merged.clone();
    // The installer is compared too, apart from its pin.
    edit(&mut trees.merged, INSTALLER, comment);
    trees.must_fail(&[1], "core/installer/values.yaml: differs between the candidate and the merge");
    trees.merged = merged.clone();

    // 2: the candidate names a candidate. All three trees agree on it.
    let stale = format!("image: ghcr.io/cozystack/cozystack/old:v1.6.2-rc.0@{}\n", Digest::of(b"old"));
    for tree in [&mut trees.tested.0, &mut trees.candidate.0, &mut trees.merged] {
        tree.put("apps/old/values.yaml", 0o644, stale.as_str());
    }
    trees.must_fail(&[2], "packages/apps/old/values.yaml:1");
    (trees.tested.0, trees.candidate.0, trees.merged) = (tested.clone(), candidate.clone(), merged.clone());

    // 3: the candidate and the merge agree, and it is not what was tested.
    for tree in [&mut trees.candidate.0, &mut trees.merged] {
        edit(tree, POSTGRES, comment);
    }
    trees.must_fail(&[3], "apps/postgres/values.yaml: differs between what was tested and the candidate (rule 3)");
    (trees.candidate.0, trees.merged) = (candidate.clone(), merged.clone());
    for tree in [&mut trees.candidate.0, &mut trees.merged] {
        tree.put("apps/new/file", 0o644, "untested");
    }
    trees.must_fail(&[3], "apps/new/file: is in the candidate and not in what was tested");
    (trees.candidate.0, trees.merged) = (candidate.clone(), merged.clone());
    // What only a candidate may hold may not get any further.
    for tree in [&mut trees.candidate.0, &mut trees.merged] {
        tree.put("core/platform/.build-revision", 0o644, "left by a build");
    }
    trees.must_fail(&[3], "core/platform/.build-revision");
    (trees.candidate.0, trees.merged) = (candidate.clone(), merged.clone());

    // 4 (and 3, since bytes differ where digests do): another digest at one place; two exchanged.
    let digest = |text: &str| text[text.find("sha256:").unwrap()..][..71].to_owned();
    let one = digest(std::str::from_utf8(candidate.get(POSTGRES.as_bytes()).unwrap()).unwrap());
    let two = digest(std::str::from_utf8(candidate.get(b"system/kamaji/values.yaml").unwrap()).unwrap());
    for tree in [&mut trees.candidate.0, &mut trees.merged] {
        edit(tree, POSTGRES, |text| text.replace(&one, &two));
        edit(tree, "system/kamaji/values.yaml", |text| text.replace(&two, &one));
    }
    trees.must_fail(&[3, 4], "(rule 4)");
    (trees.candidate.0, trees.merged) = (candidate.clone(), merged.clone());

    // 5: three pins, each of the trusted repository, two of them of one artifact only.
    let mallory = |text: &str| text.replace("oci://ghcr.io/cozystack/", "oci://ghcr.io/mallory/");
    for which in 0..3 {
        let tree = [&mut trees.tested.0, &mut trees.candidate.0, &mut trees.merged];
        edit(tree.into_iter().nth(which).unwrap(), INSTALLER, mallory);
        let whose = ["the rc artifact", "the candidate", "the merge"][which];
        // What is not the trusted repository's is a reference like any other, and rule 4 sees it too.
        let rules: &[u8] = if which < 2 { &[4, 5] } else { &[5] };
        trees.must_fail(rules, &format!("in {whose}: it pins ghcr.io/mallory/"));
        (trees.tested.0, trees.candidate.0, trees.merged) = (tested.clone(), candidate.clone(), merged.clone());
    }
    let (rc, stable) = (trees.tested.1.to_string(), trees.candidate.1.to_string());
    edit(&mut trees.candidate.0, INSTALLER, |text| text.replace(&rc, &stable));
    trees.must_fail(&[5], &format!("in the candidate: it pins {stable}, expected {rc}"));
    trees.candidate.0 = candidate.clone();
    edit(&mut trees.merged, INSTALLER, |text| text.replace(&stable, &rc));
    trees.must_fail(&[5], &format!("in the merge: it pins {rc}, expected {stable}"));
    trees.merged = merged.clone();
    // The older pin in what was tested is never followed: it may name anything in the trusted repository.
    edit(&mut trees.tested.0, INSTALLER, |text| {
        let at = text.find("digest=sha256:").unwrap() + 7;
        text.replace(&text[at..at + 71], &Digest::of(b"gone").to_string())
    });
    assert_eq!(trees.rules().0, BTreeSet::new());
}

/// A merge by a person that moves one thing; `verify` says which rule.
async fn a_merge_that(change: impl Fn(&World, &std::path::Path), texts: &[&str]) {
    let world = waiting().await;
    let clone = world.clone_of(MAIN);
    world.sandbox.git(&clone, &["merge", "--quiet", "--no-ff", "--no-commit", &format!("origin/{STAGING}")]);
    change(&world, &clone);
    world.sandbox.commit_all(&clone, "merge, with a change");
    world.push(&clone, &["HEAD"]);
    let before = world.snapshot();
    let mut texts = texts.to_vec();
    texts.push("cut the next release candidate");
    refused_untouched(&world.run().await, "verify", &texts, &before, &world);
    let verified = world.session().verify(&world.request()).await;
    refused(&verified, "verify", &texts);
    nothing_public(&world);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_merge_that_makes_a_file_executable_fails_rule_1() {
    a_merge_that(
        |world, clone| {
            world.sandbox.git(clone, &["update-index", "--chmod=+x", &format!("packages/{POSTGRES}")]);
            use std::os::unix::fs::PermissionsExt;
            let file = clone.join("packages").join(POSTGRES);
            std::fs::set_permissions(file, PermissionsExt::from_mode(0o755)).unwrap();
        },
        &["apps/postgres/values.yaml: is executable in the merge and not in the candidate (rule 1)"],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_merge_that_deletes_a_file_fails_rule_1() {
    a_merge_that(
        |_, clone| std::fs::remove_file(clone.join("packages/system/multus/hack/check.sh")).unwrap(),
        &["system/multus/hack/check.sh: is in the candidate and not in the merge (rule 1)"],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_merge_that_pins_another_artifact_fails_rule_5() {
    let gone = Digest::of(b"another").to_string();
    a_merge_that(
        |_, clone| {
            let file = clone.join("packages").join(INSTALLER);
            let text = std::fs::read_to_string(&file).unwrap();
            let at = text.find("digest=sha256:").unwrap() + 7;
            std::fs::write(file, text.replace(&text[at..at + 71], &gone)).unwrap();
        },
        &["in the merge: it pins", "(rule 5)"],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_merge_that_changes_the_rest_fails_rule_6() {
    a_merge_that(|_, clone| std::fs::write(clone.join("Makefile"), "all:\n").unwrap(), &["Makefile", "(rule 6)"]).await;
}

/// A tree that still names an earlier candidate passes the rewrite of this one, and would fail rule 2.
#[tokio::test(flavor = "multi_thread")]
async fn a_tree_that_names_an_earlier_candidate_is_refused_before_anything_is_written() {
    let case = Case::of(&cozystack()).rc("1.6.2-rc.2");
    let world = altered(&case, |tree| {
        let dir = tree.join("packages/apps/stale");
        std::fs::create_dir(&dir).unwrap();
        let image = format!("image: ghcr.io/cozystack/cozystack/stale:v1.6.2-rc.1@sha256:{}\n", "a".repeat(64));
        std::fs::write(dir.join("values.yaml"), image).unwrap();
    })
    .await;
    let ran = world.run().await;
    refused(&ran, "gate", &["packages/apps/stale/values.yaml:1"]);
    nothing_public(&world);
}

/// The artifact is pulled by digest, and hashed before it is read.
#[tokio::test(flavor = "multi_thread")]
async fn an_artifact_whose_bytes_were_changed_is_never_read() {
    let (world, _) = merged().await;
    let (_, digest) = {
        let copy = world.copy();
        copy.run().await.must_be(State::Holds);
        unpacked(&copy, "v1.6.2").await
    };
    let blobs = world.registry().join(super::PACKAGES).join("blobs/sha256");
    let manifest = std::fs::read_to_string(blobs.join(digest.hex())).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    let layer = manifest["layers"][0]["digest"].as_str().unwrap().strip_prefix("sha256:").unwrap().to_owned();
    let mut bytes = std::fs::read(blobs.join(&layer)).unwrap();
    let last = bytes.len() - 9;
    bytes[last] ^= 1;
    std::fs::write(blobs.join(&layer), bytes).unwrap();
    let before = world.snapshot();
    refused_untouched(&world.run().await, "verify", &[&layer], &before, &world);
    nothing_public(&world);
}
