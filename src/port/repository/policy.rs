//! What `git receive-pack` would object to in a repository that is written in place.

use std::path::{Path, PathBuf};

use git2::{Config, Repository};

use super::RefUpdate;
use super::libgit::{found, oid};

/// Hooks that may say no. They are never run here, so a repository that has one is left alone.
const HOOKS: [&str; 4] = ["pre-receive", "update", "proc-receive", "reference-transaction"];

/// Why the repository's own rules (git-config(1), `receive.*`) forbid an update: a hook that would
/// have to be asked, a branch that is current or that somebody has checked out.
pub(super) fn objection(origin: &Repository, update: &RefUpdate) -> Result<Option<String>, git2::Error> {
    let config = origin.config()?;
    if let Some(hook) = hook(origin, &config)? {
        return Ok(Some(format!(
            "it has the hook {}, which a push to a path doesn't run; push to it over http",
            hook.display()
        )));
    }
    let holds = |key: &str| Ok::<_, git2::Error>(found(config.get_bool(key))?.unwrap_or(false));
    let text = |key: &str| Ok::<_, git2::Error>(found(config.get_string(key))?.unwrap_or_default());
    let lenient = |key: &str| Ok::<_, git2::Error>(matches!(text(key)?.as_str(), "ignore" | "warn" | "false"));
    let branch = update.name.as_str().starts_with("refs/heads/");
    let objection = match update.target {
        None if branch && holds("receive.denyDeletes")? => "receive.denyDeletes forbids to delete it",
        None if is_head(origin, update) && !lenient("receive.denyDeleteCurrent")? => {
            "it is the repository's current branch, which is not deleted"
        }
        Some(_) if checked_out(origin, update)? && !lenient("receive.denyCurrentBranch")? => {
            "it is checked out there, and its files would no longer match it"
        }
        _ => return Ok(None),
    };
    Ok(Some(objection.to_owned()))
}

/// Whether `receive.denyNonFastForwards` forbids an update; asked once its objects have arrived.
pub(super) fn forbidden_rewind(origin: &Repository, update: &RefUpdate) -> Result<bool, git2::Error> {
    let (Some(old), Some(new)) = (update.expect, update.target) else { return Ok(false) };
    let denied = found(origin.config()?.get_bool("receive.denyNonFastForwards"))?.unwrap_or(false);
    let branch = update.name.as_str().starts_with("refs/heads/");
    Ok(denied && branch && !origin.graph_descendant_of(oid(new), oid(old))?)
}

fn hook(origin: &Repository, config: &Config) -> Result<Option<PathBuf>, git2::Error> {
    let configured = found(config.get_path("core.hooksPath"))?;
    let dir = configured.map_or_else(|| origin.commondir().join("hooks"), |path| origin.commondir().join(path));
    Ok(HOOKS.iter().map(|name| dir.join(name)).find(|path| runs(path)))
}

#[cfg(unix)]
fn runs(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn runs(path: &Path) -> bool {
    path.is_file()
}

fn is_head(repository: &Repository, update: &RefUpdate) -> bool {
    let head = repository.find_reference("HEAD");
    head.is_ok_and(|head| head.symbolic_target_bytes() == Some(update.name.as_str().as_bytes()))
}

/// Whether any checkout of the repository, also one of `git worktree`, is on the branch.
fn checked_out(origin: &Repository, update: &RefUpdate) -> Result<bool, git2::Error> {
    if !origin.is_bare() && is_head(origin, update) {
        return Ok(true);
    }
    for name in &origin.worktrees()? {
        let Some(name) = name? else { continue };
        // A worktree whose directory is gone has nothing checked out.
        let opened = origin.find_worktree(name).and_then(|worktree| Repository::open_from_worktree(&worktree));
        if opened.is_ok_and(|repository| is_head(&repository, update)) {
            return Ok(true);
        }
    }
    Ok(false)
}
