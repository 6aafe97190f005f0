//! A working copy for people, as `git clone` leaves one. Nothing else here ever makes one.

use std::path::Path;

use git2::build::CheckoutBuilder;
use git2::{BranchType, Repository, RepositoryInitOptions};

use super::StoreError;
use super::libgit;

/// Clones the repository in `origin` into `dir`, which must be absent or empty, with its
/// default branch checked out. `name` and `email` are who commits there, in its own configuration.
pub fn check_out(origin: &Path, dir: &Path, name: &str, email: &str) -> Result<(), StoreError> {
    clone(origin, dir, name, email)
        .map_err(|error| StoreError::Git { dir: dir.to_owned(), detail: libgit::words(&error) })
}

fn clone(origin: &Path, dir: &Path, name: &str, email: &str) -> Result<(), git2::Error> {
    libgit::setup()?;
    let mut options = RepositoryInitOptions::new();
    options.no_reinit(true).external_template(false).initial_head("main");
    let repository = Repository::init_opts(dir, &options)?;
    let mut config = repository.config()?;
    config.set_str("user.name", name)?;
    config.set_str("user.email", email)?;
    let mut remote = repository.remote("origin", &origin.to_string_lossy())?;
    remote.fetch(&[] as &[&str], None, None)?;
    let there = Repository::open_bare(origin)?;
    let head = there.find_reference("HEAD")?;
    let head = head.symbolic_target()?.unwrap_or_default().trim_start_matches("refs/heads/").to_owned();
    let tracked = repository.find_branch(&format!("origin/{head}"), BranchType::Remote)?;
    let mut branch = repository.branch(&head, &tracked.get().peel_to_commit()?, false)?;
    branch.set_upstream(Some(&format!("origin/{head}")))?;
    repository.set_head(&format!("refs/heads/{head}"))?;
    repository.checkout_head(Some(CheckoutBuilder::new().force()))
}
