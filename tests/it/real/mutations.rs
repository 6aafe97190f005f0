//! The judge is judged: it passes a good world, and each of the mutations in `mutations/` makes it
//! fail with the check that the mutation names (`# FAIL …`, its second line).

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

use super::parts::{Git, Machine, Parts, Tree, check_world};
use crate::support::docker_registry::DockerRegistry;

/// How many mutated worlds are judged at once.
const AT_ONCE: usize = 3;
/// Fewer would prove less than it did.
const AT_LEAST: usize = 18;

#[tokio::test(flavor = "multi_thread")]
async fn the_judge_passes_a_good_world_and_fails_every_mutation() {
    let Some(parts) = Parts::assemble(Git::File, false, Tree::Fixture).await else { return };
    let machine = Machine::new();
    parts.run(&machine, &["run"]).must_be(4);
    parts.world.merge();
    parts.run(&machine, &["run"]).must_be(0);
    parts.judge().must_be(0);

    let mutations = mutations();
    assert!(mutations.len() >= AT_LEAST, "{} mutations", mutations.len());
    let (left, failures) = (Mutex::new(mutations.clone()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let Some(mutation) = left.lock().unwrap().pop() else { return };
                    if let Err(why) = survives(&parts, &mutation) {
                        failures.lock().unwrap().push(format!("{}: {why}", mutation.display()));
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    println!("{} mutations were seen", mutations.len());
}

fn mutations() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/real/mutations");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.file_name().is_some_and(|name| name != "lib.sh")).collect()
}

/// Damages a copy of the good world; an error when the judge doesn't see it.
fn survives(parts: &Parts, mutation: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(mutation).unwrap();
    let expected = text.lines().nth(1).and_then(|line| line.strip_prefix("# FAIL ")).ok_or("names no check")?;
    let copy = parts.world.copy();
    let registry = DockerRegistry::over(&parts.registry.data()).ok_or("no registry")?;
    let work = copy.sandbox.path("mutation");
    std::fs::create_dir(&work).unwrap();
    let mut command = copy.sandbox.command("sh", &work);
    command.arg(mutation).env("ORIGIN", copy.origin()).env("REGISTRY", registry.url());
    command.env("DATA", registry.data()).env("WORK", &work).stdout(Stdio::null());
    let mutated = output(&mut command);
    if !mutated.0 {
        return Err(format!("could not be done: {}", mutated.1));
    }
    let rc = format!("v{}", parts.world.rc);
    let judged = check_world(&[], &copy.origin(), &registry.url(), &[&rc, &parts.before.display().to_string()]);
    let seen = judged.out.lines().any(|line| line.strip_prefix("FAIL ").is_some_and(|line| line.starts_with(expected)));
    match (judged.code, seen) {
        (Some(1), true) => Ok(()),
        (code, _) => {
            Err(format!("the judge ended with {code:?} and no `FAIL {expected}`\n{}{}", judged.out, judged.err))
        }
    }
}

fn output(command: &mut Command) -> (bool, String) {
    let output = command.output().unwrap();
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}
