//! The scripts that find a run's lane, run as a runner runs them.

use std::fs;

use super::workflow;
use crate::support::sandbox::Sandbox;

/// Runs a lane's script; its outputs, or what it says when it refuses.
fn lane(file: &str, env: &[(&str, &str)]) -> Result<String, String> {
    let sandbox = Sandbox::new();
    let (script, outputs) = (sandbox.path("script"), sandbox.path("outputs"));
    fs::write(&script, workflow(file).job("lane").script("lane")).unwrap();
    let mut command = sandbox.command("bash", &sandbox.path("home"));
    // As GitHub runs `shell: bash` by default on Linux.
    command.args(["-e"]).arg(&script).env("GITHUB_OUTPUT", &outputs).env("SEALIFT_PIPELINE", "p.yaml");
    let output = command.envs(env.iter().copied()).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    match output.status.success() {
        true => Ok(fs::read_to_string(&outputs).unwrap()),
        false => {
            assert!(!outputs.exists(), "{said}");
            Err(said)
        }
    }
}

#[test]
fn candidates_of_a_version_share_its_lane() {
    let promote = |candidate| lane("promote.yml", &[("CANDIDATE", candidate), ("REASON", "")]);
    for (candidate, version) in [("v1.6.2-rc.1", "1.6.2"), ("v1.6.2-rc.12", "1.6.2"), ("1.60.2-rc.1", "1.60.2")] {
        assert_eq!(promote(candidate).unwrap(), format!("candidate={candidate}\nversion={version}\n"));
    }
    for bad in ["", "v1.6.2", "v1.6-rc.1", "main", "v1.6.2-rc.1\nversion=x", "v1.6.2-rc.1 --force", "$(id)-rc.1", "-h"]
    {
        let said = promote(bad).unwrap_err();
        assert_eq!(said, "::error title=promote::candidate is no vX.Y.Z-rc.N\n", "{bad}");
    }
}

#[test]
fn a_reason_is_one_argument() {
    let promote = |reason| lane("promote.yml", &[("CANDIDATE", "v1.6.2-rc.1"), ("REASON", reason)]);
    assert!(promote("the runners are down; see #12 \"x\" $(id)").is_ok());
    for bad in ["a\n--registry=x", "a\r\nb", "\n"] {
        assert_eq!(promote(bad).unwrap_err(), "::error title=promote::skip-evidence has more than one line\n");
    }
}

#[test]
fn a_merge_and_a_hand_share_the_lane_of_a_version() {
    let finalize =
        |version, branch, number| lane("finalize.yml", &[("VERSION", version), ("BRANCH", branch), ("NUMBER", number)]);
    let merged = finalize("", "release-1.6.2", "7").unwrap();
    assert_eq!(merged, "lane=1.6.2\nversion=\n");
    assert_eq!(finalize("v1.6.2", "", "").unwrap(), "lane=1.6.2\nversion=v1.6.2\n");
    assert_eq!(finalize("1.6.2", "", "").unwrap(), "lane=1.6.2\nversion=1.6.2\n");
    assert_eq!(finalize("v1.6.2-rc.3", "", "").unwrap(), "lane=1.6.2\nversion=v1.6.2-rc.3\n");
    // Whether it is a release's is sealift's to say.
    assert_eq!(finalize("", "fix\"; id; \"", "8").unwrap(), "lane=pull-request-8\nversion=\n");
    for bad in ["", "1.6", "v1.6.2\nlane=x", "v1.6.2 --force", "--help"] {
        assert_eq!(finalize(bad, "", "").unwrap_err(), "::error title=finalize::version is no vX.Y.Z\n", "{bad}");
    }
}

#[test]
fn a_missing_pipeline_is_said() {
    for (file, env) in [
        ("promote.yml", [("CANDIDATE", "v1.6.2-rc.1"), ("REASON", ""), ("SEALIFT_PIPELINE", "")]),
        ("finalize.yml", [("VERSION", "v1.6.2"), ("NUMBER", ""), ("SEALIFT_PIPELINE", "")]),
    ] {
        assert!(lane(file, &env).unwrap_err().contains("SEALIFT_PIPELINE is not set"));
    }
}
