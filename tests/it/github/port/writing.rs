//! Each write, done once and seen afterwards; and what is refused, with GitHub's words.

use std::io::Write;
use std::sync::Arc;

use sealift::model::{Blob, Content, Digest};
use sealift::port::forge::github::Tokens;
use sealift::port::forge::{AssetId, CommentId, ForgeRead, ForgeWrite, Latest, PullEdit, ReleaseEdit, ReleaseId};

use super::{World, blob, branch, draft, found, new_pull, refused, unclear};
use crate::support::github::{Level, MAINTAINER, Role, Token};

#[tokio::test]
async fn a_release_is_drafted_filled_published_and_deleted() {
    let world = World::new();
    let github = world.github();
    let id = github.create_draft(&draft("v1.0.0")).await.unwrap();
    let release = found(github.releases().await).all.remove(0);
    assert_eq!((release.id, release.draft, release.tag.as_str()), (id, true, "v1.0.0"));
    assert_eq!((release.name.as_str(), release.body.as_str()), ("a title", "a body"));

    let small = blob(b"small");
    github.upload(id, "inst+all.yaml", &small).await.unwrap();
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(&vec![3; 5 << 20]).unwrap();
    let large = Blob { content: Content::File(Arc::new(file.into_temp_path())), ..blob(&vec![3; 5 << 20]) };
    github.upload(id, "large.tgz", &large).await.unwrap();
    let assets = found(github.assets(id).await);
    let shown: Vec<_> = assets.iter().map(|asset| (asset.name.as_str(), asset.size, asset.digest.unwrap())).collect();
    let expected = [("inst+all.yaml", 5, Digest::of(b"small")), ("large.tgz", 5 << 20, Digest::of(&vec![3; 5 << 20]))];
    assert_eq!(shown, expected, "a plus stays a plus, and a file is streamed whole");

    github.delete_asset(assets[0].id).await.unwrap();
    assert_eq!(found(github.assets(id).await).len(), 1);

    world.sandbox.git(&world.checkout, &["push", "--quiet", "origin", "main:refs/tags/v1.0.0"]);
    let edit = ReleaseEdit {
        body: Some("other words".into()),
        draft: Some(false),
        latest: Some(Latest::No),
        ..ReleaseEdit::default()
    };
    github.edit_release(id, &edit).await.unwrap();
    let release = found(github.releases().await).all.remove(0);
    assert_eq!((release.draft, release.body.as_str(), release.name.as_str()), (false, "other words", "a title"));
    assert!(github.latest().await.is_absent());
    let latest = ReleaseEdit { latest: Some(Latest::Yes), ..ReleaseEdit::default() };
    github.edit_release(id, &latest).await.unwrap();
    assert_eq!(found(github.latest().await), "v1.0.0");

    github.delete_release(id).await.unwrap();
    assert_eq!(found(github.releases().await).all, []);
    github.delete_release(id).await.expect("what is gone is gone");
    assert_eq!(world.fake.state().releases.len(), 0);
}

#[tokio::test]
async fn a_pull_request_is_opened_labelled_and_changed() {
    let world = World::new();
    world.branch("release-1.0.0");
    world.branch("line");
    let github = world.github();
    let number = github.open_pull(&new_pull("release-1.0.0")).await.unwrap();
    github.add_label(number, "release").await.unwrap();
    let pull = found(github.pull(number).await);
    assert_eq!((pull.title.as_str(), pull.body.as_str()), ("Release", "what changes"));
    assert_eq!((pull.labels.as_slice(), pull.from_here), (["release".to_owned()].as_slice(), true));
    let (status, words) = refused(github.open_pull(&new_pull("release-1.0.0")).await);
    assert_eq!(status, Some(422));
    assert!(words.contains("already exists"), "{words}");
    let edit = PullEdit { body: Some("more".into()), base: Some(branch("line")), title: None };
    github.edit_pull(number, &edit).await.unwrap();
    let pull = found(github.pull(number).await);
    assert_eq!((pull.title.as_str(), pull.body.as_str(), pull.base), ("Release", "more", branch("line")));

    github.create_comment(number, "first").await.unwrap();
    let comment = found(github.comments(number).await).remove(0);
    github.edit_comment(comment.id, "second").await.unwrap();
    let comments = found(github.comments(number).await);
    assert_eq!((comments.len(), comments[0].body.as_str()), (1, "second"));
    assert_eq!(world.fake.count("PATCH", "/issues/comments/"), 1, "a POST there is no edit");

    assert!(refused(github.edit_pull(99, &edit).await).0 == Some(404));
}

