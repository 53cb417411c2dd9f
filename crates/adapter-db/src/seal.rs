//! Encryption of secrets in storage. A secret is encrypted with a key of the key set and bound to the row
//! that contains it.
//!
//! A sealed text is an encrypted text of the form `<key id>:<base64 of nonce and ciphertext>`. The row's id
//! is the associated data of the encryption. A sealed text that is copied to another row therefore cannot be
//! decrypted there.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
use hmac::{Hmac, Mac};
use payroll_domain::tax_id::LastFour;
use payroll_ports::keys::{CurrentKeys, KEY_LENGTH, Key, KeyDerived, KeyPurpose, KeySet};
use payroll_ports::{Randomness, new_uuid};
use sha2::Sha256;

/// Reads the canaries: the id of the key that encrypted each canary, and the encrypted text.
pub(crate) const SELECT_CANARIES: &str = "SELECT key_id, sealed FROM key_canaries";
/// Counts the rows with a value that was encrypted or hashed with one key. A key with such rows is still
/// needed. These values sort between $1 and $2 ([`ciphertext_bounds`]).
///
/// The hash of a worker's tax ID counts, because workers are searched by this hash. This includes the hash of
/// a FEIN, although a FEIN is not encrypted. The hash of an earlier tax ID does not count.
pub(crate) const COUNT_ROWS_OF_KEY: &str = "SELECT \
    (SELECT count(*) FROM workers \
        WHERE (legal_id_type = 'SSN' AND legal_id >= $1 AND legal_id < $2) \
            OR (last_four_hash >= $1 AND last_four_hash < $2 AND last_four_of = legal_id)) \
    + (SELECT count(*) FROM companies WHERE legal_id_type = 'SSN' AND legal_id >= $1 AND legal_id < $2) \
    + (SELECT count(*) FROM direct_deposits WHERE account_number >= $1 AND account_number < $2) \
    + (SELECT count(*) FROM request_details WHERE sealed >= $1 AND sealed < $2) \
    + (SELECT count(*) FROM hooks WHERE (authentication >= $1 AND authentication < $2) \
        OR (signing_secret >= $1 AND signing_secret < $2) \
        OR (old_signing_secret >= $1 AND old_signing_secret < $2)) AS number";

/// Returns a lower and an upper bound. All texts that a key has encrypted sort between the two bounds. Such a
/// text begins with the key id and a colon. The upper bound has a semicolon instead, which is the next
/// character.
pub(crate) fn ciphertext_bounds(key_id: &str) -> [String; 2] {
    [format!("{key_id}:"), format!("{key_id};")]
}

/// The plaintext of every canary. It is also the id to which the encrypted text is bound. A canary is a
/// stored text that shows whether a key belongs to a database.
const CANARY_TEXT: &str = "canary";
/// The length of a nonce in bytes. Random nonces of this length never collide.
const NONCE_LENGTH: usize = 24;

/// The length of a stored hash in bytes. Collisions are practically impossible.
const HASH_LENGTH: usize = 16;

/// Encrypts and decrypts texts with the key set, and hashes values that must be searchable.
pub(crate) struct Sealer {
    ciphers: KeyDerived<CipherSet>,
    randomness: Arc<dyn Randomness>,
}

/// The active key, which encrypts new texts, and all other keys of the set. The ciphers are derived once for
/// each key set.
struct CipherSet {
    active: KeyCipher,
    others: Vec<KeyCipher>,
}

impl CipherSet {
    fn new(keys: &KeySet) -> Self {
        let others = keys.iter().skip(1).map(KeyCipher::new).collect();
        Self { active: KeyCipher::new(keys.active()), others }
    }

    /// Returns the key with this id, if the key set has it.
    fn find_cipher(&self, key_id: &str) -> Option<&XChaCha20Poly1305> {
        let mut all = std::iter::once(&self.active).chain(&self.others);
        all.find(|cipher| cipher.key_id == key_id).map(|cipher| &cipher.cipher)
    }
}

/// A key of the set, ready to encrypt, decrypt and hash.
struct KeyCipher {
    key_id: String,
    cipher: XChaCha20Poly1305,
    lookup: [u8; KEY_LENGTH],
}

