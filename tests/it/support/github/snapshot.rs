//! What people see, in lines that two worlds can be compared by.

use super::releases::latest;
use super::state::State;

/// Sorted; no ids, no times.
pub fn lines(state: &State) -> Vec<String> {
    let mut lines = Vec::new();
    let shown = latest(state).map(|release| release.id);
    for release in &state.releases {
        let tag = if release.tag_name.starts_with("untagged-") { "untagged" } else { &release.tag_name };
        let words =
            [(release.draft, " draft"), (release.prerelease, " prerelease"), (shown == Some(release.id), " latest")];
        let words: String = words.iter().filter(|(is, _)| *is).map(|(_, word)| *word).collect();
        let name = release.name.as_deref().unwrap_or_default();
        let body = release.body.as_deref().unwrap_or_default();
        lines.push(format!("release {tag} {name:?}{words} {body:?}"));
        for asset in &release.assets {
            let digest = asset.digest.as_deref().unwrap_or("-");
            lines.push(format!("asset {tag} {} {} {} {digest}", asset.name, asset.state, asset.bytes.len()));
        }
    }
    for pull in &state.pulls {
        let what = match (pull.open, pull.merged_at) {
            (true, _) => "open",
            (false, Some(_)) => "merged",
            (false, None) => "closed",
        };
        let (head, base, body) = (&pull.head_ref, &pull.base_ref, pull.body.as_deref().unwrap_or_default());
        let labels = pull.labels.join(",");
        lines.push(format!("pull {head} -> {base} {what} [{labels}] {:?} {body:?}", pull.title));
    }
    for comment in &state.comments {
        let head = state.pull(comment.number).map_or("-", |pull| &pull.head_ref);
        lines.push(format!("comment {head} {} {:?}", comment.author, comment.body));
    }
    lines.sort();
    lines
}
