//! The edits that a table makes of a stream of manifests, and the proof that they are all.

use std::collections::{BTreeSet, HashMap};
use std::io::{self, Write};
use std::ops::Range;

use serde::Serialize;

use super::documents::documents;
use super::image::Unfit;
use super::images::{Image, images, object};
use super::problem::{Problem, Rule, shown};
use super::{NODES, Table};
use crate::model::Lines;
use crate::yaml::{Content, Id, Node, Reading, Style, Yaml};

#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// `ephemeralContainers` count, too.
    pub ephemeral: bool,
    /// Values in a document, at most: what bounds the memory.
    pub values: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { ephemeral: false, values: NODES }
    }
}

/// One image, rewritten.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Edit {
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    /// `Deployment/web`: the object's kind and name.
    pub object: String,
    pub old: String,
    pub new: String,
    /// The entries that matched, in the order they applied.
    pub entries: Vec<usize>,
    pub unpinned: bool,
    /// The bytes that are replaced, in the file.
    #[serde(skip)]
    pub span: Range<usize>,
    /// What replaces them: the image, in quotes where it needs them.
    #[serde(skip)]
    written: String,
}

/// What a table makes of one file.
#[derive(Debug, Default)]
pub struct Applied {
    /// Documents with something in them.
    pub documents: usize,
    /// Images of containers.
    pub images: usize,
    /// In order of place.
    pub edits: Vec<Edit>,
    /// For each entry the images that it matched, edited or as it wants them already.
    pub matched: Vec<usize>,
    /// Why nothing may be written: in order of place.
    pub refusals: Vec<Problem>,
    /// The images' names, as they were.
    pub names: BTreeSet<String>,
}

/// Plans the edits of a file of manifests, which `file` is the name of. Errors: it can't be read.
pub fn apply(table: &Table, file: &str, bytes: &[u8], options: Options) -> Result<Applied, Problem> {
    let unreadable = |(line, column), message: String, help: &str| Problem {
        rule: Rule::Unreadable,
        entry: None,
        file: file.to_owned(),
        line,
        column,
        message,
        help: help.to_owned(),
    };
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let place = Lines::new(bytes).place(error.valid_up_to());
        unreadable(place, "not UTF-8".into(), "write the manifests in UTF-8")
    })?;
    let mut applied = Applied { matched: vec![0; table.entries.len()], ..Applied::default() };
    let mut above = 0;
    for piece in documents(text) {
        let content = text.get(piece.clone()).unwrap_or_default();
        let lines = Lines::new(content.as_bytes());
        let yaml = Yaml::parse_bounded(content, options.values).map_err(|error| {
            let (line, column) = lines.place(error.span.start);
            let help = "correct the manifest; a template has to be rendered first";
            unreadable((above + line, column), format!("not YAML: {}", error.message), help)
        })?;
        let part = Part { table, file, content, yaml: &yaml, lines: &lines, above, start: piece.start };
        part.apply(options, &mut applied);
        above += memchr::memchr_iter(b'\n', content.as_bytes()).count();
    }
    Ok(applied)
}

/// One piece of the stream.
struct Part<'a> {
    table: &'a Table,
    file: &'a str,
    content: &'a str,
    yaml: &'a Yaml,
    lines: &'a Lines<'a>,
    /// Lines and bytes before it.
    above: usize,
    start: usize,
}

