use serde_json::{Value, json};

use super::Fixture;
use crate::support::github::clock::{epoch, iso, within};
use crate::support::github::state::EPOCH;

const RUNS: &str = "actions/workflows/e2e.yaml/runs";

impl Fixture {
    fn runs(&self, query: &str) -> Vec<Value> {
        let reply = self.get(&format!("{RUNS}?{query}"));
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json()["workflow_runs"].as_array().unwrap().clone()
    }
}

#[test]
fn runs_are_filtered_newest_first() {
    let world = Fixture::new();
    let sha = world.rev("main");
    let (push, dispatch, failed) = {
        let mut state = world.fake.state();
        let push = state.add_run("e2e.yaml", "push", "v1.0.0-rc.1", &sha);
        let dispatch = state.add_run("e2e.yaml", "workflow_dispatch", "main", &"0".repeat(40));
        let failed = state.add_run("e2e.yaml", "push", "v1.0.0-rc.1", &sha);
        state.runs[2].conclusion = Some("failure".into());
        state.add_run("other.yaml", "push", "main", &sha);
        (push, dispatch, failed)
    };
    let ids = |query: &str| world.runs(query).iter().map(|run| run["id"].as_u64().unwrap()).collect::<Vec<_>>();
    assert_eq!(ids(""), [failed, dispatch, push]);
    assert_eq!(ids(&format!("event=push&head_sha={sha}")), [failed, push]);
    assert_eq!(
        (ids("branch=main"), ids("status=failure"), ids("status=success")),
        (vec![dispatch], vec![failed], vec![dispatch, push])
    );
    let from = iso(epoch(world.runs("branch=main")[0]["created_at"].as_str().unwrap()).unwrap());
    assert_eq!(ids(&format!("created=%3E%3D{from}")), [failed, dispatch]);
    assert_eq!(ids(&format!("created=%3E{from}")), [failed]);
    assert_eq!(ids(&format!("created=*..{from}")), [dispatch, push]);
    assert_eq!(ids("created=2001-01-01"), [] as [u64; 0]);
    assert_eq!(world.get(&format!("{RUNS}?created=yesterday")).status, 422);
    assert_eq!(world.get("actions/workflows/none.yaml/runs").status, 404);
    let by_id = world.get(&format!("actions/workflows/{}/runs", world.fake.state().workflows[0].id)).json();
    assert_eq!(by_id["total_count"], 3);
}

#[test]
fn what_github_says_may_be_null_is() {
    let world = Fixture::new();
    {
        let mut state = world.fake.state();
        let run = state.add_run("e2e.yaml", "push", "main", &"0".repeat(40));
        let known = &mut state.runs[0];
        (known.name, known.head_branch, known.conclusion, known.status) = (None, None, None, None);
        state.add_job(run, "e2e");
        (state.jobs[0].conclusion, state.jobs[0].completed_at, state.jobs[0].status) = (None, None, "queued".into());
    }
    let run = &world.runs("")[0];
    for key in ["name", "head_branch", "conclusion", "status", "head_commit"] {
        assert_eq!(run[key], Value::Null, "{key}");
    }
    let jobs = world.get(&format!("actions/runs/{}/jobs", run["id"])).json();
    for key in ["conclusion", "completed_at", "runner_name", "workflow_name", "head_branch"] {
        assert_eq!(jobs["jobs"][0][key], Value::Null, "{key}");
    }
}

#[test]
fn a_filtered_search_ends_at_the_cap() {
    let world = Fixture::new();
    assert_eq!(std::mem::replace(&mut world.fake.state().cap, 150), 1_000);
    for _ in 0..151 {
        world.fake.state().add_run("e2e.yaml", "push", "main", &"0".repeat(40));
    }
    let count = |query: &str| {
        let (mut count, mut next) = (0, Some(world.address(&format!("{RUNS}?per_page=100&{query}"))));
        let mut total = json!(0);
        while let Some(address) = next {
            let reply = world.get(&address);
            total = reply.json()["total_count"].clone();
            count += reply.json()["workflow_runs"].as_array().unwrap().len();
            next = reply.link("next");
        }
        (count, total)
    };
    assert_eq!(count(""), (151, json!(151)));
    assert_eq!(count("event=push"), (150, json!(150)));
    world.fake.state().count_past_cap = true;
    assert_eq!(count("event=push"), (150, json!(151)));
}

#[test]
fn jobs_are_those_of_the_latest_attempt() {
    let world = Fixture::new();
    let run = {
        let mut state = world.fake.state();
        let run = state.add_run("e2e.yaml", "push", "main", &"0".repeat(40));
        state.add_job(run, "e2e / first");
        state.add_job(run, "e2e / second");
        (state.runs[0].attempt, state.jobs[1].attempt) = (2, 2);
        run
    };
    let names = |query: &str| {
        let jobs = world.get(&format!("actions/runs/{run}/jobs?{query}")).json();
        assert_eq!(jobs["total_count"], jobs["jobs"].as_array().unwrap().len());
        jobs["jobs"].as_array().unwrap().iter().map(|job| job["name"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(names("filter=latest"), ["e2e / second"]);
    assert_eq!(names(""), ["e2e / second"]);
    assert_eq!(names("filter=all"), ["e2e / first", "e2e / second"]);
    assert_eq!(world.get("actions/runs/1/jobs").status, 404);
}

#[test]
fn moments_and_spans() {
    assert_eq!(iso(1_700_000_000), "2023-11-14T22:13:20Z");
    for moment in [0, 951_782_400, 1_709_164_800, EPOCH, 4_102_444_799] {
        assert_eq!(epoch(&iso(moment)), Some(moment));
    }
    assert_eq!(epoch("2023-11-15T00:13:20+02:00"), Some(1_700_000_000));
    for wrong in ["", "2023-13-01", "2023-1-1", "today", "2023-11-14T25:00:00Z", "2023-11-14T22:13"] {
        assert_eq!(epoch(wrong), None, "{wrong}");
    }
    let day = epoch("2023-11-14").unwrap();
    assert_eq!(
        [within("2023-11-14", day), within("2023-11-14", day + 86_399), within("2023-11-14", day + 86_400)],
        [Some(true), Some(true), Some(false)]
    );
    assert_eq!(
        [within("2023-11-13..2023-11-14", day + 5), within(">2023-11-14", day + 5), within("<2023-11-14", day - 1)],
        [Some(true), Some(false), Some(true)]
    );
    assert_eq!(within("soon", day), None);
}
