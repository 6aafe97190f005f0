//! A GitHub in this process: REST API 2022-11-28 over a bare repository, with the traps of the real
//! one. Whatever it answers is compared with GitHub's own description; what isn't as described fails
//! the test that asked, at the latest when the server is dropped.

mod actions;
pub mod apps;
mod assets;
mod call;
pub mod clock;
mod contents;
pub mod faults;
mod issues;
mod merging;
mod origin;
mod people;
mod pulls;
mod refs;
mod releases;
mod routes;
mod rules;
mod scene;
pub mod schema;
mod server;
mod snapshot;
pub mod state;
mod tokens;
mod views;

use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use super::http::{Request, Server};
pub use call::WEB;
pub use faults::Act;
use faults::Hook;
pub use merging::How;
use origin::Origin;
use server::Shared;
pub use state::{Kind, Level, MAINTAINER, MARIA, Role, State, Token};

/// A request as it was answered.
#[derive(Clone, Debug)]
pub struct Logged {
    pub method: String,
    /// As sent; the storage's begin with `/storage/`.
    pub target: String,
    /// The secret that was shown.
    pub token: Option<String>,
    /// 0 where the connection was cut.
    pub status: u16,
}

/// A running GitHub; stops when dropped.
pub struct FakeGitHub {
    shared: Arc<Shared>,
    api: Server,
    _storage: Server,
}

impl FakeGitHub {
    /// Shows a bare repository as `owner/name`.
    pub fn start(origin: &Path, full_name: &str) -> Self {
        let (owner, name) = full_name.split_once('/').unwrap();
        Self::with(origin, State::new(owner, name))
    }

    pub fn with(origin: &Path, state: State) -> Self {
        let shared = Arc::new(Shared {
            state: Mutex::new(state),
            script: Mutex::default(),
            log: Mutex::default(),
            wrong: Mutex::default(),
            origin: Origin::new(origin),
            storage: OnceLock::new(),
        });
        let (serving, storing) = (Arc::clone(&shared), Arc::clone(&shared));
        // Another host, as with GitHub: credentials don't follow a redirection there.
        let storage = Server::start(move |request| storing.serve(&request, Shared::stored));
        shared.storage.set(storage.url()).unwrap();
        let api = Server::start(move |request| serving.serve(&request, Shared::answer));
        Self { shared, api, _storage: storage }
    }

    /// Another server with the same state over another repository; log and faults stay behind.
    pub fn copy(&self, origin: &Path) -> Self {
        Self::with(origin, self.state().clone())
    }

    /// The base of the API. `/api/v3` behind it is the same API, as GitHub Enterprise has it.
    pub fn url(&self) -> String {
        self.api.url()
    }

    /// The base of the uploads.
    pub fn uploads_url(&self) -> String {
        format!("{}/uploads", self.api.url())
    }

    /// What it knows, to be read and changed. No request is answered meanwhile.
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.shared.lock()
    }

    /// Plans a fault for those occurrences (from 1) of a method (`*`: any) on targets that contain
    /// the pattern, in which `*` stands for anything.
    pub fn fault(&self, method: &str, pattern: &str, times: RangeInclusive<usize>, act: Act) {
        let (method, pattern) = (method.to_owned(), pattern.to_owned());
        let fits = move |request: &Request| {
            (method == "*" || method == request.method) && faults::matches(&pattern, &request.target)
        };
        self.fault_where(fits, times, act);
    }

    /// The same for the requests that fit.
    pub fn fault_where(
        &self,
        fits: impl Fn(&Request) -> bool + Send + 'static,
        times: RangeInclusive<usize>,
        act: Act,
    ) {
        self.shared.script.lock().unwrap().fault(Box::new(fits), times, act);
    }

    /// Nothing goes wrong any more.
    pub fn heal(&self) {
        self.shared.script.lock().unwrap().heal();
    }

    /// Calls `hook` right before (or, after it was done, right before the answer to) the nth write
    /// from now.
    pub fn on_write(&self, nth: usize, after: bool, hook: impl Fn() + Send + Sync + 'static) {
        self.hook(
            nth,
            after,
            Arc::new(move || {
                hook();
                true
            }),
        );
    }

    /// The same, but the connection is cut instead of an answer; before, nothing is done.
    pub fn cut_write(&self, nth: usize, after: bool, hook: impl Fn() + Send + Sync + 'static) {
        self.hook(
            nth,
            after,
            Arc::new(move || {
                hook();
                false
            }),
        );
    }

    fn hook(&self, nth: usize, after: bool, hook: Hook) {
        self.shared.script.lock().unwrap().hook(nth, after, hook);
    }

    /// How many writes were asked for.
    pub fn writes(&self) -> usize {
        self.shared.script.lock().unwrap().writes()
    }

    /// Every request so far, oldest first.
    pub fn log(&self) -> Vec<Logged> {
        self.shared.log.lock().unwrap().clone()
    }

    /// How often a method was used on targets with that pattern.
    pub fn count(&self, method: &str, pattern: &str) -> usize {
        let fits = |logged: &&Logged| logged.method == method && faults::matches(pattern, &logged.target);
        self.shared.log.lock().unwrap().iter().filter(fits).count()
    }

    /// A person merges; returns the commit that the base is at then.
    pub fn merge_pull(&self, number: u64, how: How) -> String {
        merging::merge(&mut self.state(), &self.shared.origin, number, how, MARIA).to_string()
    }

    /// A person deletes a tag: its release becomes a draft again.
    pub fn delete_tag(&self, tag: &str) {
        refs::delete_tag(&mut self.state(), &self.shared.origin, tag);
    }

    /// Looks what became of the pull requests in git, as every answer does first.
    pub fn sync(&self) {
        merging::sync(&mut self.state(), &self.shared.origin);
    }

    /// What people see, as sorted lines: no ids, no times.
    pub fn snapshot(&self) -> Vec<String> {
        self.sync();
        snapshot::lines(&self.state())
    }

    /// What was answered or asked that GitHub doesn't know, taken out: the drop says nothing of it then.
    pub fn take_wrong(&self) -> Vec<String> {
        std::mem::take(&mut *self.shared.wrong.lock().unwrap())
    }
}

impl Drop for FakeGitHub {
    fn drop(&mut self) {
        let wrong = self.take_wrong();
        if !wrong.is_empty() && !std::thread::panicking() {
            panic!("not as GitHub describes it:\n{}", wrong.join("\n"));
        }
    }
}
