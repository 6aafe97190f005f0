//! `WWW-Authenticate` (RFC 9110 §11.6.1; distribution's token authentication).

use reqwest::Url;
use reqwest::header::{HeaderMap, WWW_AUTHENTICATE};

/// What a registry asks for before it answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Challenge {
    Basic,
    Bearer { realm: Url, service: Option<String>, scope: Option<String> },
}

/// The challenge to answer: a usable Bearer one before Basic. `Err` says what was asked instead.
pub(super) fn read(headers: &HeaderMap) -> Result<Challenge, String> {
    let mut basic = false;
    let mut others = Vec::new();
    for value in headers.get_all(WWW_AUTHENTICATE) {
        for (scheme, parameters) in parse(&String::from_utf8_lossy(value.as_bytes())) {
            let get = |key: &str| parameters.iter().find(|(k, _)| k == key).map(|(_, v)| v.clone());
            match scheme.as_str() {
                "bearer" => match get("realm").as_deref().map(Url::parse) {
                    Some(Ok(realm)) if matches!(realm.scheme(), "http" | "https") => {
                        return Ok(Challenge::Bearer {
                            realm,
                            service: get("service"),
                            scope: get("scope").filter(|s| !s.is_empty()),
                        });
                    }
                    _ => others.push("Bearer without a usable realm".to_owned()),
                },
                "basic" => basic = true,
                _ => others.push(scheme),
            }
        }
    }
    match (basic, others.is_empty()) {
        (true, _) => Ok(Challenge::Basic),
        (false, true) => Err("it names no way to authenticate".into()),
        (false, false) => Err(format!("it asks for {}, which is not supported", others.join(", "))),
    }
}

/// Schemes in lower case, each with its parameters (keys in lower case).
fn parse(text: &str) -> Vec<(String, Vec<(String, String)>)> {
    let mut challenges: Vec<(String, Vec<(String, String)>)> = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        let end = rest.find([' ', '\t', ',', '=']).unwrap_or(rest.len());
        let (token, after) = rest.split_at(end);
        if token.is_empty() {
            // A stray `=` (a token68's padding) or the end.
            match after.strip_prefix('=') {
                Some(after) => rest = after,
                None => return challenges,
            }
            continue;
        }
        let after = after.trim_start_matches([' ', '\t']);
        match after.strip_prefix('=') {
            Some(after) => {
                let (value, after) = value(after.trim_start_matches([' ', '\t']));
                if let Some((_, parameters)) = challenges.last_mut() {
                    parameters.push((token.to_ascii_lowercase(), value));
                }
                rest = after;
            }
            None => {
                challenges.push((token.to_ascii_lowercase(), Vec::new()));
                rest = after;
            }
        }
    }
}

/// A token or a quoted string, and what follows it.
fn value(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let (value, rest) = text.split_at(text.find([' ', '\t', ',']).unwrap_or(text.len()));
        return (value.to_owned(), rest);
    };
    let (mut value, mut chars) = (String::new(), quoted.char_indices());
    while let Some((at, char)) = chars.next() {
        match char {
            '"' => return (value, quoted.get(at + 1..).unwrap_or_default()),
            '\\' => value.extend(chars.next().map(|(_, escaped)| escaped)),
            _ => value.push(char),
        }
    }
    (value, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(values: &[&str]) -> HeaderMap {
        values.iter().map(|v| (WWW_AUTHENTICATE, v.parse().unwrap())).collect()
    }

    #[test]
    fn reads_what_registries_send() {
        let bearer = |scope: Option<&str>| Challenge::Bearer {
            realm: Url::parse("https://auth.example/token").unwrap(),
            service: Some("a \"b\", c".into()),
            scope: scope.map(str::to_owned),
        };
        let with_scope =
            r#"Bearer realm="https://auth.example/token",service="a \"b\", c",scope="repository:x:pull,push""#;
        assert_eq!(read(&headers(&[with_scope])), Ok(bearer(Some("repository:x:pull,push"))));
        let spaced = r#"Basic realm="x", bearer realm = "https://auth.example/token" , Service="a \"b\", c""#;
        assert_eq!(read(&headers(&[spaced])), Ok(bearer(None)));
        assert_eq!(read(&headers(&["Negotiate YII==", r#"Basic realm="r, s=t""#])), Ok(Challenge::Basic));
    }

    #[test]
    fn says_what_it_can_not_answer() {
        for values in [&[][..], &[""], &["Negotiate"], &["Bearer"], &[r#"Bearer realm="nowhere""#], &["=,=\"\\"]] {
            assert!(read(&headers(values)).is_err(), "{values:?}");
        }
        assert!(read(&headers(&[r#"Bearer realm="file:///etc/passwd""#])).is_err());
    }

    proptest::proptest! {
        #[test]
        fn reads_anything_to_its_end(text in "[ -~\\t]{0,80}") {
            let _ = read(&headers(&[&text]));
        }
    }
}
