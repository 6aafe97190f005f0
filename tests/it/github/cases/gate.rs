//! What the repository must allow, looked at before the first write.

use sealift::engine::State;
use serde_json::json;

use super::{COPIED, RC, VERSION, Writes, fresh, noted, nothing_public, on_a_line, refused, session_as, with_secret};
use crate::support::github::state::State as GitHub;
use crate::support::github::{Act, Role, Token};
use crate::support::world::hosted::{READER, client};
use crate::support::world::{MAIN, Session, World};

/// A person who may see everything and is on the allow-list.
pub fn admin(world: &World) -> Session {
    let mut session = session_as(world, Token::classic("ghp_admin", "adam", Role::Admin));
    session.pipeline.proposal.as_mut().unwrap().authors.push("adam".into());
    session
}

/// Classic protection as GitHub writes it, with one demand.
fn protected(demand: Option<&str>) -> serde_json::Value {
    let mut value = json!({
        "enforce_admins": {"url": "https://api.github.test/admins", "enabled": true},
        "required_linear_history": {"enabled": false}, "allow_force_pushes": {"enabled": false},
        "allow_deletions": {"enabled": false}, "block_creations": {"enabled": false},
        "required_signatures": {"url": "https://api.github.test/signatures", "enabled": false},
    });
    if let Some(demand) = demand {
        value[demand]["enabled"] = true.into();
    }
    value
}

