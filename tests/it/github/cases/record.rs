//! `sealift.json` against what is there at the end: it alone says what must be.

use sealift::engine::State;
use serde_json::Value;

use super::{
    BUILT, COPIED, Change, RECORD, VERSION, Writes, asset, merged, nothing_public, refused, release_id, waiting, waits,
};
use crate::support::github::Act;
use crate::support::github::state::Asset;
use crate::support::world::World;

/// Changes an asset of the release.
fn edit(world: &World, name: &str, edit: impl FnOnce(&mut Asset)) {
    let (id, mut state) = (release_id(world, VERSION), world.github().state());
    let release = state.releases.iter_mut().find(|release| release.id == id).unwrap();
    edit(release.assets.iter_mut().find(|asset| asset.name == name).unwrap());
}

fn rewrite(world: &World, name: &str, bytes: Vec<u8>) {
    edit(world, name, |asset| {
        asset.digest = Some(sealift::model::Digest::of(&bytes).to_string());
        asset.bytes = bytes.into();
    });
}

/// A GitHub Enterprise Server that is older than the digests of assets.
pub fn without_digests(world: &World) {
    fn strip(value: &mut Value) {
        match value {
            Value::Array(list) => list.iter_mut().for_each(strip),
            Value::Object(object) => {
                object.values_mut().for_each(strip);
                if let Some(digest) = object.get_mut("digest") {
                    *digest = Value::Null;
                }
            }
            _ => {}
        }
    }
    world.github().fault(
        "*",
        "*/releases*",
        1..=usize::MAX,
        Act::change(|mut response| {
            if let Ok(mut value) = serde_json::from_slice(&response.body) {
                strip(&mut value);
                response.body = value.to_string().into_bytes();
            }
            response
        }),
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_asset_that_was_added_removed_or_changed_is_found_before_anything_public() {
    let (world, _) = merged().await;
    let cases: [(&str, Change, &str); 4] = [
        ("extra", |world| super::add_asset(world, "extra.txt"), { "extra.txt is not recorded" }),
        (
            "missing",
            |world| world.github().state().release_mut(VERSION).unwrap().assets.retain(|a| a.name != COPIED),
            { "metal-amd64.iso is not there" },
        ),
        ("changed", |world| rewrite(world, BUILT, b"built elsewher\n".to_vec()), {
            "cozypkg-linux-amd64.tar.gz is another file than sha256:"
        }),
        ("half", |world| edit(world, BUILT, |asset| (asset.state, asset.digest) = ("starter".into(), None)), {
            "cozypkg-linux-amd64.tar.gz is half-uploaded"
        }),
    ];
    for (what, change, text) in cases {
        let world = world.copy();
        change(&world);
        let (before, writes) = (world.snapshot(), Writes::of(&world));
        let ran = world.run().await;
        let texts = ["the assets of v1.6.2 are not what its sealift.json says", text, "--replace-assets"];
        refused(&ran, "gate", &texts);
        assert!(ran.acted().is_empty(), "{what}: {:?}", ran.acted());
        writes.none();
        nothing_public(&world);
        before.assert_same(&world.snapshot(), what);
    }
}

/// The same size and the same name: only the bytes tell.
#[tokio::test(flavor = "multi_thread")]
async fn where_the_server_has_no_digests_the_bytes_are_downloaded_and_hashed() {
    let world = super::fresh().await;
    without_digests(&world);
    world.run().await.must_be(State::Waiting);
    assert!(world.github().count("GET", "/storage/*") >= 7, "two are copied, five are looked at again");
    let before = world.github().count("POST", "*/assets?*");
    let ran = world.run().await;
    ran.must_be(State::Waiting);
    assert!(ran.acted().is_empty(), "{:?}", ran.acted());
    // A replacement by the same files finds them the same.
    let mut session = world.session();
    session.inputs.replace_assets = true;
    let ran = session.run(&world.request()).await;
    ran.must_be(State::Waiting);
    assert_eq!((world.github().count("POST", "*/assets?*"), ran.acted()), (before, vec![]));
    let changed = world.copy();
    without_digests(&changed);
    edit(&changed, BUILT, |asset| {
        let mut bytes = asset.bytes.to_vec();
        bytes[0] ^= 1;
        asset.bytes = bytes.into();
    });
    refused(&changed.run().await, "propose", &["cozypkg-linux-amd64.tar.gz is another file than"]);
    world.github().merge_pull(1, crate::support::github::How::Merge);
    world.run().await.must_be(State::Holds);
}

/// Half-way on a server without digests: a file that is there is not sent again.
#[tokio::test(flavor = "multi_thread")]
async fn where_the_server_has_no_digests_a_broken_proposal_goes_on() {
    let world = super::pinned().await;
    without_digests(&world);
    world.github().fault("POST", "*/assets?name=metal*", 1..=1, Act::status(500));
    world.run().await.must_be(State::Failed);
    world.run().await.must_be(State::Waiting);
    assert_eq!(world.github().count("POST", "*/assets?name=cozypkg-linux*"), 1);
    assert_eq!(super::assets(&world).len(), 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_later_sealifts_record_is_read_and_goes_on() {
    let (world, _) = merged().await;
    let mut record: Value = serde_json::from_slice(&asset(&world, RECORD)).unwrap();
    record["signedBy"] = "a later sealift".into();
    record["assets"][0]["label"] = "more".into();
    rewrite(&world, RECORD, record.to_string().into_bytes());
    world.run().await.must_be(State::Holds);
    assert!(String::from_utf8(asset(&world, RECORD)).unwrap().contains("a later sealift"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_of_another_schema_is_not_guessed_at() {
    for merge in [false, true] {
        let world = waiting().await;
        if merge {
            world.github().merge_pull(1, crate::support::github::How::Merge);
        }
        let mut record: Value = serde_json::from_slice(&asset(&world, RECORD)).unwrap();
        record["schema"] = 2.into();
        rewrite(&world, RECORD, record.to_string().into_bytes());
        let before = world.snapshot();
        let ran = world.run().await;
        let texts = [
            "sealift.json on v1.6.2 can't be read: it is of schema 2, this sealift reads 1",
            "use the sealift that wrote it",
        ];
        refused(&ran, if merge { "gate" } else { "propose" }, &texts);
        assert!(ran.acted().is_empty());
        before.assert_same(&world.snapshot(), "refused");
        // Deleted, it is made anew.
        world.github().state().release_mut(VERSION).unwrap().assets.retain(|asset| asset.name != RECORD);
        world.run().await.must_be(if merge { State::Holds } else { State::Waiting });
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_that_is_none_is_refused() {
    let world = waiting().await;
    for (bytes, text) in [
        (b"{".to_vec(), "can't be read: EOF"),
        (b"[]".to_vec(), "can't be read"),
        (b"{\"schema\": 1}".to_vec(), "missing field"),
        (vec![b' '; (1 << 20) + 1], "it is 1048577 bytes long"),
    ] {
        rewrite(&world, RECORD, bytes);
        let ran = world.run().await;
        refused(&ran, "propose", &[text, "deleted from the draft, it is made anew"]);
        assert!(ran.acted().is_empty());
    }
}

/// A record of another promotion's commit says nothing of this one's files.
#[tokio::test(flavor = "multi_thread")]
async fn a_record_of_another_commit_does_not_count() {
    let world = waiting().await;
    let mut record: Value = serde_json::from_slice(&asset(&world, RECORD)).unwrap();
    record["commit"] = "0123456789abcdef0123456789abcdef01234567".into();
    rewrite(&world, RECORD, record.to_string().into_bytes());
    let mut session = world.session();
    session.inputs.assets = None;
    waits(&session.run(&world.request()).await, "propose", "assets", &[&super::pin(&world)]);
    world.run().await.must_be(State::Waiting);
    let record: Value = serde_json::from_slice(&asset(&world, RECORD)).unwrap();
    assert_eq!(record["commit"], super::pin(&world));
}
