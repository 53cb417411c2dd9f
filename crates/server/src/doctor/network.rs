//! Checks the listeners and the resolution of webhook hosts. This module connects only to listeners of this
//! server, never to webhook hosts.

use std::collections::{BTreeMap, BTreeSet};
use std::net::TcpListener;
use std::time::Duration;

use futures_util::future::join_all;
use payroll_domain::hook::Address;
use payroll_domain::hook::address::AddressRule;
use payroll_ports::hooks::AddressChecker;
use tokio::time::timeout;

use super::report::DiagnosticsReport;
use crate::config::Settings;
use crate::readiness;
use crate::webhooks;

const LISTEN_AREA: &str = "listen";
const WEBHOOKS_AREA: &str = "webhooks";

/// The time limit for a connection to a listener, and for the resolver.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

pub(super) async fn check_listeners(settings: &Settings, report: &mut DiagnosticsReport) {
    let sides = [
        ("listen", settings.listen, &settings.tls_certificate_file),
        ("operator_listen", settings.operator_listen, &settings.operator_tls_certificate_file),
    ];
    for (name, address, certificate) in sides {
        match TcpListener::bind(address) {
            Ok(_) => report.add_ok(LISTEN_AREA, format!("`{name}` {address} is free")),
            Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => {
                let response =
                    readiness::query_readiness(address, !certificate.is_empty(), CONNECT_TIMEOUT).await;
                match response.map(|readiness| readiness.ready) {
                    Ok(true) => {
                        report.add_ok(LISTEN_AREA, format!("`{name}` {address} has a server that is ready"))
                    }
                    Ok(false) => report.add_problem(
                        LISTEN_AREA,
                        format!("`{name}` {address} has a server that is not ready"),
                        "see the server's log. The most frequent cause is an unreachable database",
                    ),
                    Err(_) => report.add_problem(
                        LISTEN_AREA,
                        format!("`{name}` {address} is used by another program"),
                        format!("stop that program, or set `{name}` to another port"),
                    ),
                }
            }
            Err(error) => report.add_problem(
                LISTEN_AREA,
                format!("cannot listen on `{name}` {address}: {error}"),
                "use an address of this machine. Ports below 1024 require a privilege",
            ),
        }
    }
}

/// Checks that the hosts of webhooks resolve to allowed addresses.
pub(super) async fn check_receivers(
    settings: &Settings,
    addresses: &[String],
    hosts: &[String],
    report: &mut DiagnosticsReport,
) {
    let sender = match webhooks::create_sender(settings, None) {
        Ok(sender) => sender,
        Err(failure) => {
            report.add_problem(
                WEBHOOKS_AREA,
                failure.to_string(),
                "correct the file, or set the path of another file",
            );
            return;
        }
    };
    for says in webhooks::find_unusable_source_addresses(settings) {
        report.add_problem(WEBHOOKS_AREA, says, "set addresses of this machine (`ip address` lists them)");
    }
    let registered = addresses.iter().filter_map(|address| Address::from_stored(address));
    let given: BTreeSet<String> = hosts.iter().map(|host| format!("https://{host}/")).collect();
    let given = given.iter().map(|address| Address::from_stored(address).ok_or(address));
    let mut receivers = BTreeMap::new();
    for address in registered.map(Ok).chain(given) {
        match address {
            Ok(address) => drop(receivers.insert(address.host().to_owned(), address)),
            Err(text) => report.add_problem(
                WEBHOOKS_AREA,
                format!("{text} is not an address"),
                "give only the name of a host",
            ),
        }
    }
    if receivers.is_empty() {
        report.add_ok(WEBHOOKS_AREA, "no hook is active. Check a host with --host NAME");
    }
    let results =
        join_all(receivers.values().map(|address| timeout(CONNECT_TIMEOUT, sender.check_address(address))))
            .await;
    for (host, result) in receivers.keys().zip(results) {
        match result {
            Ok(Ok(())) => {
                report.add_ok(WEBHOOKS_AREA, format!("{host} resolves, and its addresses are allowed"))
            }
            Ok(Err(AddressRule::Public)) => report.add_problem(
                WEBHOOKS_AREA,
                format!(
                    "{host} resolves to an address that is not public, and notifications to it are rejected"
                ),
                "its owner must correct the DNS entry. `webhook_hosts` can map a name into a private network",
            ),
            Ok(Err(_)) => report.add_problem(
                WEBHOOKS_AREA,
                format!("{host} does not resolve"),
                "check the resolver of this machine (/etc/resolv.conf) and the name",
            ),
            Err(_) => report.add_problem(
                WEBHOOKS_AREA,
                format!("{host} was not resolved within {} s", CONNECT_TIMEOUT.as_secs()),
                "check the resolver of this machine (/etc/resolv.conf)",
            ),
        }
    }
}
