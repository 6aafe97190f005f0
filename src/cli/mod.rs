//! The command line: the only reader of arguments, environment, clock and terminal.

pub mod args;
mod demo;
mod environment;
mod failure;
mod github;
mod interrupt;
mod overlay;
mod overrides;
mod preview;
mod promote;
mod session;
mod shell;
mod talk;
mod token;
mod trees;

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser};

use args::{Cli, Command, Format, LogFormat, OverridesCommand, RefsCommand};
use environment::Environment;
use failure::{Ended, Hinted, Untold};
use promote::Context;
use talk::Talk;

use crate::engine::{Observer, State};
use crate::report::{
    Annotations, Json, Log, Markdown, Mode, Outputs, Problem, Reporter, Style, Tee, Terminal, append, append_summary,
};

/// Parses the arguments and runs the command.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    if let Some(conflict) = cli.conflict() {
        Cli::command().error(ErrorKind::ArgumentConflict, conflict).exit();
    }
    let environment = Environment::read();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: no threads to run on\ncaused by: {error}");
            return ExitCode::from(State::Failed.exit_code());
        }
    };
    let code = runtime.block_on(run(&cli, &environment));
    runtime.shutdown_timeout(std::time::Duration::from_secs(1));
    ExitCode::from(code)
}

/// Who is told, and what is kept for the end.
struct Told {
    reporters: Tee,
    markdown: Option<Arc<Markdown>>,
    outputs: Option<Arc<Outputs>>,
}

fn told(Cli { show, command }: &Cli, environment: &Environment) -> Told {
    let looks = matches!(command, Command::Plan(_) | Command::Preview(_) | Command::Status(_) | Command::Verify(_));
    let mode = if looks { Mode::Plan } else { Mode::Run };
    let (color, talk_color) = (environment.color(show.color), environment.talk_color(show.color));
    let columns = environment.columns.unwrap_or(80);
    let log = show.log_format == LogFormat::Json;
    let progress = (environment.stderr_is_terminal && !environment.dumb && !show.quiet && !log).then_some(columns);
    let style = Style { mode, color, talk_color, progress, verbose: show.verbose, quiet: show.quiet };
    let mut reporters: Vec<Box<dyn Reporter>> = Vec::new();
    let mut markdown = None;
    match show.format {
        Format::Human => {
            let err: Box<dyn Write + Send> = if log { Box::new(std::io::sink()) } else { Box::new(std::io::stderr()) };
            reporters.push(Box::new(Terminal::new(Box::new(std::io::stdout()), err, style)));
        }
        Format::Json => reporters.push(Box::new(Json::new(Box::new(std::io::stdout())))),
        Format::Markdown => {}
    }
    // With `--format json` the events are on stdout already.
    if log && show.format != Format::Json {
        reporters.push(Box::new(Log::new(Box::new(std::io::stderr()), show.verbose, show.quiet)));
    }
    if show.format == Format::Markdown || environment.step_summary.is_some() {
        let document = Arc::new(Markdown::new());
        reporters.push(Box::new(document.clone()));
        markdown = Some(document);
    }
    if environment.actions && show.format == Format::Human {
        reporters.push(Box::new(Annotations::new(Box::new(std::io::stdout()))));
    }
    // Of the others, one tells of many promotions, or of none.
    let one = matches!(command, Command::Plan(_) | Command::Run(_) | Command::Resume(_));
    let outputs = environment.outputs.as_ref().filter(|_| one).map(|_| Arc::new(Outputs::new()));
    reporters.extend(outputs.iter().map(|outputs| Box::new(outputs.clone()) as Box<dyn Reporter>));
    Told { reporters: Tee(reporters), markdown, outputs }
}

async fn run(cli: &Cli, environment: &Environment) -> u8 {
    let told = told(cli, environment);
    let talk = Talk::new(&cli.show, environment);
    let code = match interruptible(cli, environment, &told.reporters, talk).await {
        Ok(state) => state.exit_code(),
        Err(error) => {
            let (verdict, error) = match error.downcast::<Untold>() {
                Ok(Untold { state, error }) => (Some(state.exit_code()), error),
                Err(error) => (None, error),
            };
            let code = if broken_pipe(&error) {
                failure::BROKEN_PIPE
            } else {
                told.reporters.problem(&problem(&error));
                failure::exit_code(&error)
            };
            verdict.map_or(code, |verdict| failure::undelivered(verdict, code))
        }
    };
    finish(&told, cli.show.format, environment).map_or_else(
        |error| {
            talk.problem(&Problem::new("the report could not be written").caused_by(error.to_string()));
            failure::undelivered(code, State::Failed.exit_code())
        },
        |()| code,
    )
}

