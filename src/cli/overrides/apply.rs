//! overrides apply: the manifests to standard output, or into their files; the report beside them.

use std::io::{BufWriter, Write as _};

use serde::Serialize;

use super::files::{self, Input};
use super::show::{self, Report, count};
use super::{beside, matched};
use crate::cli::args::{Format, Missing, OverridesApplyArgs, Show};
use crate::cli::failure::{Ended, told};
use crate::cli::promote::Context;
use crate::engine::State;
use crate::overrides::{self, Applied, Edit, Entry, Key, Options, Problem, Table, TableError};

/// What was read and planned, before anything is written.
enum Planned {
    Rewritten(Table, Vec<Input>, Vec<(String, Applied)>),
    /// Manifests that can't be read, or images that can't be rewritten safely.
    Refused(Table, Vec<Problem>, Vec<(String, Applied)>, State),
    Invalid(Vec<Problem>),
    /// There is no table; the manifests, if that may be.
    Missing(String, Option<Vec<Input>>),
}

pub async fn apply(args: &OverridesApplyArgs, show: &Show, context: &Context<'_>) -> Ended {
    let what = args.clone();
    let planned = beside(move || plan(&what)).await?;
    // From here on without a pause: Ctrl-C finds a file written, or not touched.
    let ending = Ending { args, show, ended: "refused", found: None, missing: None };
    let (state, report) = match planned {
        Planned::Rewritten(table, inputs, applied) => {
            let written = match args.in_place {
                true => files::in_place(&inputs, &applied)?,
                false => {
                    let edits: Vec<&[Edit]> = applied.iter().map(|(_, applied)| applied.edits.as_slice()).collect();
                    files::stream(&inputs, &edits, &mut BufWriter::new(std::io::stdout().lock()))?;
                    0
                }
            };
            let ending = Ending { ended: "applied", found: Some((&table, &applied)), ..ending };
            (State::Holds, rewritten(&ending, &table, &applied, written)?)
        }
        Planned::Refused(table, problems, applied, state) => {
            let verdict = format!("refused for {}: nothing was written", count(problems.len(), "reason", "reasons"));
            (state, Ending { found: Some((&table, &applied)), ..ending }.report(problems, verdict)?)
        }
        Planned::Invalid(problems) => {
            let verdict = format!("{} in the table: nothing was written", count(problems.len(), "error", "errors"));
            (State::Refused, Ending { ended: "invalid", ..ending }.report(problems, verdict)?)
        }
        Planned::Missing(what, None) => {
            let ending = Ending { ended: "missing", missing: Some(&what), ..ending };
            let refused = Some(show::missing(&args.table.display().to_string(), &what));
            (State::Refused, Report { refused, ..ending.report(Vec::new(), String::new())? })
        }
        Planned::Missing(what, Some(inputs)) => {
            if !args.in_place {
                files::stream(&inputs, &[], &mut BufWriter::new(std::io::stdout().lock()))?;
            }
            let file = args.table.display();
            let verdict = format!("{file}: there is no table of overrides: {what}; the manifests are as they were");
            (State::Holds, Ending { ended: "kept", missing: Some(&what), ..ending }.report(Vec::new(), verdict)?)
        }
    };
    match args.in_place {
        true => {
            let text = report.render(show, context.environment.color(show.color));
            return told(state, std::io::stdout().write_all(text.as_bytes()).map_err(Into::into));
        }
        false if context.talk.json => report.tell(show, context.talk),
        false => context.talk.text(&report.render(show, context.talk.color)),
    }
    Ok(state)
}

fn plan(args: &OverridesApplyArgs) -> anyhow::Result<Planned> {
    let key = args.key.clone().unwrap_or_default();
    let table = match files::table(&args.table, &key)? {
        Ok(table) => table,
        Err(TableError::Invalid(problems)) => return Ok(Planned::Invalid(problems)),
        Err(TableError::Missing { what, .. }) => {
            let keep = args.missing == Missing::Keep;
            return Ok(Planned::Missing(what, keep.then(|| inputs(args)).transpose()?));
        }
    };
    let inputs = inputs(args)?;
    let options = Options { ephemeral: args.ephemeral, ..Options::default() };
    let (mut applied, mut unreadable) = (Vec::new(), Vec::new());
    for input in &inputs {
        match overrides::apply(&table, &input.name, &input.bytes, options) {
            Ok(found) => applied.push((input.name.clone(), found)),
            Err(problem) => unreadable.push(problem),
        }
    }
    let refusals: Vec<Problem> = applied.iter().flat_map(|(_, applied)| applied.refusals.clone()).collect();
    let refused = if refusals.is_empty() { State::Holds } else { State::Refused };
    let looked = if unreadable.is_empty() { State::Holds } else { State::Failed };
    Ok(match refused.and(looked) {
        State::Holds => Planned::Rewritten(table, inputs, applied),
        state => Planned::Refused(table, [unreadable, refusals].concat(), applied, state),
    })
}

