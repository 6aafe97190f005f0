//! The folder of a demo: whose it is, and where things are in it.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::cli::failure::Hinted;

const MARKER: &str = ".sealift-demo";
const HEAD: &str = "sealift demo, format 1";
const PIPELINE: &str = include_str!("files/pipeline.yaml");

/// A demo's folder.
pub struct Place {
    pub dir: PathBuf,
    /// The world in it is whole.
    pub ready: bool,
}

impl Place {
    /// Takes a folder: absent, empty, or a demo's own; a new one where none is named.
    pub fn take(dir: Option<&Path>) -> anyhow::Result<Self> {
        let Some(dir) = dir else {
            let new = tempfile::Builder::new().prefix("sealift-demo-").tempdir();
            let new = new.with_context(|| {
                let hint = "name a folder for it: sealift demo DIR; or set TMPDIR to one that can be written";
                Hinted::new("no new folder can be made", hint)
            })?;
            return Ok(Self { dir: new.keep(), ready: false });
        };
        let dir = std::path::absolute(dir).with_context(|| format!("{}: no path", dir.display()))?;
        let failed = || format!("{}: can't be used for a demo", dir.display());
        match std::fs::read_dir(&dir) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                std::fs::create_dir_all(&dir).with_context(failed)?;
                Ok(Self { dir, ready: false })
            }
            Err(error) => Err(anyhow::Error::new(error).context(Hinted::new(failed(), NAME_ANOTHER))),
            Ok(mut entries) => match entries.next() {
                None => Ok(Self { dir, ready: false }),
                Some(_) => Self::own(dir),
            },
        }
    }

    fn own(dir: PathBuf) -> anyhow::Result<Self> {
        match std::fs::read_to_string(dir.join(MARKER)) {
            Ok(text) if text.lines().next() == Some(HEAD) => {
                Ok(Self { ready: text.lines().any(|line| line == "ready"), dir })
            }
            Ok(_) => Err(foreign(&dir, "holds a demo of another version of sealift")),
            Err(_) => Err(foreign(&dir, "is not empty, and not a demo's own")),
        }
    }

    /// Marks the folder as a demo's own, and writes the pipeline: the rest can be made now.
    pub fn begin(&self) -> anyhow::Result<()> {
        self.mark("being made")?;
        for folder in [self.dir.join("registry"), self.cache()] {
            std::fs::create_dir_all(&folder).with_context(|| format!("{}: can't be made", folder.display()))?;
        }
        let pipeline = self.pipeline();
        std::fs::write(&pipeline, PIPELINE).with_context(|| format!("{}: can't be written", pipeline.display()))
    }

    pub fn finish(&self) -> anyhow::Result<()> {
        self.mark("ready")
    }

    fn mark(&self, state: &str) -> anyhow::Result<()> {
        let path = self.dir.join(MARKER);
        let text = format!("{HEAD}\n{state}\nThis folder was made by `sealift demo` and can be deleted.\n");
        std::fs::write(&path, text).with_context(|| format!("{}: can't be written", path.display()))
    }

    pub fn pipeline(&self) -> PathBuf {
        self.dir.join("pipeline.yaml")
    }

    pub fn origin(&self) -> PathBuf {
        self.dir.join("origin.git")
    }

    pub fn work(&self) -> PathBuf {
        self.dir.join("work")
    }

    pub fn cache(&self) -> PathBuf {
        self.dir.join("cache")
    }
}

const NAME_ANOTHER: &str = "name a folder that is absent or empty, or none: then a new one is made";

fn foreign(dir: &Path, why: &str) -> anyhow::Error {
    Hinted::new(format!("{} {why}: it was left as it is", dir.display()), NAME_ANOTHER).into()
}
