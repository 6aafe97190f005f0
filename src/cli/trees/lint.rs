//! lint: the rules over a tree, and what is made of what they find.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::{beside, named};
use crate::cli::args::{LintArgs, RegistryArgs};
use crate::cli::failure::{Ended, Hinted, told};
use crate::cli::promote::Context;
use crate::cli::session::registries;
use crate::cli::talk::Talk;
use crate::engine::{Event, State};
use crate::lint::{Answers, Asking, Baseline, Judging, Lint, Subject, Verdict};
use crate::pipeline;
use crate::port::whole::NewFile;
use crate::report::sarif;
use crate::report::text::count;

pub async fn lint(args: &LintArgs, context: &Context<'_>) -> Ended {
    let baseline = match &args.baseline {
        Some(file) if !args.write_baseline => Some(read_baseline(file)?),
        _ => None,
    };
    let what = args.clone();
    let docker_config = args.asking.client.docker_config.clone().or_else(|| context.environment.docker_config());
    let runtime = tokio::runtime::Handle::current();
    let look = move || {
        let pipeline = pipeline::load(&what.tree.pipeline)?;
        let tree = named(&what.tree.tree, &what.tree.repo)?;
        let mut subject = Subject::read(&pipeline, tree.as_ref(), what.tree.tree.clone(), what.tree.rc.as_ref());
        if let Some(at) = what.asking.registries() {
            subject.registry = Some(runtime.block_on(ask(&subject, &what, &at, docker_config))?);
        }
        let judging = Judging { fail_on: what.fail_on.level(), baseline: baseline.as_ref() };
        Ok(Lint::of(&subject, judging))
    };
    let lint = beside(look).await?;
    let logged = match args.sarif.as_deref() {
        // Nothing else may stand in the log.
        Some(file) if file == Path::new("-") => {
            std::io::stdout().write_all(sarif::text(&lint).as_bytes()).map_err(Into::into)
        }
        file => {
            context.observer.event(&Event::Lint(Box::new(lint.clone())));
            file.map_or(Ok(()), |file| write(file, &sarif::text(&lint)))
        }
    };
    match (&args.baseline, args.write_baseline) {
        (Some(file), true) => logged.and_then(|()| write_baseline(file, &lint, context.talk)),
        _ => told(ended(lint.verdict), logged),
    }
}

/// Asks registries with the credentials that there are, and without any.
async fn ask(
    subject: &Subject<'_>,
    args: &LintArgs,
    at: &RegistryArgs,
    docker_config: Option<PathBuf>,
) -> anyhow::Result<Answers> {
    let here = args.tree.pipeline.parent().unwrap_or(Path::new(""));
    let registry = registries(subject.pipeline, here, at, docker_config)?;
    let anonymous = registries(subject.pipeline, here, at, None)?;
    let third_party = args.asking.third_party.iter().cloned().collect();
    let asking = Asking {
        registry: &registry,
        anonymous: &anonymous,
        parallel: usize::from(at.client.parallel),
        third_party: &third_party,
        controls: &args.asking.control,
    };
    Ok(Answers::look(subject, asking).await)
}

fn ended(verdict: Verdict) -> State {
    match verdict {
        Verdict::Clean => State::Holds,
        Verdict::Failed => State::Refused,
        Verdict::Unknown => State::Failed,
    }
}

fn read_baseline(file: &Path) -> anyhow::Result<Baseline> {
    let hinted = |message: &str| {
        let hint = format!("write one: sealift lint … --baseline {} --write-baseline", file.display());
        Hinted::new(format!("{}: {message}", file.display()), hint)
    };
    let text = std::fs::read_to_string(file).with_context(|| hinted("the baseline can't be read"))?;
    Baseline::parse(&text).with_context(|| hinted("the baseline can't be used"))
}

/// What was found is known from now on; what could not be looked at is not.
fn write_baseline(file: &Path, lint: &Lint, talk: Talk) -> Ended {
    let baseline = Baseline::of(lint);
    // A name that was mistyped must not cost what is there.
    let other = std::fs::read(file).is_ok_and(|bytes| !bytes.is_empty() && !is_baseline(&bytes));
    if other {
        let message = format!("{}: is there, and is no baseline", file.display());
        return Err(Hinted::new(message, "name another file, or remove this one").into());
    }
    write(file, &baseline.text()?)?;
    talk.line(&format!("{}: {}", file.display(), count(baseline.len(), "known finding")));
    let unknown = lint.findings.len() - baseline.len();
    if unknown > 0 {
        let hint = "make it readable and write the baseline again: it never hides what could not be looked at";
        let are = if unknown == 1 { "is" } else { "are" };
        return Err(Hinted::new(format!("{} {are} not in the baseline", count(unknown, "finding")), hint).into());
    }
    Ok(State::Holds)
}

/// Of whatever format.
fn is_baseline(bytes: &[u8]) -> bool {
    let value: serde_json::Value = serde_json::from_slice(bytes).unwrap_or_default();
    value.get("format").is_some() && value.get("findings").is_some()
}

fn write(file: &Path, text: &str) -> anyhow::Result<()> {
    let write = || {
        let mut new = NewFile::at(file)?;
        new.write_all(text.as_bytes())?;
        new.appear()
    };
    write().with_context(|| format!("{}: can't be written", file.display()))
}
