//! What the workflows promise: permissions as the table in the docs says, actions pinned, no input
//! read as shell, pull requests never trusted.

use std::collections::{BTreeMap, BTreeSet};

use serde_yaml::Value;

use super::{expressions, run, text, workflows};
use crate::support::sandbox::Sandbox;

type Permissions = BTreeSet<(String, String, String)>;

/// Rows of the table of permissions: workflow, job, permission; and none without its reason.
fn table(page: &str) -> Permissions {
    let (_, rows) = page.split_once("| workflow | job | permission | why |\n").expect("the table of permissions");
    let rows = rows.lines().skip(1).take_while(|line| line.starts_with('|'));
    let mut found = Permissions::new();
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('`')).collect();
        let [workflow, job, permission, why] = cells[..] else { panic!("not four cells: {row}") };
        assert!(why.len() > 10, "no reason: {row}");
        assert!(found.insert((workflow.into(), job.into(), permission.into())), "twice: {row}");
    }
    found
}

/// What a workflow gives its jobs; none, where it gives nothing.
fn given(workflow: &str, yaml: &Value) -> Permissions {
    assert!(yaml["permissions"].as_mapping().is_some_and(|map| map.is_empty()), "{workflow}: top-level permissions");
    let mut found = Permissions::new();
    for (job, yaml) in yaml["jobs"].as_mapping().unwrap() {
        let job = job.as_str().unwrap();
        let permissions =
            yaml["permissions"].as_mapping().unwrap_or_else(|| panic!("{workflow}: {job}: no permissions"));
        let mut add = |permission: String| found.insert((workflow.to_owned(), job.to_owned(), permission));
        if permissions.is_empty() {
            add("none".into());
        }
        for (scope, level) in permissions {
            add(format!("{}: {}", scope.as_str().unwrap(), level.as_str().unwrap()));
        }
    }
    found
}

#[test]
fn permissions_are_those_of_the_table() {
    let given: Permissions = workflows().iter().flat_map(|workflow| given(&workflow.name, &workflow.yaml)).collect();
    assert_eq!(table(&text("docs/adopt.md")), given);
}

#[test]
fn a_permission_that_is_not_in_the_table_is_found() {
    let yaml = "permissions: {}\njobs:\n  a:\n    permissions: {}\n  b:\n    permissions:\n      contents: write\n";
    let given = given("x.yml", &serde_yaml::from_str(yaml).unwrap());
    let row = |job: &str, permission: &str| format!("| `x.yml` | {job} | `{permission}` | so that it can |\n");
    let page = |rows: String| format!("x\n| workflow | job | permission | why |\n| --- | --- | --- | --- |\n{rows}\n");
    assert_eq!(table(&page(row("a", "none") + &row("b", "contents: write"))), given);
    assert_ne!(table(&page(row("a", "none") + &row("b", "contents: read"))), given);
    assert_ne!(table(&page(row("b", "contents: write"))), given);
    for bad in ["permissions: read-all\njobs: {}\n", "jobs: {}\n", "permissions: {}\njobs:\n  a:\n    steps: []\n"] {
        let yaml: Value = serde_yaml::from_str(bad).unwrap();
        assert!(std::panic::catch_unwind(|| super::promises::given("x.yml", &yaml)).is_err(), "{bad}");
    }
}

/// `uses:` lines that are neither local nor pinned by a commit with its version beside it.
fn unpinned(source: &str, pins: &mut BTreeMap<String, String>) -> Vec<String> {
    let uses = source.lines().filter_map(|line| line.trim().trim_start_matches("- ").strip_prefix("uses: "));
    let pinned = |uses: &str, pins: &mut BTreeMap<String, String>| {
        let (action, rest) = uses.split_once('@')?;
        let (commit, version) = rest.split_once(" # v")?;
        let hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
        let good = commit.len() == 40 && commit.chars().all(hex) && version.split('.').count() == 3;
        let first = pins.entry(action.to_owned()).or_insert_with(|| rest.to_owned());
        (good && first == rest).then_some(())
    };
    uses.filter(|uses| !uses.starts_with("./") && pinned(uses, pins).is_none()).map(str::to_owned).collect()
}

