//! What partners and operators show who they are by, made from randomness; each is shown once, and
//! only its hash is stored. Signing secrets of hooks are made here too.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};

use payroll_domain::hook::{SIGNING_SECRET_LENGTH, SigningSecret};

use crate::applications::{NewSecret, SecretHash};
use crate::{Clock, Randomness, id_sequence};

/// What every API key begins with.
const CLIENT_ID_PREFIX: &str = "pkc_";
/// What every secret begins with, so that a scanner finds one that was published by mistake.
const SECRET_PREFIX: &str = "pks_";
/// What every operator key begins with, likewise.
const OPERATOR_KEY_PREFIX: &str = "opk_";

/// A new API key: 120 random bits, so that existing ones cannot be guessed.
#[must_use]
pub fn new_client_id(randomness: &dyn Randomness) -> String {
    text::<15>(CLIENT_ID_PREFIX, randomness)
}

/// A new client secret of 256 random bits: its text, and what is stored.
#[must_use]
pub fn new_secret(clock: &dyn Clock, randomness: &dyn Randomness) -> (String, NewSecret) {
    let text = text::<32>(SECRET_PREFIX, randomness);
    let stored = NewSecret {
        secret_id: id_sequence(clock, randomness).next_id(),
        hash: SecretHash::of(&text),
        created: clock.now(),
    };
    (text, stored)
}

/// A new value of an operator key: 256 random bits.
#[must_use]
pub fn new_operator_key(randomness: &dyn Randomness) -> String {
    text::<32>(OPERATOR_KEY_PREFIX, randomness)
}

/// What the value of every session begins with, likewise.
const OPERATOR_SESSION_PREFIX: &str = "ops_";

/// A new value of a session of an operator's browser: 256 random bits.
#[must_use]
pub fn new_operator_session(randomness: &dyn Randomness) -> String {
    text::<32>(OPERATOR_SESSION_PREFIX, randomness)
}

/// What the end of every link begins with that leads to a request for access.
const APPROVAL_PREFIX: &str = "acr_";

/// A new end of a link that leads to a request for access: 256 random bits, of which the hash is
/// stored. It has the form of an id.
#[must_use]
pub fn new_approval_token(randomness: &dyn Randomness) -> String {
    text::<32>(APPROVAL_PREFIX, randomness)
}

/// Whether a text looks like the end of such a link.
#[must_use]
pub fn is_approval_token(text: &str) -> bool {
    text.starts_with(APPROVAL_PREFIX)
}

/// What every challenge to a receiver begins with.
const CHALLENGE_PREFIX: &str = "whc_";

/// A new challenge to the receiver of a hook: 256 random bits, as letters, digits, `-` and `_`.
#[must_use]
pub fn new_challenge(randomness: &dyn Randomness) -> String {
    text::<32>(CHALLENGE_PREFIX, randomness)
}

/// What every signing secret begins with, by the Standard Webhooks specification.
const SIGNING_SECRET_PREFIX: &str = "whsec_";

/// A new signing secret of a hook.
#[must_use]
pub fn new_signing_secret(randomness: &dyn Randomness) -> SigningSecret {
    let mut random = [0; SIGNING_SECRET_LENGTH];
    randomness.fill(&mut random);
    SigningSecret(random)
}

/// A signing secret as its owner gets it: the prefix, and the bytes in base64.
#[must_use]
pub fn signing_secret_text(secret: &SigningSecret) -> String {
    format!("{SIGNING_SECRET_PREFIX}{}", STANDARD.encode(secret.0))
}

fn text<const BYTES: usize>(prefix: &str, randomness: &dyn Randomness) -> String {
    let mut random = [0; BYTES];
    randomness.fill(&mut random);
    format!("{prefix}{}", URL_SAFE_NO_PAD.encode(random))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU8, Ordering};

    use payroll_domain::date::Timestamp;

    use super::*;

    struct Present;
    impl Clock for Present {
        fn now(&self) -> Timestamp {
            Timestamp::from_micros(1_778_544_000_000_000)
        }

        fn monotonic(&self) -> std::time::Duration {
            std::time::Duration::ZERO
        }
    }

    struct Counting(AtomicU8);
    impl Randomness for Counting {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(self.0.fetch_add(1, Ordering::Relaxed));
        }
    }

    #[test]
    fn a_secret_has_256_bits_behind_its_prefix_and_is_stored_as_its_hash() {
        let randomness = Counting(AtomicU8::new(1));
        let (text, stored) = new_secret(&Present, &randomness);
        assert_eq!(text.strip_prefix("pks_").map(str::len), Some(43));
        assert_eq!((stored.hash, stored.created), (SecretHash::of(&text), Present.now()));
        assert_ne!(text, new_secret(&Present, &randomness).0);
        assert_eq!(new_operator_key(&randomness).strip_prefix("opk_").map(str::len), Some(43));
        assert_eq!(new_client_id(&randomness).strip_prefix("pkc_").map(str::len), Some(20));
    }
}
