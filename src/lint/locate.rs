//! From bytes to places that people can go to: line, column, excerpt, fingerprint.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use super::finding::{Excerpt, Finding, Level, Place, Related};
use super::rule::{At, Rule, Spot, Unplaced};
use super::subject::Subject;
use crate::model::{Digest, Lines};
use crate::tree::Tree as _;

/// Characters of an excerpt on either side of what is marked, and of what is marked.
const AROUND: usize = 80;
const MARKED: usize = 160;
/// Characters of a message.
const MESSAGE: usize = 400;

/// The findings of a rule, with their places.
pub fn all(subject: &Subject<'_>, rule: &'static Rule, found: &[Unplaced]) -> Vec<Finding> {
    let spots =
        found.iter().flat_map(|found| std::iter::once(&found.spot).chain(found.related.iter().map(|(spot, _)| spot)));
    let places = places(subject, spots);
    let locate = |spot: &Spot| places.get(spot).cloned().unwrap_or_else(|| whole(&spot.file));
    let finding = |found: &Unplaced| {
        let place = locate(&found.spot);
        let related = found.related.iter();
        let level = found.level.unwrap_or(rule.level);
        Finding {
            rule: rule.id,
            level,
            fingerprint: fingerprint((rule.id, level), &place, found),
            related: related.map(|(spot, said)| Related { place: locate(spot), message: cut(said) }).collect(),
            place,
            message: cut(&found.message),
            hint: found.hint.as_deref().map_or_else(|| rule.hint.to_owned(), cut),
        }
    };
    found.iter().map(finding).collect()
}

/// Places of spots, file by file, so that the lines of each are counted once.
fn places<'s>(subject: &Subject<'_>, spots: impl Iterator<Item = &'s Spot>) -> BTreeMap<&'s Spot, Place> {
    let mut by_file: BTreeMap<&str, Vec<&Spot>> = BTreeMap::new();
    for spot in spots {
        by_file.entry(&spot.file).or_default().push(spot);
    }
    let mut places = BTreeMap::new();
    for (file, mut spots) in by_file {
        spots.sort_unstable();
        spots.dedup();
        let content = subject.content(file).map(Cow::Borrowed);
        // A rule may point into a file that holds no reference.
        let content = content.or_else(|| subject.tree.read(file.as_bytes()).ok().map(Cow::Owned));
        let Some(content) = content.filter(|_| spots.iter().any(|spot| spot.at != At::File)) else { continue };
        let lines = Lines::new(&content);
        for spot in spots {
            let span = match spot.at {
                At::File => continue,
                At::Word(at) => at..at + word(content.get(at..).unwrap_or_default()),
                At::Span(start, end) => start..end,
                At::Point(line, column) => match lines.offset(line, column) {
                    Some(at) => at..at + word(content.get(at..).unwrap_or_default()),
                    None => continue,
                },
            };
            places.insert(spot, at(file, &content, &lines, span));
        }
    }
    places
}

fn whole(file: &str) -> Place {
    Place { file: file.to_owned(), line: 0, column: 0, end_column: 0, span: None, excerpt: None }
}

fn at(file: &str, content: &[u8], lines: &Lines<'_>, span: Range<usize>) -> Place {
    let (line, column) = lines.place(span.start);
    let (start, _) = lines.line(span.start);
    // No more is looked at than is shown: a line may be the whole of a large file.
    let window = (span.end.max(span.start) + AROUND * 4 + 8).min(content.len());
    let newline = memchr::memchr(b'\n', content.get(span.start..window).unwrap_or_default());
    let end = newline.map_or(window, |n| span.start + n);
    // What goes on beyond its line is marked up to the line's end.
    let marked = span.start..span.end.clamp(span.start, end);
    let text = |range: Range<usize>| content.get(range).unwrap_or_default();
    let length = String::from_utf8_lossy(text(marked.clone())).chars().count();
    let excerpt = Excerpt {
        before: last(text(start..marked.start)),
        marked: first(text(marked.clone()), MARKED),
        after: first(text(marked.end..end), AROUND),
    };
    Place { file: file.to_owned(), line, column, end_column: column + length, span: Some(span), excerpt: Some(excerpt) }
}

/// A message may quote what is as long as its file.
fn cut(message: &str) -> String {
    first(message.as_bytes(), MESSAGE)
}

