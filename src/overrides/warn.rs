//! What a valid table says and can hardly mean.

use super::check::Checker;
use super::entry::{FIELDS, Written};
use super::image::split;
use super::problem::{Rule, shown};
use crate::model::{Repository, Tag};

/// Adds the warnings to the problems of a checker that found none.
pub(super) fn warn(checker: &mut Checker<'_>, entries: &[Written], steps: &[Option<usize>]) {
    for (index, entry) in entries.iter().enumerate() {
        name(checker, index, entry);
        new_name(checker, index, entry);
        if let Some(next) = steps.get(index).copied().flatten() {
            cascades(checker, entries, (index, next));
        }
        new_tag(checker, index, entry);
        for (at, field) in FIELDS.iter().enumerate().skip(1) {
            if let Some(empty) = entry.fields[at].as_ref().filter(|field| field.text.is_empty()) {
                let message = "it is empty, which is read as if it weren't there";
                let help = "write a value, or delete the field";
                checker.add(Rule::Empty, (index, field), &empty.span, message, help);
            }
        }
    }
}

fn name(checker: &mut Checker<'_>, index: usize, entry: &Written) {
    let Some(name) = entry.name() else { return };
    if let Err(error) = name.text.parse::<Repository>() {
        let message = format!("no image has this name, and names are compared letter by letter: {}", reason(&error));
        let help = "write one image's name as the manifests spell it";
        checker.add(Rule::MalformedName, (index, "name"), &name.span, message, help);
    }
}

fn new_name(checker: &mut Checker<'_>, index: usize, entry: &Written) {
    let Some(name) = entry.new_name() else { return };
    let parts = split(&name.text);
    if parts.tag.is_some() || parts.digest.is_some() {
        let message = format!("{} carries a tag or a digest: the image's own would stand behind it", shown(&name.text));
        let help = "move it to newTag and digest";
        checker.add(Rule::TaggedNewName, (index, "newName"), &name.span, message, help);
    } else if let Err(error) = name.text.parse::<Repository>() {
        let message = format!("no image can have this name: {}", reason(&error));
        checker.add(Rule::MalformedNewName, (index, "newName"), &name.span, message, "write a repository's name");
    }
}

fn cascades(checker: &mut Checker<'_>, entries: &[Written], (index, next): (usize, usize)) {
    let text = |entry: usize| entries[entry].name().map_or("", |name| name.text.as_str());
    let (Some(new), target) = (entries[index].new_name(), text(next)) else { return };
    let to = entries[next].new_name().map_or(target, |name| &name.text);
    let message = format!("{} is what entry {next} matches, so its images end as {}", shown(&new.text), shown(to));
    let help = "write the name that is meant, or put that entry before this one";
    checker.add(Rule::Cascades, (index, "newName"), &new.span, message, help);
}

fn new_tag(checker: &mut Checker<'_>, index: usize, entry: &Written) {
    let Some(tag) = entry.new_tag() else { return };
    if tag.text.parse::<Tag>().is_err() {
        let message = format!("{} is not a tag", shown(&tag.text));
        let help = "write 1 to 128 letters, digits, `_`, `.` and `-`, beginning with none of the last two";
        checker.add(Rule::MalformedNewTag, (index, "newTag"), &tag.span, message, help);
    }
    if entry.digest().is_none() {
        let message = "a tag without a digest unpins the images that are pinned by one";
        checker.add(Rule::Unpins, (index, "newTag"), &tag.span, message, "add the digest that the tag has");
    }
}

/// The end of the error's sentence: the name has been told.
fn reason(error: &crate::model::reference::ReferenceError) -> String {
    match error {
        crate::model::reference::ReferenceError::Repository(_, reason) => (*reason).to_owned(),
        error => error.to_string(),
    }
}
