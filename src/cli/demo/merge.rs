//! The merge a maintainer makes: what `git merge --no-ff` writes, without git.

use anyhow::Context as _;

use super::world::{MAINTAINER, MERGE_TIME};
use crate::cli::failure::Hinted;
use crate::cli::session::Session;
use crate::model::{CommitId, RefName};
use crate::port::repository::{Merged, NewCommit, OriginRead as _, OriginWrite as _, RefUpdate};

/// Merges `branch` into `base` at the origin.
pub async fn merge(session: &Session, base: &str, branch: &str) -> anyhow::Result<CommitId> {
    let names = [RefName::branch(base)?, RefName::branch(branch)?];
    session.origin.fetch(&names).await?;
    let refs = session.origin.refs().await.known()?.unwrap_or_default();
    let tip = |name: &RefName| refs.get(name).map(|listed| listed.id).with_context(|| format!("{name} is gone"));
    let [base_name, branch_name] = &names;
    let (ours, theirs) = (tip(base_name)?, tip(branch_name)?);
    let Merged::Tree(tree) = session.store.merge_trees(ours, theirs)? else {
        let message = format!("{branch} can't be merged into {base}: they conflict");
        return Err(Hinted::new(message, "begin another demo: this one's branches were changed").into());
    };
    let merge = session.store.write_commit(&NewCommit {
        tree,
        parents: vec![ours, theirs],
        name: MAINTAINER.0.to_owned(),
        email: MAINTAINER.1.to_owned(),
        time_seconds: MERGE_TIME,
        message: format!("Merge remote-tracking branch 'origin/{branch}' into {base}\n"),
    })?;
    let update = RefUpdate { name: base_name.clone(), expect: Some(ours), target: Some(merge) };
    session.origin.update(&update).await?;
    Ok(merge)
}
