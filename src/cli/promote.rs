//! plan, run, resume, status, verify, abandon: thin commands over the engine.

use std::path::Path;

use super::args::{AbandonArgs, InputArgs, PlanArgs, RunArgs, StatusArgs, World};
use super::environment::Environment;
use super::failure::{Ended, Hinted};
use super::session::{self, Session};
use super::talk::Talk;
use crate::engine::{self, Observer, Patience, Proposed, Scope, Settings, State, Stop};
use crate::port::Authority;
use crate::port::registry::Location;
use crate::promotion::locate::Request;
use crate::stage::Plan;

/// What a promotion command needs besides its own arguments.
pub struct Context<'a> {
    pub environment: &'a Environment,
    pub observer: &'a dyn Observer,
    pub talk: Talk,
    pub stop: Stop,
}

impl Context<'_> {
    pub fn settings<'a>(&'a self, now: &'a (dyn Fn() -> i64 + Send + Sync), resume: String) -> Settings<'a> {
        Settings {
            observer: self.observer,
            patience: Patience::default(),
            stop: self.stop.clone(),
            now,
            operator: self.environment.operator.clone(),
            resume,
        }
    }

    /// An end before any stage could look.
    fn alone(&self, state: State, plan: &Plan) -> State {
        self.observer.event(&engine::Event::Stage(engine::StageState::new("gate", &plan.verdict, &plan.notes)));
        let end = engine::End { state, done: Vec::new(), left: Vec::new(), next: None };
        self.observer.event(&engine::Event::End(end));
        state
    }
}

/// A word as a shell takes it.
pub fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@+".contains(c);
    let bare = !text.is_empty() && text.chars().all(plain);
    if bare { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// The command that goes on, with what decides where it looks; it can be typed in any folder.
///
/// In a GitHub Actions workflow it will be typed elsewhere, in a checkout: what the runner had is gone with
/// it, the program's own path, keys, logins and caches; and whoever types it has their own.
fn command(verb: &str, world: &World, request: &Request, environment: &Environment) -> String {
    let version = match request {
        Request::Candidate(rc) => format!("v{rc}"),
        Request::Version(stable) => format!("v{stable}"),
    };
    let path = |path: &Path| shown(path, environment);
    let program = if environment.actions { "sealift" } else { &environment.program };
    let mut words = vec![program.to_owned(), verb.to_owned(), version];
    let mut flag = |name: &str, value: String| words.extend([name.to_owned(), value]);
    flag("--pipeline", path(&world.pipeline));
    if let Some(repo) = &world.repo {
        let repo = session::absolute(repo.clone());
        flag("--repo", if Path::new(&repo).is_absolute() { path(Path::new(&repo)) } else { repo });
    }
    for (host, location) in &world.registry.registries {
        let location = match location {
            Location::Layout(dir) => format!("layout:{}", path(dir)),
            Location::Url(url) => url.clone(),
        };
        flag("--registry", format!("{host}={location}"));
    }
    if let Some(api) = &world.github.github_api {
        flag("--github-api", api.clone());
    }
    if !environment.actions {
        if let Some(id) = world.github.github_app_id {
            flag("--github-app-id", id.to_string());
        }
        let paths = [
            ("--docker-config", &world.registry.client.docker_config),
            ("--git-token-file", &world.git_token_file),
            ("--github-token-file", &world.github.github_token_file),
            ("--github-app-key-file", &world.github.github_app_key_file),
            ("--cache", &world.cache),
        ];
        for (name, file) in paths {
            if let Some(file) = file {
                flag(name, path(file));
            }
        }
    }
    for Authority { host, file } in &world.registry.client.ca {
        let file = path(file);
        flag("--ca", host.as_ref().map_or_else(|| file.clone(), |host| format!("{host}={file}")));
    }
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// What a person brought, for the command that goes on: a decision to replace or to skip is not
/// repeated for them. A runner's folder is gone with it.
fn brought(inputs: &InputArgs, environment: &Environment) -> String {
    let folder = inputs.assets.as_ref().filter(|_| !environment.actions);
    folder.map(|dir| format!(" --assets {}", quoted(&anywhere(dir)))).unwrap_or_default()
}

/// A path as it can be typed: in a checkout, where a runner's was; in any folder elsewhere.
fn shown(path: &Path, environment: &Environment) -> String {
    let whole = anywhere(path);
    let workspace = environment.workspace.as_ref().filter(|_| environment.actions);
    let below = workspace.and_then(|workspace| Path::new(&whole).strip_prefix(workspace).ok());
    match below {
        Some(below) if below.as_os_str().is_empty() => ".".into(),
        Some(below) => below.display().to_string(),
        None => whole,
    }
}

/// A path that names the same from every folder.
fn anywhere(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string()
}

#[expect(clippy::disallowed_methods, reason = "the one door to the clock")]
pub fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or(i64::MAX))
}

pub async fn plan(args: &PlanArgs, context: &Context<'_>) -> Ended {
    let session = Session::of(&args.world, context.environment)?.with(&args.inputs);
    let go_on = format!(
        "{}{}",
        command("run", &args.world, &args.version, context.environment),
        brought(&args.inputs, context.environment)
    );
    engine::plan(&args.version, &session.looker(), &context.settings(&now, go_on)).await
}

