//! What can be typed behind `completions` and `man`.

use std::path::PathBuf;

use clap::Args;

#[derive(Clone, Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

#[derive(Clone, Debug, Args)]
pub struct ManArgs {
    /// The folder for one page per command, made where it is absent
    #[arg(value_hint = clap::ValueHint::DirPath)]
    pub dir: Option<PathBuf>,
}
