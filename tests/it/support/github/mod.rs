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
mod origin;
mod people;
mod pulls;
mod refs;
mod releases;
mod routes;
mod rules;
pub mod schema;
mod snapshot;
pub mod state;
mod tokens;
mod views;

use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use base64::Engine as _;

use super::http::{Request, Response, Server};
pub use call::WEB;
use call::{Answer, Call, error, not_found};
pub use faults::Act;
use faults::{Hook, Script};
use origin::Origin;
pub use pulls::How;
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

struct Shared {
    state: Mutex<State>,
    script: Mutex<Script>,
    log: Mutex<Vec<Logged>>,
    /// Answers that GitHub would not give, and requests that it has no answer for.
    wrong: Mutex<Vec<String>>,
    origin: Origin,
    storage: OnceLock<String>,
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
        self.shared.script.lock().unwrap().fault(method, pattern, times, act);
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
        pulls::merge(&mut self.state(), &self.shared.origin, number, how, MARIA).to_string()
    }

    /// A person deletes a tag: its release becomes a draft again.
    pub fn delete_tag(&self, tag: &str) {
        refs::delete_tag(&mut self.state(), &self.shared.origin, tag);
    }

    /// Looks what became of the pull requests in git, as every answer does first.
    pub fn sync(&self) {
        pulls::sync(&mut self.state(), &self.shared.origin);
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

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // A test that panicked while it held the state has said why.
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn serve(&self, request: &Request, answer: fn(&Self, &Request) -> Response) -> Response {
        let response = self.scripted(request, answer);
        self.log.lock().unwrap().push(Logged {
            method: request.method.clone(),
            target: request.target.clone(),
            token: secret(request),
            status: if response.hang_up { 0 } else { response.status },
        });
        response
    }

    fn scripted(&self, request: &Request, answer: fn(&Self, &Request) -> Response) -> Response {
        let (acts, (before, after)) = {
            let mut script = self.script.lock().unwrap();
            (script.acts(request), script.hooks(request))
        };
        let mut going = before.iter().all(|hook| hook());
        if !going {
            return Response::hang_up();
        }
        for act in &acts {
            match act {
                Act::Before(hook) => hook(),
                Act::Answer(response) => return response.clone(),
                Act::Change(_) => {}
            }
        }
        let mut response = answer(self, request);
        for act in &acts {
            if let Act::Change(change) = act {
                response = change(response);
            }
        }
        going = after.iter().all(|hook| hook());
        if going { response } else { Response::hang_up() }
    }

    fn stored(&self, request: &Request) -> Response {
        assets::stored(&self.lock(), request)
    }

    fn answer(&self, request: &Request) -> Response {
        let host = format!("http://{}", request.header("host").unwrap_or_default());
        let whole = request.path();
        let enterprise = whole.starts_with("/api/");
        let (base, uploads) = if enterprise { ("/api/v3", "/api/uploads") } else { ("", "/uploads") };
        let mut state = self.lock();
        let bases = [uploads, base, if enterprise { "/api" } else { "" }];
        let path = bases.iter().find_map(|start| whole.strip_prefix(start)).unwrap_or(whole);
        let path = match path.strip_prefix(&format!("/repositories/{}", state.repository.id)) {
            Some(rest) => format!("/repos/{}{rest}", state.full_name()),
            None => path.to_owned(),
        };
        let Some((route, mut places)) = routes::find(&request.method, &path) else {
            return self.refuse(request, "this fake has no such operation");
        };
        let operation = format!("{} {}", route.method, route.template);
        let names: Vec<String> = request.query().into_iter().map(|(name, _)| name).collect();
        let mut wrong =
            if schema::operations().contains_key(&operation) { schema::query(&operation, &names) } else { Vec::new() };
        let mut call = Call {
            request,
            state: &mut state,
            origin: &self.origin,
            base: &format!("{host}{base}"),
            uploads: &format!("{host}{uploads}"),
            storage: self.storage.get().unwrap(),
            token: None,
            places: Vec::new(),
        };
        let response = admit(&mut call, route.template, &mut places).and_then(|()| {
            call.places = places;
            understood(&call, &operation)?;
            pulls::sync(call.state, call.origin);
            (route.handler)(&mut call)
        });
        let response = headers(&call, response);
        if schema::operations().contains_key(&operation) {
            let raw = response.headers.iter().any(|(_, value)| value.starts_with("application/vnd.github.raw"));
            if !raw {
                wrong.extend(schema::answer(&operation, response.status, &response.body));
            }
        }
        if wrong.is_empty() { response } else { self.refuse(request, &wrong.join("; ")) }
    }

    /// Fails the test: with this answer, and when the server is dropped.
    fn refuse(&self, request: &Request, why: &str) -> Response {
        let line = format!("{} {}: {why}", request.method, request.target);
        self.wrong.lock().unwrap().push(line.clone());
        Response::new(500, line)
    }
}

