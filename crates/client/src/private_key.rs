//! Private keys that sign token requests in place of a secret (`private_key_jwt`, RFC 7523).

use std::fmt;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::error::Unspecified;
use ring::rand::SystemRandom;
use ring::rsa::PublicKeyComponents;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256, RsaKeyPair,
};
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::pki_types::pem::PemObject;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::error::Error;

/// The seconds until an assertion expires. The server accepts at most 600. A short time limits the use of a
/// copied assertion.
const LIFETIME_SECONDS: u64 = 60;

/// The length of a coordinate of P-256 in bytes.
const COORDINATE_BYTES: usize = 32;

/// The maximum length of a PEM label that an error text shows. If line breaks are missing, a longer text
/// could contain a part of the key.
const MAX_LABEL: usize = 32;

/// The start of the first line of a PEM block.
const PEM_BEGIN: &str = "-----BEGIN ";

/// A private key that signs token requests, in place of a secret. `Debug` shows only its id.
///
/// ```no_run
/// # fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use payroll_client::{Client, PrivateKey};
///
/// let key = PrivateKey::from_pem(&std::fs::read_to_string("private-key.pem")?)?;
/// println!("the operator registers {} with the id {}", key.public_jwk(), key.key_id());
/// let client = Client::new("https://payroll.example.com", "pkc_…", key)?;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct PrivateKey {
    inner: Arc<PrivateKeyState>,
}

struct PrivateKeyState {
    pair: AssertionKeyPair,
    public_jwk: String,
    key_id: String,
}

/// A key pair of one of the algorithms that the server accepts.
enum AssertionKeyPair {
    Ed25519(Ed25519KeyPair),
    P256(EcdsaKeyPair),
    Rsa(RsaKeyPair),
}

#[derive(Serialize)]
struct Header<'a> {
    alg: &'a str,
    kid: &'a str,
    typ: &'a str,
}

#[derive(Serialize)]
struct Claims<'a> {
    iss: &'a str,
    sub: &'a str,
    aud: &'a str,
    exp: u64,
    jti: &'a str,
}

impl PrivateKey {
    /// Reads an unencrypted key in the PEM format (PKCS#8): Ed25519, P-256 with its public key, or RSA with
    /// 2048, 3072 or 4096 bits. The algorithm is EdDSA, ES256 or RS256 respectively.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the text has another format or the key has another type. The error contains no
    /// part of the key.
    pub fn from_pem(pem: &str) -> Result<Self, Error> {
        check_label(pem)?;
        let invalid = || {
            let expected =
                "expected a private key of type Ed25519, P-256, or RSA with 2048, 3072 or 4096 bits";
            // The error explains how to convert a P-256 key. Some programs write P-256 keys without the
            // public key, and the library cannot compute the public key.
            let repair = "if a P-256 key lacks its public key, convert it with openssl ec and openssl pkey";
            Error::Invalid(format!("{expected}: {repair}"))
        };
        let der = PrivatePkcs8KeyDer::from_pem_slice(pem.as_bytes()).map_err(|_| invalid())?;
        let pair = AssertionKeyPair::from_pkcs8(der.secret_pkcs8_der()).ok_or_else(invalid)?;
        let public_jwk = pair.public_jwk().ok_or_else(invalid)?;
        // The text of the public key has exactly the form that RFC 7638 hashes, so the hash of the text is
        // the thumbprint.
        let key_id = URL_SAFE_NO_PAD.encode(Sha256::digest(&public_jwk));
        Ok(Self { inner: Arc::new(PrivateKeyState { pair, public_jwk, key_id }) })
    }

    /// Returns the id of the key, which the server shows as `kid`: the thumbprint of the public key (RFC
    /// 7638).
    #[must_use]
    pub fn key_id(&self) -> &str {
        &self.inner.key_id
    }

    /// Returns the public key as a JSON web key, which an operator registers.
    #[must_use]
    pub fn public_jwk(&self) -> &str {
        &self.inner.public_jwk
    }

