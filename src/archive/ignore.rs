//! What an archive leaves out: Flux's patterns, matched as go-git's gitignore does.
//!
//! The last matching pattern decides; `!` takes a path in again, even below a directory that
//! is left out, since directories are not pruned: each path is asked for itself.

use super::glob::Glob;

/// What Flux leaves out of an artifact unless told otherwise (`--ignore-paths`), in order.
/// `.sourceignore`, `.gitignore` and `.helmignore` files are never read, and the other
/// defaults of its controllers don't apply here.
pub const DEFAULT: [&str; 12] = [
    ".git/",
    ".gitignore",
    ".gitmodules",
    ".gitattributes",
    "*.jpg",
    "*.jpeg",
    "*.gif",
    "*.png",
    "*.wmv",
    "*.flv",
    "*.tar.gz",
    "*.zip",
];

/// An ordered list of patterns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignore(Vec<Pattern>);

impl Default for Ignore {
    fn default() -> Self {
        Self::new(DEFAULT)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Pattern {
    include: bool,
    directory_only: bool,
    /// Has a `/` left in it: matched from the root, component by component.
    anchored: bool,
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// Nothing, as before a leading `/`.
    Empty,
    /// `**` alone: any number of components.
    Deep,
    /// `**` with text beside it, which never matches where `/` splits a pattern.
    Broken,
    Glob(Glob),
    Malformed,
}

impl Ignore {
    /// Patterns instead of Flux's own, one a line; without any, nothing is left out. Lines that are blank or start with `#` are dropped.
    pub fn new<S: AsRef<str>>(patterns: impl IntoIterator<Item = S>) -> Self {
        let mut all = Vec::new();
        for text in patterns {
            let lines = text.as_ref().lines();
            all.extend(lines.filter(|l| !l.starts_with('#') && !l.trim().is_empty()).map(Pattern::new));
        }
        Self(all)
    }

    /// Whether a path, relative to the archive's root, is left out. The root itself never is.
    pub fn matches(&self, path: &[u8], directory: bool) -> bool {
        let path: Vec<&[u8]> = path.split(|&b| b == b'/').collect();
        self.0.iter().rev().find(|p| p.matches(&path, directory)).is_some_and(|p| !p.include)
    }
}

impl Pattern {
    fn new(line: &str) -> Self {
        let include = line.starts_with('!');
        let mut rest = line.strip_prefix('!').unwrap_or(line);
        if !rest.ends_with("\\ ") {
            rest = rest.trim_end_matches(' ');
        }
        let directory_only = rest.ends_with('/');
        rest = rest.strip_suffix('/').unwrap_or(rest);
        let anchored = rest.contains('/');
        let part = |text: &str| match text {
            "" if anchored => Part::Empty,
            "**" if anchored => Part::Deep,
            _ if anchored && text.contains("**") => Part::Broken,
            _ => Glob::new(text.as_bytes()).map_or(Part::Malformed, Part::Glob),
        };
        Self { include, directory_only, anchored, parts: rest.split('/').map(part).collect() }
    }

    fn matches(&self, path: &[&[u8]], directory: bool) -> bool {
        if self.anchored { self.matches_from_root(path, directory) } else { self.matches_a_name(path, directory) }
    }

    /// Without `/`: the first component that fits decides, so what lies below a directory goes with it.
    fn matches_a_name(&self, path: &[&[u8]], directory: bool) -> bool {
        let Some(Part::Glob(glob)) = self.parts.first() else { return false };
        match path.iter().position(|name| glob.matches(name)) {
            Some(at) => !(self.directory_only && !directory && at + 1 == path.len()),
            None => false,
        }
    }

    /// With `/`: a prefix of the path that fits is enough.
    fn matches_from_root(&self, mut path: &[&[u8]], directory: bool) -> bool {
        let mut matched = false;
        let mut deep = false;
        for (at, part) in self.parts.iter().enumerate() {
            let glob = match part {
                Part::Empty => {
                    deep = false;
                    continue;
                }
                Part::Deep if at + 1 == self.parts.len() => break,
                Part::Deep => {
                    deep = true;
                    continue;
                }
                Part::Broken | Part::Malformed => return false,
                Part::Glob(glob) => glob,
            };
            let Some((name, mut rest)) = path.split_first() else { return false };
            let mut fits = glob.matches(name);
            if deep {
                deep = false;
                while let (false, Some((name, below))) = (fits, rest.split_first()) {
                    fits = glob.matches(name);
                    rest = below;
                }
            } else if !fits {
                return false;
            }
            matched = fits;
            path = rest;
        }
        matched && !(self.directory_only && !directory && path.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left_out(patterns: &[&str], path: &str) -> bool {
        // A trailing slash in the table says: a directory.
        Ignore::new(patterns).matches(path.trim_end_matches('/').as_bytes(), path.ends_with('/'))
    }

    #[test]
    fn flux_defaults() {
        for (path, expected) in [
            (".git/", true),
            (".git", false), // a submodule's gitlink is a file
            (".git/config", true),
            ("sub/.git", false),
            ("sub/.gitignore", true),
            (".gitmodules", true),
            (".gitattributes", true),
            (".github/", false),
            (".sourceignore", false),
            (".sops.yaml", false),
            ("pic.png", true),
            ("PIC.PNG", false),
            ("a.jpeg", true),
            ("x.tar.gz", true),
            ("x.tgz", false),
            ("y.tar.gz.txt", false),
            ("foo.zip/", true),
            ("foo.zip/inside.yaml", true),
            ("z.gif/k", true),
        ] {
            assert_eq!(Ignore::default().matches(path.trim_end_matches('/').as_bytes(), path.ends_with('/')), expected);
        }
        assert!(!Ignore::new::<&str>([]).matches(b".git/config", false));
    }

    #[test]
    fn go_git_rules() {
        let cases: &[(&[&str], &str, bool)] = &[
            // The last match wins; a path comes back even below what is left out.
            (&["*.txt", "!keep.txt"], "keep.txt", false),
            (&["!keep.txt", "*.txt"], "keep.txt", true),
            (&["dir/", "!b.txt"], "dir/b.txt", false),
            (&["dir/", "!b.txt"], "dir/c.txt", true),
            // Comments, blanks, trailing spaces.
            (&["# a", "", "   "], "# a", false),
            (&[" #a"], " #a", true),
            (&["a  "], "a", true),
            (&["a\\ "], "a ", true),
            (&["a\\ "], "a", false),
            (&["one\ntwo"], "two", true),
            // Anchored at the root.
            (&["/a"], "a", true),
            (&["/a"], "a/b", true),
            (&["/a"], "b/a", false),
            (&["a/b"], "a/b/c", true),
            (&["a/b"], "x/a/b", false),
            (&["a/b/"], "a/b", false),
            (&["a/b/"], "a/b/", true),
            (&["a/b/"], "a/b/c", true),
            (&["/a/"], "a", false),
            // Any depth.
            (&["**/x"], "x", true),
            (&["**/x"], "a/b/x", true),
            (&["**/x"], "a/b/xy", false),
            (&["a/**/z"], "a/z", true),
            (&["a/**/z"], "a/b/c/z", true),
            (&["a/**/z"], "a/b/c", false),
            (&["a/**"], "a/b", true),
            (&["a/**"], "b", false),
            (&["**/x/"], "a/x", false),
            (&["**/x/"], "a/x/y", true),
            (&["a/b**"], "a/bc", false),
            (&["a**b"], "a-b", true),
            // Classes and malformed patterns.
            (&["[ab].md"], "b.md", true),
            (&["[!a].md"], "b.md", false),
            (&["[^a].md"], "b.md", true),
            (&["[a"], "a", false),
            (&["x/[a"], "x/a", false),
            (&["/"], "a", false),
            (&["!"], "a", false),
        ];
        for (patterns, path, expected) in cases {
            assert_eq!(left_out(patterns, path), *expected, "{patterns:?} on {path}");
        }
    }
}
