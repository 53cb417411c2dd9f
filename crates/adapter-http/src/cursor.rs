//! The cursor of the feed as it stands on the wire: opaque, short, and of no meaning to anybody
//! else (specification §9.4).
//!
//! Nobody shall count on its form, so it says which one it has, and a few bytes of a hash tell a
//! cursor from a text that somebody made up or cut off.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

/// The first letter: the form that is described here.
const FORM: char = 'e';
/// Bytes of the position.
const POSITION_BYTES: usize = 8;
/// Bytes of the hash. A slip is found, and nothing has to be kept secret.
const CHECK_BYTES: usize = 4;

/// The cursor of a position.
pub(crate) fn write(position: i64) -> String {
    let mut bytes = position.to_be_bytes().to_vec();
    bytes.extend_from_slice(&check(position));
    format!("{FORM}{}", URL_SAFE_NO_PAD.encode(bytes))
}

/// The position of a cursor; `None` when it is none of ours.
pub(crate) fn read(text: &str) -> Option<i64> {
    let bytes = URL_SAFE_NO_PAD.decode(text.strip_prefix(FORM)?).ok()?;
    let (position, found) = bytes.split_first_chunk::<POSITION_BYTES>()?;
    let position = i64::from_be_bytes(*position);
    (found == check(position)).then_some(position)
}

fn check(position: i64) -> [u8; CHECK_BYTES] {
    let hash: [u8; 32] =
        Sha256::new().chain_update(b"event").chain_update(position.to_be_bytes()).finalize().into();
    let [first, second, third, fourth, ..] = hash;
    [first, second, third, fourth]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_comes_back_as_its_position() {
        for position in [0, 1, 42, i64::MAX, i64::MIN] {
            let cursor = write(position);
            assert_eq!(read(&cursor), Some(position));
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
            assert!(cursor.len() == 17 && cursor.chars().all(plain), "it needs no escaping: {cursor}");
        }
    }

    #[test]
    fn what_is_cut_off_changed_or_made_up_is_none() {
        let cursor = write(7);
        let swapped = cursor.replace('e', "f");
        for bad in
            ["", "e", "7", "e7", &cursor[1..], &cursor[..16], &swapped, &format!("{cursor}A"), "e====", "é"]
        {
            assert_eq!(read(bad), None, "{bad}");
        }
        let (first, last) = cursor.split_at(16);
        let other = if last == "A" { "B" } else { "A" };
        assert_eq!(read(&format!("{first}{other}")), None, "the hash does not fit");
    }
}
