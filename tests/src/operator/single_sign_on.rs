//! Tests of single sign-on (specification §10.31). The identity provider runs on loopback and signs its
//! tokens itself.

use std::sync::{Arc, Mutex};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use payroll_ports::Clock;
use payroll_server::config::Setting;
use reqwest::Url;
use ring::signature::{Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::support::{
    Caller, Receiver, Reply, Request, Response, Server, Settings, basic_authorization, on_every_database,
    on_every_database_with,
};

const CLIENT_ID: &str = "payroll";
const CLIENT_SECRET: &str = "open-sesame-oidc";
/// The authorization code that the identity provider accepts.
const AUTHORIZATION_CODE: &str = "the-code";

/// An identity provider. Tests can change its claims and its signing key.
struct IdentityProvider {
    receiver: Receiver,
    claims: Arc<Mutex<Value>>,
    seed: Arc<Mutex<[u8; 32]>>,
    _folder: tempfile::TempDir,
    secret_file: String,
}

fn signed_token(seed: &[u8; 32], claims: &Value) -> String {
    let pair = Ed25519KeyPair::from_seed_unchecked(seed).expect("a seed");
    let encode = |part: &Value| URL_SAFE_NO_PAD.encode(part.to_string());
    let message = format!("{}.{}", encode(&json!({"alg": "EdDSA", "kid": "k1"})), encode(claims));
    format!("{message}.{}", URL_SAFE_NO_PAD.encode(pair.sign(message.as_bytes())))
}

impl IdentityProvider {
    fn start() -> Self {
        let receiver = Receiver::start();
        let issuer = format!("http://{}", receiver.address());
        let claims = Arc::new(Mutex::new(json!({})));
        let seed = Arc::new(Mutex::new([1; 32]));
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("secret");
        std::fs::write(&file, format!("{CLIENT_SECRET}\n")).expect("written");
        let (own_claims, own_seed) = (Arc::clone(&claims), Arc::clone(&seed));
        receiver.reply_with(move |request| match request.target.as_str() {
            "/.well-known/openid-configuration" => Reply::Json(json!({
                "issuer": issuer,
                "authorization_endpoint": format!("{issuer}/authorize"),
                "token_endpoint": format!("{issuer}/token"),
                "jwks_uri": format!("{issuer}/jwks"),
                "response_types_supported": ["code"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["EdDSA"],
            })),
            "/jwks" => {
                let pair = Ed25519KeyPair::from_seed_unchecked(&[1; 32]).expect("a seed");
                let x = URL_SAFE_NO_PAD.encode(pair.public_key());
                Reply::Json(json!({"keys": [
                    {"kty": "OKP", "crv": "Ed25519", "use": "sig", "alg": "EdDSA", "kid": "k1", "x": x}]}))
            }
            "/token" => {
                let form = String::from_utf8_lossy(&request.body).into_owned();
                let is_own = request.header("authorization") == basic_authorization(CLIENT_ID, CLIENT_SECRET);
                if !is_own
                    || !form.contains(&format!("code={AUTHORIZATION_CODE}"))
                    || !form.contains("code_verifier=")
                {
                    return Reply::With(400, "content-type: application/json");
                }
                let token =
                    signed_token(&own_seed.lock().expect("a seed"), &own_claims.lock().expect("claims"));
                Reply::Json(json!({"access_token": "at", "token_type": "Bearer", "id_token": token}))
            }
            _ => Reply::Status(404),
        });
        let secret_file = file.to_str().expect("a path").to_owned();
        Self { receiver, claims, seed, _folder: folder, secret_file }
    }

    fn issuer_url(&self) -> String {
        format!("http://{}", self.receiver.address())
    }

    fn settings(&self) -> impl Fn(&mut Settings) {
        let (issuer, secret_file) = (self.issuer_url(), self.secret_file.clone());
        move |settings| {
            settings.oidc_issuer = issuer.clone();
            settings.oidc_client_id = CLIENT_ID.to_owned();
            settings.oidc_client_secret_file = secret_file.clone();
            settings.oidc_roles =
                Setting::read("admins=administrator, clerks=payroll, audit=auditor").expect("roles");
        }
    }

    /// Sets the claims of the next token. `members` replace the valid default claims.
    fn set_claims(&self, server: &Server, nonce: &str, members: &[(&str, Value)]) {
        let now = server.clock.now().as_seconds();
        let mut claims = json!({
            "iss": self.issuer_url(), "aud": CLIENT_ID, "sub": "u-1", "nonce": nonce, "iat": now, "exp": now + 300,
            "email": "ann@example.org", "email_verified": true, "groups": ["staff", "clerks"],
        });
        for (name, value) in members {
            claims[*name] = value.clone();
        }
        *self.claims.lock().expect("claims") = claims;
    }
}

async fn get(server: &Server, target: &str, cookie: &str) -> Response {
    let request = Request::get(target).with_caller(Caller::Anonymous);
    let request = if cookie.is_empty() { request } else { request.header("cookie", cookie) };
    server.operator_send(&request).await
}

fn response_cookie(response: &Response) -> String {
    response.header("set-cookie").split(';').next().unwrap_or_default().to_owned()
}

/// The values that the server has created for a started sign-in.
struct StartedSignIn {
    cookie: String,
    state: String,
    nonce: String,
}

async fn start_sign_in(server: &Server) -> StartedSignIn {
    let response = get(server, "/sign-in", "").await;
    assert_eq!((response.status, response.header("cache-control")), (303, "no-store"), "{response:?}");
    let sent = response.header("set-cookie");
    assert!(sent.starts_with("payroll_sign_in=") && sent.ends_with("; HttpOnly; SameSite=Lax"), "{sent}");
    let url = Url::parse(response.header("location")).expect("an address");
    let parameter =
        |name: &str| url.query_pairs().find(|(it, _)| it == name).map(|(_, value)| value.into_owned());
    let expected = [
        ("client_id", CLIENT_ID.to_owned()),
        ("response_type", "code".to_owned()),
        ("scope", "openid profile email".to_owned()),
        ("code_challenge_method", "S256".to_owned()),
        ("redirect_uri", format!("http://{}/sign-in/callback", server.operator_address)),
    ];
    for (name, value) in expected {
        assert_eq!(parameter(name), Some(value), "{name}");
    }
    let cookie = response_cookie(&response);
    let verifier = cookie.rsplit('.').next().expect("a verifier");
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier));
    assert_eq!(parameter("code_challenge"), Some(challenge), "PKCE");
    StartedSignIn {
        cookie,
        state: parameter("state").expect("a state"),
        nonce: parameter("nonce").expect("a nonce"),
    }
}

