//! A reverse proxy before a registry: it counts, and it can stop the world at a request.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex};

use crate::support::http::{Request, Response, Server};

/// A request that went through.
#[derive(Clone, Debug)]
pub struct Seen {
    pub method: String,
    pub path: String,
    pub status: u16,
}

/// What is done about a request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Hold {
    Pass,
    /// The world stops; the registry never sees the request.
    Before,
    /// The registry carries it out; then the world stops, and nobody hears the answer.
    After,
}

/// Decides on a request, knowing what was answered before it.
type Decide = Box<dyn FnMut(&Request, &[Seen]) -> Hold + Send>;

struct Shared {
    upstream: String,
    seen: Mutex<Vec<Seen>>,
    hold: Mutex<Option<(Decide, Sender<()>)>>,
    closed: Mutex<bool>,
    opened: Condvar,
}

pub struct Proxy {
    server: Server,
    shared: Arc<Shared>,
}

impl Seen {
    pub fn writes(&self) -> bool {
        !matches!(self.method.as_str(), "GET" | "HEAD")
    }
}

impl Proxy {
    /// Before the registry at `host:port`.
    pub fn start(upstream: String) -> Self {
        let shared = Arc::new(Shared {
            upstream,
            seen: Mutex::default(),
            hold: Mutex::default(),
            closed: Mutex::new(false),
            opened: Condvar::new(),
        });
        let serving = shared.clone();
        Self { server: Server::start(move |request| serving.answer(&request)), shared }
    }

    pub fn url(&self) -> String {
        self.server.url()
    }

    /// Every request since the last time this was asked.
    pub fn take(&self) -> Vec<Seen> {
        std::mem::take(&mut *self.shared.seen.lock().unwrap())
    }

    /// Stops the world at the first request that is decided so, and says when it has.
    pub fn hold(&self, decide: impl FnMut(&Request, &[Seen]) -> Hold + Send + 'static) -> Receiver<()> {
        let (held, receiver) = channel();
        *self.shared.hold.lock().unwrap() = Some((Box::new(decide), held));
        receiver
    }

    /// Lets the world go on; requests that were held are cut off.
    pub fn release(&self) {
        *self.shared.hold.lock().unwrap() = None;
        *self.shared.closed.lock().unwrap() = false;
        self.shared.opened.notify_all();
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.release();
    }
}

impl Shared {
    fn answer(&self, request: &Request) -> Response {
        if self.wait() {
            return Response::hang_up();
        }
        let decided = match &mut *self.hold.lock().unwrap() {
            Some((decide, _)) => decide(request, &self.seen.lock().unwrap()),
            None => Hold::Pass,
        };
        if decided != Hold::Before {
            let response = forward(&self.upstream, request);
            let (method, path) = (request.method.clone(), request.path().to_owned());
            self.seen.lock().unwrap().push(Seen { method, path, status: response.status });
            if decided == Hold::Pass {
                return response;
            }
        }
        // Once: a request that was decided on beside this one must not stop the world again, later.
        if let Some((_, held)) = self.hold.lock().unwrap().take() {
            *self.closed.lock().unwrap() = true;
            let _ = held.send(());
        }
        self.wait();
        Response::hang_up()
    }

    /// Whether it had to be waited.
    fn wait(&self) -> bool {
        let mut closed = self.closed.lock().unwrap();
        let waited = *closed;
        while *closed {
            closed = self.opened.wait(closed).unwrap();
        }
        waited
    }
}

/// The registry's answer. HTTP/1.0, so that the body ends where the connection does.
fn forward(upstream: &str, request: &Request) -> Response {
    let mut stream = TcpStream::connect(upstream).unwrap();
    let mut head = format!("{} {} HTTP/1.0\r\n", request.method, request.target);
    for (key, value) in &request.headers {
        if !["connection", "content-length", "transfer-encoding"].contains(&key.to_lowercase().as_str()) {
            head.push_str(&format!("{key}: {value}\r\n"));
        }
    }
    head.push_str(&format!("content-length: {}\r\n\r\n", request.body.len()));
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&request.body).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let split = answer.windows(4).position(|four| four == b"\r\n\r\n").expect("an answer has a head");
    let (head, body) = (String::from_utf8_lossy(&answer[..split]).into_owned(), answer[split + 4..].to_vec());
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok()).expect("a status");
    let mut response = Response::new(status, body);
    for (key, value) in lines.filter_map(|line| line.split_once(": ")) {
        if !key.eq_ignore_ascii_case("connection") {
            response = response.with(key, value);
        }
    }
    response
}
