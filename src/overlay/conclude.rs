//! The conclusion: what the verdicts on files come to, and whether anything may be written.

use std::collections::BTreeMap;

use super::compare::Compared;
use super::verdict::{FileVerdict, Overlay, Package};
use super::{IfDrift, IfMissing, Request};
use crate::model::{Code, Refusal};
use crate::refs::{Problem, ProblemKind};
use crate::tree::{TreePath, show};

impl Compared<'_> {
    /// A gzip copy and its plain source are taken together or not at all.
    fn hold_together(&mut self) {
        for copy in &self.spec.gzip {
            let [copy, plain] = [&copy.path, &copy.plain].map(|path| self.spec.in_repository(path));
            for (file, other) in [(&copy, &plain), (&plain, &copy)] {
                let stays = match self.verdicts.get(other) {
                    Some((_, verdict)) => !matches!(verdict, FileVerdict::Equal { .. } | FileVerdict::Taken { .. }),
                    None => self.here.files.iter().any(|found| found.path == *other),
                };
                let held = self.verdicts.get_mut(file).filter(|_| stays);
                if let Some((_, verdict @ FileVerdict::Taken { .. })) = held {
                    *verdict = FileVerdict::Held { with: other.clone() };
                    self.edits.retain(|edit| edit.path != *file);
                }
            }
        }
    }

    pub(super) fn conclude(mut self) -> Overlay {
        self.hold_together();
        self.refuse();
        let notes = self.notes();
        let mut files: BTreeMap<TreePath, BTreeMap<String, FileVerdict>> = BTreeMap::new();
        for (file, (package, verdict)) in self.verdicts {
            files.entry(package).or_default().insert(file, verdict);
        }
        let left_out = self.left_out.into_iter().map(|(path, mark)| Package::left_out(show(&path), mark));
        let compared = files.into_iter().map(|(path, files)| Package::compared(show(&path), files));
        let mut packages: Vec<Package> = left_out.chain(compared).collect();
        packages.sort_by(|a, b| a.path.cmp(&b.path));
        let edits = if self.refusals.is_empty() { self.edits } else { Vec::new() };
        Overlay { packages, edits, refusals: self.refusals, notes }
    }

    /// What the request says must not be.
    fn refuse(&mut self) {
        let Request { if_missing, if_drift, .. } = self.request;
        let missing: Vec<String> = self
            .verdicts
            .iter()
            .filter_map(|(file, (_, verdict))| match verdict {
                FileVerdict::Missing { why } => Some(format!("{}: {why}", show(file.as_bytes()))),
                _ => None,
            })
            .collect();
        if !missing.is_empty() && *if_missing == IfMissing::Refuse {
            self.refusals.push(
                Refusal::new(Code::SourceIncomplete, "the source lacks what is to be taken from it")
                    .at(missing)
                    .hint("name the tree that is current; `--if-missing skip` lets such files keep their references"),
            );
        }
        let drifted: Vec<String> = self
            .verdicts
            .iter()
            .filter(|(_, (_, verdict))| verdict.leaves_behind())
            .map(|(file, (_, verdict))| match verdict {
                FileVerdict::Drift(drift) => format!("{}:{}", show(file.as_bytes()), drift.line),
                _ => show(file.as_bytes()),
            })
            .collect();
        if !drifted.is_empty() && *if_drift == IfDrift::Refuse {
            self.refusals.push(
                Refusal::new(
                    Code::FilesDiffer,
                    "files differ from the source's in more than references, and would keep theirs",
                )
                .at(drifted)
                .hint("bring the change up to date with the tree that is current"),
            );
        }
    }

    fn notes(&self) -> Vec<Problem> {
        let note =
            |file: String, message: &str, help: &str| Problem::whole(file, message, help).kind(ProblemKind::Notice);
        let gone = "take it out of the pipeline if it is gone";
        let missing = self.here.missing.iter().map(|path| note(path.clone(), "declared, and not in the tree", gone));
        let unused = self
            .packages
            .unused()
            .map(|skip| note(skip.path.clone(), "declared in `overlay.skip`, and no package of the tree", gone));
        self.here.skipped.iter().cloned().chain(missing).chain(unused).collect()
    }
}
