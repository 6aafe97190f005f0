//! Ctrl-C, and SIGTERM as CI systems send it: what writes to the world stops between two actions, everything else at once.

use std::future::Future;

use tokio::signal::unix::{SignalKind, signal};

use super::failure::Ended;
use super::talk::Talk;
use crate::engine::{State, Stop};

/// Listens from now on. The first Ctrl-C asks to stop; of a command with `actions` the person is
/// told that the one at work is finished first. The second ends the process at once. Errors: the
/// system's, where it lets nobody listen.
pub fn listen(actions: bool, talk: Talk) -> std::io::Result<Stop> {
    let (mut interrupts, mut terminations) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let stop = Stop::default();
    let asked = stop.clone();
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = interrupts.recv() => {}
                _ = terminations.recv() => {}
            }
            if asked.requested() {
                #[expect(clippy::exit, reason = "the second Ctrl-C ends the process at once")]
                std::process::exit(i32::from(State::Interrupted.exit_code()));
            }
            asked.request();
            if actions {
                say(talk, "stopping after the current action; Ctrl-C again ends at once");
            }
        }
    });
    Ok(stop)
}

/// Runs a command that writes nothing, or all it writes without a pause, unless it is interrupted.
pub async fn unless(stop: &Stop, talk: Talk, command: impl Future<Output = Ended>) -> Ended {
    tokio::select! {
        biased;
        ended = command => ended,
        () = stop.wait() => {
            say(talk, "interrupted: nothing was written");
            Ok(State::Interrupted)
        }
    }
}

/// On a line of its own: the terminal shows `^C`, and there may be a progress line.
fn say(talk: Talk, line: &str) {
    talk.always(&if talk.json { line.to_owned() } else { format!("\n{line}") });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_command_that_never_ends_is_interrupted() {
        let stop = Stop::default();
        let talk = Talk { json: false, quiet: true, color: false };
        stop.request();
        assert!(matches!(unless(&stop, talk, std::future::pending()).await, Ok(State::Interrupted)));
        assert!(matches!(unless(&stop, talk, async { Ok(State::Holds) }).await, Ok(State::Holds)), "it was done first");
    }
}
