//! What can be typed. Parsing touches nothing but the words.

mod examples;
mod lint;
mod shell;
mod show;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use self::lint::LintArgs;
pub use self::shell::{CompletionsArgs, ManArgs};
pub use self::show::{Format, LogFormat, Show, When};
use crate::model::{Digest, Rc, Stable};
use crate::overrides::Key;
use crate::port::Authority;
use crate::port::registry::Location;
use crate::promotion::locate::Request;

/// Promotes a release candidate to stable without rebuilding anything.
///
/// Exit codes: 0 holds or done; 1 error; 2 usage; 3 the plan has work; 4 waiting for a person;
/// 5 refused, or an invariant is broken; 130 interrupted; 141 nobody reads the result any more.
#[derive(Debug, Parser)]
#[command(name = "sealift", version, max_term_width = 100, after_help = examples::SEALIFT)]
pub struct Cli {
    #[command(flatten)]
    pub show: Show,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Watch a whole promotion on embedded parts: offline, no credentials, seconds
    #[command(after_help = examples::DEMO)]
    Demo(DemoArgs),
    /// Show what a promotion would do; write nothing
    #[command(after_help = examples::PLAN)]
    Plan(PlanArgs),
    /// Show what a promotion of a pull request, a revision or a directory would do; advisory
    #[command(after_help = examples::PREVIEW)]
    Preview(PreviewArgs),
    /// Promote, as far as it isn't a person's turn
    #[command(after_help = examples::RUN)]
    Run(RunArgs),
    /// Go on with a promotion: the same as run
    #[command(after_help = examples::RESUME)]
    Resume(RunArgs),
    /// Show where a promotion stands, from the live world; without a version, what is unfinished
    #[command(after_help = examples::STATUS)]
    Status(StatusArgs),
    /// Prove the candidate against the merge, or the prospective one
    #[command(after_help = examples::VERIFY)]
    Verify(PlanArgs),
    /// Take back a promotion that is not merged: its draft and its staging branch, never a public name
    #[command(after_help = examples::ABANDON)]
    Abandon(AbandonArgs),
    /// Look at the references of a tree
    #[command(subcommand, after_help = examples::REFS)]
    Refs(RefsCommand),
    /// Find what is wrong with the references of a tree: offline, for every pull request
    #[command(after_help = examples::LINT)]
    Lint(LintArgs),
    /// Say of a line, or of a whole file, what its references are, who stamps them, and what would become of them
    #[command(after_help = examples::EXPLAIN)]
    Explain(ExplainArgs),
    /// Rewrite a directory in place: a candidate's tags read stable
    #[command(after_help = examples::REWRITE)]
    Rewrite(RewriteArgs),
    /// Lay the references of a published tree over the packages that a change neither rebuilt nor edited
    #[command(after_help = examples::OVERLAY)]
    Overlay(OverlayArgs),
    /// Make the packages artifact of a tree and print its digests
    #[command(after_help = examples::ARCHIVE)]
    Archive(ArchiveArgs),
    /// Check a pipeline file
    #[command(after_help = examples::CHECK)]
    Check(CheckArgs),
    /// Check a table of image overrides, or apply it to manifests
    #[command(subcommand, after_help = examples::OVERRIDES)]
    Overrides(OverridesCommand),
    /// Print the JSON Schema of pipeline files, for editors
    #[command(after_help = examples::SCHEMA)]
    Schema,
    /// Print the completions for a shell
    #[command(after_help = examples::COMPLETIONS)]
    Completions(CompletionsArgs),
    /// Print sealift's man page, or write every command's into a folder
    #[command(after_help = examples::MAN)]
    Man(ManArgs),
}

/// The pipeline, and where its things are.
#[derive(Clone, Debug, Args)]
pub struct World {
    /// The pipeline file
    #[arg(short, long, env = "SEALIFT_PIPELINE", hide_env_values = true, value_name = "FILE")]
    pub pipeline: PathBuf,
    /// The git origin, instead of the pipeline's: a URL or a directory
    #[arg(long, value_name = "URL|DIR", value_hint = clap::ValueHint::DirPath)]
    pub repo: Option<String>,
    #[command(flatten)]
    pub registry: RegistryArgs,
    /// A file with the token for the git origin [default: $SEALIFT_GIT_TOKEN]; on the pipeline's GitHub its own is used
    #[arg(long, value_name = "FILE")]
    pub git_token_file: Option<PathBuf>,
    #[command(flatten)]
    pub github: GitHub,
    /// Where sealift keeps its store of git objects [default: $XDG_CACHE_HOME/sealift]
    #[arg(long, value_name = "DIR", env = "SEALIFT_CACHE", hide_env_values = true)]
    pub cache: Option<PathBuf>,
}

