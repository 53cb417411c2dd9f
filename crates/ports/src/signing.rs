//! Ed25519 key pairs that are derived from the keys of the key set. Anyone who has the public key of a pair
//! can verify the signatures of this pair.

use std::fmt;

use ring::signature::{Ed25519KeyPair, KeyPair};

use crate::keys::{Key, KeyPurpose, KeySet};

/// The length of a public key in bytes.
pub const PUBLIC_KEY_LENGTH: usize = 32;

/// A key pair, and the id of the key from which it is derived. `Debug` shows only the id.
pub struct SigningPair {
    id: String,
    pair: Ed25519KeyPair,
}

impl SigningPair {
    /// Derives the key pair of a key for one purpose. The same key and purpose always result in the same
    /// pair.
    #[must_use]
    pub fn derive(key: &Key, purpose: KeyPurpose) -> Option<Self> {
        let pair = Ed25519KeyPair::from_seed_unchecked(&key.derive(purpose)).ok()?;
        Some(Self { id: key.id().to_owned(), pair })
    }

    /// Derives the pairs of all keys of a set that are not revoked. The pair of the active key comes first.
    #[must_use]
    pub fn derive_all(keys: &KeySet, purpose: KeyPurpose) -> Vec<Self> {
        keys.iter().filter(|key| !key.is_revoked()).filter_map(|key| Self::derive(key, purpose)).collect()
    }

    /// Returns the id of the key from which the pair is derived.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the signature of a message, which has 64 bytes.
    #[must_use]
    pub fn sign(&self, message: &[u8]) -> Vec<u8> {
        self.pair.sign(message).as_ref().to_vec()
    }

    /// Returns the public key, which has [`PUBLIC_KEY_LENGTH`] bytes.
    #[must_use]
    pub fn public_key(&self) -> &[u8] {
        self.pair.public_key().as_ref()
    }
}

impl fmt::Debug for SigningPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningPair({})", self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::KEY_LENGTH;
    use ring::signature::{ED25519, UnparsedPublicKey};

    fn key_with_byte(id: &str, byte: u8) -> Key {
        Key::new(id, [byte; KEY_LENGTH]).unwrap()
    }

    #[test]
    fn signature_is_valid_only_for_the_key_of_its_purpose() {
        let pair = |purpose| SigningPair::derive(&key_with_byte("a", 1), purpose).unwrap();
        let (webhooks, tokens) = (pair(KeyPurpose::WebhookSigning), pair(KeyPurpose::TokenPair));
        let verify = |pair: &SigningPair, signature: &[u8]| {
            UnparsedPublicKey::new(&ED25519, pair.public_key()).verify(b"message", signature)
        };
        assert_eq!(webhooks.public_key().len(), PUBLIC_KEY_LENGTH);
        assert!(verify(&webhooks, &webhooks.sign(b"message")).is_ok());
        assert!(verify(&webhooks, &tokens.sign(b"message")).is_err());
        assert!(verify(&webhooks, &webhooks.sign(b"other")).is_err());
        assert_eq!(format!("{webhooks:?}"), "SigningPair(a)");
    }

    #[test]
    fn a_revoked_key_has_no_pair_in_the_set() {
        let set = KeySet::new(
            key_with_byte("new", 2),
            vec![key_with_byte("old", 1), key_with_byte("lost", 3).revoke()],
        )
        .unwrap();
        let pairs = SigningPair::derive_all(&set, KeyPurpose::WebhookSigning);
        assert_eq!(pairs.iter().map(SigningPair::id).collect::<Vec<_>>(), ["new", "old"]);
    }
}
