//! Files and folders at a commit.

use base64::Engine as _;
use git2::{ObjectType, Oid, Repository, Tree};
use serde_json::{Value, json};

use super::call::{Answer, Call, WEB, error, not_found, reply};
use super::tokens::{Level, Role};
use crate::support::http::Response;

/// Larger files are named without their content.
const LARGEST: usize = 1024 * 1024;

struct Entry {
    path: String,
    id: Oid,
    mode: i32,
    size: usize,
}

impl Call<'_> {
    fn entry_view(&self, entry: &Entry, at: &str) -> Value {
        let (repo, full) = (self.repo(), self.state.full_name());
        let (path, id) = (&entry.path, entry.id);
        let (kind, page, object) = match entry.mode {
            0o040_000 => ("dir", "tree", "trees"),
            0o120_000 => ("symlink", "blob", "blobs"),
            0o160_000 => ("submodule", "tree", "trees"),
            _ => ("file", "blob", "blobs"),
        };
        let url = format!("{repo}/contents/{path}?ref={at}");
        let (git, html) = (format!("{repo}/git/{object}/{id}"), format!("{WEB}/{full}/{page}/{at}/{path}"));
        let raw = (page == "blob").then(|| format!("{WEB}/{full}/raw/{at}/{path}"));
        json!({
            "type": kind, "name": path.rsplit('/').next(), "path": path, "sha": id.to_string(), "size": entry.size,
            "url": url, "git_url": git, "html_url": html, "download_url": raw,
            "_links": {"self": url, "git": git, "html": html},
        })
    }
}

fn entry(repository: &Repository, path: &str, id: Oid, mode: i32) -> Entry {
    let size = repository.find_blob(id).map_or(0, |blob| blob.size());
    Entry { path: path.trim_matches('/').to_owned(), id, mode, size }
}

/// What lies at a path.
fn look(repository: &Repository, tree: &Tree, path: &str) -> Option<Entry> {
    let found = tree.get_path(std::path::Path::new(path)).ok()?;
    Some(entry(repository, path, found.id(), found.filemode()))
}

pub fn get(call: &mut Call) -> Answer {
    call.need(Role::Pull, &["contents"], Level::Read)?;
    let at = call.request.parameter("ref").unwrap_or_else(|| call.origin.default_branch());
    let none = || error(404, &format!("No commit found for the ref {at}"));
    let commit = call.origin.commitish(at.trim_start_matches("refs/heads/").trim_start_matches("refs/tags/"));
    let repository = call.origin.open();
    let tree = repository.find_commit(commit.ok_or_else(none)?).unwrap().tree().unwrap();
    let path = call.places.first().map_or("", |path| path.trim_matches('/')).to_owned();
    if path.is_empty() {
        return Ok(folder(call, &repository, &tree, "", &at));
    }
    let mut found = look(&repository, &tree, &path).ok_or_else(not_found)?;
    if found.mode == 0o040_000 {
        return Ok(folder(call, &repository, &repository.find_tree(found.id).unwrap(), &path, &at));
    }
    let mut value = call.entry_view(&found, &at);
    if found.mode == 0o160_000 {
        value["submodule_git_url"] = format!("{WEB}/submodule.git").into();
        return Ok(reply(200, &value));
    }
    let mut bytes = repository.find_blob(found.id).unwrap().content().to_vec();
    if found.mode == 0o120_000 {
        // A link to a file of the repository is followed.
        let target = String::from_utf8_lossy(&bytes).into_owned();
        let below = path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        let followed =
            look(&repository, &tree, &format!("{below}{target}")).filter(|entry| entry.mode & 0o100_000 != 0);
        let Some(followed) = followed.filter(|entry| entry.mode < 0o120_000) else {
            value["target"] = target.into();
            return Ok(reply(200, &value));
        };
        bytes = repository.find_blob(followed.id).unwrap().content().to_vec();
        (found.id, found.mode, found.size) = (followed.id, followed.mode, followed.size);
        value = call.entry_view(&found, &at);
    }
    if call.request.header("accept").is_some_and(|accept| accept.contains("raw")) {
        return Ok(Response::new(200, bytes).with("content-type", "application/vnd.github.raw; charset=utf-8"));
    }
    let large = bytes.len() > LARGEST;
    value["encoding"] = if large { "none" } else { "base64" }.into();
    value["content"] = if large { String::new() } else { wrapped(&bytes) }.into();
    Ok(reply(200, &value))
}

fn folder(call: &Call, repository: &Repository, tree: &Tree, path: &str, at: &str) -> Response {
    let entries = tree.iter().map(|found| {
        let full = format!("{path}/{}", found.name().unwrap());
        let mode = if found.kind() == Some(ObjectType::Commit) { 0o160_000 } else { found.filemode() };
        call.entry_view(&entry(repository, &full, found.id(), mode), at)
    });
    reply(200, &entries.collect())
}

/// Base64 in lines of sixty, as GitHub has it.
fn wrapped(bytes: &[u8]) -> String {
    let text = base64::engine::general_purpose::STANDARD.encode(bytes);
    let lines = text.as_bytes().chunks(60).map(|line| String::from_utf8_lossy(line).into_owned() + "\n");
    lines.collect()
}
