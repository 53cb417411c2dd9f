use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};

use super::*;

const NOW: Timestamp = Timestamp::from_micros(1_800_000_000_000_000);
const BASE_URL: &str = "https://api.example.org";
/// A thumbprint that does not belong to any key.
const KEY_ID: &str = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k";
/// The modulus of a public RSA key with 2048 bits. The private key was deleted after it signed
/// [`RSA_SIGNATURE`].
const RSA_MODULUS: &str = "jFRGxMwsAdw9qk0zBzHyAYML_Od0MleCb6tjHaWAw-LaTvPhlyB9U2umUJeB0JDzDf0rgNLJyODUvn7dlEiThOldQ-IcCqvMsHuBMuqs9wviXU0xTwS7oO6aSLC6S5N_3jf-fhCdhyAT4cMscddvaGnV-PXm1kywv6QzKRJIZvhNP4HYpnzEE6AYz0k75JK2fTeY20Se3-xIOKzcscVqVbNcn2DppRgqbLcxYOCY4iCrGkgqAjAdlC9OiLZ8jC-G2LCLS0VWDONWYdDU96gQaS-iCXqYmzkjc_isH1m-O0SJs7BGuG4rIjq0usVWtdGriL8KR3dUX28YJPa7Id-hFQ";
/// The signature of `header.claims` by the key of [`RSA_MODULUS`].
const RSA_SIGNATURE: &str = "C38HQ3YjfAqwg9yDGFFYv_jdLNYvrRSVLyMeF5k4BvLmga8xsieV3AMf48BKQfDL39pkgV2BaMNWfNbBZTQpudQmn8A_A361VmVdB36cVSxDLif0PDyzNhp86YkHar8BV5vuG44Sr8GR_b995S2xj-j8IDgXxaBfMr0rVKzpe134mgikDT_182oezFmkT3lxUp-vFfSRRe_ZT6HPLk5iK-RTycP4wM3rxu_lp1XlBf2Qdkhic-yOh-EZU2q-nfjFUNoJtp5sp1fZecyAuxJjepdVXPk5lkLrcQ3aqmEwg7c5id_x3QO5k3KS3MmP9KKiFmSTIL6r6WvvJhhh_4g2OQ";

fn encode_part(part: &Value) -> String {
    URL_SAFE_NO_PAD.encode(part.to_string())
}

fn header() -> Value {
    json!({"alg": "EdDSA", "kid": KEY_ID})
}

fn claims() -> Value {
    let now = NOW.as_seconds();
    json!({"iss": "app", "sub": "app", "aud": BASE_URL, "exp": now + 60, "iat": now, "jti": "1"})
}

/// Validates an assertion whose header and claims were changed. A change to `null` removes the member.
fn check_changed_assertion(changes: &[(&str, Value)]) -> Result<String, String> {
    let (mut header, mut claims) = (header(), claims());
    for (name, value) in changes {
        let part = if matches!(*name, "kid" | "crit") { &mut header } else { &mut claims };
        let members = part.as_object_mut().unwrap();
        members.insert((*name).to_owned(), value.clone());
        members.retain(|_, value| !value.is_null());
    }
    let text = format!("{}.{}.AAAA", encode_part(&header), encode_part(&claims));
    let read = Assertion::read(&text)?;
    read.check_claims(NOW, &[format!("{BASE_URL}/token"), BASE_URL.to_owned()]).map(str::to_owned)
}

#[test]
fn valid_claims_return_the_key_id() {
    let now = NOW.as_seconds();
    let fraction: Value = serde_json::from_str(&format!("{}.75", now + 60)).unwrap();
    let variants: [&[(&str, Value)]; 6] = [
        &[("exp", fraction)],
        &[],
        &[("aud", json!(format!("{BASE_URL}/token")))],
        &[("aud", json!(["https://other.example.org", BASE_URL]))],
        &[("iat", json!(null)), ("nbf", json!(now + CLOCK_SKEW_SECONDS))],
        &[("exp", json!(now + MAX_LIFETIME_SECONDS)), ("other", json!({}))],
    ];
    for changes in variants {
        assert_eq!(check_changed_assertion(changes).as_deref(), Ok(KEY_ID), "{changes:?}");
    }
}

#[test]
fn each_invalid_claim_has_its_error_message() {
    let now = NOW.as_seconds();
    let cases = [
        ("iss", json!("other"), "as iss and as sub"),
        ("aud", json!("https://other.example.org"), "as aud: https://api.example.org/token"),
        ("aud", json!([]), "as aud"),
        ("exp", json!(now), "has expired"),
        ("exp", json!(now + MAX_LIFETIME_SECONDS + 1), "at most 600 seconds"),
        ("exp", json!(i64::MAX), "at most 600 seconds"),
        ("exp", json!(i64::MIN), "has expired"),
        ("nbf", json!(now + CLOCK_SKEW_SECONDS + 1), "is not valid yet"),
        ("iat", json!(i64::MAX), "is not valid yet"),
        ("jti", json!(null), "(jti)"),
        ("jti", json!(""), "(jti)"),
        ("jti", json!("x".repeat(MAX_ID_LENGTH + 1)), "(jti)"),
        ("kid", json!(null), "header kid"),
        ("kid", json!("short"), "header kid"),
        ("crit", json!(["b64"]), "header crit"),
        ("exp", json!(null), "must have the claims"),
        ("exp", json!("soon"), "must have the claims"),
        ("sub", json!(null), "must have the claims"),
        ("aud", json!(7), "must have the claims"),
    ];
    for (name, value, expected) in cases {
        let fault = check_changed_assertion(&[(name, value.clone())]).unwrap_err();
        assert!(fault.contains(expected), "{name} {value}: {fault}");
    }
}

