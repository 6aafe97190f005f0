//! Every way to an origin keeps the same promises.

use futures_util::future::join_all;
use sealift::model::RefName;
use sealift::port::WriteError;
use sealift::port::repository::{NewTag, OriginRead as _, OriginWrite as _, RefUpdate};

use super::world::{WAYS, Way, World, branch, commit_on, fetched, list, push, unknown};
use crate::support::sandbox::NOW;

#[tokio::test(flavor = "multi_thread")]
async fn listing_shows_refs_the_default_branch_and_what_tags_peel_to() {
    for way in WAYS {
        let world = World::new(way);
        // A symbolic ref to nothing is in no listing, and spoils none.
        world.sandbox.git(&world.bare, &["symbolic-ref", "refs/heads/dangling", "refs/heads/gone"]);
        let refs = list(&world.origin("store")).await;
        assert_eq!(refs.head, Some(branch("main")), "{way:?}");
        let names: Vec<_> = refs.refs.keys().map(RefName::as_str).collect();
        assert_eq!(names, ["refs/heads/main", "refs/tags/v1"]);
        let tag = refs.get(&RefName::tag("v1").unwrap()).unwrap();
        assert_eq!((tag.id, tag.peeled), (world.tag, world.first));
        let main = refs.get(&branch("main")).unwrap();
        assert_eq!((main.id, main.peeled), (world.main, world.main));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_repository_is_found_and_empty_and_an_absent_one_is_unknown() {
    for way in WAYS {
        let mut world = World::new(way);
        world.bare = world.sandbox.init("empty.git", true);
        let (empty, absent) = match way {
            Way::Http => (world.server.url("empty.git"), world.server.url("absent.git")),
            _ => (world.url(), world.sandbox.path("absent.git").to_string_lossy().into_owned()),
        };
        let open = |url: &str| {
            let store = world.origin("store").store().clone();
            sealift::port::repository::Origin::new(store, url, None).unwrap()
        };
        assert_eq!(list(&open(&empty)).await, Default::default(), "{way:?}");
        let unknown = unknown(&open(&absent)).await;
        assert!(unknown.what.contains("absent.git"), "{unknown}");
        assert_eq!(unknown.status, (way == Way::Http).then_some(404));
    }
}

/// As several processes do that share a cache: each opens the store by itself, from nothing on.
#[tokio::test(flavor = "multi_thread")]
async fn a_store_is_shared() {
    for way in WAYS {
        let world = World::new(way);
        for round in 0..5 {
            // Half of the names go and others come: what was fetched is renamed and pruned each time.
            let names: Vec<_> = (0..20).map(|n| branch(&format!("b{}", n + 10 * round))).collect();
            for (n, name) in names.iter().enumerate() {
                world.set(name.as_str(), if n % 2 == round % 2 { world.main } else { world.first });
            }
            let open = || world.origin(&format!("store{}", round % 2));
            let origins: Vec<_> = std::thread::scope(|scope| {
                let opening = [(); 4].map(|()| scope.spawn(open));
                opening.into_iter().map(|origin| origin.join().unwrap()).collect()
            });
            for fetched in join_all(origins.iter().map(|origin| origin.fetch(&names))).await {
                fetched.unwrap_or_else(|unknown| panic!("{way:?}, round {round}: {unknown}"));
            }
            for gone in names.iter().take(10) {
                world.sandbox.git(&world.bare, &["update-ref", "-d", gone.as_str()]);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn fetching_brings_the_history_of_what_is_named_and_no_more() {
    for way in WAYS {
        let world = World::new(way);
        let origin = world.origin("store");
        origin.fetch(&[RefName::tag("v1").unwrap()]).await.unwrap();
        let store = origin.store();
        assert_eq!(store.rev_parse(&world.tag.to_string()).unwrap(), world.first);
        assert!(!store.contains(world.main).unwrap(), "{way:?}: main was not named");
        origin.fetch(&[branch("main")]).await.unwrap();
        assert!(store.is_ancestor(world.first, world.main).unwrap());
        assert_eq!(store.file(store.tree_of(world.main).unwrap(), b"file").unwrap().unwrap(), b"two\n");

        let missing = origin.fetch(&[branch("main"), branch("absent")]).await.unwrap_err();
        assert!(missing.what.contains("refs/heads/absent"), "{missing}");
        // A longer history, in several rounds, on top of what is there; a rewound branch too.
        let mut tip = world.main;
        for n in 0..60 {
            tip = commit_on(&origin, tip, &format!("more {n}"));
        }
        push(&origin, "long", None, Some(tip)).await.unwrap();
        world.set("refs/heads/main", world.first);
        let other = fetched(&world, "other").await;
        assert!(!other.store().contains(world.main).unwrap());
        other.fetch(&[branch("long"), branch("main")]).await.unwrap();
        assert_eq!(other.store().reachable(tip, &[world.first]).unwrap().len(), 61);
        // A branch that makes way for a directory of branches.
        push(&other, "long", Some(tip), None).await.unwrap();
        push(&other, "long/er", None, Some(tip)).await.unwrap();
        other.fetch(&[branch("long/er")]).await.unwrap();
        world.sandbox.git(&world.sandbox.path("other"), &["fsck", "--strict", "--connectivity-only"]);
        world.sandbox.git(&world.bare, &["fsck", "--strict"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ref_is_created_moved_and_deleted_when_it_is_what_was_expected() {
    for way in WAYS {
        let world = World::new(way);
        let origin = fetched(&world, "store").await;
        let one = commit_on(&origin, world.main, "one");
        let two = commit_on(&origin, one, "two");
        push(&origin, "new", None, Some(one)).await.unwrap();
        assert_eq!(world.names("refs/heads/new"), Some(one), "{way:?}");
        push(&origin, "new", Some(one), Some(two)).await.unwrap();
        assert_eq!(world.names("refs/heads/new"), Some(two));
        // Backwards is a compare-and-set like any other.
        push(&origin, "new", Some(two), Some(world.main)).await.unwrap();
        push(&origin, "new", Some(world.main), None).await.unwrap();
        assert_eq!(world.names("refs/heads/new"), None);
        // What holds already is success, without a push.
        push(&origin, "new", None, None).await.unwrap();
        push(&origin, "main", Some(two), Some(world.main)).await.unwrap();
        if way == Way::Http {
            assert_eq!(world.server.requests().iter().filter(|request| request.is_push()).count(), 4);
        }
        // Packed refs are refs.
        push(&origin, "packed", None, Some(one)).await.unwrap();
        world.sandbox.git(&world.bare, &["pack-refs", "--all"]);
        push(&origin, "packed", Some(one), Some(two)).await.unwrap();
        world.sandbox.git(&world.bare, &["pack-refs", "--all"]);
        push(&origin, "packed", Some(two), None).await.unwrap();
        assert_eq!(world.names("refs/heads/packed"), None);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_annotated_tag_is_pushed_as_an_object() {
    for way in WAYS {
        let world = World::new(way);
        let origin = fetched(&world, "store").await;
        let target = commit_on(&origin, world.main, "tagged");
        let tag = NewTag {
            name: "v2".to_owned(),
            target,
            tagger_name: "Bot".to_owned(),
            tagger_email: "bot@example.org".to_owned(),
            time_seconds: NOW,
            message: "v2\n".to_owned(),
        };
        let tag = origin.store().write_tag(&tag).unwrap();
        let name = RefName::tag("v2").unwrap();
        origin.update(&RefUpdate { name: name.clone(), expect: None, target: Some(tag) }).await.unwrap();
        let listed = list(&origin).await.get(&name).unwrap();
        assert_eq!((listed.id, listed.peeled), (tag, target), "{way:?}");
        let nested = world.sandbox.git(&world.bare, &["cat-file", "-t", "refs/tags/v2^{commit}"]);
        assert_eq!(nested, "commit");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ref_that_is_not_what_was_expected_is_lost_and_left() {
    for way in WAYS {
        let world = World::new(way);
        let origin = fetched(&world, "store").await;
        let mine = commit_on(&origin, world.main, "mine");
        world.set("refs/heads/taken", world.first);
        let cases = [
            ("taken", None, Some(mine)),
            ("taken", Some(world.main), Some(mine)),
            ("taken", Some(world.main), None),
            ("absent", Some(world.main), Some(mine)),
        ];
        for (name, expect, target) in cases {
            let lost = push(&origin, name, expect, target).await.unwrap_err();
            let WriteError::Lost { what, expected, found } = &lost else { panic!("{way:?} {name}: {lost:?}") };
            assert!(what.contains(name) && expected != found, "{lost}");
        }
        assert_eq!(world.names("refs/heads/taken"), Some(world.first));
        assert_eq!(world.names("refs/heads/absent"), None);
        let absent = "0123456789abcdef0123456789abcdef01234567".parse().unwrap();
        let refused = push(&origin, "new", None, Some(absent)).await.unwrap_err();
        assert!(matches!(refused, WriteError::Refused { .. }), "what isn't in the store can't be pushed: {refused}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_at_once_one_wins_and_the_other_knows() {
    for way in WAYS {
        let world = World::new(way);
        let (a, b) = (fetched(&world, "a").await, fetched(&world, "b").await);
        for round in 0..5 {
            let name = format!("race-{round}");
            let (mine, yours) =
                (commit_on(&a, world.main, &format!("a{round}")), commit_on(&b, world.main, &format!("b{round}")));
            let (ours, theirs) = tokio::join!(push(&a, &name, None, Some(mine)), push(&b, &name, None, Some(yours)));
            let (winner, loser) = match (ours, theirs) {
                (Ok(()), Err(error)) => (mine, error),
                (Err(error), Ok(())) => (yours, error),
                other => panic!("{way:?}: {other:?}"),
            };
            assert!(matches!(loser, WriteError::Lost { .. }), "{way:?}: {loser:?}");
            assert_eq!(world.names(&format!("refs/heads/{name}")), Some(winner));
        }
        // With one candidate both are right.
        let (same, again) = (commit_on(&a, world.main, "same"), commit_on(&b, world.main, "same"));
        assert_eq!(same, again);
        let both = tokio::join!(push(&a, "same", None, Some(same)), push(&b, "same", None, Some(same)));
        assert_eq!(both, (Ok(()), Ok(())), "{way:?}");
    }
}