/// The beginning of a text, cut to a number of characters. No more bytes are looked at than that takes.
fn first(bytes: &[u8], characters: usize) -> String {
    let head = bytes.get(..characters * 4 + 4).unwrap_or(bytes);
    let text = String::from_utf8_lossy(head);
    let text = text.trim_end_matches('\r');
    match text.char_indices().nth(characters) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text.to_owned(),
    }
}

/// The end of a text, cut alike.
fn last(bytes: &[u8]) -> String {
    let tail = &bytes[bytes.len().saturating_sub(AROUND * 4 + 4)..];
    let text = String::from_utf8_lossy(tail);
    let text = text.trim_start_matches('\u{feff}');
    match text.char_indices().rev().nth(AROUND - 1) {
        Some((cut, _)) if cut > 0 => format!("…{}", &text[cut..]),
        _ => text.to_owned(),
    }
}

/// How long the word at the beginning of the bytes is: of the characters that references are made of, one at least.
fn word(bytes: &[u8]) -> usize {
    let inside = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'/' | b':' | b'@');
    bytes.iter().take_while(|byte| inside(byte)).count().max(1).min(bytes.len())
}

/// What knows a finding again: the rule and how much it weighs, the file, the words of the line, and what it is
/// about, some of which may stand on other lines. A finding without a line is known by its message.
fn fingerprint((rule, level): (&str, Level), place: &Place, found: &Unplaced) -> Digest {
    let words = match &place.excerpt {
        Some(Excerpt { before, marked, after }) => format!("{}\0{marked}\0{}", before.trim_start(), after.trim_end()),
        None => found.message.clone(),
    };
    let mut parts = vec![rule, level.name(), &place.file, &words];
    parts.extend(found.about.iter().map(String::as_str));
    Digest::of(parts.join("\0").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_counted_in_characters_and_cut_at_its_line() {
        let text = "ä: \"ö:latest\"  # c\r\nnext\n".as_bytes();
        let tag = text.windows(6).position(|six| six == b"latest").unwrap();
        let found = at("f", text, &Lines::new(text), tag..tag + 6);
        assert_eq!((found.line, found.column, found.end_column), (1, 7, 13));
        let excerpt = found.excerpt.unwrap();
        assert_eq!((excerpt.before.as_str(), excerpt.marked.as_str()), ("ä: \"ö:", "latest"));
        assert_eq!(excerpt.after, "\"  # c");
        let beyond = at("f", text, &Lines::new(text), tag..text.len());
        assert_eq!(beyond.excerpt.unwrap().marked, "latest\"  # c");
    }

    #[test]
    fn excerpts_are_cut_on_both_sides() {
        let text = format!("{}MARK{}", "ä".repeat(10_000), "z".repeat(10_000)).into_bytes();
        let at_mark = 20_000;
        let found = at("f", &text, &Lines::new(&text), at_mark..at_mark + 4);
        let excerpt = found.excerpt.unwrap();
        assert_eq!(excerpt.before, format!("…{}", "ä".repeat(AROUND)));
        assert_eq!((excerpt.marked.as_str(), excerpt.after), ("MARK", format!("{}…", "z".repeat(AROUND))));
    }

    #[test]
    fn a_finding_is_known_again_where_its_line_moved() {
        let print = |text: &str, file: &str| {
            let start = text.find("latest").unwrap();
            let place = at(file, text.as_bytes(), &Lines::new(text.as_bytes()), start..start + 6);
            fingerprint(("r", Level::Error), &place, &Unplaced::at(Spot::file(file), "m"))
        };
        let one = print("a: x:latest\n", "f");
        assert_eq!(one, print("# more\n  a: x:latest  \n", "f"));
        assert_ne!(one, print("b: x:latest\n", "f"));
        assert_ne!(one, print("a: x:latest\n", "g"));
        let whole = whole("f");
        let found = |message: &str, about: &str| Unplaced::at(Spot::file("f"), message).about([about.to_owned()]);
        let print = |rule, level, message, about| fingerprint((rule, level), &whole, &found(message, about));
        let one = print("r", Level::Error, "m", "x");
        for other in [
            print("s", Level::Error, "m", "x"),
            print("r", Level::Warning, "m", "x"),
            print("r", Level::Error, "n", "x"),
            print("r", Level::Error, "m", "y"),
        ] {
            assert_ne!(one, other);
        }
    }

    #[test]
    fn a_word_is_what_references_are_made_of() {
        for (text, length) in [("sha256:00, x", 9), ("a/B:1\"", 5), ("{", 1), ("", 0)] {
            assert_eq!(word(text.as_bytes()), length, "{text}");
        }
    }
}
