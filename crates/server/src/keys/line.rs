//! Parses one line of a key file.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use payroll_ports::keys::{KEY_LENGTH, Key};

/// The prefix that marks a revoked key.
pub(crate) const REVOKED_PREFIX: char = '!';

/// Parses `id:base64`, as [`new_key_line`](super::new_key_line) writes it. With the prefix
/// [`REVOKED_PREFIX`], the key is revoked. `None` if the line is invalid.
pub(crate) fn parse(line: &str) -> Option<Key> {
    let (revoked, line) = line.strip_prefix(REVOKED_PREFIX).map_or((false, line), |line| (true, line));
    let (id, secret) = line.split_once(':')?;
    let secret: [u8; KEY_LENGTH] = STANDARD.decode(secret).ok()?.try_into().ok()?;
    let key = Key::new(id, secret)?;
    Some(if revoked { key.revoke() } else { key })
}

/// Returns the id of the key in a line of a key file. `None` if the line has no key.
pub(crate) fn parse_key_id(line: &str) -> Option<&str> {
    let line = line.trim();
    let line = line.strip_prefix(REVOKED_PREFIX).unwrap_or(line);
    line.split_once(':').map(|(id, _)| id).filter(|_| !line.starts_with('#'))
}
