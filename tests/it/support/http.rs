//! A small HTTP/1.1 server on loopback that can also misbehave: late, cut, or silent.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

#[derive(Clone, Debug, Default)]
pub struct Request {
    pub method: String,
    /// As sent, with the query.
    pub target: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

#[derive(Clone, Debug, Default)]
pub struct Response {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// Send only this many bytes of the body, then cut the connection.
    pub cut: Option<usize>,
    /// Cut the connection without an answer.
    pub hang_up: bool,
    pub delay: Duration,
}

impl Request {
    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// Query parameters, decoded, in order.
    pub fn query(&self) -> Vec<(String, String)> {
        pairs(self.target.split_once('?').map_or("", |(_, query)| query))
    }

    pub fn parameter(&self, name: &str) -> Option<String> {
        self.query().into_iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// `a=b&c=d`, as in queries and forms.
pub fn pairs(text: &str) -> Vec<(String, String)> {
    let decode = |text: &str| {
        let bytes = text.as_bytes();
        let (mut out, mut at) = (Vec::new(), 0);
        while at < bytes.len() {
            match (bytes[at], text.get(at + 1..at + 3).and_then(|hex| u8::from_str_radix(hex, 16).ok())) {
                (b'%', Some(byte)) => {
                    out.push(byte);
                    at += 2;
                }
                (b'+', _) => out.push(b' '),
                (byte, _) => out.push(byte),
            }
            at += 1;
        }
        String::from_utf8_lossy(&out).into_owned()
    };
    let pair = |pair: &str| pair.split_once('=').map_or((decode(pair), String::new()), |(k, v)| (decode(k), decode(v)));
    text.split('&').filter(|pair| !pair.is_empty()).map(pair).collect()
}

impl Response {
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self { status, body: body.into(), ..Self::default() }
    }

    pub fn hang_up() -> Self {
        Self { hang_up: true, ..Self::default() }
    }

    pub fn with(mut self, name: &str, value: impl ToString) -> Self {
        self.headers.retain(|(key, _)| !key.eq_ignore_ascii_case(name));
        self.headers.push((name.to_owned(), value.to_string()));
        self
    }

    pub fn cut(self, at: usize) -> Self {
        Self { cut: Some(at), ..self }
    }

    pub fn delay(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }
}

type Handler = dyn Fn(Request) -> Response + Send + Sync;

/// Stops when dropped.
pub struct Server {
    pub address: SocketAddr,
    stop: Arc<AtomicBool>,
    connections: Arc<Mutex<Vec<TcpStream>>>,
}

impl Server {
    pub fn start(handler: impl Fn(Request) -> Response + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, connections) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(Vec::new())));
        let handler: Arc<Handler> = Arc::new(handler);
        let (stopped, open) = (Arc::clone(&stop), Arc::clone(&connections));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if stopped.load(SeqCst) {
                    return;
                }
                let Ok(stream) = stream else { continue };
                let _ = stream.set_nodelay(true);
                open.lock().unwrap().extend(stream.try_clone());
                let handler = Arc::clone(&handler);
                std::thread::spawn(move || {
                    let _ = serve(&stream, &*handler);
                    let _ = stream.shutdown(Shutdown::Both);
                });
            }
        });
        Self { address, stop, connections }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, SeqCst);
        let _ = TcpStream::connect(self.address);
        for connection in self.connections.lock().unwrap().drain(..) {
            let _ = connection.shutdown(Shutdown::Both);
        }
    }
}

fn serve(stream: &TcpStream, handler: &Handler) -> io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    while let Some(request) = read(&mut reader)? {
        let head = request.method == "HEAD";
        let response = handler(request);
        std::thread::sleep(response.delay);
        if response.hang_up || !write(stream, &response, head)? {
            break;
        }
    }
    Ok(())
}

fn read(reader: &mut impl BufRead) -> io::Result<Option<Request>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace().map(str::to_owned);
    let mut request = Request {
        method: words.next().unwrap_or_default(),
        target: words.next().unwrap_or_default(),
        ..Default::default()
    };
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        match line.trim_end().split_once(':') {
            Some((key, value)) => request.headers.push((key.to_owned(), value.trim().to_owned())),
            None => break,
        }
    }
    if let Some(length) = request.header("content-length").and_then(|length| length.parse().ok()) {
        request.body = vec![0; length];
        reader.read_exact(&mut request.body)?;
    } else if request.header("transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked")) {
        loop {
            let mut size = String::new();
            reader.read_line(&mut size)?;
            let size = usize::from_str_radix(size.trim(), 16).map_err(io::Error::other)?;
            let mut chunk = vec![0; size + 2];
            reader.read_exact(&mut chunk)?;
            request.body.extend_from_slice(&chunk[..size]);
            if size == 0 {
                break;
            }
        }
    }
    Ok(Some(request))
}

/// Whether the connection can be used again.
fn write(mut stream: &TcpStream, response: &Response, head: bool) -> io::Result<bool> {
    let mut text = format!("HTTP/1.1 {} -\r\n", response.status);
    let has = |name: &str| response.headers.iter().any(|(key, _)| key.eq_ignore_ascii_case(name));
    for (key, value) in &response.headers {
        text.push_str(&format!("{key}: {value}\r\n"));
    }
    if !has("content-length") {
        text.push_str(&format!("content-length: {}\r\n", response.body.len()));
    }
    text.push_str("\r\n");
    stream.write_all(text.as_bytes())?;
    if !head {
        stream.write_all(&response.body[..response.cut.unwrap_or(response.body.len())])?;
    }
    stream.flush()?;
    Ok(response.cut.is_none())
}
