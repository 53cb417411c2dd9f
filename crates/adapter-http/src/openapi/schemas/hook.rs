//! Hooks (specification §11.17) in requests and responses.

use payroll_domain::event::EventDomain;
use payroll_domain::hook::address::MAX_ADDRESS_LENGTH;
use payroll_domain::hook::{AuthType, MAX_ATTEMPTS, MAX_DELIVERIES_PER_SECOND};
use serde_json::{Value, json};

use super::super::schema::{
    ObjectMember, boolean_schema, enumeration_schema, id_schema, instant_schema, list_schema, object_schema,
    optional, plain_text_schema, required, schema_reference, text_schema, with_keyword,
};
use super::named::NamedSchemas;

/// The maximum lengths in characters (§9.1): of a user name or client id, a secret, a header name, and
/// scopes.
const MAX_NAME_LENGTH: u64 = 256;
const MAX_SECRET_LENGTH: u64 = 4_096;
const MAX_HEADER_LENGTH: u64 = 64;
const MAX_SCOPE_LENGTH: u64 = 1_024;
/// A text without control characters and colons, for a user name or scopes (RFC 6749, section 3.3).
const NO_COLON_PATTERN: &str = r"^[^\u0000-\u001f\u007f-\u009f:]+$";
/// The valid characters of a header name (RFC 9110, section 5.1).
const TOKEN_PATTERN: &str = "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$";
const SCOPE_PATTERN: &str = r"^[!#-\[\]-~]+( [!#-\[\]-~]+)*$";

pub(super) fn schemas() -> NamedSchemas {
    vec![
        ("Hook", hook_schema()),
        (
            "AuthType",
            enumeration_schema(
                "How the server authenticates its notifications to the receiver.",
                AuthType::ALL,
            ),
        ),
        ("HookInput", new_hook_schema()),
        ("HookChange", hook_change_schema()),
        ("HookAuthentication", authentication_schema()),
        ("BasicAuthentication", basic_schema()),
        ("ApiKeyAuthentication", api_key_schema()),
        ("OAuth2Authentication", oauth2_schema()),
        ("SourceAddresses", source_addresses_schema()),
    ]
}

/// Returns an example of a hook to register. The hook is valid with the demo data.
pub(in super::super) fn example() -> Value {
    json!({
        "uri": "https://receiver.demo/notifications",
        "domains": [EventDomain::WorkerAdded.as_str(), EventDomain::PayrunCompleted.as_str()],
        "authentication": {"authType": AuthType::ApiKey.as_str(), "apiKey": "a-key-of-yours"},
    })
}

/// Returns an example of a merge patch for a hook.
pub(in super::super) fn change_example() -> Value {
    json!({"domains": [EventDomain::WorkerAdded.as_str()]})
}

fn hook_schema() -> Value {
    let members = [
        required("hookId", id_schema("The id of the hook.")),
        optional(
            "companyId",
            id_schema(
                "The only company whose notifications the hook receives. Absent if the hook is for all \
                 companies.",
            ),
        ),
        required("uri", text_schema("The URL to which the server sends the notifications.")),
        required(
            "domains",
            list_schema(
                "The event domains whose notifications the hook receives.",
                schema_reference("EventDomain"),
            ),
        ),
        required("authType", schema_reference("AuthType")),
        required(
            "active",
            boolean_schema("Whether the hook is enabled. A hook that fails for too long is disabled."),
        ),
        required("createdDate", instant_schema("The time at which the hook was registered.")),
        optional(
            "signingSecret",
            text_schema(
                "The secret that signs the notifications. Only present in the response that creates it.",
            ),
        ),
        optional(
            "oldSecretValidUntil",
            instant_schema("The time until which notifications are also signed with the previous secret."),
        ),
    ];
    let description = "A hook: an address to which notifications of changes are sent.";
    object_schema(description, members.into_iter().chain(delivery_option_members()))
}

fn uri_schema() -> Value {
    let rule = "The URL to which the server sends the notifications: https, without a port, with a public \
        host. `url` is accepted as another name of this member.";
    request_url_schema(rule, "")
}

/// Returns the schema of an https URL with a host name. A setting can also allow http.
fn request_url_schema(description: &str, port: &str) -> Value {
    let host = "[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?";
    json!({
        "type": "string", "description": description, "maxLength": MAX_ADDRESS_LENGTH,
        "pattern": format!("^https?://{host}{port}([/?][!$-;=?-Z_a-z~]*)?$"),
    })
}

/// Returns the schema of a text with at most `max_length` characters that matches the pattern.
fn pattern_text_schema(description: &str, max_length: u64, pattern: &str) -> Value {
    json!({"type": "string", "description": description, "maxLength": max_length, "pattern": pattern})
}

/// Returns the schema of a list of event domains. A single comma-separated text is also accepted (§9.1) but
/// not described, because generated clients have no good type for the alternative.
fn domains_schema() -> Value {
    with_keyword(
        list_schema(
            "The event domains whose notifications the hook receives.",
            schema_reference("EventDomain"),
        ),
        "minItems",
        1,
    )
}

