//! Pull requests and their labels.

use reqwest::{Method, Url};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::GitHub;
use super::body::Body;
use super::moment::Moment;
use super::page::Row;
use super::transport::{Reply, Request};
use crate::model::{CommitId, RefName, Unknown};
use crate::port::WriteError;
use crate::port::forge::{NewPull, Pull, PullEdit, PullState};

#[derive(Deserialize)]
struct Found {
    number: u64,
    state: String,
    title: String,
    body: Option<String>,
    user: Option<User>,
    head: Side,
    base: Side,
    merged_at: Option<Moment>,
    labels: Option<Vec<Label>>,
    html_url: String,
}

#[derive(Deserialize)]
pub(super) struct User {
    pub login: String,
}

#[derive(Deserialize)]
struct Side {
    #[serde(rename = "ref")]
    name: String,
    sha: CommitId,
    /// Nothing where a fork is gone.
    repo: Option<Repo>,
}

#[derive(Deserialize, PartialEq)]
struct Repo {
    id: u64,
}

#[derive(Deserialize)]
struct Label {
    name: Option<String>,
}

impl Row for Found {
    fn id(&self) -> Option<u64> {
        Some(self.number)
    }
}

impl TryFrom<Found> for Pull {
    type Error = String;

    fn try_from(found: Found) -> Result<Self, String> {
        let branch = |name: &str| RefName::branch(name).map_err(|error| error.to_string());
        let state = match (found.state.as_str(), found.merged_at) {
            (_, Some(_)) => PullState::Merged,
            ("open", None) => PullState::Open,
            ("closed", None) => PullState::Closed,
            (other, None) => return Err(format!("`{other}` is no state of a pull request")),
        };
        Ok(Self {
            number: found.number,
            state,
            title: found.title,
            body: found.body.unwrap_or_default(),
            author: found.user.map(|user| user.login),
            head: branch(&found.head.name)?,
            head_commit: found.head.sha,
            from_here: found.head.repo.is_some() && found.head.repo == found.base.repo,
            base: branch(&found.base.name)?,
            base_commit: found.base.sha,
            labels: found.labels.into_iter().flatten().filter_map(|label| label.name).collect(),
            url: found.html_url,
        })
    }
}

/// The branch a ref names, as GitHub wants it.
pub(super) fn branch<'a>(what: &str, name: &'a RefName) -> Result<&'a str, Unknown> {
    let short = name.as_str().strip_prefix("refs/heads/");
    short.ok_or_else(|| Unknown::new(what, format!("{name} is no branch")))
}

impl GitHub {
    fn pull_url(&self, number: u64) -> Url {
        self.client.address.below(&["pulls", &number.to_string()])
    }

    fn pull_name(&self, number: u64) -> String {
        self.client.name(&format!("pull request {number}"))
    }

    /// What was opened or changed here is read by its number. GitHub ignores a filter it can't use, so
    /// the head is looked at again.
    pub(super) async fn list_pulls(&self, head: &RefName) -> Result<Vec<Pull>, Unknown> {
        let what = self.client.name(&format!("the pull requests from {}", head.short()));
        let mut url = self.client.address.below(&["pulls"]);
        let from = format!("{}:{}", self.client.address.owner, branch(&what, head)?);
        url.query_pairs_mut().append_pair("state", "all").append_pair("head", &from);
        let found = self.client.list::<Vec<Found>>(&what, url).await?;
        let mut found = found.ok_or_else(|| Unknown::new(&what, "not found").with_status(404))?;
        let made = self.made_pulls.of(&());
        found.retain(|pull| !made.contains(&pull.number));
        let mut pulls = Vec::with_capacity(found.len() + made.len());
        for number in made {
            let missing =
                || Unknown::new(self.pull_name(number), "written by this run, and not found").with_status(404);
            pulls.push(self.read_pull(number).await?.ok_or_else(missing)?);
        }
        for found in found {
            pulls.push(Pull::try_from(found).map_err(|error| Unknown::new(&what, error))?);
        }
        pulls.retain(|pull| pull.from_here && pull.head == *head);
        pulls.sort_by_key(|pull| std::cmp::Reverse(pull.number));
        Ok(pulls)
    }

    pub(super) async fn read_pull(&self, number: u64) -> Result<Option<Pull>, Unknown> {
        let what = self.pull_name(number);
        let Some(reply) = self.client.get(&what, Request::get(self.pull_url(number))).await? else { return Ok(None) };
        let found: Found = self.client.read(&what, &reply)?;
        Pull::try_from(found).map(Some).map_err(|error| Unknown::new(what, error).with_status(reply.status))
    }

    pub(super) async fn make_pull(&self, pull: &NewPull) -> Result<u64, WriteError> {
        let what = self.client.name(&format!("a pull request from {} into {}", pull.head.short(), pull.base.short()));
        let body = json!({
            "title": pull.title, "body": pull.body, "draft": false,
            "head": branch(&what, &pull.head)?, "base": branch(&what, &pull.base)?,
        });
        let url = self.client.address.below(&["pulls"]);
        let reply = self.client.write(&what, Request::write(Method::POST, url, Body::Json(body)), 201).await?;
        let number = self.client.made(&what, &reply)?;
        self.made_pulls.add(number, ());
        Ok(number)
    }

    pub(super) async fn change_pull(&self, number: u64, edit: &PullEdit) -> Result<(), WriteError> {
        let what = self.pull_name(number);
        let mut body = Map::new();
        let texts = [("title", &edit.title), ("body", &edit.body)];
        body.extend(texts.into_iter().filter_map(|(key, text)| Some((key.to_owned(), Value::from(text.clone()?)))));
        if let Some(base) = &edit.base {
            body.insert("base".to_owned(), branch(&what, base)?.into());
        }
        let request = Request::write(Method::PATCH, self.pull_url(number), Body::Json(body.into()));
        let result = self.client.write(&what, request, 200).await;
        self.note_pull(number, &result);
        self.client.same(&what, &result?, number)
    }

    /// Unclear is looked at, too, and not in a list that lags.
    fn note_pull(&self, number: u64, result: &Result<Reply, WriteError>) {
        if matches!(result, Ok(_) | Err(WriteError::Unknown(_))) {
            self.made_pulls.add(number, ());
        }
    }

    pub(super) async fn put_label(&self, number: u64, label: &str) -> Result<(), WriteError> {
        let what = self.client.name(&format!("the label {label} on pull request {number}"));
        let url = self.client.address.below(&["issues", &number.to_string(), "labels"]);
        let body = Body::Json(json!({ "labels": [label] }));
        let result = self.client.write(&what, Request::write(Method::POST, url, body), 200).await;
        self.note_pull(number, &result);
        let reply = result?;
        let labels: Vec<Label> = self.client.read(&what, &reply)?;
        let put = |found: &Label| found.name.as_ref().is_some_and(|name| name.eq_ignore_ascii_case(label));
        match labels.iter().any(put) {
            true => Ok(()),
            false => Err(Unknown::new(what, "GitHub's answer doesn't list it").with_status(reply.status).into()),
        }
    }
}
