//! A chart's folder, packed.

use std::io::Write as _;

use super::helmignore::{self, Rules};
use super::metadata::{Metadata, is_semver};
use super::scalar;
use super::values::Fault;
use super::{CONFIG_TYPE, Chart, ChartError, ChartSpec, Files, LAYER_TYPE};
use crate::archive::build::blob;
use crate::archive::gzip::Gzip;
use crate::archive::header::Item;
use crate::archive::manifest::manifest_for;
use crate::archive::name::refusal;
use crate::tree::{Kind, Tree, order, show};

const CHART: &[u8] = b"Chart.yaml";
/// Helm refuses to load larger files, and larger charts.
const FILE_LIMIT: u64 = 5 << 20;
const CHART_LIMIT: u64 = 100 << 20;

/// Packs the chart whose folder is the tree's root. The same tree and spec give the same bytes.
pub fn pack(tree: &dyn Tree, spec: &ChartSpec) -> Result<Chart, ChartError> {
    if !is_semver(&spec.version) {
        return Err(ChartError::Version(spec.version.clone()));
    }
    let at = Places(tree);
    let mut files = collect(&at)?;
    stamp(&at, &mut files, spec)?;
    let name = check(&at, &files)?;
    // Last, so that the lines in messages are those of the file.
    let metadata = complete(&at, &mut files, spec)?;

    let config = metadata.config().map_err(|error| at.place(CHART, 0, error.to_string()))?;
    let config = blob(CONFIG_TYPE, config);
    let layer = layer(&name, &files).map_err(|error| at.place(CHART, 0, format!("packing failed: {error}")))?;
    let layer = blob(LAYER_TYPE, layer);
    let manifest = manifest_for(&config.descriptor, &layer.descriptor, &metadata.annotations());
    Ok(Chart { name, version: spec.version.clone(), config, layer, manifest, files })
}

/// Names places for messages.
struct Places<'a>(&'a dyn Tree);

impl Places<'_> {
    fn place(&self, path: &[u8], line: usize, reason: impl Into<String>) -> ChartError {
        let file = format!("{}/{}", self.0.describe(), show(path));
        ChartError::Place { file, line: (line > 0).then_some(line), reason: reason.into() }
    }

    fn fault(&self, path: &[u8], fault: Fault) -> ChartError {
        self.place(path, fault.line, fault.reason)
    }

    fn no_chart(&self) -> ChartError {
        self.place(CHART, 0, "there is no such file, or `.helmignore` leaves it out; name the folder of a chart")
    }
}

/// The files that `.helmignore` leaves in.
fn collect(at: &Places<'_>) -> Result<Files, ChartError> {
    let tree = at.0;
    let mut entries = tree.entries()?;
    entries.sort_by(|a, b| order(&a.path, &b.path));
    let rules = match entries.iter().find(|e| e.path == helmignore::FILE && e.kind == Kind::File) {
        Some(entry) => tree.read(&entry.path)?,
        None => Vec::new(),
    };
    let rules = Rules::new(&rules).map_err(|(line, reason)| at.place(helmignore::FILE, line, reason))?;
    let mut files = Files::new();
    let mut total = 0;
    let mut left_out: Option<Vec<u8>> = None;
    for entry in entries {
        let path = &entry.path;
        if left_out
            .as_ref()
            .is_some_and(|above| path.strip_prefix(above.as_slice()).is_some_and(|p| p.starts_with(b"/")))
        {
            continue;
        }
        let directory = entry.kind == Kind::Directory;
        if rules.matches(path, directory) {
            left_out = directory.then(|| path.clone()).or(left_out);
            continue;
        }
        match entry.kind {
            Kind::Directory => continue,
            Kind::File => {}
            Kind::Symlink => {
                let reason = "a symlink, whose target may lie outside the chart; put the file in its place, or leave the link out in .helmignore";
                return Err(at.place(path, 0, reason));
            }
            Kind::Other => return Err(at.place(path, 0, "not a regular file; leave it out in .helmignore")),
        }
        if let Some(reason) = refusal(path) {
            return Err(at.place(path, 0, format!("{reason}, which can't be unpacked again; rename it")));
        }
        total += entry.size;
        if entry.size > FILE_LIMIT || total > CHART_LIMIT {
            let reason = format!(
                "Helm loads files of up to {FILE_LIMIT} bytes and charts of up to {CHART_LIMIT}; leave it out in .helmignore"
            );
            return Err(at.place(path, 0, reason));
        }
        let content = tree.read(path)?;
        files.insert(entry.path, content);
    }
    if files.contains_key(CHART) { Ok(files) } else { Err(at.no_chart()) }
}

