//! libgit2, set up once for the whole process, and the ids at its border.

use std::sync::OnceLock;

use git2::{ConfigLevel, Oid, opts};

use super::transport;
use crate::model::ObjectId;

/// Cuts libgit2 off from the machine it runs on, before its first use: no configuration but a
/// repository's own, any owner of a checkout, and our transport for `http` and `https`.
/// Every way into libgit2 passes here.
pub(super) fn setup() -> Result<(), git2::Error> {
    static DONE: OnceLock<Result<(), String>> = OnceLock::new();
    DONE.get_or_init(|| set_up().map_err(|error| error.message().to_owned()))
        .clone()
        .map_err(|message| git2::Error::from_str(&message))
}

fn set_up() -> Result<(), git2::Error> {
    // SAFETY: these change libgit2's global state without a lock. `setup` runs this once, and all
    // of our libgit2 calls come after it: none can be under way in another thread.
    unsafe {
        for level in [ConfigLevel::ProgramData, ConfigLevel::System, ConfigLevel::XDG, ConfigLevel::Global] {
            opts::set_search_path(level, "")?;
        }
        // A checkout in CI often belongs to another user. Nothing in it is ever run.
        opts::set_verify_owner_validation(false)?;
        // A partial clone can be read as far as it goes; what is not there is an error of its own.
        opts::set_extensions(&["partialclone"])?;
    }
    transport::register()
}

pub(super) fn oid(id: ObjectId) -> Oid {
    Oid::from_bytes(id.as_bytes()).expect("20 bytes are a SHA-1, whatever they are")
}

pub(super) fn id(oid: Oid) -> ObjectId {
    let mut bytes = [0; 20];
    bytes.iter_mut().zip(oid.as_bytes()).for_each(|(to, from)| *to = *from);
    ObjectId::from_bytes(bytes)
}

/// libgit2's words, without its class and code.
pub(super) fn words(error: &git2::Error) -> String {
    error.message().to_owned()
}

/// Whether an error says that something isn't there.
pub(super) fn not_found(error: &git2::Error) -> bool {
    error.code() == git2::ErrorCode::NotFound
}

/// `None` where libgit2 says that it isn't there.
pub(super) fn found<T>(result: Result<T, git2::Error>) -> Result<Option<T>, git2::Error> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if not_found(&error) => Ok(None),
        Err(error) => Err(error),
    }
}
