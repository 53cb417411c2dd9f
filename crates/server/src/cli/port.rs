//! Ports on the command line.

/// Reads the number of a port.
pub(super) fn parse_port(text: &str) -> Result<u16, String> {
    text.parse().map_err(|_| "a port is a number from 0 to 65535".to_owned())
}
