//! Values made from a schema, and the faults to be tried on them.

use serde_json::{Map, Value, json};

use crate::support::github::schema;

/// The least value that a schema allows.
pub fn sample(schema: &Value) -> Value {
    let schema = schema::resolve(schema);
    let first = |key: &str| schema.get(key).and_then(|list| list.get(0));
    if let Some(value) = first("enum") {
        return value.clone();
    }
    if let Some(part) = first("oneOf").or_else(|| first("anyOf")) {
        let mut value = sample(part);
        if let (Value::Object(value), Value::Object(own)) = (&mut value, object(schema)) {
            value.extend(own);
        }
        return value;
    }
    if let Some(parts) = schema.get("allOf").and_then(Value::as_array) {
        let mut value = object(schema);
        for part in parts {
            match sample(part) {
                Value::Object(part) => value.as_object_mut().unwrap().extend(part),
                other => return other,
            }
        }
        return value;
    }
    match schema["type"].as_str() {
        Some("string") => match schema["format"].as_str() {
            Some("uri") => "https://github.test/x".into(),
            Some("date-time") => "2023-11-14T22:13:20Z".into(),
            _ => "x".into(),
        },
        Some("integer" | "number") => 1.into(),
        Some("boolean") => true.into(),
        Some("array") => Value::Array(schema.get("items").map(sample).into_iter().collect()),
        _ => object(schema),
    }
}

/// With every required property, and every other one that doesn't lead back here.
fn object(schema: &Value) -> Value {
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let properties = schema["properties"].as_object();
    let wanted = properties.into_iter().flatten().filter(|(key, inner)| {
        required.contains(&key.as_str()) || inner.get("type").is_some_and(|kind| kind != "object" && kind != "array")
    });
    Value::Object(wanted.map(|(key, inner)| (key.clone(), sample(inner))).collect::<Map<_, _>>())
}

/// A value that is surely of another type.
pub fn other(value: &Value) -> Value {
    if value.is_object() { json!([[]]) } else { json!({"surely": "wrong"}) }
}

/// A value and all faults to be tried on it: each property taken out or of another type.
pub fn faults(value: &Value) -> Vec<(String, Value)> {
    let mut found = vec![("another type".to_owned(), other(value))];
    let mut with = |what: String, change: &dyn Fn(&mut Map<String, Value>)| {
        let mut copy = value.clone();
        change(copy.as_object_mut().unwrap());
        found.push((what, copy));
    };
    for (key, inner) in value.as_object().into_iter().flatten() {
        with(format!("no {key}"), &|object| drop(object.remove(key)));
        with(format!("{key} of another type"), &|object| drop(object.insert(key.clone(), other(inner))));
    }
    if value.is_object() {
        with("a key more".to_owned(), &|object| drop(object.insert("surely".into(), "wrong".into())));
    }
    found
}

/// Whether a fault must be noticed: optional properties may be missing, and some things may be anything.
pub fn must_fail(schema: &Value, value: &Value, what: &str) -> bool {
    let schema = schema::resolve(schema);
    if let Some(key) = what.strip_prefix("no ") {
        return schema["required"].as_array().is_some_and(|list| list.contains(&key.into()));
    }
    if what == "a key more" {
        return !value.as_object().unwrap().is_empty() && schema.get("additionalProperties").is_none();
    }
    true
}

/// Every place of a value where a fault can be put, by its own path.
pub fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            for (key, inner) in object {
                let at = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
                found.push(at.clone());
                places(inner, &at, found);
            }
        }
        Value::Array(list) => {
            for (index, inner) in list.iter().enumerate() {
                places(inner, &format!("{at}/{index}"), found);
            }
        }
        _ => {}
    }
}
