//! Verifies client assertions: tokens that an application signs with its private key and sends instead of a
//! secret (`private_key_jwt`, RFC 7523).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use payroll_domain::client_key::ClientKey;
use payroll_domain::date::Timestamp;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// The maximum number of seconds until an assertion expires. Until then, the server stores the id of the
/// assertion, so a copied assertion is never accepted. This maximum limits the number of stored ids.
const MAX_LIFETIME_SECONDS: i64 = 600;
/// The maximum number of seconds by which the client's clock may be ahead of the server's clock.
const CLOCK_SKEW_SECONDS: i64 = 60;
/// The maximum number of characters of an assertion's id. Clients use a UUID or a hash.
const MAX_ID_LENGTH: usize = 255;
/// The number of characters of a key's id, which is a SHA-256 hash in base64url.
const KEY_ID_LENGTH: usize = 43;
/// The first byte of an uncompressed point of an elliptic curve (SEC 1, section 2.3.3).
const UNCOMPRESSED_POINT: u8 = 4;

/// An assertion whose signature is not verified yet.
pub(crate) struct Assertion<'a> {
    header: Header,
    claims: Claims,
    /// The header and the claims as they were signed.
    signing_input: &'a str,
    signature: Vec<u8>,
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
    /// The extensions that the receiver must understand (RFC 7515, section 4.1.11). The server supports no
    /// extensions.
    crit: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct Claims {
    iss: String,
    sub: String,
    aud: Audience,
    exp: NumericDate,
    nbf: Option<NumericDate>,
    iat: Option<NumericDate>,
    jti: Option<String>,
}

/// A time in complete seconds since 1970. The number in the token may have a fraction (RFC 7519, section 2).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct NumericDate(i64);

impl<'de> Deserialize<'de> for NumericDate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = serde_json::Number::deserialize(deserializer)?.to_string();
        let whole = number.split('.').next().unwrap_or_default();
        whole.parse().map(Self).map_err(D::Error::custom)
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Audience {
    One(String),
    Many(Vec<String>),
}

impl<'a> Assertion<'a> {
    /// Reads an assertion without verifying it.
    ///
    /// # Errors
    /// The rule that the assertion violates, such as "must have a header with the text alg". The caller
    /// writes "the assertion" before this text.
    pub(crate) fn read(text: &'a str) -> Result<Self, &'static str> {
        let (signed, [header, claims, signature]) = decode_parts(text)
            .ok_or("must be a JSON web token: three parts in base64url with dots in between")?;
        Ok(Self {
            header: serde_json::from_slice(&header).map_err(|_| "must have a header with the text alg")?,
            claims: serde_json::from_slice(&claims).map_err(|_| {
                "must have the claims iss, sub, aud and exp once each: exp is a number, aud a text or a list of texts, and iss and sub are texts"
            })?,
            signing_input: signed,
            signature,
        })
    }

    /// Returns the client id in the assertion.
    pub(crate) fn client_id(&self) -> &str {
        &self.claims.sub
    }

    /// Returns the id of the assertion. The server accepts each id of a client only once.
    pub(crate) fn id(&self) -> &str {
        self.claims.jti.as_deref().unwrap_or_default()
    }

    /// Returns the time at which the assertion expires.
    pub(crate) const fn expires_at(&self) -> Timestamp {
        Timestamp::from_micros(self.claims.exp.0.saturating_mul(1_000_000))
    }

    /// Validates everything except the signature and returns the id of the key. The result does not depend on
    /// stored data, so the error may describe the fault.
    ///
    /// # Errors
    /// The first rule that the assertion violates, in the same form as in [`Self::read`].
    pub(crate) fn check_claims(&self, now: Timestamp, audiences: &[String]) -> Result<&str, String> {
        let (claims, now) = (&self.claims, now.as_seconds());
        let exp = claims.exp.0;
        let given: &[String] = match &claims.aud {
            Audience::One(one) => std::slice::from_ref(one),
            Audience::Many(many) => many,
        };
        let starts = claims.nbf.max(claims.iat);
        if claims.iss != claims.sub {
            return Err("must have the client id as iss and as sub".to_owned());
        }
        if !given.iter().any(|audience| audiences.contains(audience)) {
            return Err(format!("must have one of these addresses as aud: {}", audiences.join(", ")));
        }
        if exp <= now {
            return Err("has expired (exp); compare the clock of your machine".to_owned());
        }
        if exp > now.saturating_add(MAX_LIFETIME_SECONDS) {
            return Err(format!("must expire (exp) in at most {MAX_LIFETIME_SECONDS} seconds"));
        }
        if starts.is_some_and(|starts| starts.0 > now.saturating_add(CLOCK_SKEW_SECONDS)) {
            return Err("is not valid yet (nbf, iat); compare the clock of your machine".to_owned());
        }
        if self.id().is_empty() || self.id().len() > MAX_ID_LENGTH {
            return Err(format!("must have an id (jti) of 1 to {MAX_ID_LENGTH} bytes, new for each request"));
        }
        if self.header.crit.is_some() {
            return Err("must not have the header crit".to_owned());
        }
        let kid = self.header.kid.as_deref().filter(|kid| kid.len() == KEY_ID_LENGTH);
        kid.ok_or_else(|| {
            "must have the header kid, with the value that the registration of the key returned".to_owned()
        })
    }

    /// Whether the assertion is signed by the key. The algorithm must be the algorithm of the key.
    pub(crate) fn is_signed_by(&self, key: &ClientKey) -> bool {
        self.header.alg == key.algorithm().as_str()
            && has_valid_signature(key, self.signing_input.as_bytes(), &self.signature)
    }
}

/// Decodes the parts of a token. The returned text contains the header and the claims as they were signed.
fn decode_parts(text: &str) -> Option<(&str, [Vec<u8>; 3])> {
    let (signed, signature) = text.rsplit_once('.')?;
    let (header, claims) = signed.split_once('.')?;
    let decode = |part: &str| URL_SAFE_NO_PAD.decode(part).ok();
    Some((signed, [decode(header)?, decode(claims)?, decode(signature)?]))
}

fn has_valid_signature(key: &ClientKey, message: &[u8], signature: &[u8]) -> bool {
    verify(key, message, signature).is_some()
}

fn verify(key: &ClientKey, message: &[u8], signature: &[u8]) -> Option<()> {
    let decode = |number: &str| URL_SAFE_NO_PAD.decode(number).ok();
    match key {
        ClientKey::Ed25519 { x } => {
            UnparsedPublicKey::new(&ED25519, decode(x)?).verify(message, signature).ok()
        }
        ClientKey::P256 { x, y } => {
            let point = [vec![UNCOMPRESSED_POINT], decode(x)?, decode(y)?].concat();
            UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(message, signature).ok()
        }
        ClientKey::Rsa { n, e } => {
            let key = RsaPublicKeyComponents { n: decode(n)?, e: decode(e)? };
            key.verify(&RSA_PKCS1_2048_8192_SHA256, message, signature).ok()
        }
    }
}

#[cfg(test)]
mod tests;
