//! A range of IP addresses, as in the setting for trusted proxies.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// All addresses with the same prefix, such as `10.0.0.0/8`, or a single address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    first: IpAddr,
    /// The number of bits of the prefix.
    prefix: u32,
}

/// The error for a text that is not a range: the address is malformed, the prefix is too long, or bits after
/// the prefix are set, as in `10.0.0.1/8`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidNetwork;

impl Network {
    /// Whether the range contains the address.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.first, address) {
            (IpAddr::V4(_), IpAddr::V4(_)) | (IpAddr::V6(_), IpAddr::V6(_)) => {
                (address_bits(self.first) ^ address_bits(address)) & prefix_mask(self.first, self.prefix) == 0
            }
            (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
        }
    }
}

impl FromStr for Network {
    type Err = InvalidNetwork;

    fn from_str(text: &str) -> Result<Self, InvalidNetwork> {
        let (address, prefix) = text.split_once('/').map_or((text, None), |(it, prefix)| (it, Some(prefix)));
        let first: IpAddr = address.parse().map_err(|_| InvalidNetwork)?;
        let longest = address_length(first);
        let prefix = prefix.map_or(Ok(longest), |prefix| prefix.parse().map_err(|_| InvalidNetwork))?;
        let fits = prefix <= longest && address_bits(first) & !prefix_mask(first, prefix) == 0;
        if fits { Ok(Self { first, prefix }) } else { Err(InvalidNetwork) }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.prefix == address_length(self.first) {
            true => write!(f, "{}", self.first),
            false => write!(f, "{}/{}", self.first, self.prefix),
        }
    }
}

const fn address_length(address: IpAddr) -> u32 {
    match address {
        IpAddr::V4(_) => 32,
        IpAddr::V6(_) => 128,
    }
}

/// Returns the bits of an address, right-aligned in a number.
fn address_bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => u128::from(address.to_bits()),
        IpAddr::V6(address) => address.to_bits(),
    }
}

/// Returns a mask that selects the bits of the prefix. In the mask, all bits above the length of the
/// address are set too.
fn prefix_mask(address: IpAddr, prefix: u32) -> u128 {
    u128::MAX.checked_shl(address_length(address).saturating_sub(prefix)).unwrap_or_default()
}
