//! What reading can't know, inside a text: one character that no file can smuggle in as a fact.

/// Stands for text that only a run would know: a command's output, a variable from the environment, bytes
/// that are no UTF-8 (which become this very character). Whatever holds it is a guess, never a fact.
pub(super) const HOLE: char = char::REPLACEMENT_CHARACTER;

/// [`HOLE`] as a text.
pub(super) const HOLE_TEXT: &str = "\u{fffd}";

/// Whether a text is known to its last character.
pub(super) fn is_known(text: &str) -> bool {
    !text.contains(HOLE)
}

/// A text for people: a hole reads `…`.
pub(super) fn shown(text: &str) -> String {
    text.replace(HOLE, "…")
}

/// What is common to values of which one holds, and a hole for the rest.
pub(super) fn merge(values: &[String]) -> String {
    let Some((first, rest)) = values.split_first() else { return HOLE.to_string() };
    let mut common = first.as_str();
    for value in rest {
        let same = common.char_indices().zip(value.chars()).find(|((_, a), b)| a != b).map(|((at, _), _)| at);
        common = &common[..same.unwrap_or(common.len().min(value.len()))];
    }
    match values.iter().all(|value| value == first) {
        true => first.clone(),
        false => format!("{common}{HOLE}"),
    }
}

/// A path in the repository, from a directory in it. `None` where it leads out, or is absolute.
pub(super) fn join(directory: &str, path: &str) -> Option<String> {
    if path.starts_with(['/', '~']) {
        return None;
    }
    // What begins with a hole may begin anywhere.
    let directory = if path.starts_with(HOLE) { "" } else { directory };
    let mut parts: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => match parts.pop() {
                // What a hole stands for may be more than one component.
                Some(last) if !is_known(last) => return Some(HOLE.to_string()),
                Some(_) => {}
                None => return None,
            },
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Whether a pattern stands for a text: a hole for anything, and with `globs` a `*` or `?` for what is in one component.
pub(super) fn matches(pattern: &str, text: &str, globs: bool) -> bool {
    // All the places in the pattern where a match of the text so far may stand: no way back, so no explosion.
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let mut states = vec![false; pattern.len() + 1];
    states[0] = true;
    let star = |c: char| c == HOLE || globs && c == '*';
    let close = |states: &mut Vec<bool>| {
        for at in 0..pattern.len() {
            if states[at] && star(pattern[at]) {
                states[at + 1] = true;
            }
        }
    };
    close(&mut states);
    for c in text {
        let mut next = vec![false; pattern.len() + 1];
        for at in (0..pattern.len()).filter(|&at| states[at]) {
            match pattern[at] {
                HOLE => next[at] = true,
                '*' if globs => next[at] |= c != '/',
                '?' if globs => next[at + 1] |= c != '/',
                literal => next[at + 1] |= literal == c,
            }
        }
        close(&mut next);
        states = next;
    }
    states[pattern.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_in_the_repository() {
        let join = |directory: &str, path: &str| join(directory, path);
        assert_eq!(join("packages/a/b", "../../c/./values.yaml").as_deref(), Some("packages/c/values.yaml"));
        assert_eq!(join("", "x").as_deref(), Some("x"));
        assert_eq!(join("a", "../.."), None);
        assert_eq!(join("a", "/etc/passwd"), None);
        assert_eq!(join("a", "\u{fffd}/../x").as_deref(), Some("\u{fffd}"));
    }

    #[test]
    fn a_hole_stands_for_anything_and_a_star_for_a_name() {
        for (pattern, text, expected) in [
            ("images/a-\u{fffd}.tag", "images/a-1.30.tag", true),
            ("images/a-\u{fffd}.tag", "images/b-1.30.tag", false),
            ("\u{fffd}/x", "a/b/x", true),
            ("*/x", "a/b/x", false),
            ("a/*.yaml", "a/b.yaml", true),
            ("a/?.yaml", "a/b.yaml", true),
            ("\u{fffd}*\u{fffd}", "a/b/c", true),
            ("a", "a", true),
            ("a", "ab", false),
        ] {
            assert_eq!(matches(pattern, text, true), expected, "{pattern} {text}");
        }
        assert!(!matches("a*", "ab", false) && matches("a*", "a*", false));
    }

    #[test]
    fn one_of_several_values_is_known_as_far_as_they_agree() {
        let of = |values: &[&str]| merge(&values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>());
        assert_eq!(of(&["sed -i", "sed -i ''"]), "sed -i\u{fffd}");
        assert_eq!(of(&["same", "same"]), "same");
        assert_eq!(of(&["é", "è"]), "\u{fffd}");
        assert_eq!(of(&[]), "\u{fffd}");
    }
}
