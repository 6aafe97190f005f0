//! The action's scripts, run as a runner runs them, with a stand-in for sealift that notes what it was given.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use sealift::model::Digest;

use super::here;
use crate::support::http::{Response, Server};
use crate::support::sandbox::Sandbox;
use crate::support::tls::Door;

/// Notes its arguments and what it was told about credentials, and ends as it is told.
const STAND_IN: &str = r#"#!/usr/bin/env bash
printf '%s\0' "$@" >"$NOTES/args"
env >"$NOTES/env"
if [ -n "${SEALIFT_GITHUB_APP_KEY_FILE:-}" ]; then
  stat -c '%a' "$SEALIFT_GITHUB_APP_KEY_FILE" >"$NOTES/mode"
  cat "$SEALIFT_GITHUB_APP_KEY_FILE" >"$NOTES/key"
fi
if [ "${CODE:-0}" = wait ]; then
  trap 'echo told >>"$NOTES/told"; kill $!; exit 130' TERM
  echo "$PPID" >"$NOTES/ready"
  read -r <>"$NOTES/never" &
  wait $!
fi
exit "${CODE:-0}"
"#;

struct Runner {
    sandbox: Sandbox,
}

impl Runner {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        fs::create_dir(sandbox.path("temp")).unwrap();
        fs::create_dir(sandbox.path("notes")).unwrap();
        sandbox.write(&sandbox.path("bin"), "sealift", STAND_IN);
        fs::set_permissions(sandbox.path("bin/sealift"), PermissionsExt::from_mode(0o755)).unwrap();
        Self { sandbox }
    }

    fn script(&self, name: &str, env: &[(&str, &str)]) -> Command {
        let mut command = self.sandbox.command("bash", &self.sandbox.path("home"));
        command.arg(here(".github/actions/sealift").join(name));
        command.env("GITHUB_ACTION_PATH", here(".github/actions/sealift"));
        command.env("RUNNER_TEMP", self.sandbox.path("temp")).env("GITHUB_OUTPUT", self.sandbox.path("outputs"));
        command.env("RUNNER_OS", "Linux").env("RUNNER_ARCH", "X64").env("NOTES", self.sandbox.path("notes"));
        command.env("SEALIFT", self.sandbox.path("bin/sealift"));
        for name in ["VERSION", "SHA256", "RELEASES", "TOKEN", "APP_ID", "APP_KEY"] {
            command.env(name, "");
        }
        command.envs(env.iter().copied());
        command
    }

    /// Runs a script: its exit code, and what it said.
    fn run(&self, name: &str, env: &[(&str, &str)]) -> (i32, String) {
        let output = self.script(name, env).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
        (output.status.code().unwrap(), said)
    }

    fn note(&self, name: &str) -> String {
        fs::read_to_string(self.sandbox.path("notes").join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn outputs(&self) -> String {
        fs::read_to_string(self.sandbox.path("outputs")).unwrap_or_default()
    }

    fn left_in_temp(&self) -> Vec<String> {
        let entries = fs::read_dir(self.sandbox.path("temp")).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

#[test]
fn exit_codes_become_states() {
    for (code, state, fails) in [
        (0, "done", false),
        (1, "failed", true),
        (2, "usage", true),
        (3, "work", false),
        (4, "waiting", false),
        (5, "refused", true),
        (101, "failed", true),
        (130, "interrupted", true),
    ] {
        let runner = Runner::new();
        let (ended, said) = runner.run("run", &[("ARGS", "status"), ("CODE", &code.to_string())]);
        assert_eq!(ended, if fails { code } else { 0 }, "{said}");
        assert_eq!(runner.outputs(), format!("state={state}\nexit-code={code}\n"));
    }
}

#[test]
fn arguments_are_lines_and_never_shell() {
    let runner = Runner::new();
    let args = "run\r\n\n--skip-evidence=it's \"down\"; $(touch pwned) `id` * \\n\n  two  words \n--assets=/a b\n\n";
    runner.run("run", &[("ARGS", args)]);
    let noted = runner.note("args");
    let noted: Vec<&str> = noted.trim_end_matches('\0').split('\0').collect();
    let reason = "--skip-evidence=it's \"down\"; $(touch pwned) `id` * \\n";
    assert_eq!(noted, ["run", reason, "  two  words ", "--assets=/a b"]);
    assert!(!runner.sandbox.path("home/pwned").exists());
}

#[test]
fn credentials_reach_sealift_alone() {
    let runner = Runner::new();
    let key = "-----BEGIN KEY-----\nabc\n-----END KEY-----";
    let (code, said) = runner.run("run", &[("ARGS", "run"), ("APP_ID", "12"), ("APP_KEY", key), ("TOKEN", "t0ken")]);
    assert_eq!((code, said.as_str()), (0, ""));
    assert_eq!((runner.note("mode").as_str(), runner.note("key").trim_end()), ("600\n", key));
    let env = runner.note("env");
    assert!(env.contains("SEALIFT_GITHUB_APP_ID=12\n"));
    // The App comes first, and nothing else of it is in the environment.
    assert!(!env.contains("t0ken") && !env.contains("BEGIN KEY") && !env.contains("APP_KEY="), "{env}");
    assert!(runner.left_in_temp().is_empty(), "{:?}", runner.left_in_temp());

    let runner = Runner::new();
    runner.run("run", &[("ARGS", "run"), ("TOKEN", "t0ken"), ("CODE", "5")]);
    assert!(runner.note("env").contains("GITHUB_TOKEN=t0ken\n"));

    let runner = Runner::new();
    runner.run("run", &[("ARGS", "run")]);
    assert!(!runner.note("env").contains("GITHUB_TOKEN"));
}

#[test]
fn half_an_app_is_refused() {
    for (half, missing) in [(("APP_ID", "12"), "github-app-key"), (("APP_KEY", "k3y"), "github-app-id")] {
        let runner = Runner::new();
        let (code, said) = runner.run("run", &[("ARGS", "run"), half]);
        assert!(code == 1 && said.contains(missing) && !said.contains("k3y"), "{said}");
        assert!(runner.left_in_temp().is_empty() && !runner.sandbox.path("notes/args").exists());
    }
}

#[test]
fn a_cancelled_job_is_passed_on_once_and_leaves_no_key() {
    for signal in ["INT", "TERM"] {
        let runner = Runner::new();
        let make = runner.sandbox.command("mkfifo", &runner.sandbox.path("notes")).arg("never").status().unwrap();
        assert!(make.success());
        let env = [("ARGS", "run"), ("APP_ID", "12"), ("APP_KEY", "k"), ("CODE", "wait")];
        let mut child = runner.script("run", &env).spawn().unwrap();
        let ready = runner.sandbox.path("notes/ready");
        let id = loop {
            match fs::read_to_string(&ready) {
                Ok(text) if text.ends_with('\n') => break text.trim().to_owned(),
                _ => std::thread::yield_now(),
            }
        };
        assert_eq!(id, child.id().to_string());
        let kill = Command::new("kill").args([&format!("-{signal}"), &id]).status().unwrap();
        assert!(kill.success());
        assert_eq!(child.wait().unwrap().code(), Some(130));
        assert_eq!(runner.note("told"), "told\n");
        assert_eq!(runner.outputs(), "state=interrupted\nexit-code=130\n");
        assert!(runner.left_in_temp().is_empty());
    }
}

/// A place for releases over TLS, which holds one binary of one release.
fn releases(body: &'static str) -> (Server, Door) {
    // Cut after the whole body: the door waits for the server to close.
    let server = Server::start(move |request| match request.path() {
        "/r/v1.2.3/sealift-x86_64-linux" => Response::new(200, body).cut(body.len()),
        _ => Response::new(404, "no").cut(2),
    });
    let door = Door::before(server.address);
    (server, door)
}

const BINARY: &str = "#!/bin/sh\necho sealift 1.2.3\n";

#[test]
fn a_release_is_installed_by_its_digest_alone() {
    let (_server, door) = releases(BINARY);
    let sha256 = Digest::of(BINARY.as_bytes()).to_string().replace("sha256:", "");
    let at = format!("https://{}/r/", door.address);
    let authority = door.authority().display().to_string();
    let run = |version: &str, sha256: &str, releases: &str, arch: &str| {
        let runner = Runner::new();
        let env = [
            ("VERSION", version),
            ("SHA256", sha256),
            ("RELEASES", releases),
            ("RUNNER_ARCH", arch),
            ("CURL_CA_BUNDLE", authority.as_str()),
        ];
        let (code, said) = runner.run("install", &env);
        (runner, code, said)
    };
    let (runner, code, said) = run("v1.2.3", &sha256, &at, "X64");
    assert_eq!((code, said.as_str()), (0, "sealift 1.2.3\n"));
    let path = runner.outputs().trim_end().strip_prefix("sealift=").unwrap().to_owned();
    assert_eq!(fs::read_to_string(path).unwrap(), BINARY);

    let other = Digest::of(b"other").to_string().replace("sha256:", "");
    for (version, sha256, releases, arch, why) in [
        ("v1.2.3", other.as_str(), at.as_str(), "X64", "another sha256"),
        ("v1.2.4", &sha256, &at, "X64", "can't be downloaded"),
        ("v1.2.3", &sha256, &at, "RISCV64", "no released binary for this runner"),
        ("v1.2.3", "", &at, "X64", "the input sha256 is not"),
        ("v1.2.3", &sha256.to_uppercase(), &at, "X64", "the input sha256 is not"),
        ("", &sha256, &at, "X64", "the input version is no version"),
        ("../v1", &sha256, &at, "X64", "the input version is no version"),
        ("v1.2.3", &sha256, "", "X64", "the input releases is no https"),
        ("v1.2.3", &sha256, &at.replace("https", "http"), "X64", "the input releases is no https"),
    ] {
        let (runner, code, said) = run(version, sha256, releases, arch);
        assert!(code == 1 && said.contains("::error title=sealift::") && said.contains(why), "{why}: {said}");
        assert_eq!(runner.outputs(), "");
        // Nothing that could be run is left.
        for folder in fs::read_dir(runner.sandbox.path("temp")).unwrap() {
            assert_eq!(fs::read_dir(folder.unwrap().path()).unwrap().count(), 0, "{why}");
        }
    }
}

#[test]
fn without_a_release_the_source_is_built() {
    let runner = Runner::new();
    let cargo =
        "#!/usr/bin/env bash\nprintf '%s\\n' \"$@\" >\"$NOTES/cargo\"\nmkdir \"$5/bin\"\ncp \"$SEALIFT\" \"$5/bin/\"\n";
    runner.sandbox.write(&runner.sandbox.path("bin"), "cargo", cargo);
    fs::set_permissions(runner.sandbox.path("bin/cargo"), PermissionsExt::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", runner.sandbox.path("bin").display(), std::env::var("PATH").unwrap());
    let (code, said) = runner.run("install", &[("PATH", &path)]);
    assert_eq!(code, 0, "{said}");
    let words = runner.note("cargo");
    let words: Vec<&str> = words.lines().collect();
    assert_eq!(words[..4], ["install", "--quiet", "--locked", "--root"]);
    // It is this very source.
    let source = fs::canonicalize(words[6]).unwrap();
    assert_eq!((words[5], source), ("--path", fs::canonicalize(here(".")).unwrap()));
    assert!(runner.outputs().starts_with("sealift="));

    // A copy of the action elsewhere has no source beside it.
    let copy = runner.sandbox.path("x/.github/actions/sealift");
    fs::create_dir_all(&copy).unwrap();
    let (code, said) = runner.run("install", &[("PATH", &path), ("GITHUB_ACTION_PATH", &copy.display().to_string())]);
    assert!(code == 1 && said.contains("sealift's source is not here"), "{said}");
}
