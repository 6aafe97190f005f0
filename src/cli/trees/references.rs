//! What sealift sees in a tree, and what a promotion would change there.

use std::io::Write as _;

use serde_json::json;

use super::{Found, beside, open};
use crate::cli::args::{Format, RewriteArgs, TreeArgs};
use crate::cli::failure::{Ended, Hinted};
use crate::cli::talk::Talk;
use crate::engine::State;
use crate::pipeline;
use crate::refs;
use crate::report::table;
use crate::tree::DirTree;

pub async fn list(args: &TreeArgs, format: Format, talk: Talk) -> Ended {
    let what = args.clone();
    let read = move || {
        let pipeline = pipeline::load(&what.pipeline)?;
        Ok(refs::read(open(&what)?.as_ref(), &pipeline.spec(), what.rc.as_ref())?)
    };
    let references = beside(read).await?;
    references.notices.iter().for_each(|notice| talk.note(&notice.to_string()));
    let text = |value: Option<String>| value.unwrap_or_else(|| "-".into());
    let header = vec!["class", "place", "key", "shape", "repository", "tag", "digest"];
    let row = |o: &refs::Occurrence| {
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
    };
    let rows: Vec<Vec<String>> = references.occurrences.iter().map(row).collect();
    let copies = references.occurrences.iter().filter(|o| o.copy_of.is_some()).count();
    let told = format!("{} references, {copies} of them copies", rows.len());
    if format == Format::Json {
        writeln!(std::io::stdout(), "{}", serde_json::to_string_pretty(&references.occurrences)?)?;
        return Ok(State::Holds);
    }
    Found { human: table(&header, &rows), json: json!([]), header, rows }.show(format, &mut std::io::stdout())?;
    if format == Format::Human {
        talk.line(&told);
    }
    Ok(State::Holds)
}

pub async fn rewrite(args: &RewriteArgs, format: Format, talk: Talk) -> Ended {
    let what = args.clone();
    let plan = move || {
        let pipeline = pipeline::load(&what.pipeline)?;
        let tree = DirTree::open(&what.tree)?;
        let rewrite = refs::rewrite(&tree, &pipeline.spec(), &what.rc).map_err(|error| match error {
            refs::RewriteError::Nothing { .. } => anyhow::Error::from(Hinted::refused(
                error.to_string(),
                "name the candidate whose tags the tree carries: sealift refs list shows them",
            )),
            error => error.into(),
        })?;
        Ok((rewrite, refs::read(&tree, &pipeline.spec(), Some(&what.rc))?.notices))
    };
    let (rewrite, notices) = beside(plan).await?;
    notices.iter().for_each(|notice| talk.note(&notice.to_string()));
    // From here on without a pause: Ctrl-C finds a directory rewritten, or not touched.
    refs::apply_to_directory(&args.tree, &rewrite.files)?;
    let lines = rewrite.lines();
    let files: Vec<&str> = rewrite.files.iter().map(|file| file.path.as_str()).collect();
    let counts = format!("{} files, {lines} lines: v{} reads v{}\n", files.len(), args.rc, args.rc.stable);
    let found = Found {
        human: files.iter().map(|file| format!("{file}\n")).chain([counts]).collect(),
        json: json!({ "files": files, "lines": lines }),
        header: vec!["file", "lines"],
        rows: rewrite.files.iter().map(|file| vec![file.path.clone(), file.lines().to_string()]).collect(),
    };
    found.show(format, &mut std::io::stdout())
}
