//! Validates the addresses to which the server sends (specification §9.1).
//!
//! A host name is resolved at registration and at each connection. [`is_public`] then validates the resolved
//! IP addresses.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt;

use url::{Host, Url};

use super::public::is_public;
use super::tunnels::{is_domain_or_subdomain, is_tunnelling_service};
use crate::named::named_enum;
use crate::steps;

/// The maximum length of an address in characters. Some browsers and proxies do not support longer addresses.
pub const MAX_ADDRESS_LENGTH: usize = 2_048;

/// The maximum length of a label in a host name (RFC 1035, section 2.3.4).
const MAX_LABEL_LENGTH: usize = 63;
/// The maximum length of a host name in dotted form (RFC 1035, section 2.3.4).
const MAX_NAME_LENGTH: usize = 253;

/// Names that do not exist on the public internet, including all their subdomains. The list contains
/// special-use names (RFC 6761, 6762, 7686, 8375, 9476), ICANN's name for private use, and common private
/// names (RFC 6762, appendix G).
const PRIVATE_HOST_NAMES: &[&str] = &[
    "localhost",
    "localdomain",
    "local",
    "internal",
    "intranet",
    "private",
    "corp",
    "home",
    "lan",
    "home.arpa",
    "onion",
    "alt",
];

named_enum! {
    /// The rules for an address, in the order in which they are checked. Rules about the text come before
    /// rules about the parsed URL.
    AddressRule {
        /// The address has at most [`MAX_ADDRESS_LENGTH`] characters, before and after its conversion to
        /// ASCII.
        Length = "length",
        /// The address has no white space, control characters, invisible characters or backslashes. URL
        /// parsers remove or replace these, so the address would differ from the one that was sent.
        Characters = "characters",
        /// The address starts with `https://`, or with `http://` if the operator allows it.
        Scheme = "scheme",
        /// The address has no user, no password and no `@` before the host.
        UserInfo = "user info",
        /// The address has no port. The default port is not allowed either.
        Port = "port",
        /// The address has no fragment and no `#`.
        Fragment = "fragment",
        /// The address is a complete URL with a host.
        Url = "url",
        /// The host does not belong to a free tunnelling service.
        Tunnel = "tunnelling service",
        /// The host has a name that can be resolved.
        Name = "resolvable name",
        /// All IP addresses of the host are public.
        Public = "public address",
    }
}

impl AddressRule {
    /// Returns the description of the rule for an error text. The text is the rest of a sentence that begins
    /// with the name of the invalid member.
    ///
    /// ```
    /// use payroll_domain::hook::address::AddressRule;
    /// assert_eq!(format!("uri {}", AddressRule::Scheme.reason()), "uri must begin with https://");
    /// ```
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Length => "must have at most 2048 characters, percent-encoded",
            Self::Characters => {
                "must have no white space, control characters, invisible characters or backslashes"
            }
            Self::Scheme => "must begin with https://",
            Self::UserInfo => "must have no user name and no password",
            Self::Port => "must have no port",
            Self::Fragment => "must have no fragment and no #",
            Self::Url => "must be a complete URL with a valid host",
            Self::Tunnel => "must not be an address of a free tunnelling service",
            Self::Name => "must have a host name that DNS can resolve",
            Self::Public => "must have a host whose IP addresses are all public",
        }
    }
}

/// The exceptions to the rules that the operator has configured.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AddressRules {
    /// Whether http:// is accepted in addition to https://.
    pub allow_http: bool,
    /// Host names in lower case that the operator has mapped to IP addresses. The names and their addresses
    /// do not have to be public.
    pub mapped_hosts: BTreeSet<String>,
}

impl AddressRules {
    /// Returns the description of a rule for an error text. The text considers the operator's exceptions,
    /// such as allowed `http://` addresses.
    #[must_use]
    pub const fn reason(&self, rule: AddressRule) -> &'static str {
        match rule {
            AddressRule::Scheme if self.allow_http => "must begin with https:// or http://",
            rule => rule.reason(),
        }
    }
}

