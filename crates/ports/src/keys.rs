//! The key set: what signs access tokens and encrypts what is secret at rest.
//!
//! A key has an id, which stands in what the key made, so that keys can be rotated: the first key
//! makes new things, the others still read old ones. One key serves several purposes, each
//! through a key derived for it alone.

use std::fmt;

use sha2::{Digest, Sha256};

/// Bytes of a key.
pub const KEY_LENGTH: usize = 32;

/// What a derived key is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Signing access tokens.
    TokenSigning,
    /// Encrypting tax identities and webhook credentials at rest.
    Encryption,
    /// Hashing the last digits of tax identities, so that a worker is found by them.
    TaxIdLookup,
}

/// A key with its id. `Debug` shows the id only.
#[derive(Clone)]
pub struct Key {
    id: String,
    secret: [u8; KEY_LENGTH],
}

impl Key {
    /// A key of 256 random bits; `None` when the id is not 1 to 32 of `[A-Za-z0-9_-]`.
    #[must_use]
    pub fn new(id: &str, secret: [u8; KEY_LENGTH]) -> Option<Self> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        let good = (1..=32).contains(&id.len()) && id.bytes().all(plain);
        good.then(|| Self { id: id.to_owned(), secret })
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Whether it is that key, by another id or the same. For whoever holds both: it takes a time
    /// that depends on them.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        self.secret == other.secret
    }

    /// The key for one purpose; nobody can tell the key, or that of another purpose, from it.
    #[must_use]
    pub fn derive(&self, purpose: Purpose) -> [u8; KEY_LENGTH] {
        let label: &[u8] = match purpose {
            Purpose::TokenSigning => b"payroll token signing v1\0",
            Purpose::Encryption => b"payroll encryption v1\0",
            Purpose::TaxIdLookup => b"payroll tax id lookup v1\0",
        };
        // No label begins another and secrets have one length, so a plain hash separates the purposes.
        Sha256::new().chain_update(label).chain_update(self.secret).finalize().into()
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({})", self.id)
    }
}

/// One key or more: the first makes, all read.
#[derive(Debug, Clone)]
pub struct KeySet {
    active: Key,
    others: Vec<Key>,
}

impl KeySet {
    /// A set of keys; `None` when two have the same id.
    #[must_use]
    pub fn new(active: Key, others: Vec<Key>) -> Option<Self> {
        let mut ids: Vec<&str> = others.iter().chain([&active]).map(Key::id).collect();
        ids.sort_unstable();
        ids.windows(2).all(|pair| pair.first() != pair.last()).then_some(Self { active, others })
    }

    /// The key that makes new things.
    #[must_use]
    pub const fn active(&self) -> &Key {
        &self.active
    }

    /// The key of that id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Key> {
        self.iter().find(|key| key.id == id)
    }

    /// All keys, the active one first.
    pub fn iter(&self) -> impl Iterator<Item = &Key> {
        std::iter::once(&self.active).chain(&self.others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(id: &str) -> Key {
        Key::new(id, [1; KEY_LENGTH]).unwrap()
    }

    #[test]
    fn purposes_have_keys_of_their_own_and_debug_shows_none() {
        let derived = [Purpose::TokenSigning, Purpose::Encryption, Purpose::TaxIdLookup]
            .map(|purpose| key("a").derive(purpose));
        assert!(derived[0] != derived[1] && derived[1] != derived[2] && derived[0] != derived[2]);
        assert_eq!(format!("{:?}", key("a")), "Key(a)");
    }

    #[test]
    fn two_keys_of_one_id_are_refused() {
        assert!(KeySet::new(key("a"), vec![key("b")]).is_some());
        assert!(KeySet::new(key("a"), vec![key("b"), key("a")]).is_none());
    }
}
