//! What goes wrong at a server while a run looks at it: some requests, and then no more.

use std::fmt;

use super::dice::Dice;
use crate::support::git_server::Reaction;
use crate::support::github::Act;
use crate::support::http::Response;
use crate::support::registry_server;
use crate::support::world::remote::Remote;

/// At which requests (from 1) of a server, and how.
#[derive(Clone, Copy, Debug)]
pub struct Trouble {
    server: Server,
    first: usize,
    times: usize,
    wrong: Wrong,
}

#[derive(Clone, Copy, Debug)]
enum Server {
    Registry,
    Git,
    GitHub,
}

#[derive(Clone, Copy, Debug)]
enum Wrong {
    Broken,
    Limited,
    HungUp,
    /// Done, and the connection is cut instead of an answer.
    DoneButHungUp,
    /// The answer ends in its middle.
    Cut,
}

impl Trouble {
    pub fn any(dice: &mut Dice) -> Self {
        let wrong = [Wrong::Broken, Wrong::Limited, Wrong::HungUp, Wrong::DoneButHungUp, Wrong::Cut];
        Self {
            server: *dice.pick(&[Server::Registry, Server::Git, Server::GitHub]),
            first: 1 + dice.below(40),
            // One that passes is retried; of forty some are told.
            times: *dice.pick(&[1, 2, 40]),
            wrong: *dice.pick(&wrong),
        }
    }

    /// Lets it happen from now on.
    pub fn begin(self, at: &Remote) {
        let times = self.first..=self.first + self.times - 1;
        match self.server {
            Server::Registry => at.registry.fault("", "/v2/", times, self.registry()),
            Server::GitHub => at.world.github().fault("*", "/", times, self.github()),
            Server::Git => {
                let (mut seen, wrong) = (0, self.wrong);
                at.git.intercept(move |_| {
                    seen += 1;
                    if times.contains(&seen) { git(wrong) } else { Reaction::Pass }
                });
            }
        }
    }

    fn registry(self) -> registry_server::Act {
        use registry_server::Act;
        match self.wrong {
            Wrong::Broken => Act::Answer(registry_server::oci_error(500, "UNKNOWN", "the disk is full")),
            Wrong::Limited => {
                let limited = registry_server::oci_error(429, "TOOMANYREQUESTS", "slow down");
                Act::Answer(limited.with("retry-after", 0))
            }
            Wrong::HungUp => Act::Answer(Response::hang_up()),
            Wrong::DoneButHungUp => Act::Change(Box::new(|_| Response::hang_up())),
            Wrong::Cut => Act::Change(Box::new(|response| {
                let at = response.body.len() / 2;
                response.cut(at)
            })),
        }
    }

    fn github(self) -> Act {
        match self.wrong {
            Wrong::Broken => Act::status(502),
            Wrong::Limited => Act::secondary_limit(0),
            Wrong::HungUp => Act::hang_up(),
            Wrong::DoneButHungUp => Act::done_but_hung_up(),
            Wrong::Cut => Act::cut(1),
        }
    }
}

fn git(wrong: Wrong) -> Reaction {
    match wrong {
        Wrong::Broken => Reaction::Canned(500, Vec::new(), "the disk is full".into()),
        Wrong::Limited => Reaction::Canned(429, vec![("Retry-After", "0".into())], "slow down".into()),
        Wrong::HungUp => Reaction::CutBefore,
        Wrong::DoneButHungUp => Reaction::CutAfter,
        Wrong::Cut => Reaction::CutWithin(20),
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { server, first, times, wrong } = self;
        write!(f, "{wrong:?} at {server:?} from request {first} on, {times} times")
    }
}
