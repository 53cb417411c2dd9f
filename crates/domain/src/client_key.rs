//! The public key of an application. The application signs its token requests with the matching private key
//! (`private_key_jwt`, RFC 7523). A key is a JSON web key (RFC 7517). The numbers of a key remain base64url
//! text here, and the adapters decode them.

#[cfg(test)]
mod tests;

use crate::code::Reason;
use crate::input::{self, Node};
use crate::named::named_enum;
use crate::object::reader::{ObjectReader, read_object};
use crate::object::values::{ReadResult, read_named_value, text_reader};
use crate::report::Fault;

/// The size in bytes of each number of an Ed25519 or P-256 key.
const COORDINATE_BYTES: usize = 32;
/// The minimum size of an RSA modulus in bytes. Signatures with less than 2048 bits count as weak (NIST SP
/// 800-131A).
const MIN_MODULUS_BYTES: usize = 256;
/// The maximum size of an RSA modulus in bytes: 4096 bits. The time for a verification grows with the
/// modulus.
const MAX_MODULUS_BYTES: usize = 512;
/// The maximum size of an RSA exponent in bytes. Nearly all keys have the exponent 65537, which needs three
/// bytes.
const MAX_EXPONENT_BYTES: usize = 4;
/// The minimum exponent of RSA (RFC 8017, section 3.1).
const MIN_EXPONENT: u64 = 3;
/// The maximum number of base64url characters in one number of a key. A modulus of the maximum size needs
/// this many. Each character encodes six bits.
const MAX_NUMBER_LENGTH: usize = (MAX_MODULUS_BYTES * 8).div_ceil(6);
/// The members that a public key may have.
const PUBLIC_MEMBERS: [&str; 9] = ["kty", "use", "kid", "alg", "crv", "x", "y", "n", "e"];
/// The members that only a private or symmetric key has (RFC 7518, section 6).
const PRIVATE_MEMBERS: [&str; 8] = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

named_enum! {
    /// The type of a key, as its member `kty`.
    KeyType {
        /// A key of an Edwards curve, here Ed25519.
        Okp = "OKP",
        /// A key of an elliptic curve, here P-256.
        Ec = "EC",
        /// RSA with a modulus of 2048 to 4096 bits.
        Rsa = "RSA",
    }
}

named_enum! {
    /// The algorithm of the signatures that a key verifies.
    KeyAlgorithm {
        /// A signature with Ed25519 (RFC 8032).
        EdDsa = "EdDSA",
        /// A signature of ECDSA with P-256 and SHA-256.
        Es256 = "ES256",
        /// A signature of RSASSA-PKCS1-v1_5 with SHA-256.
        Rs256 = "RS256",
    }
}

/// A public key. Its numbers are in base64url without padding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClientKey {
    /// A key for EdDSA with Ed25519: the public key of 32 bytes.
    Ed25519 {
        /// The 32 bytes of the public key.
        x: String,
    },
    /// A key for ES256: the coordinates of a point on P-256, of 32 bytes each.
    P256 {
        /// The first coordinate of the point on P-256.
        x: String,
        /// The second coordinate of the point on P-256.
        y: String,
    },
    /// An RSA key for signatures with RS256.
    Rsa {
        /// The modulus of 2048 to 4096 bits.
        n: String,
        /// The public exponent, usually 65537.
        e: String,
    },
}

impl ClientKey {
    /// Returns the algorithm with which the key verifies signatures.
    #[must_use]
    pub const fn algorithm(&self) -> KeyAlgorithm {
        match self {
            Self::Ed25519 { .. } => KeyAlgorithm::EdDsa,
            Self::P256 { .. } => KeyAlgorithm::Es256,
            Self::Rsa { .. } => KeyAlgorithm::Rs256,
        }
    }

    /// Returns the key as JSON with only the required members, in order and without blanks. The SHA-256 hash
    /// of this text is the thumbprint of the key (RFC 7638).
    ///
    /// ```
    /// use payroll_domain::client_key::ClientKey;
    /// let key = ClientKey::Ed25519 { x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo".to_owned() };
    /// let text = r#"{"crv":"Ed25519","kty":"OKP","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#;
    /// assert_eq!(key.to_canonical_text(), text);
    /// assert_eq!(ClientKey::from_canonical_text(text), Some(key));
    /// ```
    #[must_use]
    pub fn to_canonical_text(&self) -> String {
        match self {
            Self::Ed25519 { x } => format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}"#),
            Self::P256 { x, y } => format!(r#"{{"crv":"P-256","kty":"EC","x":"{x}","y":"{y}"}}"#),
            Self::Rsa { n, e } => format!(r#"{{"e":"{e}","kty":"RSA","n":"{n}"}}"#),
        }
    }

    /// Reads a key that [`ClientKey::to_canonical_text`] has written. Returns `None` if the text has another
    /// form.
    #[must_use]
    pub fn from_canonical_text(text: &str) -> Option<Self> {
        let node = input::parse(text.as_bytes()).ok()?;
        read_object(&node, read_jwk).ok().map(|sent| sent.key)
    }
}

/// A public key of an application, as an operator sends it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JwkDocument {
    /// The public key in the document.
    pub key: ClientKey,
    /// The id of the key, which must be its thumbprint. `None` if the document omits the id.
    pub kid: Option<String>,
}