/// A valid address. `Debug` omits the query, which may contain a secret.
#[derive(Clone, PartialEq, Eq)]
pub struct Address(Url);

/// Whether an address may contain a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PortRule {
    Refused,
    Taken,
}

impl Address {
    /// Validates the address of a receiver and normalizes it (RFC 3986, section 6.2). Scheme and host become
    /// lower case, the host becomes ASCII without a trailing dot, and the path is at least `/`.
    ///
    /// # Errors
    /// Returns the first rule that the address breaks, in the order of [`AddressRule::ALL`].
    ///
    /// ```
    /// use payroll_domain::hook::Address;
    /// use payroll_domain::hook::address::{AddressRule, AddressRules};
    /// let taken = |text| Address::parse_receiver(text, &AddressRules::default());
    /// assert_eq!(taken("https://Hooks.Example.com")?.as_str(), "https://hooks.example.com/");
    /// assert_eq!(taken("https://hooks.example.com:443/"), Err(AddressRule::Port));
    /// assert_eq!(taken("https://0x7f.1/"), Err(AddressRule::Public));
    /// # Ok::<(), AddressRule>(())
    /// ```
    pub fn parse_receiver(text: &str, rules: &AddressRules) -> Result<Self, AddressRule> {
        parse_address(text, rules, PortRule::Refused)
    }

    /// Validates and normalizes the address of a token endpoint, which may contain a port.
    ///
    /// # Errors
    /// Returns the first rule that the address breaks, in the order of [`AddressRule::ALL`].
    ///
    /// ```
    /// use payroll_domain::hook::Address;
    /// use payroll_domain::hook::address::{AddressRule, AddressRules};
    /// let taken = |text| Address::parse_token_url(text, &AddressRules::default());
    /// assert_eq!(taken("https://login.example.com:8443/token")?.port(), 8443);
    /// assert_eq!(taken("https://id:secret@login.example.com/"), Err(AddressRule::UserInfo));
    /// # Ok::<(), AddressRule>(())
    /// ```
    pub fn parse_token_url(text: &str, rules: &AddressRules) -> Result<Self, AddressRule> {
        parse_address(text, rules, PortRule::Taken)
    }

    /// Parses a stored address without validating it again, because the operator's exceptions may have
    /// changed since the address was stored. Returns `None` if the text is not a URL with a host.
    #[must_use]
    pub fn from_stored(text: &str) -> Option<Self> {
        Url::parse(text).ok().filter(Url::has_host).map(Self)
    }

    /// Returns the complete address, which is used for a connection.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Returns the host: a name in lower case and ASCII, or an IP address in its normal form. An IPv6 address
    /// has brackets.
    #[must_use]
    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }

    /// Returns the port for a connection: the port in the address, or else the default port of the scheme. If
    /// the operator has mapped the host, the mapping determines the port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.0.port_or_known_default().unwrap_or_default()
    }

    /// Returns the address as a parsed URL.
    #[must_use]
    pub const fn url(&self) -> &Url {
        &self.0
    }

    /// Returns the address without its query, which may contain a secret. Use this form for logs.
    ///
    /// ```
    /// use payroll_domain::hook::Address;
    /// let address = Address::from_stored("https://hooks.example.com/in?key=secret").unwrap();
    /// assert_eq!(address.without_query(), "https://hooks.example.com/in");
    /// ```
    #[must_use]
    pub fn without_query(&self) -> String {
        let mut url = self.0.clone();
        url.set_query(None);
        url.into()
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.without_query())
    }
}

fn parse_address(text: &str, rules: &AddressRules, ports: PortRule) -> Result<Address, AddressRule> {
    check_address_text(text, rules, ports)?;
    let url = parse_normalized(text).ok_or(AddressRule::Url)?;
    // The conversion to ASCII makes an address longer, so the length is checked again.
    if url.as_str().len() > MAX_ADDRESS_LENGTH {
        return Err(AddressRule::Length);
    }
    check_host(&url, rules)?;
    Ok(Address(url))
}

