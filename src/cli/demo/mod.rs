//! `sealift demo`: a whole promotion in a folder, with the real code and nothing else.
//!
//! [`world`] makes a repository and a registry; the rest is what the other commands do.
//! Run again in the same folder it goes on where that demo stands, and makes nothing anew.

mod images;
mod merge;
mod place;
mod tell;
mod tree;
mod world;

use super::args::{ClientArgs, DemoArgs, GitHub, RegistryArgs, Show, World};
use super::failure::Ended;
use super::promote::{Context, quoted};
use super::session::{Credentials, Session};
use crate::engine::{self, Observer, Patience, Scope, Settings, State};
use crate::port::repository::{Store, check_out};
use crate::promotion::locate::Request;
use crate::report::Mode;
use crate::stage::Wait;
use place::Place;
use tell::Tell;
use world::{LINE, RC, SPENT, SPENT_IMAGE, SPENT_RC, STABLE};

/// The demo's clock and its runner: its log is the same every time, too.
const NOW: fn() -> i64 = || world::MERGE_TIME;
const OPERATOR: &str = "demo";

struct Demo<'a> {
    place: Place,
    session: Session,
    context: &'a Context<'a>,
    tell: Tell<'a>,
}

pub async fn run(args: &DemoArgs, show: &Show, context: &Context<'_>) -> Ended {
    let place = Place::take(args.dir.as_deref())?;
    let tell = Tell::new(show, context.environment.color(show.color));
    if !place.ready {
        place.begin()?;
    }
    // Nothing is asked for outside the folder: credentials of other places are not even read.
    let session = Session::open(&world_of(&place), context.environment, Credentials::default())?;
    let demo = Demo { place, session, context, tell };
    demo.make().await?;
    let state = demo.promote(args.stop_at_wait).await?;
    demo.tell.result(&demo.place.dir.display().to_string())?;
    Ok(state)
}

fn world_of(place: &Place) -> World {
    World {
        pipeline: place.pipeline(),
        repo: None,
        registry: RegistryArgs {
            registries: Vec::new(),
            client: ClientArgs { docker_config: None, ca: Vec::new(), parallel: 16 },
        },
        git_token_file: None,
        github: GitHub::default(),
        cache: Some(place.cache()),
    }
}

