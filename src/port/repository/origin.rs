//! The repository that promotions happen in, wherever it is.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use reqwest::Url;

use super::local::Local;
use super::smart::Smart;
use super::{Credential, OriginRead, OriginWrite, RefUpdate, Refs, Store, StoreError, compare};
use crate::model::{Answer, RefName, Unknown};
use crate::port::WriteError;
use crate::port::authority::{self, Authorities, Authority, AuthorityError};

/// How an origin over HTTP is reached.
#[derive(Clone, Debug)]
pub struct Http {
    /// How long a server may be silent: the bound of each single wait.
    pub patience: Duration,
    /// Certificate authorities to trust beside the system's: those for every host, and those for
    /// the origin's. A redirect is followed with the same.
    pub ca: Vec<Authority>,
}

impl Http {
    /// Bytes in a second: fewer, over a whole patience of waiting, are no transfer.
    pub const SLOWEST: u32 = 1024;
    /// At so many patiences with fewer the answer to a fetch or a push is given up.
    pub const LULLS: u32 = 8;
}

impl Default for Http {
    fn default() -> Self {
        Self { patience: Duration::from_secs(120), ca: Vec::new() }
    }
}

/// An origin: a path, a `file://` URL, or an `http(s)://` URL with git's smart protocol.
///
/// Everything that can't be looked at is [`Answer::Unknown`]: a repository that isn't there, a
/// server that isn't reached, 401, 403 and 404 alike. An empty repository is found, with no refs.
#[derive(Clone)]
pub struct Origin(Arc<Inner>);

struct Inner {
    store: Arc<Store>,
    place: Place,
    url: String,
}

enum Place {
    Local(Local),
    Smart(Smart),
}

/// An origin that can't be addressed. No message repeats a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OriginError {
    #[error("`{0}` is reached over ssh or git://, which is not supported: use its https:// URL and a token")]
    Unsupported(String),
    #[error("the URL of `{host}` holds a user name or password: leave it out and pass the credential apart")]
    Secret { host: String },
    #[error("`{0}` is neither an absolute path nor a file://, http:// or https:// URL")]
    Malformed(String),
    #[error(transparent)]
    Ca(#[from] AuthorityError),
}

impl Origin {
    /// The origin at `url`; `store` receives what is fetched and holds what is pushed. A
    /// credential is used over HTTP only, and there for this scheme, host and port only.
    pub fn new(store: Arc<Store>, url: &str, credential: Option<Credential>) -> Result<Self, OriginError> {
        Self::over(store, url, credential, &Http::default())
    }

    /// Like [`Origin::new`], with what an HTTP connection is made of.
    pub fn over(
        store: Arc<Store>,
        url: &str,
        credential: Option<Credential>,
        http: &Http,
    ) -> Result<Self, OriginError> {
        let place = match locate(url)? {
            Located::Path(path) => Place::Local(Local::new(path)),
            Located::Http(url) => {
                let trusted = Authorities::read(&http.ca)?.certificates(&authority::place(&url)).collect();
                Place::Smart(Smart::new(url, credential, http.patience, trusted))
            }
        };
        Ok(Self(Arc::new(Inner { store, place, url: url.to_owned() })))
    }

    /// The store that fetches go into and pushes come from.
    pub fn store(&self) -> &Arc<Store> {
        &self.0.store
    }

    /// libgit2 and its transport block: never on a thread of the runtime. A panic there leaves the
    /// outcome open, as a cut connection does.
    async fn blocking<T: Send + 'static>(
        &self,
        what: Option<&RefName>,
        work: impl FnOnce(&Inner) -> T + Send + 'static,
    ) -> Result<T, Unknown> {
        let inner = self.0.clone();
        let done = tokio::task::spawn_blocking(move || work(&inner)).await;
        done.map_err(|error| Unknown::new(compare::what(&self.0.url, what), error))
    }
}

