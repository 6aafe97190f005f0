//! SARIF 2.1.0 (OASIS Standard, errata 01), as GitHub's code scanning and editors read it.
//!
//! Each rule is listed whether or not it found something. What could not be looked at is a result of the kind
//! `open`, whose level has to be `none`, and makes the invocation an unsuccessful one.

use serde_json::{Map, Value, json};

use super::{counts, idle, looked_at, verdict};
use crate::lint::{Finding, Level, Lint, Place, RULES, Rule, Suppressed, Suppression};
use crate::report::json::unheard;

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
const ROOT: &str = "SRCROOT";
/// The name of our fingerprint, with its version.
const FINGERPRINT: &str = "sealift/v1";

/// The log of one run, as JSON text on one line.
pub fn text(lint: &Lint) -> String {
    format!("{}\n", unheard(&log(lint).to_string()))
}

/// The log of one run.
pub fn log(lint: &Lint) -> Value {
    let found = lint.findings.iter().map(|finding| result(finding, None));
    let suppressed = lint.suppressed.iter().map(|suppressed| result(&suppressed.finding, Some(suppressed)));
    let results: Vec<Value> = numbered(found.chain(suppressed).collect());
    let complete = lint.count(Level::Unknown) == 0;
    let told = lint.notes.iter().chain(&lint.left_over).cloned();
    let notes = told.chain(idle(lint)).map(|note| json!({ "level": "note", "message": { "text": note } }));
    let summary = format!("{}: {} ({})", verdict(lint), counts(lint), looked_at(lint));
    let level = if complete { "note" } else { "error" };
    let notifications: Vec<Value> =
        std::iter::once(json!({ "level": level, "message": { "text": summary } })).chain(notes).collect();
    let mut log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "sealift",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": RULES.iter().map(|rule| described(rule)).collect::<Vec<_>>(),
            } },
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": { ROOT: { "description": { "text": "The root of the repository." } } },
            "invocations": [{
                "executionSuccessful": complete,
                "toolExecutionNotifications": notifications,
            }],
            "results": results,
        }],
    });
    if let Some(looked) = &lint.registry {
        log["runs"][0]["properties"] = json!({ "registry": looked });
    }
    log
}

fn described(rule: &Rule) -> Value {
    json!({
        "id": rule.id,
        "shortDescription": { "text": rule.what },
        "help": { "text": format!("What to do: {}.", rule.hint) },
        "defaultConfiguration": { "level": level(rule.level) },
    })
}

/// What could not be looked at has no level: its kind says so.
fn level(level: Level) -> &'static str {
    match level {
        Level::Unknown => "none",
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Info => "note",
    }
}

fn result(finding: &Finding, suppressed: Option<&Suppressed>) -> Value {
    let kind = if finding.level == Level::Unknown { "open" } else { "fail" };
    let related: Vec<Value> = finding
        .related
        .iter()
        .map(|related| with(location(&related.place), "message", json!({ "text": related.message })))
        .collect();
    let mut result = json!({
        "ruleId": finding.rule,
        "ruleIndex": RULES.iter().position(|rule| rule.id == finding.rule),
        "kind": kind,
        "level": level(finding.level),
        "message": { "text": format!("{} (hint: {})", finding.message, finding.hint) },
        "locations": [location(&finding.place)],
        "partialFingerprints": { FINGERPRINT: finding.fingerprint.hex() },
    });
    if !related.is_empty() {
        result = with(result, "relatedLocations", related.into());
    }
    if let Some(Suppressed { by, reason, .. }) = suppressed {
        let known = json!([{ "kind": "external", "status": "accepted", "justification": reason }]);
        result = with(result, "suppressions", known);
        if *by == Suppression::Baseline {
            result = with(result, "baselineState", "unchanged".into());
        }
    }
    result
}

/// Results whose lines say the same, told apart by their order.
fn numbered(mut results: Vec<Value>) -> Vec<Value> {
    let mut seen = std::collections::BTreeMap::<String, usize>::new();
    for result in &mut results {
        let print = &mut result["partialFingerprints"][FINGERPRINT];
        let text = print.as_str().unwrap_or_default().to_owned();
        let nth = seen.entry(text.clone()).or_default();
        *nth += 1;
        *print = format!("{text}:{nth}").into();
    }
    results
}

fn location(place: &Place) -> Value {
    let mut physical = json!({ "artifactLocation": { "uri": uri(&place.file), "uriBaseId": ROOT } });
    if let (Some(span), Some(excerpt)) = (&place.span, &place.excerpt) {
        let line = format!("{}{}{}", excerpt.before, excerpt.marked, excerpt.after);
        let region = json!({
            "startLine": place.line,
            "startColumn": place.column,
            "endLine": place.line,
            "endColumn": place.end_column,
            "byteOffset": span.start,
            "byteLength": span.len(),
            "snippet": { "text": excerpt.marked },
        });
        let context = json!({ "startLine": place.line, "snippet": { "text": line } });
        physical = with(with(physical, "region", region), "contextRegion", context);
    }
    json!({ "physicalLocation": physical })
}

fn with(value: Value, key: &str, more: Value) -> Value {
    let mut map = match value {
        Value::Object(map) => map,
        _ => Map::new(),
    };
    map.insert(key.to_owned(), more);
    map.into()
}

/// A path as a relative reference (RFC 3986, section 4.2): what isn't unreserved is spelled by its bytes, so that
/// no colon makes a scheme of a folder.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' => uri.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_a_relative_reference() {
        assert_eq!(uri("packages/a-b/values_1.yaml"), "packages/a-b/values_1.yaml");
        assert_eq!(uri("::error/ä %\\n"), "%3A%3Aerror/%C3%A4%20%25%5Cn");
    }
}
