//! `--skip-evidence`: a recorded bypass, shown in every later report.

use sealift::engine::State;
use sealift::promotion::locate::Request;

use super::{RC, TAG, exits, fresh, not_noted, noted, printed, pull_body, release_body, staging};
use crate::support::world::{MAIN, Session, World};

const REASON: &str = "the cluster is down; tested by hand, see @qa";
const NOTE: &str = "evidence skipped: the cluster is down; tested by hand, see @qa";

fn skipping(world: &World, reason: &str) -> Session {
    let mut session = world.session();
    session.inputs.skip_evidence = Some(reason.into());
    session
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_recorded_in_the_commit_and_shown_in_every_later_report() {
    let world = fresh().await;
    world.github().state().runs.clear();
    let ran = skipping(&world, REASON).run(&world.request()).await;
    ran.must_be(State::Waiting);
    noted(&ran, "gate", NOTE);
    let log = world.sandbox.git(&world.origin(), &["log", "--format=%B", "-3", &staging(&world)]);
    assert!(log.contains(&format!("Sealift-Evidence-Skipped: {REASON}")), "{log}");
    // From here on nobody needs to say it again.
    for ran in [world.run().await, world.plan().await, world.session().run(&Request::Version(world.rc.stable)).await] {
        ran.must_be(State::Waiting);
        noted(&ran, "gate", NOTE);
    }
    let shown = "| evidence | **skipped**: the cluster is down; tested by hand, see @&#8203;qa |";
    assert!(pull_body(&world, 1).contains(shown), "{}", pull_body(&world, 1));
    world.merge();
    for _ in 0..2 {
        let ran = world.run().await;
        ran.must_be(State::Holds);
        noted(&ran, "gate", NOTE);
    }
    assert!(release_body(&world).contains(shown), "it is public what was not tested");
    assert!(!release_body(&world).contains("tested from end to end"), "{}", release_body(&world));
    assert!(release_body(&world).contains("nothing was built again"), "{}", release_body(&world));
    assert!(world.sandbox.git(&world.origin(), &["log", "--format=%B", TAG]).contains("Sealift-Evidence-Skipped: "));
    noted(&world.plan().await, "gate", NOTE);
}

/// By the binary: the reason must be one, and the printed command that goes on doesn't repeat it.
#[tokio::test(flavor = "multi_thread")]
async fn a_reason_must_say_something() {
    let world = fresh().await;
    world.github().state().runs.clear();
    for reason in ["", "  ", "because", "two\nlines of words"] {
        exits(&world, &["plan", RC, "--skip-evidence", reason], 2);
    }
    exits(&world, &["plan", RC], 5);
    let output = exits(&world, &["plan", RC, "--skip-evidence", REASON], 3);
    assert!(printed(&output).contains(NOTE), "{}", printed(&output));
    let output = exits(&world, &["run", RC, "--skip-evidence", REASON, "--until", "pin"], 0);
    let all = printed(&output);
    assert!(all.contains(NOTE) && all.contains(" resume ") && !all.contains("--skip-evidence"), "{all}");
    assert_eq!(world.github().log().iter().filter(|logged| logged.method == "PATCH").count(), 0);
}

/// What has begun was judged when it began: a later bypass neither hides nor replaces that.
#[tokio::test(flavor = "multi_thread")]
async fn it_changes_nothing_once_a_promotion_has_begun() {
    let world = fresh().await;
    world.session().run_until(&world.request(), "commit").await.must_be(State::Holds);
    let before = staging(&world);
    let ran = skipping(&world, REASON).run(&world.request()).await;
    ran.must_be(State::Waiting);
    noted(&ran, "gate", "evidence: a green end-to-end run");
    not_noted(&ran, "evidence skipped");
    assert!(world.sandbox.git(&world.origin(), &["rev-list", &staging(&world)]).contains(&before));
}

/// A bypass is of one candidate: the next needs evidence of its own.
#[tokio::test(flavor = "multi_thread")]
async fn the_next_candidate_is_judged_anew() {
    let world = fresh().await;
    world.github().state().runs.clear();
    skipping(&world, REASON).run(&world.request()).await.must_be(State::Waiting);
    let world = world.cut("1.6.2-rc.2".parse().unwrap(), MAIN).await;
    let green = world.run().await;
    green.must_be(State::Waiting);
    noted(&green, "gate", "evidence: a green end-to-end run");
    assert!(!pull_body(&world, 1).contains("**skipped**"));
    let bare = world.cut("1.6.2-rc.3".parse().unwrap(), MAIN).await;
    bare.github().state().runs.clear();
    super::refused(&bare.run().await, "gate", &["nothing says that v1.6.2-rc.3 passed"]);
}
