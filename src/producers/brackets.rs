//! A yq expression's text, taken apart where no quotes and no brackets are open.

/// Takes an assignment apart at its operator: `=`, `|=`, `+=` and so on, not `==` or `!=`.
pub(super) fn assignment(text: &str) -> Option<(&str, &str)> {
    let bytes = text.as_bytes();
    let at = *outside(text, |at| {
        bytes[at] == b'='
            && bytes.get(at + 1) != Some(&b'=')
            && !matches!(at.checked_sub(1).map(|before| bytes[before]), Some(b'=' | b'!' | b'<' | b'>'))
    })
    .first()?;
    let left = &text[..at];
    // `*n=`, `*+=`: flags of a merge stand between its sign and the `=`.
    let merge = left.trim_end_matches(['+', '?', 'n', 'd', 'c']);
    let left = if merge.ends_with('*') { merge } else { left };
    let left = left.trim_end_matches(['|', '+', '-', '*', '/', '%']);
    Some((left, &text[at + 1..]))
}

/// Splits at a byte outside quotes and brackets. `|` is not taken for a part of `|=`.
pub(super) fn split_at(text: &str, byte: u8) -> Vec<&str> {
    let bytes = text.as_bytes();
    let cuts = outside(text, |at| bytes[at] == byte && !(byte == b'|' && bytes.get(at + 1) == Some(&b'=')));
    let mut parts = Vec::with_capacity(cuts.len() + 1);
    let mut start = 0;
    for cut in cuts {
        parts.push(&text[start..cut]);
        start = cut + 1;
    }
    parts.push(&text[start..]);
    parts
}

/// The places outside quotes and brackets that fit.
fn outside(text: &str, fits: impl Fn(usize) -> bool) -> Vec<usize> {
    let (mut found, mut depth, mut quoted, mut escaped) = (Vec::new(), 0_i64, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            _ if depth == 0 && fits(at) => found.push(at),
            _ => {}
        }
    }
    found
}

/// Where the bracket that a text begins with is closed.
pub(super) fn closing(text: &str) -> Option<usize> {
    let (mut depth, mut quoted) = (0_i64, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}
