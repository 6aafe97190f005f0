//! Rulesets, classic protection, and what both do to branches and tags.

use serde_json::{Value, json};

use super::call::{Answer, Call, WEB, error, invalid, not_found, reply};
use super::clock::iso;
use super::refs::unsigned;
use super::state::{EPOCH, Ruleset};
use super::tokens::{Level, Role};
use super::views::{extend, node};
use crate::support::http::Response;

/// A change of a ref, as rules know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Creation,
    Update,
    /// An update that isn't a fast-forward.
    Force,
    Deletion,
}

impl Change {
    /// The rules that forbid it.
    fn forbidden_by(self, rule: &str) -> bool {
        match self {
            Self::Creation => rule == "creation",
            Self::Update => rule == "update",
            Self::Force => rule == "update" || rule == "non_fast_forward",
            Self::Deletion => rule == "deletion",
        }
    }
}

impl Ruleset {
    /// Whether it holds for `refs/heads/…` or `refs/tags/…`, which need not exist.
    pub fn holds_for(&self, name: &str, default_branch: &str) -> bool {
        let kind = if name.starts_with("refs/tags/") { "tag" } else { "branch" };
        let fits = |pattern: &String| match pattern.as_str() {
            "~ALL" => true,
            "~DEFAULT_BRANCH" => name == format!("refs/heads/{default_branch}"),
            pattern => fits(pattern, name),
        };
        self.enforcement == "active"
            && self.target == kind
            && self.include.iter().any(fits)
            && !self.exclude.iter().any(fits)
    }
}

/// `fnmatch` over path components: `*` and `?` stop at a slash, `**/` doesn't.
pub fn fits(pattern: &str, name: &str) -> bool {
    if let Some(rest) = pattern.strip_prefix("**/") {
        let ends = name.match_indices('/').map(|(at, _)| at + 1);
        return [0].into_iter().chain(ends).any(|at| fits(rest, &name[at..]));
    }
    let mut chars = pattern.chars();
    match chars.next() {
        None => name.is_empty(),
        Some('*') => {
            let segment = name.find('/').unwrap_or(name.len());
            (0..=segment).filter(|at| name.is_char_boundary(*at)).any(|at| fits(chars.as_str(), &name[at..]))
        }
        Some(wanted) => {
            let mut rest = name.chars();
            let found = rest.next().is_some_and(|found| found == wanted || wanted == '?' && found != '/');
            found && fits(chars.as_str(), rest.as_str())
        }
    }
}

impl Call<'_> {
    fn holding(&self, name: &str) -> Vec<Ruleset> {
        let default = self.origin.default_branch();
        self.state.rulesets.iter().filter(|set| set.holds_for(name, &default)).cloned().collect()
    }

    /// The rule that forbids a change, unless this login may bypass it.
    pub fn forbidden(&self, name: &str, change: Change) -> Option<String> {
        let strict = self.holding(name).into_iter().filter(|set| self.bypass(set) != "always");
        let rules = strict.flat_map(|set| set.rules).filter_map(|rule| rule["type"].as_str().map(str::to_owned));
        rules.into_iter().find(|rule| change.forbidden_by(rule))
    }

    /// Refuses a change that a rule forbids.
    pub fn allowed(&self, name: &str, change: Change) -> Result<(), Response> {
        if self.forbidden(name, change).is_some() {
            return Err(invalid(
                &format!("Repository rule violations found\n\n{change:?} of {name} is restricted.\n\n"),
                &[],
            ));
        }
        Ok(())
    }

    fn bypass(&self, set: &Ruleset) -> String {
        set.bypass.get(&self.login()).cloned().unwrap_or_else(|| "never".into())
    }

    fn source(&self, set: &Ruleset) -> (&'static str, String) {
        if set.inherited {
            ("Organization", self.state.repository.owner.clone())
        } else {
            ("Repository", self.state.full_name())
        }
    }

    /// As the list has it: neither conditions nor rules.
    fn ruleset_view(&self, set: &Ruleset) -> Value {
        let (kind, source) = self.source(set);
        json!({
            "id": set.id, "name": set.name, "target": set.target, "enforcement": set.enforcement, "source": source,
            "source_type": kind, "node_id": node("RRS", set.id), "created_at": iso(EPOCH), "updated_at": iso(EPOCH),
            "_links": {
                "self": {"href": format!("{}/rulesets/{}", self.repo(), set.id)},
                "html": {"href": format!("{WEB}/{}/rules/{}", self.state.full_name(), set.id)},
            },
        })
    }

    fn whole_ruleset_view(&self, set: &Ruleset) -> Value {
        let mut value = self.ruleset_view(set);
        let mut conditions = json!({"ref_name": {"include": set.include, "exclude": set.exclude}});
        if set.inherited {
            conditions["repository_name"] = json!({"include": ["~ALL"], "exclude": [], "protected": false});
        }
        extend(&mut value, json!({"conditions": conditions, "rules": set.rules}));
        // Who may bypass is shown to those who may change it; whether oneself may, to everybody known.
        if self.token.is_some() {
            value["current_user_can_bypass"] = self.bypass(set).into();
        }
        if self.token.as_ref().is_some_and(|token| token.role >= Role::Admin) {
            value["bypass_actors"] = json!([]);
        }
        value
    }

    fn protection_url(&self, branch: &str) -> String {
        format!("{}/branches/{branch}/protection", self.repo())
    }
}

