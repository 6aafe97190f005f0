//! Texts that are held in `fixtures`; `SEALIFT_BLESS=1` writes them anew.

use std::path::Path;

/// Compares with a golden file and shows where they part.
#[track_caller]
pub fn golden(folder: &str, name: &str, actual: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(folder).join(name);
    if std::env::var_os("SEALIFT_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&path, actual).unwrap();
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    if expected == actual {
        return;
    }
    let (expected, actual): (Vec<&str>, Vec<&str>) = (expected.split('\n').collect(), actual.split('\n').collect());
    let same = expected.iter().zip(&actual).take_while(|(a, b)| a == b).count();
    let tail = expected[same..].iter().rev().zip(actual[same..].iter().rev()).take_while(|(a, b)| a == b).count();
    let show = |sign: &str, lines: &[&str]| -> String {
        lines[same..lines.len() - tail].iter().map(|line| format!("{sign} {line}\n")).collect()
    };
    panic!(
        "fixtures/{folder}/{name} differs from line {} on (SEALIFT_BLESS=1 writes it anew):\n{}{}",
        same + 1,
        show("-", &expected),
        show("+", &actual)
    );
}
