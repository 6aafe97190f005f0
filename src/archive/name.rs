//! Names that an archive may hold: the ones every reader takes for the same place.

/// Longer paths can't be opened on Linux.
const LONGEST: usize = 4095;

/// What is wrong with an entry's name; `None` for a clean relative path. Flux refuses to pull a
/// backslash and a folder whose name ends in `..`, though it pushes both.
pub(super) fn refusal(path: &[u8]) -> Option<&'static str> {
    let components = || path.split(|&b| b == b'/');
    if path.is_empty() {
        Some("an empty name")
    } else if path.len() > LONGEST {
        Some("a path longer than 4095 bytes")
    } else if path.contains(&0) {
        Some("a name with a NUL in it")
    } else if path.starts_with(b"/") {
        Some("an absolute path")
    } else if components().any(|c| c == b"..") {
        Some("a path that climbs out with `..`")
    } else if components().any(|c| c == b"." || c.is_empty()) {
        Some("a path with an empty or `.` component")
    } else if path.contains(&b'\\') {
        Some("a name with a backslash")
    } else if path.windows(3).any(|w| w == b"../") {
        Some("a folder whose name ends in `..`")
    } else {
        None
    }
}
