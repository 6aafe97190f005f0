//! A directory of a test's own, and `git` in it, cut off from the machine's configuration.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A temporary directory with a HOME inside; gone when dropped.
pub struct Sandbox {
    dir: tempfile::TempDir,
}

/// A temporary directory, in memory where the machine has such a place: what a test leaves need
/// not outlive it, and syncing it to a disk takes most of its time.
pub fn scratch() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    let in_memory = memory.is_dir().then(|| tempfile::tempdir_in(memory).ok()).flatten();
    in_memory.unwrap_or_else(|| tempfile::tempdir().unwrap())
}

/// The moment at which `git` works here.
pub const NOW: i64 = 1_700_000_000;

impl Sandbox {
    pub fn new() -> Self {
        let dir = scratch();
        std::fs::create_dir(dir.path().join("home")).unwrap();
        Self { dir }
    }

    /// A path in the sandbox.
    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A command with nothing of the caller's environment but PATH, at a fixed date and identity.
    pub fn command(&self, program: impl AsRef<OsStr>, dir: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().current_dir(dir).stdin(std::process::Stdio::null());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        for (key, value) in [
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_AUTHOR_NAME", "Ann Author"),
            ("GIT_AUTHOR_EMAIL", "ann@example.org"),
            ("GIT_COMMITTER_NAME", "Carl Committer"),
            ("GIT_COMMITTER_EMAIL", "carl@example.org"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("LC_ALL", "C"),
            ("TZ", "UTC"),
        ] {
            command.env(key, value);
        }
        let date = format!("{NOW} +0000");
        command.env("HOME", self.path("home")).env("GIT_AUTHOR_DATE", &date).env("GIT_COMMITTER_DATE", &date);
        command
    }

    /// Runs git and returns what it says, trimmed; panics with its words when it fails.
    pub fn git(&self, dir: &Path, args: &[&str]) -> String {
        let output = self.command("git", dir).args(args).output().expect("git is installed");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
        assert!(output.status.success(), "git {args:?}: {}{}", text(&output.stdout), text(&output.stderr));
        text(&output.stdout)
    }

    /// Like [`Sandbox::git`], with input on stdin and more environment.
    pub fn git_with(&self, dir: &Path, args: &[&str], env: &[(&str, &str)], input: &[u8]) -> String {
        use std::io::Write as _;
        use std::process::Stdio;
        let mut command = self.command("git", dir);
        command.args(args).envs(env.iter().copied());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("git is installed");
        child.stdin.take().unwrap().write_all(input).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "git {args:?}");
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// A new repository with `main` as its unborn branch.
    pub fn init(&self, name: &str, bare: bool) -> PathBuf {
        let dir = self.path(name);
        let kind = if bare { "--bare" } else { "--quiet" };
        let args = ["init", "--quiet", kind, "--initial-branch=main", "--template=", &dir.to_string_lossy()];
        self.git(self.dir.path(), &args);
        dir
    }

    /// Writes a file below a checkout, with its directories.
    pub fn write(&self, checkout: &Path, path: &str, content: impl AsRef<[u8]>) {
        let path = checkout.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    /// Commits all that is in a checkout and returns the commit's id.
    pub fn commit_all(&self, checkout: &Path, message: &str) -> String {
        self.git(checkout, &["add", "--all"]);
        self.git(checkout, &["commit", "--quiet", "--allow-empty", "-m", message]);
        self.git(checkout, &["rev-parse", "HEAD"])
    }
}