#[test]
fn actions_are_pinned_by_commit_and_few() {
    let mut pins = BTreeMap::new();
    for workflow in workflows() {
        let unpinned = unpinned(&workflow.source, &mut pins);
        assert!(unpinned.is_empty(), "{}: {unpinned:?}", workflow.name);
    }
    let few = ["actions/checkout", "actions/download-artifact", "actions/upload-artifact"];
    assert_eq!(pins.keys().collect::<Vec<_>>(), few);
    assert!(!text(".github/actions/sealift/action.yml").contains("uses:"));
    let commit = "3d3c42e5aac5ba805825da76410c181273ba90b1";
    for bad in ["a/b@v4", "a/b@main # v1.2.3", &format!("a/b@{commit}"), &format!("a/b@{} # v1.2.3", &commit[1..])] {
        assert_eq!(unpinned(&format!("      - uses: {bad}\n"), &mut BTreeMap::new()), [bad]);
    }
    let twice = format!("uses: a/b@{commit} # v1.2.3\nuses: a/b@{commit} # v1.2.4\n");
    assert_eq!(unpinned(&twice, &mut BTreeMap::new()).len(), 1);
}

#[test]
fn nothing_from_outside_is_read_as_shell() {
    let action: Value = serde_yaml::from_str(&text(".github/actions/sealift/action.yml")).unwrap();
    let mut scripts = 0;
    let mut look = |steps: &[Value]| {
        for run in steps.iter().filter_map(|step| step["run"].as_str()) {
            scripts += 1;
            assert!(expressions(run).is_empty(), "an expression in a script:\n{run}");
            assert!(!run.contains("eval "), "{run}");
        }
    };
    look(action["runs"]["steps"].as_sequence().unwrap());
    for workflow in workflows() {
        workflow.jobs().iter().for_each(|job| look(job.steps()));
    }
    assert!(scripts >= 10, "{scripts}");
}

#[test]
fn checkouts_leave_no_credentials_and_pull_requests_are_data() {
    for workflow in workflows() {
        assert!(workflow.yaml["on"].get("pull_request_target").is_none(), "{}", workflow.name);
        for job in workflow.jobs() {
            for step in
                job.steps().iter().filter(|step| step["uses"].as_str().is_some_and(|uses| uses.contains("checkout")))
            {
                assert_eq!(
                    step["with"]["persist-credentials"].as_bool(),
                    Some(false),
                    "{}: {}",
                    workflow.name,
                    job.name
                );
            }
        }
    }
    // The preview checks out the base alone, and knows no secret.
    let preview = super::workflow("preview.yml");
    let refs: Vec<_> = preview.job("preview").steps().iter().filter_map(|step| step["with"]["ref"].as_str()).collect();
    assert_eq!(refs, ["${{ github.event.pull_request.base.ref }}"], "the base as it is now");
    assert!(!preview.source.contains("secrets.") && !preview.source.contains("environment:"));
    // So does lint; what it looks at lies apart, and nothing of it is run.
    let lint = super::workflow("lint.yml");
    let steps = lint.job("lint").steps();
    let checkouts: Vec<_> = steps.iter().filter(|step| !step["with"]["persist-credentials"].is_null()).collect();
    let at = |key: &str| checkouts.iter().map(|step| step["with"][key].as_str()).collect::<Vec<_>>();
    assert_eq!(at("ref"), [Some("${{ github.event.pull_request.base.ref }}"), None]);
    assert_eq!(at("path"), [None, Some("change")]);
    assert!(!lint.source.contains("secrets.") && !lint.source.contains("environment:"));
    assert!(steps.iter().filter_map(|step| step["run"].as_str()).all(|script| !script.contains("change")));
    // What a finalization trusts is the base, too.
    let finalize = super::workflow("finalize.yml");
    let refs: Vec<_> =
        finalize.job("finalize").steps().iter().filter_map(|step| step["with"]["ref"].as_str()).collect();
    assert_eq!(refs, ["${{ github.event.pull_request.base.ref || github.ref }}"]);
    let condition = finalize.job("lane").yaml["if"].as_str().unwrap().to_owned();
    assert!(condition.contains("github.event.pull_request.head.repo.full_name == github.repository"), "{condition}");
}

