//! What several answers hold in common: people, repositories, ids.

use serde_json::{Value, json};

use super::call::{Call, WEB};
use super::clock::iso;
use super::state::EPOCH;
use super::tokens::Role;

pub fn node(kind: &str, id: u64) -> String {
    format!("{kind}_{id:08x}")
}

pub fn extend(value: &mut Value, more: Value) {
    let (Value::Object(value), Value::Object(more)) = (value, more) else { panic!("both are objects") };
    value.extend(more);
}

/// The same login has the same id in every world.
fn user_id(login: &str) -> u64 {
    1_000 + login.bytes().fold(7_u64, |sum, byte| (sum * 31 + u64::from(byte)) % 100_000_007)
}

/// A `simple-user`.
pub fn user(base: &str, login: &str, organization: bool) -> Value {
    let (id, bot) = (user_id(login), login.ends_with("[bot]"));
    let url = format!("{base}/users/{login}");
    let kind = if bot {
        "Bot"
    } else if organization {
        "Organization"
    } else {
        "User"
    };
    json!({
        "login": login, "id": id, "node_id": node("U", id), "type": kind, "site_admin": false,
        "avatar_url": format!("{WEB}/avatars/{id}"), "gravatar_id": "", "user_view_type": "public",
        "url": url, "html_url": format!("{WEB}/{login}"),
        "followers_url": format!("{url}/followers"), "following_url": format!("{url}/following{{/other_user}}"),
        "gists_url": format!("{url}/gists{{/gist_id}}"), "starred_url": format!("{url}/starred{{/owner}}{{/repo}}"),
        "subscriptions_url": format!("{url}/subscriptions"), "organizations_url": format!("{url}/orgs"),
        "repos_url": format!("{url}/repos"), "events_url": format!("{url}/events{{/privacy}}"),
        "received_events_url": format!("{url}/received_events"),
    })
}

/// The addresses that a repository's answer lists, and their ends.
const ADDRESSES: [(&str, &str); 37] = [
    ("archive_url", "/{archive_format}{/ref}"),
    ("assignees_url", "/assignees{/user}"),
    ("blobs_url", "/git/blobs{/sha}"),
    ("branches_url", "/branches{/branch}"),
    ("collaborators_url", "/collaborators{/collaborator}"),
    ("comments_url", "/comments{/number}"),
    ("commits_url", "/commits{/sha}"),
    ("compare_url", "/compare/{base}...{head}"),
    ("contents_url", "/contents/{+path}"),
    ("contributors_url", "/contributors"),
    ("deployments_url", "/deployments"),
    ("downloads_url", "/downloads"),
    ("events_url", "/events"),
    ("forks_url", "/forks"),
    ("git_commits_url", "/git/commits{/sha}"),
    ("git_refs_url", "/git/refs{/sha}"),
    ("git_tags_url", "/git/tags{/sha}"),
    ("hooks_url", "/hooks"),
    ("issue_comment_url", "/issues/comments{/number}"),
    ("issue_events_url", "/issues/events{/number}"),
    ("issues_url", "/issues{/number}"),
    ("keys_url", "/keys{/key_id}"),
    ("labels_url", "/labels{/name}"),
    ("languages_url", "/languages"),
    ("merges_url", "/merges"),
    ("milestones_url", "/milestones{/number}"),
    ("notifications_url", "/notifications{?since,all,participating}"),
    ("pulls_url", "/pulls{/number}"),
    ("releases_url", "/releases{/id}"),
    ("stargazers_url", "/stargazers"),
    ("statuses_url", "/statuses/{sha}"),
    ("subscribers_url", "/subscribers"),
    ("subscription_url", "/subscription"),
    ("tags_url", "/tags"),
    ("teams_url", "/teams"),
    ("trees_url", "/git/trees{/sha}"),
    ("url", ""),
];

impl Call<'_> {
    pub fn user(&self, login: &str) -> Value {
        user(self.base, login, false)
    }

    pub fn owner(&self) -> Value {
        user(self.base, &self.state.repository.owner, self.state.repository.organization)
    }

    /// This repository as a `repository`; `minimal`, and whole with two counts more.
    pub fn repository(&self) -> Value {
        let known = &self.state.repository;
        self.repository_named(known.id, &known.owner, &known.name, self.owner(), false)
    }

    /// A fork's.
    pub fn fork(&self, full_name: &str) -> Value {
        let (owner, name) = full_name.split_once('/').unwrap_or((full_name, &self.state.repository.name));
        let id = self.state.repository.id + user_id(full_name);
        self.repository_named(id, owner, name, self.user(owner), true)
    }

    fn repository_named(&self, id: u64, owner: &str, name: &str, who: Value, fork: bool) -> Value {
        let (known, full) = (&self.state.repository, format!("{owner}/{name}"));
        let mut value = json!({
            "id": id, "node_id": node("R", id), "name": name, "full_name": full, "owner": who,
            "private": known.private, "visibility": if known.private { "private" } else { "public" },
            "html_url": format!("{WEB}/{full}"), "description": null, "fork": fork,
            "git_url": format!("git://github.test/{full}.git"), "ssh_url": format!("git@github.test:{full}.git"),
            "clone_url": format!("{WEB}/{full}.git"), "svn_url": format!("{WEB}/{full}"), "mirror_url": null,
            "homepage": null, "language": null, "license": null, "topics": [], "is_template": false,
            "forks_count": 0, "forks": 0, "stargazers_count": 0, "watchers_count": 0, "watchers": 0, "size": 0,
            "open_issues_count": 0, "open_issues": 0, "default_branch": self.origin.default_branch(),
            "has_issues": true, "has_projects": false, "has_wiki": false, "has_pages": false,
            "has_downloads": false, "has_discussions": false, "archived": known.archived, "disabled": false,
            "pushed_at": iso(EPOCH), "created_at": iso(EPOCH), "updated_at": iso(EPOCH),
        });
        for (key, end) in ADDRESSES {
            value[key] = format!("{}/repos/{full}{end}", self.base).into();
        }
        value
    }

    /// The answer about this repository itself: what it allows is shown to those with push rights.
    pub fn full_repository(&self) -> Value {
        let (mut value, known) = (self.repository(), &self.state.repository);
        (value["subscribers_count"], value["network_count"]) = (0.into(), 0.into());
        if known.organization {
            value["organization"] = self.owner();
        }
        if let Some(token) = &self.token {
            let role = token.role;
            value["permissions"] = json!({
                "admin": role >= Role::Admin, "maintain": role >= Role::Maintain, "push": role >= Role::Push,
                "triage": role >= Role::Triage, "pull": role >= Role::Pull,
            });
        }
        if self.may_push() {
            value["allow_merge_commit"] = known.allow_merge_commit.into();
            value["allow_squash_merge"] = known.allow_squash_merge.into();
            value["allow_rebase_merge"] = known.allow_rebase_merge.into();
            value["delete_branch_on_merge"] = known.delete_branch_on_merge.into();
            value["allow_auto_merge"] = false.into();
            value["allow_update_branch"] = false.into();
        }
        value
    }
}
