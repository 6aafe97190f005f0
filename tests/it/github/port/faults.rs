//! Whatever is wrong on the way: a read is repeated or unknown, never absent and never empty; a write
//! is done once, refused, or unclear, and never sent twice.

use futures_util::future::BoxFuture;
use sealift::model::{Answer, CommitId, Unknown};
use sealift::port::WriteError;
use sealift::port::forge::github::GitHub;
use sealift::port::forge::{
    Asset, AssetId, CommentId, ForgeRead, ForgeWrite, PullEdit, ReleaseEdit, ReleaseId, RunId, RunQuery,
};

use super::{ATTEMPTS, World, blob, branch, draft, limited, new_pull, refused, unclear};
use crate::support::github::{Act, FakeGitHub, State};
use crate::support::http::Response;

/// A world in which every read finds something and every write succeeds.
struct Full {
    world: World,
    state: State,
    release: ReleaseId,
    asset: AssetId,
    comment: CommentId,
    run: RunId,
    head: CommitId,
}

impl Full {
    fn new() -> Self {
        let world = World::new();
        let head = world.branch("release-1.0.0");
        world.branch("another");
        let (release, asset, comment, run) = {
            let base = world.main().to_string();
            let mut state = world.fake.state();
            let release = state.add_release("v1.0.0", false, false);
            let asset = state.add_asset(release, "notes.txt", "words");
            state.add_pull("release-1.0.0", &head.to_string(), "main", &base, "Release");
            state.add_ruleset("branch", &["~ALL"], &["required_signatures"]);
            state.add_ruleset("tag", &["~ALL"], &["creation"]);
            let run = state.add_run("e2e.yaml", "push", "main", &head.to_string());
            state.add_job(run, "e2e");
            let (id, now) = (state.id(), state.now());
            state.comments.push(crate::support::github::state::Comment {
                id,
                number: 1,
                author: "maria".into(),
                body: "words".into(),
                created_at: now,
                updated_at: now,
            });
            (release, asset, id, run)
        };
        let (release, asset) = (ReleaseId(release), AssetId(asset));
        let state = world.fake.state().clone();
        Self { world, state, release, asset, comment: CommentId(comment), run: RunId(run), head }
    }

    /// Over the same repository, as it was at first; without faults.
    fn again(&mut self) {
        self.world.fake = FakeGitHub::with(&self.world.sandbox.path("origin.git"), self.state.clone());
    }
}

/// Found or absent, and what was found; unknown otherwise.
fn seen<T: std::fmt::Debug>(answer: Answer<T>) -> Result<Option<String>, Unknown> {
    answer.known().map(|found| found.map(|value| format!("{value:?}")))
}

type Read = for<'a> fn(&'a GitHub, &'a Full) -> BoxFuture<'a, Result<Option<String>, Unknown>>;

/// Every read with the request that it is made of.
const READS: [(&str, &str, Read); 15] = [
    ("GET", "/repos/acme/ship", |github, _| Box::pin(async { seen(github.repository().await) })),
    ("POST", "/graphql", |github, _| Box::pin(async { seen(github.viewer().await) })),
    ("GET", "/releases?", |github, _| Box::pin(async { seen(github.releases().await) })),
    ("GET", "/releases/latest", |github, _| Box::pin(async { seen(github.latest().await) })),
    ("GET", "/assets?", |github, full| Box::pin(async { seen(github.assets(full.release).await) })),
    ("GET", "/releases/assets/", |github, full| Box::pin(download(github, full))),
    ("GET", "/storage/", |github, full| Box::pin(download(github, full))),
    ("GET", "/pulls?", |github, _| Box::pin(async { seen(github.pulls_from(&branch("release-1.0.0")).await) })),
    ("GET", "/pulls/1", |github, _| Box::pin(async { seen(github.pull(1).await) })),
    ("GET", "/issues/1/comments?", |github, _| Box::pin(async { seen(github.comments(1).await) })),
    ("GET", "/runs?", |github, full| {
        Box::pin(async {
            let (workflow, event) = ("e2e.yaml".to_owned(), "push".to_owned());
            let query = RunQuery { workflow, event, head_commit: Some(full.head), since: None };
            seen(github.runs(&query).await)
        })
    }),
    ("GET", "/jobs?", |github, full| Box::pin(async { seen(github.jobs(full.run).await) })),
    ("GET", "/rules/branches/main", |github, _| Box::pin(async { seen(github.branch_rules(&branch("main")).await) })),
    ("GET", "/rulesets?", |github, _| Box::pin(async { seen(github.tag_rulesets().await) })),
    ("GET", "/rulesets/", |github, _| Box::pin(async { seen(github.branch_rules(&branch("main")).await) })),
];

