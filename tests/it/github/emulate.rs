//! A second opinion: npm `emulate`, made by others from the same documentation. Where it differs from
//! GitHub (no digests of assets, no bytes of them, no rulesets, no GraphQL) it says nothing of sealift.

use std::path::Path;
use std::time::Duration;

use sealift::engine::State;
use sealift::model::{Answer, Blob, Content, Descriptor, Digest, RefName};
use sealift::port::forge::github::{Address, Config, GitHub, Tokens};
use sealift::port::forge::{
    ForgeRead as _, ForgeWrite as _, Latest, NewPull, NewRelease, PullEdit, PullState, ReleaseEdit, RunQuery, Visible,
};
use serde_json::{Value, json};

use crate::support::emulate::{Emulate, LOGIN, REPOSITORY, TOKEN};
use crate::support::world::{Case, World, shipped};

fn client(emulate: &Emulate) -> GitHub {
    let (owner, name) = REPOSITORY.split_once('/').unwrap();
    let address = Address::at(owner, name, &emulate.url()).unwrap();
    GitHub::open(Config { pause: Duration::ZERO, ..Config::new(address, Tokens::token(TOKEN)) }).unwrap()
}

#[track_caller]
fn found<T: std::fmt::Debug>(answer: Answer<T>) -> T {
    match answer {
        Answer::Found(found) => found,
        other => panic!("{other:?}"),
    }
}

fn file(bytes: &'static [u8]) -> Blob {
    let (size, digest) = (bytes.len() as u64, Digest::of(bytes));
    let media_type = "application/octet-stream".into();
    Blob { descriptor: Descriptor { media_type, size, digest, platform: None }, content: Content::Bytes(bytes.into()) }
}

