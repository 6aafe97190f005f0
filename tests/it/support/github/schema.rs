//! GitHub's own OpenAPI description (fixtures/github), and whether a value is as it says.
//!
//! Stricter than the description in two things: what it doesn't list must not be there, or a
//! misspelt optional key would go unseen; and what has properties is an object.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde_json::{Map, Value};

static DESCRIPTION: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../../../fixtures/github/openapi.json")).unwrap());

/// Statuses that any operation may answer with an error body ("Troubleshooting the REST API").
const ANYWHERE: [u16; 6] = [400, 401, 403, 404, 422, 429];

/// "If an upstream failure occurs, you will receive a `502 Bad Gateway`", says its prose.
const BROKEN_UPLOAD: (&str, u16) = ("POST /repos/{owner}/{repo}/releases/{release_id}/assets", 502);

/// `METHOD /path/{template}` and what is known about it.
pub fn operations() -> &'static Map<String, Value> {
    DESCRIPTION["operations"].as_object().unwrap()
}

pub fn schemas() -> &'static Map<String, Value> {
    DESCRIPTION["schemas"].as_object().unwrap()
}

/// The schema of that name, or of an operation's answer: `release`, or `GET /user` and 200.
pub fn named(name: &str) -> &'static Value {
    schemas().get(name).unwrap_or_else(|| panic!("fixtures/github/cut.py knows no {name}"))
}

/// What is wrong with an answer.
pub fn answer(operation: &str, status: u16, body: &[u8]) -> Vec<String> {
    let Some(known) = operations().get(operation) else { return vec![format!("{operation}: no such operation")] };
    let documented = known["answers"].get(status.to_string());
    match documented {
        Some(schema) if !schema.is_null() => json(schema, body),
        Some(_) if body.is_empty() => Vec::new(),
        None if (operation, status) == BROKEN_UPLOAD => json(named("basic-error"), body),
        _ if status >= 400 && (documented.is_some() || ANYWHERE.contains(&status)) => {
            let name = if status == 422 { "validation-error" } else { "basic-error" };
            json(named(name), body)
        }
        Some(_) => vec![format!("status {status} has no body")],
        None => vec![format!("status {status} isn't documented")],
    }
}

fn json(schema: &Value, body: &[u8]) -> Vec<String> {
    match serde_json::from_slice(body) {
        Ok(value) => check(schema, &value),
        Err(error) => vec![format!("no JSON: {error}")],
    }
}

/// What is wrong with a request's query: GitHub ignores a parameter that it doesn't know, so that
/// a misspelt filter filters nothing.
pub fn query(operation: &str, names: &[String]) -> Vec<String> {
    let known = &operations()[operation]["query"];
    let unknown = names.iter().filter(|name| known.get(name.as_str()).is_none());
    unknown.map(|name| format!("{operation} has no parameter `{name}`")).collect()
}

/// What is wrong with a request's body: GitHub answers 422 to it. Keys that it doesn't know it ignores.
pub fn body(operation: &str, body: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    if let Some(schema) = operations()[operation].get("body") {
        Check { closed: false, wrong: &mut wrong }.value(schema, body, "", true);
    }
    wrong
}

/// What is wrong with a value: a line for each fault, which begins with its place.
pub fn check(schema: &Value, value: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    Check { closed: true, wrong: &mut wrong }.value(schema, value, "", true);
    wrong
}

struct Check<'a> {
    closed: bool,
    wrong: &'a mut Vec<String>,
}

/// The schema that a reference names.
pub fn resolve(schema: &Value) -> &Value {
    match schema.get("$ref").and_then(Value::as_str) {
        Some(name) => resolve(named(name.trim_start_matches("#/"))),
        None => schema,
    }
}

fn list<'a>(schema: &'a Value, key: &str) -> &'a [Value] {
    schema.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The keys that a schema lists; `None` where it allows others.
