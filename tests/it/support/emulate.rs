//! npm `emulate` as a real process: another reading of GitHub's API, in JavaScript.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Who may do everything in [`REPOSITORY`], and that person's token.
pub const LOGIN: &str = "cozystack-ci";
pub const TOKEN: &str = "emulated_token";
pub const REPOSITORY: &str = "cozystack/cozystack";

const SEED: &str = "\
tokens:
  emulated_token: {login: cozystack-ci, scopes: [repo, user]}
github:
  users: [{login: cozystack-ci, name: CI}]
  orgs: [{login: cozystack, members: [{login: cozystack-ci, role: admin}]}]
  repos: [{owner: cozystack, name: cozystack, auto_init: true}]
";

/// A running one, with one repository of one commit; killed when dropped.
pub struct Emulate {
    child: Child,
    port: u16,
    _dir: tempfile::TempDir,
}

impl Emulate {
    /// `None`, visibly, where `SEALIFT_EMULATE` names no program, unless peers are required.
    pub fn start() -> Option<Self> {
        let Some(program) = std::env::var_os("SEALIFT_EMULATE") else {
            let test = std::thread::current().name().unwrap_or_default().to_owned();
            super::say(format_args!(
                "skipped: {test}: emulate is not installed (npm ci --prefix tests/emulate, and its .bin/emulate in SEALIFT_EMULATE)"
            ));
            assert_ne!(std::env::var("SEALIFT_REQUIRE_PEERS").as_deref(), Ok("1"), "emulate is required here");
            return None;
        };
        // A free port can be lost to somebody else before it is taken.
        (0..5).find_map(|_| Self::launch(&program)).or_else(|| panic!("{} doesn't start", program.display()))
    }

    fn launch(program: &std::ffi::OsStr) -> Option<Self> {
        let dir = super::sandbox::scratch();
        let seed = dir.path().join("seed.yaml");
        std::fs::write(&seed, SEED).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let url = format!("http://127.0.0.1:{port}");
        let child = Command::new(program)
            // Without a base it says localhost, which is another origin.
            .args(["--service", "github", "--port", &port.to_string(), "--base-url", &url, "--seed"])
            .arg(seed)
            .current_dir(dir.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", dir.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut emulate = Self { child, port, _dir: dir };
        let patience = Instant::now() + Duration::from_secs(60);
        while Instant::now() < patience {
            if emulate.child.try_wait().unwrap().is_some() {
                return None;
            }
            if emulate.answers() {
                return Some(emulate);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        None
    }

    fn answers(&self) -> bool {
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) else { return false };
        let mut answer = [0; 12];
        let request = format!("GET /repos/{REPOSITORY} HTTP/1.0\r\nAuthorization: Bearer {TOKEN}\r\n\r\n");
        stream.write_all(request.as_bytes()).is_ok() && stream.read_exact(&mut answer).is_ok() && &answer[9..] == b"200"
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

impl Drop for Emulate {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
