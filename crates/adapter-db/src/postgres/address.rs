//! Reads a PostgreSQL address before the driver reads it. Parameters that the driver does not support are
//! handled here or rejected by name.

use std::fmt::Display;

use crate::error::{Failure, Outcome};

/// Parameters that the driver supports.
const KNOWN_PARAMETERS: [&str; 16] = [
    "application_name",
    "channel_binding",
    "connect_timeout",
    "dbname",
    "hostaddr",
    "keepalives",
    "keepalives_idle",
    "keepalives_interval",
    "keepalives_retries",
    "load_balance_hosts",
    "options",
    "password",
    "port",
    "sslnegotiation",
    "tcp_user_timeout",
    "user",
];

/// An address split into two parts: the address for the driver, and the TLS parameters.
#[derive(Debug)]
pub(super) struct ParsedAddress {
    /// The address for the driver.
    pub(super) driver_url: String,
    /// The value of the parameter `sslmode`, if the address contains it.
    pub(super) mode: Option<String>,
    /// The value of the parameter `sslrootcert`, if the address contains it.
    pub(super) roots: Option<String>,
}

impl ParsedAddress {
    /// Reads the parameters of an address.
    ///
    /// # Errors
    /// [`Failure::Unavailable`] if a parameter is unknown or has an invalid value. The text contains the name
    /// of the parameter but no value.
    pub(super) fn parse(url: &str) -> Outcome<Self> {
        check_url(url).map_err(|form| invalid_address_failure(format!("the database URL {form}")))?;
        // The user name and password are split off at the last `@`, because a password may contain a question
        // mark.
        let (login, place) = url.rsplit_once('@').map_or(("", url), |(login, place)| (login, place));
        let (place, query) = place.split_once('?').unwrap_or((place, ""));
        let (mut mode, mut roots, mut others) = (None, None, Vec::new());
        for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
            let Some((name, value)) = parameter.split_once('=') else {
                return Err(invalid_address_failure("the database URL has a parameter without a value"));
            };
            match name {
                "sslmode" => mode = Some(value.to_owned()),
                "sslrootcert" => roots = Some(percent_decode(value)),
                // Each host becomes its own parameter, because the driver accepts several parameters with
                // this name.
                "host" => others.extend(split_list(value).map(|host| format!("host={host}"))),
                "target_session_attrs" => others.push(format!("{name}={}", parse_session_attrs(value)?)),
                name if KNOWN_PARAMETERS.contains(&name) => others.push(parameter.to_owned()),
                name => return Err(invalid_address_failure(unknown_parameter_message(name))),
            }
        }
        let at = if login.is_empty() { "" } else { "@" };
        let separator = if others.is_empty() { "" } else { "?" };
        // The driver ends the login at the first `@`. If a password contained an unencoded `@`, the driver
        // would treat the rest of the password as a host name. Error messages contain host names and would
        // then reveal a part of the password.
        let login = login.replace('@', "%40");
        Ok(Self { driver_url: format!("{login}{at}{place}{separator}{}", others.join("&")), mode, roots })
    }
}

/// Validates the form of a database URL before any part of the URL is used or shown. In a PostgreSQL URL, the
/// last `@` separates the login from the host.
///
/// # Errors
/// The form that the text must have, as the end of a sentence: `must contain …`. The caller writes the name
/// of the setting before this text. The error never contains the URL, which may contain a password.
pub fn check_url(text: &str) -> Result<(), &'static str> {
    const EXPECTED_FORMS_MESSAGE: &str = "must be the path of an SQLite file or begin with postgres://, such as \
        postgres://user:password@host/database";
    const ENCODING_MESSAGE: &str = "must contain %2F, %3F and %40 in place of /, ? and @ in its user name, password and \
        parameters";
    match text.split_once("://") {
        Some(("postgres" | "postgresql", rest)) => {
            let login = rest.rsplit_once('@').map_or("", |(login, _)| login);
            if is_ambiguous_login(login) { Err(ENCODING_MESSAGE) } else { Ok(()) }
        }
        None if !text.is_empty() && !has_keywords(text) => Ok(()),
        None | Some(_) => Err(EXPECTED_FORMS_MESSAGE),
    }
}

/// Returns whether the text before the last `@` may contain more than a user name and a password.
fn is_ambiguous_login(login: &str) -> bool {
    let user = login.split_once(':').map_or(login, |(user, _)| user);
    login.contains('/') || login.contains("password=") || user.contains(['?', '@'])
}

/// Returns whether the text is a list of keywords such as `host=db password=secret`, which libpq accepts.
fn has_keywords(text: &str) -> bool {
    let mut text = text.to_ascii_lowercase();
    text.retain(|letter| !letter.is_whitespace());
    text.starts_with("postgres:") || ["password=", "host="].iter().any(|keyword| text.contains(keyword))
}

/// Returns the error for an address that cannot be used.
pub(super) fn invalid_address_failure(reason: impl Display) -> Failure {
    Failure::Unavailable(reason.to_string())
}

/// Splits a list at its commas, which may be percent-encoded. The elements stay encoded.
fn split_list(value: &str) -> impl Iterator<Item = String> {
    let plain = value.replace("%2C", ",").replace("%2c", ",");
    plain.split(',').map(str::to_owned).collect::<Vec<_>>().into_iter()
}

