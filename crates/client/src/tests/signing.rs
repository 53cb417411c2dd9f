//! Tests of signed token requests: assertions, keys, and the secrecy of the keys.

use std::collections::{HashMap, HashSet};
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use serde_json::{Value, json};

use super::server::{Reply, Server};
use super::vectors::vectors;
use crate::{Client, Error, PrivateKey};

const EMPTY: Reply = (200, "", "{}");

fn decode_base64url(text: &str) -> Vec<u8> {
    URL_SAFE_NO_PAD.decode(text).unwrap()
}

/// Returns the signed text and the signature of an assertion.
fn split_assertion(assertion: &str) -> (&str, Vec<u8>) {
    let (signed, signature) = assertion.rsplit_once('.').unwrap();
    (signed, decode_base64url(signature))
}

fn is_signed_by(jwk: &str, assertion: &str) -> bool {
    let jwk: Value = serde_json::from_str(jwk).unwrap();
    let number = |name: &str| decode_base64url(jwk[name].as_str().unwrap());
    let (signed, signature) = split_assertion(assertion);
    let signed = signed.as_bytes();
    let verified = match jwk["kty"].as_str().unwrap() {
        "OKP" => UnparsedPublicKey::new(&ED25519, number("x")).verify(signed, &signature),
        "EC" => {
            let point = [vec![4], number("x"), number("y")].concat();
            UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(signed, &signature)
        }
        _ => RsaPublicKeyComponents { n: number("n"), e: number("e") }.verify(
            &RSA_PKCS1_2048_8192_SHA256,
            signed,
            &signature,
        ),
    };
    verified.is_ok()
}

/// Returns the fields of a token request, and the header and the claims of its assertion.
fn parse_token_request(form: &str) -> (HashMap<String, String>, Value, Value) {
    let fields: HashMap<_, _> = url::form_urlencoded::parse(form.as_bytes()).into_owned().collect();
    let (header, claims) = split_assertion(&fields["client_assertion"]).0.split_once('.').unwrap();
    let json = |part: &str| serde_json::from_slice(&decode_base64url(part)).unwrap();
    (fields.clone(), json(header), json(claims))
}

#[test]
fn assertion_matches_the_test_vectors() {
    let vectors = vectors();
    let claims = &vectors.assertion;
    assert_eq!(vectors.keys.len(), 3);
    for (at, key) in vectors.keys.iter().enumerate() {
        let private = PrivateKey::from_pem(&key.pem).unwrap();
        assert_eq!((private.key_id(), private.public_jwk()), (&*key.key_id, &*key.public_jwk));
        let assertion =
            private.sign_assertion(&claims.client_id, &claims.audience, claims.now, &claims.jti).unwrap();
        let (signed, signature) = assertion.rsplit_once('.').unwrap();
        assert_eq!(signed, key.signed, "{}", key.algorithm);
        if let Some(known) = &key.signature {
            assert_eq!(signature, known, "{}", key.algorithm);
        }
        for (other, public) in vectors.keys.iter().enumerate() {
            assert_eq!(is_signed_by(&public.public_jwk, &assertion), at == other, "{}", public.algorithm);
        }
    }
}

#[test]
fn error_for_an_invalid_key_does_not_show_the_key() {
    for case in vectors().rejected {
        let error = PrivateKey::from_pem(&case.pem).unwrap_err();
        assert!(matches!(error, Error::Invalid(_)));
        let text = error.to_string();
        assert!(text.starts_with("expected a private key ") && text.contains(&case.error), "{text}");
        assert!(case.pem.lines().filter(|it| !it.is_empty()).all(|line| !text.contains(line)), "{text}");
    }
    // In this key, the line breaks after the label are missing, so the label would extend to the end of the
    // key.
    let broken = vectors().keys[0].pem.replace("-----\n", "-");
    assert!(PrivateKey::from_pem(&broken).unwrap_err().to_string().ends_with("got a text without BEGIN"));
}

