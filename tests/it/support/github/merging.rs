//! What becomes of pull requests in git: who pushes the head to the base has merged, who deletes the
//! head has closed, who presses the button does one of three things.

use git2::Oid;

use super::origin::Origin;
use super::state::{Head, Pull, State};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    Merge,
    Squash,
    Rebase,
}

/// Looks what became of the open pull requests in git.
pub fn sync(state: &mut State, origin: &Origin) {
    for at in 0..state.pulls.len() {
        if state.pulls[at].open {
            follow(state, at, origin);
        }
    }
}

fn follow(state: &mut State, at: usize, origin: &Origin) {
    let pull = state.pulls[at].clone();
    let known = Oid::from_str(&pull.head_sha).unwrap();
    let Some(base) = origin.branch(&pull.base_ref) else { return close(state, at) };
    let head = if pull.head == Head::Own { origin.branch(&pull.head_ref) } else { Some(known) };
    if origin.reaches(base, known) {
        return merged(state, at, origin.brought_by(base, known), None);
    }
    let Some(head) = head else { return close(state, at) };
    if origin.reaches(base, head) {
        state.pulls[at].head_sha = head.to_string();
        // A head put back onto what the base had already brings nothing.
        let old = Oid::from_str(&pull.base_sha).unwrap();
        let nothing = origin.reaches(old, head);
        return if nothing { close(state, at) } else { merged(state, at, origin.brought_by(base, head), None) };
    }
    let pull = &mut state.pulls[at];
    (pull.head_sha, pull.base_sha) = (head.to_string(), base.to_string());
    let number = pull.number;
    if state.pull_refs {
        origin.set(&format!("refs/pull/{number}/head"), head);
        test_merge(number, base, head, origin);
    }
}

/// `refs/pull/N/merge`: how the base would look with it.
fn test_merge(number: u64, base: Oid, head: Oid, origin: &Origin) {
    let name = format!("refs/pull/{number}/merge");
    let known = origin.find(&name).map(|id| origin.parents(id));
    if known.as_deref() == Some(&[base, head]) {
        return;
    }
    match origin.merged_tree(base, head) {
        Some(tree) => {
            let message = format!("Merge {head} into {base}");
            origin.set(&name, origin.commit(tree, &[base, head], &message, origin.date(head)));
        }
        None if origin.find(&name).is_some() => origin.delete(&name),
        None => {}
    }
}

pub fn close(state: &mut State, at: usize) {
    let now = state.now();
    let pull = &mut state.pulls[at];
    (pull.open, pull.closed_at, pull.updated_at) = (false, Some(now), now);
}

fn merged(state: &mut State, at: usize, commit: Oid, by: Option<&str>) {
    close(state, at);
    let pull = &mut state.pulls[at];
    (pull.merged_at, pull.merge_commit_sha) = (pull.closed_at, Some(commit.to_string()));
    pull.merged_by = by.map(str::to_owned);
}

/// A person presses the button; returns the commit that the base is at then.
pub fn merge(state: &mut State, origin: &Origin, number: u64, how: How, by: &str) -> Oid {
    sync(state, origin);
    let at = state.pulls.iter().position(|pull| pull.number == number).unwrap();
    let pull = state.pulls[at].clone();
    assert!(pull.open, "#{number} is closed");
    let (base, head) = (origin.branch(&pull.base_ref).unwrap(), Oid::from_str(&pull.head_sha).unwrap());
    let date = state.now();
    let conflict = || panic!("#{number} has conflicts");
    let tree = || origin.merged_tree(base, head).unwrap_or_else(conflict);
    let commit = match how {
        How::Merge => {
            let from = format!("{}/{}", owner(state, &pull), pull.head_ref);
            let message = format!("Merge pull request #{number} from {from}\n\n{}", pull.title);
            origin.commit(tree(), &[base, head], &message, date)
        }
        How::Squash => origin.commit(tree(), &[base], &format!("{} (#{number})", pull.title), date),
        How::Rebase => origin.rebased(head, base).unwrap_or_else(conflict),
    };
    origin.set(&format!("refs/heads/{}", pull.base_ref), commit);
    merged(state, at, commit, Some(by));
    if state.repository.delete_branch_on_merge && pull.head == Head::Own {
        origin.delete(&format!("refs/heads/{}", pull.head_ref));
    }
    commit
}

/// Whose repository the head is in.
pub fn owner(state: &State, pull: &Pull) -> String {
    match &pull.head {
        Head::Fork(name) => name.split('/').next().unwrap().to_owned(),
        Head::Own => state.repository.owner.clone(),
        Head::Gone => "ghost".into(),
    }
}
