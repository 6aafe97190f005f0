//! Safety at every step: whatever was done so far, no public name exists before the merge is there
//! and proven, and each one names what it must; the order of the public names is kept too.

use std::sync::Mutex;

use sealift::engine::State;
use sealift::port::WriteError;

use crate::support::crash::{Effect, Hook};
use crate::support::world::{Case, World, WorldSnapshot, shipped};

/// Looks at the whole world after each effect.
struct Watch<'a> {
    world: &'a World,
    initial: WorldSnapshot,
    /// The merge, once a person has made it.
    merge: Option<String>,
    looks: Mutex<Vec<Vec<String>>>,
}

impl<'a> Watch<'a> {
    fn new(world: &'a World, merge: Option<String>) -> Self {
        Self { world, initial: world.snapshot(), merge, looks: Mutex::default() }
    }

    /// Every effect was looked at, and nothing was wrong after any of them.
    #[track_caller]
    fn was_safe(self) {
        let looks = self.looks.into_inner().unwrap();
        let wrong: Vec<&String> = looks.iter().flatten().collect();
        assert!(!looks.is_empty() && wrong.is_empty(), "{} looks: {wrong:#?}", looks.len());
    }
}

impl Hook for Watch<'_> {
    fn after(&self, effect: &Effect) -> Result<(), WriteError> {
        let wrong = Names::of(self).wrong(&self.world.snapshot(), &self.initial);
        let wrong = wrong.into_iter().map(|wrong| format!("after {effect:?}: {wrong}")).collect();
        self.looks.lock().unwrap().push(wrong);
        Ok(())
    }
}

/// The public names of a release, and what each must name, made without sealift.
struct Names {
    merge: Option<String>,
    on_github: bool,
    /// Images and the packages artifact: name and digest.
    images: Vec<(String, String)>,
    chart: Option<String>,
    modules: Vec<String>,
    line: String,
    release: String,
    staging: String,
    /// An alias, and the name that it copies.
    aliases: Vec<(String, String)>,
}

impl Names {
    fn of(watch: &Watch<'_>) -> Self {
        let (world, pipeline) = (watch.world, watch.world.pipeline());
        let (names, stable) = (world.names(), world.rc.stable);
        let artifact = &pipeline.artifact.repository;
        let mut images: Vec<_> = world.images.iter().map(|(name, digest)| (name.clone(), digest.to_string())).collect();
        if let Some(merge) = &watch.merge {
            images.push((format!("{artifact}:v{stable}"), pinned(world, merge)));
        }
        let chart = pipeline.chart.as_ref().map(|chart| format!("{}:{stable}", chart.repository));
        let source = |name: &str| (name.rsplit_once(':').unwrap().0.to_owned(), name.to_owned());
        let copied =
            images.iter().map(|(name, _)| source(name)).filter(|(_, name)| name.ends_with(&format!(":v{stable}")));
        let of = |alias: &sealift::model::Tag, (repository, name)| (format!("{repository}:{alias}"), name);
        let image_aliases =
            pipeline.aliases.images.iter().flat_map(|alias| copied.clone().map(move |from| of(alias, from)));
        let mut aliases: Vec<(String, String)> = image_aliases.collect();
        aliases.extend(pipeline.aliases.chart.iter().filter_map(|alias| Some(of(alias, source(chart.as_ref()?)))));
        Self {
            merge: watch.merge.clone(),
            on_github: world.hosted().is_some(),
            images,
            chart,
            modules: names.module_tags.iter().map(|tag| tag.to_string()).collect(),
            line: names.line.to_string(),
            release: names.git_tag.to_string(),
            staging: names.staging.to_string(),
            aliases,
        }
    }

    fn wrong(&self, now: &WorldSnapshot, initial: &WorldSnapshot) -> Vec<String> {
        let mut wrong = Vec::new();
        let changed = now.0.iter().filter(|(name, value)| initial.0.get(*name) != Some(value));
        for (name, value) in changed {
            match self.may(name, value, now) {
                Ok(()) => {}
                Err(why) => wrong.push(format!("{name} {value}: {why}")),
            }
        }
        // A release's line says what became of it: a draft that is one no more is judged by its new line.
        let changes = format!("github release {} ", self.release.strip_prefix("refs/tags/").unwrap());
        let gone = initial.0.keys().filter(|name| !now.0.contains_key(*name) && !name.starts_with(&changes));
        wrong.extend(gone.map(|name| format!("{name} is gone")));
        wrong.extend(self.order(now, initial));
        wrong
    }

    /// Whether a thing may have become what it is.
    fn may(&self, name: &str, value: &str, now: &WorldSnapshot) -> Result<(), String> {
        let pull = name.starts_with("github pull ");
        if name.starts_with("blob ") || name == self.staging || name.contains(":promotion-") || pull {
            return Ok(());
        }
        if let Some(thing) = name.strip_prefix("github ") {
            return self.hosted(thing, value, now);
        }
        let Some(merge) = &self.merge else { return Err("public before the merge".into()) };
        let git = [&self.line, &self.release].into_iter().chain(&self.modules);
        if git.into_iter().any(|git| git == name) {
            return if value.ends_with(merge) { Ok(()) } else { Err(format!("the merge is {merge}")) };
        }
        let tag = name.strip_prefix("tag ").ok_or("nobody's name")?;
        if let Some((_, digest)) = self.images.iter().find(|(image, _)| image == tag) {
            return if digest == value { Ok(()) } else { Err(format!("must be {digest}")) };
        }
        if let Some((_, source)) = self.aliases.iter().find(|(alias, _)| alias == tag) {
            return if now.tag(source) == Some(value) { Ok(()) } else { Err(format!("is not {source}")) };
        }
        if self.chart.as_deref() == Some(tag) { Ok(()) } else { Err("nobody's name".into()) }
    }

