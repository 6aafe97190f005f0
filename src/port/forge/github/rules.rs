//! What rulesets and classic branch protection demand.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde::Deserialize;
use serde_json::Value;

use super::GitHub;
use super::limits::limit;
use super::page::Row;
use super::pulls::branch;
use super::transport::Request;
use super::words;
use crate::model::{RefName, Unknown};
use crate::port::forge::{Bypass, Protection, Rule, RuleKind, TagRuleset, Visible};

#[derive(Deserialize)]
struct FoundRule {
    #[serde(rename = "type")]
    kind: String,
    parameters: Option<Value>,
    ruleset_id: Option<u64>,
}

/// A ruleset as a list shows it.
#[derive(Deserialize)]
struct Listed {
    id: u64,
    name: String,
    target: Option<String>,
    enforcement: String,
}

/// A ruleset by its id.
#[derive(Deserialize)]
struct Ruleset {
    name: String,
    conditions: Option<Conditions>,
    rules: Option<Vec<FoundRule>>,
    current_user_can_bypass: Option<String>,
}

#[derive(Deserialize)]
struct Conditions {
    ref_name: Option<RefNames>,
}

#[derive(Deserialize)]
struct RefNames {
    include: Option<Vec<String>>,
    exclude: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct FoundProtection {
    required_linear_history: Option<Enabled>,
    required_signatures: Option<Enabled>,
    restrictions: Option<Value>,
    required_pull_request_reviews: Option<Value>,
}

#[derive(Deserialize)]
struct Enabled {
    enabled: Option<bool>,
}

impl Row for FoundRule {
    /// Two rulesets may have the same rule.
    fn id(&self) -> Option<u64> {
        None
    }
}

impl Row for Listed {
    fn id(&self) -> Option<u64> {
        Some(self.id)
    }
}

impl FoundRule {
    fn kind(&self) -> Result<RuleKind, String> {
        let parameter = |key: &str| self.parameters.as_ref().map_or(&Value::Null, |parameters| &parameters[key]);
        let text = |key: &str| {
            let text = parameter(key).as_str().map(str::to_owned);
            text.ok_or_else(|| format!("the rule {} has no {key}", self.kind))
        };
        Ok(match self.kind.as_str() {
            "creation" => RuleKind::Creation,
            "update" => RuleKind::Update,
            "required_linear_history" => RuleKind::RequiredLinearHistory,
            "required_signatures" => RuleKind::RequiredSignatures,
            "required_status_checks" => RuleKind::RequiredStatusChecks {
                on_creation: !parameter("do_not_enforce_on_create").as_bool().unwrap_or(false),
            },
            "pull_request" => {
                let methods = parameter("allowed_merge_methods")
                    .as_array()
                    .map(|methods| methods.iter().filter_map(|method| method.as_str().map(str::to_owned)).collect());
                RuleKind::PullRequest { merge_methods: methods }
            }
            "branch_name_pattern" | "tag_name_pattern" => RuleKind::NamePattern {
                operator: text("operator")?,
                pattern: text("pattern")?,
                negate: parameter("negate").as_bool().unwrap_or(false),
            },
            other => RuleKind::Other(other.to_owned()),
        })
    }
}

impl Ruleset {
    /// What isn't said, or in a word that isn't known, is no permission. To nobody it is never said.
    fn bypass(&self, anonymous: bool) -> Visible<Bypass> {
        match self.current_user_can_bypass.as_deref() {
            Some("always" | "exempt") => Visible::Shown(Bypass::Always),
            Some("pull_requests_only") => Visible::Shown(Bypass::PullRequests),
            Some("never") => Visible::Shown(Bypass::Never),
            None if anonymous => Visible::Hidden,
            _ => Visible::Shown(Bypass::Unsaid),
        }
    }
}

impl GitHub {
    async fn ruleset(&self, id: u64) -> Result<Option<Ruleset>, Unknown> {
        let what = self.client.name(&format!("ruleset {id}"));
        let mut url = self.client.address.below(&["rulesets", &id.to_string()]);
        url.query_pairs_mut().append_pair("includes_parents", "true");
        let Some(reply) = self.client.get(&what, Request::get(url)).await? else { return Ok(None) };
        self.client.read(&what, &reply).map(Some)
    }

