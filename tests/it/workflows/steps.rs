//! Single steps, run as a runner runs them: where the pipeline is found, who is given GitHub's token,
//! and what makes a run red.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::{PIPELINE, expressions, run, text, workflow};
use crate::support::sandbox::Sandbox;

/// A pull request from a fork gets no variable of the repository: whatever hangs on one has a default.
#[test]
fn what_runs_for_a_fork_needs_no_variable() {
    for (name, steps) in [("preview", 1), ("lint", 2)] {
        let workflow = workflow(&format!("{name}.yml"));
        let of_variables: Vec<&str> =
            expressions(&workflow.source).into_iter().filter(|text| text.contains("vars.")).collect();
        assert_eq!(of_variables, [PIPELINE.trim_matches(['$', '{', '}', ' '])]);
        assert_eq!(workflow.yaml["env"]["SEALIFT_PIPELINE"].as_str(), Some(PIPELINE));
        let job = workflow.job(name);
        assert!(job.yaml["if"].is_null(), "the job starts for everybody");
        let conditions: Vec<&str> = job.steps().iter().filter_map(|step| step["if"].as_str()).collect();
        assert_eq!(conditions, vec!["steps.pipeline.outputs.there == 'true'"; steps]);
        // What decides is the file on the base.
        let sandbox = Sandbox::new();
        let look = || run(&sandbox, job.step("Find the pipeline"), &[("SEALIFT_PIPELINE", ".github/sealift.yaml")]);
        let said =
            format!("::notice title={name}::.github/sealift.yaml is not on the base: there is nothing to {name}\n");
        assert_eq!(look(), (true, said, String::new()));
        sandbox.write(&sandbox.path("home"), ".github/sealift.yaml", "name: x\n");
        assert_eq!(look(), (true, String::new(), "there=true\n".to_owned()));
    }
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

#[test]
fn a_proposal_that_lacks_its_files_is_red() {
    let promote = workflow("promote.yml");
    let propose = promote.job("propose");
    let step = propose.step("Fail without the assets");
    assert_eq!(step["if"].as_str(), Some("steps.propose.outputs.waiting-for == 'assets'"));
    assert_eq!(propose.step("Promote until the merge")["id"].as_str(), Some("propose"));
    let (went_well, said, _) = run(&Sandbox::new(), step, &[]);
    assert!(
        !went_well && said.starts_with("::error title=promote::") && said.contains(".github/sealift-assets"),
        "{said}"
    );
    // The stage's own word for it.
    assert!(text("src/stage/assets.rs").contains("Plan::wait(\"assets\""));
}

#[test]
fn githubs_token_goes_to_githubs_registry_alone() {
    let logins = [("promote.yml", "pin"), ("promote.yml", "propose"), ("finalize.yml", "finalize")];
    let mut scripts = BTreeSet::new();
    for (file, job) in logins {
        let found = workflow(file);
        let step = found.job(job).step("Log in to the registry").clone();
        let env = &step["env"];
        assert_eq!(env["REGISTRY"].as_str(), Some("${{ vars.SEALIFT_REGISTRY || 'ghcr.io' }}"));
        assert_eq!(env["PASSWORD"].as_str(), Some("${{ secrets.SEALIFT_REGISTRY_PASSWORD }}"));
        assert_eq!(env["TOKEN"].as_str(), Some("${{ github.token }}"));
        assert_eq!(found.source.matches("github.token").count(), found.source.matches("docker login").count());
        let sandbox = Sandbox::new();
        let docker = "#!/bin/sh\nprintf '%s ' \"$@\"\nprintf 'password='\ncat\n";
        sandbox.write(&sandbox.path("bin"), "docker", docker);
        fs::set_permissions(sandbox.path("bin/docker"), PermissionsExt::from_mode(0o755)).unwrap();
        let path = format!("{}:{}", sandbox.path("bin").display(), std::env::var("PATH").unwrap());
        let login = |registry, password| {
            let env = [("REGISTRY", registry), ("REGISTRY_USER", "u"), ("PASSWORD", password), ("TOKEN", "ghs_t")];
            let (went_well, said, _) = run(&sandbox, &step, &[&env[..], &[("PATH", &path)]].concat());
            (went_well, said)
        };
        let with = |registry: &str, password: &str| {
            (true, format!("login {registry} --username u --password-stdin password={password}"))
        };
        assert_eq!(login("ghcr.io", ""), with("ghcr.io", "ghs_t"));
        assert_eq!(login("ghcr.io", "p"), with("ghcr.io", "p"));
        assert_eq!(login("registry.example", "p"), with("registry.example", "p"));
        for elsewhere in ["registry.example", "ghcr.io.example", "GHCR.IO.", "https://ghcr.io", ""] {
            let (went_well, said) = login(elsewhere, "");
            assert!(!went_well && said.contains("set the secret SEALIFT_REGISTRY_PASSWORD"), "{elsewhere}: {said}");
            assert!(!said.contains("ghs_t"), "{elsewhere}: {said}");
        }
        scripts.insert(step["run"].as_str().unwrap().to_owned());
    }
    assert_eq!(scripts.len(), 1, "one script in three places");
}
