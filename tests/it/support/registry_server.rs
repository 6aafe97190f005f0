//! A registry in this process (OCI distribution-spec), with a log, faults on request, and
//! hooks around its writes.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use base64::Engine;
use sealift::model::Digest;
use serde_json::{Value, json};

use super::http::{self, Request, Response, Server};

/// Who may do what.
#[derive(Clone, Debug, Default)]
pub enum Access {
    #[default]
    Open,
    Basic {
        user: String,
        password: String,
    },
    Bearer(Bearer),
}

#[derive(Clone, Debug, Default)]
pub struct Bearer {
    /// Accepted at the token endpoint with Basic.
    pub user: Option<(String, String)>,
    /// Accepted at the token endpoint as a refresh token.
    pub identity: Option<String>,
    pub anonymous_pull: bool,
    pub expires_in: Option<u64>,
}

/// What every token ends with that is given out here.
pub const TOKEN_MARK: &str = "MarkedBearer+of/the=registry";

pub enum Act {
    /// Answer this instead; nothing is done.
    Answer(Response),
    /// Do it, then change the answer.
    Change(Box<dyn Fn(Response) -> Response + Send + Sync>),
    /// Call this first, then do it.
    Before(Box<dyn Fn() + Send + Sync>),
    /// Answer with something made of the Authorization header; nothing is done.
    Echo(Arc<dyn Fn(&str) -> Response + Send + Sync>),
}

struct Fault {
    method: &'static str,
    path: String,
    times: RangeInclusive<usize>,
    seen: usize,
    act: Arc<Act>,
}

#[derive(Clone, Debug)]
pub struct Logged {
    pub method: String,
    pub target: String,
    pub authorization: Option<String>,
    pub status: u16,
    pub at: Instant,
}

#[derive(Clone, Default)]
struct Repo {
    blobs: HashMap<Digest, Vec<u8>>,
    manifests: HashMap<Digest, (String, Vec<u8>)>,
    tags: BTreeMap<String, Digest>,
}

/// Answers whether the server goes on with the request; otherwise the connection is cut.
type Hook = Arc<dyn Fn() -> bool + Send + Sync>;

#[derive(Default)]
struct State {
    repos: BTreeMap<String, Repo>,
    uploads: HashMap<String, (String, Vec<u8>)>,
    access: Access,
    tokens: HashMap<String, Vec<String>>,
    issued: usize,
    page: Option<usize>,
    latency: Duration,
    log: Vec<Logged>,
    faults: Vec<Fault>,
    writes: usize,
    hooks: Vec<(usize, bool, Hook)>,
}

/// A running registry; stops when dropped.
pub struct RegistryServer {
    server: Server,
    state: Arc<Mutex<State>>,
}

impl RegistryServer {
    pub fn start() -> Self {
        Self::with(Access::Open)
    }

    pub fn with(access: Access) -> Self {
        let state = Arc::new(Mutex::new(State { access, ..State::default() }));
        let shared = Arc::clone(&state);
        let server = Server::start(move |request| answer(&shared, &request));
        Self { server, state }
    }

    pub fn url(&self) -> String {
        self.server.url()
    }