    /// Signs an assertion for one token request. `now` is in seconds since 1970, and `jti` is new for each
    /// request.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the key cannot sign.
    pub(crate) fn sign_assertion(
        &self,
        client_id: &str,
        audience: &str,
        now: u64,
        jti: &str,
    ) -> Result<String, Error> {
        let PrivateKeyState { pair, key_id, .. } = &*self.inner;
        let exp = now.saturating_add(LIFETIME_SECONDS);
        let header = Header { alg: pair.algorithm(), kid: key_id, typ: "JWT" };
        let claims = Claims { iss: client_id, sub: client_id, aud: audience, exp, jti };
        let signed = format!("{}.{}", encode_json(&header)?, encode_json(&claims)?);
        let signature = pair.sign(signed.as_bytes());
        let signature = signature.map_err(|_| Error::Invalid("the private key cannot sign".to_owned()))?;
        Ok(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PrivateKey").field("key_id", &self.inner.key_id).finish_non_exhaustive()
    }
}

impl AssertionKeyPair {
    fn from_pkcs8(der: &[u8]) -> Option<Self> {
        // OpenSSL writes Ed25519 keys without their public key. The function `from_pkcs8` requires the public
        // key, so `from_pkcs8_maybe_unchecked` is used.
        if let Ok(pair) = Ed25519KeyPair::from_pkcs8_maybe_unchecked(der) {
            return Some(Self::Ed25519(pair));
        }
        let p256 = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, der, &SystemRandom::new());
        p256.map(Self::P256).or_else(|_| RsaKeyPair::from_pkcs8(der).map(Self::Rsa)).ok()
    }

    const fn algorithm(&self) -> &'static str {
        match self {
            Self::Ed25519(_) => "EdDSA",
            Self::P256(_) => "ES256",
            Self::Rsa(_) => "RS256",
        }
    }

    /// Returns the public key with only the required members, in the order of RFC 7638.
    fn public_jwk(&self) -> Option<String> {
        let encode = |number: &[u8]| URL_SAFE_NO_PAD.encode(number);
        Some(match self {
            Self::Ed25519(pair) => {
                let x = encode(pair.public_key().as_ref());
                format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}"#)
            }
            Self::P256(pair) => {
                // The first byte means that the point is uncompressed (SEC 1, section 2.3.3).
                let (x, y) = pair.public_key().as_ref().get(1..)?.split_at_checked(COORDINATE_BYTES)?;
                format!(r#"{{"crv":"P-256","kty":"EC","x":"{}","y":"{}"}}"#, encode(x), encode(y))
            }
            Self::Rsa(pair) => {
                let key = PublicKeyComponents::<Vec<u8>>::from(pair.public());
                format!(r#"{{"e":"{}","kty":"RSA","n":"{}"}}"#, encode(&key.e), encode(&key.n))
            }
        })
    }

    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, Unspecified> {
        match self {
            Self::Ed25519(pair) => Ok(pair.sign(message).as_ref().to_vec()),
            Self::P256(pair) => Ok(pair.sign(&SystemRandom::new(), message)?.as_ref().to_vec()),
            Self::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), message, &mut signature)?;
                Ok(signature)
            }
        }
    }
}

/// Verifies that a PEM text has the label of PKCS#8. For other labels, the error explains how to convert the
/// key.
fn check_label(pem: &str) -> Result<(), Error> {
    let is_label =
        |it: &&str| it.len() <= MAX_LABEL && it.bytes().all(|it| it.is_ascii_uppercase() || it == b' ');
    let rest = pem.split_once(PEM_BEGIN).map(|(_, rest)| rest);
    let label = rest.and_then(|it| it.split_once("-----")).map(|(label, _)| label).filter(is_label);
    let fault = match label {
        Some("PRIVATE KEY") => return Ok(()),
        // The error shows only the label. If the text is a secret in the wrong place, the secret stays
        // hidden.
        Some(it) if it.ends_with("PRIVATE KEY") => format!("BEGIN {it}: convert it with openssl pkey"),
        Some(it) => format!("BEGIN {it}"),
        None => "a text without BEGIN".to_owned(),
    };
    Err(Error::Invalid(format!("expected a private key in the PEM format (BEGIN PRIVATE KEY), got {fault}")))
}

fn encode_json(part: &impl Serialize) -> Result<String, Error> {
    let json = serde_json::to_vec(part);
    json.map(|it| URL_SAFE_NO_PAD.encode(it)).map_err(|error| Error::Invalid(error.to_string()))
}
