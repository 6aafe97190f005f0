//! git's smart HTTP protocol (gitprotocol-http(5)) under libgit2: its bytes, our HTTP client.
//!
//! libgit2 knows transports per URL scheme and process. Which client and credential a transport
//! uses is therefore said by the thread that calls libgit2, for as long as the call lasts:
//! nothing is shared between two origins, not even of the same URL.

use std::cell::RefCell;
use std::io::{self, Cursor, Read, Write};
use std::sync::Arc;

use git2::transport::{self, Service, SmartSubtransport, SmartSubtransportStream, Transport};
use git2::{Error, ErrorClass, ErrorCode};
use reqwest::blocking::Response;

use super::paced::Paced;
use super::session::Session;

thread_local! {
    static CURRENT: RefCell<Option<Arc<Session>>> = const { RefCell::new(None) };
}

/// Runs calls into libgit2 that go over HTTP with this session.
pub(super) fn within<T>(session: &Arc<Session>, work: impl FnOnce() -> T) -> T {
    struct Restore(Option<Arc<Session>>);
    impl Drop for Restore {
        fn drop(&mut self) {
            CURRENT.with(|current| current.replace(self.0.take()));
        }
    }
    let _restore = Restore(CURRENT.with(|current| current.replace(Some(session.clone()))));
    work()
}

/// Registers the transport for `http` and `https`; [`super::libgit::setup`] calls it once.
/// Plain `http` is ours too: libgit2's own would follow redirects and ask for credentials.
pub(super) fn register() -> Result<(), Error> {
    for scheme in ["http", "https"] {
        // SAFETY: registering must not run beside other uses of libgit2's transports. The only
        // caller runs once, before any repository of this process is opened.
        unsafe {
            transport::register(scheme, |remote| {
                let session = CURRENT.with(|current| current.borrow().clone());
                let session = session.ok_or_else(|| Error::from_str("no session for this connection"))?;
                Transport::smart(remote, true, Connection(session))
            })?;
        }
    }
    Ok(())
}

struct Connection(Arc<Session>);

impl SmartSubtransport for Connection {
    fn action(&self, _url: &str, action: Service) -> Result<Box<dyn SmartSubtransportStream>, Error> {
        let session = self.0.clone();
        let listing = |service| match session.advertisement(service) {
            Ok(body) => Ok(Box::new(Listing(Cursor::new(body))) as Box<dyn SmartSubtransportStream>),
            Err(words) => Err(Error::new(ErrorCode::GenericError, ErrorClass::Net, words)),
        };
        match action {
            Service::UploadPackLs => listing("git-upload-pack"),
            Service::ReceivePackLs => listing("git-receive-pack"),
            Service::UploadPack => Ok(Box::new(Exchange::new(session.clone(), "git-upload-pack"))),
            Service::ReceivePack => Ok(Box::new(Exchange::new(session.clone(), "git-receive-pack"))),
        }
    }

    fn close(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// The refs as advertised, received whole.
struct Listing(Cursor<Vec<u8>>);

impl Read for Listing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl Write for Listing {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// One request and its answer: what is written is sent when reading begins.
struct Exchange {
    session: Arc<Session>,
    service: &'static str,
    body: Vec<u8>,
    answer: Option<Paced<Response>>,
}

impl Exchange {
    fn new(session: Arc<Session>, service: &'static str) -> Self {
        Self { session, service, body: Vec::new(), answer: None }
    }
}

impl Read for Exchange {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.answer.is_none() {
            let body = std::mem::take(&mut self.body);
            self.answer = Some(self.session.exchange(self.service, body).map_err(io::Error::other)?);
        }
        let Some(answer) = &mut self.answer else { return Ok(0) };
        answer.read(buffer).map_err(|error| io::Error::other(self.session.broken(&error)))
    }
}

impl Write for Exchange {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        if self.answer.is_some() {
            return Err(io::Error::other("the request has been sent already"));
        }
        self.body.extend_from_slice(buffer);
        Ok(buffer.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