async fn download(github: &GitHub, full: &Full) -> Result<Option<String>, Unknown> {
    let asset = Asset { id: full.asset, name: "notes.txt".into(), size: 5, digest: None, complete: true };
    let spool = tempfile::tempdir().unwrap();
    seen(github.download(&asset, spool.path()).await.map(|blob| blob.descriptor))
}

/// The answer of the same, with something else in it.
trait Map<T> {
    fn map<U>(self, change: impl FnOnce(T) -> U) -> Answer<U>;
}

impl<T> Map<T> for Answer<T> {
    fn map<U>(self, change: impl FnOnce(T) -> U) -> Answer<U> {
        self.known().map(|found| found.map(change)).into()
    }
}

/// Faults that pass: the read is repeated.
fn passing() -> Vec<Act> {
    let unavailable = Response::new(503, "busy").with("retry-after", 0);
    vec![
        Act::secondary_limit(0),
        Act::too_many(0),
        Act::status(500),
        Act::status(502),
        Act::Answer(unavailable),
        Act::hang_up(),
        Act::cut(3),
    ]
}

/// The faults of a request; a redirection has no body that could be cut.
fn passing_at(target: &str) -> Vec<Act> {
    let mut acts = passing();
    if target == "/releases/assets/" {
        acts.pop();
    }
    acts
}

#[tokio::test]
async fn a_read_outlives_what_passes() {
    let mut full = Full::new();
    for (method, target, read) in READS {
        full.again();
        let undisturbed = read(&full.world.github(), &full).await.unwrap().expect(target);
        let requests = full.world.requests();
        for act in passing_at(target) {
            full.again();
            full.world.fake.fault(method, target, 1..=1, act);
            assert_eq!(read(&full.world.github(), &full).await.unwrap(), Some(undisturbed.clone()), "{target}");
            assert_eq!(full.world.requests(), requests + 1, "{target}");
        }
    }
}

#[tokio::test]
async fn a_read_that_fails_for_good_is_unknown() {
    let json = |text: &str| Act::wrong(Act::Answer(Response::new(200, text).with("content-type", "application/json")));
    let mut full = Full::new();
    for (method, target, read) in READS {
        let mut lasting = passing_at(target);
        lasting.extend([401, 410, 451].map(Act::status));
        lasting.extend([Act::html(), json(""), json("{"), json("null"), json("[[]]"), json("7")]);
        // What GraphQL refuses is asked in another way.
        if target != "/graphql" {
            lasting.push(Act::status(403));
        }
        for (number, act) in lasting.into_iter().enumerate() {
            full.again();
            full.world.fake.fault(method, target, 1..=usize::MAX, act);
            let error = read(&full.world.github(), &full).await.expect_err(target);
            assert!(!error.detail.is_empty() || error.status.is_some(), "{target}, fault {number}: {error}");
        }
    }
}

type Write = for<'a> fn(&'a GitHub, &'a Full) -> BoxFuture<'a, Result<(), WriteError>>;