/// Where registries are, and how they are asked.
#[derive(Clone, Debug, Args)]
pub struct RegistryArgs {
    /// Where a registry is: HOST=layout:DIR, HOST=http://… or HOST=https://…
    #[arg(long = "registry", value_name = "HOST=LOCATION", value_parser = registry)]
    pub registries: Vec<(String, Location)>,
    #[command(flatten)]
    pub client: ClientArgs,
}

/// How registries are asked, wherever they are.
#[derive(Clone, Debug, Args)]
pub struct ClientArgs {
    /// Docker's config.json with the registries' credentials [default: $DOCKER_CONFIG or ~/.docker]
    #[arg(long, value_name = "FILE")]
    pub docker_config: Option<PathBuf>,
    /// A PEM file with further certificate authorities, for every host or for one: of a registry or of the git origin
    #[arg(long, value_name = "FILE|HOST=FILE", value_parser = <Authority as std::str::FromStr>::from_str)]
    pub ca: Vec<Authority>,
    /// Requests to registries in flight at once
    #[arg(long, value_name = "N", default_value = "16", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub parallel: u16,
}

/// GitHub, for pipelines with `forge: github`.
#[derive(Clone, Debug, Default, Args)]
pub struct GitHub {
    /// The API's address [default: from the pipeline's repository]
    #[arg(long, value_name = "URL")]
    pub github_api: Option<String>,
    /// A file with the token for GitHub [default: $GITHUB_TOKEN]
    #[arg(long, value_name = "FILE", conflicts_with = "github_app_id")]
    pub github_token_file: Option<PathBuf>,
    /// A GitHub App to be, installed in the repository
    #[arg(
        long,
        value_name = "ID",
        env = "SEALIFT_GITHUB_APP_ID",
        hide_env_values = true,
        requires = "github_app_key_file"
    )]
    pub github_app_id: Option<u64>,
    /// The App's private key, a PEM file
    #[arg(
        long,
        value_name = "FILE",
        env = "SEALIFT_GITHUB_APP_KEY_FILE",
        hide_env_values = true,
        requires = "github_app_id"
    )]
    pub github_app_key_file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct PlanArgs {
    /// A candidate, vX.Y.Z-rc.N, or the version of a promotion under way, vX.Y.Z
    #[arg(value_parser = request)]
    pub version: Request,
    #[command(flatten)]
    pub world: World,
    #[command(flatten)]
    pub inputs: InputArgs,
}

#[derive(Debug, Args)]
pub struct PreviewArgs {
    /// The candidate it would be, vX.Y.Z-rc.N [default: the one that the tree's own tags carry]
    pub version: Option<Rc>,
    /// Preview a pull request: what its merge into its base would be
    #[arg(long, value_name = "N", required_unless_present = "tree")]
    pub pull_request: Option<u64>,
    /// Put the preview on the pull request, as this credential's one comment
    #[arg(long, requires = "pull_request", conflicts_with = "tree")]
    pub comment: bool,
    /// Preview a directory, or a revision of the repository here (of the one in --repo, if that is a directory)
    #[arg(long, value_name = "DIR|REV", conflicts_with = "pull_request", value_hint = clap::ValueHint::DirPath)]
    pub tree: Option<String>,
    #[command(flatten)]
    pub world: World,
}

#[derive(Debug, Args)]
pub struct RunArgs {
    /// A candidate, vX.Y.Z-rc.N, or the version of a promotion under way, vX.Y.Z
    #[arg(value_parser = request, required_unless_present = "pull_request")]
    pub version: Option<Request>,
    /// Go on with the promotion that this merged pull request proposed; one that proposed none is nothing to do
    #[arg(long, value_name = "N", conflicts_with = "version")]
    pub pull_request: Option<u64>,
    #[command(flatten)]
    pub world: World,
    #[command(flatten)]
    pub inputs: InputArgs,
    /// Stop after this stage
    #[arg(long, value_name = "STAGE", value_parser = stage_names())]
    pub until: Option<String>,
    /// Run only the promotion with this seal, as printed by plan
    #[arg(long, value_name = "SEAL")]
    pub plan: Option<Digest>,
}

/// What a person brings to a promotion on GitHub.
#[derive(Clone, Debug, Default, Args)]
pub struct InputArgs {
    /// The folder with the release's built assets
    #[arg(long, value_name = "DIR")]
    pub assets: Option<PathBuf>,
    /// Replace assets that are on the draft already
    #[arg(long, requires = "assets")]
    pub replace_assets: bool,
    /// Promote without evidence of a green end-to-end run, for this reason: recorded, and shown in every report
    #[arg(long, value_name = "REASON", value_parser = reason)]
    pub skip_evidence: Option<String>,
}

