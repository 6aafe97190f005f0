//! The published tree as an artifact: pulled, verified, or not there.

use std::fs;

use sealift::archive::{self, Options};
use sealift::model::{Manifest, Repository, Tag};
use sealift::port::registry::{Config, Layout, Location, Registries, RegistryWrite};
use sealift::tree::{DirTree, Subtree};

use super::*;
use crate::support::http::Response;
use crate::support::images;
use crate::support::registry_server::{Access, Act, RegistryServer, oci_error};

const HOST: &str = "ci.example";
const NAME: &str = "ci.example/main/own-packages";

/// Pushes the published fixture under a tag; its digest.
async fn publish(to: &dyn RegistryWrite, repository: &Repository, spool: &Path) -> Digest {
    let tree = DirTree::open(fixture("published")).unwrap();
    let artifact = archive::build(&Subtree::new(&tree, "packages").unwrap(), &Options::default(), spool).unwrap();
    for blob in [&artifact.config, &artifact.layer] {
        to.put_blob(repository, blob).await.unwrap();
    }
    let tag: Tag = "main".parse().unwrap();
    to.put_manifest(repository, &tag, &artifact.manifest).await.unwrap();
    artifact.manifest.digest()
}

fn repository() -> Repository {
    NAME.parse().unwrap()
}

/// A place with the artifact in a layout beside it.
async fn with_layout() -> (Place, Digest) {
    let place = Place::new();
    let layout = place.path("layout");
    fs::create_dir(&layout).unwrap();
    let digest = publish(&Layout::new(&layout), &repository(), &place.path("")).await;
    (place, digest)
}

