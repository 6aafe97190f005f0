//! What lint found, on the lines at fault.

use super::{counts, human::named, looked_at, verdict};
use crate::lint::{Finding, Level, Lint, Verdict};
use crate::report::annotations::{Annotations, MOST, Place};
use crate::report::text::count;

impl Annotations {
    pub(in crate::report) fn lint(&self, lint: &Lint) {
        for finding in lint.findings.iter().take(MOST) {
            self.found(finding);
        }
        if lint.findings.len() > MOST {
            let message = format!("{} in all: the report has them", count(lint.findings.len(), "finding"));
            self.write("notice", "sealift lint", None, &message);
        }
        let level = if lint.verdict == Verdict::Clean { "notice" } else { "error" };
        let message = format!("{}: {} ({})", verdict(lint), counts(lint), looked_at(lint));
        self.write(level, "sealift lint", None, &message);
    }

    fn found(&self, finding: &Finding) {
        let level = match finding.level {
            Level::Unknown | Level::Error => "error",
            Level::Warning => "warning",
            Level::Info => "notice",
        };
        let place = &finding.place;
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let at = Place { file: &place.file, line: number(place.line.max(1)), col: Some(number(place.column.max(1))) };
        let mut message = vec![finding.message.clone()];
        let related = finding.related.iter().take(MOST);
        message.extend(related.map(|related| format!("also {}: {}", named(&related.place), related.message)));
        message.push(format!("hint: {}", finding.hint));
        self.write(level, &format!("sealift lint: {}", finding.rule), Some(at), &message.join("\n"));
    }
}
