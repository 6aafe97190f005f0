//! Single steps, run as a runner runs them: where the pipeline is found, who is given GitHub's token,
//! and what makes a run red.

use super::{PIPELINE, expressions, run, workflow};
use crate::support::sandbox::Sandbox;

#[test]
fn the_preview_of_a_fork_needs_no_variable() {
    let preview = workflow("preview.yml");
    let of_variables: Vec<&str> =
        expressions(&preview.source).into_iter().filter(|text| text.contains("vars.")).collect();
    assert_eq!(of_variables, [PIPELINE.trim_matches(['$', '{', '}', ' '])]);
    assert_eq!(preview.yaml["env"]["SEALIFT_PIPELINE"].as_str(), Some(PIPELINE));
    let job = preview.job("preview");
    assert!(job.yaml["if"].is_null(), "the job starts for everybody");
    let conditions: Vec<&str> = job.steps().iter().filter_map(|step| step["if"].as_str()).collect();
    assert_eq!(conditions, ["steps.pipeline.outputs.there == 'true'"]);
    // What decides is the file on the base.
    let sandbox = Sandbox::new();
    let look = || run(&sandbox, job.step("Find the pipeline"), &[("SEALIFT_PIPELINE", ".github/sealift.yaml")]);
    let said = "::notice title=preview::.github/sealift.yaml is not on the base: there is nothing to preview\n";
    assert_eq!(look(), (true, said.to_owned(), String::new()));
    sandbox.write(&sandbox.path("home"), ".github/sealift.yaml", "name: x\n");
    assert_eq!(look(), (true, String::new(), "there=true\n".to_owned()));
}

#[test]
fn a_base_without_the_pipeline_finalizes_nothing_and_says_so() {
    let finalize = workflow("finalize.yml");
    let job = finalize.job("finalize");
    let conditions: Vec<&str> = job.steps().iter().filter_map(|step| step["if"].as_str()).collect();
    assert_eq!(conditions, ["steps.pipeline.outputs.there == 'true'"; 2]);
    let sandbox = Sandbox::new();
    let look =
        |number| run(&sandbox, job.step("Find the pipeline"), &[("SEALIFT_PIPELINE", "p.yaml"), ("NUMBER", number)]);
    let said = "::warning title=finalize::p.yaml is not on the base: no release is finalized\n";
    assert_eq!(look("7"), (true, said.to_owned(), String::new()));
    let said = "::error title=finalize::p.yaml is not on this branch\n";
    assert_eq!(look(""), (false, said.to_owned(), String::new()));
    sandbox.write(&sandbox.path("home"), "p.yaml", "name: x\n");
    assert_eq!(look("7"), (true, String::new(), "there=true\n".to_owned()));
}
