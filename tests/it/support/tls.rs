//! TLS before a plain server: a certificate for loopback, signed by an authority of its own.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// Writes an authority's certificate, and one for loopback that it signed, with its key.
pub fn certify(dir: &Path) {
    let mut params = rcgen::CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    // A name of its own: to OpenSSL a certificate whose issuer has its own name is self-signed.
    params.distinguished_name.push(rcgen::DnType::CommonName, "an authority for tests");
    let key = rcgen::KeyPair::generate().unwrap();
    std::fs::write(dir.join("ca.pem"), params.self_signed(&key).unwrap().pem()).unwrap();
    let authority = rcgen::Issuer::new(params, key);
    let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
    let key = rcgen::KeyPair::generate().unwrap();
    let server = rcgen::CertificateParams::new(names).unwrap().signed_by(&key, &authority).unwrap();
    std::fs::write(dir.join("server.pem"), server.pem()).unwrap();
    std::fs::write(dir.join("server.key"), key.serialize_pem()).unwrap();
}

/// A door on a free port of 127.0.0.1 to a server that closes each connection after its answer.
/// It stands until the process ends.
pub struct Door {
    pub address: SocketAddr,
    dir: tempfile::TempDir,
}

impl Door {
    pub fn before(server: SocketAddr) -> Self {
        let dir = tempfile::tempdir().unwrap();
        certify(dir.path());
        let certificate = CertificateDer::from_pem_file(dir.path().join("server.pem")).unwrap();
        let key = PrivateKeyDer::from_pem_file(dir.path().join("server.key")).unwrap();
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let config = config.unwrap().with_no_client_auth().with_single_cert(vec![certificate], key).unwrap();
        let config = Arc::new(config);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let config = config.clone();
                std::thread::spawn(move || pass(stream, config, server).unwrap_or_default());
            }
        });
        Self { address, dir }
    }

    pub fn authority(&self) -> PathBuf {
        self.dir.path().join("ca.pem")
    }
}

/// One request on, by its Content-Length, and the answer back until the server closes.
fn pass(client: TcpStream, config: Arc<rustls::ServerConfig>, server: SocketAddr) -> std::io::Result<()> {
    let connection = rustls::ServerConnection::new(config).map_err(std::io::Error::other)?;
    let mut client = rustls::StreamOwned::new(connection, client);
    let mut request = Vec::new();
    let mut buffer = [0; 8192];
    let whole = |request: &[u8]| {
        let text = String::from_utf8_lossy(request).into_owned();
        let (head, _) = text.split_once("\r\n\r\n")?;
        let length = head
            .lines()
            .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
        Some(head.len() + 4 + length.unwrap_or(0usize))
    };
    while whole(&request).is_none_or(|length| request.len() < length) {
        match client.read(&mut buffer)? {
            0 => return Ok(()),
            read => request.extend_from_slice(&buffer[..read]),
        }
    }
    let mut server = TcpStream::connect(server)?;
    server.write_all(&request)?;
    let mut answer = Vec::new();
    server.read_to_end(&mut answer)?;
    client.write_all(&answer)?;
    client.conn.send_close_notify();
    client.flush()
}
