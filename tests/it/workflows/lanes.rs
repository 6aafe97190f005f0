//! The scripts that find a run's lane, run as a runner runs them.

use super::{run, workflow};
use crate::support::sandbox::Sandbox;

/// Runs a lane's script; its outputs, or what it says when it refuses.
fn lane(file: &str, env: &[(&str, &str)]) -> Result<String, String> {
    let (went_well, said, outputs) = run(&Sandbox::new(), workflow(file).job("lane").step("Read the version"), env);
    if went_well {
        return Ok(said + &outputs);
    }
    assert_eq!(outputs, "", "{said}");
    Err(said)
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
    // A pipeline may put the version anywhere. Whether it is a release's is sealift's to say.
    assert_eq!(finalize("", "promote/v1.6.2/staging", "8").unwrap(), "lane=1.6.2\nversion=\n");
    for bad in ["", "1.6", "v1.6.2\nlane=x", "v1.6.2 --force", "--help"] {
        assert_eq!(finalize(bad, "", "").unwrap_err(), "::error title=finalize::version is no vX.Y.Z\n", "{bad}");
    }
}

#[test]
fn a_branch_without_a_version_never_reaches_the_environment() {
    let notice = "::notice title=finalize::the branch has no version in its name: this was no release\n";
    let merged = |branch| lane("finalize.yml", &[("VERSION", ""), ("BRANCH", branch), ("NUMBER", "8")]).unwrap();
    for branch in ["main", "release-1.6", "fix\"; id; \""] {
        assert_eq!(merged(branch), notice, "{branch}");
    }
    // A ref's name has no line break; if it had, the version in it would be the lane, and no more.
    assert_eq!(merged("topic\nversion=x\n1.6.2x"), "lane=1.6.2\nversion=\n");
    let finalize = workflow("finalize.yml");
    let job = finalize.job("finalize");
    assert_eq!(job.yaml["if"].as_str(), Some("needs.lane.outputs.lane != ''"));
    assert_eq!((job.yaml["needs"].as_str(), job.yaml["environment"].as_str()), (Some("lane"), Some("sealift")));
}