impl KeyCipher {
    fn new(key: &Key) -> Self {
        let cipher = XChaCha20Poly1305::new(&key.derive(KeyPurpose::Encryption).into());
        Self { key_id: key.id().to_owned(), cipher, lookup: key.derive(KeyPurpose::TaxIdLookup) }
    }

    /// Returns the stored hash of the last digits of a tax ID, as `<key id>:<hash>`. The hash includes the
    /// company, so equal digits have different hashes in different companies. An attacker without the key
    /// cannot try the 10,000 possible values.
    fn hash_last_four(&self, company_id: &str, digits: &LastFour) -> String {
        // HMAC accepts keys of any length, so this call never fails. The fallback is an empty text, which is
        // the hash of no worker.
        let Ok(mut hash) = <Hmac<Sha256> as KeyInit>::new_from_slice(&self.lookup) else {
            return String::new();
        };
        for part in [digits.as_str(), company_id] {
            hash.update(part.as_bytes());
        }
        let bytes = hash.finalize().into_bytes();
        let shortened = bytes.get(..HASH_LENGTH).unwrap_or_default();
        format!("{}:{}", self.key_id, STANDARD_NO_PAD.encode(shortened))
    }
}

impl Sealer {
    pub(crate) fn new(keys: CurrentKeys, randomness: Arc<dyn Randomness>) -> Self {
        Self { ciphers: KeyDerived::new(keys, CipherSet::new), randomness }
    }

    /// Returns whether the canaries of a database were encrypted with keys of this key set. A database
    /// without canaries accepts every key set.
    pub(crate) fn can_decrypt_canaries(&self, canaries: &[(String, String)]) -> bool {
        let opens = |(_, sealed): &&(String, String)| {
            self.unseal(sealed, CANARY_TEXT).as_deref() == Some(CANARY_TEXT)
        };
        let opened = canaries.iter().filter(opens).count();
        let known = canaries.len() - self.unknown_key_ids(canaries).len();
        // Every canary with a known key id must be decrypted. If a canary cannot be decrypted, another key
        // with the same id encrypted the canary.
        opened == known && (opened > 0 || canaries.is_empty())
    }

    /// Returns the ids of keys that have been used in this database and that the key set does not have.
    pub(crate) fn unknown_key_ids(&self, canaries: &[(String, String)]) -> Vec<String> {
        let (_, ring) = self.ciphers.current_with_generation();
        let ids = canaries.iter().map(|(key_id, _)| key_id);
        ids.filter(|key_id| ring.find_cipher(key_id).is_none()).cloned().collect()
    }

    /// Returns a canary that is encrypted with the active key.
    pub(crate) fn encrypt_canary(&self) -> String {
        self.seal(CANARY_TEXT, CANARY_TEXT)
    }

    /// Returns the id of the active key, which encrypts new texts.
    pub(crate) fn active_key_id(&self) -> String {
        self.ciphers.current_with_generation().1.active.key_id.clone()
    }

    /// Re-encrypts a text with the active key. `None` if the active key has already encrypted the text, or if
    /// the text cannot be decrypted.
    pub(crate) fn reencrypt(&self, ciphertext: &str, row_id: &str) -> Option<String> {
        let (_, ring) = self.ciphers.current_with_generation();
        let (key_id, _) = ciphertext.split_once(':')?;
        (key_id != ring.active.key_id)
            .then(|| self.unseal(ciphertext, row_id))?
            .map(|text| self.seal(&text, row_id))
    }

    /// Returns the hash by which a worker of the company is found if the tax ID ends with these digits.
    pub(crate) fn hash_last_four(&self, company_id: &str, digits: &LastFour) -> String {
        self.ciphers.current_with_generation().1.active.hash_last_four(company_id, digits)
    }

    /// Returns one hash for each key of the set. A search needs all these hashes, because it is unknown which
    /// key computed a stored hash.
    pub(crate) fn hash_last_four_with_all_keys(&self, company_id: &str, digits: &LastFour) -> Vec<String> {
        let (_, ring) = self.ciphers.current_with_generation();
        let all = std::iter::once(&ring.active).chain(&ring.others);
        all.map(|cipher| cipher.hash_last_four(company_id, digits)).collect()
    }

