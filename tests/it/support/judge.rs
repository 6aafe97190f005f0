//! `check-world.sh`, which judges a world with nothing of sealift's, and how a process ended.

use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

/// How a run ended and what it showed.
pub struct Showed {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Showed {
    pub fn new(status: ExitStatus, out: &[u8], err: &[u8]) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self { code: status.code(), out: text(out), err: text(err) }
    }

    #[track_caller]
    pub fn must_be(&self, code: i32) -> &Self {
        assert_eq!(self.code, Some(code), "\n--- out\n{}\n--- err\n{}", self.out, self.err);
        self
    }
}

/// `tests/it/check-world.sh`, with a clean environment.
pub fn check_world(first: &[&str], origin: &Path, registry: &str, last: &[&str]) -> Showed {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/check-world.sh");
    let home = tempfile::tempdir().unwrap();
    let mut command = Command::new("sh");
    command.arg(script).args(first).arg(origin).arg(registry).args(last);
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("HOME", home.path()).env("TMPDIR", home.path()).env("GIT_CONFIG_NOSYSTEM", "1");
    let output = command.stdin(Stdio::null()).output().unwrap();
    Showed::new(output.status, &output.stdout, &output.stderr)
}
