//! Whether a value is as a JSON Schema says (draft 7), as far as a published schema goes: a keyword that isn't
//! known here is a fault, so that nothing passes unseen.

use regex_automata::meta::Regex;
use serde_json::{Map, Value};

/// Keywords that say nothing about a value; `then` and `else` belong to `if`.
const TALK: [&str; 10] = [
    "$schema",
    "$id",
    "title",
    "description",
    "default",
    "definitions",
    "examples",
    "patternErrorMessage",
    "then",
    "else",
];

/// What is wrong with a value: a line for each fault, which begins with its place.
pub fn check(schema: &Value, value: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    Check { root: schema }.value(schema, value, "", &mut wrong);
    wrong
}

struct Check<'a> {
    root: &'a Value,
}

impl Check<'_> {
    fn value(&self, schema: &Value, value: &Value, at: &str, wrong: &mut Vec<String>) {
        let schema = match schema {
            Value::Object(schema) => schema,
            Value::Bool(true) => return,
            Value::Bool(false) => return wrong.push(format!("{at}: nothing may be here")),
            _ => panic!("{at}: {schema} is no schema"),
        };
        if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
            let target = self.root.pointer(name.strip_prefix('#').unwrap()).unwrap_or_else(|| panic!("no {name}"));
            // Beside a reference nothing counts (draft 7, section 8.3).
            return self.value(target, value, at, wrong);
        }
        for (keyword, said) in schema {
            self.keyword(schema, keyword, said, value, at, wrong);
        }
    }

    fn fits(&self, schema: &Value, value: &Value, at: &str) -> bool {
        let mut wrong = Vec::new();
        self.value(schema, value, at, &mut wrong);
        wrong.is_empty()
    }

    fn keyword(
        &self,
        schema: &Map<String, Value>,
        keyword: &str,
        said: &Value,
        value: &Value,
        at: &str,
        wrong: &mut Vec<String>,
    ) {
        let mut say = |fits: bool| {
            if !fits {
                wrong.push(format!("{}: {value} breaks {keyword}: {said}", if at.is_empty() { "/" } else { at }));
            }
        };
        match keyword {
            _ if TALK.contains(&keyword) => {}
            "type" => {
                let kinds = said.as_array().cloned().unwrap_or_else(|| vec![said.clone()]);
                say(kinds.iter().any(|kind| is(kind.as_str().unwrap(), value)));
            }
            "const" => say(said == value),
            "enum" => say(said.as_array().unwrap().contains(value)),
            "minimum" => say(value.as_f64().is_none_or(|number| number >= said.as_f64().unwrap())),
            "maximum" => say(value.as_f64().is_none_or(|number| number <= said.as_f64().unwrap())),
            "maxItems" => say(value.as_array().is_none_or(|items| items.len() as u64 <= said.as_u64().unwrap())),
            "minItems" => say(value.as_array().is_none_or(|items| items.len() as u64 >= said.as_u64().unwrap())),
            "uniqueItems" => {
                let twice = |items: &Vec<Value>| items.iter().enumerate().any(|(i, item)| items[..i].contains(item));
                say(said != &Value::Bool(true) || !value.as_array().is_some_and(twice));
            }
            "required" => {
                let names = said.as_array().unwrap().iter().map(|name| name.as_str().unwrap());
                say(value.as_object().is_none_or(|object| names.clone().all(|name| object.contains_key(name))));
            }
            "format" => say(value.as_str().is_none_or(|text| has_format(said.as_str().unwrap(), text))),
            "pattern" => {
                let pattern = Regex::new(said.as_str().unwrap()).unwrap_or_else(|error| panic!("{said}: {error}"));
                say(value.as_str().is_none_or(|text| pattern.is_match(text)));
            }
            "not" => say(!self.fits(said, value, at)),
            "anyOf" | "oneOf" => {
                let fitting = said.as_array().unwrap().iter().filter(|part| self.fits(part, value, at)).count();
                say(fitting == 1 || keyword == "anyOf" && fitting > 1);
            }
            "if" => {
                let next = if self.fits(said, value, at) { "then" } else { "else" };
                if let Some(next) = schema.get(next) {
                    self.value(next, value, at, wrong);
                }
            }
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    // A list of schemas says what each place holds, and of those after it nothing.
                    let said = if said.is_array() { said.get(index) } else { Some(said) };
                    if let Some(said) = said {
                        self.value(said, item, &format!("{at}/{index}"), wrong);
                    }
                }
            }
            "properties" => {
                for (key, value) in value.as_object().into_iter().flatten() {
                    if let Some(schema) = said.get(key) {
                        self.value(schema, value, &format!("{at}/{key}"), wrong);
                    }
                }
            }
            "additionalProperties" => {
                let listed = schema.get("properties").and_then(Value::as_object);
                let more = value.as_object().into_iter().flatten();
                for (key, value) in more.filter(|(key, _)| !listed.is_some_and(|listed| listed.contains_key(*key))) {
                    match said {
                        Value::Bool(true) => {}
                        Value::Bool(false) => wrong.push(format!("{at}/{key}: no such property")),
                        schema => self.value(schema, value, &format!("{at}/{key}"), wrong),
                    }
                }
            }
            _ => panic!("{at}: the keyword {keyword} isn't known here"),
        }
    }
}