impl OriginRead for Origin {
    fn refs(&self) -> BoxFuture<'_, Answer<Refs>> {
        Box::pin(async {
            let listed = self.blocking(None, |origin| match &origin.place {
                Place::Local(local) => local.list(),
                Place::Smart(smart) => smart.list(&origin.store),
            });
            match listed.await.flatten() {
                Ok(refs) => Answer::Found(refs),
                Err(unknown) => Answer::Unknown(unknown),
            }
        })
    }

    fn fetch<'a>(&'a self, names: &'a [RefName]) -> BoxFuture<'a, Result<(), Unknown>> {
        let names = names.to_vec();
        Box::pin(async move {
            let fetched = self.blocking(None, move |origin| {
                if names.is_empty() {
                    return Ok(());
                }
                let alone = origin.store.fetching();
                let _alone = alone.map_err(|error| Unknown::new(compare::what(&origin.url, None), error))?;
                match &origin.place {
                    Place::Local(local) => local.fetch(&origin.store, &names),
                    Place::Smart(smart) => smart.fetch(&origin.store, &names),
                }
            });
            fetched.await.flatten()
        })
    }
}

impl OriginWrite for Origin {
    /// A ref that names the target already is success, whatever was expected. The target must be
    /// in the store. A local origin is written under git's lock files, runs no hooks, and is
    /// refused where a hook would have to be asked.
    fn update<'a>(&'a self, update: &'a RefUpdate) -> BoxFuture<'a, Result<(), WriteError>> {
        let update = update.clone();
        Box::pin(async move {
            let name = update.name.clone();
            let updated = self.blocking(Some(&name), move |origin| {
                origin.holds_target(&update)?;
                match &origin.place {
                    Place::Local(local) => local.update(&origin.store, &update),
                    Place::Smart(smart) => smart.update(&origin.store, &update),
                }
            });
            updated.await?
        })
    }
}

impl Inner {
    fn holds_target(&self, update: &RefUpdate) -> Result<(), WriteError> {
        let what = || compare::what(&self.url, Some(&update.name));
        let Some(target) = update.target else { return Ok(()) };
        let refused = |detail| WriteError::Refused { what: what(), status: None, detail };
        match self.store.contains(target) {
            Ok(true) => Ok(()),
            Ok(false) => Err(refused(self.store.missing("object", target).to_string())),
            Err(error) => Err(refused(StoreError::to_string(&error))),
        }
    }
}

enum Located {
    Path(PathBuf),
    Http(Url),
}

/// git's own reading of an address: a scheme, an absolute path, or `[user@]host:path` for ssh.
fn locate(text: &str) -> Result<Located, OriginError> {
    let malformed = || OriginError::Malformed(text.to_owned());
    if !text.contains("://") {
        let colon = text.split('/').next().is_some_and(|first| first.contains(':'));
        let path = PathBuf::from(text);
        return match (path.is_absolute(), colon) {
            (true, _) => Ok(Located::Path(path)),
            (false, true) => Err(OriginError::Unsupported(text.to_owned())),
            (false, false) => Err(malformed()),
        };
    }
    // What doesn't parse may still hold a secret: it isn't repeated.
    let Ok(url) = Url::parse(text) else { return Err(OriginError::Malformed("that address".to_owned())) };
    let host = || url.host_str().unwrap_or_default().to_owned();
    match url.scheme() {
        "http" | "https" if !url.username().is_empty() || url.password().is_some() => {
            Err(OriginError::Secret { host: host() })
        }
        "http" | "https" => Ok(Located::Http(url)),
        "file" => url.to_file_path().map(Located::Path).map_err(|()| malformed()),
        "ssh" | "git" | "git+ssh" | "ssh+git" => Err(OriginError::Unsupported(host())),
        _ => Err(OriginError::Malformed(format!("{}://{}", url.scheme(), host()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_as_git_reads_it() {
        for path in ["/srv/git/x.git", "file:///srv/git/x.git"] {
            assert!(matches!(locate(path), Ok(Located::Path(path)) if path.ends_with("srv/git/x.git")), "{path}");
        }
        assert!(matches!(locate("file:///a%20b"), Ok(Located::Path(path)) if path.ends_with("a b")));
        assert!(matches!(locate("https://example.org/x"), Ok(Located::Http(_))));
        for ssh in ["git@example.org:x/y", "ssh://git@example.org/x", "git://example.org/x"] {
            assert!(matches!(locate(ssh), Err(OriginError::Unsupported(_))), "{ssh}");
        }
        for text in ["", "x/y", "ftp://example.org/x", "http://", "https://s3cret@:x"] {
            let error = locate(text).err().map(|error| error.to_string());
            assert!(error.as_ref().is_some_and(|error| !error.contains("s3cret")), "{text}: {error:?}");
        }
        let error = locate("https://x:s3cret@example.org/x").err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains("example.org") && !error.contains("s3cret"), "{error}");
    }
}
