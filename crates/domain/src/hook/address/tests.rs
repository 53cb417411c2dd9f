//! Tests accepted addresses, rejected addresses with their rule, and properties of any text.

use proptest::prelude::*;

use super::AddressRule::{
    Characters, Fragment, Length, Name, Port, Public, Scheme, Tunnel, Url as WholeUrl, UserInfo,
};
use super::*;

/// Accepted addresses and their normalized form.
const ACCEPTED_ADDRESSES: &[(&str, &str)] = &[
    ("https://hooks.example.com", "https://hooks.example.com/"),
    ("https://hooks.example.com/", "https://hooks.example.com/"),
    ("https://hooks.example.com/a/b", "https://hooks.example.com/a/b"),
    ("https://hooks.example.com/in?key=a&b=c", "https://hooks.example.com/in?key=a&b=c"),
    ("https://hooks.example.com?key=a", "https://hooks.example.com/?key=a"),
    ("https://hooks.example.com/a:443/@b", "https://hooks.example.com/a:443/@b"),
    ("https://hooks.example.com/?at=a@b:80", "https://hooks.example.com/?at=a@b:80"),
    ("https://hooks.example.com/a%20b%23", "https://hooks.example.com/a%20b%23"),
    ("HTTPS://Hooks.EXAMPLE.com/In", "https://hooks.example.com/In"),
    ("https://hooks.example.com./in", "https://hooks.example.com/in"),
    ("https://a_b.example.com/", "https://a_b.example.com/"),
    ("https://1a.example.com/", "https://1a.example.com/"),
    ("https://b\u{fc}cher.example/", "https://xn--bcher-kva.example/"),
    ("https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/"),
    ("https://hooks.example.com/\u{fc}", "https://hooks.example.com/%C3%BC"),
    ("https://\u{ff48}ooks.example.com/", "https://hooks.example.com/"),
    ("https://local.example.com/", "https://local.example.com/"),
    ("https://notlocalhost.com/", "https://notlocalhost.com/"),
    ("https://9.9.9.9/", "https://9.9.9.9/"),
    ("https://151587081/", "https://9.9.9.9/"),
    ("https://[2606:4700::1111]/in", "https://[2606:4700::1111]/in"),
    ("https://[2606:4700:0:0:0:0:0:1111]/", "https://[2606:4700::1111]/"),
];

