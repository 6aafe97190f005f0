//! Who stamps a reference, in a sentence.

use crate::producers::{Note, Producer, Stamped};

/// Notes that a sentence repeats.
const NOTES: usize = 3;

pub fn words(stamped: &Stamped) -> String {
    let list = |all: &[Producer]| all.iter().map(Producer::to_string).collect::<Vec<_>>().join("; ");
    match stamped {
        Stamped::One { producer, perhaps } => match perhaps.first() {
            None => format!("by {producer}"),
            Some(note) => format!("by {producer}, and perhaps by what reading can't know: {note}"),
        },
        Stamped::None { looked_at } => {
            let notes: Vec<String> = looked_at.iter().take(NOTES).map(Note::to_string).collect();
            let looked = if notes.is_empty() { String::new() } else { format!(" (looked at {})", notes.join("; ")) };
            format!("by nothing: it is never refreshed{looked}")
        }
        Stamped::Several { producers } => {
            format!("by {}, in the order that they happen to run in: {}", producers.len(), list(producers))
        }
        Stamped::Unknown { why, place } => format!("by what reading can't know: {place}: {why}"),
        Stamped::NotApplicable { why } => format!("by nobody here: {why}"),
    }
}
