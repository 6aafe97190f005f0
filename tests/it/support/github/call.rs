//! One request under way: what it asks, who asks, what they may; and the answers that GitHub has for all.

use serde_json::{Value, json};

use super::origin::Origin;
use super::state::State;
use super::tokens::{Kind, Level, Role, Token};
use crate::support::http::{Request, Response};

/// Both are answers; a refusal ends the handling early.
pub type Answer = Result<Response, Response>;

/// Where the pages that people see are said to be.
pub const WEB: &str = "https://github.test";

const DOCUMENTATION: &str = "https://docs.github.com/rest";

pub struct Call<'a> {
    pub request: &'a Request,
    pub state: &'a mut State,
    pub origin: &'a Origin,
    /// What the paths of this API begin with, `http://127.0.0.1:PORT`.
    pub base: &'a str,
    pub uploads: &'a str,
    /// Where the bytes of assets are served, without credentials.
    pub storage: &'a str,
    pub token: Option<Token>,
    /// The path below the base, the repository by its name.
    pub path: &'a str,
    /// The values of the template's places, decoded.
    pub places: Vec<String>,
}

pub fn reply(status: u16, value: &Value) -> Response {
    Response::new(status, value.to_string()).with("content-type", "application/json; charset=utf-8")
}

/// `{"message": …}`, as every error of GitHub's.
pub fn error(status: u16, message: &str) -> Response {
    let value = json!({"message": message, "documentation_url": DOCUMENTATION, "status": status.to_string()});
    reply(status, &value)
}

pub fn not_found() -> Response {
    error(404, "Not Found")
}

/// 422 with GitHub's list of errors.
pub fn invalid(message: &str, errors: &[Value]) -> Response {
    reply(422, &json!({"message": message, "errors": errors, "documentation_url": DOCUMENTATION}))
}

/// 422 about one field: `already_exists`, `missing`, `invalid`, …
pub fn invalid_field(resource: &str, field: &str, code: &str) -> Response {
    invalid("Validation Failed", &[json!({"resource": resource, "field": field, "code": code})])
}

/// 422 in words.
pub fn invalid_words(resource: &str, message: &str) -> Response {
    invalid("Validation Failed", &[json!({"resource": resource, "code": "custom", "message": message})])
}

impl Call<'_> {
    pub fn place(&self, index: usize) -> &str {
        &self.places[index]
    }

    /// A number in the path; what is none finds nothing.
    pub fn number(&self, index: usize) -> Result<u64, Response> {
        self.place(index).parse().map_err(|_| not_found())
    }

    pub fn login(&self) -> String {
        self.token.as_ref().map(|token| token.login.clone()).unwrap_or_default()
    }

    pub fn private(&self) -> bool {
        self.state.repository.private
    }

    pub fn may_push(&self) -> bool {
        self.token.as_ref().is_some_and(|token| token.may_push(self.private()))
    }

    /// `http://127.0.0.1:PORT/repos/OWNER/NAME`.
    pub fn repo(&self) -> String {
        format!("{}/repos/{}", self.base, self.state.full_name())
    }

    /// Refuses, as GitHub does, one who lacks the role or all of the permissions.
    pub fn need(&self, role: Role, permissions: &[&str], level: Level) -> Result<(), Response> {
        let private = self.private();
        let Some(token) = &self.token else {
            return match level {
                Level::Read if !private && role < Role::Admin => Ok(()),
                Level::Read => Err(not_found()),
                Level::Write => Err(error(401, "Requires authentication")),
            };
        };
        if token.may(role, permissions, level, private) {
            return match level {
                Level::Write if self.state.repository.archived => {
                    Err(error(403, "Repository was archived so is read-only."))
                }
                _ => Ok(()),
            };
        }
        let word = if level == Level::Write { "write" } else { "read" };
        let accepted: Vec<String> = permissions.iter().map(|name| format!("{name}={word}")).collect();
        Err(match token.kind {
            Kind::Classic(_) if self.state.hide_from_classic || level == Level::Read => {
                not_found().with("x-accepted-oauth-scopes", "repo")
            }
            Kind::Classic(_) => {
                error(403, "Must have push access to repository.").with("x-accepted-oauth-scopes", "repo")
            }
            Kind::FineGrained => error(403, "Resource not accessible by personal access token")
                .with("x-accepted-github-permissions", accepted.join("; ")),
            Kind::Installation | Kind::Actions => error(403, "Resource not accessible by integration")
                .with("x-accepted-github-permissions", accepted.join("; ")),
        })
    }

    /// The body as JSON.
    pub fn json(&self) -> Result<Value, Response> {
        let body = if self.request.body.is_empty() { b"{}" } else { self.request.body.as_slice() };
        serde_json::from_slice(body).map_err(|_| error(400, "Problems parsing JSON"))
    }

    /// The page asked for, of all the items there are.
    pub fn page<T>(&self, items: &[T], view: impl FnMut(&T) -> Value) -> Response {
        let (from, to) = self.window(items.len());
        let values: Vec<Value> = items[from..to].iter().map(view).collect();
        self.linked(reply(200, &Value::Array(values)), items.len())
    }

    /// `{"total_count": …, KEY: […]}`.
    pub fn counted_page<T>(&self, key: &str, total: usize, items: &[T], view: impl FnMut(&T) -> Value) -> Response {
        let (from, to) = self.window(items.len());
        let values: Vec<Value> = items[from..to].iter().map(view).collect();
        self.linked(reply(200, &json!({"total_count": total, key: values})), items.len())
    }

    fn paging(&self) -> (usize, usize) {
        let number = |name: &str| self.request.parameter(name).and_then(|text| text.parse::<usize>().ok());
        (number("page").unwrap_or(1).max(1), number("per_page").filter(|size| *size > 0).unwrap_or(30).min(100))
    }

    fn window(&self, count: usize) -> (usize, usize) {
        let (page, size) = self.paging();
        (((page - 1) * size).min(count), (page * size).min(count))
    }

    /// With the `Link` header, whose addresses name the repository by its id, as GitHub's do.
    fn linked(&self, response: Response, count: usize) -> Response {
        let (page, size) = self.paging();
        let last = count.div_ceil(size).max(1);
        let below: Vec<&str> = self.path.splitn(5, '/').skip(4).collect();
        let path = format!("/repositories/{}/{}", self.state.repository.id, below.concat());
        let query = self.request.target.split_once('?').map_or("", |(_, query)| query);
        let kept: Vec<&str> = query.split('&').filter(|pair| !pair.is_empty() && !pair.starts_with("page=")).collect();
        let link = |page: usize, rel: &str| {
            let pairs: Vec<String> =
                kept.iter().map(|pair| (*pair).to_owned()).chain([format!("page={page}")]).collect();
            format!("<{}{path}?{}>; rel=\"{rel}\"", self.base, pairs.join("&"))
        };
        let mut links = Vec::new();
        if page > 1 {
            links.extend([link((page - 1).min(last), "prev"), link(1, "first")]);
        }
        if page < last {
            links.extend([link(page + 1, "next"), link(last, "last")]);
        }
        if links.is_empty() { response } else { response.with("link", links.join(", ")) }
    }
}
