//! Labels and comments of pull requests; GitHub keeps both with the issue of the same number.

use serde_json::{Value, json};

use super::call::{Answer, Call, WEB, error, invalid_field, invalid_words, not_found, reply};
use super::clock::{epoch, iso};
use super::state::{Comment, Label};
use super::tokens::{Level, Role};
use super::views::node;
use crate::support::http::Response;

const EITHER: [&str; 2] = ["issues", "pull_requests"];

/// Longer bodies of comments and pull requests are refused.
pub const LONGEST_BODY: usize = 65_536;

pub fn not_too_long(resource: &str, body: &Value) -> Result<(), Response> {
    if body.as_str().is_some_and(|body| body.chars().count() > LONGEST_BODY) {
        let words = format!("body is too long (maximum is {LONGEST_BODY} characters)");
        return Err(invalid_words(resource, &words));
    }
    Ok(())
}

impl Call<'_> {
    /// The label of that name, which is made when there is none.
    fn label(&mut self, name: &str) -> Label {
        if let Some(known) = self.state.labels.iter().find(|label| label.name.eq_ignore_ascii_case(name)) {
            return known.clone();
        }
        let label = Label { id: self.state.id(), name: name.into(), color: "ededed".into(), description: None };
        self.state.labels.push(label.clone());
        label
    }

    /// The labels of a pull request as answers show them; one that a test only named is shown too.
    pub fn label_views(&self, names: &[String]) -> Vec<Value> {
        let view = |name: &String| {
            let known = self.state.labels.iter().find(|label| &label.name == name);
            let id = known.map_or(1, |label| label.id);
            json!({
                "id": id, "node_id": node("LA", id), "url": format!("{}/labels/{name}", self.repo()), "name": name,
                "color": known.map_or("ededed", |label| &label.color), "default": false,
                "description": known.and_then(|label| label.description.clone()),
            })
        };
        names.iter().map(view).collect()
    }

    fn pull_number(&self) -> Result<u64, Response> {
        let number = self.number(0)?;
        self.state.pull(number).map(|_| number).ok_or_else(not_found)
    }

    fn comment_view(&self, comment: &Comment) -> Value {
        let issue = format!("{}/issues/{}", self.repo(), comment.number);
        let page = format!("{WEB}/{}/pull/{}", self.state.full_name(), comment.number);
        json!({
            "id": comment.id, "node_id": node("IC", comment.id),
            "url": format!("{}/issues/comments/{}", self.repo(), comment.id),
            "html_url": format!("{page}#issuecomment-{}", comment.id), "issue_url": issue, "body": comment.body,
            "user": self.user(&comment.author), "author_association": "NONE",
            "created_at": iso(comment.created_at), "updated_at": iso(comment.updated_at),
            "performed_via_github_app": null,
        })
    }

    fn comment_at(&self) -> Result<usize, Response> {
        let id = self.number(0)?;
        self.state.comments.iter().position(|comment| comment.id == id).ok_or_else(not_found)
    }

    fn comment_body(&self) -> Result<String, Response> {
        let said = self.json()?;
        not_too_long("IssueComment", &said["body"])?;
        let body = said["body"].as_str().unwrap_or_default().to_owned();
        if body.trim().is_empty() { Err(invalid_field("IssueComment", "body", "missing_field")) } else { Ok(body) }
    }
}

pub fn labels(call: &mut Call) -> Answer {
    call.need(Role::Pull, &EITHER, Level::Read)?;
    let number = call.pull_number()?;
    let views = call.label_views(&call.state.pull(number).unwrap().labels);
    Ok(call.page(&views, Value::clone))
}

pub fn add_labels(call: &mut Call) -> Answer {
    call.need(Role::Triage, &EITHER, Level::Write)?;
    let number = call.pull_number()?;
    let said = call.json()?;
    let list = said.get("labels").unwrap_or(&said).as_array().cloned().unwrap_or_default();
    let names = list.iter().filter_map(|label| label.as_str().or_else(|| label["name"].as_str()));
    for name in names {
        let label = call.label(name);
        let pull = call.state.pull_mut(number).unwrap();
        if !pull.labels.contains(&label.name) {
            pull.labels.push(label.name);
        }
    }
    let views = call.label_views(&call.state.pull(number).unwrap().labels);
    Ok(reply(200, &Value::Array(views)))
}

pub fn comments(call: &mut Call) -> Answer {
    call.need(Role::Pull, &EITHER, Level::Read)?;
    let number = call.pull_number()?;
    let since = call.request.parameter("since").and_then(|text| epoch(&text)).unwrap_or(i64::MIN);
    let fits = |comment: &&Comment| comment.number == number && comment.updated_at >= since;
    let comments: Vec<Comment> = call.state.comments.iter().filter(fits).cloned().collect();
    Ok(call.page(&comments, |comment| call.comment_view(comment)))
}

pub fn comment(call: &mut Call) -> Answer {
    call.need(Role::Pull, &EITHER, Level::Read)?;
    Ok(reply(200, &call.comment_view(&call.state.comments[call.comment_at()?])))
}

pub fn add_comment(call: &mut Call) -> Answer {
    call.need(Role::Pull, &EITHER, Level::Write)?;
    let (number, body, author) = (call.pull_number()?, call.comment_body()?, call.login());
    let (id, now) = (call.state.id(), call.state.now());
    call.state.comments.push(Comment { id, number, author, body, created_at: now, updated_at: now });
    let comment = call.state.comments.last().unwrap();
    Ok(reply(201, &call.comment_view(comment)).with("location", format!("{}/issues/comments/{id}", call.repo())))
}

/// Its author may, and whoever may push.
pub fn update_comment(call: &mut Call) -> Answer {
    call.need(Role::Pull, &EITHER, Level::Write)?;
    let (at, body) = (call.comment_at()?, call.comment_body()?);
    if call.state.comments[at].author != call.login() && !call.may_push() {
        return Err(error(403, "Must have admin rights to Repository."));
    }
    let now = call.state.now();
    let comment = &mut call.state.comments[at];
    (comment.body, comment.updated_at) = (body, now);
    Ok(reply(200, &call.comment_view(&call.state.comments[at])))
}
