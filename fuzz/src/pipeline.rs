//! The pipeline loader: any text is a pipeline or a list of problems, each at a place of the text.

use sealift::pipeline::{self, PipelineError};

pub fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match pipeline::parse("fuzzed.yaml", text) {
        Ok(pipeline) => {
            assert!(!pipeline.name.is_empty());
            let _ = pipeline.spec();
        }
        Err(PipelineError::Invalid { problems }) => {
            assert!(!problems.is_empty(), "refused without a reason");
            let lines = text.split('\n').count();
            for problem in &problems {
                assert!((1..=lines).contains(&problem.line), "line {} of {lines}: {problem}", problem.line);
                assert!(problem.column >= 1, "{problem}");
            }
        }
        Err(other) => panic!("{other}"),
    }
}
