//! What a workflow's later steps want to know, as GitHub's runner takes it: a line `name=value` each
//! in the file that `GITHUB_OUTPUT` names ("Workflow commands for GitHub Actions", setting an output
//! parameter).

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Reporter;
use crate::engine::event::{Event, Observer, State};

/// The outputs, and nothing that isn't known:
///
/// - `seal`: the promotion's, for `--plan`;
/// - `staging-branch`: the branch that asks to be merged, without `refs/heads/`;
/// - `pin-commit`: the pin, which a release's files are built from;
/// - `waiting-for`: what a run that waits needs first, one word such as `assets` or `merge`;
/// - `pull-request`: the number of the one that is waited for.
#[derive(Default)]
pub struct Outputs(Mutex<Known>);

#[derive(Default)]
struct Known {
    values: BTreeMap<&'static str, String>,
    /// What the first stage that waits is waiting for.
    wait: Option<&'static str>,
}

impl Outputs {
    pub fn new() -> Self {
        Self::default()
    }

    /// The lines, sorted by name.
    pub fn render(&self) -> String {
        self.lock().values.iter().map(|(name, value)| format!("{name}={value}\n")).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    /// A second line would be another output: a value that isn't one line is not given.
    fn know(&mut self, name: &'static str, value: &str) {
        if value.contains(char::is_control) {
            self.values.remove(name);
        } else {
            self.values.insert(name, value.to_owned());
        }
    }
}

impl Observer for Outputs {
    fn event(&self, event: &Event) {
        let mut known = self.lock();
        match event {
            Event::Goal(goal) => {
                known.know("seal", &goal.seal);
                known.know("staging-branch", &goal.staging);
            }
            Event::Stage(stage) => {
                if let Some(commit) = stage.commit.as_ref().filter(|_| stage.stage == "pin") {
                    known.know("pin-commit", commit);
                }
                let Some(wait) = &stage.wait else { return };
                known.wait.get_or_insert(wait.on);
                if let Some(number) = wait.pull_request {
                    known.know("pull-request", &number.to_string());
                }
            }
            Event::End(end) => {
                if let (State::Waiting, Some(on)) = (end.state, known.wait) {
                    known.know("waiting-for", on);
                }
            }
            Event::Preview(_)
            | Event::Lint(_)
            | Event::Census(_)
            | Event::Explanation(_)
            | Event::Acting { .. }
            | Event::Acted { .. }
            | Event::Failed { .. }
            | Event::Warning { .. } => {}
        }
    }
}

impl Reporter for Outputs {}
