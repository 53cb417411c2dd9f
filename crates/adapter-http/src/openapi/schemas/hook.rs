//! Hooks (specification §11.17) in requests and responses.

use payroll_domain::event::EventDomain;
use payroll_domain::hook::address::MAX_ADDRESS_LENGTH;
use payroll_domain::hook::{AuthType, MAX_ATTEMPTS, MAX_PER_SECOND};
use serde_json::{Value, json};

use super::super::schema::{
    Member, enumeration, flag, id, instant, list, object, optional, plain_text, reference, required, text,
    with,
};
use super::named::Named;

/// The maximum lengths in characters (§9.1): of a user name or client id, a secret, a header name, and
/// scopes.
const NAME_LENGTH: u64 = 256;
const SECRET_LENGTH: u64 = 4_096;
const HEADER_LENGTH: u64 = 64;
const SCOPE_LENGTH: u64 = 1_024;
/// A text without control characters and colons, for a user name or scopes (RFC 6749, section 3.3).
const NO_COLON: &str = r"^[^\u0000-\u001f\u007f-\u009f:]+$";
/// The valid characters of a header name (RFC 9110, section 5.1).
const TOKEN: &str = "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$";
const SCOPE: &str = r"^[!#-\[\]-~]+( [!#-\[\]-~]+)*$";

pub(super) fn schemas() -> Named {
    vec![
        ("Hook", hook()),
        (
            "AuthType",
            enumeration("The method by which the server authenticates to the receiver.", AuthType::ALL),
        ),
        ("HookInput", new_hook()),
        ("HookChange", hook_change()),
        ("HookAuthentication", authentication()),
        ("BasicAuthentication", basic()),
        ("ApiKeyAuthentication", api_key()),
        ("OAuth2Authentication", oauth2()),
        ("SourceAddresses", source_addresses()),
    ]
}

/// Returns an example that is valid in the demo.
pub(in super::super) fn example() -> Value {
    json!({
        "uri": "https://receiver.demo/notifications",
        "domains": [EventDomain::WorkerAdded.as_str(), EventDomain::PayrunCompleted.as_str()],
        "authentication": {"authType": AuthType::ApiKey.as_str(), "apiKey": "a-key-of-yours"},
    })
}

/// Returns an example of a merge patch.
pub(in super::super) fn example_of_change() -> Value {
    json!({"domains": [EventDomain::WorkerAdded.as_str()]})
}

fn hook() -> Value {
    let members = [
        required("hookId", id("The id.")),
        optional("companyId", id("The hook receives only notifications about this company.")),
        required("uri", text("The address of the receiver.")),
        required("domains", list("The kinds of changes that are sent.", reference("EventDomain"))),
        required("authType", reference("AuthType")),
        required("active", flag("Whether the hook is enabled. A hook that fails for too long is disabled.")),
        required("createdDate", instant("The time of registration.")),
        optional(
            "signingSecret",
            text("The secret that signs the notifications. Only present in the response that creates it."),
        ),
        optional(
            "oldSecretValidUntil",
            instant("The time until which notifications are also signed with the previous secret."),
        ),
    ];
    let description = "A hook: an address that is notified of changes.";
    object(description, members.into_iter().chain(delivery_options()))
}

fn uri() -> Value {
    let rule = "The address of the receiver: https, without a port, with a public host. `url` is accepted as another name of this member.";
    address_sent(rule, "")
}

/// Returns the schema of an https URL with a host name. A setting can also allow http.
fn address_sent(description: &str, port: &str) -> Value {
    let host = "[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?";
    json!({
        "type": "string", "description": description, "maxLength": MAX_ADDRESS_LENGTH,
        "pattern": format!("^https?://{host}{port}([/?][!$-;=?-Z_a-z~]*)?$"),
    })
}

/// Returns the schema of a text with at most `max_length` characters that matches the pattern.
fn text_of(description: &str, max_length: u64, pattern: &str) -> Value {
    json!({"type": "string", "description": description, "maxLength": max_length, "pattern": pattern})
}

