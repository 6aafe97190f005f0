//! Reading: every reference of a tree, with its class.

use super::class::{Class, prevailing};
use super::enumerate::{Enumeration, File, Storage, enumerate, globs, matches};
use super::problem::{Lines, Problem, list};
use super::shapes::{Fault, Found, Shape, Shapes};
use super::text::{Comments, Scanner, parse};
use super::yaml::Yaml;
use super::{Occurrence, Spec, gzip};
use crate::model::Rc;
use crate::tree::{Tree, below};

/// What a tree's files say.
#[derive(Clone, Debug, Default)]
pub struct References {
    /// Pinned by digest, or owned: all that a promotion has to do with.
    pub occurrences: Vec<Occurrence>,
    /// Third-party references with a tag and no digest, as far as their shape shows them.
    pub unpinned: Vec<Occurrence>,
    /// Odd things that cost nothing: a numeric tag, a link, a declared file that isn't there.
    pub notices: Vec<Problem>,
    pub enumeration: Enumeration,
}

/// Why references can't be relied on: every problem of the tree together. What could be read
/// all the same is in `references`.
#[derive(Debug, thiserror::Error)]
#[error("{}", list(.problems))]
pub struct RefsError {
    pub problems: Vec<Problem>,
    pub references: Box<References>,
}

/// Reads every reference of a tree: those pinned by digest, and owned ones in any case.
///
/// With a release candidate the version line is exactly its tags. Without one it is inferred,
/// for display: the version that most owned tags carry.
///
/// Errors: everything [`enumerate()`] refuses; a file that can't be read, isn't UTF-8 or isn't
/// YAML; a malformed repository, tag or digest; a reference spelled with escapes; duplicate
/// keys around a reference; and a tree without any reference. A declared exclusion of the
/// line lifts a malformed one.
pub fn read(tree: &dyn Tree, spec: &Spec, rc: Option<&Rc>) -> Result<References, RefsError> {
    let (reading, problems) = Reading::of(tree, spec);
    let references = reading.references(spec, rc);
    if problems.is_empty() { Ok(references) } else { Err(RefsError { problems, references: Box::new(references) }) }
}

/// A tree's files with references, as read.
#[derive(Default)]
pub(super) struct Reading {
    pub files: Vec<FileReading>,
    pub enumeration: Enumeration,
    pub notices: Vec<Problem>,
    /// Which exclusions lifted a problem.
    pub used: Vec<bool>,
}

/// One file as read.
pub(super) struct FileReading {
    pub file: File,
    /// The file's bytes.
    pub bytes: Vec<u8>,
    /// Of a gzip copy, what is in it.
    pub unpacked: Option<Vec<u8>>,
    pub found: Vec<Found>,
    /// Byte offsets of problems, which the census needn't repeat.
    pub faulty: Vec<usize>,
}

impl FileReading {
    /// What spans point into.
    pub(super) fn content(&self) -> &[u8] {
        self.unpacked.as_deref().unwrap_or(&self.bytes)
    }

    pub(super) fn occurrence(&self, found: &Found, class: Class, lines: &Lines<'_>) -> Occurrence {
        let spans = &found.spans;
        let at = [&spans.tag, &spans.digest, &spans.name].into_iter().flatten().next().map_or(0, |span| span.start);
        let (line, column) = lines.place(at);
        let copy_of = match &self.file.storage {
            Storage::Gzip { copy_of } => Some(copy_of.clone()),
            _ => None,
        };
        Occurrence {
            class,
            file: self.file.path.clone(),
            line,
            column,
            key: found.key.clone(),
            shape: found.shape,
            repository: found.repository.clone(),
            tag: found.tag.clone(),
            digest: found.digest,
            copy_of,
            spans: found.spans.clone(),
            aliased: found.aliased,
        }
    }
}

