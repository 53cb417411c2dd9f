//! Tests of applications that sign their token requests (§5.1, RFC 7523).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures_util::future::join_all;
use payroll_ports::Clock;
use reqwest::Method;
use ring::signature::{Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};

use crate::support::{
    CLIENT_ID, Caller, Request, Response, Server, Settings, on_every_database, on_every_database_with,
    token_form,
};

const SECRETS_PATH: &str = "/applications/partner/secrets";
const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// The key pair with which an application signs assertions, and the ids of the registered public key.
struct AssertionSigner {
    pair: Ed25519KeyPair,
    kid: String,
    secret_id: String,
}

/// Returns a public key as a JSON web key.
fn public_jwk(pair: &Ed25519KeyPair) -> Value {
    json!({"kty": "OKP", "crv": "Ed25519", "x": URL_SAFE_NO_PAD.encode(pair.public_key())})
}

fn key_pair(seed: u8) -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(&[seed; 32]).expect("a seed")
}

impl AssertionSigner {
    async fn register(server: &Server, seed: u8) -> Self {
        let pair = key_pair(seed);
        let created = server
            .send(&Request::operator_post(SECRETS_PATH, &json!({"publicKey": public_jwk(&pair)})))
            .await;
        assert_eq!(created.status, 201, "{created:?}");
        let created = created.content().remove(0);
        assert_eq!((&created["algorithm"], &created["value"]), (&json!("EdDSA"), &Value::Null), "{created}");
        let member = |name: &str| created[name].as_str().expect("a text").to_owned();
        Self { pair, kid: member("kid"), secret_id: member("secretId") }
    }

    /// Returns the form of a token request with a signed assertion. The claims are valid, except for these
    /// changes.
    fn assertion_form(&self, server: &Server, jti: &str, changes: &[(&str, Value)]) -> String {
        let now = server.clock.now().as_seconds();
        let mut header = json!({"alg": "EdDSA", "kid": self.kid});
        let mut claims =
            json!({"iss": CLIENT_ID, "sub": CLIENT_ID, "aud": server.base, "exp": now + 60, "jti": jti});
        for (name, value) in changes {
            let part = if matches!(*name, "alg" | "kid") { &mut header } else { &mut claims };
            part[*name] = value.clone();
        }
        let encoded = |part: &Value| URL_SAFE_NO_PAD.encode(part.to_string());
        let signed = format!("{}.{}", encoded(&header), encoded(&claims));
        let signature = URL_SAFE_NO_PAD.encode(self.pair.sign(signed.as_bytes()));
        format!(
            "grant_type=client_credentials&client_assertion_type={ASSERTION_TYPE}&client_assertion={signed}.{signature}"
        )
    }
}

async fn request_token(server: &Server, form: &str) -> Response {
    server.send(&Request::token(form)).await
}

/// Returns the code and the OAuth error of a rejected token request.
fn oauth_error_text(response: &Response) -> String {
    format!("{} {}", response.status_and_code(), response.json()["error"].as_str().unwrap_or_default())
}

fn request_with_token(token: &Response) -> Request {
    let token = token.json()["access_token"].as_str().expect("a token").to_owned();
    Request::get("/companies")
        .with_caller(Caller::Anonymous)
        .header("authorization", format!("Bearer {token}"))
}

#[test]
fn an_application_signs_its_token_requests_until_the_key_is_revoked() {
    on_every_database(async |server| {
        let signer = AssertionSigner::register(server, 1).await;
        let endpoint = json!([format!("{}/auth/oauth/v2/token", server.base), "https://other.example.org"]);
        let first = request_token(server, &signer.assertion_form(server, "1", &[])).await;
        let second = request_token(server, &signer.assertion_form(server, "2", &[("aud", endpoint)])).await;
        let named =
            format!("{}&client_id={CLIENT_ID}&scope=read:companies", signer.assertion_form(server, "3", &[]));
        let third = request_token(server, &named).await;
        for token in [&first, &second, &third] {
            assert_eq!(token.status, 200, "{token:?}");
            assert_eq!(server.send(&request_with_token(token)).await.status, 200);
        }
        assert_eq!(third.json()["scope"], "read:companies");
        // The application can still use its client secret in addition to the key.
        assert_eq!(request_token(server, &token_form()).await.status, 200);

        let listed = server.send(&Request::operator_get(SECRETS_PATH)).await.content();
        let own = listed.iter().find(|it| it["secretId"] == signer.secret_id.as_str()).expect("the key");
        assert_eq!((&own["kid"], &own["algorithm"]), (&json!(signer.kid), &json!("EdDSA")));
        let revoke = Request::operator_delete(&format!("{SECRETS_PATH}/{}", signer.secret_id));
        assert_eq!(server.send(&revoke).await.status, 204);
        assert_eq!(server.send(&request_with_token(&first)).await.status, 401);
        let refused = request_token(server, &signer.assertion_form(server, "4", &[])).await;
        assert_eq!(oauth_error_text(&refused), "401 API-102 invalid_client");
    });
}

