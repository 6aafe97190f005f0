//! The HTTP of one operation on an origin: requests, redirects, and what went wrong.

use std::io::Read as _;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use reqwest::blocking::{Client, RequestBuilder, Response};
use reqwest::header::{ACCEPT, AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, LOCATION};
use reqwest::redirect::Policy;
use reqwest::{Certificate, StatusCode, Url};

use super::credential::Login;
use super::paced::Paced;
use crate::port::chain;
use crate::port::http::Timeouts;

/// As many hops as git follows by default is more than any forge needs.
const REDIRECTS: usize = 5;
/// Half a million refs; more is not a repository but a fault.
const ADVERTISEMENT: u64 = 64 << 20;
/// What is shown of an error's body, in bytes.
const WORDS: u64 = 2048;

/// One operation over HTTP. Used by one thread at a time.
pub(super) struct Session {
    client: Client,
    origin: Url,
    login: Option<Login>,
    patience: Duration,
    state: Mutex<State>,
}

struct State {
    /// Where the repository is: the origin, or where it redirected to.
    base: Url,
    seen: Seen,
}

/// What became visible of an operation beside libgit2's own errors.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    pub failure: Option<Failure>,
    /// A request that changes refs has left this machine, perhaps in part.
    pub sent: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Failure {
    pub status: Option<u16>,
    pub detail: String,
}

/// A client that follows no redirects by itself. `patience` bounds each wait: for the answer to a
/// request to begin, and for more of it to come.
pub(super) fn client(patience: Duration, trusted: &[Certificate]) -> Result<Client, String> {
    let client = Client::builder()
        .redirect(Policy::none())
        .connect_timeout(Timeouts::default().connect.min(patience))
        .timeout(patience)
        .tls_certs_merge(trusted.iter().cloned())
        .user_agent(concat!("git/2 (sealift ", env!("CARGO_PKG_VERSION"), ")"));
    client.build().map_err(|error| chain(&error))
}

impl Session {
    pub(super) fn new(client: Client, origin: Url, login: Option<Login>, patience: Duration) -> Self {
        let state = State { base: origin.clone(), seen: Seen::default() };
        Self { client, origin, login, patience, state: Mutex::new(state) }
    }

    pub(super) fn seen(&self) -> Seen {
        self.state().seen.clone()
    }

    /// `GET info/refs`, whole.
    pub(super) fn advertisement(&self, service: &str) -> Result<Vec<u8>, String> {
        let mut url = below(&self.origin, "info/refs");
        url.set_query(Some(&format!("service={service}")));
        for _ in 0..=REDIRECTS {
            let request = self.client.get(url.clone()).header(ACCEPT, "*/*").header(CACHE_CONTROL, "no-cache");
            let response = self.authorize(request, &url).send().map_err(|error| self.unsent(&error))?;
            if response.status().is_redirection() {
                url = self.redirected(&url, &response, service)?;
                continue;
            }
            let response = self.expect(response, &format!("application/x-{service}-advertisement"))?;
            let mut body = Vec::new();
            let read = Paced::new(response, self.patience).take(ADVERTISEMENT + 1).read_to_end(&mut body);
            read.map_err(|error| self.broken(&error))?;
            if body.len() as u64 > ADVERTISEMENT {
                return Err(self.fail(None, "the list of refs is larger than 64 MiB"));
            }
            // The bindings of libgit2 panic on a ref name that isn't UTF-8.
            if std::str::from_utf8(&body).is_err() {
                return Err(self.fail(None, "the list of refs has a name that isn't UTF-8"));
            }
            return Ok(body);
        }
        Err(self.fail(None, "redirected too often"))
    }

