//! The storage kinds: how one file's bytes are read for references.

use super::comments::Comments;
use super::enumerate::{File, Storage};
use super::file::{FileReading, Told};
use super::problem::{Lines, Problem, ProblemKind};
use super::shapes::{FIX_SPELLING, Fault, Found, Shape, Shapes};
use super::text::{Scanner, parse};
use super::{Spec, gzip, untagged};
use crate::yaml::Yaml;

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
    let (found, untagged, faults) = match file.storage {
        Storage::Values => values(&file.path, content, scanner, spec)?,
        Storage::TagFile => {
            let (found, faults) = tag_file(content);
            (found, Vec::new(), faults)
        }
        Storage::Text | Storage::Gzip { .. } => {
            let (found, faults) = running_text(content, scanner);
            (found, untagged::in_text(content, scanner, spec), faults)
        }
    };
    Ok((FileReading { file: file.clone(), bytes, unpacked, found, untagged, told: Told::default() }, faults))
}

/// A file's content as text.
pub(super) fn utf8<'a>(path: &str, content: &'a [u8]) -> Result<&'a str, Problem> {
    std::str::from_utf8(content).map_err(|error| {
        let place = (&Lines::new(content), error.valid_up_to());
        Problem::at(ProblemKind::Unreadable, path, place, "not UTF-8 from here on", "save the file as UTF-8")
    })
}

/// A file's content as YAML.
pub(super) fn yaml(path: &str, text: &str) -> Result<Yaml, Problem> {
    Yaml::parse(text).map_err(|error| {
        let place = (&Lines::new(text.as_bytes()), error.span.start);
        let (message, help) = match error.too_many {
            true => (error.message, "divide the file, or declare it as text"),
            false => {
                (format!("not YAML: {}", error.message), "correct it, or declare the file as text if it is a template")
            }
        };
        Problem::at(ProblemKind::Unreadable, path, place, message, help)
    })
}

type Read = (Vec<Found>, Vec<Found>, Vec<Fault>);

fn values(path: &str, content: &[u8], scanner: &Scanner, spec: &Spec) -> Result<Read, Problem> {
    let text = utf8(path, content)?;
    let yaml = yaml(path, text)?;
    let shapes = Shapes::read(text, &yaml, scanner, spec);
    Ok((shapes.found, shapes.untagged, shapes.faults))
}

fn tag_file(content: &[u8]) -> (Vec<Found>, Vec<Fault>) {
    let alone = "write one reference and nothing else";
    let Ok(text) = std::str::from_utf8(content) else {
        let message = "not UTF-8".to_owned();
        let fault = Fault { kind: ProblemKind::Unreadable, at: 0, about: Vec::new(), message, help: alone };
        return (Vec::new(), vec![fault]);
    };
    let fault = |at: usize, length: usize, message, help| {
        let line = at..at + length;
        let (kind, about) = (ProblemKind::Malformed, vec![line]);
        (Vec::new(), vec![Fault { kind, at, about, message, help }])
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
        [] => fault(0, 0, "the file is empty".to_owned(), "write one reference into it, or remove it"),
        [(number, at, line)] => match parse(line, false) {
            Ok(hit) if hit.tag.is_none() && hit.digest.is_none() => {
                fault(*at, line.len(), format!("`{line}` has neither tag nor digest"), "pin it")
            }
            Ok(hit) => {
                (vec![Found::from_hit(hit.shift(*at), Shape::File, format!("line {number}"), content)], Vec::new())
            }
            Err(error) => fault(*at, line.len(), error, "correct the reference"),
        },
        [_, (_, at, line), ..] => fault(*at, line.len(), "more than one line".to_owned(), alone),
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
            Err(bad) => {
                let (kind, about) = (ProblemKind::Malformed, vec![bad.word]);
                faults.push(Fault { kind, at, about, message: bad.message, help: FIX_SPELLING })
            }
        }
    }
    (found, faults)
}
