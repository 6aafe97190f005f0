//! Docker's credential helpers: programs named `docker-credential-<name>`.

use std::ffi::OsString;
use std::process::Stdio;
use std::time::Duration;

use serde::Deserialize;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use super::credentials::Credential;
use crate::port::http::Secret;

/// How long a helper may take.
pub const TIMEOUT: Duration = Duration::from_secs(30);
const LIMIT: usize = 64 << 10;
/// What the protocol prints for "I have none"; anything else is a failure.
const NOT_FOUND: &str = "credentials not found in native keychain";

/// How helpers are found and how long they may take.
#[derive(Default)]
pub(super) struct Helpers {
    /// `PATH`, where it is not the process's own.
    pub path: Option<OsString>,
    pub timeout: Option<Duration>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Answer {
    username: String,
    secret: String,
}

impl Helpers {
    /// A helper's credential for a server, or `None` if it says that it has none.
    pub async fn ask(&self, helper: &str, server: &str) -> Result<Option<Credential>, String> {
        if helper.contains('/') {
            return Err("its name is a path".into());
        }
        #[expect(clippy::disallowed_methods, reason = "credential helpers are processes")]
        let mut command = Command::new(format!("docker-credential-{helper}"));
        command.arg("get").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
        if let Some(path) = &self.path {
            command.env("PATH", path);
        }
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        let stdin = child.stdin.take();
        let talk = async {
            if let Some(mut stdin) = stdin {
                // A helper that ends without reading has said all it will say.
                let _ = stdin.write_all(server.as_bytes()).await;
            }
            child.wait_with_output().await
        };
        let timeout = self.timeout.unwrap_or(TIMEOUT);
        let output = match tokio::time::timeout(timeout, talk).await {
            Ok(output) => output.map_err(|error| error.to_string())?,
            Err(_) => return Err(format!("no answer in {} s", timeout.as_secs_f32())),
        };
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stdout);
            return if said.trim() == NOT_FOUND { Ok(None) } else { Err(format!("failed ({})", output.status)) };
        }
        if output.stdout.len() > LIMIT {
            return Err("its answer is too long".into());
        }
        let answer: Answer =
            serde_json::from_slice(&output.stdout).map_err(|_| "its answer is not a credential".to_owned())?;
        Ok(Some(match answer.username.as_str() {
            "<token>" => Credential::Identity(Secret::new(answer.secret)),
            _ => Credential::Basic { user: answer.username, password: Secret::new(answer.secret) },
        }))
    }
}
