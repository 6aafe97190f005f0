//! A pinned digest that no registry has, or not whole: what the tree runs can't be pulled.

use super::unpublished::ASK_AGAIN;
use crate::lint::{Answers, Checked, Level, Rule, Spot, Subject, Unplaced};
use crate::model::{Answer, Manifest, Unknown};
use crate::refs::Occurrence;

pub const RULE: Rule = Rule {
    id: "digest-gone",
    level: Level::Error,
    what: "A pinned digest that is not in its registry, or an index there without one of its manifests, as a clean-up \
           of untagged versions leaves it.",
    hint: "build and push the image again, and pin what was pushed",
    check,
};

fn check(subject: &Subject<'_>) -> Checked {
    let Some(asked) = &subject.registry else { return Checked::not_asked() };
    subject.pinned().flat_map(|found| of(asked, found)).collect()
}

fn of(asked: &Answers, found: &Occurrence) -> Vec<Unplaced> {
    let (Some(repository), Some(digest), Some(answer)) = (&found.repository, found.digest, asked.digest(found)) else {
        return Vec::new();
    };
    let name = format!("{repository}@{digest}");
    match answer {
        Answer::Found(manifest) => children(asked, found, &name, manifest),
        Answer::Absent => vec![asked.absent(found, Spot::digest(found), &format!("{name} is not there"))],
        Answer::Unknown(why) => vec![unknown(found, &name, why)],
    }
}

/// The index answered, so it is the control of its manifests.
fn children(asked: &Answers, found: &Occurrence, name: &str, index: &Manifest) -> Vec<Unplaced> {
    let child = |child| match asked.child(found, child)? {
        Answer::Found(_) => None,
        Answer::Absent => {
            let message = format!("{name} is there, and its manifest {} is not", child.digest);
            let about = [found.spelled(), child.digest.to_string()];
            Some(Unplaced::at(Spot::digest(found), message).about(about))
        }
        Answer::Unknown(why) => Some(unknown(found, name, why)),
    };
    index.manifests().iter().filter_map(child).collect()
}

fn unknown(found: &Occurrence, name: &str, why: &Unknown) -> Unplaced {
    let message = format!("whether {name} can be pulled can't be known: {why}");
    Unplaced::of(found, Spot::digest(found), message).level(Level::Unknown).hint(ASK_AGAIN)
}
