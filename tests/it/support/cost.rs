//! What a piece of work costs, by more than a clock, and how much of the machine a program may take.

use std::path::Path;
use std::process::Command;

/// The time that this thread has had a processor, in nanoseconds: others on the machine don't count.
fn used() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split_whitespace().next().and_then(|first| first.parse().ok()).unwrap_or_default()
}

/// What a piece of work on this thread costs.
fn cost<T>(work: impl FnOnce() -> T) -> u64 {
    let before = used();
    let result = work();
    let cost = used() - before;
    drop(result);
    cost
}

/// Requires that four times the input costs less than eight times as much. What grows with the square costs sixteen
/// times as much; a factor of two is left for caches and the allocator.
#[track_caller]
pub fn linear<T>(name: &str, small: usize, work: impl Fn(usize) -> T) {
    // The first time pays for what is set up once.
    work(small / 4);
    let (one, four) = (cost(|| work(small)), cost(|| work(small * 4)));
    if one == 0 {
        super::say(format_args!("{name}: this kernel doesn't tell what a thread costs"));
        return;
    }
    let ratio = four as f64 / one as f64;
    assert!(ratio < 8.0, "{name}: {small} cost {one} ns, and four times as many {ratio:.1} times as much");
}

/// A program that gets so many bytes of memory and no more: what wants more ends with a signal.
pub fn within(bytes: u64, program: &str, dir: &Path) -> Command {
    let mut command = Command::new("sh");
    let limited = format!("ulimit -v {} && exec \"$0\" \"$@\"", bytes / 1024);
    command.args(["-c", &limited, program]).current_dir(dir);
    command
}
