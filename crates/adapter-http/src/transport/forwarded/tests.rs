use actix_web::http::header::HeaderValue;

use super::*;

const PROXY_ADDRESS: &str = "10.0.0.1:443";

/// Reads the origin of a request from this peer. Proxies in 10.0.0.0/8 and 2001:db8::/32 are trusted.
fn read_origins(peer: &str, lines: &[(&'static str, &str)]) -> (String, Option<Scheme>, Option<String>) {
    let mut headers = HeaderMap::new();
    for (name, value) in lines {
        headers.append(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
    }
    let trusted = ["10.0.0.0/8", "2001:db8::/32"].map(|text| text.parse().unwrap());
    let RequestOrigins { peer, scheme, host } = read(&headers, Some(peer.parse().unwrap()), &trusted);
    (peer.unwrap().to_string(), scheme, host)
}

fn expected_origins(
    peer: &str,
    scheme: Option<Scheme>,
    host: Option<&str>,
) -> (String, Option<Scheme>, Option<String>) {
    (peer.to_owned(), scheme, host.map(str::to_owned))
}

#[test]
fn both_kinds_of_forwarding_headers_of_a_trusted_proxy_are_accepted() {
    let expected = expected_origins("192.0.2.7", Some(Scheme::Https), Some("api.example.org"));
    let standard = [("forwarded", "for=192.0.2.7;proto=https;host=api.example.org")];
    assert_eq!(read_origins(PROXY_ADDRESS, &standard), expected);
    let quoted = [("forwarded", "For=\"192.0.2.7:4711\"; Proto=HTTPS; HOST=\"api.example.org\"; by=_hidden")];
    assert_eq!(read_origins(PROXY_ADDRESS, &quoted), expected);
    let customary = [
        ("x-forwarded-for", "192.0.2.7"),
        ("x-forwarded-proto", "https"),
        ("x-forwarded-host", "api.example.org"),
    ];
    assert_eq!(read_origins(PROXY_ADDRESS, &customary), expected);
    // An IPv6 listener reports the address of an IPv4 client as an IPv6 address such as `::ffff:10.0.0.1`.
    assert_eq!(read_origins("[::ffff:10.0.0.1]:443", &customary), expected);
}

#[test]
fn forwarding_headers_of_untrusted_peers_are_ignored() {
    let lines = [("forwarded", "for=192.0.2.7;proto=https;host=api.example.org")];
    assert_eq!(read_origins("192.0.2.1:443", &lines), expected_origins("192.0.2.1", None, None));
    assert_eq!(read_origins("[::1]:443", &lines), expected_origins("::1", None, None));
}

#[test]
fn both_kinds_of_forwarding_headers_together_are_ignored() {
    let both = [("forwarded", "for=192.0.2.7"), ("x-forwarded-proto", "https")];
    assert_eq!(read_origins(PROXY_ADDRESS, &both), expected_origins("10.0.0.1", None, None));
}

#[test]
fn proxy_entries_are_read_from_the_end_to_the_first_untrusted_address() {
    for (chain, peer) in [
        ("192.0.2.66, 192.0.2.7, 10.0.0.2", "192.0.2.7"),
        ("10.0.0.3, 192.0.2.7", "192.0.2.7"),
        ("192.0.2.66, 2001:db8::1", "192.0.2.66"),
        ("10.0.0.3, 10.0.0.2", "10.0.0.3"),
    ] {
        assert_eq!(read_origins(PROXY_ADDRESS, &[("x-forwarded-for", chain)]).0, peer, "{chain}");
        let elements: Vec<String> = chain
            .split(", ")
            .map(|address| match address.contains(':') {
                true => format!("for=\"[{address}]\""),
                false => format!("for={address}"),
            })
            .collect();
        assert_eq!(
            read_origins(PROXY_ADDRESS, &[("forwarded", &elements.join(", "))]).0,
            peer,
            "{elements:?}"
        );
    }
    let lines = [("x-forwarded-for", "192.0.2.66"), ("x-forwarded-for", "192.0.2.7, 10.0.0.2")];
    assert_eq!(read_origins(PROXY_ADDRESS, &lines).0, "192.0.2.7");
}

#[test]
fn forwarded_addresses_from_the_client_are_ignored() {
    let forged =
        "for=192.0.2.66;host=evil.example;proto=http, for=192.0.2.7;host=api.example.org;proto=https";
    let expected = expected_origins("192.0.2.7", Some(Scheme::Https), Some("api.example.org"));
    assert_eq!(read_origins(PROXY_ADDRESS, &[("forwarded", forged)]), expected);
    let lines =
        [("x-forwarded-for", "192.0.2.66, 192.0.2.7"), ("x-forwarded-host", "evil.example, api.example.org")];
    assert_eq!(
        read_origins(PROXY_ADDRESS, &lines),
        expected_origins("192.0.2.7", None, Some("api.example.org"))
    );
}

#[test]
fn malformed_and_obfuscated_forwarding_entries_are_ignored() {
    let nothing = expected_origins("10.0.0.1", None, None);
    for value in [
        "",
        "for",
        "for=",
        "for=\"192.0.2.7",
        "for=unknown",
        "for=_secret",
        "for=300.0.0.1",
        "for=192.0.2.7 x=\"",
        "proto=ftp",
        "host=\"a b\"",
        "host=\"a/b\"",
        "for=192.0.2.7, broken",
        "=",
        ";;;",
        ",,,",
        "for=\"[::1\"",
        "for=\"\\\"",
    ] {
        assert_eq!(read_origins(PROXY_ADDRESS, &[("forwarded", value)]), nothing, "{value}");
    }
    for value in ["", "unknown", "a b", "192.0.2.7:port", ",", "[192.0.2.7", "192.0.2.7, nonsense"] {
        assert_eq!(read_origins(PROXY_ADDRESS, &[("x-forwarded-for", value)]), nothing, "{value}");
    }
    for (name, value) in
        [("x-forwarded-host", "a b"), ("x-forwarded-proto", "gopher"), ("x-forwarded-host", "")]
    {
        assert_eq!(read_origins(PROXY_ADDRESS, &[(name, value)]), nothing, "{name}: {value}");
    }
}

#[test]
fn network_is_an_address_with_a_prefix_length() {
    for (range, inside, outside) in [
        ("10.0.0.0/8", "10.255.0.1", "11.0.0.0"),
        ("192.0.2.7", "192.0.2.7", "192.0.2.8"),
        ("0.0.0.0/0", "203.0.113.9", "::1"),
        ("2001:db8::/32", "2001:db8:ffff::1", "2001:db9::"),
        ("::1", "::1", "::2"),
        ("::/0", "2001:db8::1", "127.0.0.1"),
    ] {
        let network: Network = range.parse().unwrap();
        assert!(network.contains(inside.parse().unwrap()), "{range} {inside}");
        assert!(!network.contains(outside.parse().unwrap()), "{range} {outside}");
        assert_eq!(network.to_string(), range);
    }
    for text in ["", "10.0.0.0/33", "10.0.0.1/8", "10.0.0.0/", "10.0.0.0/x", "proxy", "::/129", "10.0.0.0/-1"]
    {
        assert!(text.parse::<Network>().is_err(), "{text}");
    }
}

#[test]
fn host_with_user_path_or_query_is_invalid() {
    for good in ["api.example.org", "localhost:8080", "[::1]:8080"] {
        assert!(is_host(good), "{good}");
    }
    for bad in ["", "a b", "user@host", "host/path", "host\"", "h?q", "h#f"] {
        assert!(!is_host(bad), "{bad}");
    }
}
