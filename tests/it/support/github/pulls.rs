//! Pull requests. What they say about commits follows the repository: who pushes the head to the
//! base has merged, who deletes the head has closed.

use git2::Oid;
use serde_json::{Value, json};

use super::call::{Answer, Call, WEB, error, invalid_field, invalid_words, not_found, reply};
use super::clock::iso;
use super::issues::not_too_long;
use super::origin::Origin;
use super::state::{Head, Pull, State};
use super::tokens::{Kind, Level, Role};
use super::views::{extend, node};

const PULLS: [&str; 1] = ["pull_requests"];

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

fn close(state: &mut State, at: usize) {
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
fn owner(state: &State, pull: &Pull) -> String {
    match &pull.head {
        Head::Fork(name) => name.split('/').next().unwrap().to_owned(),
        Head::Own => state.repository.owner.clone(),
        Head::Gone => "ghost".into(),
    }
}

impl Call<'_> {
    fn side(&self, owner: &str, branch: &str, sha: &str, repository: Value, user: Value) -> Value {
        json!({"label": format!("{owner}:{branch}"), "ref": branch, "sha": sha, "user": user, "repo": repository})
    }

    /// As lists have it.
    fn pull_view(&self, pull: &Pull) -> Value {
        let (number, repo) = (pull.number, self.repo());
        let url = format!("{repo}/pulls/{number}");
        let issue = format!("{repo}/issues/{number}");
        let page = format!("{WEB}/{}/pull/{number}", self.state.full_name());
        let statuses = format!("{repo}/statuses/{}", pull.head_sha);
        let own = &self.state.repository.owner;
        let (repository, user) = match &pull.head {
            Head::Own => (self.repository(), self.owner()),
            Head::Fork(name) => (self.fork(name), self.user(&owner(self.state, pull))),
            Head::Gone => (Value::Null, Value::Null),
        };
        let merge = pull.merge_commit_sha.clone().or_else(|| {
            let test = self.origin.find(&format!("refs/pull/{number}/merge")).filter(|_| pull.open);
            test.map(|commit| commit.to_string())
        });
        let link = |href: &str| json!({"href": href});
        let mut value = json!({
            "url": url, "id": 500_000 + number, "node_id": node("PR", number), "html_url": page,
            "diff_url": format!("{page}.diff"), "patch_url": format!("{page}.patch"), "issue_url": issue,
            "commits_url": format!("{url}/commits"), "review_comments_url": format!("{url}/comments"),
            "review_comment_url": format!("{repo}/pulls/comments{{/number}}"),
            "comments_url": format!("{issue}/comments"), "statuses_url": statuses, "number": number,
            "head": self.side(&owner(self.state, pull), &pull.head_ref, &pull.head_sha, repository, user),
            "base": self.side(own, &pull.base_ref, &pull.base_sha, self.repository(), self.owner()),
            "_links": {
                "comments": link(&format!("{issue}/comments")), "commits": link(&format!("{url}/commits")),
                "statuses": link(&statuses), "html": link(&page), "issue": link(&issue),
                "review_comments": link(&format!("{url}/comments")), "self": link(&url),
                "review_comment": link(&format!("{repo}/pulls/comments{{/number}}")),
            },
        });
        let more = json!({
            "state": if pull.open { "open" } else { "closed" }, "locked": false, "title": pull.title,
            "user": self.user(&pull.author), "body": pull.body, "labels": self.label_views(&pull.labels),
            "milestone": null, "active_lock_reason": null, "created_at": iso(pull.created_at),
            "updated_at": iso(pull.updated_at), "closed_at": pull.closed_at.map(iso),
            "merged_at": pull.merged_at.map(iso), "merge_commit_sha": merge, "assignee": null, "assignees": [],
            "requested_reviewers": [], "requested_teams": [], "author_association": "CONTRIBUTOR",
            "auto_merge": null, "draft": pull.draft,
        });
        extend(&mut value, more);
        value
    }

    /// As answers about one have it.
    fn whole_pull_view(&self, pull: &Pull) -> Value {
        let mut value = self.pull_view(pull);
        let (base, head) = (Oid::from_str(&pull.base_sha).unwrap(), Oid::from_str(&pull.head_sha).unwrap());
        let mergeable = pull.open.then(|| self.origin.merged_tree(base, head).is_some());
        let state = match mergeable {
            Some(true) => "clean",
            Some(false) => "dirty",
            None => "unknown",
        };
        let comments = self.state.comments.iter().filter(|comment| comment.number == pull.number).count();
        let more = json!({
            "merged": pull.merged_at.is_some(), "mergeable": mergeable, "rebaseable": mergeable,
            "mergeable_state": state, "merged_by": pull.merged_by.as_ref().map(|login| self.user(login)),
            "comments": comments, "review_comments": 0, "maintainer_can_modify": false,
            "commits": self.origin.ahead(head, base), "additions": 0, "deletions": 0, "changed_files": 0,
        });
        extend(&mut value, more);
        value
    }

    fn pull_at(&self) -> Result<usize, super::Response> {
        let number = self.number(0)?;
        self.state.pulls.iter().position(|pull| pull.number == number).ok_or_else(not_found)
    }
}

