//! Tokens in files.

use std::path::Path;

use anyhow::Context as _;

use super::failure::Hinted;

/// The token in a file, which holds nothing else but white space around it: an empty one is never nobody's.
///
/// # Errors
/// Also where there are several words, or characters that no header takes.
pub fn token(file: &Path, whose: &str, flag: &str) -> anyhow::Result<String> {
    let text = std::fs::read_to_string(file);
    let text = text.with_context(|| format!("{}: the {whose} token can't be read", file.display()))?;
    match text.trim() {
        token if !token.is_empty() && token.chars().all(|c| c.is_ascii_graphic()) => Ok(token.to_owned()),
        _ => Err(Hinted::new(
            format!("{}: there is no token in it", file.display()),
            format!("put the token alone into the file, on one line, or leave {flag} out"),
        )
        .into()),
    }
}
