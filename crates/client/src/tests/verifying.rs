//! Tests of notification signatures, including signatures of another library.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::vectors::{Webhook, vectors};
use crate::webhook::{Received, TOLERANCE, Verifier, VerifyError};

// The secret, id, timestamp and body of the example in docs/webhooks.md, and another secret.
const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const OTHER_SECRET: &str = "whsec_ZXhhbXBsZS1vZi1hLXNpZ25pbmctc2VjcmV0";
const ID: &str = "31a271e5-b970-49e6-ac8f-d46f73c061af";
const TIMESTAMP: i64 = 1_780_827_024;
const BODY: &str = r#"{"companyId":"ACME","workerId":"W-1","asOfDate":"2026-06-07T10:10:24.000+00:00","domains":["WRKR_DEM"],"action":"UPDATE","notificationType":"WORKER_MESSAGE","notificationId":"31a271e5-b970-49e6-ac8f-d46f73c061af","more":{}}"#;

fn time_at(seconds: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(seconds.try_into().unwrap())
}

/// Creates the signature with the library `standardwebhooks`, which implements the same rules as this
/// client.
fn signature(secret: &str, body: &str) -> String {
    standardwebhooks::Webhook::new(secret).unwrap().sign(ID, TIMESTAMP, body.as_bytes()).unwrap()
}

fn verify(
    secrets: &[&str],
    timestamp: &str,
    signature: &str,
    body: &str,
    now: i64,
) -> Result<String, VerifyError> {
    let received = Received { id: ID, timestamp, signature, body: body.as_bytes() };
    let verifier = Verifier::new(secrets.iter().copied()).unwrap();
    verifier.verify_at(&received, time_at(now)).map(|it| it.worker_id.unwrap())
}

#[test]
fn a_signature_of_the_standard_is_accepted() {
    let signature = signature(SECRET, BODY);
    let timestamp = TIMESTAMP.to_string();
    assert_eq!(verify(&[SECRET], &timestamp, &signature, BODY, TIMESTAMP).unwrap(), "W-1");
    // During a rotation, the receiver accepts two secrets, and the header can contain several signatures.
    let both = format!("v1,AAAA v1a,other {signature}");
    assert_eq!(verify(&[OTHER_SECRET, SECRET], &timestamp, &both, BODY, TIMESTAMP + 300).unwrap(), "W-1");
}

#[test]
fn a_webhook_with_a_known_signature_is_accepted() {
    // The expected signature was computed with OpenSSL, independently of the libraries in this test.
    let known = "v1,U/VjWJDGm5YMq89fKbeXH4NCmm8I3FIAVpakzauDDRQ=";
    assert_eq!(signature(SECRET, "{}"), known);
    let wrong_body = verify(&[SECRET], &TIMESTAMP.to_string(), known, "{}", TIMESTAMP);
    assert!(matches!(wrong_body, Err(VerifyError::InvalidBody(_))), "{wrong_body:?}");
}

#[test]
fn a_webhook_with_a_wrong_signature_is_rejected() {
    let timestamp = TIMESTAMP.to_string();
    let right = signature(SECRET, BODY);
    let changed = BODY.replace("W-1", "W-2");
    for (secret, signature, body) in [
        (OTHER_SECRET, right.as_str(), BODY),
        (SECRET, &right, &changed),
        (SECRET, "", BODY),
        (SECRET, "v1,", BODY),
        (SECRET, &right[3..], BODY),
    ] {
        let result = verify(&[secret], &timestamp, signature, body, TIMESTAMP);
        assert_eq!(result, Err(VerifyError::WrongSignature), "{signature}");
    }
    // Only the first eight signatures are verified, so the correct signature in ninth place is not found.
    let many = format!("{}{right}", "v1,AAAA ".repeat(8));
    assert_eq!(verify(&[SECRET], &timestamp, &many, BODY, TIMESTAMP), Err(VerifyError::WrongSignature));
}

