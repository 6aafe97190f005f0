//! What GitHub says when it says no, and what a token lacks.

use reqwest::header::{CONTENT_TYPE, HeaderMap};
use serde::Deserialize;
use serde_json::Value;

use super::limits::limit;
use super::tokens::Confided;
use super::transport::Reply;
use crate::port::http::excerpt;

#[derive(Deserialize)]
struct Body {
    message: Option<String>,
    errors: Option<Value>,
}

/// The server's words in one line of a bounded length, with the wait that it asks for. What it was
/// told in confidence is taken out before anything is cut.
pub(super) fn of(reply: &Reply, confided: &Confided) -> String {
    let words = excerpt(&confided.redact(&body(reply)));
    match limit(reply) {
        Some(Some(wait)) => format!("{words}; it asks to wait {} s: try again later", wait.as_secs()),
        _ => words,
    }
}

fn body(reply: &Reply) -> String {
    let kind = header(&reply.headers, CONTENT_TYPE.as_str()).unwrap_or_default();
    if kind.trim_start().to_ascii_lowercase().starts_with("text/html") {
        return "an HTML page, which GitHub's API never sends: is there a proxy?".to_owned();
    }
    let Ok(Body { message: Some(message), errors }) = serde_json::from_slice(&reply.body) else {
        return String::from_utf8_lossy(&reply.body).into_owned();
    };
    let errors = match errors {
        Some(Value::Array(errors)) => errors.iter().map(error).collect(),
        Some(Value::String(error)) => vec![error],
        _ => Vec::new(),
    };
    [vec![message], errors].concat().join("; ")
}

/// One of `errors`: a text, or resource, field, code and perhaps words of its own.
fn error(value: &Value) -> String {
    let text = |key: &str| value[key].as_str().filter(|text| !text.is_empty());
    match (value.as_str(), text("message"), text("field"), text("code")) {
        (Some(words), ..) | (_, Some(words), ..) => words.to_owned(),
        (_, _, Some(field), Some(code)) => format!("{field}: {code}"),
        (_, _, _, Some(code)) => code.to_owned(),
        _ => value.to_string(),
    }
}

/// What this token would need to be allowed, as far as a refusal says it (GitHub, "Troubleshooting
/// the REST API": `X-Accepted-GitHub-Permissions`). Of tokens with permissions every answer names
/// what it takes, so this is for refusals alone.
pub(super) fn missing(headers: &HeaderMap, public: bool) -> Option<String> {
    let permissions = header(headers, "x-accepted-github-permissions");
    let permissions = permissions.map(|text| format!("it takes the permission {}", excerpt(&text.replace(';', " or"))));
    hidden(headers, public).or(permissions)
}

/// What a classic token lacks to be shown a thing at all (`X-GitHub-SSO`, `X-Accepted-OAuth-Scopes`
/// against `X-OAuth-Scopes`): then a 404 says nothing. `public`: the repository is known to be, where
/// the scope `public_repo` does for `repo`.
pub(super) fn hidden(headers: &HeaderMap, public: bool) -> Option<String> {
    if let Some(sso) = header(headers, "x-github-sso").filter(|sso| sso.starts_with("required")) {
        let sso = excerpt(sso);
        return Some(format!("the organization wants this token to be authorized for single sign-on ({sso})"));
    }
    let (held, accepted) = (scopes(headers, "x-oauth-scopes")?, scopes(headers, "x-accepted-oauth-scopes")?);
    let covers = |held: &str, accepted: &str| {
        held == accepted
            || held == "repo" && (accepted == "public_repo" || accepted.starts_with("repo:"))
            || held == "public_repo" && accepted == "repo" && public
    };
    let covered = accepted.iter().any(|accepted| held.iter().any(|held| covers(held, accepted)));
    let list = |scopes: &[&str]| if scopes.is_empty() { "no scope".to_owned() } else { scopes.join(", ") };
    let words = || format!("it takes the scope {}, the token has {}", accepted.join(" or "), list(&held));
    (!accepted.is_empty() && !covered).then(|| excerpt(&words()))
}

/// Whether the token is a classic one that can't write here, whatever its owner may.
pub(super) fn lacks_repo_scope(headers: &HeaderMap, private: bool) -> bool {
    let does = |scope: &&str| *scope == "repo" || *scope == "public_repo" && !private;
    scopes(headers, "x-oauth-scopes").is_some_and(|scopes| !scopes.iter().any(does))
}

fn scopes<'a>(headers: &'a HeaderMap, name: &str) -> Option<Vec<&'a str>> {
    let text = headers.get(name)?.to_str().ok()?;
    Some(text.split(',').map(str::trim).filter(|scope| !scope.is_empty()).collect())
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok().filter(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(list: &[(&'static str, &str)]) -> HeaderMap {
        list.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    fn said(body: &str) -> String {
        let url = reqwest::Url::parse("http://x/").unwrap();
        of(
            &Reply { status: 422, headers: HeaderMap::new(), body: body.into(), url, stored: None },
            &Confided::default(),
        )
    }

    #[test]
    fn the_words_name_each_error() {
        let all = r#"{"message":"Validation Failed","errors":[
            {"resource":"Release","field":"tag_name","code":"already_exists"},
            {"resource":"PullRequest","code":"custom","message":"A pull request already exists for o:b."},
            "plain", {"code":"odd"}, 7],"documentation_url":"https://x"}"#;
        let words =
            "Validation Failed; tag_name: already_exists; A pull request already exists for o:b.; plain; odd; 7";
        assert_eq!(said(all), words);
        assert_eq!(said(r#"{"message":"No","errors":"because"}"#), "No; because");
        assert_eq!(said(r#"{"message":null}"#), r#"{"message":null}"#);
        assert_eq!(said("a\u{1b}[31m\nb"), "a [31m b");
        assert_eq!(said(""), "");
    }

    #[test]
    fn what_a_token_lacks_is_named() {
        let missing = |list: &[(&'static str, &str)], public| missing(&headers(list), public);
        let fine = |needs| missing(&[("x-accepted-github-permissions", needs)], true).unwrap();
        assert_eq!(
            fine("contents=write; contents=write,workflows=write"),
            "it takes the permission contents=write or contents=write,workflows=write"
        );
        let classic = |held, accepted, public| {
            missing(&[("x-oauth-scopes", held), ("x-accepted-oauth-scopes", accepted)], public)
        };
        assert_eq!(classic("gist, user", "repo", true).unwrap(), "it takes the scope repo, the token has gist, user");
        assert_eq!(classic("", "repo", true).unwrap(), "it takes the scope repo, the token has no scope");
        assert!(classic("public_repo", "repo", false).is_some());
        for (held, accepted) in
            [("public_repo", "repo"), ("repo", "public_repo, repo"), ("repo", "repo:status"), ("gist", "")]
        {
            assert_eq!(classic(held, accepted, true), None, "{held} {accepted}");
        }
        assert_eq!(missing(&[("x-accepted-oauth-scopes", "repo")], true), None);
        let sso = missing(&[("x-github-sso", "required; url=https://github.com/orgs/o/sso")], true);
        assert!(sso.unwrap().contains("https://github.com/orgs/o/sso"));
    }
}