/// A branch at the tip of `main`, as a push makes one.
async fn branch(emulate: &Emulate, name: &str) -> Value {
    let http = reqwest::Client::builder().user_agent("test").no_proxy().build().unwrap();
    let url = |path: &str| format!("{}/repos/{REPOSITORY}/{path}", emulate.url());
    let main = http.get(url("branches/main")).bearer_auth(TOKEN).send().await.unwrap();
    let main: Value = main.json().await.unwrap();
    let body = json!({"ref": format!("refs/heads/{name}"), "sha": main["commit"]["sha"]});
    let made = http.post(url("git/refs")).bearer_auth(TOKEN).json(&body).send().await.unwrap();
    assert_eq!(made.status(), 201);
    made.json().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn repository_and_releases() {
    let Some(emulate) = Emulate::start() else { return };
    let forge = client(&emulate);
    let hosted = found(forge.repository().await);
    assert_eq!((hosted.full_name.as_str(), hosted.default_branch.as_str()), (REPOSITORY, "main"));
    assert!(hosted.push && hosted.admin && !hosted.private && hosted.merge_commits == Visible::Shown(true));
    assert!(found(forge.viewer().await).is(LOGIN));
    assert_eq!(forge.latest().await, Answer::Absent);
    assert_eq!(forge.published("v1.6.2").await, Answer::Absent);
    let text = |text: &str| text.to_owned();
    let draft =
        NewRelease { tag: text("v1.6.2"), name: text("v1.6.2"), body: text("one"), target: hosted.default_branch };
    let id = forge.create_draft(&draft).await.unwrap();
    let releases = found(forge.releases().await);
    let drafts: Vec<_> = releases.drafts("v1.6.2").collect();
    assert!(releases.drafts_visible && drafts.len() == 1 && drafts[0].id == id && drafts[0].body == "one");
    for (name, bytes) in [("a+b.txt", b"first"), ("c.txt", b"other")] {
        forge.upload(id, name, &file(bytes)).await.unwrap();
    }
    let mut assets = found(forge.assets(id).await);
    assets.sort_by(|a, b| a.name.cmp(&b.name));
    let names: Vec<(&str, u64)> = assets.iter().map(|asset| (asset.name.as_str(), asset.size)).collect();
    assert_eq!(names, [("a+b.txt", 5), ("c.txt", 5)]);
    assert!(assets.iter().all(|asset| asset.complete && asset.digest.is_none()));
    forge.delete_asset(assets[0].id).await.unwrap();
    assert_eq!(found(forge.assets(id).await).len(), 1);
    // Its bytes are none: what isn't as listed is unknown, and not taken.
    assert!(matches!(forge.download(&assets[1], Path::new("/tmp")).await, Answer::Unknown(_)));
    let edit = ReleaseEdit {
        body: Some(text("two")),
        draft: Some(false),
        latest: Some(Latest::Yes),
        ..ReleaseEdit::default()
    };
    forge.edit_release(id, &edit).await.unwrap();
    let published = found(forge.published("v1.6.2").await);
    assert!(published.id == id && !published.draft && published.body == "two");
    assert_eq!(found(forge.latest().await), "v1.6.2");
    let other = forge.create_draft(&NewRelease { tag: text("v1.6.3"), ..draft }).await.unwrap();
    forge.delete_release(other).await.unwrap();
    assert_eq!(found(forge.releases().await).all.len(), 1);
    let query = RunQuery { workflow: "tags.yaml".into(), event: "push".into(), head_commit: None, since: None };
    assert_eq!(forge.runs(&query).await, Answer::Absent);
}

#[tokio::test(flavor = "multi_thread")]
async fn pull_requests_labels_and_comments() {
    let Some(emulate) = Emulate::start() else { return };
    let forge = client(&emulate);
    let (head, base) = (RefName::branch("release-1.6.2").unwrap(), RefName::branch("main").unwrap());
    assert_eq!(found(forge.pulls_from(&head).await).len(), 0);
    for name in ["release-1.6.2", "release-1.6.3"] {
        branch(&emulate, name).await;
    }
    let text = |text: &str| text.to_owned();
    let new = NewPull { title: text("Release"), body: text("one"), head: head.clone(), base: base.clone() };
    let number = forge.open_pull(&new).await.unwrap();
    let other = RefName::branch("release-1.6.3").unwrap();
    forge.open_pull(&NewPull { head: other, ..new }).await.unwrap();
    // The filter by head, and by repository.
    let pulls = found(client(&emulate).pulls_from(&head).await);
    let [pull] = pulls.as_slice() else { panic!("{pulls:?}") };
    assert!(pull.number == number && pull.state == PullState::Open && pull.from_here && pull.base == base);
    assert!(pull.author.as_deref() == Some(LOGIN) && pull.body == "one" && pull.labels.is_empty());
    forge.add_label(number, "release").await.unwrap();
    forge.edit_pull(number, &PullEdit { body: Some(text("two")), ..PullEdit::default() }).await.unwrap();
    let pull = found(forge.pull(number).await);
    assert_eq!((pull.body.as_str(), pull.labels.as_slice()), ("two", &[text("release")][..]));
    forge.create_comment(number, "first").await.unwrap();
    let comments = found(forge.comments(number).await);
    assert!(comments.len() == 1 && comments[0].author.as_deref() == Some(LOGIN) && comments[0].body == "first");
    forge.edit_comment(comments[0].id, "second").await.unwrap();
    let comments = found(client(&emulate).comments(number).await);
    assert!(comments.len() == 1 && comments[0].body == "second", "{comments:?}");
}

/// A proposal, as far as it goes: everything is written, and then the record can't be read back.
#[tokio::test(flavor = "multi_thread")]
async fn a_proposal_until_its_record_is_read() {
    let Some(emulate) = Emulate::start() else { return };
    let cozystack = shipped().into_iter().find(|shipped| shipped.name == "cozystack").unwrap();
    let world = World::build(&Case::of(&cozystack)).await;
    world.session().run_until(&world.request(), "pin").await.must_be(State::Holds);
    branch(&emulate, "release-1.6.2").await;
    let other = world.github().log().len();
    let mut session = world.session();
    session.forge = Some(client(&emulate));
    session.pipeline.proposal.as_mut().unwrap().authors.push(LOGIN.into());
    // A copy needs bytes, too.
    session.pipeline.release.assets.copied.clear();
    let ran = session.run(&world.request()).await;
    ran.must_be(State::Refused);
    let refusals = ran.refusals();
    assert!(refusals[0].message.contains("the asset sealift.json of cozystack/cozystack"), "{refusals:?}");
    let forge = client(&emulate);
    let releases = found(forge.releases().await);
    let drafts: Vec<_> = releases.drafts("v1.6.2").collect();
    let [draft] = drafts.as_slice() else { panic!("{drafts:?}") };
    assert!(draft.body.contains("which was tested from end to end"), "{}", draft.body);
    let assets = found(forge.assets(draft.id).await);
    let mut names: Vec<&str> = assets.iter().map(|asset| asset.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["cozypkg-checksums.txt", "cozypkg-linux-amd64.tar.gz", "sealift.json"]);
    let pulls = found(forge.pulls_from(&world.names().staging).await);
    let [pull] = pulls.as_slice() else { panic!("{pulls:?}") };
    assert!(pull.labels == ["release"] && pull.body.contains("This promotes **v1.6.2-rc.1**"), "{pull:?}");
    assert_eq!(world.github().log().len(), other, "nothing went to the other one");
}