/// Converts the parameter `target_session_attrs`, which is the required kind of server, to a value that the
/// driver supports. The driver does not support `primary`, so it is converted to the value for a server that
/// accepts writes.
fn parse_session_attrs(value: &str) -> Outcome<&'static str> {
    match value {
        "any" => Ok("any"),
        "read-only" => Ok("read-only"),
        "read-write" | "primary" => Ok("read-write"),
        _ => {
            Err(invalid_address_failure("target_session_attrs must be any, primary, read-write or read-only"))
        }
    }
}

/// Returns the error for an unknown parameter.
fn unknown_parameter_message(name: &str) -> String {
    let plain = name.len() <= 40 && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    match name {
        "sslcert" | "sslkey" | "sslpassword" => {
            format!(
                "{name} is not supported: this server signs in to PostgreSQL with a password, not with \
                a certificate"
            )
        }
        "sslcrl" | "sslcrldir" => {
            format!("{name} is not supported: this server reads no lists of revoked certificates")
        }
        name if plain => format!("the database URL has the unknown parameter {name}"),
        // The text may be a part of a password, so it is not repeated.
        _ => "the database URL has an unknown parameter".to_owned(),
    }
}

/// Decodes a percent-encoded value of the query. An invalid encoding is returned unchanged.
fn percent_decode(value: &str) -> String {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let Some((first, after_percent)) = rest.split_first() {
        let digits = after_percent.split_at_checked(2).filter(|_| *first == b'%');
        let byte = digits.and_then(|(digits, remaining)| {
            let text = std::str::from_utf8(digits).ok()?;
            Some((u8::from_str_radix(text, 16).ok()?, remaining))
        });
        let (byte, remaining) = byte.unwrap_or((*first, after_percent));
        bytes.push(byte);
        rest = remaining;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use std::str::FromStr;

    use tokio_postgres::Config;

    use super::*;

    #[test]
    fn removes_only_the_tls_parameters_from_a_database_url() {
        for (url, rest, mode, roots) in [
            ("postgres://db/pay", "postgres://db/pay", None, None),
            ("postgres://me:a?b@db/pay?sslmode=require", "postgres://me:a?b@db/pay", Some("require"), None),
            (
                "postgres://db/pay?connect_timeout=3&sslrootcert=%2Fa%20b.pem&sslmode=verify-full&user=x",
                "postgres://db/pay?connect_timeout=3&user=x",
                Some("verify-full"),
                Some("/a b.pem"),
            ),
            // The driver would end the login at the first `@`, so an `@` in a password is encoded.
            ("postgres://me:a@b@db/pay?sslmode=require", "postgres://me:a%40b@db/pay", Some("require"), None),
            // In this address, the text `sslmode=disable` is part of the password and not a parameter.
            ("postgres://me:sslmode=disable@db/pay", "postgres://me:sslmode=disable@db/pay", None, None),
        ] {
            let address = ParsedAddress::parse(url).unwrap();
            let reported = (address.driver_url.as_str(), address.mode.as_deref(), address.roots.as_deref());
            assert_eq!(reported, (rest, mode, roots));
        }
    }

    #[test]
    fn rejects_a_url_that_may_show_its_password_without_repeating_it() {
        for url in [
            "host=db user=me password=hunter2",
            "PASSWORD = hunter2 dbname=pay",
            "host=/hunter2",
            "postgres:me:hunter2@db/pay",
            "mysql://me:hunter2@db/pay",
            "postgres://me:a@hunter2/b@db/pay",
            "postgres://me@hunter2@db/pay",
            "postgres://db/pay?password=a@hunter2",
            "postgres://db:5432?password=a@hunter2",
            "",
        ] {
            let form = check_url(url).unwrap_err();
            assert!(form.starts_with("must ") && !form.contains("hunter2"), "{url}: {form}");
        }
        for url in ["data/pay@home.db", "postgres://me:a@b?c@db/pay", "postgres://db/pay?password=secret"] {
            assert_eq!(check_url(url), Ok(()), "{url}");
        }
        let address = ParsedAddress::parse("postgres://me:hunter2@x@127.0.0.1:5432/pay").unwrap();
        let settings = Config::from_str(&address.driver_url).unwrap();
        assert_eq!(settings.get_password(), Some(&b"hunter2@x"[..]));
        assert_eq!(settings.get_hosts(), [tokio_postgres::config::Host::Tcp("127.0.0.1".to_owned())]);
    }

    #[test]
    fn accepts_several_hosts_with_ports_in_the_query() {
        let address =
            ParsedAddress::parse("postgres:///pay?host=a,b%2Cc&port=1,2,3&target_session_attrs=primary")
                .unwrap();
        let settings = Config::from_str(&address.driver_url).unwrap();
        assert_eq!((settings.get_hosts().len(), settings.get_ports()), (3, &[1, 2, 3][..]));
        assert_eq!(
            address.driver_url,
            "postgres:///pay?host=a&host=b&host=c&port=1,2,3&target_session_attrs=read-write"
        );
    }

    #[test]
    fn rejects_an_unknown_parameter_by_name_without_its_value() {
        for (parameter, says) in [
            ("sslcert=hunter2", "sslcert is not supported"),
            ("sslkey=hunter2", "sslkey is not supported"),
            ("sslcrl=hunter2", "sslcrl is not supported"),
            ("gssencmode=hunter2", "the unknown parameter gssencmode"),
            ("target_session_attrs=hunter2", "target_session_attrs must be"),
            ("a/b=hunter2", "an unknown parameter"),
            ("hunter2", "a parameter without a value"),
        ] {
            let failure =
                format!("{:?}", ParsedAddress::parse(&format!("postgres://db/pay?{parameter}")).unwrap_err());
            assert!(failure.contains(says) && !failure.contains("hunter2"), "{failure}");
        }
    }
}
