//! Opening GitHub for a pipeline that has one: where its API is, and as whom.

use std::path::Path;

use anyhow::Context as _;

use super::args::{GitHub as Args, World};
use super::environment::Environment;
use super::failure::Hinted;
use super::token::token;
use crate::pipeline::{GitHubRepository, Pipeline};
use crate::port::forge::github::{Address, Config, GitHub, Tokens};

/// The GitHub of a pipeline. `None`: it has another forge.
pub fn open(pipeline: &Pipeline, world: &World, environment: &Environment) -> anyhow::Result<Option<GitHub>> {
    if pipeline.github().is_none() {
        return Ok(None);
    }
    let address = address(pipeline, world)?;
    let tokens = tokens(&world.github, environment)?;
    Ok(Some(GitHub::open(Config { ca: world.registry.client.ca.clone(), ..Config::new(address, tokens) })?))
}

/// Whether a git origin is on the GitHub that a pipeline names: the forge's credential goes to no other.
pub fn is_at(pipeline: &Pipeline, origin: &str) -> bool {
    let host = |repository: GitHubRepository| repository.host.to_ascii_lowercase();
    let there = origin.parse::<GitHubRepository>().ok().map(host);
    there.is_some() && there == pipeline.github().map(host)
}

/// A rehearsal with another origin must not reach the real repository's releases.
fn address(pipeline: &Pipeline, world: &World) -> anyhow::Result<Address> {
    let elsewhere = world.repo.as_ref();
    let repository = match elsewhere {
        Some(repo) if repo.parse::<GitHubRepository>().is_ok() => repo,
        _ => &pipeline.repository,
    };
    match (&world.github.github_api, elsewhere) {
        (Some(api), _) => Ok(Address::over(repository, api)?),
        (None, Some(repo)) if repository != repo => Err(Hinted::new(
            "--repo names no repository on GitHub, and this pipeline has `forge: github`",
            "name the GitHub that goes with it: --github-api URL; or rehearse with a pipeline on plain git",
        )
        .into()),
        (None, _) => Ok(Address::of(repository)?),
    }
}

fn tokens(args: &Args, environment: &Environment) -> anyhow::Result<Tokens> {
    let key = |path: &Path| {
        std::fs::read_to_string(path).with_context(|| format!("{}: the App's key can't be read", path.display()))
    };
    Ok(match (args.github_app_id, &args.github_app_key_file, &args.github_token_file) {
        (Some(id), Some(file), _) => Tokens::app(id, key(file)?),
        (_, _, Some(file)) => Tokens::token(&token(file, "GitHub", "--github-token-file")?),
        (..) => environment.github_token.as_deref().map_or(Tokens::Anonymous, Tokens::token),
    })
}