/// `head` is `owner:branch`; without an owner GitHub takes no notice of it.
pub fn list(call: &mut Call) -> Answer {
    call.need(Role::Pull, &PULLS, Level::Read)?;
    let parameter = |name: &str| call.request.parameter(name).filter(|value| !value.is_empty());
    let state = parameter("state").unwrap_or_else(|| "open".into());
    if !["open", "closed", "all"].contains(&state.as_str()) {
        return Err(invalid_field("PullRequest", "state", "invalid"));
    }
    let head = parameter("head").filter(|head| head.contains(':'));
    let base = parameter("base");
    let fits = |pull: &&Pull| {
        (state == "all" || pull.open == (state == "open"))
            && head.as_ref().is_none_or(|head| *head == format!("{}:{}", owner(call.state, pull), pull.head_ref))
            && base.as_ref().is_none_or(|base| *base == pull.base_ref)
    };
    let mut pulls: Vec<Pull> = call.state.pulls.iter().filter(fits).cloned().collect();
    let by_update = parameter("sort").as_deref() == Some("updated");
    pulls.sort_by_key(|pull| (if by_update { pull.updated_at } else { pull.created_at }, pull.number));
    let upwards = parameter("direction")
        .map_or(parameter("sort").is_some_and(|sort| sort != "created" && sort != "updated"), |direction| {
            direction == "asc"
        });
    if !upwards {
        pulls.reverse();
    }
    Ok(call.page(&pulls, |pull| call.pull_view(pull)))
}

pub fn get(call: &mut Call) -> Answer {
    call.need(Role::Pull, &PULLS, Level::Read)?;
    let pull = &call.state.pulls[call.pull_at()?];
    Ok(reply(200, &call.whole_pull_view(pull)))
}

pub fn create(call: &mut Call) -> Answer {
    call.need(Role::Push, &PULLS, Level::Write)?;
    if !call.state.actions_may_propose && call.token.as_ref().is_some_and(|token| token.kind == Kind::Actions) {
        return Err(error(403, "GitHub Actions is not permitted to create or approve pull requests."));
    }
    let said = call.json()?;
    let text = |key: &str| said[key].as_str().map(str::to_owned);
    not_too_long("PullRequest", &said["body"])?;
    let title = text("title").filter(|title| !title.trim().is_empty());
    let title = title.ok_or_else(|| invalid_field("PullRequest", "title", "missing_field"))?;
    let (head, base_ref) = (text("head").unwrap_or_default(), text("base").unwrap_or_default());
    let own = call.state.repository.owner.clone();
    let head_ref = match head.split_once(':') {
        Some((owner, branch)) if owner == own => branch.to_owned(),
        Some(_) => return Err(invalid_field("PullRequest", "head", "invalid")),
        None => head,
    };
    let base = call.origin.branch(&base_ref).ok_or_else(|| invalid_field("PullRequest", "base", "invalid"))?;
    let head = call.origin.branch(&head_ref).ok_or_else(|| invalid_field("PullRequest", "head", "invalid"))?;
    if call.origin.reaches(base, head) {
        return Err(invalid_words("PullRequest", &format!("No commits between {base_ref} and {head_ref}")));
    }
    let same =
        |pull: &Pull| pull.open && pull.head == Head::Own && pull.head_ref == head_ref && pull.base_ref == base_ref;
    if call.state.pulls.iter().any(same) {
        let message = format!("A pull request already exists for {own}:{head_ref}.");
        return Err(invalid_words("PullRequest", &message));
    }
    let (author, draft) = (call.login(), said["draft"].as_bool().unwrap_or(false));
    let number = call.state.add_pull(&head_ref, &head.to_string(), &base_ref, &base.to_string(), &title);
    let pull = call.state.pull_mut(number).unwrap();
    (pull.body, pull.author, pull.draft) = (text("body"), author, draft);
    sync(call.state, call.origin);
    let view = call.whole_pull_view(call.state.pull(number).unwrap());
    Ok(reply(201, &view).with("location", format!("{}/pulls/{number}", call.repo())))
}

pub fn update(call: &mut Call) -> Answer {
    let at = call.pull_at()?;
    let author = call.token.as_ref().is_some_and(|token| token.login == call.state.pulls[at].author);
    call.need(if author { Role::Pull } else { Role::Push }, &PULLS, Level::Write)?;
    let said = call.json()?;
    let text = |key: &str| said[key].as_str().map(str::to_owned);
    not_too_long("PullRequest", &said["body"])?;
    if let Some(base) = text("base") {
        call.origin.branch(&base).ok_or_else(|| invalid_field("PullRequest", "base", "invalid"))?;
        call.state.pulls[at].base_ref = base;
    }
    let pull = &call.state.pulls[at];
    match said["state"].as_str() {
        Some("open") if !pull.open => {
            let there = pull.head != Head::Own || call.origin.branch(&pull.head_ref).is_some();
            if pull.merged_at.is_some() || !there {
                let why = if there { "it is merged" } else { "the head branch was deleted" };
                return Err(invalid_words("PullRequest", &format!("state cannot be changed: {why}.")));
            }
            let pull = &mut call.state.pulls[at];
            (pull.open, pull.closed_at) = (true, None);
        }
        Some("closed") if pull.open => close(call.state, at),
        _ => {}
    }
    let now = call.state.now();
    let pull = &mut call.state.pulls[at];
    pull.title = text("title").unwrap_or(pull.title.clone());
    pull.body = text("body").or(pull.body.take());
    pull.updated_at = now;
    sync(call.state, call.origin);
    Ok(reply(200, &call.whole_pull_view(&call.state.pulls[at])))
}
