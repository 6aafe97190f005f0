//! Programs that read, but for the one file that an option or an operand tells them to write.

use super::command::Command;
use super::stamp::{Effect, whole};

/// A program, and what the file stands behind: as the word before it, and as the beginning of its own.
const PROGRAMS: [(&str, &[&str], &[&str]); 5] = [
    ("dd", &[], &["of="]),
    ("openssl", &["-out"], &[]),
    ("skopeo", &["--digestfile"], &["--digestfile="]),
    ("sort", &["--output"], &["--output="]),
    ("uniq", &[], &[]),
];

/// The files that such a program writes; `None`: it is none of these.
pub(super) fn outputs(command: &Command, name: &str, arguments: &[String]) -> Option<Vec<Effect>> {
    let (by, apart, joined) = *PROGRAMS.iter().find(|(program, ..)| *program == name)?;
    let mut files: Vec<&str> = Vec::new();
    for (word, next) in arguments.iter().zip(arguments.iter().skip(1).map(Some).chain([None])) {
        let next = next.map(String::as_str);
        files.extend(joined.iter().find_map(|option| word.strip_prefix(option)));
        files.extend(next.filter(|_| apart.contains(&word.as_str())));
        if by == "sort" {
            files.extend(behind_o(word).and_then(|file| if file.is_empty() { next } else { Some(file) }));
        }
    }
    if by == "uniq" {
        files.extend(arguments.iter().filter(|word| !word.starts_with('-')).nth(1).map(String::as_str));
    }
    Some(files.into_iter().filter_map(|file| whole(command, file, by)).collect())
}

/// What stands behind the `o` in sort's letters, as in `-uo`. Behind those that have a value it is no option.
fn behind_o(word: &str) -> Option<&str> {
    word.strip_prefix('-')?.trim_start_matches(|c: char| "bcCdfghimMnrRsuVz".contains(c)).strip_prefix('o')
}
