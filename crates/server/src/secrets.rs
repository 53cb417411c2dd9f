//! API keys and client secrets of applications, made from 256 random bits.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use payroll_ports::applications::{NewSecret, SecretHash};
use payroll_ports::{Clock, Randomness, id_sequence};

/// What every API key begins with.
const CLIENT_ID_PREFIX: &str = "pkc_";
/// What every secret begins with, so that a scanner finds one that was published by mistake.
const SECRET_PREFIX: &str = "pks_";

/// A new API key: 120 random bits, so that nobody finds out which exist.
pub(crate) fn new_client_id(randomness: &dyn Randomness) -> String {
    let mut random = [0; 15];
    randomness.fill(&mut random);
    format!("{CLIENT_ID_PREFIX}{}", URL_SAFE_NO_PAD.encode(random))
}

/// A new secret: its text, which is shown once and kept nowhere, and what is stored.
pub(crate) fn new_secret(clock: &dyn Clock, randomness: &dyn Randomness) -> (String, NewSecret) {
    let mut random = [0; 32];
    randomness.fill(&mut random);
    let text = format!("{SECRET_PREFIX}{}", URL_SAFE_NO_PAD.encode(random));
    let stored = NewSecret {
        secret_id: id_sequence(clock, randomness).next_id(),
        hash: SecretHash::of(&text),
        created: clock.now(),
    };
    (text, stored)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::{SystemClock, SystemRandomness};

    #[test]
    fn a_secret_has_256_bits_behind_its_prefix_and_is_stored_as_its_hash() {
        let (text, stored) = new_secret(&SystemClock, &SystemRandomness);
        assert_eq!(text.strip_prefix(SECRET_PREFIX).map(str::len), Some(43));
        assert_eq!(stored.hash, SecretHash::of(&text));
        assert_ne!(text, new_secret(&SystemClock, &SystemRandomness).0);
    }
}
