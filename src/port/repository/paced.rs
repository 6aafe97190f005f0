//! An answer that comes too slowly is as good as none.

use std::io::{self, ErrorKind, Read};
use std::time::{Duration, Instant};

use super::Http;

/// Reads until a patience was waited for fewer bytes than the slowest transfer has. Each single wait is bounded
/// by the client; this bounds them together. Only waiting counts: whoever reads may take its time.
pub(super) struct Paced<R> {
    from: R,
    patience: Duration,
    waited: Duration,
    received: usize,
    /// How many more patiences may pass too slowly.
    lulls: u32,
}

impl<R> Paced<R> {
    pub fn new(from: R, patience: Duration) -> Self {
        Self { from, patience, waited: Duration::ZERO, received: 0, lulls: 0 }
    }

    /// Of a server that works meanwhile: it runs hooks, or counts a pack, and says every few seconds in as many
    /// bytes that it is there (git-config, `receive.keepAlive`, `uploadpack.keepAlive`).
    pub fn working(from: R, patience: Duration) -> Self {
        Self { lulls: Http::LULLS - 1, ..Self::new(from, patience) }
    }
}

impl<R: Read> Read for Paced<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let started = Instant::now();
        let read = self.from.read(buffer)?;
        self.waited += started.elapsed();
        self.received += read;
        if read == 0 || self.waited < self.patience {
            return Ok(read);
        }
        let (waited, received) = (self.waited.as_secs_f64(), self.received);
        let slow = (received as f64) < f64::from(Http::SLOWEST) * waited;
        if slow && self.lulls == 0 {
            let detail = format!("too slow: {received} bytes in {waited:.1} s");
            return Err(io::Error::new(ErrorKind::TimedOut, detail));
        }
        self.lulls -= u32::from(slow);
        (self.waited, self.received) = (Duration::ZERO, 0);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many bytes at a time, each time after a while that only seems to pass.
    struct Drip(usize);

    impl Read for Drip {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = self.0.min(buffer.len());
            Ok(length)
        }
    }

    #[test]
    fn what_comes_too_slowly_ends_and_what_comes_goes_on() {
        let mut buffer = [0; 4096];
        let at = |waited, received| Paced { waited, received, ..Paced::new(Drip(1), Duration::from_secs(10)) };
        // Before the patience is over nothing is judged, and what was fast enough is judged anew.
        assert!(at(Duration::from_secs(9), 0).read(&mut buffer).is_ok());
        let mut fast = at(Duration::from_secs(10), 10 << 10);
        assert!(fast.read(&mut buffer).is_ok() && fast.waited.is_zero() && fast.received == 0);
        let error = at(Duration::from_secs(10), 9).read(&mut buffer).unwrap_err().to_string();
        assert_eq!(error, "too slow: 10 bytes in 10.0 s");
        // A server that works may be slow so often, and not once more, whatever comes between.
        let mut working = Paced::working(Drip(1), Duration::from_secs(10));
        for _ in 1..Http::LULLS {
            for received in [9, 10 << 10] {
                (working.waited, working.received) = (Duration::from_secs(10), received);
                assert!(working.read(&mut buffer).is_ok() && working.waited.is_zero());
            }
        }
        working.waited = Duration::from_secs(10);
        assert!(working.read(&mut buffer).is_err());
        // An end is an end, however long it took.
        assert_eq!(Paced { from: Drip(0), ..at(Duration::from_secs(10), 9) }.read(&mut buffer).unwrap(), 0);
    }
}
