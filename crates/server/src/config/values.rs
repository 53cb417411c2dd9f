//! Parses the text of settings, and shows their values without secrets.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

use payroll_adapter_db::DurabilityWeakness;
use payroll_adapter_http::Network;
use payroll_ports::keys::Key;
use validator::ValidationError;

use crate::keys::line;

/// The type of a setting, which is parsed from text.
pub trait Setting: Sized {
    /// Whether the value is a secret. A secret setting has no flag, because all users can read command lines.
    const IS_SECRET: bool = false;

    /// Parses the text of a setting.
    ///
    /// # Errors
    /// Returns the violated rule without the setting's name, such as "must begin with postgres://". The rule
    /// never repeats the invalid text, because a user may have entered a secret by mistake.
    fn read(text: &str) -> Result<Self, String>;

    /// Returns the value for display, without secrets.
    fn show(&self) -> String;
}

impl Setting for String {
    fn read(text: &str) -> Result<Self, String> {
        Ok(text.to_owned())
    }

    fn show(&self) -> String {
        self.clone()
    }
}

impl Setting for u32 {
    fn read(text: &str) -> Result<Self, String> {
        text.parse::<Self>().map_err(|error| match error.kind() {
            std::num::IntErrorKind::PosOverflow => format!("must be at most {}", Self::MAX),
            _ => "must be a whole number that is not negative".to_owned(),
        })
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

/// The maximum pause in seconds. A supervisor would kill the server before a longer pause ends.
const MAX_PAUSE_SECONDS: u32 = 600;

/// The seconds of a pause. With `None`, the default depends on `trusted_proxies`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PauseSeconds(pub Option<u32>);

impl Setting for PauseSeconds {
    fn read(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(Self(None));
        }
        let seconds = text.parse().ok().filter(|seconds| *seconds <= MAX_PAUSE_SECONDS);
        seconds.map(|seconds| Self(Some(seconds))).ok_or_else(|| "must be from 0 to 600, or empty".to_owned())
    }

    fn show(&self) -> String {
        self.0.map(|number| number.to_string()).unwrap_or_default()
    }
}

impl Setting for bool {
    fn read(text: &str) -> Result<Self, String> {
        text.parse().map_err(|_| "must be true or false".to_owned())
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

/// A ratio from 0 to 1, such as the ratio of traced requests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratio(pub f64);

impl Setting for Ratio {
    fn read(text: &str) -> Result<Self, String> {
        let ratio = text.parse().ok().filter(|ratio| (0.0..=1.0).contains(ratio));
        ratio.map(Self).ok_or_else(|| "must be a number from 0 to 1".to_owned())
    }

    fn show(&self) -> String {
        self.0.to_string()
    }
}

/// Returns the elements of a list that is separated by commas. Blanks and empty elements are ignored.
pub(crate) fn split_list(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty())
}

/// The addresses and ports to use for host names, in place of resolving the names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostMap(pub BTreeMap<String, SocketAddr>);

impl Setting for HostMap {
    fn read(text: &str) -> Result<Self, String> {
        let host = |part: &str| {
            let (name, address) = part.split_once('=')?;
            let plain =
                |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-._".contains(&byte);
            let fits = !name.is_empty() && name.bytes().all(plain);
            fits.then(|| Some((name.to_owned(), address.parse().ok()?)))?
        };
        let refusal = || "must contain name=address:port, such as hooks.internal=10.0.0.7:8443".to_owned();
        split_list(text).map(|part| host(part).ok_or_else(refusal)).collect::<Result<_, _>>().map(Self)
    }

    fn show(&self) -> String {
        let hosts: Vec<String> = self.0.iter().map(|(name, address)| format!("{name}={address}")).collect();
        hosts.join(",")
    }
}

/// A list of IP addresses, which may be empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AddressList(pub Vec<IpAddr>);

impl Setting for AddressList {
    fn read(text: &str) -> Result<Self, String> {
        let refusal = |_| "must contain IP addresses, separated by commas".to_owned();
        split_list(text).map(|part| part.parse().map_err(refusal)).collect::<Result<_, _>>().map(Self)
    }

    fn show(&self) -> String {
        let addresses: Vec<String> = self.0.iter().map(IpAddr::to_string).collect();
        addresses.join(",")
    }
}

/// A list of IP address ranges, which may be empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NetworkList(pub Vec<Network>);

impl Setting for NetworkList {
    fn read(text: &str) -> Result<Self, String> {
        let refusal = |_| {
            "must contain IP addresses and ranges such as 10.0.0.0/8, whose last bits are 0, separated by \
             commas"
                .to_owned()
        };
        split_list(text).map(|part| part.parse().map_err(refusal)).collect::<Result<_, _>>().map(Self)
    }

