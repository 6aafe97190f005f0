//! What a tree holds and becomes for one candidate, and everything in it that stands against a promotion.

use std::collections::BTreeSet;

use serde::Serialize;

use super::destinations::{self, Image};
use super::problem;
use crate::model::{Code, Rc, Refusal};
use crate::refs::{self, Problem, References, Rewrite, RewriteError, Spec};
use crate::tree::Tree;

/// A tree, read for one candidate: a repository's root.
#[derive(Debug, Default)]
pub struct Survey {
    /// What could be read.
    pub references: References,
    /// `None` where nothing can be rewritten: the faults say why, unless no candidate is named.
    pub rewrite: Option<Rewrite>,
    /// Where every owned digest goes; nowhere while no candidate is named.
    pub images: Vec<Image>,
    /// Odd things in the tree that cost nothing, for people.
    pub notices: Vec<String>,
    pub faults: Vec<Fault>,
    /// Files and lines that are faulted already.
    seen: BTreeSet<(String, usize)>,
}

/// Something in the tree that a promotion refuses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fault {
    pub kind: FaultKind,
    pub refusal: Refusal,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// A file or a reference that can't be read.
    Unreadable,
    /// What looks like a reference, and is none that is known.
    Unclaimed,
    /// An owned reference without a digest.
    Unpinned,
    /// Two digests that want one name.
    Collision,
    /// What a gzip copy alone refers to.
    Copy,
    /// A tag that can't be rewritten, or none at all.
    Rewrite,
    /// A candidate is named where the rewrite doesn't reach.
    Survivor,
}

/// Surveys a tree. Everything that can be found is found, whatever else is wrong; a place is
/// faulted once.
pub fn survey(tree: &dyn Tree, spec: &Spec, rc: Option<&Rc>) -> Survey {
    let mut survey = Survey::default();
    let mut unreadable = Vec::new();
    match refs::read(tree, spec, rc) {
        Ok(references) => survey.references = references,
        Err(error) => (survey.references, unreadable) = (*error.references, error.problems),
    }
    survey.notices = survey.references.notices.iter().map(ToString::to_string).collect();
    survey.add(FaultKind::Unreadable, &unreadable);
    match refs::census(tree, spec) {
        Ok(census) => {
            let unused = census.unused.iter();
            survey.notices.extend(unused.map(|e| format!("the exclusion of {} explains nothing", e.path)));
        }
        // The census repeats what can't be read.
        Err(error) => survey.add(FaultKind::Unclaimed, &error.problems),
    }
    let Some(rc) = rc else { return survey };
    let (images, faults) = destinations::images(spec, &survey.references.occurrences, rc);
    survey.images = images;
    survey.faults.extend(faults);
    if unreadable.is_empty() {
        match refs::edits(tree, spec, rc) {
            Ok(rewrite) => {
                survey.survivors(tree, spec, &rewrite);
                survey.rewrite = Some(rewrite);
            }
            Err(RewriteError::References(error)) => survey.add(FaultKind::Unreadable, &error.problems),
            Err(RewriteError::Edits(problems)) => survey.add(FaultKind::Rewrite, &problems),
            Err(RewriteError::Survivors(problems)) => survey.add(FaultKind::Survivor, &problems),
            Err(nothing @ RewriteError::Nothing { .. }) => {
                let refusal = Refusal::new(Code::NothingToRewrite, nothing.to_string())
                    .hint("name the candidate whose tags the tree carries: sealift refs list shows them");
                survey.faults.push(Fault { kind: FaultKind::Rewrite, refusal });
            }
        }
    }
    survey
}

impl Survey {
    /// What the proof of the artifact would refuse after the first write (contract §5, rule 2).
    fn survivors(&mut self, tree: &dyn Tree, spec: &Spec, rewrite: &Rewrite) {
        match refs::survivors_of(&refs::edited(tree, &rewrite.files), spec, &rewrite.rc.stable) {
            Ok(left) => self.add(FaultKind::Survivor, &left),
            Err(problems) => self.add(FaultKind::Unreadable, &problems),
        }
    }

