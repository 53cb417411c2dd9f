//! Verifies signatures like a partner's receiver (Standard Webhooks, and specification §9.2). This code is
//! independent of the code that signs, so that errors in either code are detected.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use payroll_domain::date::Timestamp;
use payroll_domain::hook::SigningSecret;
use payroll_ports::signing::PUBLIC_KEY_LENGTH;
use ring::signature::{ED25519, UnparsedPublicKey};
use sha2::Sha256;

/// The prefix of a signing secret in its text form.
const SECRET_PREFIX: &str = "whsec_";
/// The allowed length of a signing secret in bytes, according to Standard Webhooks.
const KEY_BYTES: std::ops::RangeInclusive<usize> = 24..=64;
/// The maximum difference in seconds between a notification's timestamp and the receiver's clock. This limit
/// tolerates clock differences, but leaves little time for replay attacks.
const TOLERANCE_SECONDS: u64 = 300;
/// The prefix of a public key of the server in its text form.
const PUBLIC_KEY_PREFIX: &str = "whpk_";
/// The prefix of a signature that was created with the secret of a hook.
const HMAC_SIGNATURE_PREFIX: &str = "v1,";
/// The prefix of a signature that was created with a key pair of the server.
const ED25519_SIGNATURE_PREFIX: &str = "v1a,";

/// The key that verifies notifications. The `Debug` output omits the key.
#[derive(Clone)]
pub(crate) enum SigningKey {
    /// The secret of a hook.
    Secret(Vec<u8>),
    /// A public key of the server.
    Public(Vec<u8>),
}

impl SigningKey {
    /// Parses a key: a secret is `whsec_` and base64, or only the base64. A public key is `whpk_` and base64.
    /// `None` for any other text.
    pub(crate) fn read(text: &str) -> Option<Self> {
        if let Some(public) = text.strip_prefix(PUBLIC_KEY_PREFIX) {
            let bytes = STANDARD.decode(public).ok()?;
            return (bytes.len() == PUBLIC_KEY_LENGTH).then_some(Self::Public(bytes));
        }
        let bytes = STANDARD.decode(text.strip_prefix(SECRET_PREFIX).unwrap_or(text)).ok()?;
        KEY_BYTES.contains(&bytes.len()).then_some(Self::Secret(bytes))
    }

    /// Returns whether one of the signatures, which are separated by spaces, was created for the content with
    /// this key. HMAC signatures are compared in constant time.
    fn verifies_any_signature(&self, content: &[&[u8]], signatures: &[u8]) -> bool {
        let version = match self {
            Self::Secret(_) => HMAC_SIGNATURE_PREFIX,
            Self::Public(_) => ED25519_SIGNATURE_PREFIX,
        };
        let decoded = |signature: &[u8]| STANDARD.decode(signature.strip_prefix(version.as_bytes())?).ok();
        let mut signatures = signatures.split(|byte| *byte == b' ').filter_map(decoded);
        match self {
            Self::Secret(key) => signatures.any(|signature| {
                Hmac::<Sha256>::new_from_slice(key).is_ok_and(|mut mac| {
                    content.iter().for_each(|part| mac.update(part));
                    mac.verify_slice(&signature).is_ok()
                })
            }),
            Self::Public(key) => {
                let (key, content) = (UnparsedPublicKey::new(&ED25519, key), content.concat());
                signatures.any(|signature| key.verify(&content, &signature).is_ok())
            }
        }
    }
}

impl From<&SigningSecret> for SigningKey {
    fn from(secret: &SigningSecret) -> Self {
        Self::Secret(secret.0.to_vec())
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningKey")
    }
}

/// The signed data: three headers and the body. A missing header is empty.
#[derive(Debug, Clone, Copy)]
pub(super) struct SignedMessage<'a> {
    pub(super) id: &'a [u8],
    pub(super) timestamp: &'a [u8],
    pub(super) signatures: &'a [u8],
    pub(super) body: &'a [u8],
}

/// The result of verifying a signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The signature is valid and recent.
    Verified,
    /// The notification cannot be trusted. The text contains the reason.
    Wrong(String),
    /// The receiver has no key, so the signature was not verified.
    NotChecked,
}

impl SignedMessage<'_> {
    /// Verifies the signature and its timestamp. Without a key, nothing is verified.
    pub(super) fn verify(&self, key: Option<&SigningKey>, now: Timestamp) -> Verdict {
        let Some(key) = key else { return Verdict::NotChecked };
        match self.find_fault(key, now) {
            Some(fault) => Verdict::Wrong(fault),
            None => Verdict::Verified,
        }
    }

    fn find_fault(&self, key: &SigningKey, now: Timestamp) -> Option<String> {
        let headers = [("id", self.id), ("timestamp", self.timestamp), ("signature", self.signatures)];
        if let Some((name, _)) = headers.into_iter().find(|(_, value)| value.is_empty()) {
            return Some(format!("the header webhook-{name} is missing"));
        }
        let Some(at) = parse_seconds(self.timestamp) else {
            return Some("the header webhook-timestamp is not a number of seconds since 1970".to_owned());
        };
        let content = [self.id, b".", self.timestamp, b".", self.body];
        if !key.verifies_any_signature(&content, self.signatures) {
            return Some("no signature matches the secret, id, time and body".to_owned());
        }
        // The sender may be a sandbox whose clock was moved. The developer then needs to know that the
        // signature itself is right.
        let off = at.abs_diff(now.as_seconds());
        (off > TOLERANCE_SECONDS).then(|| {
            format!(
                "the signature is valid, but its timestamp differs from the current time by {off} seconds, \
                 more than {TOLERANCE_SECONDS}"
            )
        })
    }
}

