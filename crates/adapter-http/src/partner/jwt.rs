//! The cryptography provider for `jsonwebtoken`. This provider supports HS256 and EdDSA with Ed25519.
//!
//! The providers that come with the library also support RSA and other curves, which the tokens of this
//! server do not use. The library stores one provider in a static variable, so all servers of a process share
//! the provider. The provider contains no key.

use hmac::{Hmac, KeyInit, Mac};
use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{ErrorKind, Result};
use jsonwebtoken::signature::{Error, Signer, Verifier};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey};
use ring::signature::{ED25519, Ed25519KeyPair, UnparsedPublicKey};
use sha2::Sha256;

static CRYPTO_PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: create_signer,
    verifier_factory: create_verifier,
    key_utils: KeyUtils::new_unimplemented(),
};

/// Registers the provider with the library `jsonwebtoken`.
pub(crate) fn install_jwt_crypto_provider() {
    // An error means that another server of this process has already installed this provider.
    let _ = CRYPTO_PROVIDER.install_default();
}

fn create_signer(algorithm: &Algorithm, key: &EncodingKey) -> Result<Box<dyn JwtSigner>> {
    match algorithm {
        Algorithm::HS256 => Ok(Box::new(Hs256::new(key.as_bytes())?)),
        Algorithm::EdDSA => Ok(Box::new(EdDsa::new(key.as_bytes())?)),
        _ => Err(ErrorKind::UnsupportedAlgorithm.into()),
    }
}

fn create_verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>> {
    let key = key.try_get_as_bytes()?;
    match algorithm {
        Algorithm::HS256 => Ok(Box::new(Hs256::new(key)?)),
        Algorithm::EdDSA => Ok(Box::new(EdDsaPublic(UnparsedPublicKey::new(&ED25519, key.to_vec())))),
        _ => Err(ErrorKind::UnsupportedAlgorithm.into()),
    }
}

/// HMAC-SHA256 with one key.
struct Hs256(Hmac<Sha256>);

impl Hs256 {
    fn new(key: &[u8]) -> Result<Self> {
        Hmac::new_from_slice(key).map(Self).map_err(|_| ErrorKind::InvalidKeyFormat.into())
    }
}

impl Signer<Vec<u8>> for Hs256 {
    fn try_sign(&self, message: &[u8]) -> std::result::Result<Vec<u8>, Error> {
        Ok(self.0.clone().chain_update(message).finalize().into_bytes().to_vec())
    }
}

impl Verifier<Vec<u8>> for Hs256 {
    /// Compares the signature with the expected signature in constant time.
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> std::result::Result<(), Error> {
        self.0.clone().chain_update(message).verify_slice(signature).map_err(|_| Error::new())
    }
}

impl JwtSigner for Hs256 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::HS256
    }
}

impl JwtVerifier for Hs256 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::HS256
    }
}

/// An Ed25519 key pair that is derived from a seed.
struct EdDsa(Ed25519KeyPair);

impl EdDsa {
    fn new(seed: &[u8]) -> Result<Self> {
        Ed25519KeyPair::from_seed_unchecked(seed).map(Self).map_err(|_| ErrorKind::InvalidKeyFormat.into())
    }
}

impl Signer<Vec<u8>> for EdDsa {
    fn try_sign(&self, message: &[u8]) -> std::result::Result<Vec<u8>, Error> {
        Ok(self.0.sign(message).as_ref().to_vec())
    }
}

impl JwtSigner for EdDsa {
    fn algorithm(&self) -> Algorithm {
        Algorithm::EdDSA
    }
}

/// An Ed25519 public key, which verifies signatures.
struct EdDsaPublic(UnparsedPublicKey<Vec<u8>>);

impl Verifier<Vec<u8>> for EdDsaPublic {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> std::result::Result<(), Error> {
        self.0.verify(message, signature).map_err(|_| Error::new())
    }
}

impl JwtVerifier for EdDsaPublic {
    fn algorithm(&self) -> Algorithm {
        Algorithm::EdDSA
    }
}
