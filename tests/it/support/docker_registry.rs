//! Debian's `docker-registry` as a real process, for as long as a test needs it.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// bcrypt's own test vector, since the file takes nothing weaker.
pub const USER: &str = "me";
pub const PASSWORD: &str = "U*U";
const HTPASSWD: &str = "me:$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW\n";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Wants [`USER`] and [`PASSWORD`] with every request.
    pub password: bool,
    /// Speaks TLS, with a certificate that an authority of its own signed.
    pub tls: bool,
}

/// A running registry; killed when dropped.
pub struct DockerRegistry {
    child: Child,
    port: u16,
    tls: bool,
    storage: tempfile::TempDir,
}

impl DockerRegistry {
    /// `None`, visibly, where there is no such program, unless peers are required.
    pub fn start() -> Option<Self> {
        Self::with(Options::default())
    }

    pub fn with(options: Options) -> Option<Self> {
        Self::launch(options, None)
    }

    /// A registry over a copy of another's [`DockerRegistry::data`].
    pub fn over(data: &Path) -> Option<Self> {
        Self::launch(Options::default(), Some(data))
    }

    fn launch(options: Options, data: Option<&Path>) -> Option<Self> {
        let found =
            Command::new("docker-registry").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        if found.is_err() {
            let test = std::thread::current().name().unwrap_or_default().to_owned();
            super::say(format_args!(
                "skipped: {test}: docker-registry is not installed (Debian: apt-get install docker-registry)"
            ));
            assert_ne!(std::env::var("SEALIFT_REQUIRE_PEERS").as_deref(), Ok("1"), "docker-registry is required here");
            return None;
        }
        // A free port can be lost to somebody else before the registry takes it.
        (0..5).find_map(|_| Self::try_launch(options, data)).or_else(|| panic!("docker-registry doesn't start"))
    }

    fn try_launch(options: Options, data: Option<&Path>) -> Option<Self> {
        let storage = tempfile::tempdir().unwrap();
        if let Some(data) = data {
            let copied = Command::new("cp").arg("-a").arg(data).arg(storage.path().join("data")).status().unwrap();
            assert!(copied.success());
        }
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let dir = storage.path().display();
        let mut config = format!(
            "version: 0.1\nlog: {{level: error}}\nstorage:\n  filesystem: {{rootdirectory: {dir}/data}}\n  delete: {{enabled: true}}\n\
             http: \n  addr: '127.0.0.1:{port}'\n"
        );
        if options.tls {
            super::tls::certify(storage.path());
            config.push_str(&format!("  tls: {{certificate: {dir}/server.pem, key: {dir}/server.key}}\n"));
        }
        if options.password {
            std::fs::write(storage.path().join("htpasswd"), HTPASSWD).unwrap();
            config.push_str(&format!("auth:\n  htpasswd: {{realm: test, path: {dir}/htpasswd}}\n"));
        }
        std::fs::write(storage.path().join("config.yml"), config).unwrap();
        let child = Command::new("docker-registry")
            .arg("serve")
            .arg(storage.path().join("config.yml"))
            .env_clear()
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut registry = Self { child, port, tls: options.tls, storage };
        let patience = Instant::now() + Duration::from_secs(30);
        while Instant::now() < patience {
            if registry.child.try_wait().unwrap().is_some() {
                return None;
            }
            if registry.answers() {
                return Some(registry);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        None
    }

    fn answers(&self) -> bool {
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) else { return false };
        let mut answer = [0; 12];
        stream.write_all(b"GET /v2/ HTTP/1.0\r\n\r\n").is_ok()
            && stream.read_exact(&mut answer).is_ok()
            && (self.tls || matches!(&answer[9..], b"200" | b"401"))
    }

    /// The certificate of the authority that signed the registry's.
    pub fn authority(&self) -> PathBuf {
        self.storage.path().join("ca.pem")
    }

    /// Where it keeps what was pushed.
    pub fn data(&self) -> PathBuf {
        self.storage.path().join("data")
    }

    /// `127.0.0.1:PORT`.
    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub fn url(&self) -> String {
        format!("{}://{}", if self.tls { "https" } else { "http" }, self.host())
    }
}

impl Drop for DockerRegistry {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
