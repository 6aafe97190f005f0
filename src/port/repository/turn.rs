//! Turns: one at a time moves the names in a store, which other processes may share.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Longer than any fetch takes (docs/waits.md); a process that is stopped would hold it forever.
const PATIENCE: Duration = Duration::from_secs(20 * 60);
const PAUSE: Duration = Duration::from_millis(20);
/// In the store's folder. It stays: whoever took it away would let two have a turn.
const NAME: &str = "sealift.lock";

/// A turn at a store, until it is dropped or the process ends, however it does.
pub(super) struct Turn(#[expect(dead_code, reason = "the lock goes when the file is closed")] Option<File>);

impl Turn {
    /// Waits for it. Where the file system has no locks (some network ones), everybody has a turn at
    /// any time: git's own lock files then refuse whoever comes second.
    pub(super) fn at(dir: &Path) -> io::Result<Self> {
        Self::within(dir, PATIENCE)
    }

    fn within(dir: &Path, patience: Duration) -> io::Result<Self> {
        let path = dir.join(NAME);
        let file = OpenOptions::new().create(true).append(true).open(&path)?;
        let begun = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self(Some(file))),
                #[expect(clippy::disallowed_methods, reason = "beside the fetch: Ctrl-C leaves both behind")]
                Err(TryLockError::WouldBlock) if begun.elapsed() < patience => sleep(PAUSE),
                Err(TryLockError::WouldBlock) => {
                    let (path, held) = (path.display(), patience.as_secs() / 60);
                    let what =
                        format!("another process has held {path} for {held} minutes: is one of sealift's stopped?");
                    return Err(io::Error::new(io::ErrorKind::TimedOut, what));
                }
                Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => return Ok(Self(None)),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one_at_a_time_and_waiting_has_an_end() {
        let dir = tempfile::tempdir().unwrap();
        let turn = Turn::at(dir.path()).unwrap();
        let error = Turn::within(dir.path(), Duration::ZERO).err().unwrap();
        assert!(error.to_string().contains(NAME), "{error}");
        drop(turn);
        Turn::within(dir.path(), Duration::ZERO).unwrap();
        assert!(Turn::at(&dir.path().join("absent")).is_err());
    }
}
