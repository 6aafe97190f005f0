//! Plans are deterministic: another machine, clock, time zone, umask, locale or home gives the
//! same bytes, and so does the same world built again.

use std::process::Command;

use sealift::engine::State;

use crate::support::world::{Case, World, shipped};

/// One machine: its environment, its umask, its faults of habit.
struct Machine {
    name: &'static str,
    umask: &'static str,
    env: &'static [(&'static str, &'static str)],
}

const MACHINES: [Machine; 3] = [
    Machine { name: "one", umask: "022", env: &[] },
    Machine {
        name: "two",
        umask: "077",
        env: &[
            ("TZ", "Pacific/Kiritimati"),
            ("LANG", "tr_TR.UTF-8"),
            ("LC_ALL", "tr_TR.UTF-8"),
            ("USER", "somebody"),
            ("GIT_AUTHOR_DATE", "2001-02-03T04:05:06 +0700"),
            ("GIT_COMMITTER_NAME", "Nobody"),
        ],
    },
    Machine {
        name: "three",
        umask: "000",
        env: &[("TZ", "America/St_Johns"), ("LC_ALL", "C"), ("SOURCE_DATE_EPOCH", "1"), ("COLUMNS", "40")],
    },
];

impl Machine {
    /// Runs the real binary here, and answers with its exit code and what it printed.
    fn sealift(&self, world: &World, command: &str) -> (Option<i32>, String) {
        // The store lies below HOME: each machine has its own.
        let home = world.sandbox.path(self.name);
        std::fs::create_dir_all(&home).unwrap();
        let mut shell: Command = world.sandbox.command("sh", &home);
        shell.arg("-c").arg(format!("umask {} && exec \"$@\"", self.umask)).arg("sh");
        shell.arg(env!("CARGO_BIN_EXE_sealift")).arg(command).arg(format!("v{}", world.rc));
        shell.args(world.arguments()).args(world.input_arguments()).args(["--format", "json"]);
        shell.envs(self.env.iter().copied()).env("HOME", &home);
        let output = shell.output().unwrap();
        let place = world.sandbox.path("").display().to_string();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(!text.is_empty(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
        let text = world.hosted().map_or(text.clone(), |github| text.replace(&github.url(), "<github>"));
        (output.status.code(), text.replace(&place, "<world>/"))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_is_the_same_on_every_machine() {
    for shipped in shipped() {
        let world = World::build(&Case::of(&shipped)).await;
        let again = World::build(&Case::of(&shipped)).await;
        for point in ["fresh", "waiting", "merged", "done"] {
            let plans: Vec<_> = MACHINES.iter().map(|machine| machine.sealift(&world, "plan")).collect();
            for (plan, machine) in plans.iter().zip(&MACHINES) {
                assert_eq!(plans[0], *plan, "{point}, machine {}", machine.name);
                assert_eq!(plan.1, machine.sealift(&again, "plan").1, "{point}, the same world again");
            }
            let (ours, theirs) = (world.plan().await, again.plan().await);
            assert_eq!(ours.events, theirs.events, "{point}");
            assert_eq!(ours.seal(), theirs.seal());
            match point {
                "merged" => {
                    world.run().await.must_be(State::Holds);
                    again.run().await.must_be(State::Holds);
                }
                "fresh" => {
                    world.run().await.must_be(State::Waiting);
                    again.run().await.must_be(State::Waiting);
                }
                "waiting" => assert_eq!(world.merge(), again.merge()),
                _ => {}
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_promotion_is_the_same_on_every_machine() {
    for shipped in shipped() {
        let world = World::build(&Case::of(&shipped)).await;
        let promoted = |machine: &Machine| {
            let world = world.copy();
            assert_eq!(machine.sealift(&world, "run").0, Some(4));
            world.merge();
            assert_eq!(machine.sealift(&world, "resume").0, Some(0));
            world.snapshot()
        };
        // At once: most of the time passes between the writes, which GitHub wants a second apart.
        let worlds: Vec<_> = std::thread::scope(|scope| {
            let running: Vec<_> = MACHINES.iter().map(|machine| scope.spawn(|| promoted(machine))).collect();
            running.into_iter().map(|one| one.join().unwrap()).collect()
        });
        for (snapshot, machine) in worlds.iter().zip(&MACHINES) {
            worlds[0].assert_same(snapshot, machine.name);
        }
    }
}
