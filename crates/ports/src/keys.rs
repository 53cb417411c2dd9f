//! The key set of the server. The keys of the set sign access tokens and encrypt secrets in storage.
//!
//! Each key has an id. The id is stored with every signature and ciphertext that the key creates, so that
//! keys can be rotated. The active key signs and encrypts. The other keys only verify or decrypt. Each
//! purpose uses a separate derived key (`KeyPurpose`), which is computed from a key of the set.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use sha2::{Digest, Sha256};

/// The length of a key in bytes.
pub const KEY_LENGTH: usize = 32;

/// The purpose of a derived key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyPurpose {
    /// The key signs access tokens with HMAC, which only servers with the same key can verify.
    TokenSigning,
    /// The key encrypts values in storage, such as tax IDs and webhook credentials.
    Encryption,
    /// The key hashes the last four digits of tax IDs. Workers are searched by these hashes.
    TaxIdLookup,
    /// The seed of the Ed25519 key pair that signs access tokens.
    TokenPair,
    /// The seed of the Ed25519 key pair that signs notifications.
    WebhookSigning,
}

/// A key with its id. `Debug` shows only the id.
#[derive(Clone)]
pub struct Key {
    id: String,
    secret: [u8; KEY_LENGTH],
    revoked: bool,
}

impl Key {
    /// Creates a key from an id and 256 random bits. Returns `None` if the id is not 1 to 32 characters of
    /// `[A-Za-z0-9_-]`.
    #[must_use]
    pub fn new(id: &str, secret: [u8; KEY_LENGTH]) -> Option<Self> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        let good = (1..=32).contains(&id.len()) && id.bytes().all(plain);
        good.then(|| Self { id: id.to_owned(), secret, revoked: false })
    }

    /// Revokes the key. A revoked key still decrypts existing values. The key no longer encrypts or signs,
    /// and its signatures are no longer accepted.
    #[must_use]
    pub fn revoke(self) -> Self {
        Self { revoked: true, ..self }
    }

    /// Returns whether the key is revoked.
    #[must_use]
    pub const fn is_revoked(&self) -> bool {
        self.revoked
    }

    /// Returns the id of the key.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns whether both keys have the same secret, even if their ids differ. The comparison is not
    /// constant-time, because the caller already has both keys.
    #[must_use]
    pub fn has_same_secret(&self, other: &Self) -> bool {
        self.secret == other.secret
    }

    /// Derives the key for one purpose. The derived key does not reveal the original key or the key of
    /// another purpose.
    #[must_use]
    pub fn derive(&self, purpose: KeyPurpose) -> [u8; KEY_LENGTH] {
        let label: &[u8] = match purpose {
            KeyPurpose::TokenSigning => b"payroll token signing v1\0",
            KeyPurpose::Encryption => b"payroll encryption v1\0",
            KeyPurpose::TaxIdLookup => b"payroll tax id lookup v1\0",
            KeyPurpose::TokenPair => b"payroll token pair v1\0",
            KeyPurpose::WebhookSigning => b"payroll webhook signing v1\0",
        };
        // A plain hash is enough to separate the purposes, because no label is a prefix of another label and
        // all secrets have the same length.
        Sha256::new().chain_update(label).chain_update(self.secret).finalize().into()
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({})", self.id)
    }
}

/// A set of at least one key. The active key signs and encrypts. All keys decrypt ciphertexts, and all keys
/// except revoked ones verify signatures.
#[derive(Debug, Clone)]
pub struct KeySet {
    active: Key,
    others: Vec<Key>,
}

impl KeySet {
    /// Creates a set of keys. Returns `None` if two keys have the same id, or if the active key is revoked.
    #[must_use]
    pub fn new(active: Key, others: Vec<Key>) -> Option<Self> {
        let mut ids: Vec<&str> = others.iter().chain([&active]).map(Key::id).collect();
        ids.sort_unstable();
        let distinct = ids.windows(2).all(|pair| pair.first() != pair.last());
        (distinct && !active.revoked).then_some(Self { active, others })
    }

    /// Returns the active key, which signs and encrypts.
    #[must_use]
    pub const fn active(&self) -> &Key {
        &self.active
    }

    /// Returns the key with the given id. `None` if the set does not contain it.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Key> {
        self.iter().find(|key| key.id == id)
    }

    /// Iterates over all keys, the active one first.
    pub fn iter(&self) -> impl Iterator<Item = &Key> {
        std::iter::once(&self.active).chain(&self.others)
    }
}

