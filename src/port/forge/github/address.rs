//! Where a repository's API is.

use reqwest::Url;

use super::GitHubError;

/// A repository on GitHub, and the addresses that speak of it. A token goes to these and nowhere else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    pub owner: String,
    pub name: String,
    /// The base of the REST API.
    pub(super) api: Url,
    pub(super) graphql: Url,
    /// The origin that uploads may go to, besides the API's own.
    uploads: Url,
}

impl Address {
    /// Of a repository's URL, `https://HOST/OWNER/NAME[.git]`: GitHub itself, GitHub Enterprise Cloud
    /// with data residency (`SUBDOMAIN.ghe.com`), or else GitHub Enterprise Server.
    pub fn of(repository: &str) -> Result<Self, GitHubError> {
        let (url, owner, name) = split(repository)?;
        let host = url.host_str().unwrap_or_default().to_ascii_lowercase();
        let api = match host.as_str() {
            "github.com" | "www.github.com" => "https://api.github.com".to_owned(),
            _ if host.ends_with(".ghe.com") => format!("https://api.{host}"),
            _ => format!("{}/api/v3", url.origin().ascii_serialization()),
        };
        Self::at(&owner, &name, &api)
    }

    /// Of a repository's URL, with an API that is elsewhere.
    pub fn over(repository: &str, api: &str) -> Result<Self, GitHubError> {
        let (_, owner, name) = split(repository)?;
        Self::at(&owner, &name, api)
    }

    /// Of a repository by its name.
    pub fn at(owner: &str, name: &str, api: &str) -> Result<Self, GitHubError> {
        let wrong = |why: &str| GitHubError::Api { url: without_userinfo(api), why: why.to_owned() };
        let api = Url::parse(api.trim_end_matches('/')).map_err(|error| wrong(&error.to_string()))?;
        if !matches!(api.scheme(), "http" | "https") || api.host_str().is_none() {
            return Err(wrong("expected http:// or https:// and a host"));
        }
        if !api.username().is_empty() || api.password().is_some() || api.query().is_some() || api.fragment().is_some() {
            return Err(wrong("expected an address without user name, password and query"));
        }
        let word = |text: &str| {
            !matches!(text, "" | "." | "..")
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        };
        if !word(owner) || !word(name) {
            return Err(GitHubError::Repository(format!("{owner}/{name}")));
        }
        let host = api.host_str().unwrap_or_default();
        let uploads = match host.strip_prefix("api.").filter(|rest| *rest == "github.com" || rest.ends_with(".ghe.com"))
        {
            Some(rest) => Url::parse(&format!("https://uploads.{rest}")).map_err(|error| wrong(&error.to_string()))?,
            None => api.clone(),
        };
        let mut graphql = api.clone();
        graphql.set_path(&format!("{}/graphql", api.path().trim_end_matches("/v3").trim_end_matches('/')));
        Ok(Self { owner: owner.to_owned(), name: name.to_owned(), api, graphql, uploads })
    }

    /// `OWNER/NAME`
    pub fn full_name(&self) -> String {
        format!("{}/{}", self.owner, self.name)
    }

    /// Whether this may be shown the token.
    pub(super) fn trusts(&self, url: &Url) -> bool {
        url.origin() == self.api.origin() || url.origin() == self.uploads.origin()
    }

    /// An address below the repository's own.
    pub(super) fn below(&self, segments: &[&str]) -> Url {
        self.path(["repos", &self.owner, &self.name].into_iter().chain(segments.iter().copied()))
    }

    /// An address below the API's base.
    pub(super) fn path<'a>(&self, segments: impl IntoIterator<Item = &'a str>) -> Url {
        let mut url = self.api.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        url
    }
}

fn split(repository: &str) -> Result<(Url, String, String), GitHubError> {
    let wrong = || GitHubError::Repository(without_userinfo(repository));
    let url = Url::parse(repository).map_err(|_| wrong())?;
    let path: Vec<&str> = url.path().trim_matches('/').split('/').collect();
    let ([owner, name], true) = (path.as_slice(), matches!(url.scheme(), "http" | "https")) else {
        return Err(wrong());
    };
    let (owner, name) = (owner.to_string(), name.strip_suffix(".git").unwrap_or(name).to_owned());
    Ok((url, owner, name))
}

fn without_userinfo(url: &str) -> String {
    match (url.split_once("://"), url.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, rest))) => format!("{scheme}://…@{rest}"),
        _ => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_github_has_its_addresses() {
        for (repository, api, graphql, uploads) in [
            (
                "https://github.com/o/n.git",
                "https://api.github.com/",
                "https://api.github.com/graphql",
                "https://uploads.github.com",
            ),
            (
                "https://corp.ghe.com/o/n",
                "https://api.corp.ghe.com/",
                "https://api.corp.ghe.com/graphql",
                "https://uploads.corp.ghe.com",
            ),
            (
                "https://git.corp:8443/o/n",
                "https://git.corp:8443/api/v3",
                "https://git.corp:8443/api/graphql",
                "https://git.corp:8443",
            ),
        ] {
            let address = Address::of(repository).unwrap();
            assert_eq!((address.api.as_str(), address.graphql.as_str()), (api, graphql));
            assert_eq!(address.full_name(), "o/n");
            assert!(address.trusts(&Url::parse(uploads).unwrap().join("/api/uploads/repos/o/n").unwrap()), "{uploads}");
            assert!(!address.trusts(&Url::parse("https://evil.test").unwrap()));
        }
        let address = Address::of("https://git.corp/o/n").unwrap();
        assert_eq!(address.below(&["releases", "1"]).as_str(), "https://git.corp/api/v3/repos/o/n/releases/1");
        assert_eq!(address.below(&["a/b ?"]).as_str(), "https://git.corp/api/v3/repos/o/n/a%2Fb%20%3F");
        let address = Address::over("https://github.com/o/n", "http://127.0.0.1:1/").unwrap();
        assert_eq!(address.graphql.as_str(), "http://127.0.0.1:1/graphql");
        for other in ["https://127.0.0.1:1", "http://127.0.0.1:2", "http://localhost:1", "https://uploads.github.com"] {
            assert!(!address.trusts(&Url::parse(other).unwrap()), "{other}");
        }
    }

    #[test]
    fn an_address_that_is_none_is_refused_without_its_secrets() {
        for repository in
            ["", "x", "https://github.com/o", "https://github.com/o/n/x", "ssh://git@h/o/n", "https://h/../n"]
        {
            assert!(Address::of(repository).is_err(), "{repository}");
        }
        for api in ["ftp://h", "https://user:s3cret@h", "https://h/?x", "h"] {
            let error = Address::at("o", "n", api).unwrap_err().to_string();
            assert!(!error.contains("s3cret"), "{error}");
        }
        assert!(!Address::of("https://u:s3cret@github.com/o").unwrap_err().to_string().contains("s3cret"));
    }
}
