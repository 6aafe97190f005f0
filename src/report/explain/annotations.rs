//! What a census refuses, on its lines.

use super::{looked_at, verdict};
use crate::explain::{Census, Completeness};
use crate::report::annotations::{Annotations, MOST, Place};
use crate::report::text::count;

impl Annotations {
    pub(in crate::report) fn census(&self, census: &Census) {
        let number = |n: usize| u32::try_from(n.max(1)).unwrap_or(u32::MAX);
        for problem in census.problems.iter().take(MOST) {
            let at = Place { file: &problem.file, line: number(problem.line), col: Some(number(problem.column)) };
            self.write("error", "sealift census", Some(at), &format!("{}\nhint: {}", problem.message, problem.help));
        }
        if census.problems.len() > MOST {
            let message = format!("{} in all: the report has them", count(census.problems.len(), "problem"));
            self.write("notice", "sealift census", None, &message);
        }
        let level = if census.verdict == Completeness::Complete { "notice" } else { "error" };
        self.write(level, "sealift census", None, &format!("{} ({})", verdict(census), looked_at(census)));
    }
}