/// The secret of `Bearer`, `token`, or Basic's password.
fn secret(request: &Request) -> Option<String> {
    let (scheme, rest) = request.header("authorization")?.split_once(' ')?;
    if scheme.eq_ignore_ascii_case("basic") {
        let decoded = base64::engine::general_purpose::STANDARD.decode(rest.trim()).ok()?;
        return String::from_utf8(decoded).ok()?.split_once(':').map(|(_, password)| password.to_owned());
    }
    Some(rest.trim().to_owned())
}

/// Who asks is known and the repository is theirs to see; else the answer.
fn admit(call: &mut Call, template: &str, places: &mut Vec<String>) -> Result<(), Response> {
    if call.request.header("user-agent").is_none_or(str::is_empty) {
        return Err(error(
            403,
            "Request forbidden by administrative rules. Please make sure your request has a User-Agent header.",
        ));
    }
    let own_word = routes::OF_APPS.contains(&template);
    if let Some(secret) = secret(call.request).filter(|_| !own_word) {
        let known = call.state.tokens.iter().find(|token| token.secret == secret);
        let valid = known.filter(|token| token.expires_at.is_none_or(|end| call.state.clock < end));
        call.token = Some(valid.cloned().ok_or_else(|| error(401, "Bad credentials"))?);
    }
    if template.starts_with("/repos/{owner}/{repo}") {
        let full: String = places.drain(..2).collect::<Vec<_>>().join("/");
        let private = call.private();
        let sees = own_word || call.token.as_ref().map_or(!private, |token| token.sees(private));
        if !full.eq_ignore_ascii_case(&call.state.full_name()) || !sees {
            return Err(not_found());
        }
    }
    Ok(())
}

/// A body that isn't as described is refused before anybody looks at it.
fn understood(call: &Call, operation: &str) -> Result<(), Response> {
    let describes = schema::operations().get(operation).is_some_and(|known| known.get("body").is_some());
    if describes && !call.request.body.is_empty() {
        let wrong = schema::body(operation, &call.json()?);
        if !wrong.is_empty() {
            return Err(call::invalid(&format!("Invalid request.\n\n{}", wrong.join("\n")), &[]));
        }
    }
    Ok(())
}

/// What every answer carries.
fn headers(call: &Call, answer: Answer) -> Response {
    let response = match answer {
        Ok(response) | Err(response) => response,
    };
    let mut response =
        response.with("x-github-request-id", "FA4E:0001").with("x-github-api-version-selected", "2022-11-28");
    response = response.with("x-ratelimit-limit", 5_000).with("x-ratelimit-remaining", 4_999);
    response = response.with("x-ratelimit-reset", call.state.clock + 3_600);
    match call.token.as_ref().map(|token| &token.kind) {
        Some(Kind::Classic(scopes)) => response.with("x-oauth-scopes", scopes.join(", ")),
        _ => response,
    }
}
