//! The base moves while a promotion waits.

use sealift::engine::State;
use sealift::pipeline::Rest;

use super::{STAGING, cozystack, noted, nothing_public, refused, refused_untouched, undisturbed, waiting};
use crate::support::world::{Case, Shipped, World};

const TOOL: &str = "hack/tool.sh";
const NEW: &str = "packages/apps/new/values.yaml";

fn reporting() -> Shipped {
    let mut shipped = cozystack();
    shipped.pipeline.verify.rest = Rest::Report("tools are tested on their own".into());
    shipped
}

#[tokio::test(flavor = "multi_thread")]
async fn outside_the_root_before_freezing_is_refused() {
    let world = World::build(&Case::of(&cozystack())).await;
    world.advance_base(TOOL);
    let before = world.snapshot();
    let texts = ["main has changes outside packages that were not tested", TOOL, "cut the next release candidate"];
    refused_untouched(&world.run().await, "gate", &texts, &before, &world);
}

#[tokio::test(flavor = "multi_thread")]
async fn outside_the_root_while_waiting_is_refused() {
    let world = waiting().await;
    world.advance_base(TOOL);
    let before = world.snapshot();
    let texts = ["main has changes outside packages that were not tested", TOOL, "verify.rest"];
    refused_untouched(&world.run().await, "propose", &texts, &before, &world);
    nothing_public(&world);
}

#[tokio::test(flavor = "multi_thread")]
async fn outside_the_root_seen_only_after_the_merge_is_refused_before_any_public_name() {
    let world = waiting().await;
    world.advance_base(TOOL);
    world.merge();
    let before = world.snapshot();
    refused_untouched(&world.run().await, "verify", &["rule 6", TOOL, "cut the next"], &before, &world);
    nothing_public(&world);
}

#[tokio::test(flavor = "multi_thread")]
async fn outside_the_root_goes_on_where_it_is_declared_and_is_reported() {
    let world = World::build(&Case::of(&reporting())).await;
    let wanted = undisturbed(&world).await;
    world.advance_base(TOOL);
    let ran = world.run().await;
    ran.must_be(State::Waiting);
    noted(
        &ran,
        "gate",
        "1 paths outside packages differ from the candidate (tools are tested on their own): hack/tool.sh",
    );
    noted(&ran, "wait", "hack/tool.sh");
    let merge = world.merge();
    let ran = world.run().await;
    ran.must_be(State::Holds);
    noted(&ran, "verify", "as declared (tools are tested on their own): hack/tool.sh");
    // The merge differs, and with it what names it; every digest is the same.
    for line in wanted.difference(&world.snapshot()) {
        let moved = line.starts_with("~ refs/") && line.contains(&merge) || line.contains("refs/tags/");
        // The release says what was not tested.
        let said = line.starts_with("- github release v1.6.2 ")
            || line.starts_with("+ github release v1.6.2 ") && line.contains("tested on their own");
        assert!(moved || said, "{line}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn in_allowed_paths_goes_on() {
    let world = waiting().await;
    world.advance_base("docs/changelogs/v1.5.9.md");
    let ran = world.run().await;
    ran.must_be(State::Waiting);
    assert!(ran.acted().is_empty());
    world.merge();
    world.run().await.must_be(State::Holds);
}

#[tokio::test(flavor = "multi_thread")]
async fn inside_the_root_before_freezing_is_refused() {
    let world = World::build(&Case::of(&reporting())).await;
    world.advance_base(NEW);
    let before = world.snapshot();
    let texts = ["main changed below packages since the candidate was cut", NEW, "cut the next release candidate"];
    refused_untouched(&world.run().await, "gate", &texts, &before, &world);
}

#[tokio::test(flavor = "multi_thread")]
async fn inside_the_root_while_waiting_says_cut_the_next_candidate() {
    let world = waiting().await;
    world.advance_base(NEW);
    let before = world.snapshot();
    let texts = ["main changed below packages since the candidate was cut", NEW, "cut the next release candidate"];
    refused_untouched(&world.run().await, "propose", &texts, &before, &world);
    nothing_public(&world);
    // What the check on the proposal sees is the merge as it would be.
    let verified = world.session().verify(&world.request()).await;
    refused(&verified, "verify", &["apps/new/values.yaml", "rule 1", "cut the next release candidate"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn inside_the_root_seen_only_after_the_merge_leaves_the_version_unspent() {
    let world = waiting().await;
    world.advance_base(NEW);
    world.merge();
    world.delete_branch(STAGING);
    let before = world.snapshot();
    let texts = [
        "apps/new/values.yaml",
        "rule 1",
        "the version is spent only if something of it is public",
        "cut the next release candidate",
    ];
    refused_untouched(&world.run().await, "verify", &texts, &before, &world);
    nothing_public(&world);
    // The printed way on: the next candidate, from the base.
    let world = world.cut("1.6.2-rc.2".parse().unwrap(), "main").await;
    world.promote().await;
    assert!(world.snapshot().0.contains_key("refs/tags/v1.6.2"));
}