/// Returns the schema of a list of domains. A single comma-separated text is also accepted (§9.1) but not
/// described, because generated clients have no good type for the alternative.
fn domains() -> Value {
    with(list("Domains.", reference("EventDomain")), "minItems", 1)
}

/// Returns the members that order or limit the notifications of a hook.
pub(in super::super) fn delivery_options() -> [Member; 3] {
    let ordered = "Whether notifications are sent one at a time, in the order in which they were queued. A notification that fails holds back all later ones. Default: false.";
    let attempts = "The number of attempts after which a notification is given up. Default: no limit.";
    let per_second = "The number of attempts that each server starts within a second. Default: no limit.";
    [
        optional("ordered", flag(ordered)),
        optional("maxAttempts", limit(attempts, MAX_ATTEMPTS)),
        optional("maxPerSecond", limit(per_second, MAX_PER_SECOND)),
    ]
}

fn limit(description: &str, maximum: u32) -> Value {
    json!({"type": "integer", "minimum": 1, "maximum": maximum, "description": description})
}

fn new_hook() -> Value {
    let members = [
            required("uri", uri()),
            required("domains", domains()),
            required("authentication", reference("HookAuthentication")),
            optional("companyId", id("Send only notifications about this company. Default: all companies that the application has access to. `clientId` is accepted as another name of this member.")).or_null(),
            optional("hookId", id("An id that you choose. It must be unique among the application's hooks.")).or_null(),
    ];
    object("A hook to register.", members.into_iter().chain(delivery_options().map(Member::or_null)))
}

fn hook_change() -> Value {
    let members = [
        optional("uri", uri()),
        optional("domains", domains()),
        optional("authentication", reference("HookAuthentication")),
    ];
    let change = object(
        "The changed members of a hook. Absent members do not change. The other members of a hook may be sent back unchanged.",
        members.into_iter().chain(delivery_options()).map(Member::or_null),
    );
    with(change, "minProperties", 1)
}

fn authentication() -> Value {
    let ways = ["BasicAuthentication", "ApiKeyAuthentication", "OAuth2Authentication"];
    json!({
        "description": "The method by which the server authenticates to the receiver.",
        "oneOf": ways.map(reference),
    })
}

fn basic() -> Value {
    object(
        "A user name and a password with each request.",
        [
            required("authType", enumeration("This way.", [AuthType::Basic])),
            required("username", text_of("The user name, without a colon.", NAME_LENGTH, NO_COLON)),
            required("password", plain_text("The password.", SECRET_LENGTH)),
        ],
    )
}

fn api_key() -> Value {
    object(
        "A key in a header of each request.",
        [
            required("authType", enumeration("This way.", [AuthType::ApiKey.as_str(), "API_KEY"])),
            required(
                "apiKey",
                text_of("The key: visible ASCII characters.", SECRET_LENGTH, "^[!-~]([ -~]*[!-~])?$"),
            ),
            optional(
                "apiKeyHeader",
                text_of("The name of the header. Default: `x-api-key`.", HEADER_LENGTH, TOKEN),
            )
            .or_null(),
        ],
    )
}

fn oauth2() -> Value {
    object(
        "A token, fetched with id and secret in the query (OAUTH2) or in the `Authorization` header (OAUTH2_BASIC).",
        [
            required("authType", enumeration("This way.", [AuthType::OAuth2, AuthType::OAuth2Basic])),
            required(
                "tokenUrl",
                address_sent("The address from which the server gets tokens.", "(:[0-9]{1,5})?"),
            ),
            required("clientId", plain_text("The id.", NAME_LENGTH)),
            required("clientSecret", plain_text("The secret.", SECRET_LENGTH)),
            optional("scope", text_of("The requested scopes, separated by spaces.", SCOPE_LENGTH, SCOPE))
                .or_null(),
        ],
    )
}

fn source_addresses() -> Value {
    let addresses = |description| list(description, text("An IP address."));
    object(
        "The source addresses of notifications, for the allowlist of a firewall.",
        [
            required("production", addresses("The addresses in production.")),
            required("nonProduction", addresses("Elsewhere.")),
        ],
    )
}