/// Returns the members that order or limit the notifications of a hook.
pub(in super::super) fn delivery_option_members() -> [ObjectMember; 3] {
    let ordered = "Whether notifications are sent one at a time, in the order in which they were queued. A notification that fails holds back all later ones. Default: false.";
    let attempts = "The number of attempts after which a notification is given up. Default: no limit.";
    let per_second = "The number of attempts for this hook that each server process starts within a \
        second. Default: no limit.";
    [
        optional("ordered", boolean_schema(ordered)),
        optional("maxAttempts", limit_schema(attempts, MAX_ATTEMPTS)),
        optional("maxPerSecond", limit_schema(per_second, MAX_DELIVERIES_PER_SECOND)),
    ]
}

fn limit_schema(description: &str, maximum: u32) -> Value {
    json!({"type": "integer", "minimum": 1, "maximum": maximum, "description": description})
}

fn new_hook_schema() -> Value {
    let members = [
        required("uri", uri_schema()),
        required("domains", domains_schema()),
        required("authentication", schema_reference("HookAuthentication")),
        optional(
            "companyId",
            id_schema(
                "The only company whose notifications the hook receives. \
                Default: all companies that the application has access to. `clientId` is accepted as \
                another name of this member.",
            ),
        )
        .or_null(),
        optional(
            "hookId",
            id_schema("An id that you choose. It must be unique among the application's hooks."),
        )
        .or_null(),
    ];
    object_schema(
        "A hook to register.",
        members.into_iter().chain(delivery_option_members().map(ObjectMember::or_null)),
    )
}

fn hook_change_schema() -> Value {
    let members = [
        optional("uri", uri_schema()),
        optional("domains", domains_schema()),
        optional("authentication", schema_reference("HookAuthentication")),
    ];
    let change = object_schema(
        "The changed members of a hook. Absent members do not change. You can send the other members of a \
         hook back unchanged.",
        members.into_iter().chain(delivery_option_members()).map(ObjectMember::or_null),
    );
    with_keyword(change, "minProperties", 1)
}

fn authentication_schema() -> Value {
    let ways = ["BasicAuthentication", "ApiKeyAuthentication", "OAuth2Authentication"];
    json!({
        "description": "How the server authenticates its notifications to the receiver.",
        "oneOf": ways.map(schema_reference),
    })
}

fn basic_schema() -> Value {
    object_schema(
        "The server authenticates with a user name and a password, which it sends with each notification.",
        [
            required(
                "authType",
                enumeration_schema("The name of this authentication method.", [AuthType::Basic]),
            ),
            required(
                "username",
                pattern_text_schema(
                    "The user name for HTTP Basic authentication, without a colon.",
                    MAX_NAME_LENGTH,
                    NO_COLON_PATTERN,
                ),
            ),
            required(
                "password",
                plain_text_schema("The password for HTTP Basic authentication.", MAX_SECRET_LENGTH),
            ),
        ],
    )
}

fn api_key_schema() -> Value {
    object_schema(
        "The server authenticates with a key, which it sends in a header of each notification.",
        [
            required(
                "authType",
                enumeration_schema(
                    "The name of this authentication method.",
                    [AuthType::ApiKey.as_str(), "API_KEY"],
                ),
            ),
            required(
                "apiKey",
                pattern_text_schema(
                    "The key that the server sends, of visible ASCII characters.",
                    MAX_SECRET_LENGTH,
                    "^[!-~]([ -~]*[!-~])?$",
                ),
            ),
            optional(
                "apiKeyHeader",
                pattern_text_schema(
                    "The name of the header that contains the key. Default: `x-api-key`.",
                    MAX_HEADER_LENGTH,
                    TOKEN_PATTERN,
                ),
            )
            .or_null(),
        ],
    )
}

fn oauth2_schema() -> Value {
    object_schema(
        "The server sends a token with each notification. It gets the token from `tokenUrl`, with `clientId` \
         and `clientSecret` in the query (OAUTH2) or in the `Authorization` header (OAUTH2_BASIC).",
        [
            required(
                "authType",
                enumeration_schema(
                    "The name of this authentication method.",
                    [AuthType::OAuth2, AuthType::OAuth2Basic],
                ),
            ),
            required(
                "tokenUrl",
                request_url_schema("The address from which the server gets tokens.", "(:[0-9]{1,5})?"),
            ),
            required(
                "clientId",
                plain_text_schema(
                    "The OAuth 2.0 client id that the server uses at `tokenUrl`.",
                    MAX_NAME_LENGTH,
                ),
            ),
            required(
                "clientSecret",
                plain_text_schema(
                    "The OAuth 2.0 client secret that the server uses at `tokenUrl`.",
                    MAX_SECRET_LENGTH,
                ),
            ),
            optional(
                "scope",
                pattern_text_schema(
                    "The scopes that the server requests at `tokenUrl`, separated by spaces.",
                    MAX_SCOPE_LENGTH,
                    SCOPE_PATTERN,
                ),
            )
            .or_null(),
        ],
    )
}

fn source_addresses_schema() -> Value {
    let addresses = |description| list_schema(description, text_schema("An IP address."));
    object_schema(
        "The source addresses of notifications, for the allowlist of a firewall.",
        [
            required("production", addresses("The source addresses of notifications in production.")),
            required("nonProduction", addresses("The source addresses of notifications outside production.")),
        ],
    )
}
