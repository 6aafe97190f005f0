//! Controls: for each host something that must answer, so that "absent" is a fact about the registry and not about
//! the query. Where nothing answers, absence proves nothing.

use std::collections::BTreeSet;

use serde::Serialize;

use super::{Answers, found};
use crate::lint::finding::Level;
use crate::lint::rule::{Spot, Unplaced};
use crate::lint::subject::Subject;
use crate::model::{Answer, Digest, Reference, Repository};
use crate::refs::{Class, Occurrence};

/// A reference that must answer, and what it did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Control {
    pub host: String,
    /// Whether it speaks for third-party references, which are asked for without credentials.
    pub third_party: bool,
    /// Whether somebody named it; else it is the first reference of the tree that answered.
    pub named: bool,
    pub reference: Option<String>,
    /// What it answered with.
    pub digest: Option<Digest>,
    /// Why there is no control.
    pub why: Option<String>,
}

/// The control of every host that was asked.
pub(super) fn choose(subject: &Subject<'_>, asked: &Answers, named: &[Reference]) -> Vec<Control> {
    let side = |found: &Occurrence| {
        let host = found.repository.as_ref()?.host().to_owned();
        let any = asked.tag(found).is_some() || asked.digest(found).is_some();
        any.then_some((found.class == Class::ThirdParty, host))
    };
    let mut hosts: BTreeSet<(bool, String)> = subject.named().filter_map(side).collect();
    for Reference { repository, .. } in named {
        hosts.insert((!subject.spec.owns(repository), repository.host().to_owned()));
    }
    let control = |(third_party, host): (bool, String)| {
        // Who asked with credentials proves nothing for who asks without.
        let own =
            |named: &&Reference| named.repository.host() == host && subject.spec.owns(&named.repository) != third_party;
        if let Some(named) = named.iter().find(own) {
            return of_named(asked, named, third_party);
        }
        let mut of_host =
            subject.named().filter(|f| side(f).is_some_and(|(side, at)| side == third_party && at == host));
        let answered = of_host.find_map(|found| answered(asked, found));
        let why = answered.is_none().then(|| "nothing answers there".to_owned());
        let (reference, digest) = answered.unzip();
        Control { host, third_party, named: false, reference, digest, why }
    };
    hosts.into_iter().map(control).collect()
}

/// The words for a reference that answered, and what with.
fn answered(asked: &Answers, occurrence: &Occurrence) -> Option<(String, Digest)> {
    let repository = occurrence.repository.as_ref()?;
    if let Some(manifest) = asked.digest(occurrence).and_then(found) {
        let digest = manifest.digest();
        return Some((format!("{repository}@{digest}"), digest));
    }
    let digest = asked.tag(occurrence).and_then(found)?;
    Some((occurrence.tagged(), *digest))
}

fn of_named(asked: &Answers, named: &Reference, third_party: bool) -> Control {
    let Reference { repository, tag, digest, .. } = named;
    let (reference, answer) = match (digest, tag) {
        (Some(digest), _) => {
            let answer = asked.pins.get(&(repository.clone(), *digest));
            (format!("{repository}@{digest}"), answer.map(|answer| super::digest_of(answer.clone())))
        }
        (None, Some(tag)) => {
            (format!("{repository}:{tag}"), asked.tags.get(&(repository.clone(), tag.clone())).cloned())
        }
        (None, None) => (repository.to_string(), None),
    };
    let (digest, why) = match answer {
        Some(Answer::Found(digest)) => (Some(digest), None),
        Some(Answer::Absent) => (None, Some("it is not there".to_owned())),
        Some(Answer::Unknown(why)) => (None, Some(why.to_string())),
        None => (None, Some("it has neither a tag nor a digest".to_owned())),
    };
    Control { host: repository.host().to_owned(), third_party, named: true, reference: Some(reference), digest, why }
}

impl Answers {
    /// What is said of something that a registry says it hasn't. Without a control it isn't known, and neither a
    /// fault nor fine.
    pub fn absent(&self, found: &Occurrence, spot: Spot, message: &str) -> Unplaced {
        let host = found.repository.as_ref().map(Repository::host).unwrap_or_default();
        let third_party = found.class == Class::ThirdParty;
        let control = self.controls.iter().find(|c| c.third_party == third_party && c.host == host);
        match control {
            Some(Control { reference: Some(reference), digest: Some(_), .. }) => {
                Unplaced::of(found, spot, format!("{message}, while {reference} answers"))
            }
            Some(Control { reference: Some(reference), why: Some(why), .. }) => {
                unproven(spot, message, &format!("the control {reference} doesn't answer: {why}"))
            }
            _ => unproven(spot, message, &format!("nothing answers at {host}")),
        }
    }
}

fn unproven(spot: Spot, message: &str, why: &str) -> Unplaced {
    Unplaced::at(spot, format!("{message}, and {why}: the query may be wrong")).level(Level::Unknown).hint(
        "see that registry and credentials are the right ones, or name a reference that must answer (`--control`)",
    )
}
