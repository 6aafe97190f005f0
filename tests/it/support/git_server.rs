//! `git http-backend` behind a small HTTP server: real smart HTTP, with faults on demand.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use base64::Engine as _;

/// A request as received.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: String,
    pub path: String,
    pub query: String,
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

/// What is done about a request.
pub enum Reaction {
    /// git answers.
    Pass,
    /// A canned answer: status, further header lines, body.
    Canned(u16, Vec<(&'static str, String)>, String),
    /// The connection is closed; git never saw the request.
    CutBefore,
    /// git carries the request out; the connection is closed instead of an answer.
    CutAfter,
    /// git carries the request out; then this is called, and the connection is closed.
    Then(Box<dyn FnOnce() + Send>),
    /// git answers, and the answer ends after so many bytes of its body.
    CutWithin(usize),
    /// The connection stays open, and nothing comes.
    Stall,
    /// An answer of the right kind that comes byte by byte and never ends: its head, or its body.
    Drip { body: bool },
}

type Intercept = Box<dyn FnMut(&Request) -> Reaction + Send>;

/// Serves the bare repositories below a directory on a free port of 127.0.0.1 until dropped.
pub struct GitServer {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    root: PathBuf,
    /// `user:password`
    login: Mutex<Option<String>>,
    intercept: Mutex<Intercept>,
    requests: Mutex<Vec<Request>>,
    stop: AtomicBool,
}

impl Request {
    pub fn is_push(&self) -> bool {
        self.method == "POST" && self.path.ends_with("/git-receive-pack")
    }

    pub fn authorization(&self) -> Option<&str> {
        self.headers.get("authorization").map(String::as_str)
    }
}

impl GitServer {
    pub fn start(root: &Path) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let shared = Arc::new(Shared {
            root: root.to_owned(),
            login: Mutex::default(),
            intercept: Mutex::new(Box::new(|_| Reaction::Pass)),
            requests: Mutex::default(),
            stop: AtomicBool::new(false),
        });
        let address = listener.local_addr().unwrap();
        let serving = shared.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if serving.stop.load(Ordering::SeqCst) {
                    break;
                }
                let shared = serving.clone();
                // A client that hangs up is no matter of the server's.
                std::thread::spawn(move || shared.serve(stream).unwrap_or_default());
            }
        });
        Self { address, shared }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn url(&self, repository: &str) -> String {
        format!("http://{}/{repository}", self.address)
    }

    /// Asks for this login from now on.
    pub fn require(&self, user: &str, password: &str) {
        *self.shared.login.lock().unwrap() = Some(format!("{user}:{password}"));
    }

    /// Decides on every request from now on; it may do things of its own first.
    pub fn intercept(&self, intercept: impl FnMut(&Request) -> Reaction + Send + 'static) {
        *self.shared.intercept.lock().unwrap() = Box::new(intercept);
    }

    /// Every request so far, oldest first.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.requests.lock().unwrap().clone()
    }
}

impl Drop for GitServer {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
    }
}

impl Shared {
    fn serve(&self, mut stream: TcpStream) -> std::io::Result<()> {
        let Some(request) = read(&stream)? else { return Ok(()) };
        self.requests.lock().unwrap().push(request.clone());
        let login = self.login.lock().unwrap().clone();
        let expected = login.map(|login| format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(login)));
        let reaction = (self.intercept.lock().unwrap())(&request);
        match reaction {
            Reaction::CutBefore => return Ok(()),
            Reaction::Stall => {
                // Until the client goes.
                let _ = stream.read(&mut [0]);
                return Ok(());
            }
            Reaction::Drip { body } => return drip(&mut stream, &request, body),
            Reaction::Canned(status, headers, body) => {
                let lines: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
                return answer(&mut stream, &format!("{status} Canned"), &lines, body.as_bytes(), body.len());
            }
            _ if expected.is_some() && request.authorization() != expected.as_deref() => {
                let challenge = "WWW-Authenticate: Basic realm=\"git\"\r\nContent-Type: text/plain\r\n";
                return answer(&mut stream, "401 Unauthorized", challenge, b"who are you?", 12);
            }
            _ => {}
        }
        let output = self.backend(&request)?;
        let split = output.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or(output.len());
        let (head, body) =
            (String::from_utf8_lossy(&output[..split]).into_owned(), output.get(split + 4..).unwrap_or(&[]));
        let status = head.lines().find_map(|line| line.strip_prefix("Status: ")).unwrap_or("200 OK").to_owned();
        let lines: String =
            head.lines().filter(|line| !line.starts_with("Status: ")).map(|line| format!("{line}\r\n")).collect();
        match reaction {
            Reaction::CutAfter => Ok(()),
            Reaction::Then(then) => {
                then();
                Ok(())
            }
            Reaction::CutWithin(length) => {
                answer(&mut stream, &status, &lines, &body[..length.min(body.len())], body.len())
            }
            _ => answer(&mut stream, &status, &lines, body, body.len()),
        }
    }

    fn backend(&self, request: &Request) -> std::io::Result<Vec<u8>> {
        let header = |name: &str| request.headers.get(name).cloned().unwrap_or_default();
        let mut child = Command::new("git")
            .arg("http-backend")
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", &self.root)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_PROJECT_ROOT", &self.root)
            .env("GIT_HTTP_EXPORT_ALL", "1")
            // Whoever got this far may push.
            .env("REMOTE_USER", "tester")
            .env("REMOTE_ADDR", "127.0.0.1")
            .env("REQUEST_METHOD", &request.method)
            .env("PATH_INFO", &request.path)
            .env("QUERY_STRING", &request.query)
            .env("CONTENT_TYPE", header("content-type"))
            .env("CONTENT_LENGTH", request.body.len().to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut stdin = child.stdin.take().unwrap();
        let body = request.body.clone();
        let feed = std::thread::spawn(move || stdin.write_all(&body));
        let output = child.wait_with_output()?;
        // git may stop reading early; its answer says why.
        let _ = feed.join().unwrap();
        Ok(output.stdout)
    }
}

fn read(stream: &TcpStream) -> std::io::Result<Option<Request>> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace();
    let method = words.next().unwrap_or_default().to_owned();
    let target = words.next().unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let (path, query) = (path.to_owned(), query.to_owned());
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':') {
            headers.insert(name.trim().to_lowercase(), value.trim().to_owned());
        }
    }
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Some(Request { method, path, query, headers, body }))
}

fn drip(stream: &mut TcpStream, request: &Request, body: bool) -> std::io::Result<()> {
    let last = request.path.rsplit('/').next().unwrap_or_default();
    let kind = match request.query.strip_prefix("service=") {
        Some(service) => format!("application/x-{service}-advertisement"),
        None => format!("application/x-{last}-result"),
    };
    write!(stream, "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n")?;
    match body {
        true => write!(stream, "Content-Length: 1000000\r\n\r\n")?,
        false => write!(stream, "X-Slow: ")?,
    }
    loop {
        // Of a packet's length, so that git's protocol waits for more, too.
        stream.write_all(b"1")?;
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

fn answer(stream: &mut TcpStream, status: &str, lines: &str, body: &[u8], length: usize) -> std::io::Result<()> {
    write!(stream, "HTTP/1.1 {status}\r\n{lines}Content-Length: {length}\r\nConnection: close\r\n\r\n")?;
    stream.write_all(body)?;
    stream.flush()
}