/// Reads a JSON web key. A private key is rejected, and the fault does not repeat any part of it.
pub(crate) fn read_jwk(object: &mut ObjectReader<'_>) -> Option<JwkDocument> {
    if let Some(name) = PRIVATE_MEMBERS.into_iter().find(|name| object.has_member(name)) {
        PUBLIC_MEMBERS.into_iter().chain(PRIVATE_MEMBERS).for_each(|member| object.allow_member(member));
        let rule = "is part of a private key; send only the public key, and replace this key pair";
        object.report_fault(Reason::FieldInvalid, name, rule);
        return None;
    }
    let family = object.read_required("kty", read_named_value::<KeyType>);
    let (usage, kid) = (
        object.read_optional("use", exact_text_parser("sig")),
        object.read_optional("kid", text_reader(MAX_NUMBER_LENGTH)),
    );
    let algorithm = object.read_optional("alg", read_named_value::<KeyAlgorithm>);
    let key = match family? {
        KeyType::Okp => {
            let curve = object.read_required("crv", exact_text_parser("Ed25519"));
            let x = object.read_required("x", base64url_number_parser(COORDINATE_BYTES..=COORDINATE_BYTES));
            curve.and(x).map(|x| ClientKey::Ed25519 { x })
        }
        KeyType::Ec => {
            let curve = object.read_required("crv", exact_text_parser("P-256"));
            let x = object.read_required("x", base64url_number_parser(COORDINATE_BYTES..=COORDINATE_BYTES));
            let y = object.read_required("y", base64url_number_parser(COORDINATE_BYTES..=COORDINATE_BYTES));
            curve.and(x).zip(y).map(|(x, y)| ClientKey::P256 { x, y })
        }
        KeyType::Rsa => {
            let n = object.read_required("n", read_rsa_modulus);
            let e = object.read_required("e", read_rsa_exponent);
            n.zip(e).map(|(n, e)| ClientKey::Rsa { n, e })
        }
    };
    let (key, _) = (key?, usage?);
    let expected = key.algorithm();
    if algorithm?.is_some_and(|algorithm| algorithm != expected) {
        object.report_fault(
            Reason::FieldInvalid,
            "alg",
            &format!("must be {expected} for a key of this type"),
        );
        return None;
    }
    Some(JwkDocument { key, kid: kid? })
}

/// Returns a parser that accepts only the text `expected`.
fn exact_text_parser(expected: &'static str) -> impl Fn(&Node<'_>) -> ReadResult<()> {
    move |node| match input::values::read_text(node)? == expected {
        true => Ok(()),
        false => Err(Fault::invalid(format!("must be {expected}"))),
    }
}

/// Returns a parser for a base64url number whose decoded length is in the range `bytes`.
fn base64url_number_parser(
    bytes: std::ops::RangeInclusive<usize>,
) -> impl Fn(&Node<'_>) -> ReadResult<String> {
    move |node| {
        let sent = input::values::read_text(node)?;
        let (size, least, most) = (sent.len() * 6 / 8, bytes.start(), bytes.end());
        if bytes.contains(&size) && is_canonical_base64url(sent) {
            return Ok(sent.to_owned());
        }
        Err(Fault::invalid(match least == most {
            true => format!("must be {least} bytes in base64url without padding"),
            false => {
                format!("must be {least} to {most} bytes in base64url without padding")
            }
        }))
    }
}

/// Reads an RSA modulus: an odd number of 2048 to 4096 bits without leading zeros.
fn read_rsa_modulus(node: &Node<'_>) -> ReadResult<String> {
    let text = base64url_number_parser(MIN_MODULUS_BYTES..=MAX_MODULUS_BYTES)(node)?;
    let mut values = text.bytes().filter_map(decode_base64url_character);
    // The first byte consists of the first six bits and the two highest bits of the next six.
    let first_byte = values.next().unwrap_or(0) << 2 | values.next().unwrap_or(0) >> 4;
    let last_bits = values.next_back().unwrap_or(0) >> (text.len() * 6 % 8);
    let min_first_byte = if text.len() * 6 / 8 == MIN_MODULUS_BYTES { 0x80 } else { 1 };
    match first_byte >= min_first_byte && last_bits % 2 == 1 {
        true => Ok(text),
        false => Err(Fault::invalid("must be an odd number of 2048 to 4096 bits, without leading zeros")),
    }
}

/// Reads an RSA exponent, which must be odd and at least 3 (RFC 8017, section 3.1). With the exponent 1,
/// every padded message would be its own signature, so anyone could sign.
fn read_rsa_exponent(node: &Node<'_>) -> ReadResult<String> {
    let text = base64url_number_parser(1..=MAX_EXPONENT_BYTES)(node)?;
    let unused_bits = text.len() * 6 % 8;
    let bits = text
        .bytes()
        .filter_map(decode_base64url_character)
        .fold(0_u64, |bits, value| bits << 6 | u64::from(value));
    let value = bits >> unused_bits;
    match value >= MIN_EXPONENT && value % 2 == 1 {
        true => Ok(text),
        false => Err(Fault::invalid("must be an odd number of at least 3".to_owned())),
    }
}

/// Returns whether the text is the canonical base64url text of complete bytes: the unused bits of its last
/// character are 0. Equal keys therefore have equal texts.
fn is_canonical_base64url(text: &str) -> bool {
    let unused_bits = match text.len() % 4 {
        0 => 0,
        2 => 4,
        3 => 2,
        _ => return false,
    };
    let values: Option<Vec<u32>> = text.bytes().map(decode_base64url_character).collect();
    let last = values.as_ref().and_then(|values| values.last());
    last.is_some_and(|last| last % (1 << unused_bits) == 0)
}

/// Returns the six bits of a base64url character. `None` for any other character.
fn decode_base64url_character(character: u8) -> Option<u32> {
    let value = match character {
        b'A'..=b'Z' => character - b'A',
        b'a'..=b'z' => character - b'a' + 26,
        b'0'..=b'9' => character - b'0' + 52,
        b'-' => 62,
        b'_' => 63,
        _ => return None,
    };
    Some(value.into())
}