/// Rejected addresses, each with the rule that it breaks.
const REJECTED_ADDRESSES: &[(&str, AddressRule)] = &[
    ("https://hooks.example.com/a b", Characters),
    (" https://hooks.example.com/", Characters),
    ("https://hooks.example.com/ ", Characters),
    ("https://hooks.example.com/\n", Characters),
    ("ht\ttps://hooks.example.com/", Characters),
    ("https://hooks\r\n.example.com/", Characters),
    ("https://hooks.example.com\0/", Characters),
    ("https:\\\\hooks.example.com\\", Characters),
    ("https://hooks.example.com\\@127.0.0.1/", Characters),
    ("https://hooks\u{200b}.example.com/", Characters),
    ("https://hooks\u{ad}.example.com/", Characters),
    ("https://hooks.example.com/\u{202e}", Characters),
    ("https://hooks\u{a0}.example.com/", Characters),
    ("\u{feff}https://hooks.example.com/", Characters),
    ("https://hooks.example.com/\u{7f}", Characters),
    ("https://hooks.example.com/\u{85}", Characters),
    ("", Scheme),
    ("hooks.example.com/in", Scheme),
    ("hooks.example.com:443/in", Scheme),
    ("//hooks.example.com/in", Scheme),
    ("/in", Scheme),
    ("http://hooks.example.com/", Scheme),
    ("https:hooks.example.com", Scheme),
    ("https:/hooks.example.com", Scheme),
    ("ftp://hooks.example.com/", Scheme),
    ("ws://hooks.example.com/", Scheme),
    ("file:///etc/passwd", Scheme),
    ("data:text/plain,https://hooks.example.com/", Scheme),
    ("javascript:alert(1)", Scheme),
    ("httpss://hooks.example.com/", Scheme),
    ("ht\u{1e6d}ps://hooks.example.com/", Scheme),
    ("https://user@hooks.example.com/", UserInfo),
    ("https://user:secret@hooks.example.com/", UserInfo),
    ("https://@hooks.example.com/", UserInfo),
    ("https://:@hooks.example.com/", UserInfo),
    ("https://hooks.example.com@127.0.0.1/", UserInfo),
    ("https://a@b@hooks.example.com/", UserInfo),
    ("https://hooks.example.com:443/", Port),
    ("https://hooks.example.com:8443/", Port),
    ("https://hooks.example.com:/", Port),
    ("https://hooks.example.com:0/", Port),
    ("https://hooks.example.com:99999/", Port),
    ("https://hooks.example.com:https/", Port),
    ("https://hooks.example.com:443", Port),
    ("https://hooks.example.com:443?a", Port),
    ("https://[2606:4700::1111]:443/", Port),
    ("https://[2606:4700::1111]:/", Port),
    ("https://2606:4700::1111/", Port),
    ("https://hooks.example.com/#", Fragment),
    ("https://hooks.example.com/#part", Fragment),
    ("https://hooks.example.com#", Fragment),
    ("https://hooks.example.com?a#b", Fragment),
    ("https://", WholeUrl),
    ("https:///", WholeUrl),
    ("https:///hooks.example.com/", WholeUrl),
    ("https://?a", WholeUrl),
    ("https://./", WholeUrl),
    ("https://[2606:4700::1111/", WholeUrl),
    ("https://[fe80::1%25eth0]/", WholeUrl),
    ("https://[hooks.example.com]/", WholeUrl),
    ("https://hooks.example.com%3A443/", WholeUrl),
    ("https://hooks.example.com%00/", WholeUrl),
    ("https://hooks%2fexample.com/", WholeUrl),
    ("https://hooks.example.com\u{ff1a}443/", WholeUrl),
    ("https://hooks<b>.example.com/", WholeUrl),
    ("https://xn--a.example.com/", WholeUrl),
    ("https://256.256.256.256/", WholeUrl),
    ("https://1.2.3.4.5/", WholeUrl),
    ("https://hooks.example.1/", WholeUrl),
    ("https://a.ngrok-free.app/", Tunnel),
    ("https://A.NGROK.IO./", Tunnel),
    ("https://a.trycloudflare.com/in", Tunnel),
    ("https://a..example.com/", Name),
    ("https://.example.com/", Name),
    ("https://hooks.example.com../", Name),
    ("https://a!b.example.com/", Name),
    ("https://a,b.example.com/", Name),
    ("https://*.example.com/", Name),
    ("https://localhost/", Public),
    ("https://LOCALHOST./", Public),
    ("https://api.localhost/", Public),
    ("https://loc%61lhost/", Public),
    ("https://\u{24db}ocalhost/", Public),
    ("https://receiver/", Public),
    ("https://com./", Public),
    ("https://printer.local/", Public),
    ("https://printer.LOCAL./", Public),
    ("https://metadata.google.internal/", Public),
    ("https://nas.home.arpa/", Public),
    ("https://router.lan/", Public),
    ("https://example.onion/", Public),
    ("https://127.0.0.1/", Public),
    ("https://127.0.0.1./", Public),
    ("https://127.1/", Public),
    ("https://127.0.1/", Public),
    ("https://0/", Public),
    ("https://0.0.0.0/", Public),
    ("https://2130706433/", Public),
    ("https://0x7f000001/", Public),
    ("https://0X7F.0.0.1/", Public),
    ("https://0x7f.1/", Public),
    ("https://017700000001/", Public),
    ("https://0177.0.0.01/", Public),
    ("https://0177.0x0.1/", Public),
    ("https://%31%32%37.0.0.1/", Public),
    ("https://\u{ff11}\u{ff12}\u{ff17}.0.0.1/", Public),
    ("https://\u{2460}27.0.0.1/", Public),
    ("https://127\u{3002}0\u{3002}0\u{3002}1/", Public),
    ("https://169.254.169.254/latest/meta-data", Public),
    ("https://2852039166/", Public),
    ("https://0xa9fea9fe/", Public),
    ("https://0xA9.0376.43518/", Public),
    ("https://10.0.0.1/", Public),
    ("https://10.255.255.255/", Public),
    ("https://012.1/", Public),
    ("https://172.16.0.1/", Public),
    ("https://192.168.1.1/", Public),
    ("https://192.168.257/", Public),
    ("https://100.64.0.1/", Public),
    ("https://255.255.255.255/", Public),
    ("https://224.0.0.1/", Public),
    ("https://[::]/", Public),
    ("https://[::1]/", Public),
    ("https://[0:0:0:0:0:0:0:1]/", Public),
    ("https://[::127.0.0.1]/", Public),
    ("https://[::ffff:10.0.0.1]/", Public),
    ("https://[::FFFF:a9fe:a9fe]/", Public),
    ("https://[::ffff:9.9.9.9]/", Public),
    ("https://[64:ff9b::a9fe:a9fe]/", Public),
    ("https://[64:ff9b::10.0.0.1]/", Public),
    ("https://[2002:7f00:1::]/", Public),
    ("https://[2001:0:1::1]/", Public),
    ("https://[fe80::1]/", Public),
    ("https://[fd00:ec2::254]/", Public),
    ("https://[ff02::1]/", Public),
];

