//! What every registry must do, whatever is behind the port.

use std::io::Write;
use std::sync::Arc;

use sealift::model::manifest::{DOCKER_LIST, DOCKER_MANIFEST, OCI_INDEX, OCI_MANIFEST};
use sealift::model::{Answer, Descriptor, Digest, Manifest, Repository};
use sealift::port::WriteError;
use sealift::port::registry::{At, Blob, Content, Mount, RegistryRead, RegistryWrite};

use super::{found, repository, tag};
use crate::support::images;

pub trait Registry: RegistryRead + RegistryWrite {}
impl<T: RegistryRead + RegistryWrite> Registry for T {}

/// Runs every case, each in repositories of its own under `host`.
pub async fn check(registry: &dyn Registry, host: &str) -> usize {
    let name = |case: &str| repository(&format!("{host}/contract/deep/{case}"));
    nothing_is_absent(registry, &name("nothing")).await;
    an_index_comes_back_byte_for_byte(registry, &name("index")).await;
    a_tag_is_added_and_moved(registry, &name("retag")).await;
    odd_manifests_keep_their_bytes(registry, &name("odd")).await;
    a_manifest_needs_its_parts(registry, &name("parts")).await;
    a_blob_must_be_what_it_says(registry, &name("wrong")).await;
    a_blob_is_stored_once(registry, &name("once")).await;
    blobs_of_awkward_sizes(registry, &name("sizes")).await;
    a_blob_is_mounted_or_asked_for(registry, &name("mount-to"), &name("mount-from")).await;
    tags_are_all_there_and_sorted(registry, &name("tags")).await;
    10
}

async fn nothing_is_absent(registry: &dyn Registry, repository: &Repository) {
    let nothing = Digest::of(b"nothing");
    assert!(registry.manifest(repository, &At::Tag(tag("v1"))).await.is_absent());
    assert!(registry.manifest(repository, &At::Digest(nothing)).await.is_absent());
    assert!(registry.tags(repository).await.is_absent());
    let descriptor = images::blob("a/b", *b"nothing").descriptor;
    assert!(registry.blob(repository, &descriptor).await.is_absent());
    images::push_index(registry, repository, Some("v2"), "nothing").await;
    assert!(registry.manifest(repository, &At::Tag(tag("v1"))).await.is_absent());
    assert!(registry.manifest(repository, &At::Digest(nothing)).await.is_absent());
    assert!(registry.blob(repository, &descriptor).await.is_absent());
    assert!(!matches!(registry.has_blob(repository, &descriptor.digest).await, Answer::Found(())));
}

async fn an_index_comes_back_byte_for_byte(registry: &dyn Registry, repository: &Repository) {
    let digest = images::push_index(registry, repository, Some("v1.0.0-rc.1"), "seed").await;
    let (index, children) = images::index("seed");
    assert_eq!(digest, index.digest());
    for at in [At::Tag(tag("v1.0.0-rc.1")), At::Digest(digest)] {
        assert_eq!(found(registry.manifest(repository, &at).await), index);
    }
    for (child, blobs) in children {
        assert_eq!(found(registry.manifest(repository, &At::Digest(child.digest())).await), child);
        for blob in blobs {
            let Content::Bytes(bytes) = &blob.content else { unreachable!() };
            assert_eq!(found(registry.blob(repository, &blob.descriptor).await), bytes.to_vec());
            found(registry.has_blob(repository, &blob.descriptor.digest).await);
        }
    }
}

async fn a_tag_is_added_and_moved(registry: &dyn Registry, repository: &Repository) {
    let first = images::push_index(registry, repository, Some("rc"), "one").await;
    let second = images::push_index(registry, repository, None, "two").await;
    let one = found(registry.manifest(repository, &At::Digest(first)).await);
    let two = found(registry.manifest(repository, &At::Digest(second)).await);
    for (manifest, times) in [(&one, 2), (&two, 1)] {
        for _ in 0..times {
            registry.put_manifest(repository, &tag("stable"), manifest).await.unwrap();
            assert_eq!(&found(registry.manifest(repository, &At::Tag(tag("stable"))).await), manifest);
        }
    }
    assert_eq!(found(registry.manifest(repository, &At::Tag(tag("rc"))).await), one);
    assert_eq!(found(registry.tags(repository).await), [tag("rc"), tag("stable")]);
}

