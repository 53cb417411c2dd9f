//! Checks combinations of settings that are valid individually but unusual together.

use std::net::SocketAddr;

use payroll_adapter_http::TokenSignature;
use payroll_domain::date::Timestamp;

use super::report::DiagnosticsReport;
use crate::config::Settings;
use crate::tls;

const AREA: &str = "settings";

pub(super) fn check_settings(settings: &Settings, now: Timestamp, report: &mut DiagnosticsReport) {
    // The program has already rejected unknown names and invalid values when it read the settings.
    report.add_ok(AREA, "every setting is known and has a valid value");
    if settings.listen == settings.operator_listen && settings.listen.port() != 0 {
        let advice = "give `operator_listen` another port";
        report.add_problem(
            AREA,
            format!("`listen` and `operator_listen` are both {}", settings.listen),
            advice,
        );
    }
    check_certificates(settings, now, report);
    check_public_address(settings, report);
    if settings.webhook_allow_http {
        report.add_warning(
            AREA,
            "webhooks may have http:// addresses. Other machines on the network can read their notifications",
            "set `webhook_allow_http` to false, except for development",
        );
    }
    if !settings.webhook_hosts.0.is_empty() {
        let names: Vec<_> = settings.webhook_hosts.0.keys().map(String::as_str).collect();
        report.add_warning(
            AREA,
            format!("webhooks can reach hosts in a private network: {}", names.join(", ")),
            "every application can send requests to these hosts: list only hosts in `webhook_hosts` that \
             you want to expose",
        );
    }
    if settings.token_lifetime_seconds < SHORT_TOKEN_LIFETIME_SECONDS {
        let says = format!("tokens are valid for only {} s", settings.token_lifetime_seconds);
        report.add_warning(
            AREA,
            says,
            "applications request new tokens very often. Check that this is intended",
        );
    }
}

/// A certificate that expires within this time is reported, because it should have been renewed. Automatic
/// certificate authorities issue certificates for 90 days and expect a renewal after 60.
const EXPIRY_WARNING_SECONDS: i64 = 14 * 24 * 3600;
/// The minimum reasonable lifetime of a token in seconds. With a shorter lifetime, applications constantly
/// request tokens.
const SHORT_TOKEN_LIFETIME_SECONDS: u32 = 60;

/// Reports the certificate of each listener and when it expires.
fn check_certificates(settings: &Settings, now: Timestamp, report: &mut DiagnosticsReport) {
    let sides = [
        (
            ("listen", settings.listen),
            [&settings.tls_certificate_file, &settings.tls_key_file],
            tls::load_partner_tls(settings),
        ),
        (
            ("operator_listen", settings.operator_listen),
            [&settings.operator_tls_certificate_file, &settings.operator_tls_key_file],
            tls::load_operator_tls(settings),
        ),
    ];
    for ((name, address), files, tls) in sides {
        match tls {
            Err(failure) if files.iter().all(|file| file.is_empty()) => {
                let advice = "change one of these settings. Otherwise the server does not start";
                report.add_problem("tls", failure.to_string(), advice);
            }
            Err(failure) => report.add_problem("tls", failure.to_string(), "correct the two files"),
            Ok(Some(tls)) => check_certificate_expiry(name, tls.not_after().as_deref(), now, report),
            Ok(None) if is_public_address(address) => report.add_warning(
                "tls",
                format!("`{name}` {address} can be reached from other machines without TLS"),
                "set a certificate and its key, or let only a proxy that terminates TLS reach this address",
            ),
            Ok(None) => report.add_ok(
                "tls",
                format!("`{name}` {address} has no TLS and is reachable only from this machine"),
            ),
        }
    }
}

/// Warns if tokens or assertions need the public address of the server, and this address is not set.
fn check_public_address(settings: &Settings, report: &mut DiagnosticsReport) {
    if !settings.public_base_url.is_empty() {
        return;
    }
    let advice = "set `public_base_url` to the address that clients use";
    if settings.token_signature == TokenSignature::EdDsa {
        let says = "the issuer in tokens is `payroll-server`, because `public_base_url` is not set. Other \
                    services cannot check that the tokens are from this server";
        report.add_warning(AREA, says, advice);
    }
    if is_public_address(settings.listen) || !settings.trusted_proxies.0.is_empty() {
        let says = "client assertions (`private_key_jwt`) are accepted only for addresses of this machine, \
                    because `public_base_url` is not set";
        report.add_warning(AREA, says, advice);
    }
}

/// Reports a certificate that matches its key, and warns if the certificate expires soon or has expired.
fn check_certificate_expiry(name: &str, end: Option<&str>, now: Timestamp, report: &mut DiagnosticsReport) {
    let Some(end) = end else {
        return report.add_ok("tls", format!("`{name}` has a certificate and its key"));
    };
    let says = format!("`{name}` has a certificate and its key, valid until {end}");
    let left = Timestamp::parse(end).map(|end| end.as_seconds() - now.as_seconds());
    match left {
        Ok(left) if left < 0 => report.add_problem("tls", says, "the certificate has expired: renew it"),
        Ok(left) if left < EXPIRY_WARNING_SECONDS => {
            report.add_warning("tls", says, "the certificate expires soon: renew it")
        }
        Ok(_) | Err(_) => report.add_ok("tls", says),
    }
}

/// Returns whether other machines may be able to reach the address.
fn is_public_address(address: SocketAddr) -> bool {
    !address.ip().is_loopback()
}
