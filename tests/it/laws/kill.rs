//! Crash anywhere, with a real process over the wire: SIGKILL right before or right after any
//! write that a registry, a git server or GitHub sees.

use std::os::unix::process::ExitStatusExt as _;
use std::sync::Arc;

use super::{AT_ONCE, beside};
use crate::support::world::remote::{Kill, Remote, Seen};
use crate::support::world::{Case, Shipped, World, WorldSnapshot, shipped};

struct Undisturbed {
    fresh: Remote,
    merged: Remote,
    last: WorldSnapshot,
    before: Seen,
    after: Seen,
}

impl Undisturbed {
    async fn of(shipped: &Shipped) -> Self {
        let fresh = Remote::fill(World::build(&Case::of(shipped)).await).await;
        let remote = fresh.copy();
        remote.run(4, "undisturbed");
        let before = remote.writes();
        remote.world.merge();
        let merged = remote.copy();
        remote.run(0, "undisturbed, merged");
        let all = remote.writes();
        let after = std::array::from_fn(|of| all[of] - before[of]);
        Self { fresh, merged, last: remote.snapshot(), before, after }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_process_changes_nothing_in_the_end() {
    for shipped in shipped() {
        let undisturbed = Arc::new(Undisturbed::of(&shipped).await);
        let mut cases = Vec::new();
        for (early, seen) in [(true, undisturbed.before), (false, undisturbed.after)] {
            let [registry, git, github] = seen;
            assert!(registry > 0 && git > 0, "{}: {seen:?} writes", shipped.name);
            assert_eq!(github > 0, shipped.forge() == "github", "{}: {seen:?} writes", shipped.name);
            // To the dead, right after a write is right before the next: only the last is left.
            cases.extend((1..=registry).map(|nth| (early, Kill::Registry(nth, false))));
            cases.extend((1..=git).map(|nth| (early, Kill::Git(nth, false))));
            cases.extend((1..=github).map(|nth| (early, Kill::GitHub(nth, false))));
            cases.extend([Kill::Registry(registry, true), Kill::Git(git, true)].map(|last| (early, last)));
            cases.extend((github > 0).then_some((early, Kill::GitHub(github, true))));
        }
        println!("{}, {}: {} kills", shipped.name, shipped.forge(), cases.len());
        // GitHub wants its writes a second apart: most of those processes only wait.
        let at_once = if shipped.forge() == "github" { 3 * AT_ONCE } else { AT_ONCE };
        beside(
            at_once,
            cases.into_iter().map(|(early, at)| {
                let undisturbed = undisturbed.clone();
                move || async move { killed(&undisturbed, early, at) }
            }),
        )
        .await;
    }
}

fn killed(undisturbed: &Undisturbed, early: bool, at: Kill) {
    let remote = if early { undisturbed.fresh.copy() } else { undisturbed.merged.copy() };
    let status = remote.killed(at);
    assert_eq!(status.signal(), Some(9), "{at:?} never came: {status:?}");
    let when = format!("killed at {at:?}, {}", if early { "before the merge" } else { "after the merge" });
    if early {
        remote.run(4, &when);
        remote.world.merge();
    }
    remote.run(0, &when);
    undisturbed.last.assert_same(&remote.snapshot(), &when);
}