    /// `127.0.0.1:PORT`.
    pub fn host(&self) -> String {
        self.server.address.to_string()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Plans a fault for the given occurrences (from 1) of a method on paths containing `path`.
    pub fn fault(&self, method: &'static str, path: &str, times: RangeInclusive<usize>, act: Act) {
        self.state().faults.push(Fault { method, path: path.into(), times, seen: 0, act: Arc::new(act) });
    }

    /// Calls `hook` right before (or, after it was done, right before the answer to) the nth
    /// write from now: POST, PATCH, PUT, DELETE.
    pub fn on_write(&self, nth: usize, after: bool, hook: impl Fn() + Send + Sync + 'static) {
        self.hook(nth, after, move || {
            hook();
            true
        });
    }

    /// Calls `hook` right before the nth write from now, which then is not done, or right after it
    /// was done; the connection is cut instead of an answer.
    pub fn cut_write(&self, nth: usize, after: bool, hook: impl Fn() + Send + Sync + 'static) {
        self.hook(nth, after, move || {
            hook();
            false
        });
    }

    fn hook(&self, nth: usize, after: bool, hook: impl Fn() -> bool + Send + Sync + 'static) {
        let mut state = self.state();
        let at = state.writes + nth;
        state.hooks.push((at, after, Arc::new(hook)));
    }

    /// Nothing goes wrong any more.
    pub fn heal(&self) {
        let mut state = self.state();
        state.faults.clear();
        state.hooks.clear();
    }

    /// Another registry with the same content.
    pub fn copy(&self) -> Self {
        self.guarded(Access::Open)
    }

    /// The same, for those who may.
    pub fn guarded(&self, access: Access) -> Self {
        let other = Self::with(access);
        other.state().repos = self.state().repos.clone();
        other
    }

    pub fn writes(&self) -> usize {
        self.state().writes
    }

    pub fn requests(&self) -> Vec<Logged> {
        self.state().log.clone()
    }

    pub fn clear_log(&self) {
        self.state().log.clear();
    }

    /// Requests of a method (any: `""`) whose target contains `part`.
    pub fn count(&self, method: &str, part: &str) -> usize {
        let state = self.state();
        state.log.iter().filter(|r| (method.is_empty() || r.method == method) && r.target.contains(part)).count()
    }

    /// No token issued so far is taken any more.
    pub fn expire_tokens(&self) {
        self.state().tokens.clear();
    }

    /// At most this many tags on a page.
    pub fn page_size(&self, page: usize) {
        self.state().page = Some(page);
    }

    /// Every answer comes so much later.
    pub fn latency(&self, latency: Duration) {
        self.state().latency = latency;
    }

    /// Puts tags on a digest behind everybody's back.
    pub fn tag(&self, repository: &str, tag: &str, digest: Digest) {
        self.state().repos.entry(repository.into()).or_default().tags.insert(tag.into(), digest);
    }

    /// Takes a tag away behind everybody's back.
    pub fn untag(&self, repository: &str, tag: &str) {
        self.state().repos.get_mut(repository).unwrap().tags.remove(tag);
    }

    /// Asks for this from now on.
    pub fn require(&self, access: Access) {
        self.state().access = access;
    }

    /// Every byte that is kept, with every name.
    pub fn contents(&self) -> Vec<u8> {
        let state = self.state();
        let mut all = Vec::new();
        for (name, repo) in &state.repos {
            all.extend(format!("{name} {:?}\n", repo.tags).into_bytes());
            all.extend(repo.blobs.values().chain(repo.manifests.values().map(|(_, bytes)| bytes)).flatten());
        }
        all
    }

    /// Every tag of every repository: the world as people see it.
    pub fn tags(&self) -> BTreeMap<String, Digest> {
        let state = self.state();
        let all =
            state.repos.iter().flat_map(|(name, repo)| repo.tags.iter().map(move |(t, d)| (format!("{name}:{t}"), *d)));
        all.collect()
    }
}

pub fn oci_error(status: u16, code: &str, message: &str) -> Response {
    let body = json!({"errors": [{"code": code, "message": message}]}).to_string();
    Response::new(status, body).with("content-type", "application/json")
}

fn answer(shared: &Mutex<State>, request: &Request) -> Response {
    let at = Instant::now();
    let write = !matches!(request.method.as_str(), "GET" | "HEAD") && request.path() != "/token";
    let (act, number) = {
        let mut state = shared.lock().unwrap();
        state.writes += usize::from(write);
        let mut act = None;
        for fault in &mut state.faults {
            if (fault.method == request.method || fault.method.is_empty()) && request.target.contains(&fault.path) {
                fault.seen += 1;
                if fault.times.contains(&fault.seen) && act.is_none() {
                    act = Some(Arc::clone(&fault.act));
                }
            }
        }
        (act, if write { state.writes } else { 0 })
    };
    let run_hooks = |after: bool| {
        let state = shared.lock().unwrap();
        let hooks: Vec<Hook> =
            state.hooks.iter().filter(|(n, a, _)| *n == number && *a == after).map(|h| Arc::clone(&h.2)).collect();
        drop(state);
        hooks.iter().all(|hook| hook())
    };
    let cut = || Response { hang_up: true, ..Response::default() };
    if !run_hooks(false) {
        return cut();
    }
    let response = match act.as_deref() {
        Some(Act::Answer(response)) => response.clone(),
        Some(Act::Before(hook)) => {
            hook();
            handle(shared, request)
        }
        Some(Act::Change(change)) => change(handle(shared, request)),
        Some(Act::Echo(echo)) => match request.header("authorization") {
            Some(shown) => echo(shown),
            // Nothing was told it yet.
            None => handle(shared, request),
        },
        None => handle(shared, request),
    };
    if !run_hooks(true) {
        return cut();
    }
    let authorization = request.header("authorization").map(str::to_owned);
    let (method, target) = (request.method.clone(), request.target.clone());
    let mut state = shared.lock().unwrap();
    state.log.push(Logged { method, target, authorization, status: response.status, at });
    Response { delay: response.delay + state.latency, ..response }
}

fn handle(shared: &Mutex<State>, request: &Request) -> Response {
    let mut state = shared.lock().unwrap();
    if request.path() == "/token" {
        return token(&mut state, request);
    }
    // Whether this is a registry at all, and who may ask: clients other than ours want to know beforehand.
    if request.path() == "/v2/" && matches!(state.access, Access::Open) {
        return Response::new(200, "{}");
    }
    let Some(rest) = request.path().strip_prefix("/v2/") else { return Response::new(404, "404 page not found") };
    if rest == "_catalog" {
        let names: Vec<&String> = state.repos.keys().collect();
        return Response::new(200, json!({"repositories": names}).to_string() + "\n");
    }
    let split = |mark: &str| rest.split_once(mark).map(|(name, rest)| (name.to_owned(), rest.to_owned()));
    let part = split("/manifests/").map(|p| ("manifests", p));
    let part = part.or_else(|| split("/blobs/uploads/").map(|p| ("uploads", p)));
    let part = part.or_else(|| split("/blobs/").map(|p| ("blobs", p)));
    let part = part.or_else(|| split("/tags/list").map(|p| ("tags", p)));
    let Some((kind, (name, last))) = part else { return Response::new(404, "404 page not found") };
    if let Err(refused) = authorize(&state, request, &name) {
        return *refused;
    }
    match (kind, request.method.as_str()) {
        ("manifests", "GET" | "HEAD") => get_manifest(&state, request, &name, &last),
        ("manifests", "PUT") => put_manifest(&mut state, request, &name, &last),
        ("blobs", "GET" | "HEAD") => match last.parse().ok().and_then(|d| state.repos.get(&name)?.blobs.get(&d)) {
            Some(bytes) => Response::new(200, bytes.clone()).with("docker-content-digest", &last),
            None => oci_error(404, "BLOB_UNKNOWN", "blob unknown to registry"),
        },
        ("uploads", "POST") => open_upload(&mut state, request, &name),
        ("uploads", "PATCH") => patch(&mut state, request, &name, &last),
        ("uploads", "PUT") => finish_upload(&mut state, request, &name, &last),
        ("tags", "GET") => list(&state, request, &name),
        _ => oci_error(405, "UNSUPPORTED", "not supported"),
    }
}

fn authorize(state: &State, request: &Request, name: &str) -> Result<(), Box<Response>> {
    let sent = request.header("authorization").unwrap_or_default();
    let refuse = |challenge: String| {
        Err(Box::new(oci_error(401, "UNAUTHORIZED", "authentication required").with("www-authenticate", challenge)))
    };
    match &state.access {
        Access::Open => Ok(()),
        Access::Basic { user, password } if is_basic(sent, user, password) => Ok(()),
        Access::Basic { .. } => refuse(r#"Basic realm="test""#.into()),
        Access::Bearer(_) => {
            let pulls = matches!(request.method.as_str(), "GET" | "HEAD");
            let mut needed = vec![format!("repository:{name}:{}", if pulls { "pull" } else { "pull,push" })];
            needed.extend(request.parameter("from").map(|from| format!("repository:{from}:pull")));
            let granted = sent.strip_prefix("Bearer ").and_then(|token| state.tokens.get(token));
            let covers = |need: &String| {
                granted.is_some_and(|g| g.iter().any(|scope| scope == need || scope == &format!("{need},push")))
            };
            if needed.iter().all(covers) {
                return Ok(());
            }
            let host = request.header("host").unwrap_or_default();
            refuse(format!(r#"Bearer realm="http://{host}/token",service="test",scope="{}""#, needed.join(" ")))
        }
    }
}

fn is_basic(sent: &str, user: &str, password: &str) -> bool {
    sent == format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(format!("{user}:{password}")))
}

fn token(state: &mut State, request: &Request) -> Response {
    let Access::Bearer(bearer) = state.access.clone() else { return Response::new(404, "") };
    let sent = request.header("authorization").unwrap_or_default();
    let form = http::pairs(&String::from_utf8_lossy(&request.body));
    let field = |name: &str| form.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone());
    let known = match request.method.as_str() {
        "POST" => field("grant_type").as_deref() == Some("refresh_token") && field("refresh_token") == bearer.identity,
        _ => bearer.user.as_ref().is_some_and(|(user, password)| is_basic(sent, user, password)),
    };
    if !known && (!bearer.anonymous_pull || !sent.is_empty() || request.method == "POST") {
        return oci_error(401, "UNAUTHORIZED", "wrong user or password");
    }
    let mut scopes: Vec<String> = match request.method.as_str() {
        "POST" => field("scope").unwrap_or_default().split(' ').map(str::to_owned).collect(),
        _ => request.query().into_iter().filter(|(key, _)| key == "scope").map(|(_, scope)| scope).collect(),
    };
    if !known {
        scopes = scopes.iter().map(|scope| scope.replace(",push", "")).collect();
    }
    state.issued += 1;
    let token = format!("token-{}-{}/{TOKEN_MARK}", state.issued, std::process::id());
    state.tokens.insert(token.clone(), scopes);
    let mut body = json!({ "token": token });
    if let Some(seconds) = bearer.expires_in {
        body["expires_in"] = json!(seconds);
    }
    Response::new(200, body.to_string()).with("content-type", "application/json")
}

fn get_manifest(state: &State, request: &Request, name: &str, last: &str) -> Response {
    let Some(repo) = state.repos.get(name) else { return oci_error(404, "NAME_UNKNOWN", "repository name not known") };
    let digest = last.parse().ok().or_else(|| repo.tags.get(last).copied());
    let Some((kind, bytes)) = digest.and_then(|digest| repo.manifests.get(&digest)) else {
        return oci_error(404, "MANIFEST_UNKNOWN", "manifest unknown");
    };
    // As distribution does: a type that wasn't asked for isn't there.
    // Some clients send a header for each type, some one for all.
    let mut accepted = request.headers.iter().filter(|(key, _)| key.eq_ignore_ascii_case("accept"));
    if !accepted.any(|(_, types)| types.contains(kind.as_str())) {
        return oci_error(404, "MANIFEST_UNKNOWN", "OCI index found, but accept header does not support OCI indexes");
    }
    Response::new(200, bytes.clone()).with("content-type", kind).with("docker-content-digest", Digest::of(bytes))
}

fn put_manifest(state: &mut State, request: &Request, name: &str, last: &str) -> Response {
    let (repo, digest) = (state.repos.entry(name.into()).or_default(), Digest::of(&request.body));
    let Ok(value) = serde_json::from_slice::<Value>(&request.body) else {
        return oci_error(400, "MANIFEST_INVALID", "manifest invalid");
    };
    let of = |value: &Value| value["digest"].as_str().and_then(|d| d.parse::<Digest>().ok());
    let list = |key: &str| value[key].as_array().cloned().unwrap_or_default();
    let mut blobs = list("layers");
    blobs.extend(value.get("config").cloned());
    let missing = list("manifests").iter().any(|m| !of(m).is_some_and(|d| repo.manifests.contains_key(&d)))
        || blobs.iter().any(|b| !of(b).is_some_and(|d| repo.blobs.contains_key(&d)));
    if missing {
        return oci_error(400, "MANIFEST_BLOB_UNKNOWN", "blob unknown to registry");
    }
    let kind = request.header("content-type").unwrap_or_default().to_owned();
    match last.parse::<Digest>() {
        Ok(asked) if asked != digest => return oci_error(400, "DIGEST_INVALID", "provided digest did not match"),
        Ok(_) => {}
        Err(_) => {
            repo.tags.insert(last.into(), digest);
        }
    }
    repo.manifests.insert(digest, (kind, request.body.clone()));
    Response::new(201, "")
        .with("location", format!("/v2/{name}/manifests/{digest}"))
        .with("docker-content-digest", digest)
}

fn open_upload(state: &mut State, request: &Request, name: &str) -> Response {
    if let (Some(digest), Some(from)) = (request.parameter("mount"), request.parameter("from")) {
        let digest: Option<Digest> = digest.parse().ok();
        let found = digest.and_then(|d| Some((d, state.repos.get(&from)?.blobs.get(&d)?.clone())));
        if let Some((digest, bytes)) = found {
            state.repos.entry(name.into()).or_default().blobs.insert(digest, bytes);
            return Response::new(201, "")
                .with("location", format!("/v2/{name}/blobs/{digest}"))
                .with("docker-content-digest", digest);
        }
    }
    let id = format!("u{}", state.uploads.len() + 1);
    state.uploads.insert(id.clone(), (name.into(), Vec::new()));
    Response::new(202, "").with("location", format!("/v2/{name}/blobs/uploads/{id}?_state=a%2Fb"))
}

fn patch(state: &mut State, request: &Request, name: &str, id: &str) -> Response {
    let Some((_, bytes)) = state.uploads.get_mut(id) else {
        return oci_error(404, "BLOB_UPLOAD_UNKNOWN", "blob upload unknown to registry");
    };
    let start = request.header("content-range").and_then(|r| r.split('-').next()?.parse::<usize>().ok());
    if start.is_some_and(|start| start != bytes.len()) {
        return oci_error(416, "BLOB_UPLOAD_INVALID", "out of order");
    }
    bytes.extend_from_slice(&request.body);
    Response::new(202, "").with("location", format!("/v2/{name}/blobs/uploads/{id}?_state=c"))
}

fn finish_upload(state: &mut State, request: &Request, name: &str, id: &str) -> Response {
    let Some((_, mut bytes)) = state.uploads.remove(id) else {
        return oci_error(404, "BLOB_UPLOAD_UNKNOWN", "blob upload unknown to registry");
    };
    bytes.extend_from_slice(&request.body);
    let digest = Digest::of(&bytes);
    if request.parameter("digest") != Some(digest.to_string()) {
        return oci_error(400, "DIGEST_INVALID", "provided digest did not match uploaded content");
    }
    state.repos.entry(name.into()).or_default().blobs.insert(digest, bytes);
    Response::new(201, "").with("location", format!("/v2/{name}/blobs/{digest}")).with("docker-content-digest", digest)
}

fn list(state: &State, request: &Request, name: &str) -> Response {
    let Some(repo) = state.repos.get(name) else { return oci_error(404, "NAME_UNKNOWN", "repository name not known") };
    let asked = request.parameter("n").and_then(|n| n.parse().ok()).unwrap_or(usize::MAX);
    let n = asked.min(state.page.unwrap_or(usize::MAX));
    let last = request.parameter("last").unwrap_or_default();
    let rest: Vec<&String> = repo.tags.keys().filter(|tag| last.is_empty() || **tag > last).collect();
    let page: BTreeSet<&String> = rest.iter().take(n).copied().collect();
    let response = Response::new(200, json!({"name": name, "tags": page}).to_string() + "\n");
    match page.last() {
        Some(last) if rest.len() > page.len() => {
            response.with("link", format!(r#"</v2/{name}/tags/list?n={n}&last={last}>; rel="next""#))
        }
        _ => response,
    }
}
