//! Releases. A draft is never found by its tag, is seen by nobody without push rights, and a new
//! one may be missing from lists for a while.

use serde_json::{Value, json};

use super::call::{Answer, Call, WEB, invalid, invalid_field, invalid_words, not_found, reply};
use super::clock::iso;
use super::rules::Change;
use super::state::Release;
use super::tokens::{Level, Role};
use super::views::node;
use crate::support::http::Response;

/// Longer bodies are refused.
const LONGEST_BODY: usize = 125_000;

/// What a client says about a release; what it leaves out stays.
struct Said {
    value: Value,
}

impl Said {
    fn text(&self, key: &str) -> Option<String> {
        self.value[key].as_str().map(str::to_owned)
    }

    fn flag(&self, key: &str) -> Option<bool> {
        self.value[key].as_bool()
    }
}

impl Call<'_> {
    fn writes_releases(&self) -> Result<Said, Response> {
        self.need(Role::Push, &["contents"], Level::Write)?;
        let value = self.json()?;
        if value["body"].as_str().is_some_and(|body| body.chars().count() > LONGEST_BODY) {
            let words = format!("body is too long (maximum is {LONGEST_BODY} characters)");
            return Err(invalid_words("Release", &words));
        }
        Ok(Said { value })
    }

    /// The place of a release that this token may see.
    fn release_at(&self, index: usize) -> Result<usize, Response> {
        let id = self.number(index)?;
        let at = self.state.releases.iter().position(|release| release.id == id).ok_or_else(not_found)?;
        if self.state.releases[at].draft && !self.may_push() { Err(not_found()) } else { Ok(at) }
    }

    /// The release of the path, by its id.
    pub fn visible_release(&self) -> Result<&Release, Response> {
        Ok(&self.state.releases[self.release_at(0)?])
    }

    pub fn release_view(&self, release: &Release) -> Value {
        let url = format!("{}/releases/{}", self.repo(), release.id);
        let web = format!("{WEB}/{}/releases", self.state.full_name());
        let shown = if release.draft { untagged(release) } else { release.tag_name.clone() };
        let ball = |kind: &str| {
            let url = format!("{}/{kind}/{}", self.repo(), release.tag_name);
            if release.draft { Value::Null } else { url.into() }
        };
        json!({
            "url": url, "assets_url": format!("{url}/assets"), "html_url": format!("{web}/tag/{shown}"),
            "upload_url": format!("{}/repos/{}/releases/{}/assets{{?name,label}}", self.uploads, self.state.full_name(), release.id),
            "id": release.id, "node_id": node("RE", release.id), "author": self.user(&release.author),
            "tag_name": release.tag_name, "target_commitish": release.target_commitish, "name": release.name,
            "body": release.body, "draft": release.draft, "prerelease": release.prerelease, "immutable": release.immutable,
            "created_at": iso(release.created_at), "updated_at": iso(release.created_at),
            "published_at": release.published_at.map(iso),
            "tarball_url": ball("tarball"), "zipball_url": ball("zipball"),
            "assets": release.assets.iter().map(|asset| self.asset_view(release, asset)).collect::<Vec<_>>(),
        })
        .without_null("body")
    }

    /// What publishing does: the tag is created where there is none, and the date is its commit's.
    fn publish(&mut self, at: usize) -> Result<(), Response> {
        let (id, tag) = (self.state.releases[at].id, self.state.releases[at].tag_name.clone());
        if self.state.releases.iter().any(|other| !other.draft && other.tag_name == tag && other.id != id) {
            return Err(invalid_field("Release", "tag_name", "already_exists"));
        }
        let commit = match self.origin.tag(&tag) {
            Some(commit) => commit,
            None => {
                let target = &self.state.releases[at].target_commitish;
                let commit = self.origin.commitish(target);
                let commit = commit.ok_or_else(|| invalid_field("Release", "target_commitish", "invalid"))?;
                if !git2::Reference::is_valid_name(&format!("refs/tags/{tag}")) {
                    return Err(invalid_words("Release", "tag_name is not a valid tag"));
                }
                if self.forbidden(&format!("refs/tags/{tag}"), Change::Creation).is_some() {
                    return Err(forbidden_tag());
                }
                self.origin.set(&format!("refs/tags/{tag}"), commit);
                commit
            }
        };
        let (now, date) = (self.state.now(), self.origin.date(commit));
        let release = &mut self.state.releases[at];
        (release.draft, release.published_at, release.created_at) = (false, Some(now), date);
        release.hidden = 0;
        release.immutable |= self.state.repository.immutable_releases;
        Ok(())
    }

    /// `make_latest`: `true` marks, `false` takes away, `legacy` leaves it to the dates. A release that
    /// is being published is marked unless something else is said; drafts and prereleases never are.
    fn mark(&mut self, at: usize, said: Option<&str>, publishing: bool) {
        let release = &mut self.state.releases[at];
        let id = release.id;
        let never = release.draft || release.prerelease;
        match said.or(publishing.then_some("true")) {
            _ if never => {}
            Some("true") => {
                release.never_latest = false;
                self.state.latest = Some(id);
                return;
            }
            Some("false") => release.never_latest = true,
            Some(_) => release.never_latest = false,
            None => return,
        }
        if self.state.latest == Some(id) {
            self.state.latest = None;
        }
    }
}

/// The tag that publishing would create may not be created.
fn forbidden_tag() -> Response {
    let words =
        "pre_receive Repository rule violations found\n\nCannot create ref due to creations being restricted.\n\n";
    let error = |field: &str, message: &str| json!({"resource": "Release", "code": "custom", "field": field, "message": message});
    let tag = error("tag_name", "Published releases must have a valid tag");
    invalid("Validation Failed", &[error("pre_receive", words), tag])
}