/// The key set of a process, which can be replaced while the process runs. All clones share the same current
/// set.
#[derive(Debug, Clone)]
pub struct CurrentKeys(Arc<KeyState>);

#[derive(Debug)]
struct KeyState {
    key_set: RwLock<Arc<KeySet>>,
    /// The number of replacements so far.
    generation: AtomicU64,
}

impl From<KeySet> for CurrentKeys {
    fn from(keys: KeySet) -> Self {
        Self(Arc::new(KeyState { key_set: RwLock::new(Arc::new(keys)), generation: AtomicU64::new(0) }))
    }
}

impl CurrentKeys {
    /// Returns the current key set.
    #[must_use]
    pub fn current(&self) -> Arc<KeySet> {
        Arc::clone(&self.0.key_set.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces the key set. From then on, all signatures and ciphertexts are created with the new set.
    pub fn replace(&self, keys: KeySet) {
        *self.0.key_set.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(keys);
        self.0.generation.fetch_add(1, Ordering::Release);
    }

    /// Returns a number that changes with each replacement.
    #[must_use]
    pub fn change_count(&self) -> u64 {
        self.0.generation.load(Ordering::Acquire)
    }
}

/// A value that is derived from the key set, such as a cipher. After the set is replaced, the value is
/// derived again.
pub struct KeyDerived<T> {
    keys: CurrentKeys,
    make: fn(&KeySet) -> T,
    cached: RwLock<(u64, Arc<T>)>,
}

impl<T> KeyDerived<T> {
    /// Derives the value from the current key set.
    pub fn new(keys: CurrentKeys, derive: fn(&KeySet) -> T) -> Self {
        let made = RwLock::new((keys.change_count(), Arc::new(derive(&keys.current()))));
        Self { keys, make: derive, cached: made }
    }

    /// Returns the value for the current key set, and the generation, a number that changes when the set is
    /// replaced.
    pub fn current_with_generation(&self) -> (u64, Arc<T>) {
        let generation = self.keys.change_count();
        let made = self.cached.read().unwrap_or_else(PoisonError::into_inner).clone();
        if made.0 == generation {
            return made;
        }
        let made = (generation, Arc::new((self.make)(&self.keys.current())));
        *self.cached.write().unwrap_or_else(PoisonError::into_inner) = made.clone();
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key_with_id(id: &str) -> Key {
        Key::new(id, [1; KEY_LENGTH]).unwrap()
    }

    #[test]
    fn each_purpose_has_its_own_key_and_debug_hides_keys() {
        let purposes = [
            KeyPurpose::TokenSigning,
            KeyPurpose::Encryption,
            KeyPurpose::TaxIdLookup,
            KeyPurpose::TokenPair,
            KeyPurpose::WebhookSigning,
        ];
        let derived: std::collections::BTreeSet<_> =
            purposes.iter().map(|purpose| key_with_id("a").derive(*purpose)).collect();
        assert_eq!(derived.len(), purposes.len());
        assert_eq!(format!("{:?}", key_with_id("a")), "Key(a)");
    }

    #[test]
    fn rejects_two_keys_with_one_id() {
        assert!(KeySet::new(key_with_id("a"), vec![key_with_id("b")]).is_some());
        assert!(KeySet::new(key_with_id("a"), vec![key_with_id("b"), key_with_id("a")]).is_none());
    }

    #[test]
    fn a_revoked_key_is_never_the_active_one() {
        assert!(KeySet::new(key_with_id("a").revoke(), vec![key_with_id("b")]).is_none());
        assert!(
            KeySet::new(key_with_id("b"), vec![key_with_id("a").revoke()])
                .is_some_and(|set| set.get("a").is_some())
        );
    }

    #[test]
    fn derived_values_change_with_the_key_set() {
        let set = |id| KeySet::new(key_with_id(id), Vec::new()).unwrap();
        let live = CurrentKeys::from(set("a"));
        let made = KeyDerived::new(live.clone(), |keys| keys.active().id().to_owned());
        assert_eq!(*made.current_with_generation().1, "a");
        live.clone().replace(set("b"));
        assert_eq!((made.current_with_generation().0, made.current_with_generation().1.as_str()), (1, "b"));
    }
}