    /// A release or an asset: one draft, which people can't see, until it is published at the merge.
    fn hosted(&self, thing: &str, value: &str, now: &WorldSnapshot) -> Result<(), String> {
        let (kind, rest) = thing.split_once(' ').unwrap();
        let tag = self.release.strip_prefix("refs/tags/").unwrap();
        if rest.split(' ').next() != Some(tag) || !["release", "asset"].contains(&kind) || value != "x" {
            return Err("nobody's, or there twice".into());
        }
        let releases: Vec<_> = self.states(now).collect();
        match (releases.as_slice(), &self.merge) {
            (["draft"], _) | (["published" | "latest"], Some(_)) => Ok(()),
            (["published" | "latest"], None) => Err("published before the merge".into()),
            (states, _) => Err(format!("not one release but {states:?}")),
        }
    }

    /// What became of the releases of the tag.
    fn states<'a>(&'a self, now: &'a WorldSnapshot) -> impl Iterator<Item = &'a str> {
        let named = format!("github release {} ", self.release.strip_prefix("refs/tags/").unwrap());
        let states = now.0.keys().filter(move |name| name.starts_with(&named));
        states.map(|name| match name.rsplit_once('"').unwrap().0.rsplit_once(" \"").unwrap().0 {
            words if words.ends_with(" draft") => "draft",
            words if words.ends_with(" latest") => "latest",
            _ => "published",
        })
    }

    /// The order: images and artifact, chart, module tags, then on plain git the line and the release, on
    /// GitHub the git tag, the line and the published release, then the aliases and the latest mark.
    fn order(&self, now: &WorldSnapshot, initial: &WorldSnapshot) -> Vec<String> {
        let tag = |name: &String| format!("tag {name}");
        let (line, release) = (vec![self.line.clone()], vec![self.release.clone()]);
        let of = |state: &str| format!("the release, {state}");
        let marks = if self.on_github { [vec![of("published")], vec![of("latest")]] } else { Default::default() };
        let [published, latest] = marks;
        let [first, second] = if self.on_github { [release, line] } else { [line, release] };
        let kinds: [Vec<String>; 8] = [
            self.images.iter().map(|(name, _)| tag(name)).collect(),
            self.chart.iter().map(tag).collect(),
            self.modules.clone(),
            first,
            second,
            published,
            self.aliases.iter().map(|(alias, _)| tag(alias)).collect(),
            latest,
        ];
        let mut now = now.clone();
        let states: Vec<String> = self.states(&now).map(str::to_owned).collect();
        now.0.extend(states.iter().map(|state| (of(state), String::new())));
        if states.contains(&"latest".to_owned()) {
            now.0.insert(of("published"), String::new());
        }
        let new = |name: &String| now.0.contains_key(name) && now.0.get(name) != initial.0.get(name);
        let mut wrong = Vec::new();
        for (at, kind) in kinds.iter().enumerate() {
            let Some(first) = kind.iter().find(|name| new(name)) else { continue };
            let missing = kinds[..at].iter().flatten().filter(|name| !now.0.contains_key(*name));
            wrong.extend(missing.map(|missing| format!("{first} exists before {missing}")));
        }
        wrong
    }
}

/// The artifact that the installer of a commit pins, as git and a search see it.
fn pinned(world: &World, commit: &str) -> String {
    let path = world.pipeline().below_root(&world.pipeline().installer.values);
    let text = world.sandbox.git(&world.origin(), &["show", &format!("{commit}:{path}")]);
    let (_, digest) = text.split_once("digest=").unwrap();
    digest[.."sha256:".len() + 64].to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_public_name_is_ever_early_or_wrong() {
    for shipped in shipped() {
        for case in [Case::of(&shipped), Case::of(&shipped).on_a_line()] {
            let world = World::build(&case).await;
            let watch = Watch::new(&world, None);
            world.session().run_watched(&world.request(), &watch).await.must_be(State::Waiting);
            watch.was_safe();
            let watch = Watch::new(&world, Some(world.merge()));
            world.session().run_watched(&world.request(), &watch).await.must_be(State::Holds);
            let names = Names::of(&watch);
            for name in names.images.iter().map(|(name, _)| name).chain(&names.chart) {
                assert!(world.snapshot().tag(name).is_some(), "{name} was never made");
            }
            let released: Vec<_> = if names.on_github { vec!["latest"] } else { Vec::new() };
            assert_eq!(names.states(&world.snapshot()).collect::<Vec<_>>(), released);
            watch.was_safe();
        }
    }
}

/// A merge that is not what was tested makes no public name.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_public_when_the_merge_is_not_proven() {
    for shipped in shipped() {
        let fresh = World::build(&Case::of(&shipped)).await;
        fresh.run().await.must_be(State::Waiting);
        let installer = shipped.pipeline.below_root(&shipped.pipeline.installer.values);
        let inside = format!("{}/added.txt", shipped.pipeline.root);
        for (path, text) in [(installer.as_str(), None), (inside.as_str(), Some("new")), ("outside.txt", Some("new"))] {
            let world = fresh.copy();
            let text = text.map_or_else(
                || {
                    world.sandbox.git(&world.origin(), &["show", &format!("{}:{path}", world.names().staging.short())])
                        + " "
                },
                str::to_owned,
            );
            world.merge_with(path, &text);
            let before = world.snapshot();
            let ran = world.run().await;
            ran.must_be(State::Refused);
            assert!(ran.refusals().iter().all(|refusal| refusal.hint.is_some()), "{}", ran.told());
            assert!(ran.told().contains(path.rsplit('/').next().unwrap()), "{path} is not named\n{}", ran.told());
            before.assert_same(&world.snapshot(), path);
        }
    }
}
