//! A stale plan stops: the world changes between plan and apply, and what is there is agreed with
//! or refused, never overwritten.

mod hosted;

use std::sync::Mutex;

use sealift::engine::State;
use sealift::model::Unknown;
use sealift::port::WriteError;
use sealift::stage::Summary;

use super::Undisturbed;
use crate::support::crash::{Count, Effect, Hook, Look, Writes};
use crate::support::images;
use crate::support::world::{Ran, Told, World, shipped};

enum Moment<'a> {
    Before(&'a Effect),
    After(&'a Effect),
    /// A look of the interpreter's, right before it acts.
    Looking(&'a Summary),
}

/// Does something to the world at the first moment of a kind.
struct Meanwhile<'a> {
    when: Box<dyn Fn(&Moment<'_>) -> bool + Send + Sync + 'a>,
    does: Mutex<Option<Box<dyn FnOnce() + Send + 'a>>>,
}

impl<'a> Meanwhile<'a> {
    fn new(when: impl Fn(&Moment<'_>) -> bool + Send + Sync + 'a, does: impl FnOnce() + Send + 'a) -> Self {
        Self { when: Box::new(when), does: Mutex::new(Some(Box::new(does))) }
    }

    fn at(&self, moment: &Moment<'_>) {
        if (self.when)(moment)
            && let Some(does) = self.does.lock().unwrap().take()
        {
            does();
        }
    }

    /// Runs with this going on, one request at a time; it must have happened.
    async fn during_a_run(self, world: &World) -> Ran {
        let mut session = world.session();
        session.parallel = 1;
        let watching = Watching { meanwhile: &self, told: &session.told };
        let ran = session.run_watched(&world.request(), &watching).await;
        assert!(self.does.lock().unwrap().is_none(), "the moment never came\n{}", ran.told());
        ran
    }
}

struct Watching<'a, 'b> {
    meanwhile: &'a Meanwhile<'b>,
    told: &'a Told,
}

impl Hook for Watching<'_, '_> {
    fn look(&self, _look: &Look) -> Option<Unknown> {
        if let Some(action) = self.told.acting() {
            self.meanwhile.at(&Moment::Looking(&action));
        }
        None
    }

    fn before(&self, effect: &Effect) -> Result<(), WriteError> {
        self.meanwhile.at(&Moment::Before(effect));
        Ok(())
    }

    fn after(&self, effect: &Effect) -> Result<(), WriteError> {
        self.meanwhile.at(&Moment::After(effect));
        Ok(())
    }
}

/// A refusal with something to do, and a release that did not come out.
#[track_caller]
fn refused(ran: &Ran, world: &World, what: &str) {
    ran.must_be(State::Refused);
    let refusals = ran.refusals();
    assert!(refusals.iter().any(|refusal| format!("{refusal:?}").contains(what)), "{what}: {refusals:#?}");
    assert!(refusals.iter().all(|refusal| refusal.hint.is_some()), "no hint: {refusals:#?}");
    let tag = world.names().git_tag;
    match world.hosted() {
        // There the tag comes before the line, and the release after it.
        Some(github) => {
            let state = github.state();
            let public = state.releases.iter().any(|release| !release.draft && release.tag_name == tag.short());
            assert!(!public, "the release came out");
        }
        None if !what.contains("refs/tags/") => {
            assert_eq!(world.names_of(tag.as_str()), None, "the release came out");
        }
        None => {}
    }
}

fn before_ref<'a>(name: &'a str) -> impl Fn(&Moment<'_>) -> bool + 'a {
    move |moment| matches!(moment, Moment::Before(effect) if effect.kind == Writes::Ref && effect.what == name)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stable_tag_that_appears_is_agreed_with_or_refused() {
    for shipped in shipped() {
        let undisturbed = Undisturbed::of(&shipped).await;
        let first_put =
            |moment: &Moment<'_>| matches!(moment, Moment::After(effect) if effect.kind == Writes::Manifest);
        let (name, digest) = undisturbed.merged.images.iter().next_back().unwrap();

        let world = undisturbed.merged.copy();
        let meanwhile = Meanwhile::new(first_put, || world.set_tag(name, digest));
        meanwhile.during_a_run(&world).await.must_be(State::Holds);
        undisturbed.last.assert_same(&world.snapshot(), "the same tag by another's hand");

        let world = undisturbed.merged.copy();
        let (repository, _) = name.rsplit_once(':').unwrap();
        let foreign = images::push_index(&world.registries(), &repository.parse().unwrap(), None, "foreign").await;
        let meanwhile = Meanwhile::new(first_put, || world.set_tag(name, &foreign));
        let ran = meanwhile.during_a_run(&world).await;
        refused(&ran, &world, &format!("{name} already names {foreign}"));
        assert_eq!(world.snapshot().tag(name), Some(foreign.to_string().as_str()));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chart_that_appears_is_refused() {
    let mut charts = 0;
    for shipped in shipped() {
        let Some(chart) = &shipped.pipeline.chart else { continue };
        charts += 1;
        let world = Undisturbed::of(&shipped).await.merged;
        let foreign = images::push_index(&world.registries(), &chart.repository, None, "foreign").await;
        let name = format!("{}:{}", chart.repository, world.rc.stable);
        let first_blob = |moment: &Moment<'_>| matches!(moment, Moment::Before(effect) if effect.kind == Writes::Blob);
        let ran = Meanwhile::new(first_blob, || world.set_tag(&name, &foreign)).during_a_run(&world).await;
        refused(&ran, &world, &name);
        assert_eq!(world.snapshot().tag(&name), Some(foreign.to_string().as_str()));
    }
    assert!(charts > 0, "no shipped pipeline publishes a chart");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_git_tag_pushed_by_hand_is_agreed_with_or_refused() {
    for shipped in shipped() {
        let undisturbed = Undisturbed::of(&shipped).await;
        let names = undisturbed.merged.names();
        let tag = names.git_tag.as_str();
        let merge = undisturbed.merged.names_of(names.base.as_str()).unwrap();
        let elsewhere = undisturbed.merged.names_of(names.rc_tag.as_str()).unwrap();

        let world = undisturbed.merged.copy();
        let meanwhile = Meanwhile::new(before_ref(tag), || world.set_ref(tag, &merge));
        meanwhile.during_a_run(&world).await.must_be(State::Holds);
        assert_eq!(world.snapshot().0.get(tag), Some(&merge), "a tag that peels to the merge is ours");

        let world = undisturbed.merged.copy();
        let ran = Meanwhile::new(before_ref(tag), || world.set_ref(tag, &elsewhere)).during_a_run(&world).await;
        refused(&ran, &world, &format!("{tag} at {elsewhere}"));
        assert_eq!(world.names_of(tag), Some(elsewhere));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_that_diverges_is_refused_before_the_release() {
    for shipped in shipped() {
        let world = Undisturbed::of(&shipped).await.merged;
        let names = world.names();
        let line = names.line.as_str();
        let astray = world.person_commits(MAIN_BEFORE, "astray.txt", "not on the base\n");
        world.sandbox.git(&world.origin(), &["update-ref", "-d", &format!("refs/heads/{MAIN_BEFORE}")]);
        let ran = Meanwhile::new(before_ref(line), || world.set_ref(line, &astray)).during_a_run(&world).await;
        refused(&ran, &world, "has diverged");
        assert_eq!(world.names_of(line), Some(astray));
    }
}

/// A branch that every world has and no promotion of it moves.
const MAIN_BEFORE: &str = "release-1.6.2-rc.1";

#[tokio::test(flavor = "multi_thread")]
async fn a_staging_branch_that_moves_is_joined_or_refused() {
    for shipped in shipped() {
        let undisturbed = Undisturbed::of(&shipped).await;
        let staging = undisturbed.fresh.names().staging;
        let updates = |moment: &Moment<'_>, world: &World| {
            before_ref(staging.as_str())(moment) && world.names_of(staging.as_str()).is_some()
        };
        let allowed = shipped.pipeline.allowed_paths.iter().map(|glob| glob.replace("**", "v1.6.2.md"));
        for (path, joined) in allowed.map(|path| (path, true)).chain([("stray.md".into(), false)]) {
            let world = undisturbed.fresh.copy();
            let theirs = Mutex::new(String::new());
            let meanwhile = Meanwhile::new(
                |moment| updates(moment, &world),
                || *theirs.lock().unwrap() = world.person_commits(staging.short(), &path, "by hand\n"),
            );
            let ran = meanwhile.during_a_run(&world).await;
            let theirs = theirs.into_inner().unwrap();
            if joined {
                ran.must_be(State::Waiting);
                let both = [theirs.as_str(), staging.short()];
                world.sandbox.git(&world.origin(), &["merge-base", "--is-ancestor", both[0], both[1]]);
                world.merge();
                world.run().await.must_be(State::Holds);
            } else {
                refused(&ran, &world, &path);
                assert_eq!(world.names_of(staging.as_str()), Some(theirs));
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_branch_of_that_name_that_appears_is_refused() {
    for shipped in shipped() {
        let world = Undisturbed::of(&shipped).await.fresh;
        let names = world.names();
        let (staging, other) = (names.staging.as_str(), world.names_of(names.base.as_str()).unwrap());
        let ran = Meanwhile::new(before_ref(staging), || world.set_ref(staging, &other)).during_a_run(&world).await;
        refused(&ran, &world, "is not a promotion");
        assert_eq!(world.names_of(staging), Some(other));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_temporary_tag_with_other_bytes_is_refused() {
    for shipped in shipped() {
        let undisturbed = Undisturbed::of(&shipped).await;
        let name =
            undisturbed.last.0.keys().find_map(|name| name.strip_prefix("tag ").filter(|n| n.contains(":promotion-")));
        let (name, world) = (name.unwrap(), undisturbed.fresh.copy());
        let artifact = &shipped.pipeline.artifact.repository;
        let foreign = images::push_index(&world.registries(), artifact, None, "foreign").await;
        let first_blob = |moment: &Moment<'_>| matches!(moment, Moment::Before(effect) if effect.kind == Writes::Blob);
        let ran = Meanwhile::new(first_blob, || world.set_tag(name, &foreign)).during_a_run(&world).await;
        refused(&ran, &world, name);
        assert_eq!(world.snapshot().tag(name), Some(foreign.to_string().as_str()));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_promotion_that_was_reviewed_is_run() {
    for shipped in shipped() {
        let world = Undisturbed::of(&shipped).await.fresh;
        let seal = world.plan().await.seal();
        let reviewed = world.copy();
        let values = shipped.pipeline.below_root("apps/late/values.yaml");
        world.person_commits(world.names().rc_branch.short(), &values, "late: true\n");
        let (before, count) = (world.snapshot(), Count::default());
        let ran = world.session().run_sealed(&world.request(), &seal, &count).await;
        refused(&ran, &world, "reviewed");
        assert_eq!(count.effects(), 0);
        before.assert_same(&world.snapshot(), "another seal");
        let ran = reviewed.session().run_sealed(&reviewed.request(), &seal, &count).await;
        ran.must_be(State::Waiting);
        assert_ne!(count.effects(), 0);
    }
}
