//! Who we are to a registry: Docker's `config.json` and its credential helpers.
//!
//! The longest matching path wins (`ghcr.io/org` before `ghcr.io`); at one length a helper
//! comes before an entry, and at the host itself `credsStore` before the entry, as Docker
//! does. Nothing configured means anonymous; a helper that is missing, fails or hangs does not.

use std::collections::BTreeMap;
use std::path::Path;

use docker_credential::DockerCredential;
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::Mutex;

use super::helper::Helpers;
use crate::model::Repository;
use crate::port::http::Secret;

/// Docker Hub's key, older than its API.
const HUB_KEY: &str = "https://index.docker.io/v1/";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Credential {
    Anonymous,
    Basic {
        user: String,
        password: Secret,
    },
    /// An OAuth2 refresh token, good at the token endpoint only.
    Identity(Secret),
}

/// The configuration, and what helpers said so far: each is asked once per key.
#[derive(Default)]
pub(super) struct Credentials {
    config: DockerConfig,
    helpers: Helpers,
    answers: Mutex<BTreeMap<(String, String), Option<Credential>>>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct DockerConfig {
    auths: BTreeMap<String, Value>,
    cred_helpers: BTreeMap<String, String>,
    creds_store: Option<String>,
}

impl Credentials {
    /// Reads a `config.json`. One that isn't there configures nothing.
    pub fn load(path: &Path, helpers: Helpers) -> Result<Self, String> {
        let config = match std::fs::read(path) {
            // Not serde's own text: it may quote the value, and values here are secrets.
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| {
                format!("not a Docker configuration: line {}, column {}", error.line(), error.column())
            })?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => DockerConfig::default(),
            Err(error) => return Err(error.to_string()),
        };
        Ok(Self { config, helpers, answers: Mutex::default() })
    }

    pub async fn get(&self, repository: &Repository) -> Result<Credential, String> {
        for name in names(repository) {
            let at_host = name == repository.host();
            let helper = key_of(&self.config.cred_helpers, &name).filter(|(_, helper)| !helper.is_empty());
            let store = self.config.creds_store.as_ref().filter(|store| at_host && !store.is_empty());
            let helper = helper.map(|(_, helper)| helper).or(store);
            if let Some(helper) = helper {
                let server = if name == "docker.io" { HUB_KEY } else { &name };
                if let Some(credential) = self.ask(helper, server).await? {
                    return Ok(credential);
                }
            }
            if let Some((key, entry)) = key_of(&self.config.auths, &name)
                && let Some(credential) = stored(key, entry)?
            {
                return Ok(credential);
            }
        }
        Ok(Credential::Anonymous)
    }

    async fn ask(&self, helper: &str, server: &str) -> Result<Option<Credential>, String> {
        let mut answers = self.answers.lock().await;
        let key = (helper.to_owned(), server.to_owned());
        if let Some(answer) = answers.get(&key) {
            return Ok(answer.clone());
        }
        let answer = self.helpers.ask(helper, server).await.map_err(|error| {
            format!("credential helper `docker-credential-{helper}` for {server}: {error}; nothing is tried without it")
        })?;
        answers.insert(key, answer.clone());
        Ok(answer)
    }
}

/// `ghcr.io/org/x`, `ghcr.io/org`, `ghcr.io`.
fn names(repository: &Repository) -> Vec<String> {
    let mut name = repository.to_string();
    let mut names = vec![name.clone()];
    while name.len() > repository.host().len() {
        name.truncate(name.rfind('/').unwrap_or(0));
        names.push(name.clone());
    }
    names
}

/// The entry whose key names this host or path; keys may be URLs, and Docker Hub has four names.
fn key_of<'a, T>(map: &'a BTreeMap<String, T>, name: &str) -> Option<(&'a String, &'a T)> {
    map.get_key_value(name).or_else(|| map.iter().find(|(key, _)| normal(key) == name))
}