pub async fn run(args: &RunArgs, context: &Context<'_>) -> Ended {
    let session = Session::of(&args.world, context.environment)?.with(&args.inputs);
    let version = match (args.version, args.pull_request) {
        (Some(version), _) => version,
        (None, Some(number)) => match engine::proposed_by(number, &session.looker()).await? {
            Proposed::Promotion(version) => Request::Version(version),
            Proposed::Unmerged(why) => return Ok(context.alone(State::Waiting, &Plan::wait("merge", why))),
            Proposed::Nothing(why) => return Ok(context.alone(State::Holds, &Plan::holds().note(why))),
            Proposed::Refused(refusal) => return Ok(context.alone(State::Refused, &refusal.into())),
        },
        // The arguments ask for one of the two.
        (None, None) => return Err(Hinted::new("no version is named", "name one: vX.Y.Z-rc.N or vX.Y.Z").into()),
    };
    let scope = Scope { until: args.until.clone(), seal: args.plan };
    let go_on = format!(
        "{}{}",
        command("resume", &args.world, &version, context.environment),
        brought(&args.inputs, context.environment)
    );
    engine::run(&version, &scope, &session.looker(), &session.effects(), &context.settings(&now, go_on)).await
}

pub async fn verify(args: &PlanArgs, context: &Context<'_>) -> Ended {
    let session = Session::of(&args.world, context.environment)?;
    engine::verify(
        &args.version,
        &session.looker(),
        &context.settings(&now, command("resume", &args.world, &args.version, context.environment)),
    )
    .await
}

pub async fn abandon(args: &AbandonArgs, context: &Context<'_>) -> Ended {
    let session = Session::of(&args.world, context.environment)?;
    let again = command("abandon", &args.world, &args.version, context.environment);
    let again = if args.discard { format!("{again} --discard") } else { again };
    let settings = context.settings(&now, again);
    engine::abandon(&args.version, args.discard, &session.looker(), &session.effects(), &settings).await
}

/// One version, or every one that is unfinished.
pub async fn status(args: &StatusArgs, context: &Context<'_>) -> Ended {
    let session = Session::of(&args.world, context.environment)?;
    let looker = session.looker();
    let requests = match args.version {
        Some(request) => vec![request],
        None => engine::unfinished(&looker, &context.settings(&now, String::new()))
            .await?
            .into_iter()
            .map(Request::Version)
            .collect(),
    };
    let (mut state, mut errors) = (State::Holds, Vec::new());
    for request in &requests {
        let settings = context.settings(&now, command("resume", &args.world, request, context.environment));
        match engine::plan(request, &looker, &settings).await {
            Ok(found) => state = state.and(found),
            Err(error) => errors.push(error),
        }
    }
    // One that could not be looked at ends this, unless what the others say counts more.
    let last = if state.and(State::Failed) == State::Failed { errors.pop() } else { None };
    for error in errors {
        context.observer.event(&engine::Event::Warning { message: format!("{error:#}") });
    }
    if let Some(error) = last {
        return Err(error);
    }
    if requests.is_empty() {
        let end = engine::End { state, done: Vec::new(), left: Vec::new(), next: None };
        context.observer.event(&engine::Event::End(end));
    }
    Ok(state)
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::cli::args::{Cli, Command};

    #[test]
    fn the_command_that_goes_on_names_everything_absolutely() {
        let line = "sealift run v1.6.2-rc.1 -p /p/x.yaml --repo https://git.example/x --registry a.example=layout:/l \
                    --registry b.example=http://b:5000 --ca /ca.pem --ca git.example=/own.pem --cache /c";
        let Command::Run(args) = Cli::parse_from(line.split_whitespace()).command else { panic!() };
        let version = args.version.unwrap();
        let environment = Environment { program: "/my tools/sealift".into(), ..Environment::default() };
        assert_eq!(
            command("resume", &args.world, &version, &environment),
            "'/my tools/sealift' resume v1.6.2-rc.1 --pipeline /p/x.yaml --repo https://git.example/x \
             --registry a.example=layout:/l --registry b.example=http://b:5000 --cache /c --ca /ca.pem \
             --ca git.example=/own.pem"
        );
        let world = World { pipeline: "x.yaml".into(), repo: Some("origin.git".into()), ..args.world };
        let command = command("run", &world, &version, &environment);
        let here = std::path::absolute("x.yaml").unwrap();
        assert!(command.contains(&format!("--pipeline {}", quoted(&here.display().to_string()))), "{command}");
        assert!(!command.contains(" origin.git"), "{command}");
    }

    #[test]
    fn on_a_runner_it_names_nothing_that_goes_with_it() {
        let line = "/_temp/x/sealift run v1.6.2-rc.1 -p .github/x.yaml --registry a.example=layout:/w/shop/l \
                    --registry b.example=http://b:5000 --ca /w/shop/ca.pem --cache /c --github-app-id 7 \
                    --github-app-key-file /_temp/key --docker-config /home/runner/config.json --assets /_temp/assets";
        let Command::Run(args) = Cli::parse_from(line.split_whitespace()).command else { panic!() };
        let world = World { pipeline: "/w/shop/.github/x.yaml".into(), ..args.world };
        let (version, program) = (args.version.unwrap(), "/_temp/x/sealift".to_owned());
        let workspace = Some("/w/shop".into());
        let environment = Environment { program, actions: true, workspace, ..Environment::default() };
        assert_eq!(
            command("resume", &world, &version, &environment),
            "sealift resume v1.6.2-rc.1 --pipeline .github/x.yaml --registry a.example=layout:l \
             --registry b.example=http://b:5000 --ca ca.pem"
        );
        assert_eq!(brought(&args.inputs, &environment), "");
        // A workspace that is only set, as in a container that somebody runs by hand, means nothing.
        let by_hand = Environment { actions: false, ..environment };
        assert!(command("resume", &world, &version, &by_hand).contains("--pipeline /w/shop/.github/x.yaml "));
        assert_eq!(brought(&args.inputs, &by_hand), " --assets /_temp/assets");
    }
}
