//! make's functions over texts (GNU make manual, "Functions for Transforming Text"): pure, given their arguments.

use super::expand::{stem, words};
use super::hole::{HOLE, HOLE_TEXT, is_known};

/// How many arguments a function over texts takes; the last one has the commas that are left. `None`: it is none.
pub(super) fn arity(name: &str) -> Option<usize> {
    Some(match name {
        "strip" | "notdir" | "dir" | "suffix" | "basename" | "sort" | "words" | "firstword" | "lastword" => 1,
        "addprefix" | "addsuffix" | "join" | "filter" | "filter-out" | "findstring" | "word" => 2,
        "subst" | "patsubst" | "wordlist" => 3,
        _ => return None,
    })
}

/// What a function makes of its arguments; a hole where what isn't known in them decides.
pub(super) fn text(name: &str, arguments: &[String]) -> String {
    // These go word by word, or letter by letter: what isn't known stays where it is.
    match (name, arguments) {
        ("strip", [text]) => return words(text).join(" "),
        ("notdir", [names]) => return each(names, notdir),
        ("addprefix", [prefix, names]) => return each(names, |name| format!("{}{name}", prefix.trim())),
        ("addsuffix", [suffix, names]) => return each(names, |name| format!("{name}{}", suffix.trim())),
        ("subst", [from, to, text]) if !from.is_empty() => return subst(text, from, to),
        ("patsubst", [from, to, names]) => return patsubst(names, from.trim(), to.trim()),
        _ => {}
    }
    if !arguments.iter().all(|argument| is_known(argument)) {
        return HOLE_TEXT.to_owned();
    }
    match (name, arguments) {
        ("dir", [names]) => each(names, |name| name.rfind('/').map_or("./", |slash| &name[..=slash]).to_owned()),
        ("suffix", [names]) => each(names, |name| extension(name).map_or("", |dot| &name[dot..]).to_owned()),
        ("basename", [names]) => each(names, |name| extension(name).map_or(name, |dot| &name[..dot]).to_owned()),
        ("sort", [list]) => {
            let mut sorted = words(list);
            sorted.sort_unstable();
            sorted.dedup();
            sorted.join(" ")
        }
        ("words", [list]) => words(list).len().to_string(),
        ("firstword", [list]) => words(list).first().copied().unwrap_or_default().to_owned(),
        ("lastword", [list]) => words(list).last().copied().unwrap_or_default().to_owned(),
        ("filter", [patterns, list]) => chosen(patterns, list, true),
        ("filter-out", [patterns, list]) => chosen(patterns, list, false),
        ("findstring", [wanted, text]) => {
            if text.contains(wanted) {
                wanted.clone()
            } else {
                String::new()
            }
        }
        ("word", [number, list]) => between(list, number, number),
        ("wordlist", [from, to, list]) => between(list, from, to),
        ("join", [first, second]) => {
            let (first, second) = (words(first), words(second));
            let both = |at: usize| [first.get(at), second.get(at)].into_iter().flatten().copied().collect::<String>();
            (0..first.len().max(second.len())).map(both).collect::<Vec<_>>().join(" ")
        }
        _ => HOLE_TEXT.to_owned(),
    }
}

fn each(list: &str, change: impl Fn(&str) -> String) -> String {
    let changed = words(list).into_iter().map(change).filter(|word| !word.is_empty());
    changed.collect::<Vec<_>>().join(" ")
}

/// A name without its folders; what isn't known in it may have more of them.
fn notdir(name: &str) -> String {
    let last = name.rsplit('/').next().unwrap_or_default();
    last.rfind(HOLE).map_or(last, |hole| &last[hole..]).to_owned()
}

/// `$(subst FROM,TO,TEXT)`: where what isn't known may be a part of what is replaced, nothing is known.
fn subst(text: &str, from: &str, to: &str) -> String {
    let pieces: Vec<&str> = text.split(HOLE).collect();
    let cuts = || from.char_indices().skip(1).map(|(at, _)| from.split_at(at));
    let straddles = |(at, piece): (usize, &&str)| {
        let (first, last) = (at == 0, at + 1 == pieces.len());
        !last && cuts().any(|(before, _)| piece.ends_with(before))
            || !first && cuts().any(|(_, after)| piece.starts_with(after))
            || !first && !last && !piece.is_empty() && from.len() > piece.len() && from.contains(piece)
    };
    match is_known(from) && !pieces.iter().enumerate().any(straddles) {
        true => text.replace(from, to),
        false => HOLE_TEXT.to_owned(),
    }
}