/// Every write with the request that it is made of.
const WRITES: [(&str, &str, Write); 10] = [
    ("POST", "/releases", |github, _| Box::pin(async { github.create_draft(&draft("v2.0.0")).await.map(drop) })),
    ("PATCH", "/releases/", |github, full| {
        Box::pin(async {
            let edit = ReleaseEdit { body: Some("new".into()), ..ReleaseEdit::default() };
            github.edit_release(full.release, &edit).await
        })
    }),
    ("DELETE", "/releases/", |github, full| Box::pin(github.delete_release(full.release))),
    ("POST", "/assets?name=", |github, full| {
        Box::pin(async { github.upload(full.release, "other.txt", &blob(b"bytes")).await })
    }),
    ("DELETE", "/releases/assets/", |github, full| Box::pin(github.delete_asset(full.asset))),
    ("POST", "/pulls", |github, _| Box::pin(async { github.open_pull(&new_pull("another")).await.map(drop) })),
    ("PATCH", "/pulls/", |github, _| {
        Box::pin(async {
            let edit = PullEdit { body: Some("new".into()), ..PullEdit::default() };
            github.edit_pull(1, &edit).await
        })
    }),
    ("POST", "/issues/1/labels", |github, _| Box::pin(github.add_label(1, "release"))),
    ("POST", "/issues/1/comments", |github, _| Box::pin(github.create_comment(1, "words"))),
    ("PATCH", "/issues/comments/", |github, full| Box::pin(github.edit_comment(full.comment, "new"))),
];

#[tokio::test]
async fn a_write_that_a_limit_turned_away_is_not_sent_again_by_itself() {
    let mut full = Full::new();
    for (method, target, write) in WRITES {
        for act in [Act::secondary_limit(0), Act::too_many(0)] {
            full.again();
            full.world.fake.fault(method, target, 1..=1, act);
            let github = full.world.github();
            limited(write(&github, &full).await);
            assert_eq!(full.world.fake.writes(), 1, "{method} {target}");
            write(&github, &full).await.unwrap_or_else(|error| panic!("{method} {target}: {error}"));
        }
    }
}

#[tokio::test]
async fn an_unclear_write_is_sent_once() {
    let mut full = Full::new();
    for (method, target, write) in WRITES {
        for (number, act) in [
            Act::status(500),
            Act::status(502),
            Act::done_but(502),
            Act::hang_up(),
            Act::done_but_hung_up(),
            Act::status(408),
            Act::html(),
        ]
        .into_iter()
        .enumerate()
        {
            full.again();
            full.world.fake.fault(method, target, 1..=usize::MAX, act);
            let error = unclear(write(&full.world.github(), &full).await);
            assert!(error.to_string().contains("acme/ship"), "{method} {target}, fault {number}: {error}");
            assert_eq!(full.world.fake.writes(), 1, "{method} {target}, fault {number}");
        }
    }
}

#[tokio::test]
async fn a_write_whose_answer_is_cut_is_unclear() {
    let mut full = Full::new();
    for (method, target, write) in WRITES {
        full.again();
        full.world.fake.fault(method, target, 1..=usize::MAX, Act::cut(3));
        let result = write(&full.world.github(), &full).await;
        // A deletion's answer has no body that could be cut.
        if method != "DELETE" {
            unclear(result);
        }
        assert_eq!(full.world.fake.writes(), 1, "{method} {target}");
    }
}

#[tokio::test]
async fn a_write_that_is_refused_or_redirected_is_not_repeated() {
    let mut full = Full::new();
    for (method, target, write) in WRITES {
        for status in [400, 401, 403, 404, 409, 410, 422, 451, 301, 307] {
            full.again();
            let words = r#"{"message":"No","errors":[{"field":"name","code":"invalid"}]}"#;
            let away = Response::new(status, words).with("location", format!("{}/elsewhere", full.world.fake.url()));
            full.world.fake.fault(method, target, 1..=usize::MAX, Act::Answer(away));
            let (said, detail) = refused(write(&full.world.github(), &full).await);
            assert_eq!(said, Some(status), "{method} {target}");
            let words = if status < 400 { "new address" } else { "No; name: invalid" };
            assert!(detail.contains(words), "{method} {target}: {detail}");
            assert_eq!(full.world.fake.writes(), 1, "{method} {target}");
        }
    }
}

#[tokio::test]
async fn without_a_connection_nothing_was_sent() {
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let tokens = sealift::port::forge::github::Tokens::token("x");
    let github = GitHub::open(super::config(&format!("http://{gone}"), tokens)).unwrap();
    let error = unclear(github.create_draft(&draft("v1")).await);
    assert!(error.detail.contains("nothing was sent"), "{error}");
    assert_eq!(github.stats().counts().post, u64::from(ATTEMPTS), "it was tried again");
}
