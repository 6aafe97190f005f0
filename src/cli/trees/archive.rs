//! The packages artifact of a tree, without a promotion.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::{Found, beside, open};
use crate::archive;
use crate::cli::args::{ArchiveArgs, Format};
use crate::cli::failure::{Ended, Hinted};
use crate::model::Content;
use crate::pipeline;
use crate::port::whole::NewFile;
use crate::tree::Subtree;

pub async fn archive(args: &ArchiveArgs, format: Format) -> Ended {
    let near = args.output.as_deref().and_then(Path::parent).filter(|dir| !dir.as_os_str().is_empty());
    let spool = tempfile::Builder::new().prefix(".sealift-").tempdir_in(near.unwrap_or(Path::new(".")));
    // It goes when this future does: nothing is left of an interrupted command.
    let spool = spool.or_else(|_| tempfile::tempdir()).with_context(|| {
        let hint = "set TMPDIR to a folder that can be written, or name the output in one: --output FILE";
        Hinted::new("no place to spool the layer", hint)
    })?;
    let (what, place) = (args.clone(), spool.path().to_owned());
    let artifact = beside(move || build(&what, place)).await?;
    if let Some(path) = &args.output {
        write_layer(&artifact, path)?;
    }
    let digests = [
        ("diffId", artifact.diff_id),
        ("layer", artifact.layer.descriptor.digest),
        ("config", artifact.config.descriptor.digest),
        ("manifest", artifact.manifest.digest()),
    ];
    let found = Found {
        human: digests.iter().map(|(name, digest)| format!("{name:<9}{digest}\n")).collect(),
        json: digests.iter().map(|(name, digest)| ((*name).to_owned(), digest.to_string())).collect(),
        header: vec!["artifact", "digest"],
        rows: digests.iter().map(|(name, digest)| vec![(*name).to_owned(), digest.to_string()]).collect(),
    };
    found.show(format, &mut std::io::stdout())
}

fn build(args: &ArchiveArgs, spool: PathBuf) -> anyhow::Result<archive::Artifact> {
    let pipeline = pipeline::load(&args.tree.pipeline)?;
    let tree = open(&args.tree)?;
    let options = archive::Options {
        modes: pipeline.artifact.modes.0,
        source: args.source.clone().unwrap_or_else(|| pipeline.artifact.source.clone()),
        revision: args.revision.clone(),
        ..archive::Options::default()
    };
    Ok(archive::build(&Subtree::new(tree.as_ref(), &pipeline.root)?, &options, &spool)?)
}

fn write_layer(artifact: &archive::Artifact, path: &Path) -> anyhow::Result<()> {
    let write = || {
        let mut file = NewFile::at(path)?;
        match &artifact.layer.content {
            Content::Bytes(bytes) => file.write_all(bytes)?,
            Content::File(spooled) => {
                std::io::copy(&mut std::fs::File::open(spooled.as_ref())?, &mut file)?;
            }
        }
        file.appear()
    };
    write().with_context(|| format!("{}: can't be written", path.display()))
}
