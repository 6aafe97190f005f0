//! Comments on pull requests, which are issues to GitHub there.

use reqwest::{Method, Url};
use serde::Deserialize;
use serde_json::json;

use super::GitHub;
use super::body::Body;
use super::page::Row;
use super::pulls::User;
use super::transport::Request;
use crate::model::Unknown;
use crate::port::WriteError;
use crate::port::forge::{Comment, CommentId};

#[derive(Deserialize)]
struct Found {
    id: u64,
    body: Option<String>,
    user: Option<User>,
    html_url: String,
    issue_url: String,
}

impl Found {
    fn is_on(&self, pull: u64) -> bool {
        self.issue_url.rsplit('/').next().and_then(|number| number.parse().ok()) == Some(pull)
    }
}

impl Row for Found {
    fn id(&self) -> Option<u64> {
        Some(self.id)
    }
}

impl From<Found> for Comment {
    fn from(found: Found) -> Self {
        Self {
            id: CommentId(found.id),
            author: found.user.map(|user| user.login),
            body: found.body.unwrap_or_default(),
            url: found.html_url,
        }
    }
}

impl GitHub {
    fn comments_url(&self, pull: u64) -> Url {
        self.client.address.below(&["issues", &pull.to_string(), "comments"])
    }

    fn comment_url(&self, id: u64) -> Url {
        self.client.address.below(&["issues", "comments", &id.to_string()])
    }

    /// The list; what was written here is read by its id.
    pub(super) async fn list_comments(&self, pull: u64) -> Result<Option<Vec<Comment>>, Unknown> {
        let what = self.client.name(&format!("the comments on pull request {pull}"));
        let list = self.client.list::<Vec<Found>>(&what, self.comments_url(pull)).await?;
        let Some(mut found) = list else { return Ok(None) };
        let made = self.made_comments.of(&());
        found.retain(|comment| !made.contains(&comment.id));
        for id in made {
            let what = self.client.name(&format!("comment {id}, written by this run,"));
            let reply = self.client.need(&what, Request::get(self.comment_url(id))).await?;
            let comment: Found = self.client.read(&what, &reply)?;
            found.extend(comment.is_on(pull).then_some(comment));
        }
        found.sort_by_key(|comment| comment.id);
        Ok(Some(found.into_iter().map(Comment::from).collect()))
    }

    pub(super) async fn make_comment(&self, pull: u64, body: &str) -> Result<(), WriteError> {
        let what = self.client.name(&format!("a comment on pull request {pull}"));
        let json = Body::Json(json!({ "body": body }));
        let reply = self.client.write(&what, Request::write(Method::POST, self.comments_url(pull), json), 201).await?;
        self.made_comments.add(self.client.made(&what, &reply)?, ());
        Ok(())
    }

    pub(super) async fn change_comment(&self, id: CommentId, body: &str) -> Result<(), WriteError> {
        let what = self.client.name(&format!("comment {}", id.0));
        let json = Body::Json(json!({ "body": body }));
        let request = Request::write(Method::PATCH, self.comment_url(id.0), json);
        let result = self.client.write(&what, request, 200).await;
        if matches!(result, Ok(_) | Err(WriteError::Unknown(_))) {
            self.made_comments.add(id.0, ());
        }
        self.client.same(&what, &result?, id.0)
    }
}
