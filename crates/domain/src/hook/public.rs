//! Determines whether a notification may be sent to an IP address. Only public addresses are allowed.
//!
//! The tables contain multicast addresses, and the blocks of IANA's special-purpose address registries that
//! are not globally reachable (RFC 6890 and its successors). An IPv6 address that contains an IPv4 address
//! (mapped, compatible, translated, 6to4, Teredo) is always rejected. Legitimate host names do not have such
//! addresses, and attackers use such addresses to bypass validation.
//!
//! Some addresses look public, but at a cloud provider they belong to internal services. These services give
//! credentials and other data to the provider's machines. Most of these services use an address in a block
//! that the tables above already contain. Examples are 169.254.169.254 nearly everywhere, 169.254.170.2,
//! fd00:ec2::254 and fd00:ec2::23 at Amazon, fd20:ce::254 at Google, 100.100.100.200 at Alibaba, and
//! 192.0.0.192 at Oracle. The other services are listed in `CLOUD_SERVICES_V4`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// IPv4 blocks that are not globally reachable, each with its network and prefix length.
const NON_PUBLIC_V4: &[(Ipv4Addr, u32)] = &[
    (Ipv4Addr::new(0, 0, 0, 0), 8),       // this network
    (Ipv4Addr::new(10, 0, 0, 0), 8),      // private use
    (Ipv4Addr::new(100, 64, 0, 0), 10),   // shared address space
    (Ipv4Addr::new(127, 0, 0, 0), 8),     // loopback
    (Ipv4Addr::new(169, 254, 0, 0), 16),  // link local, cloud metadata
    (Ipv4Addr::new(172, 16, 0, 0), 12),   // private use
    (Ipv4Addr::new(192, 0, 0, 0), 24),    // protocol assignments
    (Ipv4Addr::new(192, 0, 2, 0), 24),    // documentation
    (Ipv4Addr::new(192, 88, 99, 0), 24),  // 6to4 relays, deprecated
    (Ipv4Addr::new(192, 168, 0, 0), 16),  // private use
    (Ipv4Addr::new(198, 18, 0, 0), 15),   // benchmarking
    (Ipv4Addr::new(198, 51, 100, 0), 24), // documentation
    (Ipv4Addr::new(203, 0, 113, 0), 24),  // documentation
    (Ipv4Addr::new(224, 0, 0, 0), 4),     // multicast
    (Ipv4Addr::new(240, 0, 0, 0), 4),     // reserved, broadcast
];

/// IPv4 blocks that look public but provide internal services to the machines of a cloud.
const CLOUD_SERVICES_V4: &[(Ipv4Addr, u32)] = &[
    (Ipv4Addr::new(168, 63, 129, 16), 32), // Azure: the agent of the host, DNS, health probes
    (Ipv4Addr::new(161, 26, 0, 0), 16),    // IBM Cloud: services of the infrastructure
    (Ipv4Addr::new(166, 8, 0, 0), 14),     // IBM Cloud: private endpoints of services
];

/// The only IPv6 block with globally reachable unicast addresses.
const GLOBAL_UNICAST_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// IPv6 blocks within [`GLOBAL_UNICAST_V6`] whose addresses contain an IPv4 address or are not globally
/// reachable.
const NON_PUBLIC_V6: &[(Ipv6Addr, u32)] = &[
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23), // protocol assignments, Teredo, benchmarking
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32), // documentation
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16), // 6to4
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20), // documentation
];

/// Returns whether an IP address is public. The server sends notifications only to public addresses.
///
/// ```
/// use payroll_domain::hook::public::is_public;
/// assert!(is_public("9.9.9.9".parse()?));
/// assert!(!is_public("169.254.169.254".parse()?));
/// # Ok::<(), std::net::AddrParseError>(())
/// ```
#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            !NON_PUBLIC_V4.iter().chain(CLOUD_SERVICES_V4).any(|block| contains_v4(*block, address))
        }
        IpAddr::V6(address) => {
            contains_v6(GLOBAL_UNICAST_V6, address)
                && !NON_PUBLIC_V6.iter().any(|block| contains_v6(*block, address))
        }
    }
}

fn contains_v4((network, length): (Ipv4Addr, u32), address: Ipv4Addr) -> bool {
    (network.to_bits() ^ address.to_bits()) >> (u32::BITS - length) == 0
}

fn contains_v6((network, length): (Ipv6Addr, u32), address: Ipv6Addr) -> bool {
    (network.to_bits() ^ address.to_bits()) >> (u128::BITS - length) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_public_addresses() {
        for text in ["1.1.1.1", "9.9.9.9", "100.63.255.255", "172.32.0.1", "2606:4700::1111", "2a00::1"] {
            assert!(is_public(text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn rejects_every_special_block_from_its_first_to_its_last_address() {
        for (network, length) in NON_PUBLIC_V4.iter().chain(CLOUD_SERVICES_V4) {
            let last = Ipv4Addr::from_bits(network.to_bits() | u32::MAX.checked_shr(*length).unwrap_or(0));
            assert!(!is_public((*network).into()) && !is_public(last.into()), "{network}/{length}");
        }
    }

    #[test]
    fn rejects_the_metadata_addresses_of_clouds() {
        let metadata = [
            "169.254.169.254",
            "169.254.169.253",
            "169.254.170.2",
            "169.254.0.23",
            "168.63.129.16",
            "161.26.0.10",
            "166.8.0.1",
            "100.100.100.200",
            "192.0.0.192",
            "fd00:ec2::254",
            "fd00:ec2::23",
            "fd00:ec2::253",
            "fd20:ce::254",
            "fe80::a9fe:a9fe",
        ];
        for text in metadata {
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
        assert!(is_public("168.63.129.17".parse().unwrap()), "the next address is a public one");
    }

    #[test]
    fn rejects_addresses_that_contain_an_ipv4_address() {
        let hidden = [
            "::1",
            "::",
            "::127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:9.9.9.9",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2001:0:1::1",
            "2001:db8::1",
            "fc00::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "100::1",
        ];
        for text in hidden {
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
    }
}
