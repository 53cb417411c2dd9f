//! Reads the expiry of a certificate. Clients verify the certificate, so this module verifies nothing.
//!
//! Certificates are encoded as DER (X.690), a tree of elements with tag, length and contents. RFC 5280 §4.1
//! defines the order of the members.

const SEQUENCE_TAG: u8 = 0x30;
const UTC_TIME_TAG: u8 = 0x17;
const GENERALIZED_TIME_TAG: u8 = 0x18;
/// The tag of the version field. Only certificates of version 1 omit the field.
const VERSION_TAG: u8 = 0xa0;

/// Returns the end of a certificate's validity, such as `2027-02-01T00:00:00Z`; `None` if the certificate
/// cannot be parsed.
pub(super) fn not_after(certificate: &[u8]) -> Option<String> {
    let (certificate, _) = content_with_tag(SEQUENCE_TAG, certificate)?;
    let (mut members, _) = content_with_tag(SEQUENCE_TAG, certificate)?;
    if members.first() == Some(&VERSION_TAG) {
        members = read_der_element(members)?.rest;
    }
    // The serial number, the signature algorithm and the issuer come before the validity, so three elements
    // are skipped.
    for _ in 0..3 {
        members = read_der_element(members)?.rest;
    }
    let (validity, _) = content_with_tag(SEQUENCE_TAG, members)?;
    let end = read_der_element(read_der_element(validity)?.rest)?;
    let text = std::str::from_utf8(end.contents).ok()?;
    match end.tag {
        // The year has two digits. A year below 50 is in this century (RFC 5280 §4.1.2.5.1).
        UTC_TIME_TAG => to_iso_8601(&format!("{}{text}", if text < "5" { "20" } else { "19" })),
        GENERALIZED_TIME_TAG => to_iso_8601(text),
        _ => None,
    }
}

struct DerElement<'a> {
    tag: u8,
    contents: &'a [u8],
    rest: &'a [u8],
}

/// Splits off the first element and the bytes after it; `None` if the bytes are malformed.
fn read_der_element(bytes: &[u8]) -> Option<DerElement<'_>> {
    let (tag, rest) = bytes.split_first()?;
    let (length, rest) = rest.split_first()?;
    let (length, rest) = match *length {
        short @ 0..=0x7f => (usize::from(short), rest),
        // The low bits of the first byte contain the number of bytes of the length. A length of three bytes
        // allows 16 MiB, which exceeds every certificate.
        long @ 0x81..=0x83 => {
            let (digits, rest) = rest.split_at_checked(usize::from(long & 0x7f))?;
            (digits.iter().fold(0, |length, digit| length << 8 | usize::from(*digit)), rest)
        }
        _ => return None,
    };
    let (contents, rest) = rest.split_at_checked(length)?;
    Some(DerElement { tag: *tag, contents, rest })
}

/// Returns the contents of an element with this tag, and the bytes after it; `None` for another tag.
fn content_with_tag(tag: u8, bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    read_der_element(bytes)
        .filter(|element| element.tag == tag)
        .map(|element| (element.contents, element.rest))
}

/// Converts a time such as `20270201000000Z` to ISO 8601.
fn to_iso_8601(text: &str) -> Option<String> {
    let digits = text.strip_suffix('Z').filter(|digits| digits.len() == 14)?;
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let part = |from: usize, to: usize| digits.get(from..to);
    let (year, month, day) = (part(0, 4)?, part(4, 6)?, part(6, 8)?);
    let (hour, minute, second) = (part(8, 10)?, part(10, 12)?, part(12, 14)?);
    Some(format!("{year}-{month}-{day}T{hour}:{minute}:{second}Z"))
}
