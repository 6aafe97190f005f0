//! The fixture's tree gives exactly the table beside it.

use std::fs;

use sealift::producers::{BuildList, Note, Producer, Stamped};
use sealift::tree::DirTree;

use super::{here, own, read};

fn producer(producer: &Producer) -> String {
    let place = producer.place.as_ref().map(|place| format!("{place} ")).unwrap_or_default();
    let declared = producer.declared.map(|entry| format!(" [{entry}]")).unwrap_or_default();
    format!("{place}{}{declared}: {}", producer.target, producer.what)
}

fn notes(notes: &[Note]) -> String {
    notes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" + ")
}

/// Every fact that was read, one a line.
fn rows() -> Vec<String> {
    let tree = DirTree::open(here("tree")).unwrap();
    let (found, references) = read(&tree, &own());
    let mut rows = vec!["what\twhere\tverdict\tdetail".to_owned()];
    for reference in &references.occurrences {
        let (verdict, detail) = match found.of(reference) {
            Stamped::One { producer: one, perhaps } if perhaps.is_empty() => ("one", producer(&one)),
            Stamped::One { producer: one, perhaps } => {
                ("one, perhaps two", format!("{} + perhaps {}", producer(&one), notes(&perhaps)))
            }
            Stamped::None { looked_at } => ("none", notes(&looked_at)),
            Stamped::Several { producers } => {
                ("several", producers.iter().map(producer).collect::<Vec<_>>().join(" + "))
            }
            Stamped::Unknown { why, place } => ("unknown", format!("{place}: {why}")),
            Stamped::NotApplicable { why } => ("not applicable", why),
        };
        rows.push(format!("reference\t{}:{} {}\t{verdict}\t{detail}", reference.file, reference.line, reference.key));
    }
    let BuildList::Read { packages, unknown, .. } = &found.build_list else { panic!("{:?}", found.build_list) };
    for listed in packages {
        let dead = listed.dead.clone().unwrap_or_default();
        rows.push(format!("listed\t{}\t{} {}\t{dead}", listed.place, listed.package, listed.target));
    }
    rows.extend(unknown.iter().map(|note| format!("list\t{}\tunknown\t{}", note.place, note.text)));
    for unlisted in &found.unlisted {
        assert_eq!(unlisted.doubt, None);
        let omission = serde_json::to_value(unlisted.omission).unwrap();
        let omission = omission.as_str().unwrap();
        rows.push(format!("unlisted\t{}\t{} {omission}\t{}", unlisted.place, unlisted.package, unlisted.why));
    }
    rows.extend(
        found
            .unused
            .iter()
            .map(|unused| format!("unused\tproducers[{}]\t{}\t{}", unused.entry, unused.file, unused.why)),
    );
    rows.extend(found.notes.iter().map(|note| format!("note\t{}\t\t{}", note.place, note.text)));
    assert!(found.counts.complete);
    rows
}

/// `SEALIFT_BLESS=1` writes the table anew; read the difference before you commit it.
#[test]
fn the_tree_gives_exactly_the_table() {
    let text = rows().join("\n") + "\n";
    let expected = here("expected.tsv");
    if std::env::var_os("SEALIFT_BLESS").is_some() {
        fs::write(&expected, &text).unwrap();
    }
    assert_eq!(text, fs::read_to_string(&expected).unwrap());
}

#[test]
fn reading_twice_gives_the_same() {
    assert_eq!(rows(), rows());
}
