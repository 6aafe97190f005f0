//! Lists, read to their last page.

use std::collections::BTreeSet;

use reqwest::Url;
use serde::de::DeserializeOwned;

use super::client::Client;
use super::transport::Request;
use crate::model::Unknown;
use crate::port::http::next_page;

/// The largest page GitHub gives.
const SIZE: &str = "100";
const PAGES: usize = 1_000;
/// GitHub counts filtered workflow runs no further (GitHub, "List workflow runs for a workflow").
const CAP: u64 = 1_000;

/// One page of a list.
pub(super) trait Page: DeserializeOwned {
    type Item: Row;

    /// How many items the whole list has, where GitHub says so.
    fn total(&self) -> Option<u64> {
        None
    }

    fn rows(self) -> Vec<Self::Item>;
}

/// An item of a list.
pub(super) trait Row {
    /// What tells it from the others; an item that comes twice, because the list moved on, counts
    /// once.
    fn id(&self) -> Option<u64>;
}

impl<T: Row + DeserializeOwned> Page for Vec<T> {
    type Item = T;

    fn rows(self) -> Vec<T> {
        self
    }
}

impl Client {
    /// The whole list, in its order. `None`: what it is a list of is proven absent.
    pub async fn list<P: Page>(&self, what: &str, mut url: Url) -> Result<Option<Vec<P::Item>>, Unknown> {
        url.query_pairs_mut().append_pair("per_page", SIZE);
        let wrong = |detail: String| Unknown::new(what, detail).with_status(200);
        let (mut rows, mut ids, mut pages) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
        let mut next = Some(url);
        let mut total = None;
        while let Some(url) = next {
            let Some(reply) = self.get(what, Request::get(url.clone())).await? else {
                return if pages.is_empty() { Ok(None) } else { Err(wrong("a further page is not there".into())) };
            };
            let page: P = self.read(what, &reply)?;
            total = page.total();
            if total.is_some_and(|total| total >= CAP) {
                return Err(wrong(format!("GitHub lists no more than {CAP} of them: look at fewer")));
            }
            let page = page.rows();
            let count = page.len();
            let new: Vec<_> = page.into_iter().filter(|row| row.id().is_none_or(|id| ids.insert(id))).collect();
            if !pages.insert(url.to_string()) || pages.len() > PAGES || (count > 0 && new.is_empty()) {
                return Err(wrong("the list runs in a circle".into()));
            }
            rows.extend(new);
            next = next_page(&reply.url, &reply.headers, &self.address.api).map_err(wrong)?;
        }
        match total {
            Some(total) if total > rows.len() as u64 => {
                Err(wrong(format!("GitHub counts {total} of them and listed {}", rows.len())))
            }
            _ => Ok(Some(rows)),
        }
    }
}
