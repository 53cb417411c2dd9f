//! Reads the method by which the server authenticates to the receiver of a hook.

use super::rank;
use crate::hook::address::AddressRules;
use crate::hook::{Address, AuthType, Authentication, OAuthClient};
use crate::input::{Field, Members, Node, Value, values};
use crate::report::{Fault, Report};
use crate::secret_text::SecretText;

/// The maximum number of characters in a user name or client id.
const MAX_NAME_LENGTH: usize = 256;
/// The maximum number of characters in a password, key or client secret. This length is enough for a signed
/// token, and short enough for the usual header limit of 8 KiB.
const MAX_SECRET_LENGTH: usize = 4_096;
/// The maximum number of characters in the requested scopes.
const MAX_SCOPE_LENGTH: usize = 1_024;
/// The maximum number of characters in a header name.
const MAX_HEADER_LENGTH: usize = 64;

/// The header that contains the key if the registration does not name a header.
const DEFAULT_KEY_HEADER: &str = "x-api-key";
/// An older name of the authentication method `APIKEY`, which is still accepted.
const API_KEY_ALIAS: &str = "API_KEY";

/// Headers that the server sets itself, and hop-by-hop headers (RFC 9110, section 7.6.1). A hook must not
/// send its key in one of these headers.
const RESERVED_HEADERS: &[&str] = &[
    "accept-encoding",
    "authorization",
    "connection",
    "expect",
    "host",
    "http2-settings",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
];
/// Prefixes of further header names that the server sets itself.
const RESERVED_PREFIXES: &[&str] = &["content-", "proxy-", "webhook-"];

/// Reads the authentication of a hook. If it has a fault, the fault is reported and the result is `None`.
pub(super) fn read_authentication(
    members: Members<'_>,
    rules: &AddressRules,
    report: &mut Report,
) -> Option<Authentication> {
    let object =
        members.read_required("authentication", rank::AUTHENTICATION, report, |node| match node.value {
            Value::Object(_) => Ok(node),
            _ => Err(Fault::invalid("must be an object")),
        });
    let members = Members::from_node(object.into_value()?, members.context.with_member("authentication"))?;
    match members.read_required("authType", rank::AUTH_TYPE, report, read_auth_type).into_value()? {
        AuthType::Basic => read_basic(members, report),
        AuthType::ApiKey => read_api_key(members, report),
        AuthType::OAuth2 => read_oauth_client(members, rules, report).map(Authentication::OAuth2),
        AuthType::OAuth2Basic => read_oauth_client(members, rules, report).map(Authentication::OAuth2Basic),
    }
}

/// Reads the name of an authentication method.
pub(super) fn read_auth_type(node: &Node<'_>) -> Result<AuthType, Fault> {
    let text = values::read_text(node)?;
    let known = if text == API_KEY_ALIAS { Some(AuthType::ApiKey) } else { AuthType::parse(text) };
    known.ok_or_else(|| {
        let all: Vec<_> = AuthType::ALL.iter().map(|one| one.as_str()).collect();
        Fault::invalid(format!("must be one of {}", all.join(", ")))
    })
}

fn read_basic(members: Members<'_>, report: &mut Report) -> Option<Authentication> {
    let username = members.read_required("username", rank::FIRST_CREDENTIAL, report, read_user_name);
    let password = members.read_required("password", rank::SECOND_CREDENTIAL, report, read_secret);
    Some(Authentication::Basic { username: username.into_value()?, password: password.into_value()? })
}

fn read_api_key(members: Members<'_>, report: &mut Report) -> Option<Authentication> {
    let key = members.read_required("apiKey", rank::FIRST_CREDENTIAL, report, read_header_value);
    let header = match members.read_optional("apiKeyHeader", report, read_header_name) {
        Field::Absent => Some(DEFAULT_KEY_HEADER.to_owned()),
        Field::Failed => None,
        Field::Given { value, .. } => Some(value),
    };
    Some(Authentication::ApiKey { header: header?, key: key.into_value()? })
}

