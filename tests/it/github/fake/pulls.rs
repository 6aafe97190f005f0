use serde_json::{Value, json};

use super::Fixture;
use crate::support::github::state::Head;
use crate::support::github::{How, MARIA};

impl Fixture {
    /// An open pull request of a branch with one commit into `main`; its number.
    fn proposed(&self, head: &str) -> u64 {
        self.branch(head);
        let reply = self.post("pulls", json!({"title": "Release", "head": head, "base": "main", "body": "words"}));
        assert_eq!(reply.status, 201, "{}", reply.text());
        reply.json()["number"].as_u64().unwrap()
    }

    fn pull(&self, number: u64) -> Value {
        self.get(&format!("pulls/{number}")).json()
    }
}

#[test]
fn a_pull_request_follows_its_branches() {
    let world = Fixture::new();
    let number = world.proposed("next");
    let pull = world.pull(number);
    assert_eq!((&pull["state"], &pull["merged"], &pull["mergeable"]), (&json!("open"), &json!(false), &json!(true)));
    assert_eq!((&pull["head"]["label"], &pull["user"]["login"]), (&json!("acme:next"), &json!(MARIA)));
    assert_eq!(pull["base"]["sha"], world.rev("main").as_str());
    let test_merge = world.rev(&format!("refs/pull/{number}/merge"));
    assert_eq!(pull["merge_commit_sha"], test_merge.as_str(), "before a merge it is what a merge would be");
    world.sandbox.write(&world.checkout, "more.txt", "more");
    let head = world.sandbox.commit_all(&world.checkout, "more");
    world.sandbox.git(&world.checkout, &["push", "--quiet", "origin", "next"]);
    let pull = world.pull(number);
    assert_eq!((&pull["head"]["sha"], &pull["commits"]), (&json!(head), &json!(2)));
    assert_eq!(world.rev(&format!("refs/pull/{number}/head")), head);
    assert_ne!(world.rev(&format!("refs/pull/{number}/merge")), test_merge);
}

#[test]
fn what_can_t_be_proposed_is_refused() {
    let world = Fixture::new();
    let number = world.proposed("next");
    let propose = |head: &str, base: &str| {
        let reply = world.post("pulls", json!({"title": "Release", "head": head, "base": base}));
        (reply.status, reply.json()["errors"][0].clone())
    };
    let (status, error) = propose("next", "main");
    assert_eq!((status, &error["message"]), (422, &json!("A pull request already exists for acme:next.")));
    assert_eq!(propose("nothing", "main").1["field"], "head");
    assert_eq!(propose("other:next", "main").1["field"], "head");
    assert_eq!(propose("next", "nothing").1["field"], "base");
    world.sandbox.git(&world.origin, &["branch", "same", "main"]);
    assert_eq!(propose("same", "main").1["message"], "No commits between main and same");
    assert_eq!(world.post("pulls", json!({"head": "next", "base": "main"})).status, 422, "without a title");
    assert_eq!(world.patch(&format!("pulls/{number}"), json!({"state": "closed"})).json()["state"], "closed");
    assert_eq!(propose("next", "main").0, 201, "a closed one is in nobody's way");
    let reopened = world.patch(&format!("pulls/{number}"), json!({"state": "open", "title": "Again", "body": ""}));
    assert_eq!((&reopened.json()["title"], &reopened.json()["body"]), (&json!("Again"), &json!("")));
    assert_eq!(world.patch("pulls/99", json!({"title": "x"})).status, 404);
    let long = world.patch(&format!("pulls/{number}"), json!({"body": "x".repeat(65_537)}));
    assert_eq!(long.status, 422);
}

