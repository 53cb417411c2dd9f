use super::*;
use crate::code::Reason;

/// The public key of RFC 8037, appendix A.2.
const ED25519_X: &str = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";

fn key(json: &str) -> Result<JwkDocument, Vec<String>> {
    let node = input::parse(json.as_bytes()).unwrap();
    read_object(&node, read_jwk).map_err(|faults| {
        faults.iter().map(|it| format!("{} {}", it.reason.code(), it.pointer.as_deref().unwrap())).collect()
    })
}

#[test]
fn each_key_type_has_its_algorithm_and_survives_storage() {
    let modulus = "u".repeat(342 - 1) + "w";
    let keys = [
        (format!(r#"{{"kty":"OKP","crv":"Ed25519","x":"{ED25519_X}","use":"sig"}}"#), "EdDSA"),
        (
            format!(r#"{{"kty":"EC","crv":"P-256","x":"{ED25519_X}","y":"{ED25519_X}","alg":"ES256"}}"#),
            "ES256",
        ),
        (format!(r#"{{"kty":"RSA","n":"{modulus}","e":"AQAB"}}"#), "RS256"),
        (format!(r#"{{"kty":"RSA","n":"{modulus}","e":"Aw"}}"#), "RS256"),
    ];
    for (json, algorithm) in keys {
        let sent = key(&json).unwrap_or_else(|faults| panic!("{json}: {faults:?}"));
        assert_eq!((sent.key.algorithm().as_str(), sent.kid), (algorithm, None));
        assert_eq!(ClientKey::from_canonical_text(&sent.key.to_canonical_text()), Some(sent.key));
    }
}

#[test]
fn each_fault_has_its_pointer() {
    let modulus = "u".repeat(342 - 1) + "w";
    let cases = [
        ("{}".to_owned(), "API-46 /kty"),
        (r#"{"kty":"oct","k":"c2VjcmV0"}"#.to_owned(), "API-48 /k"),
        (format!(r#"{{"kty":"OKP","crv":"Ed25519","x":"{ED25519_X}","d":"{ED25519_X}"}}"#), "API-48 /d"),
        (format!(r#"{{"kty":"OKP","crv":"X25519","x":"{ED25519_X}"}}"#), "API-48 /crv"),
        (r#"{"kty":"OKP","crv":"Ed25519","x":"AAAA"}"#.to_owned(), "API-48 /x"),
        (format!(r#"{{"kty":"OKP","crv":"Ed25519","x":"{ED25519_X}="}}"#), "API-48 /x"),
        (format!(r#"{{"kty":"OKP","crv":"Ed25519","x":"{}p"}}"#, &ED25519_X[..42]), "API-48 /x"),
        (format!(r#"{{"kty":"OKP","crv":"Ed25519","x":"{ED25519_X}","use":"enc"}}"#), "API-48 /use"),
        (format!(r#"{{"kty":"OKP","crv":"Ed25519","x":"{ED25519_X}","alg":"RS256"}}"#), "API-48 /alg"),
        (format!(r#"{{"kty":"OKP","crv":"Ed25519","x":"{ED25519_X}","alg":"none"}}"#), "API-48 /alg"),
        (format!(r#"{{"kty":"EC","crv":"P-256","x":"{ED25519_X}"}}"#), "API-46 /y"),
        (format!(r#"{{"kty":"RSA","n":"{ED25519_X}","e":"AQAB"}}"#), "API-48 /n"),
        (format!(r#"{{"kty":"RSA","n":"{}g","e":"AQAB"}}"#, &modulus[..341]), "API-48 /n"),
        (format!(r#"{{"kty":"RSA","n":"P{}","e":"AQAB"}}"#, &modulus[1..]), "API-48 /n"),
        (format!(r#"{{"kty":"RSA","n":"AA{modulus}","e":"AQAB"}}"#), "API-48 /n"),
        (format!(r#"{{"kty":"OKP","crv":"Ed25519","x":"{ED25519_X}","x5c":[]}}"#), "API-48 /x5c"),
        (format!(r#"{{"kty":"RSA","n":"{modulus}","e":"AQ"}}"#), "API-48 /e"),
        (format!(r#"{{"kty":"RSA","n":"{modulus}","e":"AQAA"}}"#), "API-48 /e"),
    ];
    for (json, expected) in cases {
        let faults = key(&json).unwrap_err();
        assert_eq!(faults, [expected], "{json}");
    }
}

#[test]
fn no_fault_repeats_a_private_key() {
    let node = input::parse(br#"{"kty":"OKP","crv":"Ed25519","x":"AA","d":"very-private"}"#).unwrap();
    let faults = read_object(&node, read_jwk).unwrap_err();
    assert!(!format!("{faults:?}").contains("very-private"), "{faults:?}");
    assert!(faults.iter().all(|fault| fault.reason == Reason::FieldInvalid));
}
