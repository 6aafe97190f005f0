//! How things are shown: what can be typed behind every command.

use clap::{Args, ValueEnum};

/// How things are shown.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Global options")]
pub struct Show {
    /// How results are written to standard output
    #[arg(long, global = true, value_enum, default_value = "human")]
    pub format: Format,
    /// How talk is written to standard error: progress, notes, errors
    #[arg(long, global = true, value_enum, default_value = "text", value_name = "FORMAT")]
    pub log_format: LogFormat,
    /// Show everything: every action, full digests
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// Show results only, and what is wrong
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// When to use colors; auto heeds NO_COLOR, CLICOLOR_FORCE and what is a terminal
    #[arg(long, global = true, value_enum, default_value = "auto", value_name = "WHEN")]
    pub color: When,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Human,
    /// For machines: one object per line and event; of commands that only look at a tree, one document
    Json,
    /// For pull requests and step summaries
    Markdown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Lines for people
    Text,
    /// One JSON object per line, as --format json writes events; notes are {"event":"note"}
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// On a terminal
    Auto,
    /// Everywhere
    Always,
    /// Nowhere
    Never,
}
