//! Tests of the published keys with which other services verify access tokens.

use crate::support::{
    Caller, Request, Server, Settings, on_every_database, on_every_database_with, token_form,
};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use payroll_server::config::TokenSignature;
use ring::signature::{ED25519, UnparsedPublicKey};
use serde_json::Value;

/// Returns the published key of access tokens.
async fn token_key(server: &Server) -> Value {
    let get = async |target: &str| {
        let target = target.replacen(&server.base, "", 1);
        server.send_unchecked(&Request::get(target).with_caller(Caller::Anonymous)).await
    };
    let metadata = get("/.well-known/oauth-authorization-server").await.json();
    let mut keys = get(metadata["jwks_uri"].as_str().expect("an address")).await.json();
    keys["keys"][0].take()
}

#[test]
fn another_service_verifies_a_token_with_the_published_key() {
    let eddsa = |settings: &mut Settings| settings.token_signature = TokenSignature::EdDsa;
    on_every_database_with(eddsa, async |server| {
        let key = token_key(server).await;
        assert_eq!(
            (&key["kty"], &key["crv"], &key["alg"]),
            (&"OKP".into(), &"Ed25519".into(), &"EdDSA".into())
        );
        let token = server.send(&Request::token(&token_form())).await.json();
        let token = token["access_token"].as_str().expect("a token");
        let (message, signature) = token.rsplit_once('.').expect("a signature");
        let decoded = |text: &str| URL_SAFE_NO_PAD.decode(text).expect("base64");
        let header: Value =
            serde_json::from_slice(&decoded(message.split('.').next().expect("a header"))).expect("JSON");
        assert_eq!((&header["alg"], &header["kid"]), (&key["alg"], &key["kid"]));
        let public = UnparsedPublicKey::new(&ED25519, decoded(key["x"].as_str().expect("a key")));
        public.verify(message.as_bytes(), &decoded(signature)).expect("the signature of the server");
        let companies = Request::get("/companies").header("authorization", format!("Bearer {token}"));
        assert_eq!(server.send(&companies.with_caller(Caller::Anonymous)).await.status, 200);
    });
}

#[test]
fn no_public_keys_of_tokens_are_published_for_hs256() {
    on_every_database(async |server| {
        let get = async |target: &str| {
            server.send_unchecked(&Request::get(target).with_caller(Caller::Anonymous)).await
        };
        assert_eq!(get("/.well-known/jwks.json").await.status, 404);
        let metadata = get("/.well-known/oauth-authorization-server").await.json();
        assert_eq!(metadata.get("jwks_uri"), None);
    });
}
