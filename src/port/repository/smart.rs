//! An origin over smart HTTP: libgit2 speaks git, [`super::session`] speaks HTTP.

use std::cell::RefCell;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use git2::{AutotagOption, Direction, FetchOptions, FetchPrune, PushOptions, RemoteCallbacks, RemoteHead, Repository};
use reqwest::blocking::Client;
use reqwest::{Certificate, Url};

use super::compare::{self, Attempt};
use super::credential::Login;
use super::libgit::{self, id};
use super::session::{self, Seen, Session};
use super::{Credential, Listed, RefUpdate, Refs, Store, private, transport};
use crate::model::{ObjectId, RefName, Unknown};
use crate::port::WriteError;

/// What a server's progress channel may say before it is cut, in bytes.
const SIDEBAND: usize = 4096;

pub(super) struct Smart {
    url: Url,
    credential: Option<Credential>,
    patience: Duration,
    trusted: Vec<Certificate>,
    client: OnceLock<Result<Client, String>>,
}

impl Smart {
    pub(super) fn new(url: Url, credential: Option<Credential>, patience: Duration, trusted: Vec<Certificate>) -> Self {
        Self { url, credential, patience, trusted, client: OnceLock::new() }
    }

    pub(super) fn list(&self, store: &Store) -> Result<Refs, Unknown> {
        self.run(store, self.login()?, |repository| {
            let mut remote = repository.remote_anonymous(self.url.as_str())?;
            let connection = remote.connect_auth(Direction::Fetch, None, None)?;
            Ok(read(connection.list()?))
        })
        .map_err(|failed| failed.unknown(self.url.as_str()))
    }

    pub(super) fn fetch(&self, store: &Store, names: &[RefName]) -> Result<(), Unknown> {
        let absent = RefCell::new(None);
        self.run(store, self.login()?, |repository| {
            let mut remote = repository.remote_anonymous(self.url.as_str())?;
            let mut connection = remote.connect_auth(Direction::Fetch, None, None)?;
            let refs = read(connection.list()?);
            let mut wanted = Vec::new();
            for name in names {
                match refs.get(name) {
                    Some(listed) => wanted.push((name, listed)),
                    None => {
                        absent.replace(Some(name.clone()));
                        return Err(git2::Error::from_str("the origin doesn't list it"));
                    }
                }
            }
            private::prune(repository, &refs)?;
            let specs: Vec<_> = wanted.iter().map(|(name, _)| format!("+{name}:{}", private::name(name))).collect();
            let mut options = FetchOptions::new();
            options.download_tags(AutotagOption::None).prune(FetchPrune::Off).update_fetchhead(false);
            connection.remote().fetch(&specs, Some(&mut options), None)?;
            private::require(repository, wanted.iter().map(|(_, listed)| *listed))
        })
        .map_err(|failed| failed.unknown(&self.what(absent.take().as_ref())))
    }

    /// The server compares what it advertised with what it has when it writes; we compare what
    /// it advertised with what is expected. Together that is a compare-and-set.
    pub(super) fn update(&self, store: &Store, update: &RefUpdate) -> Result<(), WriteError> {
        let what = self.what(Some(&update.name));
        let said = RefCell::new(Said::default());
        let login = self.login()?;
        let pushed = self.run(store, login.clone(), |repository| self.push(repository, update, &said));
        let said = said.into_inner();
        let failed = match (pushed, said.advertised) {
            (_, Some(found)) if found == update.target => return Ok(()),
            (_, Some(found)) if found != update.expect => return Err(compare::lost(&what, update, found)),
            (Ok(()), _) if said.accepted => return Ok(()),
            (Ok(()), _) => Failed {
                words: "the server didn't say what became of it".to_owned(),
                seen: Seen { sent: true, failure: None },
            },
            (Err(failed), _) => failed,
        };
        let attempt = match &said.rejected {
            Some(words) => {
                let redact = |words: &str| login.as_ref().map_or(words.to_owned(), |login| login.redact(words));
                Attempt::Rejected { status: None, detail: redact(words) + &said.sideband(redact) }
            }
            None => failed.attempt(&what),
        };
        compare::settle(&what, update, attempt, || Ok(self.list(store)?.get(&update.name).map(|listed| listed.id)))
    }

