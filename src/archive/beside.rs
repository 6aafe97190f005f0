//! A sink on a thread of its own: compressing takes nearly all the time, so everything else is done beside it.

use std::io::{self, Write};
use std::sync::mpsc::{SyncSender, sync_channel};

use super::gzip::BLOCK;

/// Blocks that wait for the sink: enough that a large file's reading doesn't stop it, and little memory.
const WAITING: usize = 16;

/// Does `work` with a writer whose bytes go to `sink`, which writes them on another thread, in the same order. Both
/// ends: what the work came to, and the sink, or why it took no more.
pub(super) fn beside<S: Write + Send, T>(mut sink: S, work: impl FnOnce(Blocks) -> T) -> (T, io::Result<S>) {
    let (sender, blocks) = sync_channel::<Vec<u8>>(WAITING);
    std::thread::scope(|scope| {
        let writing = scope.spawn(move || {
            for block in blocks {
                sink.write_all(&block)?;
            }
            Ok(sink)
        });
        // The writer goes with the work, and with it the sender: that is how the other thread ends.
        let done = work(Blocks { sender, block: Vec::with_capacity(BLOCK) });
        (done, writing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

/// What is written, in blocks.
pub(super) struct Blocks {
    sender: SyncSender<Vec<u8>>,
    block: Vec<u8>,
}

impl Blocks {
    fn send(&mut self) -> io::Result<()> {
        let block = std::mem::replace(&mut self.block, Vec::with_capacity(BLOCK));
        self.sender.send(block).map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))
    }
}

impl Write for Blocks {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (taken, _) = bytes.split_at(bytes.len().min(BLOCK - self.block.len()));
        self.block.extend_from_slice(taken);
        if self.block.len() == BLOCK {
            self.send()?;
        }
        Ok(taken.len())
    }

    /// Sends what is left.
    fn flush(&mut self) -> io::Result<()> {
        if self.block.is_empty() { Ok(()) } else { self.send() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_bytes_arrive_in_order() {
        let bytes: Vec<u8> = (0..5 * BLOCK + 7).map(|n| (n % 251) as u8).collect();
        let (done, sink) = beside(Vec::new(), |mut writer| {
            bytes.chunks(1_001).try_for_each(|chunk| writer.write_all(chunk))?;
            writer.flush()
        });
        done.unwrap();
        assert!(sink.unwrap() == bytes);
    }

    #[test]
    fn a_sink_that_fails_ends_the_work_and_says_why() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::Error::from(io::ErrorKind::StorageFull))
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let (done, sink) = beside(Full, |mut writer| (0..1_000).try_for_each(|_| writer.write_all(&[0; BLOCK])));
        assert_eq!(done.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
        assert_eq!(sink.err().unwrap().kind(), io::ErrorKind::StorageFull);
    }
}
