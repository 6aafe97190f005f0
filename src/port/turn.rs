//! Turns: one process at a time changes files that several share.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Longer than any fetch takes (docs/waits.md); a process that is stopped would hold it forever.
const PATIENCE: Duration = Duration::from_secs(20 * 60);
/// Between two looks: the first, and twice as long each time, up to the longest.
const PAUSES: [Duration; 2] = [Duration::from_millis(1), Duration::from_millis(32)];

/// A turn, until it is dropped or the process ends, however it does.
pub(in crate::port) struct Turn(#[expect(dead_code, reason = "the lock goes when the file is closed")] File);

impl Turn {
    /// Waits for the lock of a file, which is made where there is none. It stays: whoever took it away
    /// would let two have a turn.
    ///
    /// # Errors
    /// A file that can't be opened or locked, with [`io::ErrorKind::Unsupported`] where the file system has
    /// no locks, as some network ones; one that another process doesn't let go of.
    pub(in crate::port) fn at(path: &Path) -> io::Result<Self> {
        Self::within(path, PATIENCE)
    }

    fn within(path: &Path, patience: Duration) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        let (begun, [mut pause, longest]) = (Instant::now(), PAUSES);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self(file)),
                #[expect(clippy::disallowed_methods, reason = "beside the work itself: Ctrl-C leaves both behind")]
                Err(TryLockError::WouldBlock) if begun.elapsed() < patience => {
                    sleep(pause);
                    pause = longest.min(pause * 2);
                }
                Err(TryLockError::WouldBlock) => {
                    let (path, held) = (path.display(), patience.as_secs() / 60);
                    let what =
                        format!("another process has held {path} for {held} minutes: is one of sealift's stopped?");
                    return Err(io::Error::new(io::ErrorKind::TimedOut, what));
                }
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
        let path = dir.path().join("shared.lock");
        let turn = Turn::at(&path).unwrap();
        let error = Turn::within(&path, Duration::ZERO).err().unwrap();
        assert!(error.to_string().contains("shared.lock"), "{error}");
        drop(turn);
        Turn::within(&path, Duration::ZERO).unwrap();
        assert!(Turn::at(&dir.path().join("absent/lock")).is_err());
    }
}