    fn add(&mut self, kind: FaultKind, problems: &[Problem]) {
        let place = |problem: &&Problem| (problem.file.clone(), problem.line);
        let new: Vec<&Problem> = problems.iter().filter(|problem| !self.seen.contains(&place(problem))).collect();
        self.seen.extend(new.iter().map(place));
        self.faults.extend(new.into_iter().map(|found| Fault { kind, refusal: problem(found) }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refs::{Class, Pair};
    use crate::tree::MemTree;

    const VALUES: &str = "packages/a/b/values.yaml";

    fn spec() -> Spec {
        Spec {
            root: "packages".into(),
            owned: vec!["ghcr.io/org/own".parse().unwrap()],
            artifact: "ghcr.io/org/own/packages".parse().unwrap(),
            pair: Pair { url: "sourceUrl".into(), reference: "sourceRef".into() },
            tag_prefixes: Vec::new(),
            values: vec!["*/*/values.yaml".into()],
            tag_files: Vec::new(),
            text: Vec::new(),
            gzip: Vec::new(),
            exclude: Vec::new(),
        }
    }

    fn of(text: &str, rc: Option<&str>) -> Survey {
        let mut tree = MemTree::new("test");
        tree.put(VALUES, 0o644, text);
        survey(&tree, &spec(), rc.map(|rc| rc.parse().unwrap()).as_ref())
    }

    fn image(name: &str, tag: &str, digit: char) -> String {
        format!("ghcr.io/org/own/{name}:{tag}@sha256:{}", digit.to_string().repeat(64))
    }

    fn kinds(survey: &Survey) -> Vec<FaultKind> {
        survey.faults.iter().map(|fault| fault.kind).collect()
    }

    #[test]
    fn a_tree_in_order_has_a_rewrite_and_no_fault() {
        let text = format!("a: {}\nb: {}\n", image("a", "v1.6.2-rc.1", '1'), image("b", "v0.1.0", '2'));
        let found = of(&text, Some("1.6.2-rc.1"));
        assert_eq!(kinds(&found), []);
        assert_eq!(found.rewrite.as_ref().unwrap().lines(), 1);
        assert_eq!(found.images.len(), 2);
        // Without a candidate nothing is rewritten and no name is known; the rest is read all the same.
        let found = of(&text, None);
        assert!(kinds(&found).is_empty() && found.rewrite.is_none() && found.images.is_empty());
        assert_eq!(found.references.occurrences.iter().filter(|o| o.class == Class::VersionLine).count(), 1);
    }

    #[test]
    fn every_fault_is_found_beside_the_others_and_each_place_once() {
        let (a, b) = (image("a", "v1.6.2-rc.1", '1'), image("a", "v1.6.2-rc.1", '2'));
        let stray = "3".repeat(64);
        let text = format!("a: {a}\nb: {b}\nc: ghcr.io/org/own/c:v1.6.2-rc.1\nd: sha256:{stray}\n");
        let mut tree = MemTree::new("test");
        tree.put(VALUES, 0o644, text).put("packages/a/b/x.tpl", 0o644, "{{ .h }}/org/own/a:v1.6.2-rc.1\n");
        tree.put("packages/a/c/values.yaml", 0o644, image("z", "v1.6.2-rc.1", '4'));
        // An undeclared file that names the candidate is unclaimed and a survivor: it is told once.
        tree.put("packages/a/b/notes.txt", 0o644, format!("see {a}\n"));
        let found = survey(&tree, &spec(), Some(&"1.6.2-rc.1".parse().unwrap()));
        let expected = [
            FaultKind::Unclaimed,
            FaultKind::Unclaimed,
            FaultKind::Unpinned,
            FaultKind::Collision,
            FaultKind::Survivor,
        ];
        assert_eq!(kinds(&found), expected, "{:#?}", found.faults);
        assert_eq!(found.images.len(), 1, "what collides has no name");
        assert!(found.rewrite.is_some());
    }

    #[test]
    fn what_can_t_be_read_is_told_once_and_rewrites_nothing() {
        let found = of("a: [\n", Some("1.6.2-rc.1"));
        assert!(kinds(&found).iter().all(|kind| *kind == FaultKind::Unreadable) && !found.faults.is_empty());
        assert!(found.rewrite.is_none());
        let found = of(&format!("a: {}\n", image("a", "v1.6.2", '1')), Some("1.6.2-rc.1"));
        assert_eq!(kinds(&found), [FaultKind::Rewrite]);
        assert!(found.faults[0].refusal.message.contains("nothing to rewrite"));
    }
}
