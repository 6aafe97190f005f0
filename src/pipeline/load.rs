//! Reading a pipeline file: typed, with the place of every error.

use std::path::{Path, PathBuf};

use super::problem::{Problem, Source};
use super::{Pipeline, check, outline, texts};

/// Why a pipeline can't be used.
#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    #[error("{}: can't be read; expected the path of a pipeline file", .path.display())]
    Read { path: PathBuf, source: std::io::Error },
    /// In the order of their places; there is at least one.
    #[error("{}", .problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Invalid { problems: Vec<Problem> },
}

/// Reads a pipeline file.
pub fn load(path: &Path) -> Result<Pipeline, PipelineError> {
    let name = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|source| PipelineError::Read { path: path.to_owned(), source })?;
    let text = std::str::from_utf8(&bytes).map_err(|error| {
        let valid = String::from_utf8_lossy(bytes.get(..error.valid_up_to()).unwrap_or_default());
        let end = valid.len();
        let source = Source { name: &name, text: &valid };
        invalid(vec![source.problem(&(end..end), "not UTF-8; expected text in UTF-8")])
    })?;
    parse(&name, text)
}

/// Parses a pipeline; `name` is what messages call it.
///
/// Structure is judged first, alone; then every value and the types; then what must hold between
/// keys. Each step reports all it finds, and a later one runs only over what an earlier one passed.
pub fn parse(name: &str, text: &str) -> Result<Pipeline, PipelineError> {
    let source = Source { name, text };
    if text.starts_with('\u{feff}') {
        return Err(invalid(vec![
            source.problem(&(0..0), "a byte order mark; expected UTF-8 without one").without_excerpt(),
        ]));
    }
    let yaml = outline::read(&source).map_err(invalid)?;
    let mut problems = texts::check(&source, &yaml);
    match serde_yaml::from_str::<Pipeline>(text) {
        Ok(pipeline) if problems.is_empty() => {
            problems = check::check(&source, &yaml, &pipeline);
            if problems.is_empty() {
                return Ok(pipeline);
            }
        }
        Ok(_) => {}
        Err(error) => {
            let problem = typed(&source, &error);
            // serde stops at the first value it can't read, which may be reported already, and better.
            if !problems.iter().any(|known| known.line == problem.line) {
                problems.push(problem);
            }
        }
    }
    problems.sort_by_key(|problem| (problem.line, problem.column));
    Err(invalid(problems))
}

fn invalid(problems: Vec<Problem>) -> PipelineError {
    PipelineError::Invalid { problems }
}

/// serde's error at its place and in the words of a pipeline file.
fn typed(source: &Source<'_>, error: &serde_yaml::Error) -> Problem {
    let text = error.to_string();
    let Some(location) = error.location() else { return source.problem(&(0..0), text) };
    let (line, column) = (location.line(), location.column());
    let message = text.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&text);
    let message = message
        .replace("unknown field", "unknown key")
        .replace("unknown variant", "unknown value")
        .replace("missing field", "missing key")
        .replace("invalid type: ", "found ")
        .replace("found sequence", "found a list")
        .replace("found map", "found a map")
        .replace("found string", "found text")
        .replace("expected a string", "expected text")
        .replace("expected a boolean", "expected `true` or `false`")
        .replace("expected a sequence", "expected a list")
        .replace(", expected", "; expected");
    let hint = if message.contains("missing key") { "; add it" } else { "" };
    // In characters. Its lines are counted by every break that YAML knows, ours by line feeds.
    let at = source.text.char_indices().nth(location.index()).map_or(source.text.len(), |(at, _)| at);
    source.problem(&(at..at), message + hint)
}
