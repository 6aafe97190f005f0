//! What goes beside the program: completions for shells, man pages, and the schema for editors.

use std::io::Write;

use anyhow::Context as _;
use clap::CommandFactory as _;

use super::args::{Cli, CompletionsArgs, ManArgs};
use super::failure::Ended;
use crate::engine::State;
use crate::pipeline;

/// The schema of pipeline files.
pub fn schema() -> Ended {
    std::io::stdout().write_all(pipeline::SCHEMA.as_bytes())?;
    Ok(State::Holds)
}

/// The script that completes the command line in one shell.
pub fn completions(args: &CompletionsArgs) -> Ended {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "sealift", &mut script);
    std::io::stdout().write_all(&script)?;
    Ok(State::Holds)
}

/// Each command's page into a folder, or sealift's own to standard output.
pub fn man(args: &ManArgs) -> Ended {
    match &args.dir {
        Some(dir) => {
            let failed = || format!("{}: the man pages can't be written", dir.display());
            std::fs::create_dir_all(dir).with_context(failed)?;
            clap_mangen::generate_to(Cli::command(), dir).with_context(failed)?;
        }
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(Cli::command()).render(&mut page)?;
            std::io::stdout().write_all(&page)?;
        }
    }
    Ok(State::Holds)
}