/// Every single thing that stops a promotion at the gate, each from the same world.
#[tokio::test(flavor = "multi_thread")]
async fn what_the_repository_does_not_allow_is_refused_with_the_place_and_the_way_on() {
    type Change = fn(&mut GitHub);
    let cases: [(&str, Change, &[&str]); 6] = [
        (
            "no merge commits",
            |github| github.repository.allow_merge_commit = false,
            &[
                "cozystack/cozystack allows no merge commits",
                "allow them (Settings, \"Pull Requests\"): a squash or a rebase would lose the promotion's commits",
            ],
        ),
        (
            "classic linear history",
            |github| drop(github.protections.insert(MAIN.into(), protected(Some("required_linear_history")))),
            &[
                "main demands a linear history: the promotion can't be merged as it must be",
                "its branch protection",
                "let the base take that",
            ],
        ),
        (
            "classic signatures",
            |github| drop(github.protections.insert(MAIN.into(), protected(Some("required_signatures")))),
            &["main demands signed commits", "its branch protection"],
        ),
        (
            "a copied asset",
            |github| github.release_mut(RC).unwrap().assets.retain(|asset| asset.name != COPIED),
            &[
                "the release v1.6.2-rc.1 has no asset metal-amd64.iso",
                "https://github.test/cozystack/cozystack/releases/tag/v1.6.2-rc.1",
                "publish the candidate with it, or correct `release.assets.copied` in the pipeline",
            ],
        ),
        (
            "half a copied asset",
            |github| {
                let assets = &mut github.release_mut(RC).unwrap().assets;
                let asset = assets.iter_mut().find(|asset| asset.name == COPIED).unwrap();
                (asset.state, asset.digest) = ("starter".into(), None);
            },
            &["the release v1.6.2-rc.1 has no asset metal-amd64.iso"],
        ),
        (
            "the candidate's release",
            |github| github.releases.clear(),
            &["v1.6.2-rc.1 has no release to copy assets from"],
        ),
    ];
    let world = fresh().await;
    let (before, known) = (world.snapshot(), world.github().state().clone());
    for (what, change, texts) in cases {
        change(&mut world.github().state());
        let session = admin(&world);
        for ran in [session.run(&world.request()).await, session.plan(&world.request()).await] {
            refused(&ran, "gate", texts);
            assert!(ran.acted().is_empty(), "{what}");
        }
        let tokens = std::mem::take(&mut world.github().state().tokens);
        *world.github().state() = GitHub { tokens, ..known.clone() };
        before.assert_same(&world.snapshot(), what);
    }
    assert_eq!(Writes { github: world.github(), before: 0 }.seen(), Vec::<String>::new());
    // Nothing of it, and it passes.
    world.github().state().protections.insert(MAIN.into(), protected(None));
    admin(&world).run_until(&world.request(), "gate").await.must_be(State::Holds);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_visible_is_a_note_and_no_verdict() {
    let world = fresh().await;
    world.github().state().repository.allow_merge_commit = false;
    world.github().state().protections.insert(MAIN.into(), protected(Some("required_linear_history")));
    world.github().state().add_ruleset("tag", &["refs/tags/v*"], &["creation"]);
    let (before, writes) = (world.snapshot(), Writes::of(&world));
    let mut anybody = world.session();
    anybody.forge = Some(client(world.github(), world.pipeline(), None));
    let ran = anybody.plan(&world.request()).await;
    ran.must_be(State::Work);
    for note in [
        "whether main takes merge commits is not visible to this credential",
        "this credential may not write: what it may do is not judged",
        "the classic protection of main is not visible to this credential",
        "drafts of v1.6.2 are not visible to this credential",
        "lets only some create v1.6.2; whether this credential passes is not visible",
    ] {
        noted(&ran, "gate", note);
    }
    world.github().state().rulesets.clear();
    let ran = with_secret(&world, READER).plan(&world.request()).await;
    ran.must_be(State::Work);
    noted(&ran, "gate", "whether main takes merge commits is not visible to this credential");
    writes.none();
    before.assert_same(&world.snapshot(), "a plan");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_base_without_the_pipelines_marker_is_refused() {
    for line in [false, true] {
        let world = if line { on_a_line().await } else { fresh().await };
        let base = if line { "release-1.6" } else { MAIN };
        let file = ".github/workflows/finalize.yml";
        world.person_commits(base, file, "name: something else\n");
        let before = world.snapshot();
        let ran = world.run().await;
        let texts = [
            &format!("{base} does not carry this pipeline: `sealift` is not in it"),
            &format!("{base}:{file}"),
            &format!("merge the pipeline into {base} first"),
        ];
        refused(&ran, "gate", &texts.map(String::as_str));
        assert!(ran.acted().is_empty());
        before.assert_same(&world.snapshot(), "refused");
        world.github().snapshot();
        let clone = world.clone_of(base);
        world.sandbox.git(&clone, &["rm", "--quiet", file]);
        world.sandbox.commit_all(&clone, "no such file");
        world.push(&clone, &["HEAD"]);
        refused(&world.plan().await, "gate", &[&format!("{base} does not carry this pipeline")]);
    }
}

/// A pipeline that declares no marker says so, and goes on.
#[tokio::test(flavor = "multi_thread")]
async fn no_marker_at_all_is_told() {
    let world = fresh().await;
    let mut session = world.session();
    session.pipeline.base_requires.clear();
    let ran = session.plan(&world.request()).await;
    ran.must_be(State::Work);
    noted(&ran, "gate", "nothing is declared that main must carry (`base_requires`)");
}

/// What can't be looked at is refused, whatever it is: unknown is never permission.
#[tokio::test(flavor = "multi_thread")]
async fn a_look_that_can_not_be_had_is_refused() {
    let world = fresh().await;
    let before = world.snapshot();
    for (target, text) in [
        ("*/cozystack/cozystack", "403"),
        ("*/rules/branches/main*", "the rules for the branch main of cozystack/cozystack"),
        ("*/rules/branches/release-1.6.2*", "the rules for the branch release-1.6.2 of cozystack/cozystack"),
        ("*/rules/branches/release-1.6?*", "the rules for the branch release-1.6 of cozystack/cozystack"),
        ("*/rulesets?*", "the rulesets for tags of cozystack/cozystack"),
        ("*/releases?*", "the releases of cozystack/cozystack"),
        ("*/releases/tags/v1.6.2-rc.1", "the release v1.6.2-rc.1 of cozystack/cozystack"),
        ("*/actions/workflows/*", "runs of tags.yaml of cozystack/cozystack"),
    ] {
        let world = world.copy();
        world.github().fault("GET", target, 1..=usize::MAX, Act::status(403));
        let ran = world.run().await;
        refused(&ran, "gate", &[text]);
        assert!(ran.acted().is_empty(), "{target}");
        before.assert_same(&world.snapshot(), target);
        nothing_public(&world);
    }
}

/// What belongs to a thing that was found just now is there: a 404 for it is no empty list.
#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_is_not_found_is_not_empty() {
    let (fresh, waiting, done) = (fresh().await, super::waiting().await, super::done().await);
    let (candidate, draft) = (super::release_id(&fresh, RC), super::release_id(&waiting, VERSION));
    let published = super::release_id(&done, VERSION);
    for (world, target, stage, text) in [
        (&fresh, "*/actions/runs/*/jobs*", "gate", "whether v1.6.2-rc.1 passed from end to end can't be known"),
        (&fresh, &format!("*/releases/{candidate}/assets*"), "gate", "can't be known: the assets of v1.6.2-rc.1"),
        (&waiting, &format!("*/releases/{draft}/assets*"), "propose", "can't be known: the assets of v1.6.2"),
        (&waiting, "*/pulls?*", "propose", "can't be known: the pull requests from"),
        (&done, &format!("*/releases/{published}/assets*"), "finalize", "can't be known: the assets of v1.6.2"),
    ] {
        let world = world.copy();
        world.github().fault("GET", target, 1..=usize::MAX, Act::status(404));
        let (before, writes) = (world.snapshot(), Writes::of(&world));
        super::refused_untouched(&world.run().await, stage, &[text], &before, &world);
        writes.none();
    }
}
