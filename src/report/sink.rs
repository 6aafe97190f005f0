//! A writer that remembers its first error instead of failing its caller.

use std::io::{self, ErrorKind, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub struct Sink(Mutex<State>);

struct State {
    /// Gone after the first error: half a line after a gap would mislead.
    writer: Option<Box<dyn Write + Send>>,
    error: Option<io::Error>,
}

impl Sink {
    pub fn new(writer: Box<dyn Write + Send>) -> Self {
        Self(Mutex::new(State { writer: Some(writer), error: None }))
    }

    /// Writes in one go and flushes, so that lines of other writers can't get into it.
    pub fn write(&self, text: &str) {
        self.with(|writer| {
            writer.write_all(text.as_bytes())?;
            writer.flush()
        });
    }

    pub fn line(&self, line: &str) {
        self.write(&format!("{line}\n"));
    }

    pub fn lines(&self, lines: &[String]) {
        if !lines.is_empty() {
            self.line(&lines.join("\n"));
        }
    }

    /// Flushes, and gives the first error once. A closed pipe is no error: the reader has had enough.
    pub fn close(&self) -> io::Result<()> {
        self.with(|writer| writer.flush());
        match self.lock().error.take() {
            Some(error) if error.kind() != ErrorKind::BrokenPipe => Err(error),
            _ => Ok(()),
        }
    }

    pub fn fail(&self, error: io::Error) {
        let mut state = self.lock();
        state.writer = None;
        state.error.get_or_insert(error);
    }

    fn with(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
        let mut state = self.lock();
        let result = state.writer.as_mut().map_or(Ok(()), |writer| write(writer.as_mut()));
        drop(state);
        if let Err(error) = result {
            self.fail(error);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Broken(ErrorKind);

    impl Write for Broken {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_closed_pipe_is_silent_and_a_full_disk_is_told_once() {
        let pipe = Sink::new(Box::new(Broken(ErrorKind::BrokenPipe)));
        pipe.line("a");
        pipe.line("b");
        assert!(pipe.close().is_ok());
        let disk = Sink::new(Box::new(Broken(ErrorKind::StorageFull)));
        disk.line("a");
        assert_eq!(disk.close().unwrap_err().kind(), ErrorKind::StorageFull);
        assert!(disk.close().is_ok());
    }
}
