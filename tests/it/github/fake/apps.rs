use base64::Engine as _;
use serde_json::{Value, json};

use super::Fixture;
use crate::support::github::state::App;
use crate::support::github::{Level, MAINTAINER, apps};

/// A JWT over the claims, signed with the key as GitHub hands it out.
fn jwt(head: &Value, claims: &Value, pem: &str) -> String {
    let part = |bytes: &[u8]| base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes);
    let message = format!("{}.{}", part(head.to_string().as_bytes()), part(claims.to_string().as_bytes()));
    let lines: String = pem.lines().filter(|line| !line.starts_with("---")).collect();
    let key = base64::engine::general_purpose::STANDARD.decode(lines).unwrap();
    let key = rustls::pki_types::PrivateKeyDer::Pkcs1(key.into());
    let key = rustls::crypto::aws_lc_rs::sign::any_supported_type(&key).unwrap();
    let signer = key.choose_scheme(&[rustls::SignatureScheme::RSA_PKCS1_SHA256]).unwrap();
    let signature = signer.sign(message.as_bytes()).unwrap();
    format!("{message}.{}", part(&signature))
}

pub fn good() -> String {
    jwt(&json!({"alg": "RS256"}), &json!({"iat": 100, "exp": 640, "iss": "4711"}), &apps::KEY.pem)
}

fn world() -> Fixture {
    let world = Fixture::new();
    world.fake.state().repository.private = true;
    world.fake.state().app = Some(App::new("robot", &[("contents", Level::Write), ("issues", Level::Read)]));
    world
}

#[test]
fn an_app_speaks_for_itself_with_a_signed_word() {
    let world = world();
    let status = |token: &str| world.get_as(token, "/app").status;
    assert_eq!(world.get_as(&good(), "/app").json()["slug"], "robot");
    assert_eq!(world.get_as(&good(), "installation").json()["id"], 8_150);
    assert_eq!((status(MAINTAINER), status(""), status("a.b.c")), (401, 401, 401));
    assert_eq!(world.get_as(&good(), "").status, 401, "it is no token");
    let (head, claims) = (json!({"alg": "RS256"}), json!({"iat": 100, "exp": 640, "iss": 4711}));
    assert_eq!(status(&jwt(&head, &claims, &apps::KEY.pem)), 200);
    assert_eq!(status(&jwt(&head, &claims, &apps::new_key().pem)), 401, "another's key");
    assert_eq!(status(&jwt(&json!({"alg": "none"}), &claims, &apps::KEY.pem)), 401);
    for claims in
        [json!({"iat": 0, "exp": 661, "iss": 4711}), json!({"iat": 0, "exp": 600, "iss": 1}), json!({"iss": 4711})]
    {
        assert_eq!(status(&jwt(&head, &claims, &apps::KEY.pem)), 401, "{claims}");
    }
}

#[test]
fn its_tokens_end() {
    let world = world();
    let ask = |body: Value| world.call_as(&good(), "POST", "/app/installations/8150/access_tokens", Some(&body));
    let end = world.fake.state().clock + 60;
    world.fake.state().app.as_mut().unwrap().expires_at = Some(end);
    let token = ask(json!({"repositories": ["ship"]})).json();
    let secret = token["token"].as_str().unwrap();
    assert!(secret.starts_with("ghs_"));
    assert_eq!(token["permissions"], json!({"contents": "write", "issues": "read", "metadata": "read"}));
    let create = |secret: &str| {
        world.call_as(secret, "POST", "releases", Some(&json!({"tag_name": "v1.0.0", "draft": true}))).status
    };
    assert_eq!((create(secret), world.fake.state().releases[0].author.as_str()), (201, "robot[bot]"));
    world.fake.state().clock = end;
    assert_eq!(create(secret), 401);
    world.fake.state().app.as_mut().unwrap().expires_at = None;
    let less = ask(json!({"permissions": {"contents": "read"}})).json();
    assert_ne!(less["token"], token["token"]);
    assert_eq!(create(less["token"].as_str().unwrap()), 403);
    assert_eq!(ask(json!({"permissions": {"administration": "read"}})).status, 422, "more than it has");
    assert_eq!(ask(json!({"repositories": ["other"]})).status, 422);
    assert_eq!(world.call_as(&good(), "POST", "/app/installations/1/access_tokens", None).status, 404);
    assert_eq!(world.call_as(MAINTAINER, "POST", "/app/installations/8150/access_tokens", None).status, 401);
}