fn parse_receiver(text: &str) -> Result<Address, AddressRule> {
    Address::parse_receiver(text, &AddressRules::default())
}

#[test]
fn accepts_and_normalizes_valid_addresses() {
    for (text, normalized) in ACCEPTED_ADDRESSES {
        assert_eq!(parse_receiver(text).as_ref().map(Address::as_str), Ok(*normalized), "{text}");
    }
}

#[test]
fn reports_the_rule_of_every_rejected_address() {
    let wrong: Vec<_> =
        REJECTED_ADDRESSES.iter().filter(|(text, rule)| parse_receiver(text) != Err(*rule)).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    for rule in AddressRule::ALL.iter().filter(|rule| **rule != Length) {
        assert!(REJECTED_ADDRESSES.iter().any(|(_, refused)| refused == rule), "{rule} has no case");
    }
}

#[test]
fn limits_an_address_to_2048_characters_also_when_normalized() {
    let of_length = |length: usize, filling: &str| {
        let start = "https://hooks.example.com/";
        format!("{start}{}", filling.repeat(length - start.len()))
    };
    assert!(parse_receiver(&of_length(MAX_ADDRESS_LENGTH, "a")).is_ok());
    assert_eq!(parse_receiver(&of_length(MAX_ADDRESS_LENGTH + 1, "a")), Err(Length));
    assert_eq!(parse_receiver(&of_length(MAX_ADDRESS_LENGTH, "\u{fc}")), Err(Length));
    assert_eq!(parse_receiver(&"\n".repeat(MAX_ADDRESS_LENGTH + 1)), Err(Length), "the first rule wins");
}

#[test]
fn limits_the_length_of_a_host_name() {
    let label = "a".repeat(MAX_LABEL_LENGTH);
    assert!(parse_receiver(&format!("https://{label}.example.com/")).is_ok());
    assert_eq!(parse_receiver(&format!("https://a{label}.example.com/")), Err(Name));
    let longest = format!("{label}.{label}.{label}.{}", "b".repeat(61));
    assert!(parse_receiver(&format!("https://{longest}/")).is_ok());
    assert_eq!(parse_receiver(&format!("https://{longest}b/")), Err(Name));
}

#[test]
fn accepts_a_port_only_in_a_token_address() {
    let tokens = |text: &str| Address::parse_token_url(text, &AddressRules::default());
    assert_eq!(tokens("https://login.example.com:8443/token").unwrap().port(), 8_443);
    assert_eq!(tokens("https://login.example.com:443/token").unwrap().port(), 443);
    assert_eq!(tokens("https://[2606:4700::1111]:8443/").unwrap().host(), "[2606:4700::1111]");
    assert_eq!(tokens("https://login.example.com:99999/"), Err(WholeUrl));
    for (text, rule) in REJECTED_ADDRESSES.iter().filter(|(_, rule)| *rule != Port) {
        assert_eq!(tokens(text), Err(*rule), "{text:?}");
    }
}

#[test]
fn accepts_http_only_if_the_operator_allows_it() {
    let rules = AddressRules { allow_http: true, ..AddressRules::default() };
    assert_eq!(Address::parse_receiver("HTTP://hooks.example.com/", &rules).unwrap().port(), 80);
    assert!(Address::parse_receiver("https://hooks.example.com/", &rules).is_ok());
    assert_eq!(Address::parse_receiver("http://hooks.example.com:80/", &rules), Err(Port));
    assert_eq!(Address::parse_receiver("ftp://hooks.example.com/", &rules), Err(Scheme));
}