#[derive(Debug, Args)]
pub struct StatusArgs {
    /// A candidate, or a version
    #[arg(value_parser = request)]
    pub version: Option<Request>,
    #[command(flatten)]
    pub world: World,
}

#[derive(Debug, Args)]
pub struct AbandonArgs {
    /// A candidate, vX.Y.Z-rc.N, or its version
    #[arg(value_parser = request)]
    pub version: Request,
    #[command(flatten)]
    pub world: World,
    /// Let commits of people on the staging branch go with it
    #[arg(long)]
    pub discard: bool,
}

#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Where the demo lives: absent, empty, or a demo's own [default: a new folder]
    pub dir: Option<PathBuf>,
    /// Stop where a person merges, and leave that to you
    #[arg(long)]
    pub stop_at_wait: bool,
}

#[derive(Debug, Subcommand)]
pub enum RefsCommand {
    /// List every reference with its class, place and parts
    #[command(after_help = examples::LIST)]
    List(TreeArgs),
    /// Prove that every digest and every owned reference is claimed by something, and show by what
    #[command(after_help = examples::CENSUS)]
    Census(CensusArgs),
}

/// A tree and the pipeline it is read by.
#[derive(Clone, Debug, Args)]
pub struct TreeArgs {
    /// The pipeline file
    #[arg(short, long, env = "SEALIFT_PIPELINE", hide_env_values = true, value_name = "FILE")]
    pub pipeline: PathBuf,
    /// The repository's root: a directory, or a revision of the repository in `--repo`
    #[arg(long, value_name = "DIR|REV", default_value = ".", value_hint = clap::ValueHint::DirPath)]
    pub tree: String,
    /// The repository that a revision is read from
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub repo: PathBuf,
    /// The candidate that tells the version line
    #[arg(long, value_name = "vX.Y.Z-rc.N")]
    pub rc: Option<Rc>,
}

#[derive(Clone, Debug, Args)]
pub struct CensusArgs {
    #[command(flatten)]
    pub tree: TreeArgs,
    /// Refuse what is overlooked, too: what takes a wider look than a promotion's to find, and nobody claims
    #[arg(long)]
    pub strict: bool,
}

#[derive(Clone, Debug, Args)]
pub struct ExplainArgs {
    /// A file by its path in the repository, and a line of it; a column behind it counts for nothing
    #[arg(value_name = "FILE[:LINE]", value_hint = clap::ValueHint::FilePath)]
    pub place: String,
    #[command(flatten)]
    pub tree: TreeArgs,
}

#[derive(Clone, Debug, Args)]
pub struct RewriteArgs {
    /// The pipeline file
    #[arg(short, long, env = "SEALIFT_PIPELINE", hide_env_values = true, value_name = "FILE")]
    pub pipeline: PathBuf,
    /// The directory to rewrite: the repository's root
    #[arg(long, value_name = "DIR")]
    pub tree: PathBuf,
    /// The candidate whose tags become stable
    #[arg(long, value_name = "vX.Y.Z-rc.N")]
    pub rc: Rc,
}

#[derive(Clone, Debug, Args)]
pub struct OverlayArgs {
    /// The pipeline file
    #[arg(short, long, env = "SEALIFT_PIPELINE", hide_env_values = true, value_name = "FILE")]
    pub pipeline: PathBuf,
    /// The repository's root, rewritten in place: a directory. Of a revision of the repository in
    /// `--repo` the plan is shown
    #[arg(long, value_name = "DIR|REV", value_hint = clap::ValueHint::DirPath)]
    pub onto: String,
    /// The repository that a revision is read from
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub repo: PathBuf,
    /// The published tree: an artifact, or a directory with a repository or with its packages alone
    #[arg(long, value_name = "[oci://]REPO@DIGEST|[oci://]REPO:TAG|DIR")]
    pub from: String,
    /// The packages that the change rebuilt: a file with a JSON list of paths; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub built: PathBuf,
    /// The paths that the change edited: a file as `git diff --name-only` prints it, also with `-z`
    #[arg(long, value_name = "FILE", required_unless_present = "nothing_edited")]
    pub edited: Option<PathBuf>,
    /// Say that the change edited nothing: an empty list is refused
    #[arg(long, conflicts_with = "edited")]
    pub nothing_edited: bool,
    /// What it means that the source lacks the tree, a package or a file
    #[arg(long, value_enum, default_value = "refuse")]
    pub if_missing: IfMissing,
    /// What it means that a file differs in more than references, and would keep its own
    #[arg(long, value_enum, default_value = "report")]
    pub if_drift: IfDrift,
    /// Show what would be taken; write nothing
    #[arg(long)]
    pub plan: bool,
    #[command(flatten)]
    pub registry: RegistryArgs,
}

