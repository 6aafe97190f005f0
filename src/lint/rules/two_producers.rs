//! What two stamp depends on which of them runs last.

use super::no_producer::no_list;
use crate::lint::{Checked, Level, Rule, Spot, Subject, Unplaced};
use crate::producers::{Note, Producer, Stamped};

pub const RULE: Rule = Rule {
    id: "two-producers",
    level: Level::Error,
    what: "A reference that more than one target or declared command stamps. Where one does and another may, it is unknown.",
    hint: "leave it to one of them",
    check,
};

const SAY: &str = "say in the pipeline which one stamps it: `producers`";

fn check(subject: &Subject<'_>) -> Checked {
    if let Some(why) = no_list(subject) {
        return Checked::not_applicable(why);
    }
    let found = subject.owned().filter_map(|found| {
        let producers = match subject.producers.of(found) {
            Stamped::Several { producers } => producers,
            Stamped::One { producer, perhaps } if !perhaps.is_empty() => {
                let message = format!("`{}` is stamped by `{}`, and perhaps by another", found.key, producer.target);
                let read = perhaps.into_iter().map(|Note { place, text }| (Spot::point(&place), text));
                let told = Unplaced::of(found, Spot::tag(found), message).related(read);
                return Some(told.level(Level::Unknown).hint(SAY));
            }
            _ => return None,
        };
        let names: Vec<String> = producers.iter().map(|producer| format!("`{}`", producer.target)).collect();
        let message = format!("`{}` is stamped by {}", found.key, names.join(" and "));
        let place = |producer: Producer| Some((Spot::point(producer.place.as_ref()?), producer.what));
        let about = std::iter::once(found.spelled()).chain(producers.iter().map(|producer| producer.target.clone()));
        let about: Vec<String> = about.collect();
        Some(Unplaced::at(Spot::tag(found), message).about(about).related(producers.into_iter().filter_map(place)))
    });
    found.collect()
}