async fn odd_manifests_keep_their_bytes(registry: &dyn Registry, repository: &Repository) {
    let (image, blobs) = images::image("odd", "amd64");
    images::push_image(registry, repository, &image, &blobs).await;
    let child = |kind: &str, of: &Manifest| {
        format!(r#"{{ "digest":"{}", "mediaType":"{kind}","size":{} }}"#, of.digest(), of.bytes().len())
    };
    let parts: Vec<String> = blobs.iter().map(|b| serde_json::to_string(&b.descriptor).unwrap()).collect();
    let (config, layer) = (&parts[0], &parts[1]);
    let docker = format!(
        "{{\n\t\"schemaVersion\": 2,\n\t\"mediaType\": \"{DOCKER_MANIFEST}\",\"config\":{config},\"layers\":[{layer}]}}"
    );
    let docker = Manifest::new(docker.into_bytes(), None).unwrap();
    registry.put_manifest_by_digest(repository, &docker).await.unwrap();
    let list = format!(
        r#"{{"mediaType":"{DOCKER_LIST}","schemaVersion":2,"manifests":[{}]}}"#,
        child(DOCKER_MANIFEST, &docker)
    );
    let untyped = format!("{{\"manifests\":[{}],\"schemaVersion\":2}}\n\n", child(OCI_MANIFEST, &image));
    let artifact = format!(
        r#"{{"schemaVersion":2,"mediaType":"{OCI_MANIFEST}","artifactType":"a/b","config":{config},"layers":[{layer}],"subject":{},"annotations":{{"a":"<&>"}}}}"#,
        child(OCI_MANIFEST, &image)
    );
    for (name, text, kind) in
        [("list", list, DOCKER_LIST), ("untyped", untyped, OCI_INDEX), ("artifact", artifact, OCI_MANIFEST)]
    {
        let manifest = Manifest::new(text.into_bytes(), Some(kind)).unwrap();
        registry.put_manifest(repository, &tag(name), &manifest).await.unwrap();
        for at in [At::Tag(tag(name)), At::Digest(manifest.digest())] {
            assert_eq!(found(registry.manifest(repository, &at).await), manifest, "{name}");
        }
    }
}

async fn a_manifest_needs_its_parts(registry: &dyn Registry, repository: &Repository) {
    let (manifest, blobs) = images::image("parts", "amd64");
    registry.put_blob(repository, &blobs[0]).await.unwrap();
    let refused = registry.put_manifest(repository, &tag("v1"), &manifest).await;
    assert!(matches!(refused, Err(WriteError::Refused { .. })), "{refused:?}");
    let (index, _) = images::index("parts");
    let refused = registry.put_manifest(repository, &tag("v1"), &index).await;
    assert!(matches!(refused, Err(WriteError::Refused { .. })), "{refused:?}");
    for at in [At::Tag(tag("v1")), At::Digest(manifest.digest()), At::Digest(index.digest())] {
        assert!(registry.manifest(repository, &at).await.is_absent());
    }
}

async fn a_blob_must_be_what_it_says(registry: &dyn Registry, repository: &Repository) {
    let mut blob = images::blob("a/b", *b"said");
    blob.content = Content::Bytes(Arc::from(*b"done"));
    let refused = registry.put_blob(repository, &blob).await;
    assert!(matches!(refused, Err(WriteError::Refused { .. })), "{refused:?}");
    for digest in [Digest::of(b"said"), Digest::of(b"done")] {
        let descriptor = Descriptor { digest, ..blob.descriptor.clone() };
        assert!(registry.blob(repository, &descriptor).await.is_absent());
    }
}

async fn a_blob_is_stored_once(registry: &dyn Registry, repository: &Repository) {
    let blob = images::blob("a/b", *b"once");
    for _ in 0..2 {
        registry.put_blob(repository, &blob).await.unwrap();
        assert_eq!(found(registry.blob(repository, &blob.descriptor).await), b"once");
    }
    let smaller = Descriptor { size: 3, ..blob.descriptor };
    assert!(matches!(registry.blob(repository, &smaller).await, Answer::Unknown(_)));
}

async fn blobs_of_awkward_sizes(registry: &dyn Registry, repository: &Repository) {
    for size in [1, 4 << 20, (9 << 20) + 7] {
        let bytes: Vec<u8> = (0..size).map(|i: usize| (i / 251) as u8 ^ i as u8).collect();
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&bytes).unwrap();
        let descriptor = images::blob("a/b", bytes.clone()).descriptor;
        let blob = Blob { descriptor: descriptor.clone(), content: Content::File(Arc::new(file.into_temp_path())) };
        registry.put_blob(repository, &blob).await.unwrap();
        assert!(found(registry.blob(repository, &descriptor).await) == bytes, "{size}");
    }
}

async fn a_blob_is_mounted_or_asked_for(registry: &dyn Registry, to: &Repository, from: &Repository) {
    let blob = images::blob("a/b", *b"mounted");
    registry.put_blob(from, &blob).await.unwrap();
    assert_eq!(registry.mount_blob(to, from, &blob.descriptor.digest).await.unwrap(), Mount::Mounted);
    assert_eq!(found(registry.blob(to, &blob.descriptor).await), b"mounted");
    let missing = registry.mount_blob(to, from, &Digest::of(b"not there")).await;
    assert_eq!(missing.unwrap(), Mount::NotMounted);
}

async fn tags_are_all_there_and_sorted(registry: &dyn Registry, repository: &Repository) {
    let digest = images::push_index(registry, repository, Some("v9"), "tags").await;
    let manifest = found(registry.manifest(repository, &At::Digest(digest)).await);
    let mut expected = vec![tag("v9")];
    for n in [3, 1, 2, 10, 5, 4] {
        registry.put_manifest(repository, &tag(&format!("v{n}")), &manifest).await.unwrap();
        expected.push(tag(&format!("v{n}")));
    }
    expected.sort();
    assert_eq!(found(registry.tags(repository).await), expected);
}