/// See [`crate::overlay::IfMissing`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum IfMissing {
    /// Refuse all of it
    Refuse,
    /// Let the package or file keep its references
    Skip,
}

/// See [`crate::overlay::IfDrift`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum IfDrift {
    /// Report it, and let the file keep its references
    Report,
    /// Refuse all of it
    Refuse,
}

#[derive(Clone, Debug, Args)]
pub struct ArchiveArgs {
    #[command(flatten)]
    pub tree: TreeArgs,
    /// The `org.opencontainers.image.revision` annotation
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub revision: String,
    /// The `org.opencontainers.image.source` annotation [default: the pipeline's]
    #[arg(long, value_name = "URL")]
    pub source: Option<String>,
    /// Write the layer to this file
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Clone, Debug, Args)]
pub struct CheckArgs {
    /// The pipeline file
    pub pipeline: PathBuf,
}

#[derive(Debug, Subcommand)]
pub enum OverridesCommand {
    /// Say all that is wrong with a table
    #[command(after_help = examples::OVERRIDES_CHECK)]
    Check(OverridesCheckArgs),
    /// Rewrite the container images of rendered manifests: to standard output, or in place
    #[command(after_help = examples::OVERRIDES_APPLY)]
    Apply(OverridesApplyArgs),
}

#[derive(Clone, Debug, Args)]
pub struct OverridesCheckArgs {
    /// The file with the table
    pub file: PathBuf,
    /// The keys that lead to the table, such as registries.imageOverrides [default: the file's top]
    #[arg(long, value_name = "PATH")]
    pub key: Option<Key>,
}

#[derive(Clone, Debug, Args)]
pub struct OverridesApplyArgs {
    /// The file with the table
    #[arg(long, value_name = "FILE")]
    pub table: PathBuf,
    /// The keys that lead to the table, such as registries.imageOverrides [default: the file's top]
    #[arg(long, value_name = "PATH")]
    pub key: Option<Key>,
    /// What it means that there is no table: neither file, key nor list
    #[arg(long, value_enum, default_value = "refuse")]
    pub missing: Missing,
    /// Rewrite ephemeralContainers, too
    #[arg(long)]
    pub ephemeral: bool,
    /// Write each file anew, and the report to standard output
    #[arg(long, requires = "files")]
    pub in_place: bool,
    /// Files of manifests; `-` is standard input [default: -]
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Missing {
    /// Leave the manifests as they are
    Keep,
    /// Refuse: a table that overrides nothing is `[]`
    Refuse,
}

impl Cli {
    /// What a single argument can't be told to be wrong for.
    pub fn conflict(&self) -> Option<&'static str> {
        let Command::Overrides(OverridesCommand::Apply(args)) = &self.command else { return None };
        match args.files.iter().filter(|file| file.as_os_str() == "-").count() {
            0 => None,
            _ if args.in_place => Some("standard input can't be written in place: name files, or leave out --in-place"),
            1 => None,
            _ => Some("standard input can be read once: name `-` once"),
        }
    }
}

/// A candidate, or a version under way.
pub fn request(text: &str) -> Result<Request, String> {
    match (text.parse::<Rc>(), text.parse::<Stable>()) {
        (Ok(rc), _) => Ok(Request::Candidate(rc)),
        (_, Ok(stable)) => Ok(Request::Version(stable)),
        (Err(error), _) => Err(format!("{error}; or a version X.Y.Z under way")),
    }
}

/// A reason that says something, on one line: it is recorded in a commit.
fn reason(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.len() < 8 || text.len() > 300 || text.contains(char::is_control) {
        return Err("expected a reason of 8 to 300 characters on one line".into());
    }
    Ok(text.to_owned())
}

fn registry(text: &str) -> Result<(String, Location), String> {
    let (host, location) = text.split_once('=').ok_or("expected HOST=LOCATION")?;
    if host.is_empty() || host.contains('/') {
        return Err(format!("`{host}` is not a registry's host"));
    }
    Ok((host.to_owned(), location.parse::<Location>().map_err(|error| error.to_string())?))
}

fn stage_names() -> clap::builder::PossibleValuesParser {
    crate::stage::STAGES.iter().map(|stage| stage.name()).collect::<Vec<_>>().into()
}