    /// Encrypts a text with the active key and binds it to a row.
    pub(crate) fn seal(&self, text: &str, row_id: &str) -> String {
        let mut nonce = [0; NONCE_LENGTH];
        self.randomness.fill_with_random_bytes(&mut nonce);
        let payload = Payload { msg: text.as_bytes(), aad: row_id.as_bytes() };
        let (_, ring) = self.ciphers.current_with_generation();
        let KeyCipher { key_id, cipher, .. } = &ring.active;
        // The cipher only rejects texts above 256 GB. The fallback is an empty text, which cannot be
        // decrypted.
        let sealed = cipher.encrypt(&XNonce::from(nonce), payload).unwrap_or_default();
        let bytes = [nonce.as_slice(), &sealed].concat();
        format!("{key_id}:{}", STANDARD_NO_PAD.encode(bytes))
    }

    /// Returns a random UUID (version 4), which identifies an event.
    pub(crate) fn new_uuid(&self) -> String {
        new_uuid(&*self.randomness)
    }

    /// Decrypts a text that is bound to the row. `None` if the text is bound to another row, or if its key is
    /// unknown.
    pub(crate) fn unseal(&self, ciphertext: &str, row_id: &str) -> Option<String> {
        let (key_id, text) = ciphertext.split_once(':')?;
        let bytes = STANDARD_NO_PAD.decode(text).ok()?;
        let (nonce, sealed) = bytes.split_first_chunk::<NONCE_LENGTH>()?;
        let payload = Payload { msg: sealed, aad: row_id.as_bytes() };
        let (_, ring) = self.ciphers.current_with_generation();
        let opened = ring.find_cipher(key_id)?.decrypt(&XNonce::from(*nonce), payload).ok()?;
        String::from_utf8(opened).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct FixedRandomness;
    impl Randomness for FixedRandomness {
        fn fill_with_random_bytes(&self, bytes: &mut [u8]) {
            bytes.fill(7);
        }
    }

    #[test]
    fn a_uuid_has_version_4() {
        assert_eq!(sealer_with_key("a", 1).new_uuid(), "07070707-0707-4707-8707-070707070707");
    }

    fn sealer_with_key(key_id: &str, secret: u8) -> Sealer {
        let key = Key::new(key_id, [secret; 32]).unwrap();
        Sealer::new(KeySet::new(key, Vec::new()).unwrap().into(), Arc::new(FixedRandomness))
    }

    #[test]
    fn a_hash_depends_on_key_company_and_digits_and_hides_the_digits() {
        let four = |digits: &str| LastFour::parse(digits).unwrap();
        let hash = sealer_with_key("a", 1).hash_last_four("ACME", &four("6789"));
        assert!(hash.starts_with("a:") && !hash.contains("6789") && hash.len() == 24, "{hash}");
        assert_eq!(
            sealer_with_key("a", 1).hash_last_four_with_all_keys("ACME", &four("6789")),
            std::slice::from_ref(&hash)
        );
        for other in [
            sealer_with_key("a", 2).hash_last_four("ACME", &four("6789")),
            sealer_with_key("a", 1).hash_last_four("OTHER", &four("6789")),
            sealer_with_key("a", 1).hash_last_four("ACME", &four("6788")),
        ] {
            assert_ne!(other, hash);
        }
    }

    #[test]
    fn decrypts_a_text_only_for_its_row_and_key() {
        let sealed = sealer_with_key("a", 1).seal("123456789", "row");
        assert!(!sealed.contains("123456789") && sealed.starts_with("a:"));
        assert_eq!(sealer_with_key("a", 1).unseal(&sealed, "row").as_deref(), Some("123456789"));
        assert_eq!(sealer_with_key("a", 1).unseal(&sealed, "other"), None, "bound to its row");
        assert_eq!(sealer_with_key("a", 2).unseal(&sealed, "row"), None, "another key of that id");
        assert_eq!(sealer_with_key("b", 1).unseal(&sealed, "row"), None, "no key of that id");
    }
}
