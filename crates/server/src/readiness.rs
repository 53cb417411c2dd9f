//! Queries a listener on this machine for the readiness of its server.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use reqwest::redirect::Policy;
use serde_json::Value;

/// The readiness that a server reports.
pub(crate) struct Readiness {
    pub(crate) ready: bool,
    /// The texts in which the server reports its problems.
    pub(crate) problems: Vec<String>,
}

/// Queries the readiness of the server at this address.
///
/// # Errors
/// Returns the reason for the missing or invalid response: no program listens at the address, or another
/// program does.
pub(crate) async fn query_readiness(
    address: SocketAddr,
    in_tls: bool,
    timeout: Duration,
) -> Result<Readiness, &'static str> {
    let scheme = if in_tls { "https" } else { "http" };
    let client = reqwest::Client::builder()
        .no_proxy()
        .redirect(Policy::none())
        .timeout(timeout)
        // The URL contains the IP address of the listener, which is usually missing from its certificate. The
        // certificate is therefore not verified. The request contains nothing secret.
        .danger_accept_invalid_certs(true)
        .build()
        .map_err(|_| "the HTTP client cannot start")?;
    let sent = client.get(format!("{scheme}://{}/readyz", local_address(address))).send().await;
    let response = sent.map_err(|error| match error.is_timeout() {
        true => "it does not respond",
        false => "no server responds",
    })?;
    let body = response.bytes().await.map_err(|_| "the connection broke")?;
    parse_readiness(&body).ok_or("it is another program")
}

/// Returns the address by which this machine reaches a listener. A listener on all addresses is reached by
/// loopback.
fn local_address(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        let own = if address.is_ipv4() { Ipv4Addr::LOCALHOST.into() } else { Ipv6Addr::LOCALHOST.into() };
        address.set_ip(own);
    }
    address
}

fn parse_readiness(body: &[u8]) -> Option<Readiness> {
    let document: Value = serde_json::from_slice(body).ok()?;
    let checks = document.get("checks").and_then(Value::as_object).into_iter().flatten();
    let problem =
        |(name, check): (&String, &Value)| Some(format!("{name}: {}", check.get("problem")?.as_str()?));
    Some(Readiness {
        ready: document.get("ready")?.as_bool()?,
        problems: checks.filter_map(problem).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_a_listener_of_all_addresses_on_this_machine() {
        for (address, expected) in
            [("0.0.0.0:80", "127.0.0.1:80"), ("[::]:80", "[::1]:80"), ("10.1.2.3:80", "10.1.2.3:80")]
        {
            assert_eq!(local_address(address.parse().unwrap()).to_string(), expected);
        }
    }

    #[test]
    fn reports_the_problems_of_the_server() {
        let body = br#"{"ready": false, "checks": {"storage": {"ready": false, "problem": "away"},
            "serving": {"ready": true}}}"#;
        let readiness = parse_readiness(body).unwrap();
        assert_eq!((readiness.ready, readiness.problems), (false, vec!["storage: away".to_owned()]));
        assert!(parse_readiness(b"<html>").is_none() && parse_readiness(b"{}").is_none());
    }
}
