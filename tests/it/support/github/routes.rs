//! Which path is which operation, by GitHub's own templates, and who answers it.

use super::call::{Answer, Call};
use super::{actions, apps, assets, contents, issues, people, pulls, refs, releases, rules};

pub type Handler = fn(&mut Call) -> Answer;

/// Where an app speaks for itself, with a JWT instead of a token.
pub const OF_APPS: [&str; 3] =
    ["/app", "/repos/{owner}/{repo}/installation", "/app/installations/{installation_id}/access_tokens"];

pub struct Route {
    pub method: &'static str,
    pub template: &'static str,
    pub handler: Handler,
}

const fn route(method: &'static str, template: &'static str, handler: Handler) -> Route {
    Route { method, template, handler }
}

/// The first that fits answers, so what is more special comes first.
pub const ROUTES: &[Route] = &[
    route("GET", "/user", people::user),
    route("POST", "/graphql", people::graphql),
    route("GET", "/repos/{owner}/{repo}", people::repository),
    route("GET", "/repos/{owner}/{repo}/releases", releases::list),
    route("POST", "/repos/{owner}/{repo}/releases", releases::create),
    route("GET", "/repos/{owner}/{repo}/releases/latest", releases::get_latest),
    route("GET", "/repos/{owner}/{repo}/releases/tags/{tag}", releases::by_tag),
    route("GET", "/repos/{owner}/{repo}/releases/assets/{asset_id}", assets::get),
    route("PATCH", "/repos/{owner}/{repo}/releases/assets/{asset_id}", assets::update),
    route("DELETE", "/repos/{owner}/{repo}/releases/assets/{asset_id}", assets::delete),
    route("GET", "/repos/{owner}/{repo}/releases/{release_id}/assets", assets::list),
    route("POST", "/repos/{owner}/{repo}/releases/{release_id}/assets", assets::upload),
    route("GET", "/repos/{owner}/{repo}/releases/{release_id}", releases::get),
    route("PATCH", "/repos/{owner}/{repo}/releases/{release_id}", releases::update),
    route("DELETE", "/repos/{owner}/{repo}/releases/{release_id}", releases::delete),
    route("GET", "/repos/{owner}/{repo}/pulls", pulls::list),
    route("POST", "/repos/{owner}/{repo}/pulls", pulls::create),
    route("GET", "/repos/{owner}/{repo}/pulls/{pull_number}", pulls::get),
    route("PATCH", "/repos/{owner}/{repo}/pulls/{pull_number}", pulls::update),
    route("GET", "/repos/{owner}/{repo}/issues/{issue_number}/labels", issues::labels),
    route("POST", "/repos/{owner}/{repo}/issues/{issue_number}/labels", issues::add_labels),
    route("GET", "/repos/{owner}/{repo}/issues/{issue_number}/comments", issues::comments),
    route("POST", "/repos/{owner}/{repo}/issues/{issue_number}/comments", issues::add_comment),
    route("GET", "/repos/{owner}/{repo}/issues/comments/{comment_id}", issues::comment),
    route("PATCH", "/repos/{owner}/{repo}/issues/comments/{comment_id}", issues::update_comment),
    route("GET", "/repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs", actions::runs),
    route("GET", "/repos/{owner}/{repo}/actions/runs/{run_id}/jobs", actions::jobs),
    route("GET", "/repos/{owner}/{repo}/rules/branches/{branch}", rules::of_branch),
    route("GET", "/repos/{owner}/{repo}/rulesets", rules::list),
    route("GET", "/repos/{owner}/{repo}/rulesets/{ruleset_id}", rules::get),
    route("GET", "/repos/{owner}/{repo}/branches/{branch}/protection", rules::protection),
    route("GET", "/repos/{owner}/{repo}/branches/{branch}", rules::branch),
    route("GET", "/repos/{owner}/{repo}/contents/{path}", contents::get),
    route("GET", "/repos/{owner}/{repo}/git/ref/{ref}", refs::get),
    route("GET", "/repos/{owner}/{repo}/git/matching-refs/{ref}", refs::matching),
    route("POST", "/repos/{owner}/{repo}/git/refs", refs::create),
    route("PATCH", "/repos/{owner}/{repo}/git/refs/{ref}", refs::update),
    route("DELETE", "/repos/{owner}/{repo}/git/refs/{ref}", refs::delete),
    route("GET", "/repos/{owner}/{repo}/git/tags/{tag_sha}", refs::tag),
    route("GET", "/app", apps::get),
    route("GET", "/repos/{owner}/{repo}/installation", apps::installation),
    route("POST", "/app/installations/{installation_id}/access_tokens", apps::access_token),
];

/// Places that slashes belong to.
const LONG: [&str; 4] = ["{tag}", "{branch}", "{ref}", "{path}"];

/// The route of a path, and the values of the template's places after the repository.
pub fn find(method: &str, path: &str) -> Option<(&'static Route, Vec<String>)> {
    let segments: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    ROUTES.iter().filter(|route| route.method == method).find_map(|route| {
        let template: Vec<&str> = route.template.trim_start_matches('/').split('/').collect();
        Some((route, fit(&template, &segments)?))
    })
}

fn fit(template: &[&str], path: &[&str]) -> Option<Vec<String>> {
    let (Some((first, template)), Some((segment, rest))) = (template.split_first(), path.split_first()) else {
        return (template.is_empty() && path.is_empty()).then(Vec::new);
    };
    if !first.starts_with('{') {
        return if first == segment { fit(template, rest) } else { None };
    }
    let most = if LONG.contains(first) { path.len() } else { 1 };
    (1..=most).rev().find_map(|count| {
        let value = Some(decoded(&path[..count].join("/"))).filter(|value| !value.is_empty())?;
        let more = fit(template, &path[count..])?;
        Some([value].into_iter().chain(more).collect())
    })
}

/// `%2F` and the like; a plus stays a plus in a path.
fn decoded(text: &str) -> String {
    let pair = format!("x={}", text.replace('+', "%2B"));
    crate::support::http::pairs(&pair).remove(0).1
}
