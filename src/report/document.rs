//! A Markdown document that fits where it goes: lists lose rows before anything else is lost, and
//! what is lost is said.

use crate::model::markdown::details;

/// A long list has more rows than this.
const MANY: usize = 10;

/// A part of a document, in its order.
pub enum Part {
    /// What every reader needs; it goes last.
    Essential(String),
    /// What is left out when there is no room for it.
    Text(String),
    List(List),
}

/// Rows under a head. Title, head and rows must be safe already.
#[derive(Default)]
pub struct List {
    /// What it is, with its count; before the rows, and on the fold.
    pub title: String,
    /// The head of a table; nothing for lines.
    pub head: String,
    /// Each with its line end.
    pub rows: Vec<String>,
    /// Whether it keeps its rows longer than other lists.
    pub first: bool,
    pub fold: Fold,
}

/// Whether a list is folded away.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum Fold {
    Never,
    #[default]
    Long,
    Always,
}

/// How many rows the lists may have: those that come first, and the others.
#[derive(Clone, Copy)]
struct Room {
    first: usize,
    others: usize,
}

/// The document in at most `limit` bytes. `more` is where the whole of it is, as Markdown.
pub fn fit(parts: &[Part], limit: usize, more: Option<&str>) -> String {
    let longest = parts.iter().map(Part::rows).max().unwrap_or_default();
    let fits = |room: Room| {
        let text = written(parts, Some(room), more);
        (text.len() <= limit).then_some(text)
    };
    let all = Room { first: longest, others: longest };
    if let Some(text) = fits(all) {
        return text;
    }
    let others = most(longest, |others| fits(Room { others, ..all }));
    let text = others.or_else(|| most(longest, |first| fits(Room { first, others: 0 })));
    let mut text = text.unwrap_or_else(|| written(parts, None, more));
    let end = text.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|&end| end <= limit).last();
    text.truncate(end.unwrap_or_default());
    text
}

/// What the greatest number gives that gives anything, by halving.
fn most(longest: usize, fits: impl Fn(usize) -> Option<String>) -> Option<String> {
    let mut best = fits(0)?;
    let (mut low, mut high) = (0, longest);
    while low + 1 < high {
        let middle = low.midpoint(high);
        match fits(middle) {
            Some(text) => (best, low) = (text, middle),
            None => high = middle,
        }
    }
    Some(best)
}

/// `None`: there is room for what is essential alone.
fn written(parts: &[Part], room: Option<Room>, more: Option<&str>) -> String {
    let mut texts = Vec::new();
    let mut said = false;
    for part in parts {
        match (part, room) {
            (Part::Essential(text), _) | (Part::Text(text), Some(_)) => texts.push(text.clone()),
            (Part::List(list), Some(room)) => texts.push(list.written(room, more)),
            (Part::Text(_) | Part::List(_), None) if !said => {
                said = true;
                texts.push(format!("The rest is left out: it is too long for this place.{}\n", elsewhere(more)));
            }
            (Part::Text(_) | Part::List(_), None) => {}
        }
    }
    texts.retain(|text| !text.is_empty());
    texts.join("\n")
}

impl Part {
    fn rows(&self) -> usize {
        match self {
            Self::Essential(_) | Self::Text(_) => 0,
            Self::List(list) => list.rows.len(),
        }
    }
}

impl List {
    fn written(&self, room: Room, more: Option<&str>) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        let shown = self.rows.len().min(if self.first { room.first } else { room.others });
        let head = if shown == 0 { "" } else { &self.head };
        let mut body = format!("{head}{}", self.rows[..shown].concat());
        let left = self.rows.len() - shown;
        if left > 0 {
            let gap = if shown == 0 { "" } else { "\n" };
            body.push_str(&format!("{gap}… and {left} more, too long for this place.{}\n", elsewhere(more)));
        }
        let folded = self.fold == Fold::Always || (self.fold == Fold::Long && self.rows.len() > MANY);
        if folded { details(&self.title, &body) } else { format!("### {}\n\n{body}", self.title) }
    }
}

fn elsewhere(more: Option<&str>) -> String {
    more.map(|more| format!(" The whole is {more}.")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(rows: usize, first: bool) -> Part {
        let name = if first { "fault" } else { "row" };
        let rows = (0..rows).map(|n| format!("- {name} {n}\n")).collect();
        Part::List(List { title: "Rows".into(), rows, first, ..List::default() })
    }

    fn parts() -> Vec<Part> {
        vec![
            Part::Essential("## Head\n".into()),
            list(40, true),
            Part::Text("text\n".into()),
            list(4000, false),
            Part::Essential("end\n".into()),
        ]
    }

    #[test]
    fn rows_go_before_words_and_the_first_lists_last() {
        let whole = fit(&parts(), usize::MAX, None);
        assert!(whole.contains("row 3999") && whole.contains("<details>"), "{whole}");
        for limit in [40_000, 2_000, 1_000, 400, 120] {
            let text = fit(&parts(), limit, Some("[there](https://example.org)"));
            assert!(text.len() <= limit && text.ends_with("end\n"), "{limit}: {text}");
            assert!(text.contains("The whole is [there](https://example.org)"), "{limit}: {text}");
            assert_eq!(text.contains("fault 39\n"), limit >= 1_000, "{limit}: {text}");
        }
        assert!(fit(&parts(), 2_000, None).contains("… and 3"), "as many as there is room for");
        assert_eq!(fit(&parts(), 6, None), "## Hea");
    }
}