#[tokio::test]
async fn each_token_request_has_a_new_assertion() {
    let server = Server::start(&[(401, "", "{}"), EMPTY]).await;
    server.reply_to_token_requests(&[(503, "", ""), (429, "retry-after: 0\r\n", "")]);
    let key = &vectors().keys[0];
    let client =
        Client::builder(&format!("{}/", server.address), "pkc_id", PrivateKey::from_pem(&key.pem).unwrap())
            .first_delay(std::time::Duration::from_millis(4));
    client.build().unwrap().get("/companies").json::<Value>().await.unwrap();

    #[expect(clippy::disallowed_methods, reason = "an assertion expires at a time of day")]
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let forms = server.token_request_bodies();
    assert_eq!(forms.len(), 4, "two failed attempts, and a token that was rejected");
    let mut ids = HashSet::new();
    for form in forms {
        let (fields, header, claims) = parse_token_request(&form);
        assert_eq!(fields["grant_type"], "client_credentials");
        assert_eq!(fields["client_id"], "pkc_id");
        assert_eq!(fields["client_assertion_type"], "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
        assert_eq!(fields.len(), 4, "{form}");
        assert_eq!(header, json!({"alg": "EdDSA", "kid": key.key_id, "typ": "JWT"}));
        assert_eq!((&claims["iss"], &claims["sub"]), (&json!("pkc_id"), &json!("pkc_id")));
        assert_eq!(claims["aud"], json!(server.address));
        let expires = claims["exp"].as_u64().unwrap();
        assert!((now..=now + 60).contains(&expires), "{claims}");
        assert!(is_signed_by(&key.public_jwk, &fields["client_assertion"]));
        ids.insert(claims["jti"].as_str().unwrap().to_owned());
    }
    assert_eq!(ids.len(), 4, "each id is new: {ids:?}");
}

#[tokio::test]
async fn the_audience_can_be_the_public_address() {
    let server = Server::start(&[EMPTY]).await;
    let key = PrivateKey::from_pem(&vectors().keys[1].pem).unwrap();
    let builder = Client::builder(&server.address, "pkc_id", key).audience("https://payroll.example.com");
    builder.build().unwrap().get("/companies").json::<Value>().await.unwrap();
    let (_, header, claims) = parse_token_request(&server.token_request_bodies()[0]);
    assert_eq!((&header["alg"], &claims["aud"]), (&json!("ES256"), &json!("https://payroll.example.com")));
}

#[test]
fn no_output_shows_a_private_key() {
    for key in vectors().keys {
        let private = PrivateKey::from_pem(&key.pem).unwrap();
        let builder = Client::builder("https://payroll.example.com", "id", private.clone());
        let credential = crate::Credential::from(private.clone());
        let text = format!("{private:?} {credential:?} {builder:?} {:?}", builder.clone().build());
        assert!(
            text.starts_with(&format!(r#"PrivateKey {{ key_id: "{}", .. }} PrivateKey("#, key.key_id)),
            "{text}"
        );
        assert!(key.pem.lines().all(|line| !text.contains(line)), "{text}");
        assert!(!text.contains("Pair") && !text.contains('['), "{text}");
    }
}

#[test]
fn key_without_its_public_key_is_rejected_with_a_repair_hint() {
    // The P-256 key of the shared test vectors without its public key, as some programs write it.
    let pem = "-----BEGIN PRIVATE KEY-----\nMEECAQAwEwYHKoZIzj0CAQYIKoZIzj0DAQcEJzAlAgEBBCBzqw3GEKeI37Fk17BI\nod0wZO07XQK7xJlMlFVLl3EujA==\n-----END PRIVATE KEY-----\n";
    let text = PrivateKey::from_pem(pem).unwrap_err().to_string();
    assert!(text.ends_with("convert it with openssl ec and openssl pkey"), "{text}");
}