fn stamp(at: &Places<'_>, files: &mut Files, spec: &ChartSpec) -> Result<(), ChartError> {
    let chart = files.get_mut(CHART).ok_or_else(|| at.no_chart())?;
    let fault = |fault| at.fault(CHART, fault);
    *chart = scalar::replace_scalar(chart, "version", &spec.version).map_err(fault)?;
    if scalar::has(chart, "appVersion").map_err(fault)? {
        *chart = scalar::replace_scalar(chart, "appVersion", &spec.app_version).map_err(fault)?;
    }
    for stamp in &spec.stamps {
        let path = stamp.file.as_bytes();
        let file = files.get_mut(path).ok_or_else(|| {
            let reason = format!(
                "there is no such file in the chart to stamp `{}` into; correct the stamp's file, or let .helmignore keep it",
                stamp.key
            );
            at.place(path, 0, reason)
        })?;
        *file = scalar::replace_scalar(file, &stamp.key, &stamp.value).map_err(|fault| at.fault(path, fault))?;
    }
    Ok(())
}

/// Adds an `appVersion` where there is none, and hands out the metadata as it will be packed.
fn complete(at: &Places<'_>, files: &mut Files, spec: &ChartSpec) -> Result<Metadata, ChartError> {
    let chart = files.get_mut(CHART).ok_or_else(|| at.no_chart())?;
    let fault = |fault| at.fault(CHART, fault);
    if !scalar::has(chart, "appVersion").map_err(fault)? {
        *chart = scalar::insert_below(chart, "version", "appVersion", &spec.app_version).map_err(fault)?;
    }
    Metadata::new(chart).map_err(|(line, reason)| at.place(CHART, line, reason))
}

/// What Helm demands of a chart. Hands out its name.
fn check(at: &Places<'_>, files: &Files) -> Result<String, ChartError> {
    let chart = files.get(CHART).ok_or_else(|| at.no_chart())?;
    let metadata = Metadata::new(chart).map_err(|(line, reason)| at.place(CHART, line, reason))?;
    let wrong = |key: &str, reason: String| at.place(CHART, scalar::line_of(chart, key), reason);
    let name = metadata.name.unwrap_or_default();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    if name.is_empty() || !name.chars().all(plain) || name.starts_with('.') {
        return Err(wrong("name", format!("`name: {name}` can't name a chart; use letters, digits, `-`, `.` and `_`")));
    }
    if !matches!(metadata.api_version.as_deref(), Some("v1" | "v2")) {
        return Err(wrong("apiVersion", "`apiVersion` must be v2 (or v1)".into()));
    }
    if !matches!(metadata.r#type.as_deref(), None | Some("" | "application" | "library")) {
        return Err(wrong("type", "`type` must be application or library".into()));
    }
    for dependency in metadata.dependencies.iter().flatten() {
        if !has_subchart(files, &dependency.name) {
            let reason = format!(
                "the dependency `{}` is not in charts/; run `helm dependency build` and commit what it fetched",
                dependency.name
            );
            return Err(wrong("dependencies", reason));
        }
    }
    Ok(name)
}

/// Whether charts/ has a chart of this name: as an archive `NAME-….tgz`, or as a folder whose Chart.yaml says so.
fn has_subchart(files: &Files, name: &str) -> bool {
    files.iter().any(|(path, content)| {
        let Some(path) = path.strip_prefix(b"charts/".as_slice()) else { return false };
        match path.iter().position(|&b| b == b'/') {
            None => {
                path.strip_prefix(name.as_bytes()).is_some_and(|rest| rest.starts_with(b"-") && rest.ends_with(b".tgz"))
            }
            Some(slash) => {
                path.get(slash + 1..) == Some(CHART)
                    && Metadata::new(content).is_ok_and(|m| m.name.as_deref() == Some(name))
            }
        }
    })
}

/// The archive: `NAME/Chart.yaml` first, as Helm has it, then all else in order; mode 0644, no times.
fn layer(name: &str, files: &Files) -> std::io::Result<Vec<u8>> {
    let mut builder = tar::Builder::new(Gzip::new(Vec::new()));
    let mut rest: Vec<_> = files.iter().filter(|(path, _)| *path != CHART).collect();
    rest.sort_by(|a, b| order(a.0, b.0));
    let first = files.get_key_value(CHART);
    for (path, content) in first.into_iter().chain(rest) {
        let path = [name.as_bytes(), b"/", path].concat();
        let item = Item { name: &path, mode: 0o644, size: content.len() as u64, directory: false };
        if let Some((header, records)) = item.extension() {
            builder.append(&header, records.as_slice())?;
        }
        builder.append(&item.header(), content.as_slice())?;
    }
    let mut gzip = builder.into_inner()?;
    gzip.flush()?;
    gzip.finish()
}
