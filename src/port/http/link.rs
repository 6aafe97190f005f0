//! Where an answer leads: `Location` (RFC 9110 §10.2.2), and `Link` (RFC 8288) to a list's next page.

use reqwest::Url;
use reqwest::header::{HeaderMap, LINK, LOCATION};

/// The next page's address, which must be of the same origin as `base`. `url` is where the answer
/// came from.
pub(in crate::port) fn next_page(url: &Url, headers: &HeaderMap, base: &Url) -> Result<Option<Url>, String> {
    for value in headers.get_all(LINK) {
        let text = String::from_utf8_lossy(value.as_bytes()).into_owned();
        let mut rest = text.as_str();
        while let Some((target, after)) = rest.split_once('<').and_then(|(_, link)| link.split_once('>')) {
            rest = after;
            let parameters = after.split('<').next().unwrap_or(after);
            let is_next = parameters.split([';', ',']).any(|parameter| {
                let (key, value) = parameter.split_once('=').unwrap_or((parameter, ""));
                key.trim().eq_ignore_ascii_case("rel") && value.trim().trim_matches('"').eq_ignore_ascii_case("next")
            });
            if is_next {
                let url = url.join(target).map_err(|error| format!("the next page has no address: {error}"))?;
                return match url.origin() == base.origin() {
                    true => Ok(Some(url)),
                    false => Err("the next page is on another host".into()),
                };
            }
        }
    }
    Ok(None)
}

/// Where an answer's `Location` leads.
pub(in crate::port) fn resolve(from: &Url, headers: &HeaderMap) -> Result<Url, String> {
    let location = headers.get(LOCATION).ok_or("the answer has no Location")?;
    let location = location.to_str().map_err(|_| "the Location is not text")?;
    let url = from.join(location).map_err(|error| format!("the Location is not a URL: {error}"))?;
    match (from.scheme(), url.scheme()) {
        (_, "https") | ("http", "http") => Ok(url),
        (_, scheme) => Err(format!("the Location leads from {} to {scheme}", from.scheme())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(link: &str) -> Result<Option<String>, String> {
        let base = Url::parse("https://api.example/x").unwrap();
        let headers = [(LINK, link.parse().unwrap())].into_iter().collect();
        next_page(&base, &headers, &base).map(|url| url.map(String::from))
    }

    #[test]
    fn a_list_goes_on_at_the_same_origin() {
        let page = "https://api.example/x?page=2";
        assert_eq!(
            next(&format!("<https://api.example/x?page=1>; rel=\"prev\", <{page}>; rel=\"next\"")),
            Ok(Some(page.into()))
        );
        assert_eq!(next("</x?page=2>; rel=next"), Ok(Some(page.into())));
        assert_eq!(next(&format!("<{page}>; rel=\"last\"")), Ok(None));
        for other in ["https://api.example.evil/x", "http://api.example/x", "https://api.example:8443/x", "//["] {
            assert!(next(&format!("<{other}>; rel=\"next\"")).is_err(), "{other}");
        }
    }

    #[test]
    fn a_location_never_leaves_https() {
        let to = |from: &str, location: &str| {
            let headers = [(LOCATION, location.parse().unwrap())].into_iter().collect();
            resolve(&Url::parse(from).unwrap(), &headers).map(|url| url.to_string())
        };
        assert_eq!(to("https://a/v2/x", "/v2/y?z=1").unwrap(), "https://a/v2/y?z=1");
        assert_eq!(to("http://a/v2/x", "https://b/y").unwrap(), "https://b/y");
        for (from, location) in [
            ("https://a/x", "http://a/x"),
            ("https://a/x", "file:///x"),
            ("http://a/x", "ftp://a/x"),
            ("http://a", "//["),
        ] {
            assert!(to(from, location).is_err(), "{location}");
        }
        assert!(resolve(&Url::parse("https://a/").unwrap(), &HeaderMap::new()).is_err());
    }
}
