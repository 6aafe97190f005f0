//! The path of keys to a table inside a values file.

use std::fmt;
use std::str::FromStr;

use super::problem::shown;

/// `registries.imageOverrides`; without any part, the top of the file. A dot that belongs to a key is
/// written `\.`, and a backslash `\\`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Key(Vec<String>);

impl Key {
    pub fn parts(&self) -> &[String] {
        &self.0
    }

    /// The first parts of it.
    pub(super) fn up_to(&self, parts: usize) -> Self {
        Self(self.0.iter().take(parts).cloned().collect())
    }

    /// It for messages.
    pub(super) fn shown(&self) -> String {
        if self.0.is_empty() { "the file".to_owned() } else { shown(&self.to_string()) }
    }
}

impl FromStr for Key {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = vec![String::new()];
        let mut characters = text.chars();
        while let Some(c) = characters.next() {
            let part = match c {
                '.' => {
                    parts.push(String::new());
                    continue;
                }
                '\\' => {
                    characters.next().filter(|c| matches!(c, '.' | '\\')).ok_or("`\\` stands before `.` or `\\`")?
                }
                c => c,
            };
            if let Some(last) = parts.last_mut() {
                last.push(part);
            }
        }
        match parts.iter().any(String::is_empty) {
            true => Err("expected keys joined by dots, such as registries.imageOverrides".to_owned()),
            false => Ok(Self(parts)),
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self.0.iter().map(|part| part.replace('\\', "\\\\").replace('.', "\\.")).collect();
        f.write_str(&parts.join("."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_back_what_it_shows() {
        for (text, parts) in [("a", vec!["a"]), ("a.b-c", vec!["a", "b-c"]), (r"a\.b.c\\", vec!["a.b", r"c\"])] {
            let key: Key = text.parse().unwrap();
            assert_eq!(key.parts(), parts);
            assert_eq!(key.to_string(), text);
        }
        for text in ["", ".", "a.", ".a", "a..b", r"a\b", r"a\"] {
            assert!(text.parse::<Key>().is_err(), "{text}");
        }
    }
}
