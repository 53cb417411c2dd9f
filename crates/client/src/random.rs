//! Random numbers and ids from the operating system.

use crate::error::Error;

/// Returns 64 random bits.
///
/// # Errors
/// [`Error::Invalid`] if the system has no randomness.
pub(crate) fn random_bits() -> Result<u64, Error> {
    #[expect(clippy::disallowed_methods, reason = "the client is a program of its own, without ports")]
    let bits = getrandom::u64();
    bits.map_err(|error| Error::Invalid(format!("the system has no randomness: {error}")))
}

/// Returns a random id of 32 hexadecimal digits.
///
/// # Errors
/// [`Error::Invalid`] if the system has no randomness.
pub(crate) fn random_id() -> Result<String, Error> {
    Ok(format!("{:016x}{:016x}", random_bits()?, random_bits()?))
}
