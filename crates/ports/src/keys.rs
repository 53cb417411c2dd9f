//! The key set: what signs access tokens and encrypts what is secret at rest.
//!
//! A key has an id, which is part of what the key made, so that keys can be rotated: the first key makes new
//! things, the others still read old ones. One key serves several purposes, each through a key derived for it
//! alone.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use sha2::{Digest, Sha256};

/// Bytes of a key.
pub const KEY_LENGTH: usize = 32;

/// What a derived key is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The key signs access tokens.
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
    revoked: bool,
}

impl Key {
    /// A key of 256 random bits; `None` when the id is not 1 to 32 of `[A-Za-z0-9_-]`.
    #[must_use]
    pub fn new(id: &str, secret: [u8; KEY_LENGTH]) -> Option<Self> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        let good = (1..=32).contains(&id.len()) && id.bytes().all(plain);
        good.then(|| Self { id: id.to_owned(), secret, revoked: false })
    }

    /// The same key, taken out of use: it opens what it has sealed, and neither signs nor seals, nor
    /// is anything believed that it has signed.
    #[must_use]
    pub fn revoke(self) -> Self {
        Self { revoked: true, ..self }
    }

    /// Whether it is taken out of use.
    #[must_use]
    pub const fn is_revoked(&self) -> bool {
        self.revoked
    }

    /// The id of the key.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Whether it is that key, by another id or the same. For a caller who holds both: it takes a time
    /// that depends on them.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        self.secret == other.secret
    }

    /// The key for one purpose; neither the key nor that of another purpose can be derived from it.
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
    /// A set of keys; `None` when two have the same id, or the active one is revoked.
    #[must_use]
    pub fn new(active: Key, others: Vec<Key>) -> Option<Self> {
        let mut ids: Vec<&str> = others.iter().chain([&active]).map(Key::id).collect();
        ids.sort_unstable();
        let distinct = ids.windows(2).all(|pair| pair.first() != pair.last());
        (distinct && !active.revoked).then_some(Self { active, others })
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

/// The key set of a process, which another may replace while it runs. Clones share it.
#[derive(Debug, Clone)]
pub struct LiveKeys(Arc<Live>);

#[derive(Debug)]
struct Live {
    set: RwLock<Arc<KeySet>>,
    /// Grows with each replacement.
    generation: AtomicU64,
}

impl From<KeySet> for LiveKeys {
    fn from(keys: KeySet) -> Self {
        Self(Arc::new(Live { set: RwLock::new(Arc::new(keys)), generation: AtomicU64::new(0) }))
    }
}

impl LiveKeys {
    /// The key set that holds now.
    #[must_use]
    pub fn now(&self) -> Arc<KeySet> {
        Arc::clone(&self.0.set.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts another key set in its place, for everything that is made or read from here on.
    pub fn replace(&self, keys: KeySet) {
        *self.0.set.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(keys);
        self.0.generation.fetch_add(1, Ordering::Release);
    }

    /// Another number after each replacement.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.0.generation.load(Ordering::Acquire)
    }
}

/// A value that is derived from a key set, and created again when another set replaces it.
pub struct OfKeys<T> {
    keys: LiveKeys,
    make: fn(&KeySet) -> T,
    made: RwLock<(u64, Arc<T>)>,
}

impl<T> OfKeys<T> {
    /// Makes it of the present set.
    pub fn new(keys: LiveKeys, make: fn(&KeySet) -> T) -> Self {
        let made = RwLock::new((keys.generation(), Arc::new(make(&keys.now()))));
        Self { keys, make, made }
    }

    /// What is made of the set that holds now, and the set's number.
    pub fn now(&self) -> (u64, Arc<T>) {
        let generation = self.keys.generation();
        let made = self.made.read().unwrap_or_else(PoisonError::into_inner).clone();
        if made.0 == generation {
            return made;
        }
        let made = (generation, Arc::new((self.make)(&self.keys.now())));
        *self.made.write().unwrap_or_else(PoisonError::into_inner) = made.clone();
        made
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

    #[test]
    fn a_revoked_key_is_never_the_active_one() {
        assert!(KeySet::new(key("a").revoke(), vec![key("b")]).is_none());
        assert!(KeySet::new(key("b"), vec![key("a").revoke()]).is_some_and(|set| set.get("a").is_some()));
    }

    #[test]
    fn what_is_made_of_a_set_follows_it() {
        let set = |id| KeySet::new(key(id), Vec::new()).unwrap();
        let live = LiveKeys::from(set("a"));
        let made = OfKeys::new(live.clone(), |keys| keys.active().id().to_owned());
        assert_eq!(*made.now().1, "a");
        live.clone().replace(set("b"));
        assert_eq!((made.now().0, made.now().1.as_str()), (1, "b"));
    }
}
