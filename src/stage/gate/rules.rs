//! Rulesets that would stop what finalize does (GitHub, "Available rules for rulesets").

use super::Findings;
use crate::model::{Answer, RefName};
use crate::pipeline::Globs;
use crate::port::forge::{Bypass, ForgeRead, Rule, RuleKind, TagRuleset, Visible};
use crate::stage::{Code, Refusal, World};

/// The rules of the base, which takes a merge, and of the branches that are pushed to: the staging
/// branch, created and then moved, and the line.
pub(super) async fn branches(world: &World<'_>, forge: &dyn ForgeRead, found: &mut Findings) {
    let names = &world.facts.names;
    match forge.branch_rules(&names.base).await {
        Answer::Found(rules) => rules.iter().for_each(|rule| merged_into(&names.base, rule, found)),
        Answer::Absent => {}
        Answer::Unknown(unknown) => found.refuse(unknown),
    }
    let is_there = |name: &RefName| world.facts.listed(name).is_some();
    let mut pushed = vec![(&names.staging, Push { creates: !is_there(&names.staging), moves: true })];
    // A merge into the line moves it already.
    if names.line != names.base {
        let there = is_there(&names.line);
        pushed.push((&names.line, Push { creates: !there, moves: there }));
    }
    for (name, push) in pushed {
        match forge.branch_rules(name).await {
            Answer::Found(rules) => rules.iter().for_each(|rule| pushed_to(name, rule, push, found)),
            Answer::Absent => {}
            Answer::Unknown(unknown) => found.refuse(unknown),
        }
    }
}

/// What sealift does to a branch.
#[derive(Clone, Copy)]
struct Push {
    creates: bool,
    moves: bool,
}

/// A person merges: what they may is theirs to know, what the merge must be is not.
fn merged_into(base: &RefName, rule: &Rule, found: &mut Findings) {
    let ruleset = format!("the ruleset \"{}\"", rule.ruleset);
    match &rule.kind {
        RuleKind::RequiredLinearHistory => found.refuse(demands(base, "a linear history", &ruleset)),
        RuleKind::RequiredSignatures => found.refuse(demands(base, "signed commits", &ruleset)),
        RuleKind::PullRequest { merge_methods: Some(methods) } if !methods.iter().any(|method| method == "merge") => {
            found.refuse(demands(base, &format!("merges by {}", methods.join(" or ")), &ruleset));
        }
        _ => {}
    }
}

fn pushed_to(branch: &RefName, rule: &Rule, push: Push, found: &mut Findings) {
    let stops = match &rule.kind {
        RuleKind::Creation => push.creates,
        RuleKind::Update => push.moves,
        RuleKind::PullRequest { .. } | RuleKind::RequiredSignatures => true,
        RuleKind::RequiredLinearHistory => true,
        // Nothing has run on a commit that is only just pushed.
        RuleKind::RequiredStatusChecks { on_creation } => push.moves || *on_creation,
        RuleKind::NamePattern { .. } => misnames(&rule.kind, branch),
        RuleKind::Other(_) => false,
    };
    if stops {
        bypassed(branch, &rule.kind, &rule.ruleset, rule.bypass, found);
    }
}

/// The rulesets for tags that finalize creates.
pub(super) async fn tags(world: &World<'_>, forge: &dyn ForgeRead, found: &mut Findings) {
    let rulesets = match forge.tag_rulesets().await {
        Answer::Found(rulesets) => rulesets,
        Answer::Absent => return,
        Answer::Unknown(unknown) => return found.refuse(unknown),
    };
    let names = &world.facts.names;
    for tag in names.module_tags.iter().chain([&names.git_tag]) {
        for ruleset in rulesets.iter().filter(|ruleset| covers(ruleset, tag)) {
            for rule in &ruleset.rules {
                let stops = match rule {
                    RuleKind::Creation | RuleKind::RequiredSignatures => true,
                    RuleKind::NamePattern { .. } => misnames(rule, tag),
                    _ => false,
                };
                if stops {
                    bypassed(tag, rule, &ruleset.name, ruleset.bypass, found);
                }
            }
        }
    }
}

