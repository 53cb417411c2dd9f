//! Creates the credentials of partners and operators from random bytes. Each credential is shown once, and
//! only the hash of the credential is stored. The module also creates the signing secrets of hooks, which are
//! stored encrypted.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};

use payroll_domain::client_key::ClientKey;
use payroll_domain::hook::{SIGNING_SECRET_LENGTH, SigningSecret};

use crate::applications::{NewSecret, SecretHash, SecretValue};
use crate::{Clock, Randomness, id_sequence};

/// The prefix of every API key.
const CLIENT_ID_PREFIX: &str = "pkc_";
/// The prefix of every client secret. Scanners for published secrets recognize secrets by this prefix.
const SECRET_PREFIX: &str = "pks_";
/// The prefix of every operator key. Scanners for published secrets recognize keys by this prefix.
const OPERATOR_KEY_PREFIX: &str = "opk_";

/// Creates an API key with 120 random bits, so that keys cannot be guessed.
#[must_use]
pub fn new_client_id(randomness: &dyn Randomness) -> String {
    random_text::<15>(CLIENT_ID_PREFIX, randomness)
}

/// Creates a client secret with 256 random bits. Returns the text of the secret, and the data to store.
#[must_use]
pub fn new_secret(clock: &dyn Clock, randomness: &dyn Randomness) -> (String, NewSecret) {
    let text = random_text::<32>(SECRET_PREFIX, randomness);
    let stored = NewSecret {
        secret_id: id_sequence(clock, randomness).next_id(),
        value: SecretValue::Hash(SecretHash::from_secret(&text)),
        created: clock.now(),
    };
    (text, stored)
}

/// Returns the data to store for a public key that an application uses instead of a secret.
#[must_use]
pub fn new_public_key(key: ClientKey, clock: &dyn Clock, randomness: &dyn Randomness) -> NewSecret {
    NewSecret {
        secret_id: id_sequence(clock, randomness).next_id(),
        value: SecretValue::PublicKey(key),
        created: clock.now(),
    }
}

/// Creates the value of an operator key, with 256 random bits.
#[must_use]
pub fn new_operator_key(randomness: &dyn Randomness) -> String {
    random_text::<32>(OPERATOR_KEY_PREFIX, randomness)
}

/// The prefix of every session token of an operator's browser. Scanners for published secrets recognize
/// tokens by this prefix.
const OPERATOR_SESSION_PREFIX: &str = "ops_";

/// Creates a session token for an operator's browser, with 256 random bits.
#[must_use]
pub fn new_operator_session(randomness: &dyn Randomness) -> String {
    random_text::<32>(OPERATOR_SESSION_PREFIX, randomness)
}

/// The prefix of the token at the end of the link to an access request.
const APPROVAL_PREFIX: &str = "acr_";

/// Creates a token for the link to an access request, with 256 random bits. Only the hash of the token is
/// stored. The token contains only characters that an id may contain.
#[must_use]
pub fn new_approval_token(randomness: &dyn Randomness) -> String {
    random_text::<32>(APPROVAL_PREFIX, randomness)
}

/// Returns whether a text has the prefix of a token for the link to an access request.
#[must_use]
pub fn is_approval_token(text: &str) -> bool {
    text.starts_with(APPROVAL_PREFIX)
}

/// The prefix of every challenge to a receiver.
const CHALLENGE_PREFIX: &str = "whc_";

/// Creates a challenge to the receiver of a hook, with 256 random bits, encoded as letters, digits, `-` and
/// `_`.
#[must_use]
pub fn new_challenge(randomness: &dyn Randomness) -> String {
    random_text::<32>(CHALLENGE_PREFIX, randomness)
}

/// The prefix that the Standard Webhooks specification defines for signing secrets.
const SIGNING_SECRET_PREFIX: &str = "whsec_";

/// Creates a signing secret for a hook.
#[must_use]
pub fn new_signing_secret(randomness: &dyn Randomness) -> SigningSecret {
    let mut random = [0; SIGNING_SECRET_LENGTH];
    randomness.fill_with_random_bytes(&mut random);
    SigningSecret(random)
}

/// Returns a signing secret in the form in which the owner of the hook gets it: the prefix, followed by the
/// bytes in base64.
#[must_use]
pub fn signing_secret_text(secret: &SigningSecret) -> String {
    format!("{SIGNING_SECRET_PREFIX}{}", STANDARD.encode(secret.0))
}

fn random_text<const BYTES: usize>(prefix: &str, randomness: &dyn Randomness) -> String {
    let mut random = [0; BYTES];
    randomness.fill_with_random_bytes(&mut random);
    format!("{prefix}{}", URL_SAFE_NO_PAD.encode(random))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU8, Ordering};

    use payroll_domain::date::Timestamp;

    use super::*;

    struct FixedClock;
    impl Clock for FixedClock {
        fn now(&self) -> Timestamp {
            Timestamp::from_micros(1_778_544_000_000_000)
        }

        fn monotonic_time(&self) -> std::time::Duration {
            std::time::Duration::ZERO
        }
    }

    struct CountingRandomness(AtomicU8);
    impl Randomness for CountingRandomness {
        fn fill_with_random_bytes(&self, bytes: &mut [u8]) {
            bytes.fill(self.0.fetch_add(1, Ordering::Relaxed));
        }
    }

    #[test]
    fn a_secret_has_256_bits_after_its_prefix_and_is_stored_as_its_hash() {
        let randomness = CountingRandomness(AtomicU8::new(1));
        let (text, stored) = new_secret(&FixedClock, &randomness);
        assert_eq!(text.strip_prefix("pks_").map(str::len), Some(43));
        let expected = SecretValue::Hash(SecretHash::from_secret(&text));
        assert_eq!((stored.value, stored.created), (expected, FixedClock.now()));
        assert_ne!(text, new_secret(&FixedClock, &randomness).0);
        assert_eq!(new_operator_key(&randomness).strip_prefix("opk_").map(str::len), Some(43));
        assert_eq!(new_client_id(&randomness).strip_prefix("pkc_").map(str::len), Some(20));
    }
}