#[test]
fn the_projects_own_build_sees_no_credentials() {
    let promote = super::workflow("promote.yml");
    let job = promote.job("assets");
    let source = serde_yaml::to_string(job.yaml).unwrap();
    for word in ["secrets.", "github.token", "docker login", "environment:", "actions/sealift", ": write"] {
        assert!(!source.contains(word), "{word}");
    }
    assert!(job.yaml["env"].is_null());
}

#[test]
fn a_lane_is_never_cancelled() {
    for (name, jobs) in [("promote.yml", &["pin", "propose"][..]), ("finalize.yml", &["finalize"])] {
        let workflow = super::workflow(name);
        assert!(workflow.yaml["concurrency"].is_null());
        // The jobs that have credentials are the ones that take turns.
        let with_credentials = workflow.jobs().into_iter().filter(|job| !job.yaml["environment"].is_null());
        assert_eq!(with_credentials.map(|job| job.name.to_owned()).collect::<Vec<_>>(), jobs);
        for job in jobs.iter().map(|job| workflow.job(job)) {
            let lane = &job.yaml["concurrency"];
            assert!(lane["group"].as_str().unwrap().contains("${{ needs.lane.outputs."), "{name}: {}", job.name);
            assert_eq!(lane["cancel-in-progress"].as_bool(), Some(false));
            assert_eq!(lane["queue"].as_str(), Some("max"));
        }
    }
}

/// The commit that files are built from is the one that sealift names, and that it records with them.
#[test]
fn what_is_built_is_the_pin() {
    let promote = super::workflow("promote.yml");
    let (pin, assets) = (promote.job("pin"), promote.job("assets"));
    let step = pin.steps().iter().find(|step| step["id"].as_str() == Some("pin")).unwrap();
    assert_eq!(step["uses"].as_str(), Some("./.github/actions/sealift"));
    assert!(step["with"]["args"].as_str().unwrap().lines().any(|line| line == "--until=pin"));
    let action: Value = serde_yaml::from_str(&text(".github/actions/sealift/action.yml")).unwrap();
    assert_eq!(action["outputs"]["pin-commit"]["value"].as_str(), Some("${{ steps.run.outputs.pin-commit }}"));
    assert_eq!(pin.yaml["outputs"]["commit"].as_str(), Some("${{ steps.pin.outputs.pin-commit }}"));
    let refs: Vec<_> = assets.steps().iter().filter_map(|step| step["with"]["ref"].as_str()).collect();
    assert_eq!(refs, ["${{ needs.pin.outputs.commit }}"]);
    // An empty ref would be the default branch.
    assert_eq!(assets.yaml["if"].as_str(), Some("needs.pin.outputs.commit != ''"));
    // No name of a branch is guessed: pipelines say them.
    assert!(!promote.source.contains("refs/heads/"), "a branch is named");
    let said = run(&Sandbox::new(), pin.step("Say that there is no pin"), &[("STATE", "waiting")]);
    assert!(said.0 && said.1.starts_with("::notice title=promote::nothing is pinned (waiting): "), "{said:?}");
}

#[test]
fn the_action_passes_on_what_sealift_tells_later_steps() {
    let action: Value = serde_yaml::from_str(&text(".github/actions/sealift/action.yml")).unwrap();
    let outputs = action["outputs"].as_mapping().unwrap();
    let names: Vec<&str> = outputs.keys().map(|name| name.as_str().unwrap()).collect();
    for (name, output) in names.iter().zip(outputs.values()) {
        assert_eq!(output["value"].as_str(), Some(format!("${{{{ steps.run.outputs.{name} }}}}").as_str()));
    }
    let own = ["seal", "staging-branch", "pin-commit", "waiting-for", "pull-request"];
    assert_eq!(names, [&["state", "exit-code"][..], &own].concat());
    let (source, page) = (text("src/report/outputs.rs"), text("docs/adopt.md"));
    for name in own {
        assert!(source.contains(&format!("/// - `{name}`: ")), "{name} is not sealift's");
        assert!(page.contains(&format!("| `{name}` |")), "{name} is not documented");
    }
}
