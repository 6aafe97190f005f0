//! Promotions under random trouble: killed and racing runners, servers that fail, people in any order.
//! Whatever came, the same command ends it, and `check-world.sh` judges the world.
//!
//! A few rounds belong to every test run. More are asked for, and any is repeated by its seed:
//! `SEALIFT_SOAK=1000` runs rounds 0 to 999, `SEALIFT_SOAK=1@417` round 417 alone.

mod dice;
mod people;
mod round;
mod trouble;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use self::round::{Round, Tally};
use crate::support::say;
use crate::support::world::remote::Remote;
use crate::support::world::{Case, World, shipped};

/// Rounds of a run that asks for no number.
const FEW: u64 = 6;
/// Rounds beside each other: a run mostly waits for GitHub's second between two writes.
const AT_ONCE: usize = 12;

/// How many rounds, and the seed of the first.
fn asked() -> (u64, u64) {
    let Ok(text) = std::env::var("SEALIFT_SOAK") else { return (FEW, 0) };
    let (rounds, seed) = text.split_once('@').unwrap_or((&text, "0"));
    let number =
        |text: &str| text.parse().unwrap_or_else(|_| panic!("SEALIFT_SOAK is ROUNDS or ROUNDS@SEED, not {text}"));
    (number(rounds), number(seed))
}

#[tokio::test(flavor = "multi_thread")]
async fn every_promotion_ends_right_whatever_comes() {
    let shipped = shipped().into_iter().find(|shipped| shipped.name == "cozystack").unwrap();
    let (rounds, first) = asked();
    let bases = [Case::of(&shipped), Case::of(&shipped).on_a_line()];
    let mut worlds = Vec::new();
    for case in &bases {
        worlds.push(Arc::new(Remote::fill(World::build(case).await).await));
    }
    let (next, failed) = (Arc::new(AtomicUsize::new(0)), Arc::new(std::sync::Mutex::new(Vec::new())));
    let tally = Arc::new(std::sync::Mutex::new(Tally::default()));
    let workers: Vec<_> = (0..AT_ONCE.min(usize::try_from(rounds).unwrap()))
        .map(|_| {
            let (worlds, next, failed, tally) = (worlds.clone(), next.clone(), failed.clone(), tally.clone());
            std::thread::spawn(move || {
                loop {
                    let at = next.fetch_add(1, Ordering::SeqCst) as u64;
                    if at >= rounds {
                        return;
                    }
                    let seed = first + at;
                    match Round::new(seed, &worlds[usize::try_from(seed % 2).unwrap()]).play() {
                        Ok(done) => tally.lock().unwrap().add(&done),
                        Err(story) => {
                            say(format_args!("soak: round {seed} failed (SEALIFT_SOAK=1@{seed})\n{story}"));
                            failed.lock().unwrap().push(seed);
                        }
                    }
                    if at % 50 == 49 {
                        say(format_args!("soak: {} rounds begun; {}", at + 1, tally.lock().unwrap()));
                    }
                }
            })
        })
        .collect();
    let ended: Vec<_> = workers.into_iter().map(std::thread::JoinHandle::join).collect();
    say(format_args!("soak: {rounds} rounds from seed {first}; {}", tally.lock().unwrap()));
    let failed = failed.lock().unwrap();
    assert!(failed.is_empty(), "rounds failed: {failed:?}");
    assert!(ended.iter().all(Result::is_ok), "a round broke off; it has said why");
}

/// The words of a tally, most first.
fn counted(counts: &BTreeMap<String, usize>) -> String {
    let mut counts: Vec<_> = counts.iter().collect();
    counts.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), *name));
    counts.iter().map(|(name, count)| format!("{count} {name}")).collect::<Vec<_>>().join(", ")
}
