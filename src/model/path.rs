//! Paths inside trees: bytes, and their one order.

/// A path inside a tree: bytes, `/` between components, relative, without `.` or `..`.
pub type TreePath = Vec<u8>;

/// The order of a tree's entries: component by component, by bytes.
pub fn order(a: &[u8], b: &[u8]) -> std::cmp::Ordering {
    a.split(|&c| c == b'/').cmp(b.split(|&c| c == b'/'))
}

/// A path for people: as it is where it is plain UTF-8, escaped where it isn't.
pub fn show(path: &[u8]) -> String {
    match std::str::from_utf8(path) {
        Ok(text) if !text.chars().any(char::is_control) => text.to_owned(),
        _ => path.escape_ascii().to_string(),
    }
}