fn keys(schema: &Value) -> Option<BTreeSet<&str>> {
    let schema = resolve(schema);
    if schema.get("additionalProperties").is_some_and(|more| more != &Value::Bool(false)) {
        return None;
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    let parts: Vec<&Value> = ["allOf", "anyOf", "oneOf"].iter().flat_map(|key| list(schema, key)).collect();
    if properties.is_none() && parts.is_empty() {
        return None;
    }
    let mut found: BTreeSet<&str> = properties.into_iter().flat_map(Map::keys).map(String::as_str).collect();
    for part in parts {
        found.extend(keys(part)?);
    }
    Some(found)
}

impl Check<'_> {
    fn say(&mut self, at: &str, what: impl std::fmt::Display) {
        self.wrong.push(format!("{}: {what}", if at.is_empty() { "/" } else { at }));
    }

    fn count(&self, schema: &Value, value: &Value, at: &str) -> Vec<String> {
        let mut wrong = Vec::new();
        Check { closed: self.closed, wrong: &mut wrong }.value(schema, value, at, true);
        wrong
    }

    /// `whole`: this schema describes all of the value, not a part of it that others complete.
    fn value(&mut self, schema: &Value, value: &Value, at: &str, whole: bool) {
        let schema = resolve(schema);
        if value.is_null() && schema.get("nullable") == Some(&Value::Bool(true)) {
            return;
        }
        self.shape(schema, value, at);
        for part in list(schema, "allOf") {
            self.value(part, value, at, false);
        }
        for (key, exactly) in [("anyOf", false), ("oneOf", true)] {
            let parts = list(schema, key);
            let tried: Vec<_> = parts.iter().map(|part| self.count(part, value, at)).collect();
            let fitting = tried.iter().filter(|wrong| wrong.is_empty()).count();
            if !parts.is_empty() && fitting == 0 {
                let nearest = tried.iter().min_by_key(|wrong| wrong.len()).unwrap();
                self.say(at, format_args!("none of {} alternatives; the nearest: {}", parts.len(), nearest.join("; ")));
            } else if exactly && fitting > 1 && !value.is_null() {
                self.say(at, format_args!("{fitting} alternatives at once"));
            }
        }
        if let (Some(object), true, true) = (value.as_object(), whole, self.closed) {
            let known = keys(schema);
            for key in object.keys().filter(|key| known.as_ref().is_some_and(|known| !known.contains(key.as_str()))) {
                self.say(at, format_args!("`{key}` isn't documented"));
            }
        }
    }

    /// What a schema says by itself.
    fn shape(&mut self, schema: &Value, value: &Value, at: &str) {
        let implied = schema.get("properties").map(|_| "object");
        let kind = schema.get("type").and_then(Value::as_str).or(implied);
        let fits = match kind {
            Some("object") => value.is_object(),
            Some("array") => value.is_array(),
            Some("string") => value.is_string(),
            Some("boolean") => value.is_boolean(),
            Some("integer") => value.is_i64() || value.is_u64(),
            Some("number") => value.is_number(),
            _ => true,
        };
        if !fits {
            return self.say(at, format_args!("{value} is no {}", kind.unwrap_or_default()));
        }
        if schema.get("enum").is_some() && !list(schema, "enum").contains(value) {
            self.say(at, format_args!("{value} isn't among {}", schema["enum"]));
        }
        if let Some(text) = value.as_str() {
            let fits = match schema.get("format").and_then(Value::as_str) {
                Some("uri") => {
                    text.split_once("://").is_some_and(|(scheme, rest)| !scheme.is_empty() && !rest.is_empty())
                }
                Some("date-time") => super::clock::epoch(text).is_some(),
                _ => true,
            };
            if !fits {
                self.say(at, format_args!("{value} is no {}", schema["format"]));
            }
        }
        for (index, item) in value.as_array().into_iter().flatten().enumerate() {
            if let Some(items) = schema.get("items") {
                self.value(items, item, &format!("{at}/{index}"), true);
            }
        }
        let Some(object) = value.as_object() else { return };
        for key in list(schema, "required").iter().filter_map(Value::as_str) {
            if !object.contains_key(key) {
                self.say(at, format_args!("`{key}` is missing"));
            }
        }
        for (key, value) in object {
            let more = || schema.get("additionalProperties").filter(|more| more.is_object());
            match schema.get("properties").and_then(|properties| properties.get(key)).or_else(more) {
                Some(inner) => self.value(inner, value, &format!("{at}/{key}"), true),
                None if schema.get("additionalProperties") == Some(&Value::Bool(false)) => {
                    self.say(at, format_args!("`{key}` isn't allowed"));
                }
                None => {}
            }
        }
    }
}