#[test]
fn an_assertion_is_accepted_once() {
    on_every_database(async |server| {
        let signer = AssertionSigner::register(server, 1).await;
        let form = signer.assertion_form(server, "same", &[]);
        let responses = join_all((0..8).map(|_| request_token(server, &form))).await;
        let accepted = responses.iter().filter(|response| response.status == 200).count();
        assert_eq!(accepted, 1, "{responses:?}");
        server.clock.advance_seconds(30);
        for form in [form, signer.assertion_form(server, "same", &[("nbf", json!(0))])] {
            let refused = request_token(server, &form).await;
            assert_eq!(oauth_error_text(&refused), "401 API-102 invalid_client");
            assert!(refused.text().contains("was used before"), "{refused:?}");
        }
        // The id of an assertion must be unique for each application only, so two applications may use the
        // same id.
        assert_eq!(request_token(server, &signer.assertion_form(server, "next", &[])).await.status, 200);
    });
}

#[test]
fn an_invalid_assertion_gets_no_token() {
    on_every_database(async |server| {
        let (signer, other) = (AssertionSigner::register(server, 1).await, key_pair(2));
        let now = server.clock.now().as_seconds();
        let stranger = AssertionSigner { pair: other, kid: signer.kid.clone(), secret_id: String::new() };
        let cases: [&[(&str, Value)]; 9] = [
            &[("exp", json!(now))],
            &[("exp", json!(now + 601))],
            &[("aud", json!("https://other.example.org"))],
            &[("iss", json!("other"))],
            &[("jti", json!(null))],
            &[("alg", json!("none"))],
            &[("kid", json!("A".repeat(43)))],
            &[("kid", json!("\0".repeat(43)))],
            &[("iss", json!("key\0")), ("sub", json!("key\0"))],
        ];
        for changes in cases {
            let refused = request_token(server, &signer.assertion_form(server, "1", changes)).await;
            assert_eq!(oauth_error_text(&refused), "401 API-102 invalid_client", "{changes:?}");
        }
        for (name, value) in [("exp", json!(null)), ("exp", json!("soon")), ("aud", json!(7))] {
            let refused = request_token(server, &signer.assertion_form(server, "1", &[(name, value)])).await;
            assert!(refused.text().contains("client_assertion must have the claims iss"), "{refused:?}");
        }
        let good = signer.assertion_form(server, "1", &[]);
        for form in [
            stranger.assertion_form(server, "1", &[]),
            good.replace("client_assertion=", "client_assertion=."),
            format!("{good}&client_id=key-of-nobody"),
            format!("grant_type=client_credentials&client_id={CLIENT_ID}&client_secret={}", signer.kid),
            format!("grant_type=client_credentials&client_id={CLIENT_ID}&client_secret=key+{}", signer.kid),
        ] {
            assert_eq!(
                oauth_error_text(&request_token(server, &form).await),
                "401 API-102 invalid_client",
                "{form}"
            );
        }
        for (form, expected) in [
            (format!("{good}&client_secret=s"), "400 API-40 invalid_request"),
            (good.replace("jwt-bearer", "saml2-bearer"), "400 API-48 invalid_request"),
            (format!("{good}&client_assertion=a.b.c"), "400 API-47 invalid_request"),
        ] {
            assert_eq!(oauth_error_text(&request_token(server, &form).await), expected, "{form}");
        }
        // An assertion can be used only once. A rejected request does not count as a use.
        assert_eq!(request_token(server, &good).await.status, 200);
        let disabled = Request::operator_patch("/applications/partner", &json!({"enabled": false}));
        assert_eq!(server.send(&disabled).await.status, 200);
        let refused = request_token(server, &signer.assertion_form(server, "2", &[])).await;
        assert_eq!(oauth_error_text(&refused), "401 API-102 invalid_client");
    });
}