#[test]
fn accepts_a_mapped_host_that_is_not_public() {
    let mapped_hosts = ["receiver", "10.0.0.1", "a.ngrok.io"].map(str::to_owned).into();
    let rules = AddressRules { mapped_hosts, ..AddressRules::default() };
    let parse_host =
        |text: &str| Address::parse_receiver(text, &rules).map(|address| address.host().to_owned());
    assert_eq!(parse_host("https://Receiver./in").as_deref(), Ok("receiver"));
    assert_eq!(parse_host("https://0x0a000001/").as_deref(), Ok("10.0.0.1"));
    assert_eq!(parse_host("https://receiver:8443/"), Err(Port));
    assert_eq!(parse_host("http://receiver/"), Err(Scheme));
    assert_eq!(parse_host("https://a.ngrok.io/"), Err(Tunnel));
    assert_eq!(parse_host("https://other/"), Err(Public));
}

#[test]
fn neither_debug_output_nor_a_log_shows_the_query_of_an_address() {
    let address = parse_receiver("https://hooks.example.com/in?key=secret").unwrap();
    assert_eq!(format!("{address:?} {}", address.without_query()).matches("secret").count(), 0);
}

#[test]
fn the_message_about_the_scheme_names_every_accepted_scheme() {
    let rules = AddressRules { allow_http: true, ..AddressRules::default() };
    let rule = Address::parse_receiver("ftp://hooks.example.com/", &rules).unwrap_err();
    assert_eq!(rules.reason(rule), "must begin with https:// or http://");
    assert_eq!(AddressRules::default().reason(rule), "must begin with https://");
}

#[test]
fn the_message_of_an_address_rule_contains_its_limit() {
    assert!(Length.reason().contains(&MAX_ADDRESS_LENGTH.to_string()));
    let mut reasons: Vec<_> = AddressRule::ALL.iter().map(|rule| rule.reason()).collect();
    reasons.dedup();
    assert_eq!(reasons.len(), AddressRule::ALL.len());
}

/// Generates texts that are almost addresses, from valid and invalid pieces.
fn any_almost_valid_address() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        Just("https://".to_owned()),
        Just("HTTPS:".to_owned()),
        Just("hooks.example.com".to_owned()),
        Just("127.0.0.1".to_owned()),
        Just("[::1]".to_owned()),
        Just("[2606:4700::1111]".to_owned()),
        Just("9.9.9.9".to_owned()),
        Just("xn--".to_owned()),
        Just("%2e".to_owned()),
        "[/@:#?.%\\\\\\[\\] \t]",
        "[0-9a-fx]{1,4}",
        any::<char>().prop_map(String::from),
    ];
    let start = prop_oneof![3 => Just("https://".to_owned()), 1 => Just(String::new())];
    (start, prop::collection::vec(pieces, 0..8)).prop_map(|(start, rest)| start + &rest.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn normalizing_a_normalized_address_does_not_change_it(text in any_almost_valid_address()) {
        for validate in [Address::parse_receiver, Address::parse_token_url] {
            if let Ok(address) = validate(&text, &AddressRules::default()) {
                let again = validate(address.as_str(), &AddressRules::default());
                prop_assert_eq!(again.as_ref(), Ok(&address), "{:?}", text);
                prop_assert_eq!(Address::from_stored(address.as_str()), Some(address));
            }
        }
    }

    #[test]
    fn accepted_addresses_have_no_port_user_or_fragment(text in any_almost_valid_address()) {
        if let Ok(address) = parse_receiver(&text) {
            let url = address.url();
            prop_assert!(url.port().is_none() && url.fragment().is_none(), "{:?}", text);
            prop_assert!(url.username().is_empty() && url.password().is_none(), "{:?}", text);
            prop_assert!(address.as_str().len() <= MAX_ADDRESS_LENGTH);
        }
    }

    #[test]
    fn no_address_text_causes_a_panic(text in any::<String>()) {
        let rules = AddressRules { allow_http: true, ..AddressRules::default() };
        let _ = Address::parse_token_url(&text, &rules);
        let _ = parse_receiver(&format!("https://{text}"));
    }

    #[test]
    fn rejects_every_notation_of_a_private_address(last in 1_u32..0x00ff_ffff, form in 0..6) {
        let address = 0x7f00_0000_u32 | last;
        let [a, b, c, d] = address.to_be_bytes();
        let host = match form {
            0 => address.to_string(),
            1 => format!("0x{address:x}"),
            2 => format!("0{address:o}"),
            3 => format!("{a}.{}", last),
            4 => format!("0{a:o}.0x{b:X}.{c}.{d}"),
            _ => format!("[::ffff:{a}.{b}.{c}.{d}]"),
        };
        prop_assert_eq!(parse_receiver(&format!("https://{host}/")), Err(Public), "{}", host);
    }
}
