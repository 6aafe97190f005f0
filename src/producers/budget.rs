//! How much is read: Makefiles are programs, and a small one may ask for everything.

use std::cell::Cell;

/// What is said where the budget, or another limit of the whole reading, ended it.
pub(super) const CUT: &str = "the Makefiles of this tree are more than is read";

/// How much more is read.
#[derive(Debug)]
pub(super) struct Budget {
    left: Cell<u64>,
}

impl Budget {
    /// In units of about one byte looked at: far more than a real repository's, a second or two of work.
    pub(super) const ALL: u64 = 50_000_000;

    pub(super) fn new(units: u64) -> Self {
        Self { left: Cell::new(units) }
    }

    /// Takes units; `false` once they are used up.
    pub(super) fn take(&self, units: usize) -> bool {
        let left = self.left.get().saturating_sub(units as u64);
        self.left.set(left);
        left > 0
    }

    pub(super) fn is_spent(&self) -> bool {
        self.left.get() == 0
    }

    pub(super) fn used(&self, of: u64) -> u64 {
        of - self.left.get()
    }
}