/// The rules of all active rulesets that hold for a branch, be it there or not.
pub fn of_branch(call: &mut Call) -> Answer {
    call.need(Role::Pull, &["metadata"], Level::Read)?;
    let name = format!("refs/heads/{}", call.place(0));
    let mut rules = Vec::new();
    for set in call.holding(&name) {
        let (kind, source) = call.source(&set);
        for mut rule in set.rules {
            extend(&mut rule, json!({"ruleset_source_type": kind, "ruleset_source": source, "ruleset_id": set.id}));
            rules.push(rule);
        }
    }
    Ok(call.page(&rules, Value::clone))
}

pub fn list(call: &mut Call) -> Answer {
    call.need(Role::Pull, &["metadata"], Level::Read)?;
    let parents = call.request.parameter("includes_parents").as_deref() != Some("false");
    let targets = call.request.parameter("targets");
    let fits = |set: &&Ruleset| {
        (parents || !set.inherited)
            && targets.as_ref().is_none_or(|targets| targets.split(',').any(|target| target == set.target))
    };
    let sets: Vec<Ruleset> = call.state.rulesets.iter().filter(fits).cloned().collect();
    Ok(call.page(&sets, |set| call.ruleset_view(set)))
}

pub fn get(call: &mut Call) -> Answer {
    call.need(Role::Pull, &["metadata"], Level::Read)?;
    let id = call.number(0)?;
    let parents = call.request.parameter("includes_parents").as_deref() != Some("false");
    let set = call.state.rulesets.iter().find(|set| set.id == id && (parents || !set.inherited));
    Ok(reply(200, &call.whole_ruleset_view(set.ok_or_else(not_found)?)))
}

pub fn branch(call: &mut Call) -> Answer {
    call.need(Role::Pull, &["contents"], Level::Read)?;
    let name = call.place(0).to_owned();
    let id = call.origin.branch(&name).ok_or_else(|| error(404, "Branch not found"))?;
    let classic = call.state.protections.contains_key(&name);
    let protected = classic || !call.holding(&format!("refs/heads/{name}")).is_empty();
    let url = format!("{}/branches/{name}", call.repo());
    let page = format!("{WEB}/{}/tree/{name}", call.state.full_name());
    let value = json!({
        "name": name, "commit": commit(call, id), "_links": {"self": url, "html": page}, "protected": protected,
        "protection": {"enabled": classic}, "protection_url": call.protection_url(&name),
    });
    Ok(reply(200, &value))
}

fn commit(call: &Call, id: git2::Oid) -> Value {
    let repository = call.origin.open();
    let commit = repository.find_commit(id).unwrap();
    let url = format!("{}/commits/{id}", call.repo());
    let page = |id: git2::Oid| format!("{WEB}/{}/commit/{id}", call.state.full_name());
    let who = |who: git2::Signature<'_>| json!({"name": who.name().unwrap(), "email": who.email().unwrap(), "date": iso(who.when().seconds())});
    let parents: Vec<Value> = commit
        .parent_ids()
        .map(|id| json!({"sha": id.to_string(), "url": format!("{}/commits/{id}", call.repo()), "html_url": page(id)}))
        .collect();
    let tree = commit.tree_id();
    json!({
        "sha": id.to_string(), "node_id": node("C", 1), "url": url, "html_url": page(id),
        "comments_url": format!("{url}/comments"), "author": null, "committer": null, "parents": parents,
        "commit": {
            "author": who(commit.author()), "committer": who(commit.committer()), "comment_count": 0,
            "message": commit.message().unwrap(), "url": format!("{}/git/commits/{id}", call.repo()),
            "tree": {"sha": tree.to_string(), "url": format!("{}/git/trees/{tree}", call.repo())},
            "verification": unsigned(),
        },
    })
}

/// For administrators; to others it isn't there.
pub fn protection(call: &mut Call) -> Answer {
    call.need(Role::Admin, &["administration"], Level::Read)?;
    let name = call.place(0).to_owned();
    call.origin.branch(&name).ok_or_else(|| error(404, "Branch not found"))?;
    let known = call.state.protections.get(&name).cloned();
    let mut value = known.ok_or_else(|| error(404, "Branch not protected"))?;
    extend(&mut value, json!({"url": call.protection_url(&name)}));
    Ok(reply(200, &value))
}
