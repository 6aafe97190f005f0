//! What `helm package` leaves out of a chart: the rules of `.helmignore`.
//!
//! Not git's rules. The first pattern that decides ends the search; `!pattern` leaves out
//! whatever does *not* match it; `**` is an error; a directory that is left out takes its
//! content with it. One rule always stands: dot files in `templates/`.

use super::super::glob::Glob;

/// The file the rules are in, at the chart's top.
pub(super) const FILE: &[u8] = b".helmignore";

pub(super) struct Rules(Vec<Rule>);

struct Rule {
    negated: bool,
    directory_only: bool,
    /// No `/` in it: only the last component is looked at.
    base_only: bool,
    glob: Glob,
}

impl Rules {
    /// Reads the rules. The error is a line number and what is wrong there.
    pub(super) fn new(content: &[u8]) -> Result<Self, (usize, String)> {
        let content = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content);
        let mut rules = Vec::new();
        for (at, line) in content.split(|&b| b == b'\n').enumerate() {
            let line = String::from_utf8_lossy(line);
            if let Some(rule) = Rule::new(line.trim()).map_err(|reason| (at + 1, reason))? {
                rules.push(rule);
            }
        }
        rules.extend(Rule::new("templates/.?*").map_err(|reason| (0, reason))?);
        Ok(Self(rules))
    }

    /// Whether helm leaves a path out, given that its parents are in.
    pub(super) fn matches(&self, path: &[u8], directory: bool) -> bool {
        for rule in &self.0 {
            let wrong_kind = rule.directory_only && !directory;
            if rule.negated {
                if wrong_kind || !rule.fits(path) {
                    return true;
                }
            } else if !wrong_kind && rule.fits(path) {
                return true;
            }
        }
        false
    }
}

impl Rule {
    fn new(line: &str) -> Result<Option<Self>, String> {
        if line.is_empty() || line.starts_with('#') {
            return Ok(None);
        }
        if line.contains("**") {
            return Err(format!("`{line}`: helm has no `**`; name the folders, or use a pattern without `/`"));
        }
        let negated = line.starts_with('!');
        let rest = line.strip_prefix('!').unwrap_or(line);
        let directory_only = rest.ends_with('/');
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let base_only = !rest.contains('/');
        let glob = Glob::new(rest.strip_prefix('/').unwrap_or(rest).as_bytes());
        let glob = glob.ok_or_else(|| format!("`{line}` is not a pattern; close its `[…]` and end it without `\\`"))?;
        Ok(Some(Self { negated, directory_only, base_only, glob }))
    }

    fn fits(&self, path: &[u8]) -> bool {
        let base = path.rsplit(|&b| b == b'/').next().unwrap_or(path);
        self.glob.matches(if self.base_only { base } else { path })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn helm_s_rules_are_not_git_s() {
        for (rules, path, expected) in [
            ("*.swp", "a/b.swp", true),
            ("*.swp", "a.swp/", true),
            ("# *.swp\n\n  \r\n", "a.swp", false),
            ("\u{feff}*.swp", "a.swp", true),
            ("  *.swp  \r\n", "a.swp", true),
            (".git/", ".git/", true),
            (".git/", ".git", false),
            ("a/b", "a/b", true),
            ("a/b", "x/a/b", false),
            ("/b", "b", true),
            ("/b", "a/b", false),
            ("/a/*.txt", "a/x.txt", true),
            ("/a/*.txt", "a/b/x.txt", false),
            ("templates/", "templates/", true),
            ("", "templates/.hidden", true),
            ("", "templates/.hidden/", true),
            ("", "templates/a/.hidden", false),
            ("", "templates/_helpers.tpl", false),
            ("", ".helmignore", false),
            // A negation leaves out all that it doesn't match, and ends the search there.
            ("!*.yaml", "a.txt", true),
            ("!*.yaml", "a.yaml", false),
            ("!*.yaml\na.yaml", "a.yaml", true),
            ("!keep/", "keep", true),
            ("!keep/", "keep/", false),
        ] {
            let found = Rules::new(rules.as_bytes()).unwrap();
            assert_eq!(
                found.matches(path.trim_end_matches('/').as_bytes(), path.ends_with('/')),
                expected,
                "{rules:?} on {path}"
            );
        }
    }

    #[test]
    fn bad_rules_are_named_by_line() {
        assert_eq!(Rules::new(b"a\n\na/**/b\n").err().map(|(line, _)| line), Some(3));
        let (line, reason) = Rules::new(b"[a\n").err().unwrap();
        assert!(line == 1 && reason.contains("`[a` is not a pattern"), "{reason}");
    }
}
