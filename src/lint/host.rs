//! Hosts that stand in a key of their own: a rewrite of hosts reaches one only where the key holds a whole prefix.

use super::rule::Spot;
use super::subject::Subject;
use crate::refs::Occurrence;

/// Where the host of an owned reference is, when it is divided over two keys so that no rewrite of hosts reaches it.
pub fn divided_host(subject: &Subject<'_>, found: &Occurrence) -> Option<Spot> {
    host_of_its_own(found).filter(|_| !reached(subject, found))
}

/// Where the host is, when it stands in another key than the name.
fn host_of_its_own(found: &Occurrence) -> Option<Spot> {
    let (host, name) = (found.spans.host.as_ref()?, found.spans.name.as_ref()?);
    let inside = name.start <= host.start && host.end <= name.end;
    (!inside).then(|| Spot::span(&found.file, host))
}

/// Whether the key of the host holds a whole owned prefix: alone, or with a `/` behind it.
fn reached(subject: &Subject<'_>, found: &Occurrence) -> bool {
    let host = found.spans.host.clone().and_then(|span| subject.content(&found.file)?.get(span));
    let Some(host) = host.and_then(|bytes| std::str::from_utf8(bytes).ok()) else { return false };
    subject.spec.owned.iter().any(|prefix| {
        let rest = host.strip_prefix(prefix.to_string().as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}
