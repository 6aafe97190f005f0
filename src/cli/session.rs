//! Opening what a promotion works with: the pipeline, the store, the origin, the registries.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;

use super::args::{InputArgs, RegistryArgs, World};
use super::environment::Environment;
use super::failure::Hinted;
use super::github;
use super::token::token;
use crate::engine::{Effects, Looker};
use crate::model::Digest;
use crate::pipeline::{self, Pipeline};
use crate::port::forge::github::GitHub;
use crate::port::forge::{ForgeRead, ForgeWrite};
use crate::port::registry::{Config, Location, Registries};
use crate::port::repository::{Credential, Http, Origin, Store};
use crate::stage::Inputs;

/// Everything that is open while a command runs.
pub struct Session {
    pub pipeline: Pipeline,
    pub store: Arc<Store>,
    pub origin: Origin,
    pub registries: Registries,
    /// `None` on plain git.
    pub forge: Option<GitHub>,
    pub inputs: Inputs,
    parallel: usize,
    spool: tempfile::TempDir,
}

/// Who sealift is to registries and to the origin. None at all is the default.
#[derive(Default)]
pub struct Credentials {
    /// Docker's `config.json`.
    pub docker_config: Option<PathBuf>,
    pub git: Option<Credential>,
}

impl Credentials {
    fn of(world: &World, environment: &Environment) -> anyhow::Result<Self> {
        let docker_config = world.registry.client.docker_config.clone().or_else(|| environment.docker_config());
        Ok(Self { docker_config, git: credential(world, environment)? })
    }
}

impl Session {
    /// With the credentials that were given, or that are usual here.
    pub fn of(world: &World, environment: &Environment) -> anyhow::Result<Self> {
        Self::open(world, environment, Credentials::of(world, environment)?)
    }

    /// Without a forge, for what asks none.
    pub fn apart(world: &World, environment: &Environment) -> anyhow::Result<Self> {
        let credentials = Credentials::of(world, environment)?;
        Self::opened(pipeline::load(&world.pipeline)?, None, world, environment, credentials)
    }

    pub fn open(world: &World, environment: &Environment, credentials: Credentials) -> anyhow::Result<Self> {
        let pipeline = pipeline::load(&world.pipeline)?;
        let forge = github::open(&pipeline, world, environment)?;
        Self::opened(pipeline, forge, world, environment, credentials)
    }

    fn opened(
        pipeline: Pipeline,
        forge: Option<GitHub>,
        world: &World,
        environment: &Environment,
        credentials: Credentials,
    ) -> anyhow::Result<Self> {
        let here = world.pipeline.parent().map(Path::to_owned).unwrap_or_default();
        let url = match &world.repo {
            Some(url) => url.clone(),
            None => relative(&pipeline.repository, &here),
        };
        let url = absolute(url);
        let cache = world.cache.clone().or_else(|| environment.cache()).ok_or_else(|| {
            Hinted::new("there is no place for the store of git objects", "name one: --cache DIR, or set HOME")
        })?;
        let name = Digest::of(url.as_bytes()).hex();
        let dir = cache.join("stores").join(&name[..32]);
        let elsewhere = |what: String| Hinted::new(what, "name a folder that can be written and has room: --cache DIR");
        std::fs::create_dir_all(&dir).with_context(|| elsewhere(format!("{}: can't be made", dir.display())))?;
        let store = Arc::new(Store::open(&dir)?);
        let http = Http { ca: world.registry.client.ca.clone(), ..Http::default() };
        let own = forge.as_ref().filter(|_| github::is_at(&pipeline, &url)).and_then(GitHub::credential);
        // Stages judge by what the forge's credential may do, so it is the one that pushes.
        if let (Some(_), Some(file)) = (&own, &world.git_token_file) {
            let two = format!("{}: the pipeline's GitHub is pushed to with its own credential", file.display());
            return Err(Hinted::new(two, "leave --git-token-file out, or --github-token-file names that one").into());
        }
        let origin = Origin::over(store.clone(), &url, own.or(credentials.git), &http)?;
        let spool = tempfile::Builder::new()
            .prefix("spool-")
            .tempdir_in(&cache)
            .with_context(|| elsewhere(format!("{}: can't spool here", cache.display())))?;
        let registries = registries(&pipeline, &here, &world.registry, credentials.docker_config)?;
        let (inputs, parallel) = (Inputs::default(), usize::from(world.registry.client.parallel));
        Ok(Self { pipeline, store, origin, registries, forge, inputs, parallel, spool })
    }

    /// With what a person brings.
    pub fn with(self, inputs: &InputArgs) -> Self {
        let InputArgs { assets, replace_assets, skip_evidence } = inputs.clone();
        Self { inputs: Inputs { assets, replace_assets, skip_evidence }, ..self }
    }

    pub fn effects(&self) -> Effects<'_> {
        let forge = self.forge.as_ref().map(|forge| forge as &dyn ForgeWrite);
        Effects { origin: &self.origin, registry: &self.registries, forge }
    }

    pub fn looker(&self) -> Looker<'_> {
        Looker {
            pipeline: &self.pipeline,
            store: self.store.clone(),
            origin: &self.origin,
            registry: &self.registries,
            forge: self.forge.as_ref().map(|forge| forge as &dyn ForgeRead),
            inputs: &self.inputs,
            spool: self.spool.path().to_owned(),
            parallel: self.parallel,
        }
    }
}

/// The registries of a pipeline whose file is in the folder `here`, without a session around them.
pub fn registries(
    pipeline: &Pipeline,
    here: &Path,
    args: &RegistryArgs,
    docker_config: Option<PathBuf>,
) -> anyhow::Result<Registries> {
    let mut locations = pipeline.registries.clone();
    for location in locations.values_mut() {
        if let Location::Layout(dir) = location
            && dir.is_relative()
        {
            *dir = here.join(&*dir);
        }
    }
    locations.extend(args.registries.iter().cloned());
    Ok(Registries::new(Config {
        locations,
        docker_config,
        ca: args.client.ca.clone(),
        concurrency: usize::from(args.client.parallel),
        ..Config::default()
    })?)
}

/// git's own reading of an address: a scheme, or `host:path`, is no path here.
fn is_url(text: &str) -> bool {
    text.contains("://") || text.split('/').next().is_some_and(|first| first.contains(':'))
}

/// A relative directory in a pipeline file starts at the file.
fn relative(url: &str, here: &Path) -> String {
    if is_url(url) || Path::new(url).is_absolute() { url.to_owned() } else { here.join(url).display().to_string() }
}

/// An origin as the git port wants it: a URL, or an absolute path.
pub fn absolute(url: String) -> String {
    if is_url(&url) {
        return url;
    }
    std::path::absolute(&url).map_or(url, |path| path.display().to_string())
}

fn credential(world: &World, environment: &Environment) -> anyhow::Result<Option<Credential>> {
    let Some(path) = &world.git_token_file else {
        return Ok(environment.git_token.clone().map(Credential::token));
    };
    Ok(Some(Credential::token(token(path, "git", "--git-token-file")?)))
}
