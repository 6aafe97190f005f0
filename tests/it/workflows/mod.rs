//! The workflows and the action: read as GitHub reads them, held to what the docs say, and their
//! scripts run as a runner runs them.

mod action;
mod commands;
mod hooks;
mod lanes;
mod outputs;
mod promises;
mod steps;

use std::fs;
use std::path::{Path, PathBuf};

use serde_yaml::Value;

use crate::support::sandbox::Sandbox;

/// Where every workflow finds the pipeline: a variable, which runs for forks are not given, or this.
const PIPELINE: &str = "${{ vars.SEALIFT_PIPELINE || '.github/sealift.yaml' }}";

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn text(path: &str) -> String {
    fs::read_to_string(here(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A workflow, by its file's name.
struct Workflow {
    name: String,
    source: String,
    yaml: Value,
}

struct Job<'a> {
    name: &'a str,
    yaml: &'a Value,
}

fn workflows() -> Vec<Workflow> {
    let mut names: Vec<String> = fs::read_dir(here(".github/workflows"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["ci.yml", "finalize.yml", "lint.yml", "preview.yml", "promote.yml", "release.yml"]);
    names.into_iter().map(|name| workflow(&name)).collect()
}

fn workflow(name: &str) -> Workflow {
    let source = text(&format!(".github/workflows/{name}"));
    let yaml = serde_yaml::from_str(&source).unwrap_or_else(|error| panic!("{name}: {error}"));
    Workflow { name: name.to_owned(), source, yaml }
}

impl Workflow {
    fn jobs(&self) -> Vec<Job<'_>> {
        let jobs = self.yaml["jobs"].as_mapping().unwrap();
        jobs.iter().map(|(name, yaml)| Job { name: name.as_str().unwrap(), yaml }).collect()
    }

    fn job(&self, name: &str) -> Job<'_> {
        self.jobs().into_iter().find(|job| job.name == name).unwrap_or_else(|| panic!("{}: no job {name}", self.name))
    }
}

impl<'a> Job<'a> {
    fn steps(&self) -> &'a [Value] {
        self.yaml["steps"].as_sequence().unwrap()
    }

    /// The step with this name.
    fn step(&self, name: &str) -> &'a Value {
        let step = self.steps().iter().find(|step| step["name"].as_str() == Some(name));
        step.unwrap_or_else(|| panic!("{}: no step {name}", self.name))
    }
}

/// Runs a step's script as GitHub runs `shell: bash` by default on Linux, in the sandbox's home; whether it
/// succeeded, what it said, and its outputs.
fn run(sandbox: &Sandbox, step: &Value, env: &[(&str, &str)]) -> (bool, String, String) {
    let (script, outputs) = (sandbox.path("script"), sandbox.path("outputs"));
    fs::write(&script, step["run"].as_str().unwrap()).unwrap();
    let _ = fs::remove_file(&outputs);
    let mut command = sandbox.command("bash", &sandbox.path("home"));
    command.args(["-e"]).arg(&script).env("GITHUB_OUTPUT", &outputs).envs(env.iter().copied());
    let output = command.output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    (output.status.success(), said, fs::read_to_string(&outputs).unwrap_or_default())
}

/// Expressions in a text: what stands between `${{` and `}}`.
fn expressions(text: &str) -> Vec<&str> {
    text.split("${{").skip(1).map(|rest| rest.split("}}").next().unwrap().trim()).collect()
}