    fn show(&self) -> String {
        let networks: Vec<String> = self.0.iter().map(Network::to_string).collect();
        networks.join(",")
    }
}

impl Setting for SocketAddr {
    fn read(text: &str) -> Result<Self, String> {
        text.parse().map_err(|_| "must be an address and a port, such as 127.0.0.1:8080".to_owned())
    }

    fn show(&self) -> String {
        self.to_string()
    }
}

/// The URL of a PostgreSQL database or the path of an embedded one. `Debug` hides the password.
#[derive(Clone, PartialEq, Eq)]
pub struct DatabaseUrl(String);

impl DatabaseUrl {
    /// Creates the location of an embedded database from the path of its file.
    #[must_use]
    pub fn embedded(path: &Path) -> Self {
        Self(path.to_string_lossy().into_owned())
    }

    /// Returns the file of the embedded database. `None` for PostgreSQL.
    #[must_use]
    pub fn embedded_path(&self) -> Option<PathBuf> {
        payroll_adapter_db::embedded_file(&self.0)
    }

    /// Returns the name of the database: the file name of an embedded one, or the last segment of the URL.
    #[must_use]
    pub fn name(&self) -> String {
        let address = self.0.split_once('?').map_or(self.0.as_str(), |(address, _)| address);
        let last = |text: &str| text.rsplit('/').next().unwrap_or_default().to_owned();
        match self.embedded_path() {
            Some(path) => last(&path.to_string_lossy()),
            None => last(address),
        }
    }

    /// Returns the URL with its password, for code that opens the database.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl Setting for DatabaseUrl {
    fn read(text: &str) -> Result<Self, String> {
        payroll_adapter_db::check_url(text).map_err(str::to_owned)?;
        if !text.contains("://") && has_login(text) {
            return Err("must begin with postgres:// if it has a user and a password".to_owned());
        }
        Ok(Self(text.to_owned()))
    }

    fn show(&self) -> String {
        let Some((scheme, rest)) = self.0.split_once("://") else { return self.0.clone() };
        // The user and the password are removed first, because a password may contain a question mark. The
        // query is never shown, because it may contain a password too.
        let (login, address) = rest.rsplit_once('@').unwrap_or(("", rest));
        let user = login.split_once(':').map_or(login.to_owned(), |(user, _)| format!("{user}:***"));
        let at = if login.is_empty() { "" } else { "@" };
        let (host, query) = address.split_once('?').map_or((address, ""), |(host, _)| (host, "?***"));
        format!("{scheme}://{user}{at}{host}{query}")
    }
}

/// Returns whether a text without a scheme looks like `user:password@host/`. Such a text must not be used as
/// a file path, because the password would appear in logs.
fn has_login(text: &str) -> bool {
    let login = text.split_once('@').filter(|(login, address)| !login.contains('/') && address.contains('/'));
    login.is_some_and(|(login, _)| login.contains(':'))
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.show())
    }
}

/// The URL of a PostgreSQL database, or none. `Debug` hides the password.
#[derive(Debug, Clone, Default)]
pub struct OptionalDatabaseUrl(Option<DatabaseUrl>);

impl OptionalDatabaseUrl {
    /// Returns the URL with its password, for code that opens the database.
    #[must_use]
    pub fn expose(&self) -> Option<&str> {
        self.0.as_ref().map(DatabaseUrl::expose)
    }
}

impl Setting for OptionalDatabaseUrl {
    fn read(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(Self(None));
        }
        match DatabaseUrl::read(text) {
            Ok(url) if url.embedded_path().is_none() => Ok(Self(Some(url))),
            Err(form) if text.starts_with("postgres") => Err(form),
            Ok(_) | Err(_) => Err("must begin with postgres://, or be empty".to_owned()),
        }
    }

    fn show(&self) -> String {
        self.0.as_ref().map(DatabaseUrl::show).unwrap_or_default()
    }
}

/// The keys in a setting, which may be empty. `Debug` shows only their ids.
#[derive(Debug, Clone, Default)]
pub struct KeyList(pub Vec<Key>);

impl Setting for KeyList {
    const IS_SECRET: bool = true;

    fn read(text: &str) -> Result<Self, String> {
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        parts
            .map(|part| {
                line::parse(part).ok_or_else(|| {
                    "must contain keys as id:base64 of 32 bytes. `payroll-server key` creates one".to_owned()
                })
            })
            .collect::<Result<_, _>>()
            .map(Self)
    }

    fn show(&self) -> String {
        let ids: Vec<String> = self.0.iter().map(|key| format!("{}:***", key.id())).collect();
        ids.join(",")
    }
}

