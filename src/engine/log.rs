//! The log: `refs/sealift/<stable>` on the origin, one commit for each stage that wrote something.
//!
//! It records; the world decides. Nothing is ever read from it to decide, and a server that
//! refuses the ref costs a warning.

use super::drive::{Driver, Record};
use super::event::State;
use crate::model::{ObjectId, RefName, Stable};
use crate::port::repository::{NewCommit, RefUpdate};

/// The log's ref for a version.
pub fn name(stable: &Stable) -> Result<RefName, crate::model::git::GitNameError> {
    format!("refs/sealift/v{stable}").parse()
}

/// Appends what a stage wrote. The error is for a warning.
pub(super) async fn append(stage: &str, record: &Record, state: State, driver: &Driver<'_>) -> Result<(), String> {
    let Driver { promotion, look, effects, settings, .. } = *driver;
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let name = name(&promotion.candidate.rc.stable).map_err(|e| text(&e))?;
    let refs = look.listed().await.map_err(|e| text(&e))?;
    let before: Option<ObjectId> = refs.get(&name).map(|listed| listed.id);
    if before.is_some() {
        look.origin.fetch(std::slice::from_ref(&name)).await.map_err(|e| text(&e))?;
    }
    let mut message = format!("{stage}: {} actions\n\n", record.written.len());
    for action in &record.written {
        message.push_str(&format!("{action}\n"));
    }
    for failure in &record.failed {
        message.push_str(&format!("failed: {}\n", failure.replace(['\n', '\r'], " ")));
    }
    message.push_str(&format!(
        "\nSealift-Result: {}\nSealift-Operator: {}\nSealift-Version: {}\nSealift-Seal: {}\n",
        state.name(),
        settings.operator.replace(['\n', '\r'], " "),
        env!("CARGO_PKG_VERSION"),
        promotion.seal()
    ));
    let identity = &look.pipeline.identity;
    let commit = NewCommit {
        tree: look.store.empty_tree().map_err(|e| text(&e))?,
        parents: before.into_iter().collect(),
        name: identity.name.clone(),
        email: identity.email.clone(),
        time_seconds: (settings.now)(),
        message,
    };
    let target = look.store.write_commit(&commit).map_err(|e| text(&e))?;
    let update = RefUpdate { name, expect: before, target: Some(target) };
    effects.origin.update(&update).await.map_err(|e| text(&e))
}
