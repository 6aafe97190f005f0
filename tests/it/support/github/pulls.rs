//! Pull requests. What they say about commits follows the repository (`merging`).

use git2::Oid;
use serde_json::{Value, json};

use super::call::{Answer, Call, WEB, error, invalid_field, invalid_words, not_found, reply};
use super::clock::iso;
use super::issues::not_too_long;
use super::merging::{close, owner, sync};
use super::state::{Head, Pull};
use super::tokens::{Kind, Level, Role};
use super::views::{extend, node};
use crate::support::http::Response;

const PULLS: [&str; 1] = ["pull_requests"];

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

    fn pull_at(&self) -> Result<usize, Response> {
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