/// A rule that stops all but those who bypass it.
fn bypassed(name: &RefName, rule: &RuleKind, ruleset: &str, bypass: Visible<Bypass>, found: &mut Findings) {
    let unjudged;
    let what = match rule {
        RuleKind::Creation => "lets only some create",
        RuleKind::Update => "lets only some move",
        RuleKind::PullRequest { .. } => "demands a pull request for",
        RuleKind::RequiredSignatures => "demands signatures on",
        RuleKind::RequiredLinearHistory => "demands a linear history of",
        RuleKind::NamePattern { operator, pattern, .. } if fits(operator, pattern, "").is_none() => {
            unjudged = format!("has a rule on names that is not judged here ({operator} `{pattern}`) for");
            &unjudged
        }
        RuleKind::NamePattern { .. } => "does not allow the name of",
        RuleKind::RequiredStatusChecks { .. } => "demands passed checks of what is pushed to",
        RuleKind::Other(_) => "stands in the way of",
    };
    match bypass {
        Visible::Shown(Bypass::Always) => {}
        Visible::Shown(Bypass::Never | Bypass::PullRequests | Bypass::Unsaid) => found.refuse(
            Refusal::new(Code::Ruleset, format!("the ruleset \"{ruleset}\" {what} {}", name.short()))
                .at([name])
                .hint("add what sealift runs as to the ruleset's bypass list, always, or take the name out of it"),
        ),
        Visible::Hidden => found.notes.push(format!(
            "the ruleset \"{ruleset}\" {what} {}; whether this credential passes is not visible",
            name.short()
        )),
    }
}

pub(super) fn demands(base: &RefName, what: &str, whose: &str) -> Refusal {
    Refusal::new(
        Code::BaseDemands,
        format!("{} demands {what}: the promotion can't be merged as it must be", base.short()),
    )
    .at([whose])
    .hint("the promotion is merged with a merge commit, and its commits carry no signature: let the base take that")
}

/// Whether a ruleset is about a ref: GitHub matches full names, fnmatch-like.
fn covers(ruleset: &TagRuleset, name: &RefName) -> bool {
    // A pattern that is no glob here may be one there: it takes a ref in, and none out.
    let one = |patterns: &[String], doubt: bool| {
        let all = patterns.iter().any(|pattern| pattern == "~ALL");
        all || patterns.iter().any(|pattern| Globs::one(pattern, name.as_str()).unwrap_or(doubt))
    };
    one(&ruleset.include, true) && !one(&ruleset.exclude, false)
}

/// Whether a rule on names doesn't allow one: what can't be judged may not.
fn misnames(rule: &RuleKind, name: &RefName) -> bool {
    let RuleKind::NamePattern { operator, pattern, negate } = rule else { return false };
    fits(operator, pattern, name.short()).is_none_or(|fits| fits == *negate)
}

/// Whether a name fits a pattern rule; `None` for an operator that is not known here.
fn fits(operator: &str, pattern: &str, name: &str) -> Option<bool> {
    match operator {
        "starts_with" => Some(name.starts_with(pattern)),
        "ends_with" => Some(name.ends_with(pattern)),
        "contains" => Some(name.contains(pattern)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_that_is_no_glob_here_takes_in_and_leaves_nothing_out() {
        let tag = RefName::tag("v1.6.2").unwrap();
        let texts = |patterns: &[&str]| patterns.iter().map(|pattern| (*pattern).to_owned()).collect::<Vec<_>>();
        for (include, exclude, expected) in [
            (&["refs/tags/v*"][..], &[][..], true),
            (&["refs/tags/v*"], &["refs/tags/v1.*"], false),
            (&["~ALL"], &["refs/tags/v2.*"], true),
            (&["~ALL"], &["~ALL"], false),
            (&["refs/tags/[v"], &[], true),
            (&["~ALL"], &["refs/tags/[v"], true),
            (&["~ALL"], &["refs/tags/[v", "refs/tags/v*"], false),
        ] {
            let (include, exclude) = (texts(include), texts(exclude));
            let what = format!("{include:?} but {exclude:?}");
            let bypass = Visible::Shown(Bypass::Never);
            let ruleset = TagRuleset { name: "tags".into(), include, exclude, rules: Vec::new(), bypass };
            assert_eq!(covers(&ruleset, &tag), expected, "{what}");
        }
    }
}
