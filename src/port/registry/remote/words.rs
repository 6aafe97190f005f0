//! What a registry says when it says no (OCI distribution-spec, error codes).

use serde::Deserialize;

use super::transport::Reply;

#[derive(Deserialize)]
struct Envelope {
    errors: Vec<OciError>,
}

#[derive(Deserialize)]
struct OciError {
    code: String,
    #[serde(default)]
    message: serde_json::Value,
}

fn envelope(body: &[u8]) -> Option<Envelope> {
    serde_json::from_slice::<Envelope>(body).ok().filter(|envelope| !envelope.errors.is_empty())
}

/// Whether this answer proves absence: 404, and every error code is one of `codes`. The
/// request must have been a GET.
pub(super) fn proves_absence(reply: &Reply, codes: &[&str]) -> bool {
    reply.status == 404
        && envelope(&reply.body).is_some_and(|e| e.errors.iter().all(|error| codes.contains(&error.code.as_str())))
}

/// The server's words as it sent them: [`super::auth::Auth::words`] makes them fit to be shown.
pub(super) fn of(reply: &Reply) -> String {
    from_body(&reply.body)
}

pub(super) fn from_body(body: &[u8]) -> String {
    if let Some(envelope) = envelope(body) {
        let errors = envelope.errors.iter().map(|error| match error.message.as_str() {
            Some(message) if !message.is_empty() => format!("{}: {message}", error.code),
            _ => error.code.clone(),
        });
        return errors.collect::<Vec<_>>().join("; ");
    }
    String::from_utf8_lossy(body).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(status: u16, body: &str) -> Reply {
        let url = reqwest::Url::parse("http://x/").unwrap();
        Reply { status, headers: Default::default(), body: body.into(), url }
    }

    #[test]
    fn absence_is_a_code_and_a_status() {
        let unknown = r#"{"errors":[{"code":"MANIFEST_UNKNOWN","message":"x","detail":{"a":1}}]}"#;
        let codes = ["MANIFEST_UNKNOWN", "NAME_UNKNOWN"];
        assert!(proves_absence(&reply(404, unknown), &codes));
        assert!(!proves_absence(&reply(429, unknown), &codes));
        for body in [
            "",
            "404 page not found",
            "MANIFEST_UNKNOWN",
            r#"{"errors":[]}"#,
            r#"{"errors":[{"code":"DENIED","message":"MANIFEST_UNKNOWN"}]}"#,
            r#"{"errors":[{"code":"MANIFEST_UNKNOWN"},{"code":"TOOMANYREQUESTS"}]}"#,
        ] {
            assert!(!proves_absence(&reply(404, body), &codes), "{body}");
        }
    }

    #[test]
    fn words_are_those_of_all_errors() {
        let body = r#"{"errors":[{"code":"DENIED","message":"no way"},{"code":"X"}]}"#;
        assert_eq!(of(&reply(403, body)), "DENIED: no way; X");
        assert_eq!(of(&reply(502, "<html>")), "<html>");
    }
}
