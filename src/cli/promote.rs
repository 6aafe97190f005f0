//! plan, run, resume, status, verify, abandon: thin commands over the engine.

use super::args::{AbandonArgs, PlanArgs, RunArgs, StatusArgs, World};
use super::environment::Environment;
use super::failure::Ended;
use super::session::Session;
use crate::engine::{self, Effects, Observer, Patience, Scope, Settings, State, Stop};
use crate::promotion::locate::Request;

/// What a promotion command needs besides its own arguments.
pub struct Context<'a> {
    pub environment: &'a Environment,
    pub observer: &'a dyn Observer,
    pub stop: Stop,
}

impl Context<'_> {
    fn settings<'a>(&'a self, now: &'a (dyn Fn() -> i64 + Send + Sync), resume: String) -> Settings<'a> {
        Settings {
            observer: self.observer,
            patience: Patience::default(),
            stop: self.stop.clone(),
            now,
            operator: self.environment.operator.clone(),
            resume,
        }
    }
}

/// A word as a shell takes it.
pub fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@+".contains(c);
    let bare = !text.is_empty() && text.chars().all(plain);
    if bare { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// The command that goes on, with what decides where it looks.
pub fn resume(world: &World, request: &Request) -> String {
    let version = match request {
        Request::Candidate(rc) => format!("v{rc}"),
        Request::Version(stable) => format!("v{stable}"),
    };
    let mut command = format!("sealift resume {version} --pipeline {}", quoted(&world.pipeline.display().to_string()));
    if let Some(repo) = &world.repo {
        command.push_str(&format!(" --repo {}", quoted(repo)));
    }
    for (host, location) in &world.registries {
        command.push_str(&format!(" --registry {}", quoted(&format!("{host}={location}"))));
    }
    let paths = [
        ("--docker-config", &world.docker_config),
        ("--git-token-file", &world.git_token_file),
        ("--cache", &world.cache),
    ];
    let paths = paths.into_iter().filter_map(|(flag, path)| Some((flag, path.as_ref()?)));
    for (flag, path) in paths.chain(world.ca.iter().map(|path| ("--ca", path))) {
        command.push_str(&format!(" {flag} {}", quoted(&path.display().to_string())));
    }
    command
}

#[expect(clippy::disallowed_methods, reason = "the one door to the clock")]
fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or(i64::MAX))
}

pub async fn plan(args: &PlanArgs, context: &Context<'_>) -> Ended {
    let session = Session::open(&args.world, context.environment)?;
    let go_on = resume(&args.world, &args.version).replacen("resume", "run", 1);
    engine::plan(&args.version, &session.looker(), &context.settings(&now, go_on)).await
}

pub async fn run(args: &RunArgs, context: &Context<'_>) -> Ended {
    let session = Session::open(&args.world, context.environment)?;
    let scope = Scope { until: args.until.clone(), seal: args.plan };
    let effects = Effects { origin: &session.origin, registry: &session.registries };
    let settings = context.settings(&now, resume(&args.world, &args.version));
    engine::run(&args.version, &scope, &session.looker(), &effects, &settings).await
}

pub async fn verify(args: &PlanArgs, context: &Context<'_>) -> Ended {
    let session = Session::open(&args.world, context.environment)?;
    engine::verify(&args.version, &session.looker(), &context.settings(&now, resume(&args.world, &args.version))).await
}

pub async fn abandon(args: &AbandonArgs, context: &Context<'_>) -> Ended {
    let session = Session::open(&args.world, context.environment)?;
    let effects = Effects { origin: &session.origin, registry: &session.registries };
    let again = resume(&args.world, &args.version).replacen("resume", "abandon", 1);
    let again = if args.discard { format!("{again} --discard") } else { again };
    let settings = context.settings(&now, again);
    engine::abandon(&args.version, args.discard, &session.looker(), &effects, &settings).await
}

/// One version, or every one that is unfinished.
pub async fn status(args: &StatusArgs, context: &Context<'_>) -> Ended {
    let session = Session::open(&args.world, context.environment)?;
    let looker = session.looker();
    let requests = match args.version {
        Some(request) => vec![request],
        None => engine::unfinished(&looker, &context.settings(&now, String::new()))
            .await?
            .into_iter()
            .map(Request::Version)
            .collect(),
    };
    let mut state = State::Holds;
    for request in &requests {
        let settings = context.settings(&now, resume(&args.world, request));
        let found = engine::plan(request, &looker, &settings).await?;
        state = if state == State::Holds { found } else { state };
    }
    if requests.is_empty() {
        let end = engine::End { state, done: Vec::new(), left: Vec::new(), next: None };
        context.observer.event(&engine::Event::End(end));
    }
    Ok(state)
}