    fn push(&self, repository: &Repository, update: &RefUpdate, said: &RefCell<Said>) -> Result<(), git2::Error> {
        let mut callbacks = RemoteCallbacks::new();
        callbacks.push_negotiation(|updates| {
            let advertised = updates.first().map(|update| Some(update.src()).filter(|oid| !oid.is_zero()).map(id));
            said.borrow_mut().advertised = advertised;
            let proceed = advertised == Some(update.expect) && update.expect != update.target;
            if proceed { Ok(()) } else { Err(git2::Error::from_str("the ref is not what was expected")) }
        });
        callbacks.push_update_reference(|_, rejection| {
            let mut said = said.borrow_mut();
            said.accepted |= rejection.is_none();
            said.rejected = said.rejected.take().or(rejection.map(str::to_owned));
            Ok(())
        });
        callbacks.sideband_progress(|bytes| {
            let progress = &mut said.borrow_mut().progress;
            let room = SIDEBAND.saturating_sub(progress.len());
            progress.extend(bytes.iter().take(room));
            true
        });
        let source = update.target.map(|target| format!("+{target}")).unwrap_or_default();
        let mut options = PushOptions::new();
        options.remote_callbacks(callbacks);
        let mut remote = repository.remote_anonymous(self.url.as_str())?;
        remote.push(&[format!("{source}:{}", update.name)], Some(&mut options))
    }

    /// Runs calls into libgit2 on a handle of their own, so that the store stays free meanwhile.
    fn run<T>(
        &self,
        store: &Store,
        login: Option<Login>,
        work: impl FnOnce(&Repository) -> Result<T, git2::Error>,
    ) -> Result<T, Failed> {
        let client = self.client.get_or_init(|| session::client(self.patience, &self.trusted)).clone();
        let client = client.map_err(|words| Failed { words, seen: Seen::default() })?;
        let session = Arc::new(Session::new(client, self.url.clone(), login, self.patience));
        let result =
            Repository::open_bare(store.dir()).and_then(|repository| transport::within(&session, || work(&repository)));
        result.map_err(|error| Failed { words: libgit::words(&error), seen: session.seen() })
    }

    /// Who we are for one operation.
    fn login(&self) -> Result<Option<Login>, Unknown> {
        self.credential.as_ref().map(Credential::login).transpose()
    }

    fn what(&self, name: Option<&RefName>) -> String {
        compare::what(self.url.as_str(), name)
    }
}

struct Failed {
    words: String,
    seen: Seen,
}

impl Failed {
    fn unknown(self, what: &str) -> Unknown {
        match self.seen.failure {
            Some(failure) => Unknown { what: what.to_owned(), status: failure.status, detail: failure.detail },
            None => Unknown::new(what, self.words),
        }
    }

    fn attempt(self, what: &str) -> Attempt {
        let sent = self.seen.sent;
        match &self.seen.failure {
            // Statuses by which a server declines a request as a whole.
            Some(failure) if matches!(failure.status, Some(401 | 403 | 404 | 413)) => {
                Attempt::Rejected { status: failure.status, detail: failure.detail.clone() }
            }
            _ if sent => Attempt::Open(self.unknown(what)),
            _ => Attempt::NotMade(self.unknown(what)),
        }
    }
}

/// What a server said during a push.
#[derive(Default)]
struct Said {
    /// What the ref named when the push began; the outer `None`: it didn't get that far.
    advertised: Option<Option<ObjectId>>,
    accepted: bool,
    rejected: Option<String>,
    progress: Vec<u8>,
}

impl Said {
    /// A hook's words, as git shows them, in one line, and redacted before anything is put behind a cut.
    fn sideband(&self, redact: impl Fn(&str) -> String) -> String {
        let text = String::from_utf8_lossy(&self.progress);
        let words: Vec<_> = text.split(char::is_control).map(str::trim).filter(|line| !line.is_empty()).collect();
        if words.is_empty() { String::new() } else { format!(" (remote: {})", redact(&words.join("; "))) }
    }
}

fn read(heads: &[RemoteHead<'_>]) -> Refs {
    let mut refs = Refs::default();
    for head in heads {
        let name = head.name();
        if name == "HEAD" {
            refs.head = head.symref_target().and_then(|target| target.parse().ok());
        } else if let Some(listed) = name.strip_suffix("^{}").and_then(|tag| refs.refs.get_mut(&tag.parse().ok()?)) {
            listed.peeled = id(head.oid());
        } else if let Ok(name) = name.parse() {
            // A name that isn't one of git's can't be asked for either.
            refs.refs.insert(name, Listed { id: id(head.oid()), peeled: id(head.oid()) });
        }
    }
    refs
}
