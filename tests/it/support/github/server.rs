//! How a request is answered: admitted, routed, compared with GitHub's description, logged.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use base64::Engine as _;

use super::call::{self, Answer, Call, error, not_found};
use super::faults::{Act, Script};
use super::origin::Origin;
use super::state::State;
use super::tokens::Kind;
use super::{Logged, assets, merging, routes, schema};
use crate::support::http::{Request, Response};

/// The version of the API that is spoken here.
const VERSION: &str = "2022-11-28";

pub struct Shared {
    pub state: Mutex<State>,
    pub script: Mutex<Script>,
    pub log: Mutex<Vec<Logged>>,
    /// Answers that GitHub would not give, and requests that it has no answer for.
    pub wrong: Mutex<Vec<String>>,
    pub origin: Origin,
    pub storage: OnceLock<String>,
}

impl Shared {
    pub fn lock(&self) -> MutexGuard<'_, State> {
        // A test that panicked while it held the state has said why.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn serve(&self, request: &Request, answer: fn(&Self, &Request) -> Response) -> Response {
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
            match act.plain() {
                (Act::Before(hook), _) => hook(),
                (Act::Answer(response), true) => return response.clone(),
                (Act::Answer(response), false) => return self.compared(request, response.clone()),
                _ => {}
            }
        }
        let mut response = answer(self, request);
        let (mut changed, mut meant) = (false, false);
        for act in &acts {
            if let (Act::Change(change), wrong) = act.plain() {
                (response, changed, meant) = (change(response), true, meant || wrong);
            }
        }
        if changed && !meant {
            response = self.compared(request, response);
        }
        going = after.iter().all(|hook| hook());
        if going { response } else { Response::hang_up() }
    }

    /// A scripted answer that succeeds, as GitHub describes it; or the refusal.
    fn compared(&self, request: &Request, response: Response) -> Response {
        let kind = response.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        let json = kind.map_or(!response.body.is_empty(), |(_, kind)| kind.contains("json"));
        if response.hang_up || !(200..300).contains(&response.status) || !json {
            return response;
        }
        let (_, path) = self.place(request);
        let Some((route, _)) = routes::find(&request.method, &path) else { return response };
        let operation = format!("{} {}", route.method, route.template);
        let described = schema::operations().contains_key(&operation);
        let wrong = if described { schema::answer(&operation, response.status, &response.body) } else { Vec::new() };
        let why = format!("a scripted answer, not said to be wrong (`Act::wrong`): {}", wrong.join("; "));
        if wrong.is_empty() { response } else { self.refuse(request, &why) }
    }

    /// Where a request goes: the place of the API, and the path below it, by the repository's name.
    fn place(&self, request: &Request) -> (&'static str, String) {
        let whole = request.path();
        // GraphQL of an enterprise is beside the versions of REST.
        let (base, bases): (_, &[&str]) = match whole.starts_with("/api/") {
            true => ("/api", &["/api/uploads", "/api/v3", "/api"]),
            false => ("", &["/uploads"]),
        };
        let path = bases.iter().find_map(|start| whole.strip_prefix(start)).unwrap_or(whole);
        let state = self.lock();
        let path = match path.strip_prefix(&format!("/repositories/{}", state.repository.id)) {
            Some(rest) => format!("/repos/{}{rest}", state.full_name()),
            None => path.to_owned(),
        };
        (base, path)
    }

    pub fn stored(&self, request: &Request) -> Response {
        assets::stored(&self.lock(), request)
    }

    pub fn answer(&self, request: &Request) -> Response {
        let host = format!("http://{}", request.header("host").unwrap_or_default());
        let (base, path) = self.place(request);
        let (base, uploads) = if base.is_empty() { ("", "/uploads") } else { ("/api/v3", "/api/uploads") };
        let mut state = self.lock();
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
            path: &path,
            places: Vec::new(),
        };
        let response = admit(&mut call, route.template, &mut places).and_then(|()| {
            call.places = places;
            understood(&call, &operation)?;
            merging::sync(call.state, call.origin);
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
pub fn secret(request: &Request) -> Option<String> {
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
    let version = call.request.header("x-github-api-version").unwrap_or(VERSION);
    if version != VERSION {
        return Err(error(400, &format!("{version} is not a supported API version.")));
    }
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
            let classic = call.token.as_ref().is_some_and(|token| matches!(token.kind, Kind::Classic(_)));
            return Err(if classic { not_found().with("x-accepted-oauth-scopes", "repo") } else { not_found() });
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
    let mut response = response.with("x-github-request-id", "FA4E:0001").with("x-github-api-version-selected", VERSION);
    response = response.with("x-ratelimit-limit", 5_000).with("x-ratelimit-remaining", 4_999);
    response = response.with("x-ratelimit-reset", call.state.clock + 3_600);
    match call.token.as_ref().map(|token| &token.kind) {
        Some(Kind::Classic(scopes)) => response.with("x-oauth-scopes", scopes.join(", ")),
        _ => response,
    }
}