#[test]
fn the_filters_are_exact() {
    let world = Fixture::new();
    let (one, two) = (world.proposed("next"), world.proposed("next-2"));
    world.fake.state().pull_mut(two).unwrap().head = Head::Fork("else/ship".into());
    let numbers = |query: &str| {
        let list = world.get(&format!("pulls?{query}")).json();
        list.as_array().unwrap().iter().map(|pull| pull["number"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(numbers("head=acme:next"), [one]);
    assert_eq!(numbers("head=acme%3Anext-2"), [] as [u64; 0], "that one is somebody else's");
    assert_eq!(numbers("head=else:next-2"), [two]);
    assert_eq!(numbers("head=next"), [two, one], "without an owner the filter is none");
    assert_eq!(numbers("base=other"), [] as [u64; 0]);
    assert_eq!(numbers("base=main&direction=asc"), [one, two]);
    world.patch(&format!("pulls/{one}"), json!({"state": "closed"}));
    assert_eq!((numbers(""), numbers("state=closed"), numbers("state=all")), (vec![two], vec![one], vec![two, one]));
    assert_eq!(world.get("pulls?state=merged").status, 422);
    for _ in 0..2 {
        world.fake.state().add_pull("x", &world.rev("next"), "main", &world.rev("main"), "x");
    }
    world.fake.state().pulls.iter_mut().for_each(|pull| pull.open = false);
    assert_eq!(world.pages("pulls?state=all&per_page=1").1, 4);
}

#[test]
fn heads_of_forks_and_of_forks_that_are_gone() {
    let world = Fixture::new();
    let number = world.proposed("next");
    world.fake.state().pull_mut(number).unwrap().head = Head::Fork("else/ship".into());
    assert_eq!(world.pull(number)["head"]["repo"]["full_name"], "else/ship");
    assert_eq!(world.pull(number)["head"]["repo"]["fork"], true);
    world.fake.state().pull_mut(number).unwrap().head = Head::Gone;
    assert_eq!(world.pull(number)["head"]["repo"], Value::Null);
    assert_eq!(world.get("pulls").json()[0]["head"]["user"], Value::Null);
}

#[test]
fn merging_in_three_ways() {
    for how in [How::Merge, How::Squash, How::Rebase] {
        let world = Fixture::new();
        world.fake.state().repository.delete_branch_on_merge = how == How::Squash;
        let number = world.proposed("next");
        let (base, head) = (world.rev("main"), world.rev("next"));
        world.sandbox.git(&world.checkout, &["checkout", "--quiet", "main"]);
        world.sandbox.write(&world.checkout, "base.txt", "base");
        world.sandbox.commit_all(&world.checkout, "base");
        world.sandbox.git(&world.checkout, &["push", "--quiet", "origin", "main"]);
        let commit = world.fake.merge_pull(number, how);
        assert_eq!(world.rev("main"), commit);
        let files = world.sandbox.git(&world.origin, &["ls-tree", "--name-only", "main"]);
        assert_eq!(files, "README.md\nbase.txt\nnext.txt");
        let parents = world.sandbox.git(&world.origin, &["log", "-1", "--format=%P", "main"]);
        let second = format!(" {head}");
        assert_eq!(
            (parents.len(), parents.ends_with(&second)),
            if how == How::Merge { (81, true) } else { (40, false) }
        );
        assert_ne!(parents, base);
        let pull = world.pull(number);
        assert_eq!((&pull["state"], &pull["merged"]), (&json!("closed"), &json!(true)), "{how:?}");
        assert_eq!(pull["merge_commit_sha"], commit.as_str());
        assert_eq!((&pull["merged_by"]["login"], &pull["mergeable"]), (&json!(MARIA), &Value::Null));
        assert_eq!(pull["head"]["sha"], head.as_str());
        let branches = world.sandbox.git(&world.origin, &["branch", "--list", "next"]);
        assert_eq!(branches.is_empty(), how == How::Squash);
        let refused = world.patch(&format!("pulls/{number}"), json!({"state": "open"}));
        assert_eq!(refused.status, 422);
    }
}

#[test]
fn who_pushes_the_head_to_the_base_has_merged_it() {
    let world = Fixture::new();
    let number = world.proposed("next");
    world.sandbox.git(&world.checkout, &["checkout", "--quiet", "main"]);
    world.sandbox.git(&world.checkout, &["merge", "--quiet", "--no-ff", "-m", "by hand", "next"]);
    let merge = world.sandbox.git(&world.checkout, &["rev-parse", "HEAD"]);
    world.sandbox.write(&world.checkout, "later.txt", "later");
    world.sandbox.commit_all(&world.checkout, "later");
    world.sandbox.git(&world.checkout, &["push", "--quiet", "origin", "main", ":next"]);
    let pull = &world.get("pulls?state=closed").json()[0];
    assert_eq!((&pull["number"], &pull["merge_commit_sha"]), (&json!(number), &json!(merge)));
    assert!(pull["merged_at"].is_string() && pull["merged_at"] == pull["closed_at"]);
    assert_eq!(world.pull(number)["merged"], true);
}

#[test]
fn who_deletes_the_head_or_empties_it_has_closed_it() {
    let world = Fixture::new();
    let (one, two) = (world.proposed("next"), world.proposed("other"));
    world.sandbox.git(&world.checkout, &["push", "--quiet", "origin", ":next", "+main:other"]);
    for number in [one, two] {
        let pull = world.pull(number);
        assert_eq!((&pull["state"], &pull["merged"]), (&json!("closed"), &json!(false)));
        assert_eq!(pull["merged_at"], Value::Null);
    }
    let refused = world.patch(&format!("pulls/{one}"), json!({"state": "open"}));
    assert_eq!(refused.status, 422, "its head is gone");
}

#[test]
fn a_conflict_is_no_merge() {
    let world = Fixture::new();
    let number = world.proposed("next");
    world.sandbox.git(&world.checkout, &["checkout", "--quiet", "main"]);
    world.sandbox.write(&world.checkout, "next.txt", "something else");
    world.sandbox.commit_all(&world.checkout, "in the way");
    world.sandbox.git(&world.checkout, &["push", "--quiet", "origin", "main"]);
    let pull = world.pull(number);
    assert_eq!((&pull["mergeable"], &pull["mergeable_state"]), (&json!(false), &json!("dirty")));
    assert_eq!(pull["merge_commit_sha"], Value::Null);
}