/// What the page of a draft is called.
fn untagged(release: &Release) -> String {
    if release.tag_name.starts_with("untagged-") {
        return release.tag_name.clone();
    }
    format!("untagged-{:020x}", u128::from(release.id) * 0x9e37_79b9_7f4a_7c15)
}

/// Optional keys that aren't nullable are left out.
pub trait WithoutNull {
    fn without_null(self, key: &str) -> Self;
}

impl WithoutNull for Value {
    fn without_null(mut self, key: &str) -> Self {
        if self[key].is_null() {
            self.as_object_mut().unwrap().shift_remove(key);
        }
        self
    }
}

/// The release shown as the latest: the marked one, else the newest by its commit's date, then by version.
pub fn latest(state: &super::state::State) -> Option<&Release> {
    let eligible = |release: &&Release| !release.draft && !release.prerelease;
    let marked = state.releases.iter().filter(eligible).find(|release| Some(release.id) == state.latest);
    let unmarked = state.releases.iter().filter(eligible).filter(|release| !release.never_latest);
    marked.or_else(|| unmarked.max_by_key(|release| (release.created_at, version(&release.tag_name), release.id)))
}

fn version(tag: &str) -> Vec<u64> {
    tag.trim_start_matches('v').split('.').map(|part| part.parse().unwrap_or(0)).collect()
}

/// Newest first. Lists are what lags behind creation.
pub fn list(call: &mut Call) -> Answer {
    call.need(Role::Pull, &["contents"], Level::Read)?;
    let push = call.may_push();
    let visible = |release: &&Release| !release.draft || push && release.hidden == 0;
    let mut releases: Vec<Release> = call.state.releases.iter().filter(visible).cloned().collect();
    releases.sort_by_key(|release| std::cmp::Reverse((release.created_at, release.id)));
    for release in &mut call.state.releases {
        release.hidden = release.hidden.saturating_sub(1);
    }
    Ok(call.page(&releases, |release| call.release_view(release)))
}

pub fn get(call: &mut Call) -> Answer {
    call.need(Role::Pull, &["contents"], Level::Read)?;
    Ok(reply(200, &call.release_view(call.visible_release()?)))
}

pub fn by_tag(call: &mut Call) -> Answer {
    call.need(Role::Pull, &["contents"], Level::Read)?;
    let tag = call.place(0);
    let found = call.state.releases.iter().find(|release| !release.draft && release.tag_name == tag);
    Ok(reply(200, &call.release_view(found.ok_or_else(not_found)?)))
}

pub fn get_latest(call: &mut Call) -> Answer {
    call.need(Role::Pull, &["contents"], Level::Read)?;
    Ok(reply(200, &call.release_view(latest(call.state).ok_or_else(not_found)?)))
}

pub fn create(call: &mut Call) -> Answer {
    let said = call.writes_releases()?;
    let (id, now) = (call.state.id(), call.state.now());
    let hidden = call.state.draft_lag;
    let default = call.origin.default_branch();
    call.state.releases.push(Release {
        id,
        tag_name: said.text("tag_name").unwrap_or_default(),
        target_commitish: said.text("target_commitish").unwrap_or(default),
        name: said.text("name").or_else(|| said.text("tag_name")),
        body: said.text("body"),
        draft: true,
        prerelease: said.flag("prerelease").unwrap_or(false),
        immutable: false,
        author: call.login(),
        created_at: now,
        published_at: None,
        assets: Vec::new(),
        never_latest: false,
        hidden,
    });
    let at = call.state.releases.len() - 1;
    if !said.flag("draft").unwrap_or(false) {
        if let Err(refusal) = call.publish(at) {
            call.state.releases.pop();
            return Err(refusal);
        }
        call.mark(at, said.text("make_latest").as_deref(), true);
    }
    let release = &call.state.releases[at];
    Ok(reply(201, &call.release_view(release)).with("location", format!("{}/releases/{id}", call.repo())))
}

pub fn update(call: &mut Call) -> Answer {
    let said = call.writes_releases()?;
    let at = call.release_at(0)?;
    let before = call.state.releases[at].clone();
    if before.immutable && ["tag_name", "target_commitish", "draft"].iter().any(|key| said.value.get(key).is_some()) {
        return Err(invalid_words("Release", "this release is immutable"));
    }
    let release = &mut call.state.releases[at];
    release.tag_name = said.text("tag_name").unwrap_or(release.tag_name.clone());
    release.target_commitish = said.text("target_commitish").unwrap_or(release.target_commitish.clone());
    release.name = said.text("name").or(release.name.take());
    release.body = said.text("body").or(release.body.take());
    release.prerelease = said.flag("prerelease").unwrap_or(release.prerelease);
    let stays_draft = said.flag("draft").unwrap_or(release.draft);
    let retagged = !before.draft && before.tag_name != release.tag_name;
    if stays_draft {
        (release.draft, release.published_at) = (true, None);
    } else if (before.draft || retagged)
        && let Err(refusal) = call.publish(at)
    {
        call.state.releases[at] = before;
        return Err(refusal);
    }
    call.mark(at, said.text("make_latest").as_deref(), before.draft && !stays_draft);
    Ok(reply(200, &call.release_view(&call.state.releases[at])))
}

pub fn delete(call: &mut Call) -> Answer {
    call.need(Role::Push, &["contents"], Level::Write)?;
    let at = call.release_at(0)?;
    call.state.releases.remove(at);
    Ok(Response::new(204, ""))
}