/// Signs in with these claims. Returns the response of the callback.
async fn sign_in(server: &Server, provider: &IdentityProvider, members: &[(&str, Value)]) -> Response {
    let started = start_sign_in(server).await;
    provider.set_claims(server, &started.nonce, members);
    get(
        server,
        &format!("/sign-in/callback?code={AUTHORIZATION_CODE}&state={}", started.state),
        &started.cookie,
    )
    .await
}

async fn session_response(server: &Server, cookie: &str) -> Response {
    get(server, "/operator/v1/sessions/current", cookie).await
}

#[test]
fn an_operator_signs_in_with_the_role_of_a_group_until_the_group_changes() {
    let provider = IdentityProvider::start();
    on_every_database_with(provider.settings(), async |server| {
        let response = sign_in(server, &provider, &[]).await;
        assert_eq!((response.status, response.header("location")), (303, "/?sign-in=done"), "{response:?}");
        let first = response_cookie(&response);
        let shown = session_response(server, &first).await.content().remove(0);
        assert_eq!((&shown["role"], &shown["operatorName"]), (&json!("payroll"), &json!("ann@example.org")));
        assert_eq!(get(server, "/operator/v1/companies", &first).await.status, 200);

        // If an operator signs in again with the same role, the server reuses the operator's key.
        let second = response_cookie(&sign_in(server, &provider, &[]).await);
        assert_eq!(session_response(server, &first).await.status, 200);
        let promoted = sign_in(server, &provider, &[("groups", json!("admins"))]).await;
        let shown = session_response(server, &response_cookie(&promoted)).await.content().remove(0);
        assert_eq!(shown["role"], "administrator");
        for cookie in [&first, &second] {
            assert_eq!(
                session_response(server, cookie).await.status,
                401,
                "sessions of the former role have ended"
            );
        }
        let keys = server.send(&Request::operator_get("/keys")).await.content();
        let own = keys.iter().filter(|key| key["operatorName"] == "ann@example.org").count();
        assert_eq!(own, 1, "{keys:?}");
    });
}