#[tokio::test]
async fn an_asset_is_what_was_sent_under_the_name_that_was_asked_for() {
    let world = World::new();
    let github = world.github();
    let id = github.create_draft(&draft("v1.0.0")).await.unwrap();
    let sent = blob(b"words");
    // GitHub stores another name: it is there, and isn't what was asked for.
    let error = unclear(github.upload(id, "with space.txt", &sent).await);
    assert!(error.detail.contains("stored with.space.txt"), "{error}");
    github.upload(id, "notes.txt", &sent).await.unwrap();
    let (status, words) = refused(github.upload(id, "notes.txt", &sent).await);
    assert!(status == Some(422) && words.contains("already_exists"), "{words}");

    // A file that isn't as long as it was said to be is not begun.
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(b"shorter").unwrap();
    let before = world.fake.writes();
    let wrong = Blob { content: Content::File(Arc::new(file.into_temp_path())), ..blob(b"longer than that") };
    assert!(unclear(github.upload(id, "other.txt", &wrong).await).detail.contains("nothing was sent"));
    assert_eq!(world.fake.writes(), before);
    // One whose bytes are others is found out by what GitHub hashed.
    let wrong = Blob { content: blob(b"other").content, ..blob(b"words") };
    assert!(unclear(github.upload(id, "other.txt", &wrong).await).detail.contains("GitHub stored"));
    let (status, words) = refused(github.upload(ReleaseId(1), "x", &sent).await);
    assert!(status == Some(404) && words.contains("no release 1"), "{words}");
}

#[tokio::test]
async fn a_refusal_names_what_the_token_lacks() {
    let world = World::new();
    let (release, asset) = {
        let mut state = world.fake.state();
        state.tokens.extend([
            Token::classic("gists", "maria", Role::Push).with_scopes(&["gist"]),
            Token::classic("reader", "rob", Role::Pull),
            Token::fine_grained("fine", "maria", Role::Push, &[("contents", Level::Read)]),
            Token::actions("actions", &[("contents", Level::Read)]),
        ]);
        let release = state.add_release("v1.0.0", false, false);
        (ReleaseId(release), AssetId(state.add_asset(release, "notes.txt", "words")))
    };
    for (token, words) in [
        ("gists", "it takes the scope repo, the token has gist"),
        ("reader", "Must have push access"),
        ("fine", "it takes the permission contents=write"),
        ("actions", "Resource not accessible by integration; it takes the permission contents=write"),
    ] {
        let github = world.github_as(Tokens::token(token));
        for result in [
            github.create_draft(&draft("v2.0.0")).await.map(drop),
            github.edit_release(release, &ReleaseEdit::default()).await,
            github.delete_release(release).await,
            github.delete_asset(asset).await,
            github.upload(release, "x", &blob(b"x")).await,
        ] {
            let (status, detail) = refused(result);
            assert_eq!(status, Some(403));
            assert!(detail.contains(words), "{token}: {detail}");
        }
    }
    let github = world.github_as(Tokens::token("fine"));
    let (_, detail) = refused(github.open_pull(&new_pull("main")).await);
    assert!(detail.contains("pull_requests=write"), "{detail}");
    // GitHub also says 404 to hide what it refuses: that isn't gone.
    world.fake.state().hide_from_classic = true;
    for token in ["gists", "reader"] {
        let github = world.github_as(Tokens::token(token));
        assert_eq!(refused(github.delete_asset(asset).await).0, Some(404), "{token}");
        assert_eq!(refused(github.delete_release(release).await).0, Some(404), "{token}");
    }
    let (_, detail) = refused(world.github_as(Tokens::token("gists")).delete_asset(asset).await);
    assert!(detail.contains("it takes the scope repo"), "{detail}");
    assert_eq!(world.fake.state().releases[0].assets.len(), 1);
    world.github_as(Tokens::token(MAINTAINER)).delete_asset(asset).await.unwrap();
    assert_eq!(refused(world.github().edit_comment(CommentId(1), "x").await).0, Some(404));
    assert_eq!(refused(world.github_as(Tokens::Anonymous).create_comment(1, "x").await).0, Some(401));
}
