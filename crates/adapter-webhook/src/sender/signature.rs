//! Signs notifications according to Standard Webhooks. A signature covers the id, the timestamp and the body.
//! Each valid secret of the hook signs with HMAC-SHA256, and each key pair of the server signs with Ed25519.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use payroll_domain::date::Timestamp;
use payroll_domain::hook::SigningSecret;
use payroll_ports::signing::SigningPair;
use sha2::Sha256;

/// The prefix of each HMAC signature. Standard Webhooks uses the prefix as the version of a signature.
const HMAC_SIGNATURE_PREFIX: &str = "v1,";
/// The prefix of each Ed25519 signature with a key pair.
const ED25519_SIGNATURE_PREFIX: &str = "v1a,";
/// The maximum length of a signature in characters, with its prefix and a separator.
const SIGNATURE_CAPACITY: usize = 94;

/// The prepared signing keys of a hook.
pub(super) struct SigningKeys {
    current: Hmac<Sha256>,
    old: Option<(Hmac<Sha256>, Timestamp)>,
}

impl SigningKeys {
    /// Prepares the signing keys. `old` is the previous secret, with the time until which it still signs. The
    /// result is `None` if a secret is invalid.
    pub(super) fn new(current: SigningSecret, old: Option<(SigningSecret, Timestamp)>) -> Option<Self> {
        let key = |secret: SigningSecret| Hmac::new_from_slice(&secret.0).ok();
        let old = match old {
            Some((secret, until)) => Some((key(secret)?, until)),
            None => None,
        };
        Some(Self { current: key(current)?, old })
    }

    /// Returns the value of the signature header for this id, time and body. The value contains a signature
    /// for each valid secret, the newest first, and a signature for each key pair.
    pub(super) fn sign(&self, (id, now, body): (&str, Timestamp, &[u8]), pairs: &[SigningPair]) -> String {
        let seconds = now.as_seconds().to_string();
        let signed = [id.as_bytes(), b".", seconds.as_bytes(), b".", body];
        let mut signatures = String::with_capacity((2 + pairs.len()) * SIGNATURE_CAPACITY);
        let old = self.old.as_ref().filter(|(_, until)| now < *until).map(|(key, _)| key);
        for key in std::iter::once(&self.current).chain(old) {
            if !signatures.is_empty() {
                signatures.push(' ');
            }
            let mut mac = key.clone();
            for part in signed {
                mac.update(part);
            }
            signatures.push_str(HMAC_SIGNATURE_PREFIX);
            STANDARD.encode_string(mac.finalize().into_bytes(), &mut signatures);
        }
        // The Ed25519 library needs the message in one contiguous buffer. HMAC can sign the parts one after
        // the other.
        let message = if pairs.is_empty() { Vec::new() } else { signed.concat() };
        for pair in pairs {
            signatures.push(' ');
            signatures.push_str(ED25519_SIGNATURE_PREFIX);
            STANDARD.encode_string(pair.sign(&message), &mut signatures);
        }
        signatures
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_covers_id_time_and_body_with_the_bytes_of_the_secret() {
        let keys = SigningKeys::new(SigningSecret([7; 32]), None).unwrap();
        let signed = keys.sign(("msg_1", Timestamp::from_micros(1_700_000_000_999_999), b"{}"), &[]);
        assert_eq!(signed, "v1,nuLLyheCKcS2N8JNOFt5stk98R+umYWr26/ZTfdtGM8=");
    }
}
