//! Certificate authorities to trust beside the system's, for every host or for one.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use reqwest::{Certificate, Url};

use super::chain;

/// A PEM file of authorities, as it is named: `FILE`, or `HOST=FILE` for that host alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authority {
    /// A host, with its port or without: the one that is connected to.
    pub host: Option<String>,
    pub file: PathBuf,
}

impl From<PathBuf> for Authority {
    fn from(file: PathBuf) -> Self {
        Self { host: None, file }
    }
}

impl FromStr for Authority {
    type Err = String;

    /// What stands before the first `=` is a host, unless it has a `/` in it.
    fn from_str(text: &str) -> Result<Self, String> {
        let (host, file) = match text.split_once('=') {
            Some((host, file)) if !host.contains('/') => (Some(host.to_ascii_lowercase()), file),
            _ => (None, text),
        };
        if file.is_empty() || host.as_ref().is_some_and(String::is_empty) {
            return Err("expected FILE or HOST=FILE".to_owned());
        }
        Ok(Self { host, file: file.into() })
    }
}

/// An authority's file that can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {why}; expected PEM certificates", .file.display())]
pub struct AuthorityError {
    pub file: PathBuf,
    pub why: String,
}

/// Authorities, read.
#[derive(Clone, Debug, Default)]
pub(in crate::port) struct Authorities(Vec<Read>);

#[derive(Clone, Debug)]
struct Read {
    host: Option<String>,
    pem: Vec<u8>,
    certificates: Vec<Certificate>,
}

impl Authorities {
    /// Reads the files. Errors: the first that can't be read, or holds what is no certificate.
    pub fn read(named: &[Authority]) -> Result<Self, AuthorityError> {
        let read = |Authority { host, file }: &Authority| match load(file) {
            Ok((pem, certificates)) => Ok(Read { host: host.clone(), pem, certificates }),
            Err(why) => Err(AuthorityError { file: file.clone(), why }),
        };
        named.iter().map(read).collect::<Result<_, _>>().map(Self)
    }

    /// The hosts that have authorities of their own.
    pub fn hosts(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|read| read.host.as_deref())
    }

    /// What is trusted at a place: [`place`], or a host as it was named.
    pub fn certificates(&self, place: &str) -> impl Iterator<Item = Certificate> {
        self.at(place).flat_map(|read| read.certificates.clone())
    }

    /// The same, as PEM.
    pub fn pems(&self, place: &str) -> Vec<Vec<u8>> {
        self.at(place).map(|read| read.pem.clone()).collect()
    }

    fn at(&self, place: &str) -> impl Iterator<Item = &Read> {
        self.0.iter().filter(move |read| read.host.as_deref().is_none_or(|host| covers(host, place)))
    }
}

/// `host:port` of an address.
pub(in crate::port) fn place(url: &Url) -> String {
    format!("{}:{}", url.host_str().unwrap_or_default(), url.port_or_known_default().unwrap_or_default())
}

/// Whether a host, with its port or for every port, is that of a place.
pub(in crate::port) fn covers(host: &str, place: &str) -> bool {
    let rest = place.strip_prefix(host);
    rest.is_some_and(|rest| rest.is_empty() || rest.strip_prefix(':').is_some_and(|port| !port.contains(':')))
}

/// A file, each certificate in it tried: junk would be trusted silently as nothing.
fn load(path: &Path) -> Result<(Vec<u8>, Vec<Certificate>), String> {
    let pem = std::fs::read(path).map_err(|error| error.to_string())?;
    let certificates = Certificate::from_pem_bundle(&pem).map_err(|error| chain(&error))?;
    if certificates.is_empty() {
        return Err("it holds no certificate".into());
    }
    for certificate in &certificates {
        let only = reqwest::Client::builder().tls_certs_only([certificate.clone()]).build();
        only.map_err(|error| format!("a certificate in it can't be read: {}", chain(&error)))?;
    }
    Ok((pem, certificates))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_alone_is_for_every_host() {
        let read = |text: &str| text.parse::<Authority>().map(|Authority { host, file }| (host, file));
        assert_eq!(read("ca.pem"), Ok((None, "ca.pem".into())));
        assert_eq!(read("./a=b.pem"), Ok((None, "./a=b.pem".into())));
        assert_eq!(read("Git.example:8443=/x/ca=1.pem"), Ok((Some("git.example:8443".into()), "/x/ca=1.pem".into())));
        for text in ["", "=x.pem", "host="] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_host_covers_itself_alone() {
        let at = |url: &str| place(&Url::parse(url).unwrap());
        for (host, url) in [("a.example", "https://a.example/x"), ("a.example:5000", "https://A.example:5000")] {
            assert!(covers(host, &at(url)), "{host} {url}");
        }
        assert!(covers("a.example:443", &at("https://a.example")) && covers("[::1]", &at("https://[::1]:5000")));
        for (host, url) in [("a.example:1", "https://a.example:12"), ("a", "https://a.example"), ("", "https://a")] {
            assert!(!covers(host, &at(url)), "{host} {url}");
        }
    }
}