fn normal(key: &str) -> String {
    let key = key.strip_prefix("https://").or_else(|| key.strip_prefix("http://")).unwrap_or(key);
    let key = key.trim_end_matches('/');
    let key = key.strip_suffix("/v1").or_else(|| key.strip_suffix("/v2")).unwrap_or(key);
    let (host, path) = key.split_once('/').map_or((key, ""), |(host, path)| (host, path));
    let host = match host {
        "index.docker.io" | "registry-1.docker.io" => "docker.io",
        host => host,
    };
    if path.is_empty() { host.to_owned() } else { format!("{host}/{path}") }
}

/// An entry of `auths`, decoded by docker_credential. `{}` is what a helper leaves behind.
fn stored(key: &str, entry: &Value) -> Result<Option<Credential>, String> {
    const USED: [&str; 4] = ["auth", "identitytoken", "username", "password"];
    let text = |name: &str| entry.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    if text("registrytoken").is_some() {
        return Err(format!("auths[{key}] holds a registry token, which is not supported"));
    }
    let used: serde_json::Map<String, Value> =
        USED.iter().filter_map(|name| text(name).map(|value| (name.to_string(), value.into()))).collect();
    if used.is_empty() {
        return Ok(None);
    }
    let only = serde_json::json!({ "auths": { key: used } }).to_string();
    match docker_credential::get_credential_from_reader(only.as_bytes(), key) {
        Ok(DockerCredential::IdentityToken(token)) => Ok(Some(Credential::Identity(Secret::new(token)))),
        Ok(DockerCredential::UsernamePassword(user, password)) => {
            Ok(Some(Credential::Basic { user, password: Secret::new(password) }))
        }
        // Its texts are fixed and quote nothing.
        Err(error) => Err(format!("auths[{key}]: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn credentials(config: &str) -> Credentials {
        Credentials { config: serde_json::from_str(config).unwrap(), ..Default::default() }
    }

    async fn user(credentials: &Credentials, repository: &str) -> String {
        match credentials.get(&repository.parse().unwrap()).await.unwrap() {
            Credential::Basic { user, .. } => user,
            other => format!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn the_longest_path_wins() {
        // "org:x", "host:x", "deep:x"
        let config = r#"{"auths":{"https://ghcr.io":{"auth":"aG9zdDp4"},"ghcr.io/org":{"auth":"b3JnOng="},
            "ghcr.io/org/deep/er":{"auth":"ZGVlcDp4"},"quay.io":{}}}"#;
        let credentials = credentials(config);
        for (repository, expected) in [
            ("ghcr.io/org/x", "org"),
            ("ghcr.io/org/deep/x", "org"),
            ("ghcr.io/org/deep/er/x", "deep"),
            ("ghcr.io/organisation/x", "host"),
            ("ghcr.io/other/x", "host"),
            ("quay.io/org/x", "Anonymous"),
            ("example.org/ghcr.io/org", "Anonymous"),
        ] {
            assert_eq!(user(&credentials, repository).await, expected, "{repository}");
        }
    }

    #[tokio::test]
    async fn docker_hub_has_four_names() {
        for key in ["https://index.docker.io/v1/", "index.docker.io", "docker.io", "https://registry-1.docker.io/v2/"] {
            let credentials = credentials(&format!(r#"{{"auths":{{"{key}":{{"username":"me","password":"x"}}}}}}"#));
            assert_eq!(user(&credentials, "busybox").await, "me", "{key}");
        }
    }

    #[tokio::test]
    async fn a_broken_entry_is_not_anonymous_and_is_not_quoted() {
        for entry in [r#"{"auth":"!hunter2!"}"#, r#"{"auth":"aHVudGVyMg=="}"#, r#"{"registrytoken":"hunter2"}"#] {
            let credentials = credentials(&format!(r#"{{"auths":{{"ghcr.io":{entry}}}}}"#));
            let error = credentials.get(&"ghcr.io/a/b".parse().unwrap()).await.unwrap_err();
            assert!(error.contains("ghcr.io") && !error.contains("hunter2"), "{error}");
        }
        let identity = credentials(r#"{"auths":{"ghcr.io":{"auth":"dTo=","identitytoken":"t"}}}"#);
        let found = identity.get(&"ghcr.io/a/b".parse().unwrap()).await.unwrap();
        assert_eq!(found, Credential::Identity(Secret::new("t")));
    }
}
