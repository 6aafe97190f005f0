//! refs, lint, explain, rewrite, archive, check: commands over a tree or a file, without a promotion.

mod archive;
mod explain;
mod lint;
mod references;

pub use archive::archive;
pub use explain::{census, explain};
pub use lint::lint;
pub use references::{list, rewrite};

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use super::args::{CheckArgs, Format, TreeArgs};
use super::failure::{Ended, Hinted, Wrong};
use crate::engine::State;
use crate::model::markdown;
use crate::model::markdown::code;
use crate::pipeline::{self, PipelineError};
use crate::port::repository::Store;
use crate::tree::{DirTree, GitTree, Tree};

fn open(args: &TreeArgs) -> anyhow::Result<Box<dyn Tree>> {
    named(&args.tree, &args.repo)
}

/// A directory, or a revision of a repository.
pub fn named(name: &str, repository: &Path) -> anyhow::Result<Box<dyn Tree>> {
    if Path::new(name).is_dir() {
        return Ok(Box::new(DirTree::open(name)?));
    }
    let found = Store::open_existing(repository).and_then(|store| {
        let commit = store.rev_parse(name)?;
        let tree = store.tree_of(commit)?;
        Ok(GitTree::new(Arc::new(store), tree).named(name))
    });
    match found {
        Ok(tree) => Ok(Box::new(tree)),
        Err(error) => Err(anyhow::Error::new(error).context(Hinted::new(
            format!("`{name}` is neither a directory nor a revision"),
            "name a directory, or a revision of the repository in --repo",
        ))),
    }
}

/// Reads a tree beside the thread that hears Ctrl-C. What is dropped meanwhile has shown and
/// written nothing.
pub async fn beside<T: Send + 'static>(
    reading: impl FnOnce() -> anyhow::Result<T> + Send + 'static,
) -> anyhow::Result<T> {
    tokio::task::spawn_blocking(reading).await?
}

/// What a command found, in each form.
struct Found {
    human: String,
    json: Value,
    /// A table: what its columns are, and its cells.
    header: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Found {
    /// Writes it to `out`. Errors: the write's.
    fn show(self, format: Format, out: &mut dyn Write) -> Ended {
        match format {
            Format::Human => write!(out, "{}", self.human)?,
            Format::Json => writeln!(out, "{}", self.json)?,
            Format::Markdown => {
                let rows = self.rows.iter().map(|row| row.iter().map(|cell| code(cell)).collect());
                write!(out, "{}", markdown::table(&self.header, rows))?;
            }
        }
        Ok(State::Holds)
    }
}

pub async fn check(args: &CheckArgs, format: Format) -> Ended {
    let file = args.pipeline.clone();
    let pipeline = beside(move || {
        pipeline::load(&file).map_err(|error| match error {
            // Here it is what is judged.
            invalid @ PipelineError::Invalid { .. } => Wrong(invalid).into(),
            unread @ PipelineError::Read { .. } => unread.into(),
        })
    })
    .await?;
    let file = args.pipeline.display().to_string();
    let found = Found {
        human: format!("{file}: pipeline `{}` is well-formed\n", pipeline.name),
        json: json!({ "file": args.pipeline, "pipeline": pipeline.name, "wellFormed": true }),
        header: vec!["file", "pipeline", "well-formed"],
        rows: vec![vec![file, pipeline.name, "yes".to_owned()]],
    };
    found.show(format, &mut std::io::stdout())
}