fn is(kind: &str, value: &Value) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        _ => panic!("no type {kind}"),
    }
}

/// RFC 3986, as far as which characters there are, that `%` begins an octet, and that a `uri` has a scheme.
fn has_format(format: &str, text: &str) -> bool {
    let known = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&byte);
    let octets =
        text.split('%').skip(1).all(|rest| rest.len() > 1 && rest.bytes().take(2).all(|b| b.is_ascii_hexdigit()));
    let legal = text.bytes().all(known) && octets;
    let scheme = |text: &str| text.split_once(':').is_some_and(|(name, _)| !name.is_empty() && !name.contains('/'));
    // Without a scheme the first component has no colon.
    let relative = !text.starts_with(':') && text.split('/').next().is_none_or(|first| !first.contains(':'));
    match format {
        "uri" => legal && scheme(text),
        "uri-reference" => legal && (scheme(text) || relative),
        _ => panic!("no format {format}"),
    }
}

#[test]
fn a_fault_of_each_kind_is_seen() {
    let schema = serde_json::json!({
        "type": "object", "additionalProperties": false, "required": ["a"],
        "definitions": { "n": { "type": "integer", "minimum": 0 } },
        "properties": {
            "a": { "type": "array", "minItems": 1, "uniqueItems": true, "items": { "$ref": "#/definitions/n" } },
            "u": { "type": "string", "format": "uri-reference" },
            "e": { "enum": ["x"] },
            "o": { "anyOf": [{ "type": "null" }, { "$ref": "#/definitions/n" }] },
            "p": { "pattern": "^x+$", "not": { "pattern": "xxx" } },
            "t": { "items": [{ "const": "x" }, { "const": "y" }], "maxItems": 2 },
            "f": false,
        },
        "if": { "required": ["e"] }, "then": { "required": ["u"] }, "else": { "properties": { "u": false } },
    });
    let check = |value: Value| check(&schema, &value).len();
    assert_eq!(
        check(serde_json::json!({ "a": [1, 2], "u": "a%20b/c", "e": "x", "o": null, "p": "xx", "t": ["x"] })),
        0
    );
    for bad in [
        serde_json::json!([]),
        serde_json::json!({}),
        serde_json::json!({ "a": [] }),
        serde_json::json!({ "a": [1, 1] }),
        serde_json::json!({ "a": [-1] }),
        serde_json::json!({ "a": ["1"] }),
        serde_json::json!({ "a": [1], "b": 1 }),
        serde_json::json!({ "a": [1], "u": "a b" , "e": "x" }),
        serde_json::json!({ "a": [1], "u": "::a" , "e": "x" }),
        serde_json::json!({ "a": [1], "u": "%zz" , "e": "x" }),
        serde_json::json!({ "a": [1], "u": "a", "e": "y" }),
        serde_json::json!({ "a": [1], "o": "1" }),
        serde_json::json!({ "a": [1], "p": "y" }),
        serde_json::json!({ "a": [1], "p": "xxx" }),
        serde_json::json!({ "a": [1], "t": ["y"] }),
        serde_json::json!({ "a": [1], "t": ["x", "y", "z"] }),
        serde_json::json!({ "a": [1], "f": 1 }),
        serde_json::json!({ "a": [1], "e": "x" }),
        serde_json::json!({ "a": [1], "u": "a" }),
    ] {
        assert!(check(bad.clone()) > 0, "{bad}");
    }
}
