//! refs, rewrite, archive, check: commands over a tree or a file, without a promotion.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use serde_json::json;

use super::args::{ArchiveArgs, CheckArgs, Format, RewriteArgs, TreeArgs};
use super::failure::Hinted;
use crate::archive;
use crate::engine::State;
use crate::pipeline::{self, Pipeline};
use crate::port::repository::Store;
use crate::refs;
use crate::report::escape::code;
use crate::report::{markdown, table};
use crate::tree::{DirTree, GitTree, Subtree, Tree};

type Out<'a> = &'a mut dyn Write;

/// A directory, or a revision of a repository.
fn open(args: &TreeArgs) -> anyhow::Result<Box<dyn Tree>> {
    if Path::new(&args.tree).is_dir() {
        return Ok(Box::new(DirTree::open(&args.tree)?));
    }
    let found = Store::open_existing(&args.repo).and_then(|store| {
        let commit = store.rev_parse(&args.tree)?;
        let tree = store.tree_of(commit)?;
        Ok(GitTree::new(Arc::new(store), tree).named(&args.tree))
    });
    match found {
        Ok(tree) => Ok(Box::new(tree)),
        Err(error) => Err(anyhow::Error::new(error).context(Hinted::new(
            format!("`{}` is neither a directory nor a revision", args.tree),
            "name a directory, or a revision of the repository in --repo",
        ))),
    }
}

fn packages<'a>(tree: &'a dyn Tree, pipeline: &Pipeline) -> anyhow::Result<Subtree<'a>> {
    Ok(Subtree::new(tree, &pipeline.root)?)
}

pub fn list(args: &TreeArgs, format: Format, out: Out<'_>, err: Out<'_>) -> anyhow::Result<State> {
    let pipeline = pipeline::load(&args.pipeline)?;
    let tree = open(args)?;
    let references = refs::read(tree.as_ref(), &pipeline.spec(), args.rc.as_ref())?;
    for notice in &references.notices {
        writeln!(err, "note: {notice}")?;
    }
    if format == Format::Json {
        writeln!(out, "{}", serde_json::to_string_pretty(&references.occurrences)?)?;
        return Ok(State::Holds);
    }
    let text = |value: Option<String>| value.unwrap_or_else(|| "-".into());
    let header = ["class", "place", "key", "shape", "repository", "tag", "digest"];
    let rows: Vec<Vec<String>> = references
        .occurrences
        .iter()
        .map(|o| {
            let class = json!(o.class).as_str().unwrap_or_default().to_owned();
            let shape = json!(o.shape).as_str().unwrap_or_default().to_owned();
            let copy = if o.copy_of.is_some() { " (copy)" } else { "" };
            vec![
                class + copy,
                format!("{}:{}", o.file, o.line),
                o.key.clone(),
                shape,
                text(o.repository.as_ref().map(ToString::to_string)),
                text(o.tag.as_ref().map(ToString::to_string)),
                text(o.digest.map(|digest| digest.to_string())),
            ]
        })
        .collect();
    if format == Format::Markdown {
        let rows = rows.iter().map(|row| row.iter().map(|cell| code(cell)).collect());
        write!(out, "{}", markdown::table(&header, rows))?;
        return Ok(State::Holds);
    }
    write!(out, "{}", table(&header, &rows))?;
    writeln!(
        err,
        "{} references, {} of them copies",
        rows.len(),
        references.occurrences.iter().filter(|o| o.copy_of.is_some()).count()
    )?;
    Ok(State::Holds)
}

pub fn census(args: &TreeArgs, format: Format, out: Out<'_>, err: Out<'_>) -> anyhow::Result<State> {
    let pipeline = pipeline::load(&args.pipeline)?;
    let tree = open(args)?;
    let census = refs::census(tree.as_ref(), &pipeline.spec())?;
    for exclusion in &census.unused {
        writeln!(err, "note: the exclusion of {} explains nothing: {}", exclusion.path, exclusion.reason)?;
    }
    if format == Format::Json {
        let unused: Vec<&str> = census.unused.iter().map(|exclusion| exclusion.path.as_str()).collect();
        writeln!(out, "{}", json!({ "claimed": census.claimed, "excluded": census.excluded, "unused": unused }))?;
        return Ok(State::Holds);
    }
    for excluded in &census.excluded {
        writeln!(out, "excluded  {}:{}  {}", excluded.file, excluded.line, excluded.reason)?;
    }
    writeln!(out, "{} claimed, {} excluded, none unclaimed", census.claimed, census.excluded.len())?;
    Ok(State::Holds)
}

