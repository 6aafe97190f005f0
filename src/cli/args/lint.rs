//! What can be typed behind `lint`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{ClientArgs, RegistryArgs, TreeArgs, registry};
use crate::lint::Level;
use crate::model::reference::ReferenceError;
use crate::model::{Reference, Repository};
use crate::port::registry::Location;

#[derive(Clone, Debug, Args)]
pub struct LintArgs {
    #[command(flatten)]
    pub tree: TreeArgs,
    /// End with 5 where something is found at this level or above
    #[arg(long, value_enum, value_name = "LEVEL", default_value = "error")]
    pub fail_on: FailOn,
    /// A file with findings that were there before: they count for nothing while their lines stay as they are
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Write the findings of now into the baseline
    #[arg(long, requires = "baseline")]
    pub write_baseline: bool,
    /// Write a SARIF 2.1.0 log to this file, or to standard output in place of everything else
    #[arg(long, value_name = "FILE|-")]
    pub sarif: Option<PathBuf>,
    #[command(flatten)]
    pub asking: AskingArgs,
}

/// Whether registries are asked, too.
#[derive(Clone, Debug, Args)]
pub struct AskingArgs {
    /// Ask registries, too: whether owned tags and digests are there, public, and for more than one platform.
    /// With a value, where a registry is: HOST=layout:DIR, HOST=http://… or HOST=https://…
    #[arg(long, value_name = "HOST=LOCATION", num_args = 0..=1, default_missing_value = "", value_parser = asked)]
    pub registry: Vec<RegistryValue>,
    /// A reference that must answer, so that what is absent at its host is a fact [default: the first one of the tree
    /// that answers there]
    #[arg(long, value_name = "REPO:TAG|REPO@DIGEST", requires = "registry", value_parser = control)]
    pub control: Vec<Reference>,
    /// Ask this host for third-party digests, too, without credentials
    #[arg(long, value_name = "HOST", requires = "registry", value_parser = host)]
    pub third_party: Vec<String>,
    #[command(flatten)]
    pub client: ClientArgs,
}

/// One `--registry` of lint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegistryValue {
    /// Each host where it is.
    Plain,
    At(String, Location),
}

impl AskingArgs {
    /// Where registries are; `None`: nobody is to be asked.
    pub fn registries(&self) -> Option<RegistryArgs> {
        let at = |asked: &RegistryValue| match asked {
            RegistryValue::Plain => None,
            RegistryValue::At(host, location) => Some((host.clone(), location.clone())),
        };
        let registries = self.registry.iter().filter_map(at).collect();
        (!self.registry.is_empty()).then(|| RegistryArgs { registries, client: self.client.clone() })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    Error,
    Warning,
    Info,
}

impl FailOn {
    pub fn level(self) -> Level {
        match self {
            Self::Error => Level::Error,
            Self::Warning => Level::Warning,
            Self::Info => Level::Info,
        }
    }
}

fn asked(text: &str) -> Result<RegistryValue, String> {
    if text.is_empty() {
        Ok(RegistryValue::Plain)
    } else {
        registry(text).map(|(host, location)| RegistryValue::At(host, location))
    }
}

/// A reference that something can answer to.
fn control(text: &str) -> Result<Reference, String> {
    let reference: Reference = text.parse().map_err(|error: ReferenceError| error.to_string())?;
    if reference.tag.is_none() && reference.digest.is_none() {
        return Err("expected a tag or a digest: REPO:TAG or REPO@DIGEST".to_owned());
    }
    Ok(reference)
}

/// A registry's host, as references name it.
fn host(text: &str) -> Result<String, String> {
    match format!("{text}/x").parse::<Repository>() {
        Ok(repository) if repository.host() == text => Ok(text.to_owned()),
        _ => Err("expected a registry's host, such as quay.io or docker.io".to_owned()),
    }
}
