//! Refs and annotated tags, read and written over the API.

use git2::{ObjectType, Oid};
use serde_json::{Value, json};

use super::call::{Answer, Call, invalid, not_found, reply};
use super::origin::Origin;
use super::rules::Change;
use super::state::State;
use super::tokens::{Level, Role};
use super::views::node;
use crate::support::http::Response;

impl Call<'_> {
    fn object(&self, id: Oid) -> Value {
        let repository = self.origin.open();
        let kind = repository.find_object(id, None).unwrap().kind().unwrap();
        let word = if kind == ObjectType::Tag { "tag" } else { "commit" };
        json!({"type": word, "sha": id.to_string(), "url": format!("{}/git/{word}s/{id}", self.repo())})
    }

    fn ref_view(&self, name: &str, id: Oid) -> Value {
        let url = format!("{}/git/{name}", self.repo());
        json!({"ref": name, "node_id": node("REF", 1), "url": url, "object": self.object(id)})
    }

    fn said_commit(&self, said: &Value) -> Result<Oid, Response> {
        let known = said["sha"].as_str().and_then(|sha| Oid::from_str(sha).ok());
        let known = known.filter(|id| self.origin.open().find_object(*id, None).is_ok());
        known.ok_or_else(|| invalid("Object does not exist", &[]))
    }
}

/// What a tag's end does: its release is a draft again.
pub fn untag(state: &mut State, tag: &str) {
    for release in state.releases.iter_mut().filter(|release| release.tag_name == tag) {
        (release.draft, release.published_at) = (true, None);
    }
    let drafts: Vec<u64> = state.releases.iter().filter(|release| release.draft).map(|release| release.id).collect();
    state.latest = state.latest.filter(|id| !drafts.contains(id));
}

/// `git push --delete` of a tag.
pub fn delete_tag(state: &mut State, origin: &Origin, tag: &str) {
    origin.delete(&format!("refs/tags/{tag}"));
    untag(state, tag);
}

pub fn get(call: &mut Call) -> Answer {
    call.need(Role::Pull, &["contents"], Level::Read)?;
    let name = format!("refs/{}", call.place(0));
    Ok(reply(200, &call.ref_view(&name, call.origin.find(&name).ok_or_else(not_found)?)))
}

/// All that begin so, on one page: this list isn't paged.
pub fn matching(call: &mut Call) -> Answer {
    call.need(Role::Pull, &["contents"], Level::Read)?;
    let start = format!("refs/{}", call.place(0));
    let refs = call.origin.refs();
    let fitting = refs.iter().filter(|(name, _)| name.starts_with(&start));
    Ok(reply(200, &fitting.map(|(name, id)| call.ref_view(name, *id)).collect()))
}

pub fn create(call: &mut Call) -> Answer {
    call.need(Role::Push, &["contents"], Level::Write)?;
    let said = call.json()?;
    let name = said["ref"].as_str().unwrap_or_default().to_owned();
    if !name.starts_with("refs/") || name.split('/').count() < 3 || !git2::Reference::is_valid_name(&name) {
        return Err(invalid("Reference name must start with 'refs/' and contain at least two slashes", &[]));
    }
    if call.origin.find(&name).is_some() {
        return Err(invalid("Reference already exists", &[]));
    }
    let id = call.said_commit(&said)?;
    call.allowed(&name, Change::Creation)?;
    call.origin.set(&name, id);
    Ok(reply(201, &call.ref_view(&name, id)))
}

/// A fast-forward, unless forced.
pub fn update(call: &mut Call) -> Answer {
    call.need(Role::Push, &["contents"], Level::Write)?;
    let said = call.json()?;
    let name = format!("refs/{}", call.place(0));
    let old = call.origin.find(&name).ok_or_else(|| invalid("Reference does not exist", &[]))?;
    let new = call.said_commit(&said)?;
    let forward = call.origin.reaches(new, old);
    if !forward && !said["force"].as_bool().unwrap_or(false) {
        return Err(invalid("Update is not a fast forward", &[]));
    }
    call.allowed(&name, if forward { Change::Update } else { Change::Force })?;
    call.origin.set(&name, new);
    Ok(reply(200, &call.ref_view(&name, new)))
}

pub fn delete(call: &mut Call) -> Answer {
    call.need(Role::Push, &["contents"], Level::Write)?;
    let name = format!("refs/{}", call.place(0));
    call.origin.find(&name).ok_or_else(|| invalid("Reference does not exist", &[]))?;
    call.allowed(&name, Change::Deletion)?;
    let of = |release: &super::state::Release| release.immutable && name == format!("refs/tags/{}", release.tag_name);
    if call.state.releases.iter().any(of) {
        return Err(invalid("Cannot delete the tag of an immutable release", &[]));
    }
    call.origin.delete(&name);
    if let Some(tag) = name.strip_prefix("refs/tags/") {
        untag(call.state, tag);
    }
    Ok(Response::new(204, ""))
}

pub fn tag(call: &mut Call) -> Answer {
    call.need(Role::Pull, &["contents"], Level::Read)?;
    let id = Oid::from_str(call.place(0)).map_err(|_| not_found())?;
    let repository = call.origin.open();
    let tag = repository.find_tag(id).map_err(|_| not_found())?;
    let tagger = tag.tagger();
    let tagger = json!({
        "name": tagger.as_ref().and_then(|tagger| tagger.name().ok()).unwrap_or_default(),
        "email": tagger.as_ref().and_then(|tagger| tagger.email().ok()).unwrap_or_default(),
        "date": super::clock::iso(tagger.as_ref().map_or(0, |tagger| tagger.when().seconds())),
    });
    let value = json!({
        "node_id": node("TA", 1), "tag": tag.name().unwrap(), "sha": id.to_string(),
        "url": format!("{}/git/tags/{id}", call.repo()), "message": tag.message().unwrap().unwrap_or_default(),
        "tagger": tagger, "object": call.object(tag.target_id()), "verification": unsigned(),
    });
    Ok(reply(200, &value))
}

pub fn unsigned() -> Value {
    json!({"verified": false, "reason": "unsigned", "signature": null, "payload": null, "verified_at": null})
}