/// Checks the text itself, because the parser silently removes a default port, an empty user and tabs.
fn check_address_text(text: &str, rules: &AddressRules, ports: PortRule) -> Result<(), AddressRule> {
    steps::record_steps(text.len());
    if text.chars().count() > MAX_ADDRESS_LENGTH {
        return Err(AddressRule::Length);
    }
    // The text is short at this point, so the following scans are fast.
    if text.contains(is_altered_by_parsers) {
        return Err(AddressRule::Characters);
    }
    let authority = find_authority(text, rules).ok_or(AddressRule::Scheme)?;
    if authority.contains('@') {
        return Err(AddressRule::UserInfo);
    }
    if ports == PortRule::Refused && has_port(authority) {
        return Err(AddressRule::Port);
    }
    if text.contains('#') {
        return Err(AddressRule::Fragment);
    }
    if authority.is_empty() { Err(AddressRule::Url) } else { Ok(()) }
}

/// Returns whether parsers of URLs or host names remove, replace or hide the character.
fn is_altered_by_parsers(character: char) -> bool {
    let invisible = matches!(
        character,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffd}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    );
    character == '\\' || character.is_whitespace() || character.is_control() || invisible
}

/// Returns the text between the scheme and the path. `None` if the scheme is not allowed.
fn find_authority<'t>(text: &'t str, rules: &AddressRules) -> Option<&'t str> {
    let (scheme, rest) = text.split_once("://")?;
    let is_allowed =
        scheme.eq_ignore_ascii_case("https") || (rules.allow_http && scheme.eq_ignore_ascii_case("http"));
    if is_allowed { rest.split(['/', '?', '#']).next() } else { None }
}

/// Returns whether the host is followed by a port, or by a colon without a port.
fn has_port(authority: &str) -> bool {
    // In an IPv6 address, the colons within the brackets do not start a port.
    let after_host = match authority.strip_prefix('[') {
        Some(address) => address.rsplit_once(']').map_or("", |(_, after)| after),
        None => authority,
    };
    after_host.contains(':')
}

/// Parses the address and removes the trailing dot of the host. Returns `None` if the text is not a URL with
/// a host.
fn parse_normalized(text: &str) -> Option<Url> {
    let mut url = Url::parse(text).ok()?;
    if let Some(relative) = url.host_str()?.strip_suffix('.').map(str::to_owned) {
        url.set_host(Some(&relative)).ok()?;
    }
    Some(url)
}

fn check_host(url: &Url, rules: &AddressRules) -> Result<(), AddressRule> {
    let public = match url.host().ok_or(AddressRule::Url)? {
        // The parser also accepts IPv4 addresses in octal, hexadecimal and short notations, such as `0x7f.1`.
        Host::Ipv4(address) => is_public(address.into()),
        Host::Ipv6(address) => is_public(address.into()),
        Host::Domain(name) if is_tunnelling_service(name) => return Err(AddressRule::Tunnel),
        Host::Domain(name) if !is_resolvable_name(name) => return Err(AddressRule::Name),
        Host::Domain(name) => {
            name.contains('.') && !PRIVATE_HOST_NAMES.iter().any(|top| is_domain_or_subdomain(name, top))
        }
    };
    let host = url.host_str().unwrap_or_default();
    if public || rules.mapped_hosts.contains(host) { Ok(()) } else { Err(AddressRule::Public) }
}

/// Returns whether a resolver accepts the form of a name: labels of letters, digits, `-` and `_`.
fn is_resolvable_name(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    let label =
        |label: &str| !label.is_empty() && label.len() <= MAX_LABEL_LENGTH && label.bytes().all(allowed);
    name.len() <= MAX_NAME_LENGTH && name.split('.').all(label)
}
