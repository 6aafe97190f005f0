//! The Flux artifact: a deterministic archive out, a hardened reader in.

/// The permission bits an archive's entries carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modes {
    /// The tree's own, as Flux does.
    AsIs,
    /// Three numbers: plain files, executables, directories.
    Fixed { file: u32, executable: u32, directory: u32 },
}

impl Default for Modes {
    /// What Flux makes of a checkout under umask 022.
    fn default() -> Self {
        Self::Fixed { file: 0o644, executable: 0o755, directory: 0o755 }
    }
}
