//! A repository on GitHub, by its web address.

use std::fmt;
use std::str::FromStr;

use super::rules;

/// `https://HOST/OWNER/NAME`, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitHubRepository {
    /// `github.com`, or a GitHub Enterprise Server's host, with its port if it has one.
    pub host: String,
    pub owner: String,
    pub name: String,
}

/// An address that is not a repository's on GitHub. It isn't repeated: it could hold a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "not the address of a repository on GitHub; expected `https://HOST/OWNER/NAME`, such as `https://github.com/org/project`"
)]
pub struct AddressError;

impl FromStr for GitHubRepository {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let address = text.strip_prefix("https://").ok_or(AddressError)?;
        let mut parts = address.split('/');
        let (Some(host), Some(owner), Some(name), None) = (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(AddressError);
        };
        let name = name.strip_suffix(".git").unwrap_or(name);
        let valid = is_host(host) && rules::is_account(owner) && is_name(name);
        valid.then(|| Self { host: host.into(), owner: owner.into(), name: name.into() }).ok_or(AddressError)
    }
}

fn is_host(text: &str) -> bool {
    let (host, port) = text.split_once(':').unwrap_or((text, "443"));
    let label = |label: &str| !label.is_empty() && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    host.split('.').all(label) && port.bytes().all(|b| b.is_ascii_digit()) && port.parse::<u16>().is_ok()
}

/// GitHub's names of repositories: 100 characters at most, of these.
fn is_name(text: &str) -> bool {
    let characters = text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b));
    !matches!(text, "" | "." | "..") && text.len() <= 100 && characters
}

impl fmt::Display for GitHubRepository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.owner, self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_an_address_apart() {
        for text in ["https://github.com/org/pro.ject", "https://github.com/org/pro.ject.git"] {
            let repository: GitHubRepository = text.parse().unwrap();
            assert_eq!(repository.host, "github.com");
            assert_eq!(repository.to_string(), "org/pro.ject");
        }
        assert_eq!("https://ghes.example:8443/o/n".parse::<GitHubRepository>().unwrap().host, "ghes.example:8443");
        for text in [
            "",
            "org/project",
            "http://github.com/org/project",
            "https://github.com/org",
            "https://github.com/org/project/",
            "https://github.com/org/project/tree/main",
            "https://github.com//project",
            "https://github.com/org/.git",
            "https://github.com/org/..",
            "https://github.com/org/project?x=y",
            "https://github.com/-org/project",
            "https://user@github.com/org/project",
            "https://github.com:port/org/project",
            "https://github.com:/org/project",
            "https://github.com:99999/org/project",
            "https:///org/project",
            "https://github..com/org/project",
            "file:///srv/org/project",
        ] {
            assert_eq!(text.parse::<GitHubRepository>(), Err(AddressError), "{text}");
        }
    }
}