#[test]
fn an_operator_has_access_to_the_companies_of_the_claim() {
    let provider = IdentityProvider::start();
    let restricted = |settings: &mut Settings| {
        provider.settings()(settings);
        settings.oidc_company_claim = "companies".to_owned();
    };
    on_every_database_with(restricted, async |server| {
        let companies = async |claim: Value| {
            let response = sign_in(server, &provider, &[("companies", claim)]).await;
            assert_eq!(response.header("location"), "/?sign-in=done", "{response:?}");
            let session = response_cookie(&response);
            (get(server, "/operator/v1/companies", &session).await.members("companyId"), session)
        };
        let (all, _) = companies(json!("*")).await;
        assert!(all.len() > 1, "{all:?}");
        let (one, first) = companies(json!(all[0])).await;
        assert_eq!(one, all[..1]);
        let other = get(server, &format!("/operator/v1/companies/{}", all[1]), &first).await;
        assert_eq!(other.status, 404, "{other:?}");

        // The server ignores the order of the companies, so the key and its sessions stay valid.
        let (two, second) = companies(json!([all[1], all[0], all[1]])).await;
        assert_eq!(two, all[..2]);
        assert_eq!(session_response(server, &first).await.status, 401, "the former companies have ended");
        let (same, _) = companies(json!([all[0], all[1]])).await;
        assert_eq!((same, session_response(server, &second).await.status), (two, 200));

        let many: Vec<String> = (0..1001).map(|number| format!("C{number}")).collect();
        let invalid = [
            json!(null),
            json!([]),
            json!(""),
            json!(7),
            json!([all[0], 7]),
            json!([all[0], "a b"]),
            json!(many),
        ];
        for claim in invalid {
            let response = sign_in(server, &provider, &[("companies", claim.clone())]).await;
            assert_eq!(response.header("location"), "/?sign-in=no-companies", "{claim}");
        }
        let absent = sign_in(server, &provider, &[]).await;
        assert_eq!(absent.header("location"), "/?sign-in=no-companies");
    });
}

#[test]
fn a_revoked_key_ends_the_session_until_the_next_sign_in() {
    let provider = IdentityProvider::start();
    on_every_database_with(provider.settings(), async |server| {
        let first = response_cookie(&sign_in(server, &provider, &[]).await);
        let key =
            session_response(server, &first).await.content()[0]["keyId"].as_str().expect("an id").to_owned();
        let revoke = Request::operator_delete(&format!("/keys/{key}"));
        assert_eq!(server.send(&revoke).await.status, 204);
        assert_eq!(session_response(server, &first).await.status, 401);
        let second = response_cookie(&sign_in(server, &provider, &[]).await);
        assert_eq!(
            session_response(server, &second).await.status,
            200,
            "the provider decides who may sign in"
        );
    });
}

#[test]
fn failed_sign_ins_are_limited() {
    let provider = IdentityProvider::start();
    let limited = |settings: &mut Settings| {
        provider.settings()(settings);
        settings.failed_tokens_per_minute = 2;
    };
    on_every_database_with(limited, async |server| {
        let mut reasons = Vec::new();
        for _ in 0..3 {
            let failed = sign_in(server, &provider, &[("nonce", json!("another"))]).await;
            reasons.push(failed.header("location").to_owned());
        }
        assert_eq!(reasons, ["/?sign-in=rejected", "/?sign-in=rejected", "/?sign-in=too-many"]);
    });
}