fn parse_seconds(text: &[u8]) -> Option<i64> {
    let digits = text.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(text).ok().filter(|_| digits)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use payroll_ports::keys::{KEY_LENGTH, Key, KeyPurpose};
    use payroll_ports::signing::SigningPair;

    /// The secret in the signature example of the Standard Webhooks libraries.
    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const SIGNED_AT: i64 = 1_614_265_330;
    const SIGNED: SignedMessage<'_> = SignedMessage {
        id: b"msg_p5jXN8AQM9LWM0D4loKWxJek",
        timestamp: b"1614265330",
        signatures: b"v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        body: br#"{"test": 2432232314}"#,
    };

    fn verdict(message: SignedMessage<'_>, seconds_later: i64) -> String {
        let now = Timestamp::from_micros((SIGNED_AT + seconds_later) * 1_000_000);
        match message.verify(SigningKey::read(SECRET).as_ref(), now) {
            Verdict::Verified => "verified".to_owned(),
            Verdict::Wrong(fault) => fault,
            Verdict::NotChecked => "not checked".to_owned(),
        }
    }

    #[test]
    fn a_public_key_verifies_the_signature_of_the_server_only() {
        let key = |byte| Key::new("a", [byte; KEY_LENGTH]).unwrap();
        let pair = |byte| SigningPair::derive(&key(byte), KeyPurpose::WebhookSigning).unwrap();
        let content = [SIGNED.id, b".", SIGNED.timestamp, b".", SIGNED.body].concat();
        let signature = format!("v1a,{} v1,AAAA", STANDARD.encode(pair(1).sign(&content)));
        let signed = SignedMessage { signatures: signature.as_bytes(), ..SIGNED };
        for (byte, verified) in [(1, true), (2, false)] {
            let text = format!("whpk_{}", STANDARD.encode(pair(byte).public_key()));
            let public = SigningKey::read(&text).unwrap();
            let verdict = signed.verify(Some(&public), Timestamp::from_micros(SIGNED_AT * 1_000_000));
            assert_eq!(verdict == Verdict::Verified, verified, "{verdict:?}");
        }
        assert!(SigningKey::read("whpk_AAAA").is_none());
    }

    #[test]
    fn verifies_the_published_example_within_five_minutes() {
        for (later, expected) in [(0, true), (300, true), (-300, true), (301, false), (-301, false)] {
            assert_eq!(verdict(SIGNED, later) == "verified", expected, "{later}: {}", verdict(SIGNED, later));
        }
        let late = verdict(SIGNED, 301);
        assert!(
            late.starts_with(
                "the signature is valid, but its timestamp differs from the current time by 301 seconds"
            ),
            "{late}"
        );
    }

    #[test]
    fn one_signature_of_several_is_enough() {
        let both = [b"v1a,xx v1,AAAA " as &[u8], SIGNED.signatures].concat();
        assert_eq!(verdict(SignedMessage { signatures: &both, ..SIGNED }, 0), "verified");
    }

    #[test]
    fn rejects_an_altered_notification_with_its_reason() {
        let (no_fit, no_seconds) = ("no signature matches", "not a number of seconds since 1970");
        for (signed, says) in [
            (SignedMessage { id: b"another", ..SIGNED }, no_fit),
            (SignedMessage { timestamp: b"1614265331", ..SIGNED }, no_fit),
            (SignedMessage { body: b"{}", ..SIGNED }, no_fit),
            (SignedMessage { signatures: b"v1,AAAA", ..SIGNED }, no_fit),
            (
                SignedMessage { signatures: b"v2,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", ..SIGNED },
                no_fit,
            ),
            (SignedMessage { timestamp: b"+1614265330", ..SIGNED }, no_seconds),
            (SignedMessage { timestamp: b"99999999999999999999", ..SIGNED }, no_seconds),
            (SignedMessage { timestamp: b"9999999999999", ..SIGNED }, no_fit),
            (SignedMessage { id: b"", ..SIGNED }, "webhook-id is missing"),
            (SignedMessage { timestamp: b"", ..SIGNED }, "webhook-timestamp is missing"),
            (SignedMessage { signatures: b"", ..SIGNED }, "webhook-signature is missing"),
        ] {
            assert!(verdict(signed, 0).contains(says), "{says}: {}", verdict(signed, 0));
        }
    }

    #[test]
    fn verifies_nothing_without_a_secret() {
        assert_eq!(SIGNED.verify(None, Timestamp::from_micros(0)), Verdict::NotChecked);
    }

    #[test]
    fn accepts_a_secret_of_24_to_64_bytes_and_hides_it() {
        let of = |bytes: usize| STANDARD.encode(vec![7; bytes]);
        for (text, is_accepted) in [
            (of(24), true),
            (format!("whsec_{}", of(64)), true),
            (of(23), false),
            (of(65), false),
            ("whsec_".to_owned(), false),
            ("whsec_not base64, but long enough".to_owned(), false),
        ] {
            assert_eq!(SigningKey::read(&text).is_some(), is_accepted, "{text}");
        }
        assert_eq!(format!("{:?}", SigningKey::read(SECRET)), "Some(SigningKey)");
    }
}
