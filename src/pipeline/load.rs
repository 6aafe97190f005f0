//! Reading a pipeline file: typed, with the place of every error.

use std::path::{Path, PathBuf};

use super::Pipeline;

/// Why a pipeline can't be used.
#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    #[error("{}: {source}", .path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{}", .problems.join("\n"))]
    Invalid { problems: Vec<String> },
}

/// Reads a pipeline file.
pub fn load(path: &Path) -> Result<Pipeline, PipelineError> {
    let text = std::fs::read_to_string(path).map_err(|source| PipelineError::Read { path: path.to_owned(), source })?;
    parse(&path.display().to_string(), &text)
}

/// Parses a pipeline; `name` is what messages call it.
pub fn parse(name: &str, text: &str) -> Result<Pipeline, PipelineError> {
    serde_yaml::from_str(text).map_err(|error| PipelineError::Invalid { problems: vec![format!("{name}: {error}")] })
}
