//! Checks the listeners and the resolution of webhook hosts. It only connects to our own listeners.

use std::collections::{BTreeMap, BTreeSet};
use std::net::TcpListener;
use std::time::Duration;

use futures_util::future::join_all;
use payroll_domain::hook::Address;
use payroll_domain::hook::address::AddressRule;
use payroll_ports::hooks::AddressCheck;
use tokio::time::timeout;

use super::report::Report;
use crate::config::Settings;
use crate::readiness;
use crate::webhooks;

const LISTEN: &str = "listen";
const WEBHOOKS: &str = "webhooks";

/// The time limit for one of our listeners, or for the resolver.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) async fn look_at_listeners(settings: &Settings, report: &mut Report) {
    let sides = [
        ("listen", settings.listen, &settings.tls_certificate_file),
        ("operator_listen", settings.operator_listen, &settings.operator_tls_certificate_file),
    ];
    for (name, address, certificate) in sides {
        match TcpListener::bind(address) {
            Ok(_) => report.fine(LISTEN, format!("`{name}` {address} is free")),
            Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => {
                let asked = readiness::ask(address, !certificate.is_empty(), PATIENCE).await;
                match asked.map(|readiness| readiness.ready) {
                    Ok(true) => report.fine(LISTEN, format!("`{name}` {address} is served, and ready")),
                    Ok(false) => report.problem(
                        LISTEN,
                        format!("`{name}` {address} is served, and not ready"),
                        "its log says why; most often the database is away",
                    ),
                    Err(_) => report.problem(
                        LISTEN,
                        format!("`{name}` {address} is taken by another program"),
                        format!("end that program, or set `{name}`"),
                    ),
                }
            }
            Err(error) => report.problem(
                LISTEN,
                format!("`{name}` {address} cannot be listened on: {error}"),
                "it must be an address of this machine; ports below 1024 need a right of their own",
            ),
        }
    }
}

/// Checks that the hosts of webhooks can be resolved to allowed addresses.
pub(super) async fn look_at_receivers(
    settings: &Settings,
    addresses: &[String],
    hosts: &[String],
    report: &mut Report,
) {
    let sender = match webhooks::sender(settings) {
        Ok(sender) => sender,
        Err(failure) => {
            report.problem(WEBHOOKS, failure.to_string(), "put the file in order, or set another");
            return;
        }
    };
    let registered = addresses.iter().filter_map(|address| Address::stored(address));
    let given: BTreeSet<String> = hosts.iter().map(|host| format!("https://{host}/")).collect();
    let given = given.iter().map(|address| Address::stored(address).ok_or(address));
    let mut wanted = BTreeMap::new();
    for address in registered.map(Ok).chain(given) {
        match address {
            Ok(address) => drop(wanted.insert(address.host().to_owned(), address)),
            Err(text) => {
                report.problem(WEBHOOKS, format!("{text} is no address"), "give a host's name alone")
            }
        }
    }
    if wanted.is_empty() {
        report.fine(WEBHOOKS, "no hook is active; --host NAME tries a name");
    }
    let judged = join_all(wanted.values().map(|address| timeout(PATIENCE, sender.check(address)))).await;
    for (host, judged) in wanted.keys().zip(judged) {
        match judged {
            Ok(Ok(())) => report.fine(WEBHOOKS, format!("{host} is found, and may be sent to")),
            Ok(Err(AddressRule::Public)) => report.problem(
                WEBHOOKS,
                format!(
                    "{host} resolves to an address that is not public, and notifications to it are rejected"
                ),
                "its owner has to mend its name; `webhook_hosts` lets a name lead into a private network",
            ),
            Ok(Err(_)) => report.problem(
                WEBHOOKS,
                format!("{host} is not found"),
                "does the resolver of this machine respond (/etc/resolv.conf), is the name right?",
            ),
            Err(_) => report.problem(
                WEBHOOKS,
                format!("whether {host} can be sent to is not known in {} s", PATIENCE.as_secs()),
                "does the resolver of this machine respond (/etc/resolv.conf)?",
            ),
        }
    }
}