    /// The rules, and of each ruleset among them whom it lets pass. One of an enterprise can't be
    /// read here: nothing is shown of it then.
    pub(super) async fn list_branch_rules(&self, name: &RefName) -> Result<Vec<Rule>, Unknown> {
        let what = self.client.name(&format!("the rules for the branch {}", name.short()));
        let url = self.client.address.below(&["rules", "branches", branch(&what, name)?]);
        let found = self.client.list::<Vec<FoundRule>>(&what, url).await?;
        let found = found.ok_or_else(|| Unknown::new(&what, "not found").with_status(404))?;
        let anonymous = self.client.identity.is_anonymous();
        let (mut rules, mut rulesets) = (Vec::new(), BTreeMap::<u64, Option<Ruleset>>::new());
        for rule in found {
            let kind = rule.kind().map_err(|error| Unknown::new(&what, error))?;
            let known = match rule.ruleset_id {
                None => None,
                Some(id) => match rulesets.entry(id) {
                    Entry::Occupied(known) => known.into_mut().as_ref(),
                    Entry::Vacant(new) => new.insert(self.ruleset(id).await?).as_ref(),
                },
            };
            let unnamed = || rule.ruleset_id.map_or("a ruleset".to_owned(), |id| format!("ruleset {id}"));
            let ruleset = known.map_or_else(unnamed, |known| known.name.clone());
            let bypass = known.map_or(Visible::Hidden, |known| known.bypass(anonymous));
            rules.push(Rule { kind, ruleset, bypass });
        }
        Ok(rules)
    }

    /// Without conditions on names, one is taken to be for all.
    pub(super) async fn list_tag_rulesets(&self) -> Result<Vec<TagRuleset>, Unknown> {
        let what = self.client.name("the rulesets for tags");
        let mut url = self.client.address.below(&["rulesets"]);
        url.query_pairs_mut().append_pair("includes_parents", "true").append_pair("targets", "tag");
        let listed = self.client.list::<Vec<Listed>>(&what, url).await?;
        let listed = listed.ok_or_else(|| Unknown::new(&what, "not found").with_status(404))?;
        let mut rulesets = Vec::new();
        let active = |listed: &Listed| listed.enforcement == "active" && listed.target.as_deref() == Some("tag");
        for listed in listed.into_iter().filter(active) {
            let missing = || Unknown::new(&what, format!("the ruleset {} can't be read", listed.name)).with_status(404);
            let found = self.ruleset(listed.id).await?.ok_or_else(missing)?;
            let rules = found.rules.iter().flatten().map(FoundRule::kind).collect::<Result<_, _>>();
            let rules = rules.map_err(|error| Unknown::new(&what, error))?;
            let bypass = found.bypass(self.client.identity.is_anonymous());
            let names = found.conditions.and_then(|conditions| conditions.ref_name);
            let (include, exclude) = names.map_or((None, None), |names| (names.include, names.exclude));
            rulesets.push(TagRuleset {
                name: found.name,
                include: include.unwrap_or_else(|| vec!["~ALL".to_owned()]),
                exclude: exclude.unwrap_or_default(),
                rules,
                bypass,
            });
        }
        Ok(rulesets)
    }

    /// Shown to administrators; to others no answer says that there is none.
    pub(super) async fn read_protection(&self, name: &RefName) -> Result<Option<Visible<Protection>>, Unknown> {
        let what = self.client.name(&format!("the protection of the branch {}", name.short()));
        let admin = self.client.seen().await?.admin;
        let url = self.client.address.below(&["branches", branch(&what, name)?, "protection"]);
        let reply = self.client.call(&what, Request::get(url)).await?;
        match reply.status {
            200 => {}
            403 | 404 if !admin && limit(&reply).is_none() => return Ok(Some(Visible::Hidden)),
            // An administrator's token that was not given the permission.
            403 if limit(&reply).is_none() && words::missing(&reply.headers, false).is_some() => {
                return Ok(Some(Visible::Hidden));
            }
            404 if self.client.is_absent(&reply) => return Ok(None),
            _ => return Err(self.client.unexpected(&what, &reply)),
        }
        let found: FoundProtection = self.client.read(&what, &reply)?;
        let enabled = |said: Option<Enabled>| said.and_then(|said| said.enabled).unwrap_or(false);
        Ok(Some(Visible::Shown(Protection {
            linear_history: enabled(found.required_linear_history),
            signatures: enabled(found.required_signatures),
            restricted: found.restrictions.is_some(),
            pull_requests: found.required_pull_request_reviews.is_some(),
        })))
    }
}