/// Where the suffix of a name begins, its dot with it.
fn extension(name: &str) -> Option<usize> {
    name.rfind('.').filter(|&dot| !name[dot..].contains('/'))
}

/// The words that a pattern fits, or those that none does.
fn chosen(patterns: &str, list: &str, fitting: bool) -> String {
    let fits = |word: &str, pattern: &str| match pattern.split_once('%') {
        Some((before, after)) => word.strip_prefix(before).is_some_and(|rest| rest.ends_with(after)),
        None => pattern == word,
    };
    let patterns = words(patterns);
    let kept = words(list).into_iter().filter(|word| patterns.iter().any(|p| fits(word, p)) == fitting);
    kept.collect::<Vec<_>>().join(" ")
}

/// The words from one position to another, counted from 1.
fn between(list: &str, from: &str, to: &str) -> String {
    let (Ok(from), Ok(to)) = (from.trim().parse::<usize>(), to.trim().parse::<usize>()) else {
        return HOLE_TEXT.to_owned();
    };
    let Some(before) = from.checked_sub(1) else { return HOLE_TEXT.to_owned() };
    words(list).into_iter().take(to).skip(before).collect::<Vec<_>>().join(" ")
}

/// `$(NAMES:.c=.o)`: words with another end.
pub(super) fn suffixes(list: &str, from: &str, to: &str) -> String {
    changed(list, from, |word| Some(format!("{}{to}", word.strip_suffix(from)?)))
}

/// `$(patsubst FROM,TO,NAMES)`, and `$(NAMES:a%=b%)`.
pub(super) fn patsubst(list: &str, from: &str, to: &str) -> String {
    changed(list, from, |word| Some(to.replacen('%', stem(from, word)?, 1)))
}

/// Words, those changed that a pattern fits. One that isn't known may fit any word, and such a word any pattern.
fn changed(list: &str, pattern: &str, change: impl Fn(&str) -> Option<String>) -> String {
    if !is_known(pattern) {
        return HOLE_TEXT.to_owned();
    }
    each(list, |word| match change(word) {
        None if !is_known(word) => HOLE_TEXT.to_owned(),
        None => word.to_owned(),
        Some(changed) => changed,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_over_texts_are_makes() {
        for (name, arguments, expected) in [
            ("filter", &["%.c a", "a b.c ab c.o"][..], "a b.c"),
            ("filter-out", &["v1", "v1 v2"], "v2"),
            ("filter", &["v1", ""], ""),
            ("findstring", &["b", "abc"], "b"),
            ("findstring", &["x", "abc"], ""),
            ("sort", &["b a b"], "a b"),
            ("words", &["a b"], "2"),
            ("firstword", &["a b"], "a"),
            ("lastword", &["a b"], "b"),
            ("word", &["2", "a b c"], "b"),
            ("word", &["0", "a"], "\u{fffd}"),
            ("wordlist", &["2", "3", "a b c d"], "b c"),
            ("dir", &["a/b c"], "a/ ./"),
            ("notdir", &["a/b c"], "b c"),
            ("suffix", &["a.b/c x.y"], ".y"),
            ("basename", &["a.b/c x.y"], "a.b/c x"),
            ("join", &["a b", ".c"], "a.c b"),
            ("subst", &["image-", "", "image-x"], "x"),
            ("addprefix", &["p", "a\u{fffd} b"], "pa\u{fffd} pb"),
            ("filter", &["a", "a \u{fffd}"], "\u{fffd}"),
            ("subst", &["\u{fffd}-", "", "image-api"], "\u{fffd}"),
            ("subst", &["image-", "", "image-\u{fffd}"], "\u{fffd}"),
            ("subst", &["image-", "", "x-\u{fffd}.tag"], "x-\u{fffd}.tag"),
            ("subst", &["image-", "", "ima\u{fffd}"], "\u{fffd}"),
            ("subst", &["image-", "", "x\u{fffd}e-y"], "\u{fffd}"),
            ("subst", &["image-", "", "\u{fffd}mag\u{fffd}x"], "\u{fffd}"),
            ("patsubst", &["%\u{fffd}", "%", "a b"], "\u{fffd}"),
            ("patsubst", &["image-%", "%", "image-a image-\u{fffd} \u{fffd}"], "a \u{fffd} \u{fffd}"),
            ("notdir", &["a/b a/b\u{fffd}c"], "b \u{fffd}c"),
        ] {
            let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
            assert_eq!(text(name, &arguments), expected, "{name} {arguments:?}");
        }
    }
}
