//! The store's own names for what was fetched: `refs/origin/heads/x` for `refs/heads/x`.

use git2::Repository;

use super::libgit::oid;
use super::{Listed, Refs};
use crate::model::RefName;

const PREFIX: &str = "refs/origin/";

pub(super) fn name(of: &RefName) -> String {
    format!("{PREFIX}{}", of.as_str().trim_start_matches("refs/"))
}

/// Forgets what the origin no longer lists: a name that is gone may stand in the way of a new one
/// (`a` of `a/b`).
pub(super) fn prune(repository: &Repository, refs: &Refs) -> Result<(), git2::Error> {
    for reference in repository.references_glob(&format!("{PREFIX}*"))? {
        let mut reference = reference?;
        let short = reference.name().ok().and_then(|name| name.strip_prefix(PREFIX)).map(|name| format!("refs/{name}"));
        let listed = short.and_then(|name| name.parse().ok()).is_some_and(|name: RefName| refs.get(&name).is_some());
        if !listed {
            reference.delete()?;
        }
    }
    Ok(())
}

/// That what was listed has arrived.
pub(super) fn require(repository: &Repository, listed: impl Iterator<Item = Listed>) -> Result<(), git2::Error> {
    let odb = repository.odb()?;
    for Listed { id, peeled } in listed {
        for id in [id, peeled] {
            if !odb.exists(oid(id)) {
                return Err(git2::Error::from_str(&format!("object {id} was listed but did not arrive")));
            }
        }
    }
    Ok(())
}
