//! The repository itself, and who is asking.

use serde_json::json;

use super::call::{Answer, Call, error, reply};
use super::clock::iso;
use super::state::EPOCH;
use super::views::extend;

pub fn repository(call: &mut Call) -> Answer {
    Ok(reply(200, &call.full_repository()))
}

pub fn user(call: &mut Call) -> Answer {
    let token = call.token.as_ref().ok_or_else(|| error(401, "Requires authentication"))?;
    if !token.is_person() {
        return Err(error(403, "Resource not accessible by integration"));
    }
    let mut value = call.user(&token.login);
    let more = json!({
        "name": null, "company": null, "blog": "", "location": null, "email": null, "hireable": null, "bio": null,
        "public_repos": 0, "public_gists": 0, "followers": 0, "following": 0,
        "created_at": iso(EPOCH), "updated_at": iso(EPOCH),
    });
    extend(&mut value, more);
    Ok(reply(200, &value))
}

/// `{ viewer { login } }` and nothing else: the one way to ask that every kind of token has.
pub fn graphql(call: &mut Call) -> Answer {
    let token = call.token.as_ref().ok_or_else(|| error(401, "This endpoint requires you to be authenticated."))?;
    let query = call.json()?["query"].as_str().unwrap_or_default().to_owned();
    let words: String = query.chars().filter(|c| !c.is_whitespace()).collect();
    if !matches!(words.as_str(), "{viewer{login}}" | "query{viewer{login}}") {
        return Ok(reply(200, &json!({"errors": [{"message": format!("this fake knows no {query}")}]})));
    }
    Ok(reply(200, &json!({"data": {"viewer": {"login": token.login}}})))
}