#[test]
fn a_rejected_public_key_is_reported_with_the_reason() {
    on_every_database(async |server| {
        let post = async |body: &Value| server.send(&Request::operator_post(SECRETS_PATH, body)).await;
        let key = public_jwk(&key_pair(1));
        let with = |name: &str, value: &str| {
            let mut key = key.clone();
            key[name] = json!(value);
            json!({"publicKey": key})
        };
        for (body, expected) in [
            (with("d", "very-private"), "/publicKey/d"),
            (with("kid", "mine"), "/publicKey/kid"),
            (with("crv", "P-256"), "/publicKey/crv"),
            (with("x", "AAAA"), "/publicKey/x"),
            (json!({"publicKey": {"kty": "oct", "k": "very-private"}}), "/publicKey/k"),
            (
                json!({"publicKey": {"kty": "EC", "crv": "P-256", "x": key["x"], "y": key["x"]}}),
                "/publicKey/x",
            ),
            // Invalid values of the public key: two points of small order, a point with an invalid encoding,
            // and a number that is not a point.
            (with("x", "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"), "/publicKey/x"),
            (with("x", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"), "/publicKey/x"),
            (with("x", "7v_______________________________________38"), "/publicKey/x"),
            (with("x", "_____________________________________________"), "/publicKey/x"),
            (json!({"publicKey": "-----BEGIN PUBLIC KEY-----"}), "/publicKey"),
            (json!({"secret": "mine"}), "/secret"),
        ] {
            let refused = post(&body).await;
            let pointers: Vec<Value> =
                refused.errors().into_iter().map(|mut it| it["pointer"].take()).collect();
            assert_eq!((refused.status, pointers), (400, vec![json!(expected)]), "{refused:?}");
            assert!(!refused.text().contains("very-private"), "{refused:?}");
        }
        assert_eq!(post(&json!({"publicKey": key})).await.status, 201);
        let again = post(&json!({"publicKey": key})).await;
        assert_eq!(again.status_and_code(), "409 API-409", "{again:?}");
        // Without a public key in the request, the server creates a client secret.
        assert_eq!(post(&json!({})).await.content()[0]["value"].as_str().map(|it| &it[..4]), Some("pks_"));
    });
}

#[test]
fn an_assertion_for_another_audience_is_rejected_for_any_host_header() {
    let other = "https://payroll.example.org";
    let at_other = |form: String| {
        Request::token(&form).header("host", "payroll.example.org").header("x-forwarded-proto", "https")
    };
    on_every_database(async |server| {
        let signer = AssertionSigner::register(server, 1).await;
        let form =
            signer.assertion_form(server, "1", &[("aud", json!([other, "http://payroll.example.org"]))]);
        let refused = server.send_unchecked(&at_other(form)).await;
        assert_eq!(oauth_error_text(&refused), "401 API-102 invalid_client");
        assert!(refused.text().contains("public_base_url"), "{refused:?}");
        let metadata = Request::new(Method::GET, "/.well-known/oauth-authorization-server");
        let metadata = metadata.with_caller(Caller::Anonymous).header("host", "api.example.org");
        let metadata = server.send_unchecked(&metadata).await.json();
        let methods = json!(["client_secret_basic", "client_secret_post"]);
        assert_eq!(metadata["token_endpoint_auth_methods_supported"], methods);
        assert!(metadata.get("token_endpoint_auth_signing_alg_values_supported").is_none(), "{metadata}");
    });
    let named = |settings: &mut Settings| settings.public_base_url = "https://api.example.org/".to_owned();
    on_every_database_with(named, async |server| {
        let signer = AssertionSigner::register(server, 1).await;
        let form = signer.assertion_form(server, "1", &[("aud", json!([other, server.base]))]);
        let refused = server.send_unchecked(&at_other(form)).await;
        assert_eq!(oauth_error_text(&refused), "401 API-102 invalid_client");
        assert!(refused.text().contains("https://api.example.org/auth/oauth/v2/token"), "{refused:?}");
        let form = signer.assertion_form(server, "2", &[("aud", json!("https://api.example.org"))]);
        assert_eq!(request_token(server, &form).await.status, 200);
    });
}

#[test]
fn the_server_metadata_list_signed_token_requests() {
    on_every_database(async |server| {
        let metadata = Request::new(Method::GET, "/.well-known/oauth-authorization-server");
        let metadata = server.send_unchecked(&metadata.with_caller(Caller::Anonymous)).await.json();
        let methods = json!(["client_secret_basic", "client_secret_post", "private_key_jwt"]);
        assert_eq!(metadata["token_endpoint_auth_methods_supported"], methods);
        let algorithms = json!(["EdDSA", "ES256", "RS256"]);
        assert_eq!(metadata["token_endpoint_auth_signing_alg_values_supported"], algorithms);
    });
}