pub fn rewrite(args: &RewriteArgs, format: Format, out: Out<'_>) -> anyhow::Result<State> {
    let pipeline = pipeline::load(&args.pipeline)?;
    let tree = DirTree::open(&args.tree)?;
    let rewrite = refs::rewrite(&tree, &pipeline.spec(), &args.rc).map_err(|error| match error {
        refs::RewriteError::Nothing { .. } => anyhow::Error::from(Hinted::new(
            error.to_string(),
            "name the candidate whose tags the tree carries: sealift refs list shows them",
        )),
        error => error.into(),
    })?;
    refs::apply_to_directory(&args.tree, &rewrite.files)?;
    let lines = rewrite.lines();
    let files: Vec<String> = rewrite.files.iter().map(|file| file.path.clone()).collect();
    if format == Format::Json {
        writeln!(out, "{}", json!({ "files": files, "lines": lines }))?;
    } else {
        for file in &files {
            writeln!(out, "{file}")?;
        }
        writeln!(out, "{} files, {lines} lines: v{} reads v{}", files.len(), args.rc, args.rc.stable)?;
    }
    Ok(State::Holds)
}

pub fn archive(args: &ArchiveArgs, format: Format, out: Out<'_>) -> anyhow::Result<State> {
    let pipeline = pipeline::load(&args.tree.pipeline)?;
    let tree = open(&args.tree)?;
    let options = archive::Options {
        modes: pipeline.artifact.modes.0,
        source: args.source.clone().unwrap_or_else(|| pipeline.artifact.source.clone()),
        revision: args.revision.clone(),
        ..archive::Options::default()
    };
    let beside = args.output.as_deref().and_then(Path::parent).filter(|dir| !dir.as_os_str().is_empty());
    let spool = tempfile::Builder::new().prefix(".sealift-").tempdir_in(beside.unwrap_or(Path::new(".")));
    let spool = spool.or_else(|_| tempfile::tempdir()).context("no place to spool the layer")?;
    let artifact = archive::build(&packages(tree.as_ref(), &pipeline)?, &options, spool.path())?;
    if let Some(path) = &args.output {
        write_layer(&artifact, path)?;
    }
    let rows = [
        ("diffId", artifact.diff_id.to_string()),
        ("layer", artifact.layer.descriptor.digest.to_string()),
        ("config", artifact.config.descriptor.digest.to_string()),
        ("manifest", artifact.manifest.digest().to_string()),
    ];
    if format == Format::Json {
        let object: serde_json::Map<_, _> =
            rows.into_iter().map(|(key, value)| (key.to_owned(), value.into())).collect();
        writeln!(out, "{}", serde_json::Value::Object(object))?;
    } else {
        for (name, digest) in rows {
            writeln!(out, "{name:<9}{digest}")?;
        }
    }
    Ok(State::Holds)
}

/// The file appears whole or not at all.
fn write_layer(artifact: &archive::Artifact, path: &Path) -> anyhow::Result<()> {
    use crate::port::registry::Content;
    let failed = || format!("{}: can't be written", path.display());
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(dir).with_context(failed)?;
    match &artifact.layer.content {
        Content::Bytes(bytes) => file.write_all(bytes).with_context(failed)?,
        Content::File(spooled) => {
            let mut layer = std::fs::File::open(spooled.as_ref()).with_context(failed)?;
            std::io::copy(&mut layer, &mut file).with_context(failed)?;
        }
    }
    file.as_file().sync_all().with_context(failed)?;
    file.persist(path).with_context(failed)?;
    Ok(())
}

pub fn check(args: &CheckArgs, format: Format, out: Out<'_>) -> anyhow::Result<State> {
    let pipeline = pipeline::load(&args.pipeline)?;
    if format == Format::Json {
        writeln!(out, "{}", json!({ "file": args.pipeline, "pipeline": pipeline.name, "wellFormed": true }))?;
        return Ok(State::Holds);
    }
    writeln!(out, "{}: pipeline `{}` is well-formed", args.pipeline.display(), pipeline.name)?;
    Ok(State::Holds)
}
