//! What a change rebuilt and what it edited, as other tools list it.

use std::collections::BTreeSet;

use crate::tree::{TreePath, show};

/// Why a list can't be relied on.
#[derive(Debug, thiserror::Error)]
pub enum ListError {
    #[error("not a JSON list of package paths: {0}")]
    Json(serde_json::Error),
    #[error("`{0}` is not the path of a package: relative, without `..`, as `system/api`")]
    Package(String),
    #[error("it names no path at all: that is also what a `git diff` that failed leaves behind")]
    Empty,
    #[error("line {line}: {what}: expected the lines of `git diff --name-only`, or its `-z` form")]
    Line { line: usize, what: String },
}

/// The packages that the change rebuilt: their references are its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Built(pub BTreeSet<String>);

impl Built {
    /// Reads a JSON list of paths, relative to the pipeline's root or with the root in front. An empty
    /// list is a change that rebuilt nothing.
    ///
    /// # Errors
    /// Anything else, such as no text at all.
    pub fn parse(json: &[u8]) -> Result<Self, ListError> {
        let paths: Vec<String> = serde_json::from_slice(json).map_err(ListError::Json)?;
        let clean = |path: String| {
            let inner = path.trim_end_matches('/');
            let inner = inner.strip_prefix("./").unwrap_or(inner);
            match inside(inner.as_bytes()) {
                true => Ok(inner.to_owned()),
                false => Err(ListError::Package(show(path.as_bytes()))),
            }
        };
        paths.into_iter().map(clean).collect::<Result<_, _>>().map(Self)
    }
}

/// The paths that the change edited, from the repository's root: what stands there is meant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changed(pub BTreeSet<TreePath>);

impl Changed {
    /// Reads what `git diff --name-only` prints, with names quoted as git quotes them
    /// (git-config(1), `core.quotePath`), or what it prints with `-z`.
    ///
    /// # Errors
    /// What git doesn't print, and a list without any path.
    pub fn parse(list: &[u8]) -> Result<Self, ListError> {
        let mut paths = BTreeSet::new();
        let zeros = list.contains(&0);
        for (i, entry) in list.split(|&byte| byte == if zeros { 0 } else { b'\n' }).enumerate() {
            let entry = if zeros { entry } else { entry.strip_suffix(b"\r").unwrap_or(entry) };
            if entry.is_empty() {
                continue;
            }
            let wrong = |what: String| ListError::Line { line: i + 1, what };
            let path = if zeros { entry.to_vec() } else { unquote(entry).map_err(|what| wrong(what.into()))? };
            if !inside(&path) {
                return Err(wrong(format!("`{}` is no path inside a repository", show(&path))));
            }
            paths.insert(path);
        }
        if paths.is_empty() { Err(ListError::Empty) } else { Ok(Self(paths)) }
    }
}

/// Whether a path is relative and in normal form.
fn inside(path: &[u8]) -> bool {
    path.split(|&byte| byte == b'/').all(|part| !matches!(part, b"" | b"." | b".."))
}

/// A name as git prints it: as it is, or in double quotes with C's escapes.
fn unquote(entry: &[u8]) -> Result<TreePath, &'static str> {
    let Some(rest) = entry.strip_prefix(b"\"") else {
        let plain = !entry.iter().any(|byte| byte.is_ascii_control());
        return if plain { Ok(entry.to_vec()) } else { Err("a control character that git would have quoted") };
    };
    let quoted = rest.strip_suffix(b"\"").ok_or("a quote that is not closed")?;
    let mut path = TreePath::new();
    let mut bytes = quoted.iter();
    while let Some(&byte) = bytes.next() {
        match byte {
            b'"' => return Err("a quote inside quotes"),
            b'\\' => path.push(escaped(&mut bytes).ok_or("an escape that git doesn't write")?),
            _ => path.push(byte),
        }
    }
    Ok(path)
}

/// One escape, behind its backslash: a letter, a sign, or three octal digits.
fn escaped<'a>(bytes: &mut impl Iterator<Item = &'a u8>) -> Option<u8> {
    Some(match *bytes.next()? {
        b'a' => 7,
        b'b' => 8,
        b't' => b'\t',
        b'n' => b'\n',
        b'v' => 11,
        b'f' => 12,
        b'r' => b'\r',
        sign @ (b'"' | b'\\') => sign,
        first @ b'0'..=b'3' => {
            let mut digit = || bytes.next().filter(|digit| matches!(digit, b'0'..=b'7')).map(|digit| digit - b'0');
            (first - b'0') * 64 + digit()? * 8 + digit()?
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_is_a_json_list_of_paths() {
        let built = Built::parse(br#"["system/api", "./packages/core/x/", "system/api"]"#).unwrap();
        assert_eq!(built.0, BTreeSet::from(["packages/core/x".to_owned(), "system/api".to_owned()]));
        assert_eq!(Built::parse(b" [] \n").unwrap(), Built::default());
        for text in ["", "null", "{}", "[1]", "[null]", "[\"\"]", "[\"../x\"]", "[\"/a/b\"]", "[\"a//b\"]", "[] []"] {
            assert!(Built::parse(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn edited_is_what_git_prints() {
        let paths = |list: &[u8]| Changed::parse(list).map(|changed| changed.0.into_iter().collect::<Vec<_>>());
        assert_eq!(paths(b"b/x\na y\n").unwrap(), [b"a y".to_vec(), b"b/x".to_vec()]);
        assert_eq!(paths(b"a\r\nb\r\n").unwrap(), [b"a".to_vec(), b"b".to_vec()]);
        assert_eq!(paths(br#""a\nb/\303\244\"\\""#).unwrap(), [b"a\nb/\xc3\xa4\"\\".to_vec()]);
        assert_eq!(paths(b"a\nb\0\xff/x\0").unwrap(), [b"a\nb".to_vec(), b"\xff/x".to_vec()]);
        for list in [
            &b""[..],
            b"\n\n",
            b"\0",
            b"M\ta/b\n",
            b"\"a\n",
            b"\"a\\q\"\n",
            b"\"a\\40\"\n",
            b"\"a\"b\"\n",
            b"/a/b\n",
            b"../a\n",
            b"a/./b\n",
            b"a/\n",
        ] {
            assert!(paths(list).is_err(), "{}", list.escape_ascii());
        }
    }
}