impl Demo<'_> {
    /// The world, made once.
    async fn make(&self) -> anyhow::Result<()> {
        let Place { dir, ready } = &self.place;
        if !ready {
            Store::open(&self.place.origin())?;
            world::make(&self.session).await?;
            let work = self.place.work();
            if work.exists() {
                // A demo was cut off in here; nobody can have worked in it yet.
                std::fs::remove_dir_all(&work)?;
            }
            let (name, email) = world::MAINTAINER;
            check_out(&self.place.origin(), &work, name, email)?;
            self.place.finish()?;
        }
        let made = if *ready {
            "This folder has a demo from before. Nothing is made again: it goes on where it stands."
        } else {
            "No network, no credentials: a repository and a registry in a folder."
        };
        let text = format!(
            "{made}\n\n  \
             {}\n    \
             pipeline.yaml  what is released, and where: every command reads it\n    \
             origin.git     the repository: the line {LINE}, and the candidate {RC} that was tested\n    \
             registry/      {} images for two platforms each, and the candidate's packages, as OCI layouts\n    \
             work/          a clone of origin.git, for a person",
            dir.display(),
            images::IMAGES.len()
        );
        Ok(self.tell.section("A world to promote in", &text)?)
    }

    async fn promote(&self, stop_at_wait: bool) -> Ended {
        let text = "Everything that will be done, and every reason not to: looked up now, before the first write.";
        let (planned, _) = self.plan("The plan", text, RC).await?;
        if planned == State::Holds {
            self.tell.section("Finished", &format!("{RC} is promoted already: there is nothing left to do."))?;
            self.next()?;
            return Ok(planned);
        }
        if planned == State::Refused {
            return self.stopped(planned);
        }
        let text = format!(
            "No image is rebuilt or opened: the tags in the tree read {STABLE}, every digest stays, and the packages\n\
             are published as one artifact, pinned by its digest on a branch. Nothing public is written yet."
        );
        let (state, wait) = self.run("Promote, as far as it isn't a person's turn", &text).await?;
        match (state, wait) {
            (State::Waiting, Some(wait)) => {
                self.tell.section("A person merges", &self.how_to_merge(&wait))?;
                if stop_at_wait {
                    let resume = self.command("resume", RC);
                    self.tell.say(&format!("That is left to you. Then:\n\n    {resume}\n"))?;
                    return Ok(State::Holds);
                }
                let merge = merge::merge(&self.session, LINE, &format!("release-{}", &STABLE[1..])).await?;
                self.tell.say(&format!(
                    "The demo does the same as {}: {LINE} is now {}.",
                    world::MAINTAINER.0,
                    merge.short()
                ))?;
            }
            (State::Holds, _) => return self.end().await,
            (state, _) => return self.stopped(state),
        }
        let text = "First the proof: what was merged, what is in the registry and what was tested are the same, byte by\n\
                    byte. Only then public names, each written once, and at the very end the aliases.";
        let (state, _) = self.run("Promote to the end", text).await?;
        if state != State::Holds {
            return self.stopped(state);
        }
        self.end().await
    }

    async fn end(&self) -> Ended {
        let (state, _) = self.plan("Where it stands", "Looked up again, from the world alone:", STABLE).await?;
        self.next()?;
        Ok(state)
    }

    fn stopped(&self, state: State) -> Ended {
        let go_on = self.command("resume", RC);
        self.tell.say(&format!("\nThe demo ends here: the report above says why. To go on:\n\n    {go_on}\n"))?;
        Ok(state)
    }

    fn how_to_merge(&self, wait: &Wait) -> String {
        let work = quoted(&self.place.work().display().to_string());
        let mut text = format!(
            "sealift never merges. {}.\nIn a clone of the repository, whoever has reviewed it types:\n\n    cd {work}\n",
            sentence(&wait.message)
        );
        for command in &wait.commands {
            text.push_str(&format!("    {command}\n"));
        }
        text
    }

    fn next(&self) -> std::io::Result<()> {
        let again = self.command("run", RC);
        let status = self.command("status", STABLE);
        let refused = self.command("run", SPENT_RC);
        let text = format!(
            "A second run finds everything equal and writes nothing:\n\n    {again}\n\n\
             Where a promotion stands, told from the world and not from memory:\n\n    {status}\n\n\
             A promotion that is refused, with exit code 5: somebody has pushed other bytes as\n\
             registry.example/shop/{SPENT_IMAGE}:{SPENT}, and a published tag is never moved:\n\n    {refused}\n"
        );
        self.tell.section("Try next", &text)
    }

    /// A command as the reader can type it.
    fn command(&self, verb: &str, version: &str) -> String {
        let environment = self.context.environment;
        let pipeline = quoted(&self.place.pipeline().display().to_string());
        let mut command = format!("{} {verb} {version} --pipeline {pipeline}", quoted(&environment.program));
        if environment.cache().is_none() {
            command.push_str(&format!(" --cache {}", quoted(&self.place.cache().display().to_string())));
        }
        command
    }

    async fn plan(&self, title: &str, text: &str, version: &str) -> anyhow::Result<(State, Option<Wait>)> {
        let verb = if version == RC { "plan" } else { "status" };
        self.tell.section(title, &format!("{text}\n\n$ {}\n", self.command(verb, version)))?;
        let watch = self.tell.watch(Mode::Plan, version == RC, self.context.observer);
        let settings = self.settings(&watch, self.command("run", RC));
        let state = engine::plan(&request(version)?, &self.session.looker(), &settings).await?;
        Ok((state, watch.close()?))
    }

    async fn run(&self, title: &str, text: &str) -> anyhow::Result<(State, Option<Wait>)> {
        self.tell.section(title, &format!("{text}\n\n$ {}\n", self.command("run", RC)))?;
        let watch = self.tell.watch(Mode::Run, false, self.context.observer);
        let settings = self.settings(&watch, self.command("resume", RC));
        let (session, scope) = (&self.session, Scope::default());
        let effects = session.effects();
        let state = engine::run(&request(RC)?, &scope, &session.looker(), &effects, &settings).await?;
        Ok((state, watch.close()?))
    }

    fn settings<'s>(&self, observer: &'s dyn Observer, resume: String) -> Settings<'s> {
        Settings {
            observer,
            patience: Patience::default(),
            stop: self.context.stop.clone(),
            now: &NOW,
            operator: OPERATOR.to_owned(),
            resume,
        }
    }
}

fn request(version: &str) -> anyhow::Result<Request> {
    super::args::request(version).map_err(anyhow::Error::msg)
}

fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
