//! Registries: one contract over every implementation, then what each has of its own.

mod auth;
mod contract;
mod faults;
mod layout;
mod remote;

use sealift::model::{Answer, Repository, Tag};

fn repository(text: &str) -> Repository {
    text.parse().unwrap()
}

fn tag(text: &str) -> Tag {
    text.parse().unwrap()
}

#[track_caller]
fn found<T: std::fmt::Debug>(answer: Answer<T>) -> T {
    match answer {
        Answer::Found(value) => value,
        other => panic!("expected it found, got {other:?}"),
    }
}

#[track_caller]
fn unknown<T: std::fmt::Debug>(answer: Answer<T>) -> sealift::model::Unknown {
    match answer {
        Answer::Unknown(unknown) => unknown,
        other => panic!("expected unknown, got {other:?}"),
    }
}
