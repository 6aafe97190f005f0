//! GitHub Apps: a signed word of the app's own, the installation, its tokens.

use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::time::SystemTime;

use base64::Engine as _;
use serde_json::{Value, json};

use super::call::{Answer, Call, WEB, error, not_found, reply};
use super::clock::iso;
use super::state::{App, EPOCH};
use super::tokens::{Kind, Level, Role, Token};
use super::views::node;
use crate::support::http::Response;

/// An app's private key as GitHub hands it out (PKCS#1), and its public half.
pub struct Key {
    pub pem: String,
    pub public: Vec<u8>,
}

/// One key for all tests: making one takes a while.
pub static KEY: LazyLock<Key> = LazyLock::new(new_key);

pub fn new_key() -> Key {
    let pair = rcgen::KeyPair::generate_rsa_for(&rcgen::PKCS_RSA_SHA256, rcgen::RsaKeySize::_2048).unwrap();
    // PKCS#8 is a wrapping of 26 bytes around PKCS#1 for a key of this size.
    let inner = &pair.serialize_der()[26..];
    let text = base64::engine::general_purpose::STANDARD.encode(inner);
    let lines: String =
        text.as_bytes().chunks(64).map(|line| String::from_utf8_lossy(line).into_owned() + "\n").collect();
    let pem = format!("-----BEGIN RSA PRIVATE KEY-----\n{lines}-----END RSA PRIVATE KEY-----\n");
    Key { pem, public: pair.public_key_raw().to_vec() }
}

impl App {
    /// An app with those permissions, installed here, whose key is [`KEY`].
    pub fn new(slug: &str, permissions: &[(&str, Level)]) -> Self {
        Self {
            id: 4_711,
            slug: slug.into(),
            client_id: "Iv23lifake".into(),
            installation: 8_150,
            permissions: super::tokens::permissions(permissions),
            public_key: Some(KEY.public.clone()),
            expires_at: None,
            issued: 0,
        }
    }
}

/// Whether the signature of a JWT is the key's.
fn signed(jwt: &str, key: &[u8]) -> bool {
    let Some((message, signature)) = jwt.rsplit_once('.') else { return false };
    let Ok(signature) = base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(signature) else { return false };
    let algorithms = rustls::crypto::aws_lc_rs::default_provider().signature_verification_algorithms;
    let wanted = rustls::SignatureScheme::RSA_PKCS1_SHA256;
    let found = algorithms.mapping.iter().find(|(scheme, _)| *scheme == wanted).unwrap().1;
    found.iter().any(|algorithm| algorithm.verify_signature(key, message.as_bytes(), &signature).is_ok())
}

/// The claims of a JWT that is signed as GitHub wants it: RS256, of this app, for ten minutes at most.
fn claims(jwt: &str, app: &App) -> Option<Value> {
    let part = |text: &str| -> Option<Value> {
        let bytes = base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(text).ok()?;
        serde_json::from_slice(&bytes).ok()
    };
    let parts: Vec<&str> = jwt.split('.').collect();
    let [head, body, signature] = parts.as_slice() else { return None };
    let (head, body) = (part(head)?, part(body)?);
    let issuer = body["iss"].as_str().map_or_else(|| body["iss"].to_string(), str::to_owned);
    let life = body["exp"].as_i64()? - body["iat"].as_i64()?;
    let fits = head["alg"] == "RS256"
        && !signature.is_empty()
        && (issuer == app.id.to_string() || issuer == app.client_id)
        && (1..=660).contains(&life)
        && app.public_key.as_ref().is_none_or(|key| signed(jwt, key));
    fits.then_some(body)
}

/// The app that a JWT is of.
fn app(call: &Call) -> Result<App, Response> {
    let jwt = super::server::secret(call.request).ok_or_else(|| error(401, "A JSON web token could not be decoded"))?;
    let app = call.state.app.clone().ok_or_else(|| error(401, "Integration not found"))?;
    claims(&jwt, &app).ok_or_else(|| error(401, "A JSON web token could not be decoded"))?;
    Ok(app)
}

fn words(permissions: &BTreeMap<String, Level>) -> Value {
    let word = |level: &Level| if *level == Level::Write { "write" } else { "read" };
    let mut value: serde_json::Map<String, Value> =
        permissions.iter().map(|(name, level)| (name.clone(), word(level).into())).collect();
    value.insert("metadata".into(), "read".into());
    Value::Object(value)
}

pub fn get(call: &mut Call) -> Answer {
    let app = app(call)?;
    let value = json!({
        "id": app.id, "slug": app.slug, "node_id": node("A", app.id), "client_id": app.client_id,
        "owner": call.owner(), "name": app.slug, "description": null, "external_url": WEB,
        "html_url": format!("{WEB}/apps/{}", app.slug), "created_at": iso(EPOCH), "updated_at": iso(EPOCH),
        "permissions": words(&app.permissions), "events": [], "installations_count": 1,
    });
    Ok(reply(200, &value))
}

pub fn installation(call: &mut Call) -> Answer {
    let app = app(call)?;
    let url = format!("{}/app/installations/{}", call.base, app.installation);
    let organization = call.state.repository.organization;
    let value = json!({
        "id": app.installation, "account": call.owner(), "repository_selection": "selected",
        "access_tokens_url": format!("{url}/access_tokens"), "app_id": app.id, "app_slug": app.slug,
        "repositories_url": format!("{}/installation/repositories", call.base), "client_id": app.client_id,
        "html_url": format!("{WEB}/settings/installations/{}", app.installation), "target_id": 1,
        "target_type": if organization { "Organization" } else { "User" }, "permissions": words(&app.permissions),
        "events": [], "created_at": iso(EPOCH), "updated_at": iso(EPOCH), "single_file_name": null,
        "suspended_by": null, "suspended_at": null,
    });
    Ok(reply(200, &value))
}

/// A token for what is asked for, at most all that the installation has.
pub fn access_token(call: &mut Call) -> Answer {
    let app = app(call)?;
    if call.number(0)? != app.installation {
        return Err(not_found());
    }
    let said = call.json()?;
    let name = call.state.repository.name.clone();
    if said["repositories"].as_array().is_some_and(|list| list.iter().any(|asked| *asked != name.as_str())) {
        return Err(super::call::invalid(
            "There is at least one repository that does not exist or is not accessible",
            &[],
        ));
    }
    let mut permissions = app.permissions.clone();
    if let Some(asked) = said["permissions"].as_object() {
        let level = |word: &Value| if *word == "write" { Level::Write } else { Level::Read };
        let asked: BTreeMap<String, Level> = asked.iter().map(|(name, word)| (name.clone(), level(word))).collect();
        let more = |(name, level): (&String, &Level)| app.permissions.get(name).is_none_or(|given| given < level);
        if asked.iter().any(more) {
            return Err(super::call::invalid("The permissions requested are not granted to this installation.", &[]));
        }
        permissions = asked;
    }
    let wall = || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs() as i64;
    let end = app.expires_at.unwrap_or_else(|| wall() + 3_600);
    let known = call.state.app.as_mut().unwrap();
    known.issued += 1;
    let secret = format!("ghs_{:036}", known.issued);
    let value = json!({
        "token": secret, "expires_at": iso(end), "permissions": words(&permissions),
        "repository_selection": "selected",
    });
    call.state.tokens.push(Token {
        secret,
        login: format!("{}[bot]", app.slug),
        kind: Kind::Installation,
        role: Role::None,
        permissions,
        expires_at: Some(end),
    });
    Ok(reply(201, &value))
}
