//! Tests of forbidden addresses and of mapped hosts.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use async_trait::async_trait;
use futures_util::future::join_all;
use payroll_adapter_webhook::{NameLookup, Sender, SenderSettings};
use payroll_domain::delivery::ErrorClass;
use payroll_domain::hook::Address;
use payroll_domain::hook::address::AddressRule;
use payroll_ports::hooks::AddressChecker;

use crate::receiver::Receiver;
use crate::support::*;

/// Creates a sender that resolves names with the test's `lookup`.
fn sender_with_lookup(lookup: Arc<dyn NameLookup>) -> Sender {
    Sender::new(SenderSettings { lookup, limits: short_limits(), ..SenderSettings::default() }).unwrap()
}

#[tokio::test]
async fn a_name_with_a_private_address_gets_no_connection() {
    let receiver = Receiver::responding_with(ACCEPTED_RESPONSE).await;
    let address = format!("http://name.example:{}/", receiver.address.port());
    let forbidden: &[&[&str]] = &[
        &["127.0.0.1"],
        &["169.254.169.254"],
        &["10.0.0.1"],
        &["192.168.1.1"],
        &["100.64.0.1"],
        &["0.0.0.0"],
        &["::1"],
        &["::"],
        &["::ffff:127.0.0.1"],
        &["::ffff:10.0.0.1"],
        &["64:ff9b::7f00:1"],
        &["fd00::1"],
        &["fe80::1"],
        &["9.9.9.9", "127.0.0.1"],
        &["127.0.0.1", "9.9.9.9"],
        &["2620:fe::fe", "::1"],
    ];
    for addresses in forbidden {
        let sender = sender_with_lookup(ChangingLookup::new(&[addresses]));
        let checked = sender.check_address(&Address::from_stored(&address).unwrap()).await;
        assert_eq!(checked, Err(AddressRule::Public), "{addresses:?}");
        let sent = sender.send(&target(&address), &notification(), NOW).await;
        assert_eq!(sent, failed_result(ErrorClass::ForbiddenAddress), "{addresses:?}");
    }
    assert_eq!(receiver.connection_count(), 0);
}

#[tokio::test]
async fn a_name_whose_address_changes_after_its_check_gets_no_connection() {
    let receiver = Receiver::responding_with(ACCEPTED_RESPONSE).await;
    let address = format!("http://name.example:{}/", receiver.address.port());
    let lookup = ChangingLookup::new(&[&["9.9.9.9"], &["127.0.0.1"]]);
    let sender = sender_with_lookup(Arc::clone(&lookup) as Arc<dyn NameLookup>);
    assert_eq!(sender.check_address(&Address::from_stored(&address).unwrap()).await, Ok(()));
    let sent = sender.send(&target(&address), &notification(), NOW).await;
    assert_eq!(sent, failed_result(ErrorClass::ForbiddenAddress));
    // The function `check_address` and the method `send` look up the name once each. `send` connects only to
    // the addresses that it has validated itself, so the addresses cannot change in between.
    assert_eq!((lookup.call_count(), receiver.connection_count()), (2, 0));
}

#[tokio::test]
async fn an_ip_address_in_a_url_is_checked() {
    let receiver = Receiver::responding_with(ACCEPTED_RESPONSE).await;
    let port = receiver.address.port();
    let sender = sender_with_lookup(ChangingLookup::new(&[&["9.9.9.9"]]));
    for host in [
        "127.0.0.1",
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "127.1",
        "0",
        "169.254.169.254",
        "10.0.0.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::127.0.0.1]",
    ] {
        let address = format!("http://{host}:{port}/");
        assert_eq!(
            sender.check_address(&Address::from_stored(&address).unwrap()).await,
            Err(AddressRule::Public),
            "{host}"
        );
        let sent = sender.send(&target(&address), &notification(), NOW).await;
        assert_eq!(sent, failed_result(ErrorClass::ForbiddenAddress), "{host}");
    }
    assert_eq!(receiver.connection_count(), 0);
    let public = Address::from_stored("https://9.9.9.9/").unwrap();
    assert_eq!(sender.check_address(&public).await, Ok(()));
}

#[tokio::test]
async fn localhost_is_a_forbidden_address() {
    let receiver = Receiver::responding_with(ACCEPTED_RESPONSE).await;
    let address = format!("http://localhost:{}/", receiver.address.port());
    let sender = Sender::new(SenderSettings::default()).unwrap();
    let sent = sender.send(&target(&address), &notification(), NOW).await;
    assert_eq!((sent, receiver.connection_count()), (failed_result(ErrorClass::ForbiddenAddress), 0));
}

/// A look-up that fails or never returns.
#[derive(Debug)]
enum FailingLookup {
    Refusing,
    Silent,
}

