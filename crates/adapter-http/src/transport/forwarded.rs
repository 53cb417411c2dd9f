//! Reads the headers of proxies: the client, the scheme, and the host of a request.
//!
//! Only the proxies in the settings are trusted. Proxies use `Forwarded` (RFC 7239), or `X-Forwarded-For`,
//! `-Proto` and `-Host`. Each proxy appends an entry. The list is therefore read from its end, as long as a
//! trusted proxy wrote the entry. Malformed headers and entries are ignored and never cause an error.
//!
//! A proxy that supports only one of the two kinds of headers passes on the other kind from the client. If a
//! request has both kinds, a client may have written one of them, so both are ignored.

mod network;
#[cfg(test)]
mod tests;

use std::net::{IpAddr, SocketAddr};

use actix_web::http::header::{
    FORWARDED, HeaderMap, HeaderName, X_FORWARDED_FOR, X_FORWARDED_HOST, X_FORWARDED_PROTO,
};

pub use network::{InvalidNetwork, Network};

use payroll_domain::steps;

use crate::transport::origin::Scheme;

/// The origin of a request: the client, the scheme and the host, as far as they are known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RequestOrigins {
    /// The address of the client: the last address that does not belong to a trusted proxy.
    pub(crate) peer: Option<IpAddr>,
    /// The scheme that the client used, if a proxy reports it.
    pub(crate) scheme: Option<Scheme>,
    pub(crate) host: Option<String>,
}

/// The entry that one proxy added to a header. The entry describes the sender of the request to this proxy:
/// the client or another proxy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct ForwardedHop {
    /// The client's address; `None` if the proxy hides or omits the address.
    client: Option<IpAddr>,
    scheme: Option<Scheme>,
    host: Option<String>,
}

/// Reads the entries of the proxies for a request that came from `peer`.
pub(crate) fn read(headers: &HeaderMap, peer: Option<SocketAddr>, trusted: &[Network]) -> RequestOrigins {
    let peer = peer.map(|peer| peer.ip().to_canonical());
    let nothing = RequestOrigins { peer, ..RequestOrigins::default() };
    let ours = |address: &IpAddr| trusted.iter().any(|network| network.contains(*address));
    if !peer.as_ref().is_some_and(ours) {
        return nothing;
    }
    let others = [X_FORWARDED_FOR, X_FORWARDED_PROTO, X_FORWARDED_HOST];
    let hops = match (headers.contains_key(FORWARDED), others.iter().any(|name| headers.contains_key(name))) {
        (true, false) => forwarded_hops(headers).unwrap_or_default(),
        (false, true) => x_forwarded_hops(headers),
        (false, false) | (true, true) => return nothing,
    };
    let mut origins = nothing;
    for hop in hops.into_iter().rev() {
        origins.scheme = hop.scheme.or(origins.scheme);
        origins.host = hop.host.or(origins.host);
        let Some(client) = hop.client else { break };
        origins.peer = Some(client);
        if !ours(&client) {
            break;
        }
    }
    origins
}

/// Returns the entries of the header `Forwarded`, one for each proxy; `None` if any part of the header is
/// malformed.
fn forwarded_hops(headers: &HeaderMap) -> Option<Vec<ForwardedHop>> {
    let mut hops = Vec::new();
    for line in headers.get_all(FORWARDED) {
        for element in split_unquoted(line.to_str().ok()?, ',')? {
            hops.push(parse_hop(element)?);
        }
    }
    Some(hops)
}

/// Reads one element of the header `Forwarded`.
fn parse_hop(element: &str) -> Option<ForwardedHop> {
    let mut hop = ForwardedHop::default();
    for pair in split_unquoted(element, ';')?.into_iter().filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=')?;
        let value = unquote(value.trim())?;
        match name.trim().to_ascii_lowercase().as_str() {
            "for" => hop.client = parse_node_address(&value),
            "proto" => hop.scheme = parse_scheme(&value),
            "host" => hop.host = parse_host(&value),
            _ => {}
        }
    }
    Some(hop)
}

/// Returns the entries of the `X-Forwarded-` headers, one for each proxy. `Proto` and `Host` have either one
/// value for each proxy or a single value, which belongs to the last proxy. If a header is not visible ASCII,
/// the list is empty.
fn x_forwarded_hops(headers: &HeaderMap) -> Vec<ForwardedHop> {
    let (Some(clients), Some(schemes), Some(hosts)) = (
        header_elements(headers, &X_FORWARDED_FOR),
        header_elements(headers, &X_FORWARDED_PROTO),
        header_elements(headers, &X_FORWARDED_HOST),
    ) else {
        return Vec::new();
    };
    let count = clients.len().max(1);
    let at = |values: &[&str], index: usize| match values {
        [one] if index + 1 == count => Some((*one).to_owned()),
        several if several.len() == count => several.get(index).map(|value| (*value).to_owned()),
        _ => None,
    };
    let hop = |index| ForwardedHop {
        client: clients.get(index).copied().and_then(parse_node_address),
        scheme: at(&schemes, index).and_then(|text| parse_scheme(&text)),
        host: at(&hosts, index).and_then(|text| parse_host(&text)),
    };
    (0..count).map(hop).collect()
}

/// Returns the values of a list from all lines of a header; `None` if a line is not visible ASCII. The list
/// is empty if the header is missing.
fn header_elements<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<Vec<&'a str>> {
    let mut values = Vec::new();
    for line in headers.get_all(name) {
        let line = line.to_str().ok()?;
        steps::record_steps(line.len());
        values.extend(line.split(',').map(str::trim));
    }
    Some(values)
}

/// Parses an address with or without a port; `None` if the address is hidden or malformed.
fn parse_node_address(text: &str) -> Option<IpAddr> {
    steps::record_steps(text.len());
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let address = bare.parse::<IpAddr>().ok();
    address.or_else(|| text.parse::<SocketAddr>().ok().map(|it| it.ip())).map(|it| it.to_canonical())
}

fn parse_scheme(text: &str) -> Option<Scheme> {
    [Scheme::Http, Scheme::Https].into_iter().find(|scheme| text.eq_ignore_ascii_case(scheme.as_str()))
}

fn parse_host(text: &str) -> Option<String> {
    is_host(text).then(|| text.to_owned())
}

/// Whether the text may be used as the host and port of a link.
pub(crate) fn is_host(text: &str) -> bool {
    let plain =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b':' | b'[' | b']');
    !text.is_empty() && text.bytes().all(plain)
}

/// Splits at separators outside quotes; `None` if a quoted string is not closed.
fn split_unquoted(text: &str, separator: char) -> Option<Vec<&str>> {
    let (mut parts, mut quoted, mut escaped, mut from) = (Vec::new(), false, false, 0);
    steps::record_steps(text.len());
    for (index, character) in text.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if character == separator && !quoted => {
                parts.push(text.get(from..index)?.trim());
                from = index + separator.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(text.get(from..)?.trim());
    (!quoted).then_some(parts)
}

/// Returns a token unchanged, or a quoted string without its quotes; `None` for anything else.
fn unquote(text: &str) -> Option<String> {
    let Some(rest) = text.strip_prefix('"') else {
        let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"');
        return plain.then(|| text.to_owned());
    };
    let inside = rest.strip_suffix('"')?;
    let (mut unquoted, mut characters) = (String::new(), inside.chars());
    while let Some(character) = characters.next() {
        match character {
            '\\' => unquoted.push(characters.next()?),
            '"' => return None,
            _ => unquoted.push(character),
        }
    }
    Some(unquoted)
}