#[test]
fn a_webhook_with_an_old_or_invalid_timestamp_is_rejected() {
    let signature = signature(SECRET, BODY);
    let timestamp = TIMESTAMP.to_string();
    let tolerance = i64::try_from(TOLERANCE.as_secs()).unwrap();
    for now in [TIMESTAMP + tolerance + 1, TIMESTAMP - tolerance - 1] {
        let result = verify(&[SECRET], &timestamp, &signature, BODY, now);
        assert_eq!(result, Err(VerifyError::WrongTimestamp));
    }
    for timestamp in ["", "-1", "+1780827024", "1780827024.5", "0000000000001780827024"] {
        let result = verify(&[SECRET], timestamp, &signature, BODY, TIMESTAMP);
        assert_eq!(result, Err(VerifyError::WrongTimestamp), "{timestamp}");
    }
}

#[test]
fn a_verifier_needs_a_valid_secret() {
    for bad in ["", "whsec_", "whsec_not base64"] {
        assert_eq!(Verifier::new([bad]).unwrap_err(), VerifyError::InvalidSecret, "{bad}");
    }
    assert_eq!(Verifier::new(Vec::<&str>::new()).unwrap_err(), VerifyError::InvalidSecret);
}

/// Verifies the notification of the shared test vectors with these keys, signatures and body.
fn verify_vector(keys: &[&str], signature: &str, body: &str, now: i64) -> Result<String, VerifyError> {
    let Webhook { id, timestamp, .. } = vectors().webhook;
    let received = Received { id: &id, timestamp: &timestamp, signature, body: body.as_bytes() };
    let verifier = Verifier::new(keys.iter().copied()).unwrap();
    verifier.verify_at(&received, time_at(now)).map(|it| it.worker_id.unwrap())
}

#[test]
fn a_signature_of_the_server_is_accepted_with_its_public_key() {
    let Webhook { public_key, other_key, signature, body, .. } = vectors().webhook;
    let mixed = format!("v1,AAAA v1a,AAAA v1a,? {signature}");
    let secret_first = [OTHER_SECRET, &other_key, &public_key];
    for (keys, signature) in [(&secret_first[2..], &signature), (&secret_first[..], &mixed)] {
        assert_eq!(verify_vector(keys, signature, &body, TIMESTAMP + 300).unwrap(), "W-1");
    }
    // A verifier with a secret and a public key also accepts a notification that only the secret has signed.
    let of_secret = self::signature(SECRET, &body);
    assert_eq!(verify_vector(&[&public_key, SECRET], &of_secret, &body, TIMESTAMP).unwrap(), "W-1");
}

#[test]
fn a_wrong_signature_of_the_server_is_rejected() {
    let Webhook { public_key, other_key, signature, body, .. } = vectors().webhook;
    let changed = body.replace("W-1", "W-2");
    let (of_another_version, many) =
        (signature.replace("v1a,", "v1,"), format!("{}{signature}", "v1a,AAAA ".repeat(8)));
    let of_secret = self::signature(SECRET, &body);
    for (key, signature, body) in [
        (&*other_key, &*signature, &*body),
        (SECRET, &signature, &body),
        (&public_key, &signature, &changed),
        (&public_key, "", &body),
        (&public_key, "v1a,", &body),
        (&public_key, &of_secret, &body),
        (&public_key, &of_another_version, &body),
        (&public_key, &signature[4..], &body),
        (&public_key, &signature[..signature.len() - 4], &body),
        (&public_key, &many, &body),
    ] {
        let result = verify_vector(&[key], signature, body, TIMESTAMP);
        assert_eq!(result, Err(VerifyError::WrongSignature), "{signature}");
    }
    for now in [TIMESTAMP + 301, TIMESTAMP - 301] {
        let result = verify_vector(&[&public_key], &signature, &body, now);
        assert_eq!(result, Err(VerifyError::WrongTimestamp));
    }
}

#[test]
fn a_verifier_needs_a_valid_public_key() {
    let key = vectors().webhook.public_key;
    for bad in ["whpk_", "whpk_AAAA", "whpk_not base64", &key[..key.len() - 1], &format!("{key}AAAA")] {
        assert_eq!(Verifier::new([SECRET, bad]).unwrap_err(), VerifyError::InvalidPublicKey, "{bad}");
    }
}