impl Reading {
    pub(super) fn of(tree: &dyn Tree, spec: &Spec) -> (Self, Vec<Problem>) {
        let mut reading = Self { used: vec![false; spec.exclude.len()], ..Self::default() };
        match enumerate(tree, spec) {
            Ok(enumeration) => reading.enumeration = enumeration,
            Err(problems) => return (reading, problems),
        }
        let mut problems = Vec::new();
        let mut exclusions = Exclusions::new(spec, &mut problems);
        let scanner = Scanner::new(&spec.owned);
        for file in &reading.enumeration.files {
            let bytes = match tree.read(file.path.as_bytes()) {
                Ok(bytes) => bytes,
                Err(error) => {
                    let message = format!("can't be read: {}", error.source);
                    problems.push(Problem::whole(&file.path, message, "make the file readable"));
                    continue;
                }
            };
            let (mut read, faults) = match read_file(file, bytes, &scanner, spec) {
                Ok(read) => read,
                Err(problem) => {
                    problems.push(problem);
                    continue;
                }
            };
            read.faulty = faults.iter().map(|fault| fault.at).collect();
            let lines = Lines::new(read.content());
            for fault in faults {
                if exclusions.find(&file.path, &lines.text(fault.at)).is_some() {
                    continue;
                }
                let (line, column) = lines.place(fault.at);
                let (file, help) = (file.path.clone(), fault.help.to_owned());
                let problem = Problem { file, line, column, message: fault.message, help };
                if fault.notice { reading.notices.push(problem) } else { problems.push(problem) }
            }
            reading.files.push(read);
        }
        reading.used = exclusions.used;
        reading.note(spec);
        let kept = |read: &FileReading| read.found.iter().any(|found| keep(spec, found));
        if problems.is_empty() && !reading.files.iter().any(kept) {
            let files = reading.files.len();
            problems.push(Problem::whole(
                if spec.root().is_empty() { "." } else { spec.root() },
                format!("not one reference was found in {files} files"),
                "check root, globs and owned prefixes in the pipeline",
            ));
        }
        (reading, problems)
    }

    fn note(&mut self, spec: &Spec) {
        self.notices.extend(self.enumeration.skipped.iter().cloned());
        for path in &self.enumeration.missing {
            self.notices.push(Problem::whole(
                path,
                "declared, and not in the tree",
                "take it out of the pipeline if it is gone",
            ));
        }
        for copy in &spec.gzip {
            let find = |path: &str| {
                let path = spec.in_repository(path);
                self.files.iter().find(|read| read.file.path == path)
            };
            if let (Some(packed), Some(plain)) = (find(&copy.path), find(&copy.plain))
                && packed.content() != plain.content()
            {
                let notice = format!("its content is not that of {}", plain.file.path);
                self.notices.push(Problem::whole(&packed.file.path, notice, "make the copy again from its source"));
            }
        }
    }

    pub(super) fn references(self, spec: &Spec, rc: Option<&Rc>) -> References {
        let version = match rc {
            Some(rc) => Some(rc.to_string()),
            None => {
                let all = self.files.iter().flat_map(|read| &read.found);
                let owned = all.filter(|found| found.repository.as_ref().is_some_and(|r| spec.owns(r)));
                prevailing(spec, owned.filter_map(|found| found.tag.as_ref()))
            }
        };
        let mut references = References { notices: self.notices, enumeration: self.enumeration, ..Default::default() };
        for read in &self.files {
            let lines = Lines::new(read.content());
            for found in &read.found {
                let class = Class::of(spec, found.repository.as_ref(), found.tag.as_ref(), version.as_deref());
                let occurrence = read.occurrence(found, class, &lines);
                if keep(spec, found) {
                    references.occurrences.push(occurrence);
                } else if found.repository.is_some() && found.tag.is_some() {
                    references.unpinned.push(occurrence);
                }
            }
        }
        references
    }
}

/// Whether a find is a reference to go by: pinned, or owned with a tag.
pub(super) fn keep(spec: &Spec, found: &Found) -> bool {
    let owned = found.repository.as_ref().is_some_and(|repository| spec.owns(repository));
    found.digest.is_some() || owned && found.tag.is_some()
}

/// Reads one file's bytes.
pub(super) fn read_file(
    file: &File,
    bytes: Vec<u8>,
    scanner: &Scanner,
    spec: &Spec,
) -> Result<(FileReading, Vec<Fault>), Problem> {
    let unpacked = match file.storage {
        Storage::Gzip { .. } => Some(gzip::decompress(&bytes).map_err(|error| {
            Problem::whole(&file.path, format!("can't be decompressed: {error}"), "make the copy again from its source")
        })?),
        _ => None,
    };
    let content = unpacked.as_deref().unwrap_or(&bytes);
    let (found, faults) = match file.storage {
        Storage::Values => values(&file.path, content, scanner, spec)?,
        Storage::TagFile => tag_file(content),
        Storage::Text | Storage::Gzip { .. } => running_text(content, scanner),
    };
    Ok((FileReading { file: file.clone(), bytes, unpacked, found, faulty: Vec::new() }, faults))
}

/// A file's content as text.
pub(super) fn utf8<'a>(path: &str, content: &'a [u8]) -> Result<&'a str, Problem> {
    std::str::from_utf8(content).map_err(|error| {
        let (line, column) = Lines::new(content).place(error.valid_up_to());
        let message = "not UTF-8 from here on".to_owned();
        Problem { file: path.to_owned(), line, column, message, help: "save the file as UTF-8".to_owned() }
    })
}

