//! A reference in one text, whatever it is put together of.

use super::Occurrence;
use crate::model::{Digest, Repository, Tag};

/// `repository:tag@digest`, as far as it has them.
pub(super) fn spelled(repository: Option<&Repository>, tag: Option<&Tag>, digest: Option<&Digest>) -> String {
    let mut text = repository.map(ToString::to_string).unwrap_or_default();
    let mut add = |sign: char, part: Option<String>| {
        let Some(part) = part else { return };
        if !text.is_empty() {
            text.push(sign);
        }
        text.push_str(&part);
    };
    add(':', tag.map(ToString::to_string));
    add('@', digest.map(ToString::to_string));
    text
}

impl Occurrence {
    /// `repository:tag@digest`, as far as it has them.
    pub fn spelled(&self) -> String {
        spelled(self.repository.as_ref(), self.tag.as_ref(), self.digest.as_ref())
    }

    /// `repository:tag`, as far as it has them: what people call it.
    pub fn tagged(&self) -> String {
        spelled(self.repository.as_ref(), self.tag.as_ref(), None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_are_not_there_leave_no_sign() {
        let (name, tag, digest) = ("quay.io/a/b".parse().unwrap(), "v1".parse().unwrap(), Digest::of(b""));
        let hex = digest.to_string();
        for (repository, tag, digest, text) in [
            (Some(&name), Some(&tag), Some(&digest), format!("quay.io/a/b:v1@{hex}")),
            (Some(&name), None, Some(&digest), format!("quay.io/a/b@{hex}")),
            (Some(&name), Some(&tag), None, "quay.io/a/b:v1".to_owned()),
            (None, Some(&tag), Some(&digest), format!("v1@{hex}")),
            (None, None, Some(&digest), hex.clone()),
            (Some(&name), None, None, "quay.io/a/b".to_owned()),
        ] {
            assert_eq!(spelled(repository, tag, digest), text);
        }
    }
}
