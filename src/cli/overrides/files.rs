//! The files of `overrides`: where they are read, and where they are written.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::cli::failure::Hinted;
use crate::model::Lines;
use crate::overrides::{self, Applied, Edit, Key, Table, TableError};
use crate::port::whole::{self, NewFile};

/// Bytes of a file or of standard input, at most: it is held in memory.
const LIMIT: u64 = 1 << 30;

/// A file of manifests as it was read.
pub(super) struct Input {
    /// What messages call it.
    pub(super) name: String,
    /// `None` is standard input.
    pub(super) path: Option<PathBuf>,
    pub(super) bytes: Vec<u8>,
}

/// Reads the table. A file that isn't there has no table; one that can't be read is an error.
pub(super) fn table(path: &Path, key: &Key) -> anyhow::Result<Result<Table, TableError>> {
    let name = path.display().to_string();
    match File::open(path) {
        Ok(file) => Ok(overrides::read(&name, &all(&name, file)?, key)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Ok(Err(TableError::Missing { file: name, what: "there is no such file".to_owned() }))
        }
        Err(error) => Err(anyhow::Error::new(error).context(format!("{name}: can't be read"))),
    }
}

/// Reads manifests: files in the order they are named, or standard input.
pub(super) fn manifests(paths: &[PathBuf]) -> anyhow::Result<Vec<Input>> {
    let stdin = [PathBuf::from("-")];
    let paths = if paths.is_empty() { &stdin } else { paths };
    let read = |path: &PathBuf| {
        if path.as_os_str() == "-" {
            let name = "(stdin)".to_owned();
            return Ok(Input { bytes: all(&name, io::stdin().lock())?, name, path: None });
        }
        let name = path.display().to_string();
        let file = File::open(path).with_context(|| format!("{name}: can't be read"))?;
        Ok(Input { bytes: all(&name, file)?, name, path: Some(path.clone()) })
    };
    paths.iter().map(read).collect()
}

fn all(name: &str, from: impl Read) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(LIMIT + 1).read_to_end(&mut bytes).with_context(|| format!("{name}: can't be read"))?;
    if bytes.len() as u64 > LIMIT {
        let message = format!("{name}: more than {LIMIT} bytes");
        return Err(Hinted::new(message, "split it between documents, and apply the table to each part").into());
    }
    Ok(bytes)
}

/// Writes rewritten manifests as one stream. Where files follow each other, their documents stay apart.
pub(super) fn stream(inputs: &[Input], edits: &[&[Edit]], out: &mut dyn Write) -> io::Result<()> {
    let mut last = b'\n';
    for (at, input) in inputs.iter().enumerate() {
        if at > 0 && !input.bytes.is_empty() {
            let newline = if last == b'\n' { "" } else { "\n" };
            // Those that follow another are text: see `joinable`.
            write!(out, "{newline}{}", overrides::separator(&String::from_utf8_lossy(&input.bytes)))?;
        }
        overrides::write(&input.bytes, edits.get(at).copied().unwrap_or_default(), out)?;
        last = input.bytes.last().copied().unwrap_or(last);
    }
    out.flush()
}

/// That inputs can be joined: a stream has one encoding, and a byte order mark has no place within it. One
/// alone is what it is.
pub(super) fn joinable(inputs: &[Input]) -> anyhow::Result<()> {
    let foreign = |input: &Input| Some((input.name.clone(), std::str::from_utf8(&input.bytes).err()?.valid_up_to()));
    if let (Some(input), true) = (inputs.iter().find(|input| foreign(input).is_some()), inputs.len() > 1)
        && let Some((name, at)) = foreign(input)
    {
        let (line, column) = Lines::new(&input.bytes).place(at);
        let message = format!("{name}:{line}:{column}: not UTF-8: it can't be one stream with other manifests");
        return Err(Hinted::new(message, "write it in UTF-8, or apply the table to it alone").into());
    }
    match inputs.iter().skip(1).find(|input| input.bytes.starts_with("\u{feff}".as_bytes())) {
        None => Ok(()),
        Some(Input { name, .. }) => Err(Hinted::new(
            format!("{name}: it begins with a byte order mark, which can't stand within a stream"),
            "name it first, or apply the table to it alone",
        )
        .into()),
    }
}

/// Writes each changed file as a whole, all of them or none. All are looked at before the first is written: each
/// is a regular file, and what it was when it was read. Answers with how many were written.
pub(super) fn in_place(inputs: &[Input], applied: &[(String, Applied)]) -> anyhow::Result<usize> {
    let changed = || inputs.iter().zip(applied).filter(|(_, (_, applied))| !applied.edits.is_empty());
    for (Input { name, path, bytes }, _) in changed() {
        let Some(path) = path else { continue };
        let metadata = path.symlink_metadata().with_context(|| format!("{name}: can't be read"))?;
        if !metadata.is_file() {
            let message = format!("{name}: it is a link or no regular file, and can't be written in place");
            return Err(Hinted::new(message, "name the file itself").into());
        }
        if std::fs::read(path).with_context(|| format!("{name}: can't be read"))? != *bytes {
            let message = format!("{name}: it has changed since it was read; nothing was written");
            return Err(Hinted::new(message, "run the same command again").into());
        }
    }
    let mut files = Vec::new();
    for (Input { name, path, bytes }, (_, applied)) in changed() {
        let Some(path) = path else { continue };
        let ready = || {
            let mut file = NewFile::instead_of(path)?;
            overrides::write(bytes, &applied.edits, &mut file)?;
            file.ready()
        };
        files.push(ready().with_context(|| format!("{name}: can't be written; every file is as it was"))?);
    }
    let written = files.len();
    whole::appear_together(files)?;
    Ok(written)
}