#[async_trait]
impl NameLookup for FailingLookup {
    async fn resolve_addresses(&self, _: &str) -> io::Result<Vec<IpAddr>> {
        match self {
            Self::Refusing => Err(io::Error::other("no such name")),
            Self::Silent => std::future::pending().await,
        }
    }
}

#[tokio::test]
async fn unresolvable_name_is_a_dns_error() {
    let dead: [Arc<dyn NameLookup>; 3] =
        [Arc::new(FailingLookup::Refusing), Arc::new(FailingLookup::Silent), ChangingLookup::new(&[&[]])];
    for lookup in dead {
        let what = format!("{lookup:?}");
        let sender = sender_with_lookup(lookup);
        let name = Address::from_stored("https://name.example/").unwrap();
        assert_eq!(sender.check_address(&name).await, Err(AddressRule::Name), "{what}");
        let sent = sender.send(&target("https://name.example/"), &notification(), NOW).await;
        assert_eq!(sent, failed_result(ErrorClass::Dns), "{what}");
    }
}

#[tokio::test]
async fn concurrent_requests_for_a_name_share_one_lookup() {
    let lookup = ChangingLookup::new(&[&["9.9.9.9"], &["127.0.0.1"]]);
    let sender = sender_with_lookup(Arc::clone(&lookup) as Arc<dyn NameLookup>);
    let name = Address::from_stored("https://name.example/").unwrap();
    // All 20 calls start before the task of the look-up runs for the first time, so the calls share one
    // look-up.
    let checked = join_all((0..20).map(|_| sender.check_address(&name))).await;
    assert!(checked.iter().all(Result::is_ok));
    assert_eq!(lookup.call_count(), 1);
    assert_eq!(sender.check_address(&name).await, Err(AddressRule::Public));
}

#[tokio::test]
async fn a_mapped_host_is_connected_to_at_its_configured_address_and_port() {
    let mut receiver = Receiver::responding_with(ACCEPTED_RESPONSE).await;
    let mut given = settings(receiver.address);
    given.mapped_hosts.insert("127.0.0.1".to_owned(), receiver.address);
    let sender = Sender::new(given).unwrap();
    for (address, host) in [
        ("http://receiver.example/", "receiver.example"),
        ("http://receiver.example:7/", "receiver.example:7"),
        ("http://127.0.0.1/", "127.0.0.1"),
        ("http://127.0.0.1:7/", "127.0.0.1:7"),
    ] {
        assert_eq!(sender.check_address(&Address::from_stored(address).unwrap()).await, Ok(()), "{address}");
        let sent = sender.send(&target(address), &notification(), NOW).await;
        assert_eq!(sent, accepted_result("", false), "{address}");
        assert_eq!(receiver.next_request().await.header("host"), Some(host), "{address}");
    }
}

#[tokio::test]
async fn notifications_use_the_source_address_of_the_receivers_family() {
    let mut receiver = Receiver::responding_with(ACCEPTED_RESPONSE).await;
    let from = |addresses: &[&str]| {
        let source_addresses = addresses.iter().map(|text| text.parse().unwrap()).collect();
        Sender::new(SenderSettings { source_addresses, ..settings(receiver.address) }).unwrap()
    };
    let both = from(&["2001:db8::1", "127.0.0.2", "127.0.0.3"]);
    let none = from(&["2001:db8::1"]);
    let target = target("http://receiver.example/");
    assert_eq!(both.send(&target, &notification(), NOW).await, accepted_result("", false));
    assert_eq!(receiver.next_request().await.peer.ip(), "127.0.0.2".parse::<IpAddr>().unwrap());
    assert_eq!(none.send(&target, &notification(), NOW).await, failed_result(ErrorClass::Connect));
    assert_eq!(receiver.connection_count(), 1);
}

#[tokio::test]
async fn a_name_of_the_other_family_uses_the_other_source_address() {
    // The first client cannot use the first address, so the second client resolves the name again. This
    // look-up returns a private address, so the second client must not connect either.
    let lookup = ChangingLookup::new(&[&["2620:fe::fe"], &["::1"]]);
    let source_addresses = vec!["127.0.0.2".parse().unwrap(), "::1".parse().unwrap()];
    let given = SenderSettings {
        source_addresses,
        limits: short_limits(),
        lookup: Arc::clone(&lookup) as Arc<dyn NameLookup>,
        ..SenderSettings::default()
    };
    let sent = Sender::new(given).unwrap().send(&target("http://name.example/"), &notification(), NOW).await;
    assert_eq!((sent, lookup.call_count()), (failed_result(ErrorClass::ForbiddenAddress), 2));
}