    /// `POST git-upload-pack` or `git-receive-pack`; the answer is still to be read.
    pub(super) fn exchange(&self, service: &str, body: Vec<u8>) -> Result<Paced<Response>, String> {
        let url = below(&self.state().base, service);
        let kind = |what| format!("application/x-{service}-{what}");
        let request =
            self.client.post(url.clone()).header(CONTENT_TYPE, kind("request")).header(ACCEPT, kind("result"));
        let writes = service == "git-receive-pack";
        self.state().seen.sent |= writes;
        match self.authorize(request, &url).body(body).send() {
            Ok(response) => Ok(Paced::working(self.expect(response, &kind("result"))?, self.patience)),
            Err(error) => {
                // Without a connection nothing can have arrived.
                self.state().seen.sent &= !error.is_connect();
                Err(self.unsent(&error))
            }
        }
    }

    /// An answer that broke off.
    pub(super) fn broken(&self, error: &dyn std::error::Error) -> String {
        self.fail(None, &format!("the answer broke off: {}", chain(error)))
    }

    /// The credential goes to the origin it was given for: scheme, host and port.
    fn authorize(&self, request: RequestBuilder, url: &Url) -> RequestBuilder {
        match &self.login {
            Some(login) if url.origin() == self.origin.origin() => request.header(AUTHORIZATION, login.header()),
            _ => request,
        }
    }

    /// Where to ask next. Later requests go there too.
    fn redirected(&self, from: &Url, response: &Response, service: &str) -> Result<Url, String> {
        let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
        let status = Some(response.status().as_u16());
        let Some(to) = location.and_then(|location| from.join(location).ok()) else {
            return Err(self.fail(status, "a redirect without a usable Location"));
        };
        let shown = || format!("redirected to {}", to.host_str().unwrap_or("another place"));
        let scheme = to.scheme() == "https" || to.scheme() == from.scheme();
        let Some(path) = to.path().strip_suffix("info/refs").filter(|_| scheme) else {
            return Err(self.fail(status, &format!("{}, which is no git repository", shown())));
        };
        if service == "git-receive-pack" && to.origin() != self.origin.origin() {
            let detail = format!("{}: to push there, name that URL as the origin", shown());
            return Err(self.fail(status, &detail));
        }
        let mut base = to.clone();
        base.set_path(path.trim_end_matches('/'));
        base.set_query(None);
        self.state().base = base;
        Ok(to)
    }

    fn expect(&self, response: Response, kind: &str) -> Result<Response, String> {
        let given = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let given = given.split(';').next().unwrap_or_default().trim().to_owned();
        let status = response.status();
        if status == StatusCode::OK && given == kind {
            return Ok(response);
        }
        let mut words = Vec::new();
        // Words are for people: as much as could be read is enough.
        let _ = Paced::new(response, self.patience).take(WORDS).read_to_end(&mut words);
        let words = match given.as_str() {
            "text/html" => "an HTML page".to_owned(),
            // Before anything is put behind it: a secret may be cut at its end.
            _ => self.redact(String::from_utf8_lossy(&words).trim()),
        };
        if status == StatusCode::OK {
            return Err(self.fail(None, &format!("not git's smart HTTP protocol: answered {given:?} ({words})")));
        }
        Err(self.fail(Some(status.as_u16()), &words))
    }

    fn unsent(&self, error: &reqwest::Error) -> String {
        self.fail(error.status().map(|status| status.as_u16()), &chain(error))
    }

    /// Keeps what went wrong and returns it in words that libgit2 can carry.
    fn fail(&self, status: Option<u16>, detail: &str) -> String {
        let detail: String = detail.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let mut detail = self.redact(&detail);
        let elsewhere = self.state().base.origin() != self.origin.origin();
        if elsewhere && self.login.is_some() {
            detail.push_str(" (redirected to another host, where the credential was not sent)");
        }
        let words = status.map_or_else(|| detail.clone(), |status| format!("the server answered {status}: {detail}"));
        self.state().seen.failure = Some(Failure { status, detail });
        words
    }

    /// A text without the secret, where there is one.
    fn redact(&self, text: &str) -> String {
        self.login.as_ref().map_or_else(|| text.to_owned(), |login| login.redact(text))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A URL below a repository's.
fn below(base: &Url, name: &str) -> Url {
    let mut url = base.clone();
    url.set_path(&format!("{}/{name}", base.path().trim_end_matches('/')));
    url
}