/// Validates the name of the vendor in media types.
pub(super) fn validate_media_type_vendor(text: &str) -> Result<(), ValidationError> {
    let good = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let fits = (1..=64).contains(&text.len()) && text.bytes().all(good);
    check_format(fits, "must be 1 to 64 of the characters a-z, 0-9 and -")
}

/// Validates the names of accepted weaknesses of a database.
pub(super) fn validate_weaknesses(text: &str) -> Result<(), ValidationError> {
    let known = |name: &str| DurabilityWeakness::ALL.iter().any(|weakness| weakness.name() == name.trim());
    let fits = text.is_empty() || text.split(',').all(known);
    check_format(fits, "must contain only fsync, full_page_writes, synchronous_commit and unlogged_tables")
}

/// Validates the contacts for reports of vulnerabilities. Each contact is a line of a file, so it must not
/// contain control characters.
pub(super) fn validate_contacts(text: &str) -> Result<(), ValidationError> {
    let fits = |contact: &str| {
        let target = ["mailto:", "https://", "tel:"].iter().find_map(|scheme| contact.strip_prefix(scheme));
        target.is_some_and(|target| !target.is_empty() && target.bytes().all(|byte| byte.is_ascii_graphic()))
    };
    check_format(
        split_list(text).all(fits),
        "must contain addresses that begin with mailto:, https:// or tel:, separated by commas",
    )
}

/// Validates the URL of an identity provider, which may be empty. The URL must use TLS, because otherwise an
/// attacker on the network could replace the provider's keys.
pub(super) fn validate_issuer(text: &str) -> Result<(), ValidationError> {
    let is_local = ["127.0.0.1", "[::1]", "localhost"].iter().any(|host| {
        let rest = text.strip_prefix("http://").and_then(|rest| rest.strip_prefix(host));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/']))
    });
    let has_tls = text.strip_prefix("https://").is_some_and(|host| !host.is_empty());
    let plain = text.bytes().all(|byte| byte.is_ascii_graphic() && !b"?#@\"".contains(&byte));
    check_format(
        text.is_empty() || (plain && (is_local || has_tls)),
        "must begin with https:// (or http:// for this machine) and have no query",
    )
}

/// Validates the text on a button, which must not contain markup.
pub(super) fn validate_label(text: &str) -> Result<(), ValidationError> {
    let good = |letter: char| letter.is_alphanumeric() || " .-".contains(letter);
    let fits = (1..=40).contains(&text.chars().count()) && text.chars().all(good);
    check_format(fits, "must be 1 to 40 letters, digits, spaces, dots and hyphens")
}

/// Validates the base of every link, which may be empty.
pub(super) fn validate_base_url(text: &str) -> Result<(), ValidationError> {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let plain = |host: &str| {
        !host.is_empty()
            && !host.ends_with('/')
            && host.bytes().all(|b| b.is_ascii_graphic() && !b"?#@\"".contains(&b))
    };
    check_format(
        text.is_empty() || host.is_some_and(plain),
        "must begin with https:// or http:// and end without a slash",
    )
}

pub(super) fn check_format(fits: bool, message: &'static str) -> Result<(), ValidationError> {
    if fits { Ok(()) } else { Err(ValidationError::new("shape").with_message(Cow::Borrowed(message))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_an_address_without_its_password() {
        for (address, shown) in [
            ("data/payroll.db", "data/payroll.db"),
            ("postgres://db/pay", "postgres://db/pay"),
            ("postgres://me@db/pay", "postgres://me@db/pay"),
            ("postgres://me:secret@db/pay", "postgres://me:***@db/pay"),
            ("postgres://me:sec@ret@db/pay", "postgres://me:***@db/pay"),
            ("postgres://me:sec?ret@db/pay?sslmode=require", "postgres://me:***@db/pay?***"),
            ("postgres://db/pay?password=secret", "postgres://db/pay?***"),
        ] {
            assert_eq!(DatabaseUrl::read(address).unwrap().show(), shown);
        }
    }

    #[test]
    fn rejects_an_invalid_database_url_without_repeating_it() {
        let without_scheme = "me:hunter2@db.internal/pay";
        for url in [
            "host=db password=hunter2",
            "postgres://me:a/b@hunter2@db/pay",
            "mysql://me:hunter2@db",
            without_scheme,
        ] {
            let form = DatabaseUrl::read(url).unwrap_err();
            assert!(form.starts_with("must ") && !form.contains("hunter2"), "{form}");
        }
        for path in ["payroll.db", "/data/a:b@c/payroll.db", "me@host/payroll.db"] {
            assert!(DatabaseUrl::read(path).is_ok(), "{path}");
        }
    }
}
