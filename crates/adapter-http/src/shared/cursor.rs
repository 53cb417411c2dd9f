//! Opaque, short cursors for clients (specification §9.4, §9.6).
//!
//! Clients must not interpret a cursor. The first letter of a cursor identifies the collection. Four bytes of
//! a hash detect invented and truncated cursors.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use payroll_domain::steps;
use sha2::{Digest, Sha256};

/// The collection in which a cursor marks a position.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CursorKind {
    /// The feed of events.
    Event,
    /// The log of deliveries.
    Delivery,
    /// The log of requests.
    Request,
}

/// The number of bytes of the encoded position.
const POSITION_BYTES: usize = 8;
/// The number of bytes of the hash. The hash only detects mistakes and has no security purpose, so it needs
/// no secret.
const CHECKSUM_BYTES: usize = 4;

impl CursorKind {
    /// Encodes a position as a cursor.
    pub(crate) fn encode(self, position: i64) -> String {
        let mut bytes = position.to_be_bytes().to_vec();
        bytes.extend_from_slice(&self.checksum(position));
        format!("{}{}", self.kind_prefix(), URL_SAFE_NO_PAD.encode(bytes))
    }

    /// Decodes a cursor to its position; `None` if it is invalid or belongs to another collection.
    pub(crate) fn decode(self, text: &str) -> Option<i64> {
        steps::record_steps(text.len());
        let bytes = URL_SAFE_NO_PAD.decode(text.strip_prefix(self.kind_prefix())?).ok()?;
        let (position, found) = bytes.split_first_chunk::<POSITION_BYTES>()?;
        let position = i64::from_be_bytes(*position);
        (found == self.checksum(position)).then_some(position)
    }

    /// Returns the first letter of the cursor, which identifies the collection and the format.
    const fn kind_prefix(self) -> char {
        match self {
            Self::Event => 'e',
            Self::Delivery => 'd',
            Self::Request => 'r',
        }
    }

    const fn name(self) -> &'static [u8] {
        match self {
            Self::Event => b"event",
            Self::Delivery => b"delivery",
            Self::Request => b"request",
        }
    }

    fn checksum(self, position: i64) -> [u8; CHECKSUM_BYTES] {
        let hash: [u8; 32] =
            Sha256::new().chain_update(self.name()).chain_update(position.to_be_bytes()).finalize().into();
        let [first, second, third, fourth, ..] = hash;
        [first, second, third, fourth]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decoded_cursor_equals_its_position() {
        for position in [0, 1, 42, i64::MAX, i64::MIN] {
            let cursor = CursorKind::Event.encode(position);
            assert_eq!(CursorKind::Event.decode(&cursor), Some(position));
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
            assert!(cursor.len() == 17 && cursor.chars().all(plain), "it needs no escaping: {cursor}");
        }
    }

    #[test]
    fn a_cursor_of_one_list_is_invalid_for_another() {
        assert_eq!(CursorKind::Delivery.decode(&CursorKind::Delivery.encode(7)), Some(7));
        assert_eq!(CursorKind::Delivery.decode(&CursorKind::Event.encode(7)), None);
        assert_eq!(CursorKind::Delivery.decode(&CursorKind::Event.encode(7).replace('e', "d")), None);
    }

    #[test]
    fn truncated_changed_and_invented_cursors_are_invalid() {
        let cursor = CursorKind::Event.encode(7);
        let swapped = cursor.replace('e', "f");
        for bad in
            ["", "e", "7", "e7", &cursor[1..], &cursor[..16], &swapped, &format!("{cursor}A"), "e====", "é"]
        {
            assert_eq!(CursorKind::Event.decode(bad), None, "{bad}");
        }
        let (first, last) = cursor.split_at(16);
        let other = if last == "A" { "B" } else { "A" };
        assert_eq!(CursorKind::Event.decode(&format!("{first}{other}")), None, "the hash does not fit");
    }
}
