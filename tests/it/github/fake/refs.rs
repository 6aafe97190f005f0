use base64::Engine as _;
use serde_json::{Value, json};

use super::Fixture;

#[test]
fn refs_are_created_once_and_moved_forward_only() {
    let world = Fixture::new();
    let (main, next) = (world.rev("main"), world.branch("next"));
    let other = world.branch("other");
    let create = |name: &str, sha: &str| world.post("git/refs", json!({"ref": name, "sha": sha}));
    assert_eq!(
        create("refs/heads/line", &main).json()["object"],
        json!({
            "type": "commit", "sha": main, "url": format!("{}/repos/acme/ship/git/commits/{main}", world.fake.url()),
        })
    );
    let message = |reply: super::Reply| (reply.status, reply.json()["message"].clone());
    assert_eq!(message(create("refs/heads/line", &main)), (422, json!("Reference already exists")));
    assert_eq!(message(create("refs/heads/x", &"1".repeat(40))), (422, json!("Object does not exist")));
    assert_eq!(create("heads/x", &main).status, 422);
    let update = |sha: &str, force: bool| world.patch("git/refs/heads/line", json!({"sha": sha, "force": force}));
    assert_eq!(update(&next, false).status, 200);
    assert_eq!(message(update(&other, false)), (422, json!("Update is not a fast forward")));
    assert_eq!(world.rev("line"), next);
    assert_eq!((update(&other, true).status, world.rev("line")), (200, other));
    assert_eq!(world.get("git/ref/heads/line").json()["ref"], "refs/heads/line");
    assert_eq!(world.delete("git/refs/heads/line").status, 204);
    assert_eq!((world.delete("git/refs/heads/line").status, world.get("git/ref/heads/line").status), (422, 404));
    assert_eq!(
        message(world.patch("git/refs/heads/line", json!({"sha": main}))),
        (422, json!("Reference does not exist"))
    );
    let names: Vec<Value> =
        world.get("git/matching-refs/heads/").json().as_array().unwrap().iter().map(|one| one["ref"].clone()).collect();
    assert_eq!(names, ["refs/heads/main", "refs/heads/next", "refs/heads/other"]);
    assert_eq!(world.get("git/matching-refs/tags/v1").json(), json!([]));
}

#[test]
fn annotated_tags_are_objects_of_their_own() {
    let world = Fixture::new();
    world.sandbox.git(&world.origin, &["tag", "-m", "words", "v1.0.0", "main"]);
    let found = world.get("git/ref/tags/v1.0.0").json();
    assert_eq!(found["object"]["type"], "tag");
    let tag = world.get(found["object"]["url"].as_str().unwrap()).json();
    assert_eq!((&tag["tag"], &tag["object"]["sha"]), (&json!("v1.0.0"), &json!(world.rev("main"))));
    assert_eq!(world.get(&format!("git/tags/{}", world.rev("main"))).status, 404);
}

#[test]
fn a_release_without_its_tag_is_a_draft_again() {
    let world = Fixture::new();
    for tag in ["v1.0.0", "v1.1.0"] {
        assert_eq!(world.post("releases", json!({"tag_name": tag})).status, 201);
    }
    assert_eq!(world.delete("git/refs/tags/v1.1.0").status, 204);
    assert_eq!(world.get("releases/latest").json()["tag_name"], "v1.0.0");
    world.fake.delete_tag("v1.0.0");
    assert_eq!(world.get("releases/latest").status, 404);
    assert_eq!(world.fake.snapshot(), ["release v1.0.0 \"v1.0.0\" draft \"\"", "release v1.1.0 \"v1.1.0\" draft \"\""]);
}

#[test]
fn files_are_shown_at_a_commit() {
    let world = Fixture::new();
    let first = world.rev("main");
    std::os::unix::fs::symlink("../README.md", world.checkout.join("link")).unwrap();
    world.sandbox.write(&world.checkout, "deep/a b.txt", "x".repeat(100));
    std::os::unix::fs::symlink("a b.txt", world.checkout.join("deep/near")).unwrap();
    world.sandbox.write(&world.checkout, "big", vec![b'x'; 1024 * 1024 + 1]);
    world.sandbox.commit_all(&world.checkout, "second");
    world.sandbox.git(&world.checkout, &["push", "--quiet", "origin", "main"]);
    let file = world.get("contents/deep/a%20b.txt").json();
    let text = file["content"].as_str().unwrap();
    assert!(text.contains('\n'), "base64 comes in lines");
    let bytes = base64::engine::general_purpose::STANDARD.decode(text.replace('\n', "")).unwrap();
    assert_eq!((bytes.len(), &file["size"], &file["type"]), (100, &json!(100), &json!("file")));
    assert_eq!(world.get("contents/deep/near").json()["content"], file["content"], "a link inside is followed");
    let link = world.get("contents/link").json();
    assert_eq!((&link["type"], &link["target"]), (&json!("symlink"), &json!("../README.md")));
    let big = world.get("contents/big").json();
    assert_eq!((&big["encoding"], &big["content"]), (&json!("none"), &json!("")));
    let folder = world.get("contents/deep").json();
    assert_eq!((&folder[0]["path"], &folder[0]["type"]), (&json!("deep/a b.txt"), &json!("file")));
    assert_eq!(world.get(&format!("contents/deep/near?ref={first}")).status, 404);
    assert_eq!(world.get("contents/README.md?ref=nowhere").status, 404);
    assert_eq!(world.get(&format!("contents/README.md?ref={first}")).status, 200);
    let request =
        world.http.get(world.address("contents/README.md")).header("accept", "application/vnd.github.raw+json");
    assert_eq!(world.send(request, "").text(), "hello\n");
}
