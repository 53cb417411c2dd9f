//! The TLS settings of each listener, and the rule that rejects plain HTTP on addresses that other machines
//! can reach.

use std::net::SocketAddr;

use payroll_adapter_http::{TlsConfiguration, TlsError, TlsFile, TlsFiles};

use crate::config::Settings;
use crate::failure::{Failure, Outcome};

/// The two TLS files of one listener, each with the name of its setting.
struct TlsFileSettings<'a> {
    certificate: (&'static str, &'a str),
    key: (&'static str, &'a str),
}

/// Loads the TLS configuration of the partner listener. `None` for plain HTTP.
///
/// # Errors
/// Names the setting and the file that cannot be used. Also fails if other machines could use plain HTTP.
pub(crate) fn load_partner_tls(settings: &Settings) -> Outcome<Option<TlsConfiguration>> {
    let named = TlsFileSettings {
        certificate: ("tls_certificate_file", &settings.tls_certificate_file),
        key: ("tls_key_file", &settings.tls_key_file),
    };
    load_tls(settings, ("listen", settings.listen), &named)
}

/// Loads the TLS configuration of the operator listener. `None` for plain HTTP.
///
/// # Errors
/// Returns the same errors as [`load_partner_tls`].
pub(crate) fn load_operator_tls(settings: &Settings) -> Outcome<Option<TlsConfiguration>> {
    let named = TlsFileSettings {
        certificate: ("operator_tls_certificate_file", &settings.operator_tls_certificate_file),
        key: ("operator_tls_key_file", &settings.operator_tls_key_file),
    };
    load_tls(settings, ("operator_listen", settings.operator_listen), &named)
}

fn load_tls(
    settings: &Settings,
    listener: (&str, SocketAddr),
    named: &TlsFileSettings<'_>,
) -> Outcome<Option<TlsConfiguration>> {
    let tls = load_tls_files(named)?;
    if tls.is_none() {
        reject_plain_http(settings, listener, named)?;
    }
    Ok(tls)
}

/// Rejects plain HTTP on an address that other machines can reach, unless the settings allow it.
fn reject_plain_http(
    settings: &Settings,
    listener: (&str, SocketAddr),
    tls_settings: &TlsFileSettings<'_>,
) -> Outcome {
    let (setting, address) = listener;
    let is_meant = settings.allow_plain_http || !settings.trusted_proxies.0.is_empty();
    if is_meant || address.ip().to_canonical().is_loopback() {
        return Ok(());
    }
    Err(Failure::new(format!(
        "setting `{setting}` is {address}, where secrets and personal data would go over the network in \
         plain HTTP. Either give that listener a certificate (`{}` and `{}`), or name the proxies in front \
         of it that terminate TLS (`trusted_proxies`), or accept plain HTTP (`allow_plain_http` = true)",
        tls_settings.certificate.0, tls_settings.key.0
    )))
}

fn load_tls_files(tls_settings: &TlsFileSettings<'_>) -> Outcome<Option<TlsConfiguration>> {
    let alone = |given: (&str, &str), missing: &str| {
        Failure::new(format!(
            "setting `{}` names {}, but `{missing}` is not set: TLS requires both settings",
            given.0, given.1
        ))
    };
    match (tls_settings.certificate.1, tls_settings.key.1) {
        ("", "") => Ok(None),
        (_, "") => Err(alone(tls_settings.certificate, tls_settings.key.0)),
        ("", _) => Err(alone(tls_settings.key, tls_settings.certificate.0)),
        (certificate, key) => {
            let files = TlsFiles { certificate: certificate.into(), key: key.into() };
            TlsConfiguration::load(files).map(Some).map_err(|error| tls_settings.tls_failure(&error))
        }
    }
}

impl TlsFileSettings<'_> {
    fn tls_failure(&self, error: &TlsError) -> Failure {
        let setting = match error.file {
            TlsFile::Certificate => self.certificate.0,
            TlsFile::Key => self.key.0,
        };
        Failure::new(format!("setting `{setting}`: {error}"))
    }
}
