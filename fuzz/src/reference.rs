//! The reference grammar: what parses is told again in a form that parses to the same, and every part
//! stands where its span says.

use sealift::model::{Digest, Reference, Repository, Tag};

pub fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let _ = (text.parse::<Tag>(), text.parse::<Digest>());
    if let Ok(repository) = text.parse::<Repository>() {
        assert_eq!(repository.to_string().parse::<Repository>().unwrap(), repository, "{text:?}");
    }
    let Ok(found) = text.parse::<Reference>() else { return };
    let again: Reference = found.to_string().parse().unwrap();
    assert_eq!(
        (&again.repository, &again.tag, &again.digest),
        (&found.repository, &found.tag, &found.digest),
        "{text:?}"
    );
    assert_eq!(text[found.spans.name.clone()].parse::<Repository>().unwrap(), found.repository, "{text:?}");
    assert_eq!(found.spans.tag.clone().map(|span| &text[span]), found.tag.as_ref().map(Tag::as_str), "{text:?}");
    let digest = found.spans.digest.clone().map(|span| text[span].parse::<Digest>().unwrap());
    assert_eq!(digest, found.digest, "{text:?}");
}
