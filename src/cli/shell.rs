//! What goes beside the program: completions for shells, man pages, and the schema for editors.

use std::io::Write;
use std::path::Path;

use anyhow::Context as _;
use clap::CommandFactory as _;

use super::args::{Cli, CompletionsArgs, ManArgs};
use super::failure::Ended;
use crate::engine::State;
use crate::pipeline;
use crate::port::whole::NewFile;

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
    let mut root = Cli::command().disable_help_subcommand(true);
    root.build();
    match &args.dir {
        Some(dir) => {
            let failed = || format!("{}: the man pages can't be written", dir.display());
            std::fs::create_dir_all(dir).with_context(failed)?;
            write_pages(&root, dir).with_context(failed)?;
        }
        None => std::io::stdout().write_all(page(root)?.1.as_bytes())?,
    }
    Ok(State::Holds)
}

/// A command's page, and those of the commands below it.
fn write_pages(command: &clap::Command, dir: &Path) -> std::io::Result<()> {
    let (name, page) = page(command.clone())?;
    let mut file = NewFile::at(&dir.join(name))?;
    file.write_all(page.as_bytes())?;
    file.appear()?;
    command.get_subcommands().try_for_each(|command| write_pages(command, dir))
}

/// A page's file name and its text, the example under the heading that readers of man pages look for.
fn page(command: clap::Command) -> std::io::Result<(String, String)> {
    let man = clap_mangen::Man::new(command);
    let mut page = Vec::new();
    man.render(&mut page)?;
    let page = String::from_utf8_lossy(&page).replace(".SH EXTRA\nExample:\n", ".SH EXAMPLE\n");
    Ok((man.get_filename(), page))
}
