//! Images of a Dockerfile, with the defaults of its arguments put in.
//!
//! Source: the Dockerfile reference: `FROM` ("ARG and FROM interact": arguments before the first `FROM` count in
//! every `FROM`), `COPY --from`, `RUN --mount=from`, "Environment replacement" for `$a`, `${a}`, `${a:-b}`.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::seen::{Composed, head};

const WHY: &str = "a Dockerfile puts it together of its arguments' defaults";
const LATEST: &str = "without a tag a Dockerfile pulls `latest`";
/// Arguments of arguments are put in this often; what comes out is no longer than a reference may be.
const LONGEST: usize = 1_024;

pub(super) fn is_one(path: &[u8]) -> bool {
    let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or(path);
    let name = String::from_utf8_lossy(name).to_ascii_lowercase();
    ["dockerfile", "containerfile"].iter().any(|kind| {
        name == *kind
            || name.strip_prefix(kind).is_some_and(|rest| rest.starts_with('.'))
            || name.ends_with(&format!(".{kind}"))
    })
}

/// Every image that is named outside of comments, in order.
pub(super) fn read(text: &str) -> Vec<Composed> {
    let mut file = File::default();
    let mut at = 0;
    let mut continued = None;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let trimmed = line.trim();
        if trimmed.starts_with('#') || trimmed.is_empty() {
            continue;
        }
        let first = continued.is_none();
        let words = words(line, start);
        let keyword = match (&continued, words.first()) {
            (Some(keyword), _) => String::clone(keyword),
            (None, Some(word)) => text[word.clone()].to_ascii_uppercase(),
            (None, None) => continue,
        };
        let arguments = words.get(usize::from(first)..).unwrap_or_default();
        file.line(text, &keyword, arguments);
        continued = trimmed.ends_with(['\\', '`']).then_some(keyword);
    }
    file.found
}

#[derive(Default)]
struct File {
    defaults: HashMap<String, String>,
    stages: BTreeSet<String>,
    found: Vec<Composed>,
}

impl File {
    fn line(&mut self, text: &str, keyword: &str, arguments: &[Range<usize>]) {
        let word = |span: &Range<usize>| &text[span.clone()];
        match keyword {
            "ARG" => {
                for (name, value) in arguments.iter().filter_map(|span| word(span).split_once('=')) {
                    let value = self.filled(head(value.trim_matches(['"', '\'']), LONGEST));
                    // Of an argument without a default in a later stage the first one's holds.
                    self.defaults.insert(name.to_owned(), value);
                }
            }
            "FROM" => {
                let mut images = arguments.iter().filter(|span| !word(span).starts_with("--") && word(span) != "\\");
                if let Some(span) = images.next() {
                    self.image(text, span.clone());
                }
                let mut rest = images.map(word).skip_while(|word| !word.eq_ignore_ascii_case("as"));
                self.stages.extend(rest.nth(1).map(str::to_ascii_lowercase));
            }
            "COPY" | "ADD" | "RUN" => {
                for span in arguments {
                    let from = match word(span) {
                        flag if flag.starts_with("--from=") => Some(span.start + 7..span.end),
                        flag if flag.starts_with("--mount=") => flag.split_once("from=").map(|(before, rest)| {
                            let start = span.start + before.len() + 5;
                            start..start + rest.find(',').unwrap_or(rest.len())
                        }),
                        _ => None,
                    };
                    if let Some(span) = from {
                        self.image(text, span);
                    }
                }
            }
            _ => {}
        }
    }

    fn image(&mut self, text: &str, span: Range<usize>) {
        let written = text[span.clone()].trim_matches(['"', '\'']);
        let image = self.filled(written);
        let is_stage = self.stages.contains(&image.to_ascii_lowercase()) || image.bytes().all(|b| b.is_ascii_digit());
        if !is_stage {
            let why = if written.contains('$') { WHY } else { LATEST };
            let start = span.start + text[span].find(written).unwrap_or_default();
            self.found.push(Composed { span: start..start + written.len(), text: image, why });
        }
    }

    /// A text with arguments put in, as far as they have a default.
    fn filled(&self, text: &str) -> String {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('$') {
            filled.push_str(before);
            let (name, default, left) = match after.strip_prefix('{').and_then(|inner| inner.split_once('}')) {
                Some((inner, left)) => {
                    let (name, default) = inner.split_once(":-").map_or((inner, None), |(n, d)| (n, Some(d)));
                    (name, default, left)
                }
                None => {
                    let end = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len());
                    (&after[..end], None, &after[end..])
                }
            };
            let value = self.defaults.get(name).map(String::as_str).filter(|value| !value.is_empty()).or(default);
            filled.push_str(head(value.unwrap_or_default(), LONGEST));
            rest = left;
            if filled.len() > LONGEST {
                return String::new();
            }
        }
        filled.push_str(rest);
        filled
    }
}

/// The words of a line, as places in the text.
fn words(line: &str, start: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    for piece in line.split(char::is_whitespace) {
        if !piece.is_empty() {
            found.push(start + at..start + at + piece.len());
        }
        // A white space may be of several bytes.
        at += piece.len();
        at += line[at..].chars().next().map_or(0, char::len_utf8);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_put_in_and_stages_are_no_images() {
        let text = "ARG R=ghcr.io/o\nARG T\nFROM --platform=linux/amd64 ${R}/a:${T:-v1} AS Build\n# FROM x/y:1\n\
                    FROM build\nFROM \"$R/b@$D\"\nCOPY --from=build /x /y\nCOPY --from=0 /x /y\n\
                    RUN --mount=type=bind,from=$R/c:v2,target=/m \\\n  --mount=from=q/d:v3 true\n";
        let found: Vec<(&str, String)> =
            read(text).into_iter().map(|found| (&text[found.span.clone()], found.text)).collect();
        let expected = [
            ("${R}/a:${T:-v1}", "ghcr.io/o/a:v1"),
            ("$R/b@$D", "ghcr.io/o/b@"),
            ("$R/c:v2", "ghcr.io/o/c:v2"),
            ("q/d:v3", "q/d:v3"),
        ];
        assert_eq!(found, expected.map(|(written, image)| (written, image.to_owned())));
    }

    #[test]
    fn a_long_argument_is_cut() {
        let text = format!("ARG A={}\n{}", "a".repeat(1_000_000), "FROM q/$A\n".repeat(1_000));
        let found = read(&text);
        assert!(found.iter().all(|found| found.text.len() <= 2 * LONGEST), "{}", found.len());
    }

    #[test]
    fn a_name_says_what_is_one() {
        for (name, one) in [
            ("a/Dockerfile", true),
            ("Dockerfile.arm64", true),
            ("x.dockerfile", true),
            ("Containerfile", true),
            ("a/Dockerfiles", false),
            ("dockerfile/x.yaml", false),
        ] {
            assert_eq!(is_one(name.as_bytes()), one, "{name}");
        }
    }
}
