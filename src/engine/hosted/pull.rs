//! Pull requests, labels, comments.

use super::Arm;
use super::expect::{Done, found, lost, pull_from, unchanged};
use crate::model::{Digest, RefName, Unknown};
use crate::port::WriteError;
use crate::port::forge::{NewPull, Pull, PullEdit, PullState};

impl Arm<'_> {
    /// The open pull request from a branch of this repository.
    async fn open(&self, head: &RefName) -> Result<Option<Pull>, WriteError> {
        let pulls = found(self.read()?.pulls_from(head).await, &pull_from(head))?;
        Ok(pulls.into_iter().find(|pull| pull.state == PullState::Open))
    }

    async fn must_open(&self, head: &RefName) -> Result<Pull, WriteError> {
        self.open(head).await?.ok_or_else(|| lost(pull_from(head), "an open one", "none"))
    }

    pub(super) async fn open_pull(&self, head: &RefName, base: &RefName, title: &str, body: &str) -> Done {
        if self.open(head).await?.is_some() {
            return Ok(());
        }
        if !found(self.read()?.repository().await, "the repository")?.push {
            // Whose it is was not judged, and what goes before it not seen.
            return Err(Unknown::new(pull_from(head), "this credential may not push: use one that may").into());
        }
        let (title, body) = (title.to_owned(), body.to_owned());
        let pull = NewPull { title, body, head: head.clone(), base: base.clone() };
        self.write()?.open_pull(&pull).await.map(drop)
    }

    pub(super) async fn edit_pull(&self, head: &RefName, body: &str, expect: Digest) -> Done {
        let pull = self.must_open(head).await?;
        if pull.body == body {
            return Ok(());
        }
        unchanged(pull_from(head), &pull.body, expect)?;
        let edit = PullEdit { body: Some(body.to_owned()), ..PullEdit::default() };
        self.write()?.edit_pull(pull.number, &edit).await
    }

    pub(super) async fn label(&self, head: &RefName, label: &str) -> Done {
        let pull = self.must_open(head).await?;
        if pull.has_label(label) {
            return Ok(());
        }
        self.write()?.add_label(pull.number, label).await
    }

    pub(super) async fn comment(&self, pull: u64, marker: &str, body: &str, expect: Option<Digest>) -> Done {
        let what = || format!("comment on #{pull}");
        let read = self.read()?;
        let mine = read.viewer().await.known()?.ok_or_else(|| Unknown::new("the credential", "it is nobody's"))?;
        let comments = found(read.comments(pull).await, &format!("#{pull}"))?;
        match comments.iter().find(|comment| comment.is_of(&mine, marker)) {
            Some(there) if there.body == body => Ok(()),
            Some(there) => {
                let expect = expect.ok_or_else(|| lost(what(), "nothing", "a comment"))?;
                unchanged(what(), &there.body, expect)?;
                self.write()?.edit_comment(there.id, body).await
            }
            None if expect.is_some() => Err(lost(what(), "a comment", "nothing")),
            None => self.write()?.create_comment(pull, body).await,
        }
    }
}