#[test]
fn a_sign_in_without_a_role_a_name_or_a_valid_token_fails_with_its_reason() {
    let provider = IdentityProvider::start();
    on_every_database_with(provider.settings(), async |server| {
        let now = server.clock.now().as_seconds();
        let cases = [
            ("no-role", "groups", json!(["staff"])),
            ("no-role", "groups", json!({"clerks": true})),
            ("no-name", "email_verified", json!(false)),
            ("no-name", "email", json!("a\u{200b}nn")),
            ("rejected", "nonce", json!("another")),
            ("rejected", "aud", json!("another")),
            ("rejected", "iss", json!("http://127.0.0.1:1")),
            ("rejected", "exp", json!(now - 1)),
        ];
        for (reason, claim, value) in cases {
            let response = sign_in(server, &provider, &[(claim, value.clone())]).await;
            assert_eq!(response.header("location"), format!("/?sign-in={reason}"), "{claim} {value}");
            assert!(!response.header("set-cookie").contains("session"), "{response:?}");
        }
        *provider.seed.lock().expect("a seed") = [2; 32];
        let forged = sign_in(server, &provider, &[]).await;
        assert_eq!(forged.header("location"), "/?sign-in=rejected", "another key signed");
        *provider.seed.lock().expect("a seed") = [1; 32];
    });
}

#[test]
fn only_the_browser_that_started_a_sign_in_can_finish_it() {
    let provider = IdentityProvider::start();
    on_every_database_with(provider.settings(), async |server| {
        let started = start_sign_in(server).await;
        provider.set_claims(server, &started.nonce, &[]);
        let good = format!("/sign-in/callback?code={AUTHORIZATION_CODE}&state={}", started.state);
        let cases = [
            ("expired", good.clone(), String::new()),
            (
                "expired",
                format!("/sign-in/callback?code={AUTHORIZATION_CODE}&state=other"),
                started.cookie.clone(),
            ),
            ("expired", format!("{good}&state={}", started.state), started.cookie.clone()),
            ("expired", good.clone(), "payroll_sign_in=a.b".to_owned()),
            (
                "denied",
                format!("/sign-in/callback?error=access_denied&state={}", started.state),
                started.cookie.clone(),
            ),
            (
                "rejected",
                format!("/sign-in/callback?code=wrong&state={}", started.state),
                started.cookie.clone(),
            ),
        ];
        for (reason, target, cookie) in cases {
            let response = get(server, &target, &cookie).await;
            assert_eq!(response.header("location"), format!("/?sign-in={reason}"), "{target}");
        }
        // A second sign-in has a different verifier and nonce. This provider does not verify the verifier,
        // but the server rejects an identity token with the nonce of another sign-in.
        let other = start_sign_in(server).await;
        let target = format!("/sign-in/callback?code={AUTHORIZATION_CODE}&state={}", other.state);
        let response = get(server, &target, &other.cookie).await;
        assert_eq!(response.header("location"), "/?sign-in=rejected");
    });
}

#[test]
fn an_operator_with_a_confusable_name_cannot_sign_in() {
    let provider = IdentityProvider::start();
    on_every_database_with(provider.settings(), async |server| {
        sign_in(server, &provider, &[]).await;
        let similar = [("sub", json!("u-2")), ("email", json!("\u{430}nn@example.org"))];
        let response = sign_in(server, &provider, &similar).await;
        assert_eq!(response.header("location"), "/?sign-in=name-taken");
        let same = sign_in(server, &provider, &[("sub", json!("u-2"))]).await;
        assert_eq!(same.header("location"), "/?sign-in=name-taken", "a name belongs to one operator");
    });
}

#[test]
fn an_unavailable_provider_is_reported_and_keys_still_work() {
    let provider = IdentityProvider::start();
    provider.receiver.reply_with(|_| Reply::Status(500));
    on_every_database_with(provider.settings(), async |server| {
        assert_eq!(get(server, "/sign-in", "").await.header("location"), "/?sign-in=unavailable");
        assert_eq!(server.send(&Request::operator_get("/companies")).await.status, 200);
    });
}

#[test]
fn without_the_setting_single_sign_on_is_disabled() {
    on_every_database(async |server| {
        assert_eq!(get(server, "/sign-in", "").await.status, 404);
        assert!(get(server, "/", "").await.text().contains("name=\"single-sign-on\" content=\"\""));
    });
}