/// A place, and a server that has the artifact, for whom `docker_config` speaks where it wants that.
async fn with_server(access: Access, docker_config: &str) -> (Place, RegistryServer, Digest) {
    let (place, server) = (Place::new(), RegistryServer::with(access));
    let locations = [(HOST.to_owned(), Location::Url(server.url()))].into();
    let file = place.path("config.json");
    fs::write(&file, docker_config).unwrap();
    let registries = Registries::new(Config { locations, docker_config: Some(file), ..Config::default() }).unwrap();
    let digest = publish(&registries, &repository(), &place.path("")).await;
    (place, server, digest)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_artifact_in_a_layout_is_taken_by_digest_or_by_tag() {
    let (place, digest) = with_layout().await;
    let registry = ["--registry", "ci.example=layout:layout"];
    let by_digest = format!("oci://{NAME}@{digest}");
    let by_tag = format!("{NAME}:main");
    let both = format!("{NAME}:elsewhere@{digest}");
    for from in [by_digest.as_str(), &by_tag, &format!("oci://{by_tag}"), &both] {
        let (out, _) = ends(&place.over(&[&["--from", from, "--plan"], &registry[..]].concat()), 3);
        assert!(
            out.contains(&format!("7 references in 5 files of change would become those of {NAME}@{digest}")),
            "{out}"
        );
    }
    ends(&place.over(&[&["--from", &by_tag], &registry[..]].concat()), 0);
    let done = place.files();
    let other = Place::new();
    ends(&other.over(&["--from", "published"]), 0);
    assert_eq!(done, other.files(), "an artifact's tree is the directory's");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_artifact_behind_a_server_is_taken() {
    let (place, server, digest) = with_server(Access::Open, "{}").await;
    let location = format!("{HOST}={}", server.url());
    let registry = ["--registry", location.as_str()];
    let writes = server.writes();
    let (out, _) = ends(&place.over(&[&["--from", &format!("{NAME}:main")], &registry[..]].concat()), 0);
    assert!(out.ends_with(&format!("are now those of {NAME}@{digest}.\n")), "{out}");
    assert_eq!(server.writes(), writes, "nothing is written to a registry");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_proven_absent_is_missing_and_what_can_t_be_known_is_an_error() {
    let (place, server, digest) = with_server(Access::Open, "{}").await;
    let location = format!("{HOST}={}", server.url());
    let before = place.files();
    let run = |from: &str, more: &[&str]| place.over(&[&["--from", from, "--registry", &location], more].concat());
    let gone = format!("oci://{NAME}@{}", sha("gone"));
    for from in [&gone, &format!("{NAME}:none"), &format!("oci://{HOST}/main/nobody:main")] {
        let (_, err) = ends(&run(from, &[]), 5);
        assert!(err.contains("there is no source"), "{err}");
        let (out, _) = ends(&run(from, &["--if-missing", "skip"]), 0);
        assert!(out.contains("which the registry doesn't have") && out.contains("5 missing"), "{out}");
    }
    // Whatever else a server says is not that.
    let good = format!("oci://{NAME}@{digest}");
    let answers: [fn() -> Response; 4] = [
        || oci_error(403, "DENIED", "no"),
        || Response::new(404, "<html>not found</html>"),
        || oci_error(400, "UNSUPPORTED", "no"),
        || Response::new(200, ""),
    ];
    ends(&run(&good, &["--plan"]), 3);
    assert_eq!(place.files(), before);
    for answer in answers {
        let (place, server, digest) = with_server(Access::Open, "{}").await;
        server.fault("GET", &format!("/manifests/{digest}"), 1..=1000, Act::Answer(answer()));
        let location = format!("{HOST}={}", server.url());
        let words = ["--from", &good, "--registry", &location, "--if-missing", "skip"];
        let (_, err) = ends(&place.over(&words), 1);
        assert!(err.contains("error: "), "{err}");
        assert_eq!(place.files(), before);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_artifact_that_is_not_whole_is_refused() {
    let (place, digest) = with_layout().await;
    let before = place.files();
    let layout = Layout::new(place.path("layout"));
    let index = images::push_index(&layout, &repository(), None, "x").await;
    let (image, blobs) = images::image("x", "amd64");
    images::push_image(&layout, &repository(), &image, &blobs).await;
    let run = |digest: Digest| {
        let from = format!("oci://{NAME}@{digest}");
        place.over(&["--from", &from, "--registry", "ci.example=layout:layout", "--if-missing", "skip"])
    };
    let (_, err) = ends(&run(image.digest()), 1);
    assert!(err.contains("is not an artifact to take references from"), "{err}");
    let (_, err) = ends(&run(index), 1);
    assert!(err.contains("is not an artifact"), "{err}");
    // A blob of other bytes, and one that is gone.
    let layer = manifest_of(&layout, digest).await.layers()[0].digest;
    let blob = place.path("layout").join(NAME).join("blobs/sha256").join(layer.hex());
    fs::write(&blob, "other bytes").unwrap();
    ends(&run(digest), 1);
    fs::remove_file(&blob).unwrap();
    let (_, err) = ends(&run(digest), 1);
    assert!(err.contains(&layer.to_string()), "{err}");
    assert_eq!(place.files(), before);
}

async fn manifest_of(layout: &Layout, digest: Digest) -> Manifest {
    use sealift::port::registry::{At, RegistryRead as _};
    layout.manifest(&repository(), &At::Digest(digest)).await.known().unwrap().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_registry_that_wants_credentials_gets_them() {
    let access = Access::Basic { user: "ann".into(), password: "s3cret".into() };
    let config = format!(r#"{{"auths": {{"{HOST}": {{"username": "ann", "password": "s3cret"}}}}}}"#);
    let (place, server, _) = with_server(access, &config).await;
    let location = format!("{HOST}={}", server.url());
    let from = format!("{NAME}:main");
    let words = ["--from", &from, "--registry", &location, "--plan", "--if-missing", "skip"];
    ends(&place.over(&words), 1);
    let (out, err) = ends(&place.over(&[&words[..], &["--docker-config", "config.json"]].concat()), 3);
    assert!(!out.contains("s3cret") && !err.contains("s3cret"));
    let folder = place.path("");
    let environment = [("DOCKER_CONFIG", folder.to_str().unwrap())];
    let lists = ["--onto", "change", "--built", "built.json", "--edited", "edited.txt"];
    ends(&place.run(&[&lists[..], &words].concat(), &environment), 3);
}
