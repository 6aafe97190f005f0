//! Text from outside, for Markdown as GitHub renders it.

use super::line::clean;

/// Prose on one line: Markdown, HTML, table cells, @mentions and #references lose their force.
/// It must follow a word of our own, so that nothing at its start opens a block. Line breaks
/// become `<br>`.
pub fn prose(text: &str) -> String {
    text.trim().lines().map(|line| escaped(&clean(line))).collect::<Vec<_>>().join("<br>")
}

/// The same, and nothing becomes a link by itself: an author's address, or a reference that would show
/// up on another page.
pub fn unlinked(text: &str) -> String {
    let mut safe = prose(text).replace("://", ":&#8203;//");
    // GitHub doesn't tell capitals apart here; a zero-width space before the sign breaks it.
    for (lead, sign) in [("www", '.'), ("gh", '-')] {
        let lower = safe.to_ascii_lowercase();
        let places: Vec<usize> = lower.match_indices(&format!("{lead}{sign}")).map(|(at, _)| at + lead.len()).collect();
        places.into_iter().rev().for_each(|at| safe.insert_str(at, "&#8203;"));
    }
    safe
}

fn escaped(line: &str) -> String {
    let mut safe = String::with_capacity(line.len());
    for c in line.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            // GitHub finds mentions and references after rendering, so an entity would not do:
            // a zero-width space behind the sign does.
            '@' | '#' => {
                safe.push(c);
                safe.push_str("&#8203;");
            }
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '$' => {
                safe.push('\\');
                safe.push(c);
            }
            _ => safe.push(c),
        }
    }
    safe
}

/// A name or digest in code type, also inside a table cell. Nothing is a mention there.
pub fn code(text: &str) -> String {
    if text.is_empty() {
        return "(empty)".into();
    }
    let line = clean(text);
    // A code span can't hold these everywhere: a cell ends at a bar, a span at a backtick.
    let awkward = line.contains(['`', '|', '\\']) || line.starts_with(' ') || line.ends_with(' ');
    if !awkward {
        return format!("`{line}`");
    }
    let entity = |c: char| if c.is_ascii_punctuation() { format!("&#{};", u32::from(c)) } else { c.to_string() };
    format!("<code>{}</code>", line.chars().map(entity).collect::<String>())
}

/// A link. The text must be ours; an address that could end the link is shown as text.
pub fn link(text: &str, address: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=+%?#&~".contains(c);
    if address.starts_with("https://") && address.chars().all(plain) {
        return format!("[{text}]({address})");
    }
    format!("{text}, {}", code(address))
}

/// Lines to type, in a fence longer than any inside.
pub fn block(lines: &[String]) -> String {
    let text: Vec<String> = lines.iter().flat_map(|text| text.lines()).map(clean).collect();
    let text = text.join("\n");
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}sh\n{text}\n{fence}\n")
}

/// A part that is folded away. The summary and the body must be safe already.
pub fn details(summary: &str, body: &str) -> String {
    format!("<details><summary>{summary}</summary>\n\n{}\n\n</details>\n", body.trim_end())
}

/// A table; cells must be safe already.
pub fn table(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let header: Vec<String> = header.iter().map(|&name| name.to_owned()).collect();
    let rule = format!("|{}\n", "---|".repeat(header.len()));
    std::iter::once(line(&header)).chain([rule]).chain(rows.into_iter().map(|row| line(&row))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_only_text() {
        assert_eq!(prose("a|b `c` *d* _e_\n<script>"), "a\\|b \\`c\\` \\*d\\* \\_e\\_<br>&lt;script&gt;");
        assert_eq!(prose("cc @team, see #12"), "cc @&#8203;team, see #&#8203;12");
        assert_eq!(prose("![x](http://y) &#64;z"), "!\\[x\\](http://y) &amp;#&#8203;64;z");
        assert_eq!(prose("\\|"), "\\\\\\|");
    }

    #[test]
    fn nothing_becomes_a_link_by_itself() {
        let text = unlinked("see https://evil.example/x, wWw.evil.example, GH-12, gH-12, @a, ünï GH-1");
        for link in ["https://", "wWw.", "GH-", "gH-", "@a"] {
            assert!(!text.contains(link), "{link}: {text}");
        }
        assert_eq!(unlinked("packages/a/values.yaml"), "packages/a/values.yaml");
    }

    #[test]
    fn code_holds_anything() {
        assert_eq!(code("ghcr.io/a/b:v1"), "`ghcr.io/a/b:v1`");
        assert_eq!(code("@team <b>"), "`@team <b>`");
        assert_eq!(code("a|b`"), "<code>a&#124;b&#96;</code>");
        assert_eq!(code("a\nb"), "<code>a&#92;nb</code>");
        assert_eq!(code(" "), "<code> </code>");
        assert_eq!(code(""), "(empty)");
    }

    #[test]
    fn a_link_is_one_or_is_text() {
        assert_eq!(link("this run", "https://a.example/x/1"), "[this run](https://a.example/x/1)");
        assert_eq!(link("this run", "javascript:x"), "this run, `javascript:x`");
        assert_eq!(link("this run", "https://a/) @b [c](d"), "this run, `https://a/) @b [c](d`");
    }

    #[test]
    fn a_block_can_not_be_left() {
        assert_eq!(block(&["a\n```\n# x".into()]), "````sh\na\n```\n# x\n````\n");
        assert_eq!(block(&["git push".into()]), "```sh\ngit push\n```\n");
    }
}
