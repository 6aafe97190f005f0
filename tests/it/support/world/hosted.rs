//! A world's GitHub: what the project's own workflows and people leave there.

use std::path::PathBuf;
use std::time::Duration;

use sealift::model::Rc;
use sealift::pipeline::{EvidenceEvent, Pipeline};
use sealift::port::forge::github::{Address, Config, GitHub, Tokens};
use sealift::port::registry::RetryPolicy;

use super::{MAIN, Shipped, World};
use crate::support::github::state::{Level, Role};
use crate::support::github::{FakeGitHub, Token};

/// What sealift runs as.
pub const TOKEN: &str = "ghs_promotion";
/// Somebody who may look and no more.
pub const READER: &str = "ghp_reader";

/// What the App of a promotion may do.
pub const PERMISSIONS: [(&str, Level); 5] = [
    ("contents", Level::Write),
    ("pull_requests", Level::Write),
    ("issues", Level::Write),
    ("actions", Level::Read),
    ("metadata", Level::Read),
];

/// The GitHub of a pipeline that has one.
pub fn start(pipeline: &Pipeline, origin: &std::path::Path) -> Option<FakeGitHub> {
    let repository = pipeline.github()?;
    let github = FakeGitHub::start(origin, &repository.to_string());
    let author = pipeline.proposal.as_ref().unwrap().authors[0].clone();
    let slug = author.strip_suffix("[bot]").unwrap_or(&author).to_owned();
    github.state().tokens.push(Token::installation(TOKEN, &slug, &PERMISSIONS));
    github.state().tokens.push(Token::classic(READER, "rita", Role::Pull));
    for workflow in pipeline.evidence.iter().map(|source| &source.workflow).chain(&pipeline.release.starts) {
        let path = format!(".github/workflows/{workflow}");
        let known = github.state().workflows.iter().any(|there| there.path == path);
        if !known {
            github.state().add_workflow(workflow);
        }
    }
    Some(github)
}

/// sealift's own way to a GitHub, with a token.
pub fn client(github: &FakeGitHub, pipeline: &Pipeline, token: Option<&str>) -> GitHub {
    let address = Address::over(&pipeline.repository, &github.url()).unwrap();
    let tokens = token.map_or(Tokens::Anonymous, Tokens::token);
    let ms = Duration::from_millis;
    let retry = RetryPolicy { attempts: 4, base: ms(1), cap: ms(20), budget: Duration::from_secs(20) };
    GitHub::open(Config { pause: Duration::ZERO, retry, ..Config::new(address, tokens) }).unwrap()
}

impl Shipped {
    /// What the pipeline has for a forge.
    pub fn forge(&self) -> &'static str {
        if self.pipeline.github().is_some() { "github" } else { "git" }
    }
}

impl World {
    /// The GitHub, in worlds that have one.
    pub fn github(&self) -> &FakeGitHub {
        self.hosted().expect("this world's pipeline has `forge: github`")
    }

    /// The GitHub; `None` on plain git.
    pub fn hosted(&self) -> Option<&FakeGitHub> {
        self.github.as_ref()
    }

    /// Writes that GitHub was asked for.
    pub fn forge_writes(&self) -> usize {
        self.github.as_ref().map_or(0, FakeGitHub::writes)
    }

    /// What a candidate's own workflows leave behind: its release with assets, and green runs.
    pub(super) fn released(&self, rc: Rc, tagged: &str) {
        let Some(github) = &self.github else { return };
        let pipeline = self.pipeline();
        let tag = pipeline.tags.rc.rc(&rc);
        let mut state = github.state();
        let release = state.add_release(&tag, false, true);
        for name in &pipeline.release.assets.copied {
            state.add_asset(release, name, format!("{name} of {tag}\n"));
        }
        for source in &pipeline.evidence {
            let run = match source.event {
                EvidenceEvent::Push => state.add_run(&source.workflow, "push", &tag, tagged),
                EvidenceEvent::WorkflowDispatch => {
                    let branch = source.branches.first().map_or(MAIN, String::as_str);
                    state.add_run(&source.workflow, "workflow_dispatch", branch, tagged)
                }
            };
            state.add_job(run, &source.job.rc(&rc));
        }
    }

    /// The folder with the assets that people build, in worlds whose pipeline declares any.
    pub fn assets(&self) -> Option<PathBuf> {
        let built = &self.pipeline().release.assets.built;
        if built.is_empty() {
            return None;
        }
        let dir = self.sandbox.path("assets");
        std::fs::create_dir_all(&dir).unwrap();
        for glob in built.iter() {
            let name = glob.replace('*', "linux-amd64");
            std::fs::write(dir.join(&name), format!("{name}, built\n")).unwrap();
        }
        Some(dir)
    }

    /// The arguments that point the real binary at this world's GitHub; none on plain git.
    pub fn forge_arguments(&self) -> Vec<String> {
        self.forge_arguments_as(Some(TOKEN))
    }

    /// The same with another token, or without any.
    pub fn forge_arguments_as(&self, token: Option<&str>) -> Vec<String> {
        let Some(github) = &self.github else { return Vec::new() };
        let mut arguments = vec!["--github-api".to_owned(), github.url()];
        if let Some(token) = token {
            arguments.extend(["--github-token-file".to_owned(), self.token_file(token).display().to_string()]);
        }
        arguments
    }

    /// The arguments with what people bring, for the commands that take it.
    pub fn input_arguments(&self) -> Vec<String> {
        let assets = self.assets();
        assets.iter().flat_map(|dir| ["--assets".to_owned(), dir.display().to_string()]).collect()
    }

    /// A file with a token, for the real binary.
    pub fn token_file(&self, token: &str) -> PathBuf {
        let file = self.sandbox.path(token);
        std::fs::write(&file, token).unwrap();
        file
    }
}
