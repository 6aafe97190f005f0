//! What of speed is no noise: requests, peak memory, instructions. Times are for `cargo bench`.

mod instructions;
mod memory;
mod requests;
mod tree;

use std::path::Path;
use std::process::{Command, Stdio};

/// Commands over a whole tree, each with what it is given beside the pipeline and the tree.
const COMMANDS: [(&str, &[&str]); 5] = [
    ("references", &["refs", "list", "--rc", "v1.6.2-rc.1"]),
    ("census", &["refs", "census", "--rc", "v1.6.2-rc.1"]),
    ("lint", &["lint"]),
    ("archive", &["archive"]),
    // The last: it changes the tree.
    ("rewrite", &["rewrite", "--rc", "v1.6.2-rc.1"]),
];

/// The real program, over a generated tree, run by another one where `first` has it.
fn command(first: &[&str], words: &[&str], tree: &Path, home: &Path) -> Command {
    let program = env!("CARGO_BIN_EXE_sealift");
    let (run, before) = first.split_first().map_or((program, &[][..]), |(run, before)| (*run, before));
    let mut command = Command::new(run);
    command.args(before).args((!first.is_empty()).then_some(program)).args(words);
    command.arg("--pipeline").arg(tree.join("pipeline.yaml")).arg("--tree").arg(tree);
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", home).current_dir(home);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}