/// Reads the client credentials with which the server fetches a token. The grant type and the content type
/// have only one valid value each.
fn read_oauth_client(members: Members<'_>, rules: &AddressRules, report: &mut Report) -> Option<OAuthClient> {
    let token_url = members.read_required("tokenUrl", rank::FIRST_CREDENTIAL, report, |node| {
        Address::parse_token_url(values::read_text(node)?, rules)
            .map_err(|rule| Fault::invalid(rules.reason(rule)))
    });
    let client_id = members.read_required("clientId", rank::SECOND_CREDENTIAL, report, |node| {
        values::read_plain_text(node, MAX_NAME_LENGTH).map(str::to_owned)
    });
    let client_secret = members.read_required("clientSecret", rank::THIRD_CREDENTIAL, report, read_secret);
    let scope = members.read_optional("scope", report, read_scope);
    Some(OAuthClient {
        token_url: token_url.into_value()?,
        client_id: client_id.into_value()?,
        client_secret: client_secret.into_value()?,
        scope: scope.into_value(),
    })
}

/// Reads a user name for Basic authentication. The user name must not contain a colon, because a colon
/// separates it from the password (RFC 7617, section 2).
fn read_user_name(node: &Node<'_>) -> Result<String, Fault> {
    let name = values::read_plain_text(node, MAX_NAME_LENGTH)?;
    if name.contains(':') { Err(Fault::invalid("must have no colon")) } else { Ok(name.to_owned()) }
}

fn read_secret(node: &Node<'_>) -> Result<SecretText, Fault> {
    values::read_plain_text(node, MAX_SECRET_LENGTH).map(SecretText::new)
}

/// Reads a secret that is sent unchanged in a header (RFC 9110, section 5.5). Surrounding white space is
/// rejected, because recipients remove it from the value. Characters other than ASCII are rejected, because
/// proxies may alter them.
fn read_header_value(node: &Node<'_>) -> Result<SecretText, Fault> {
    let text = values::read_text(node)?;
    let sendable = |byte: u8| byte == b' ' || byte.is_ascii_graphic();
    if text.len() > MAX_SECRET_LENGTH || !text.bytes().all(sendable) || text.trim() != text {
        return Err(Fault::invalid(format!(
            "must have 1 to {MAX_SECRET_LENGTH} visible ASCII characters, with spaces only between them"
        )));
    }
    Ok(SecretText::new(text))
}

/// Reads a header name (RFC 9110, section 5.1) and returns it in lower case. Names of headers that the server
/// sets itself are rejected.
fn read_header_name(node: &Node<'_>) -> Result<String, Fault> {
    let name = values::read_text(node)?.to_ascii_lowercase();
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.len() > MAX_HEADER_LENGTH || !name.bytes().all(token) {
        return Err(Fault::invalid(format!(
            "must be the name of a header, 1 to {MAX_HEADER_LENGTH} of A-Z, a-z, 0-9 and !#$%&'*+-.^_`|~"
        )));
    }
    let is_reserved = RESERVED_HEADERS.contains(&name.as_str())
        || RESERVED_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    if is_reserved {
        Err(Fault::invalid("must not be a header that the server sets itself"))
    } else {
        Ok(name)
    }
}

/// Reads scopes that are separated by single spaces (RFC 6749, section 3.3).
fn read_scope(node: &Node<'_>) -> Result<String, Fault> {
    let text = values::read_text(node)?;
    let allowed = |byte: u8| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\';
    let word = |word: &str| !word.is_empty() && word.bytes().all(allowed);
    if text.len() > MAX_SCOPE_LENGTH || !text.split(' ').all(word) {
        return Err(Fault::invalid(format!(
            "must have 1 to {MAX_SCOPE_LENGTH} visible ASCII characters, no quotation mark or backslash, and single spaces"
        )));
    }
    Ok(text.to_owned())
}