#[test]
fn malformed_assertion_is_rejected() {
    let (header, claims) = (encode_part(&header()), encode_part(&claims()));
    let twice = URL_SAFE_NO_PAD.encode(claims_with_duplicate_member());
    for text in [
        String::new(),
        ".".to_owned(),
        "..".to_owned(),
        format!("{header}.{claims}"),
        format!("{header}.{claims}.!"),
        format!("{header}.{claims}.AAAA.AAAA"),
        format!("{header}=.{claims}.AAAA"),
        format!("{claims}.{header}.AAAA"),
        format!("{header}.{twice}.AAAA"),
    ] {
        assert!(Assertion::read(&text).is_err(), "{text}");
    }
}

/// Returns claims in which a member occurs twice. Two parsers could read different clients from these claims.
fn claims_with_duplicate_member() -> String {
    claims().to_string().replacen('{', r#"{"sub": "other","#, 1)
}

/// Creates a token whose header names this algorithm. `sign` computes the token's signature.
fn signed_token(algorithm: &str, sign: impl Fn(&[u8]) -> Vec<u8>) -> String {
    let signed =
        format!("{}.{}", encode_part(&json!({"alg": algorithm, "kid": KEY_ID})), encode_part(&claims()));
    let signature = URL_SAFE_NO_PAD.encode(sign(signed.as_bytes()));
    format!("{signed}.{signature}")
}

#[test]
fn assertion_algorithm_must_match_the_key() {
    let pair = Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap();
    let x = URL_SAFE_NO_PAD.encode(pair.public_key());
    let key = ClientKey::Ed25519 { x: x.clone() };
    let sign = |message: &[u8]| pair.sign(message).as_ref().to_vec();
    let is_signed = |text: &str, key: &ClientKey| Assertion::read(text).unwrap().is_signed_by(key);
    let valid = signed_token("EdDSA", sign);
    assert!(is_signed(&valid, &key));
    for algorithm in ["none", "HS256", "ES256", "eddsa", ""] {
        assert!(!is_signed(&signed_token(algorithm, sign), &key), "{algorithm}");
    }
    // A token must not be accepted if the public key was used as the secret of HS256.
    let secret = |message: &[u8]| {
        let mac = ring::hmac::sign(&ring::hmac::Key::new(ring::hmac::HMAC_SHA256, x.as_bytes()), message);
        mac.as_ref().to_vec()
    };
    assert!(!is_signed(&signed_token("HS256", secret), &key));
    let (signed, signature) = valid.rsplit_once('.').unwrap();
    let (header, _) = signed.split_once('.').unwrap();
    let mut other = claims();
    other["sub"] = json!("other");
    assert!(!is_signed(&format!("{header}.{}.{signature}", encode_part(&other)), &key), "other claims");
    assert!(!is_signed(&signed_token("EdDSA", |_| Vec::new()), &key));
}

#[test]
fn each_algorithm_verifies_its_signatures() {
    let random = SystemRandom::new();
    let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
    let pair =
        EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, document.as_ref(), &random).unwrap();
    let (x, y) = pair.public_key().as_ref()[1..].split_at(32);
    let key = ClientKey::P256 { x: URL_SAFE_NO_PAD.encode(x), y: URL_SAFE_NO_PAD.encode(y) };
    let valid = signed_token("ES256", |message| pair.sign(&random, message).unwrap().as_ref().to_vec());
    assert!(Assertion::read(&valid).unwrap().is_signed_by(&key));
    let swapped = ClientKey::P256 { x: URL_SAFE_NO_PAD.encode(y), y: URL_SAFE_NO_PAD.encode(x) };
    assert!(!Assertion::read(&valid).unwrap().is_signed_by(&swapped), "not a point of the curve");

    let key = ClientKey::Rsa { n: RSA_MODULUS.to_owned(), e: "AQAB".to_owned() };
    let signature = URL_SAFE_NO_PAD.decode(RSA_SIGNATURE).unwrap();
    assert!(has_valid_signature(&key, b"header.claims", &signature));
    assert!(!has_valid_signature(&key, b"header.claim", &signature));
    let other = ClientKey::Rsa { n: RSA_MODULUS.to_owned(), e: "Aw".to_owned() };
    assert!(!has_valid_signature(&other, b"header.claims", &signature));
}
