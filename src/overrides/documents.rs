//! A stream of manifests cut between its documents, so that only one of them is held as YAML.
//!
//! `---` and `...` at the beginning of a line end a document wherever they stand, in a scalar too (YAML
//! 1.2, 9.1.2 and `c-forbidden`). Where a piece holds more than one document all the same, such
//! as after a byte order mark, nothing is lost but memory.

use std::ops::Range;

/// The pieces in order: together they are the text.
pub(super) fn documents(text: &str) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let (mut start, mut at, mut content) = (0, 0, false);
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        let line = if at == 0 { line.trim_start_matches('\u{feff}') } else { line };
        if is_marker(line, "---") {
            // Directives and comments before it are this document's.
            if content {
                pieces.push(start..at);
                start = at;
            }
            content = true;
        } else if is_marker(line, "...") {
            pieces.push(start..end);
            (start, content) = (end, false);
        } else if !content {
            let blank = line.trim();
            content = !blank.is_empty() && !blank.starts_with('#') && !line.starts_with('%');
        }
        at = end;
    }
    if start < text.len() {
        pieces.push(start..text.len());
    }
    pieces
}

fn is_marker(line: &str, marker: &str) -> bool {
    line.strip_prefix(marker).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n']))
}

/// What has to stand before a text for it to follow another in a stream as documents of its own. It
/// stands on a line of its own.
pub fn separator(text: &str) -> &'static str {
    let first = text.lines().find(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
    match first {
        None => "",
        Some(line) if is_marker(line, "---") => "",
        // Directives belong to the document after them only where the one before is closed.
        Some(line) if line.starts_with('%') => "...\n",
        Some(_) => "---\n",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::Yaml;

    #[test]
    fn every_piece_is_one_document_and_together_they_are_the_text() {
        let text = concat!(
            "\u{feff}# c\n%YAML 1.2\n---\na: |\n  ---\n  x\n--- # two\r\nb: '\n  ---x'\r\n---\n---\t[c]\n...\n",
            "# between\n%TAG !e! tag:e,2000:\n--- !e!x\nd: ---e\n---\n--- [a,\n b]\n...  \n# end\n",
        );
        let pieces = documents(text);
        assert_eq!(pieces.iter().map(|piece| &text[piece.clone()]).collect::<String>(), text);
        let held: Vec<usize> =
            pieces.iter().map(|piece| Yaml::parse(&text[piece.clone()]).unwrap().documents.len()).collect();
        assert_eq!(held, [1, 1, 1, 1, 1, 1, 1, 0]);
        assert_eq!(held.iter().sum::<usize>(), Yaml::parse(text).unwrap().documents.len());
        assert!(documents("").is_empty());
    }

    #[test]
    fn a_longer_stream_has_more_pieces_and_no_larger_ones() {
        let largest = |documents: usize| {
            let text = "---\na: |\n  --- \n  b\n".repeat(documents);
            let pieces = super::documents(&text);
            assert_eq!(pieces.len(), documents);
            pieces.iter().map(ExactSizeIterator::len).max()
        };
        assert_eq!(largest(100_000), largest(10));
    }

    #[test]
    fn says_what_joins_two_texts_to_a_stream() {
        for (text, expected, documents) in [
            ("---\nb: 1", "", 2),
            ("# c\n\n--- b", "", 2),
            ("", "", 1),
            (" \n# c\n", "", 1),
            ("b: 1", "---\n", 2),
            ("----", "---\n", 2),
            ("%YAML 1.2\n---\nb", "...\n", 2),
        ] {
            assert_eq!(separator(text), expected, "{text}");
            let stream = format!("a: 1\n{expected}{text}");
            assert_eq!(Yaml::parse(&stream).unwrap().documents.len(), documents, "{stream}");
        }
    }
}