fn inputs(args: &OverridesApplyArgs) -> anyhow::Result<Vec<Input>> {
    let inputs = files::manifests(&args.files)?;
    if !args.in_place {
        files::joinable(&inputs)?;
    }
    Ok(inputs)
}

/// What the reports are made of, however it ended.
struct Ending<'a> {
    args: &'a OverridesApplyArgs,
    show: &'a Show,
    ended: &'static str,
    found: Option<(&'a Table, &'a [(String, Applied)])>,
    missing: Option<&'a str>,
}

impl Ending<'_> {
    /// A report of nothing but problems.
    fn report(&self, problems: Vec<Problem>, verdict: String) -> anyhow::Result<Report> {
        let json = if self.show.format == Format::Json { self.json(&problems)? } else { String::new() };
        Ok(Report { json, table: None, problems, refused: None, details: Vec::new(), verdict })
    }

    /// The report for machines: one document, with the same keys however it ended.
    fn json(&self, problems: &[Problem]) -> anyhow::Result<String> {
        let entries = self.found.map(|(table, applied)| {
            let images = matched(table, applied);
            let entries = table.entries.iter().zip(images).enumerate();
            entries.map(|(index, (entry, images))| Matched { index, entry, images }).collect()
        });
        let document = Document {
            ended: self.ended,
            table: Named {
                file: self.args.table.display().to_string(),
                key: self.args.key.as_ref().map(Key::to_string),
            },
            missing: self.missing,
            in_place: self.args.in_place,
            entries,
            files: self.found.map(|(_, applied)| {
                applied
                    .iter()
                    .map(|(file, Applied { documents, images, edits, .. })| Rewritten {
                        file,
                        documents,
                        images,
                        edits,
                    })
                    .collect()
            }),
            problems,
        };
        Ok(serde_json::to_string(&document)?)
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    ended: &'a str,
    table: Named,
    missing: Option<&'a str>,
    in_place: bool,
    entries: Option<Vec<Matched<'a>>>,
    files: Option<Vec<Rewritten<'a>>>,
    problems: &'a [Problem],
}

#[derive(Serialize)]
struct Named {
    file: String,
    key: Option<String>,
}

#[derive(Serialize)]
struct Matched<'a> {
    index: usize,
    #[serde(flatten)]
    entry: &'a Entry,
    images: usize,
}

#[derive(Serialize)]
struct Rewritten<'a> {
    file: &'a str,
    documents: &'a usize,
    images: &'a usize,
    edits: &'a [Edit],
}

fn rewritten(
    ending: &Ending<'_>,
    table: &Table,
    applied: &[(String, Applied)],
    written: usize,
) -> anyhow::Result<Report> {
    let images = matched(table, applied);
    let edits: usize = applied.iter().map(|(_, applied)| applied.edits.len()).sum();
    let looked: usize = applied.iter().map(|(_, applied)| applied.images).sum();
    let documents: usize = applied.iter().map(|(_, applied)| applied.documents).sum();
    let mut verdict = format!(
        "{edits} of {} in {} rewritten",
        count(looked, "image", "images"),
        count(documents, "document", "documents")
    );
    if ending.args.in_place {
        verdict.push_str(&format!(", {} written", count(written, "file", "files")));
    }
    let unmatched = images.iter().filter(|&&n| n == 0).count();
    if unmatched > 0 {
        verdict.push_str(&format!("; {} matched nothing", show::entries(unmatched)));
    }
    let row = |(index, (entry, images)): (usize, (&Entry, &usize))| {
        let sign = |sign: &str, part: Option<String>| part.map(|part| format!("{sign}{part}")).unwrap_or_default();
        let sets = entry.new_name.clone().unwrap_or_default()
            + &sign(":", entry.new_tag.clone())
            + &sign("@", entry.digest.map(|digest| digest.to_string()));
        vec![index.to_string(), images.to_string(), entry.name.clone(), sets]
    };
    let line = |file: &str, edit: &Edit| {
        format!("{file}:{}:{}  {}  {} -> {}", edit.line, edit.column, edit.object, edit.old, edit.new)
    };
    let rows = table.entries.iter().zip(&images).enumerate().map(row).collect();
    let mut report = ending.report(overrides::warnings(table, applied), verdict)?;
    report.table = Some((vec!["entry", "images", "name", "sets"], rows));
    if ending.show.verbose > 0 {
        let lines = applied.iter().flat_map(|(file, applied)| applied.edits.iter().map(move |edit| line(file, edit)));
        report.details = lines.collect();
    }
    Ok(report)
}