impl Part<'_> {
    fn apply(&self, options: Options, applied: &mut Applied) {
        let null = |id: &&Id| self.yaml.scalar(**id).is_some_and(|scalar| scalar.is_null());
        applied.documents += self.yaml.documents.iter().filter(|id| !null(id)).count();
        let mut edits: Vec<(Id, Edit)> = Vec::new();
        let mut objects: HashMap<Id, String> = HashMap::new();
        for image in images(self.yaml, &self.yaml.documents, options.ephemeral) {
            applied.images += 1;
            match self.edit(&image, applied) {
                Ok(Some(mut edit)) => {
                    let object = objects.entry(image.object).or_insert_with(|| object(self.yaml, image.object));
                    edit.object.clone_from(object);
                    edits.push((image.id, edit));
                }
                Ok(None) => {}
                Err(unfit) => applied.refusals.push(self.refusal(&image, unfit)),
            }
        }
        if let (Err(message), Some((_, first))) = (self.prove(&edits), edits.first()) {
            let unfit = Unfit { rule: Rule::Unproven, entry: first.entries[0], message };
            let image = Image { id: edits[0].0, scalar: edits[0].0, object: 0, shared: false };
            applied.refusals.push(self.refusal(&image, unfit));
        }
        applied.edits.extend(edits.into_iter().map(|(_, edit)| edit));
    }

    /// The edit of one image; `None` where no entry matches, or it is as the entry wants it.
    fn edit(&self, image: &Image, applied: &mut Applied) -> Result<Option<Edit>, Unfit> {
        let Some(scalar) = self.yaml.scalar(image.scalar) else { return Ok(None) };
        let old = scalar.value.as_str();
        let name = super::image::split(old).name;
        if !applied.names.contains(name) {
            applied.names.insert(name.to_owned());
        }
        let Some(rewritten) = self.table.rewrite(old)? else { return Ok(None) };
        for &entry in &rewritten.entries {
            applied.matched[entry] += 1;
        }
        if rewritten.image == old {
            return Ok(None);
        }
        let refuse = |rule, message| Err(Unfit { rule, entry: rewritten.entries[0], message });
        if image.shared {
            return refuse(Rule::SharedImage, format!("{} is shared by an alias with another field", shown(old)));
        }
        let (span, written) = if image.id != image.scalar {
            // The alias gives way to the image itself: what it stood for stays as it is.
            (self.yaml.nodes[image.id].span.clone(), plain(&rewritten.image))
        } else {
            let written = match scalar.style {
                Style::Block => return refuse(Rule::BlockScalar, format!("{} is a block of text", shown(old))),
                Style::Plain => plain(&rewritten.image),
                // A reference has no letter that either quotes would have to escape.
                Style::SingleQuoted | Style::DoubleQuoted => rewritten.image.clone(),
            };
            (scalar.span.clone(), written)
        };
        let (line, column) = self.lines.place(span.start);
        Ok(Some(Edit {
            line: self.above + line,
            column,
            object: String::new(),
            old: old.to_owned(),
            new: rewritten.image,
            entries: rewritten.entries,
            unpinned: rewritten.unpinned,
            span: self.start + span.start..self.start + span.end,
            written,
        }))
    }

    fn refusal(&self, image: &Image, unfit: Unfit) -> Problem {
        let Unfit { rule, entry, message } = unfit;
        let (line, column) = self.lines.place(self.yaml.nodes.get(image.id).map_or(0, |node| node.span.start));
        let help = match rule {
            Rule::SharedImage => "write the image out where the container is",
            Rule::BlockScalar => "write the image on one line",
            Rule::NotAReference => "render the manifest to the end, or correct the image",
            Rule::NoReferenceMade => "correct the entry, or the image",
            _ => "write the images of this document plainly, one to a line",
        };
        Problem {
            rule,
            entry: Some(entry),
            file: self.file.to_owned(),
            line: self.above + line,
            column,
            message,
            help: help.to_owned(),
        }
    }

    /// Reads the edited piece again and requires that the images are the new ones and everything else is
    /// what it was.
    fn prove(&self, edits: &[(Id, Edit)]) -> Result<(), String> {
        if edits.is_empty() {
            return Ok(());
        }
        let mut after = Vec::with_capacity(self.content.len());
        let shifted = |edit: &Edit| edit.span.start - self.start..edit.span.end - self.start;
        splice(self.content.as_bytes(), edits.iter().map(|(_, edit)| (shifted(edit), edit)), &mut after)
            .map_err(|error| error.to_string())?;
        let text = std::str::from_utf8(&after).map_err(|error| error.to_string())?;
        let again = Yaml::parse_bounded(text, self.yaml.nodes.len())
            .map_err(|error| format!("the edited document would not be YAML: {}", error.message))?;
        let new: HashMap<Id, &str> = edits.iter().map(|(id, edit)| (*id, edit.new.as_str())).collect();
        let pairs = self.yaml.nodes.iter().zip(&again.nodes).enumerate();
        let same = self.yaml.nodes.len() == again.nodes.len()
            && self.yaml.documents == again.documents
            && pairs.into_iter().all(|(id, (old, now))| match new.get(&id) {
                Some(image) => {
                    matches!(&now.content, Content::Scalar(s) if s.value == **image && s.reading() == Reading::Text)
                }
                None => same(old, now),
            });
        match same {
            true => Ok(()),
            false => Err("the edited document would differ in more than its images".to_owned()),
        }
    }
}

/// Whether two nodes say the same, wherever they stand.
fn same(a: &Node, b: &Node) -> bool {
    let content = match (&a.content, &b.content) {
        (Content::Scalar(a), Content::Scalar(b)) => a.value == b.value && a.style == b.style,
        (a, b) => a == b,
    };
    content && a.key == b.key && a.anchored == b.anchored && a.tag.is_some() == b.tag.is_some()
}

/// A reference as a plain scalar, where YAML reads it back as text; else in quotes.
fn plain(image: &str) -> String {
    let safe = image.starts_with(|c: char| c.is_ascii_alphanumeric()) && Reading::of(image) == Reading::Text;
    if safe { image.to_owned() } else { format!("\"{image}\"") }
}

fn splice<'e>(
    bytes: &[u8],
    edits: impl Iterator<Item = (Range<usize>, &'e Edit)>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut at = 0;
    for (span, edit) in edits {
        let kept = bytes.get(at..span.start).ok_or_else(|| io::Error::other("edits overlap"))?;
        out.write_all(kept)?;
        out.write_all(edit.written.as_bytes())?;
        at = span.end;
    }
    out.write_all(bytes.get(at..).unwrap_or_default())
}

/// Writes a file as its edits leave it: every other byte as it was. Errors: the writer's.
pub fn write(bytes: &[u8], edits: &[Edit], out: &mut dyn Write) -> io::Result<()> {
    splice(bytes, edits.iter().map(|edit| (edit.span.clone(), edit)), out)
}