async fn interruptible(cli: &Cli, environment: &Environment, observer: &dyn Observer, talk: Talk) -> Ended {
    let actions = writes_to_the_world(&cli.command);
    let stop = interrupt::listen(actions, talk).context("Ctrl-C can't be listened for")?;
    let context = Context { environment, observer, talk, stop };
    if actions {
        dispatch(cli, &context).await
    } else {
        interrupt::unless(&context.stop, talk, dispatch(cli, &context)).await
    }
}

/// Whether a command stops between two actions, and not anywhere.
fn writes_to_the_world(command: &Command) -> bool {
    match command {
        Command::Demo(_) | Command::Run(_) | Command::Resume(_) | Command::Abandon(_) => true,
        Command::Preview(args) => args.comment,
        Command::Plan(_)
        | Command::Status(_)
        | Command::Verify(_)
        | Command::Refs(_)
        | Command::Lint(_)
        | Command::Explain(_)
        | Command::Rewrite(_)
        | Command::Overlay(_)
        | Command::Archive(_)
        | Command::Check(_)
        | Command::Overrides(_)
        | Command::Schema
        | Command::Completions(_)
        | Command::Man(_) => false,
    }
}

async fn dispatch(cli: &Cli, context: &Context<'_>) -> Ended {
    let format = cli.show.format;
    match &cli.command {
        Command::Demo(args) => demo::run(args, &cli.show, context).await,
        Command::Plan(args) => promote::plan(args, context).await,
        Command::Preview(args) => preview::preview(args, context).await,
        Command::Run(args) | Command::Resume(args) => promote::run(args, context).await,
        Command::Status(args) => promote::status(args, context).await,
        Command::Verify(args) => promote::verify(args, context).await,
        Command::Abandon(args) => promote::abandon(args, context).await,
        Command::Refs(RefsCommand::List(args)) => trees::list(args, format, context.talk).await,
        Command::Refs(RefsCommand::Census(args)) => trees::census(args, context).await,
        Command::Lint(args) => trees::lint(args, context).await,
        Command::Explain(args) => trees::explain(args, context).await,
        Command::Rewrite(args) => trees::rewrite(args, format, context.talk).await,
        Command::Overlay(args) => overlay::overlay(args, format, context).await,
        Command::Archive(args) => trees::archive(args, format).await,
        Command::Check(args) => trees::check(args, format).await,
        Command::Schema => shell::schema(),
        Command::Completions(args) => shell::completions(args),
        Command::Man(args) => shell::man(args),
        Command::Overrides(OverridesCommand::Check(args)) => overrides::check(args, &cli.show, context).await,
        Command::Overrides(OverridesCommand::Apply(args)) => overrides::apply(args, &cli.show, context).await,
    }
}

/// The outputs of a step, the document for a pull request or a step summary, and everything flushed.
fn finish(told: &Told, format: Format, environment: &Environment) -> std::io::Result<()> {
    if let (Some(outputs), Some(path)) = (&told.outputs, &environment.outputs) {
        append(path, &outputs.render())?;
    }
    if let Some(markdown) = told.markdown.as_ref().filter(|markdown| !markdown.is_empty()) {
        if let Some(path) = &environment.step_summary {
            append_summary(path, &markdown.render(Markdown::SUMMARY))?;
        }
        if format == Format::Markdown {
            match std::io::stdout().write_all(markdown.render(Markdown::COMMENT).as_bytes()) {
                Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => return Err(error),
                _ => {}
            }
        }
    }
    told.reporters.close()
}

fn broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
}

/// An error with its causes, and what to do where that is known.
fn problem(error: &anyhow::Error) -> Problem {
    let problem = Problem::from_error(error.as_ref());
    match error.downcast_ref::<Hinted>() {
        Some(hinted) => problem.hint(hinted.hint.clone()),
        None => problem,
    }
}
