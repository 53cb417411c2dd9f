//! The keys that sign and verify access tokens, derived from the key set.

use jsonwebtoken::errors::Error;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use payroll_ports::keys::{KeyPurpose, KeySet};
use payroll_ports::signing::SigningPair;
use serde::Serialize;

/// The signing and verification keys that are derived from the key set.
pub(super) struct TokenSigningKeys {
    /// The id of the key that signs new access tokens.
    key_id: String,
    secret: EncodingKey,
    encoding_key: EncodingKey,
    pub(super) decoding_keys: Vec<(String, Algorithm, DecodingKey)>,
}

impl TokenSigningKeys {
    pub(super) fn new(keys: &KeySet) -> Self {
        let active = keys.active();
        // A revoked key may have been stolen, so its signatures are not accepted.
        let secrets = keys.iter().filter(|key| !key.is_revoked()).map(|key| {
            let secret = DecodingKey::from_secret(&key.derive(KeyPurpose::TokenSigning));
            (key.id().to_owned(), Algorithm::HS256, secret)
        });
        let pairs = SigningPair::derive_all(keys, KeyPurpose::TokenPair);
        let pairs = pairs.iter().map(|pair| {
            (pair.id().to_owned(), Algorithm::EdDSA, DecodingKey::from_ed_der(pair.public_key()))
        });
        Self {
            key_id: active.id().to_owned(),
            secret: EncodingKey::from_secret(&active.derive(KeyPurpose::TokenSigning)),
            encoding_key: EncodingKey::from_ed_der(&active.derive(KeyPurpose::TokenPair)),
            decoding_keys: secrets.chain(pairs).collect(),
        }
    }

    /// Signs claims with the active key. Returns the token.
    pub(super) fn encode_token(
        &self,
        algorithm: Algorithm,
        kind: &str,
        claims: &impl Serialize,
    ) -> Result<String, Error> {
        let mut header = Header::new(algorithm);
        header.typ = Some(kind.to_owned());
        header.kid = Some(self.key_id.clone());
        let key = if algorithm == Algorithm::EdDSA { &self.encoding_key } else { &self.secret };
        jsonwebtoken::encode(&header, claims, key)
    }
}

/// Returns the library's settings for verifying one algorithm. The library would compare the expiry with the
/// system clock. The expiry is therefore verified elsewhere, with the server's clock.
pub(super) fn create_validation(algorithm: Algorithm) -> Validation {
    let mut validation = Validation::new(algorithm);
    validation.validate_exp = false;
    validation.validate_aud = false;
    validation.required_spec_claims.clear();
    validation
}
