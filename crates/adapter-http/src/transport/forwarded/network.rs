//! A range of addresses, as settings name those of proxies.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// All addresses that begin with the same bits: `10.0.0.0/8`, or one address alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    first: IpAddr,
    /// Bits that are the same.
    prefix: u32,
}

/// The text is no range: it is no address, its prefix is too long, or bits after the prefix are set, which is
/// more often a slip than meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoNetwork;

impl Network {
    /// Whether the address is one of them.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.first, address) {
            (IpAddr::V4(_), IpAddr::V4(_)) | (IpAddr::V6(_), IpAddr::V6(_)) => {
                (bits(self.first) ^ bits(address)) & mask(self.first, self.prefix) == 0
            }
            (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
        }
    }
}

impl FromStr for Network {
    type Err = NoNetwork;

    fn from_str(text: &str) -> Result<Self, NoNetwork> {
        let (address, prefix) = text.split_once('/').map_or((text, None), |(it, prefix)| (it, Some(prefix)));
        let first: IpAddr = address.parse().map_err(|_| NoNetwork)?;
        let longest = length(first);
        let prefix = prefix.map_or(Ok(longest), |prefix| prefix.parse().map_err(|_| NoNetwork))?;
        let fits = prefix <= longest && bits(first) & !mask(first, prefix) == 0;
        if fits { Ok(Self { first, prefix }) } else { Err(NoNetwork) }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.prefix == length(self.first) {
            true => write!(f, "{}", self.first),
            false => write!(f, "{}/{}", self.first, self.prefix),
        }
    }
}

const fn length(address: IpAddr) -> u32 {
    match address {
        IpAddr::V4(_) => 32,
        IpAddr::V6(_) => 128,
    }
}

/// An address as a number whose last bit is the last of the address.
fn bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => u128::from(address.to_bits()),
        IpAddr::V6(address) => address.to_bits(),
    }
}

/// The bits of the prefix, and every bit that the address does not have.
fn mask(address: IpAddr, prefix: u32) -> u128 {
    u128::MAX.checked_shl(length(address).saturating_sub(prefix)).unwrap_or_default()
}