/// A file's content as YAML.
pub(super) fn yaml(path: &str, text: &str) -> Result<Yaml, Problem> {
    Yaml::parse(text).map_err(|error| {
        let (line, column) = Lines::new(text.as_bytes()).place(error.offset);
        let message = format!("not YAML: {}", error.message);
        let help = "correct it, or declare the file as text if it is a template".to_owned();
        Problem { file: path.to_owned(), line, column, message, help }
    })
}

fn values(path: &str, content: &[u8], scanner: &Scanner, spec: &Spec) -> Result<(Vec<Found>, Vec<Fault>), Problem> {
    let text = utf8(path, content)?;
    let yaml = yaml(path, text)?;
    let shapes = Shapes::read(text, &yaml, scanner, spec);
    Ok((shapes.found, shapes.faults))
}

fn tag_file(content: &[u8]) -> (Vec<Found>, Vec<Fault>) {
    let fault = |at, message: String, help| (Vec::new(), vec![Fault { at, message, help, notice: false }]);
    let Ok(text) = std::str::from_utf8(content) else {
        return fault(0, "not UTF-8".to_owned(), "write one reference and nothing else");
    };
    let (mut lines, mut start) = (Vec::new(), 0);
    for (i, line) in text.split('\n').enumerate() {
        let skipped = line.len() - line.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}').len();
        let trimmed = line[skipped..].trim_end();
        if !trimmed.is_empty() {
            lines.push((i + 1, start + skipped, trimmed));
        }
        start += line.len() + 1;
    }
    match lines.as_slice() {
        [] => fault(0, "the file is empty".to_owned(), "write one reference into it, or remove it"),
        [(number, at, line)] => match parse(line, false) {
            Ok(hit) if hit.tag.is_none() && hit.digest.is_none() => {
                fault(*at, format!("`{line}` has neither tag nor digest"), "pin it")
            }
            Ok(hit) => {
                (vec![Found::from_hit(hit.shift(*at), Shape::File, format!("line {number}"), content)], Vec::new())
            }
            Err(error) => fault(*at, error, "correct the reference"),
        },
        [_, (_, at, _), ..] => fault(*at, "more than one line".to_owned(), "write one reference and nothing else"),
    }
}

fn running_text(content: &[u8], scanner: &Scanner) -> (Vec<Found>, Vec<Fault>) {
    let lines = Lines::new(content);
    let mut comments = Comments::new(content);
    let (mut found, mut faults) = (Vec::new(), Vec::new());
    for hit in scanner.scan(content) {
        let at = match &hit {
            Ok(hit) => hit.word.start,
            Err(bad) => bad.word.start,
        };
        if comments.covers(at) {
            continue;
        }
        match hit {
            Ok(hit) => {
                let key = format!("line {}", lines.place(at).0);
                found.push(Found::from_hit(hit, Shape::Text, key, content));
            }
            Err(bad) => faults.push(Fault {
                at,
                message: bad.message,
                help: "correct the spelling, or exclude the line with a reason",
                notice: false,
            }),
        }
    }
    (found, faults)
}

/// The declared exclusions, and which of them were needed.
pub(super) struct Exclusions<'a> {
    spec: &'a Spec,
    globs: Vec<globset::GlobSet>,
    pub used: Vec<bool>,
}

impl<'a> Exclusions<'a> {
    pub(super) fn new(spec: &'a Spec, problems: &mut Vec<Problem>) -> Self {
        let one = |exclusion: &super::Exclusion| globs(std::slice::from_ref(&exclusion.path), problems);
        Self { spec, globs: spec.exclude.iter().map(one).collect(), used: vec![false; spec.exclude.len()] }
    }

    /// The exclusion that covers a line of a file (its path in the repository).
    pub(super) fn find(&mut self, path: &str, line: &str) -> Option<&'a super::Exclusion> {
        let relative = below(path.as_bytes(), self.spec.root().as_bytes())?;
        let mut found = None;
        for ((exclusion, glob), used) in self.spec.exclude.iter().zip(&self.globs).zip(&mut self.used) {
            let says = exclusion.line.as_ref().is_none_or(|text| line.contains(text.as_str()));
            if says && matches(glob, relative) {
                *used = true;
                found = found.or(Some(exclusion));
            }
        }
        found
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::{Pair, Spec};

    pub(in super::super) fn spec() -> Spec {
        Spec {
            root: "packages".into(),
            owned: vec!["ghcr.io/org/own".parse().unwrap()],
            artifact: "ghcr.io/org/own/own-packages".parse().unwrap(),
            pair: Pair { url: "sourceUrl".into(), reference: "sourceRef".into() },
            tag_prefixes: vec!["v1.30-".into(), "edge".into()],
            values: vec!["*/*/values.yaml".into()],
            tag_files: vec!["*/*/images/*.tag".into()],
            text: Vec::new(),
            gzip: Vec::new(),
            exclude: Vec::new(),
        }
    }
}
