//! Appending to a file another program reads, such as a GitHub step summary or outputs.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

/// Appends a document, with a blank line after it so that the next one starts afresh.
/// Errors name the path.
pub fn append_summary(path: &Path, document: &str) -> io::Result<()> {
    append(path, &format!("{}\n\n", document.trim_end()))
}

/// Appends a text as it stands. Errors name the path.
pub fn append(path: &Path, text: &str) -> io::Result<()> {
    let append = || {
        let mut file = OpenOptions::new().append(true).create(true).open(path)?;
        file.write_all(text.as_bytes())?;
        file.flush()
    };
    append().map_err(|error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_other_steps_wrote_and_names_the_path_in_errors() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("summary.md");
        std::fs::write(&path, "## before\n").unwrap();
        append_summary(&path, "## one\n").unwrap();
        append_summary(&path, "## two").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "## before\n## one\n\n## two\n\n");
        let error = append_summary(dir.path(), "x").unwrap_err().to_string();
        assert!(error.contains(&dir.path().display().to_string()), "{error}");
    }
}
