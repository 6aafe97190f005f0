//! A package outside of the root build list is rebuilt by nothing, and what it pins freezes.

use super::no_producer::no_list;
use crate::lint::{Checked, Level, Rule, Spot, Subject, Unplaced};
use crate::producers::BuildList;

pub const RULE: Rule = Rule {
    id: "not-in-build-list",
    level: Level::Error,
    what: "A package that stamps references or builds images, and that the root `build:` list doesn't run.",
    hint: "add the package's `image` target to the root Makefile's `build:` list",
    check,
};

fn check(subject: &Subject<'_>) -> Checked {
    if let Some(why) = no_list(subject) {
        return Checked::not_applicable(why);
    }
    let read = match &subject.producers.build_list {
        BuildList::Unknown(note) => {
            let found = Unplaced::at(Spot::point(&note.place), format!("the build list can't be read: {}", note.text));
            return [found.level(Level::Unknown).hint("write the list so that reading can know it")]
                .into_iter()
                .collect();
        }
        BuildList::Read { place, .. } => Some((Spot::point(place), "the list".to_owned())),
        BuildList::NotApplicable { .. } => None,
    };
    let found = subject.producers.unlisted.iter().map(|unlisted| {
        let message = format!("{}: {}", unlisted.package, unlisted.why);
        let found = Unplaced::at(Spot::point(&unlisted.place), message).about([unlisted.package.clone()]);
        match &unlisted.doubt {
            None => found.related(read.clone()),
            // It may be run after all.
            Some(note) => {
                let found =
                    found.related(read.clone().into_iter().chain([(Spot::point(&note.place), note.text.clone())]));
                found.level(Level::Unknown).hint("write that part of the list so that reading can know it")
            }
        }
    });
    // What was cut off may be a package as well as a part of the list.
    let cut = read.iter().filter(|_| !subject.producers.counts.complete).map(|(list, _)| {
        let message =
            "which packages the list leaves out can't be known: the Makefiles of this tree are more than is read";
        Unplaced::at(list.clone(), message.to_owned()).level(Level::Unknown).hint("make the Makefiles smaller")
    });
    found.chain(cut).collect()
}
