//! Applications with their secrets, grants and requests, and operator keys (specification §10.10 to §10.12,
//! §10.16).

use payroll_domain::access::{Scope, Scopes};
use payroll_domain::client_key::{KeyAlgorithm, KeyType};
use payroll_domain::operator_key::OperatorRole;
use serde_json::{Value, json};

use super::super::super::documents::{OPERATOR_NAME_LENGTH, SchemaUse, request_object_schema};
use super::super::super::schema::{
    ObjectMember, boolean, enumeration, id, instant, list, object, optional_member, plain_text,
    request_instant, required_member, text, with_keyword,
};
use super::super::super::schemas::named::NamedSchemas;

pub(super) fn access_schemas() -> NamedSchemas {
    let grant = object(
        "The permissions of an application in a company.",
        [
            required_member("applicationId", id("The application.")),
            required_member("companyId", id("The company.")),
            required_member("scopes", scopes_schema("The granted scopes.", Scopes::for_companies())),
        ],
    );
    let grant_input = request_object_schema(
        "The permissions of an application in a company.",
        SchemaUse::Request,
        [
            optional_member("applicationId", id("The id in the path.")),
            optional_member("companyId", id("The id in the path.")),
            required_member(
                "scopes",
                with_keyword(scopes_schema("The granted scopes.", Scopes::for_companies()), "minItems", 1),
            ),
        ],
    );
    let approval = request_object_schema(
        "The granted scopes. Default: all requested scopes.",
        SchemaUse::Request,
        [optional_member(
            "scopes",
            with_keyword(
                scopes_schema("At most the requested scopes.", Scopes::for_companies()),
                "minItems",
                1,
            ),
        )],
    );
    let mut all = application_schemas();
    all.extend([
        ("OperatorKey", key_schema()),
        ("OperatorKeyInput", key_input_schema()),
        ("OperatorSession", session_schema()),
        ("Grant", grant),
        ("GrantInput", grant_input),
        ("AccessRequest", access_request_schema()),
        ("Approval", approval),
    ]);
    all
}

fn key_input_schema() -> Value {
    request_object_schema(
        "An operator key to create.",
        SchemaUse::Request,
        [
            required_member("name", plain_text("The name, which must be unique.", OPERATOR_NAME_LENGTH)),
            optional_member(
                "operatorName",
                plain_text(
                    "The operator who owns the key, a person or a machine. Default: `name`. The audit log and approvals show the operator.",
                    OPERATOR_NAME_LENGTH,
                ),
            ),
            optional_member("role", with_keyword(role_schema(), "default", "administrator")),
            optional_member(
                "readOnly",
                boolean("Older than `role`: true means the role `auditor`. Leave it out if you send `role`."),
            ),
            optional_member("companyIds", with_keyword(companies_schema(), "minItems", 1)),
            optional_member(
                "expiresDate",
                request_instant("The time of expiry. By default the key never expires."),
            ),
        ],
    )
}

fn key_schema() -> Value {
    object(
        "An operator key.",
        [
            required_member("keyId", id("The id.")),
            required_member("name", text("The name.")),
            required_member("operatorName", text("The operator who owns the key.")),
            required_member("role", role_schema()),
            required_member("readOnly", boolean("The role is `auditor`.")),
            optional_member("companyIds", companies_schema()),
            required_member("createdDate", instant("The time of creation.")),
            optional_member(
                "expiresDate",
                instant("The time at which the key expires. Absent if the key never expires."),
            ),
            optional_member(
                "lastUsedDate",
                instant(
                    "The time of the last use, accurate to about a minute. Absent if the key was never used.",
                ),
            ),
            optional_member("value", text("The key. Only present in the response that creates it.")),
        ],
    )
}

fn role_schema() -> Value {
    let meanings = OperatorRole::ALL.iter().map(|role| format!("`{role}`: {}", role.summary()));
    let words = format!("What the operator may do. {}", meanings.collect::<Vec<_>>().join(" "));
    enumeration(&words, OperatorRole::ALL.iter().map(|role| role.as_str()))
}

fn companies_schema() -> Value {
    list(
        "The companies that the key is restricted to. Absent if it has access to all companies.",
        id("A company."),
    )
}

fn session_schema() -> Value {
    object(
        "A browser session. It has the permissions of its key.",
        [
            required_member(
                "sessionId",
                id("The id of the session. It is not the value of the session cookie."),
            ),
            required_member("keyId", id("The id of the key that was exchanged for the session.")),
            required_member("name", text("The key's name.")),
            required_member("operatorName", text("The operator that the key belongs to.")),
            required_member("role", role_schema()),
            required_member("readOnly", boolean("The role is `auditor`.")),
            optional_member("companyIds", companies_schema()),
            required_member("createdDate", instant("The time of creation.")),
            required_member("expiresDate", instant("The time of expiry.")),
            optional_member(
                "csrfToken",
                text(
                    "The value of `X-CSRF-Token` for requests of this session that write. Only the session itself gets it.",
                ),
            ),
        ],
    )
}

fn access_request_schema() -> Value {
    object(
        "A request of an application for access to a company.",
        [
            required_member("accessRequestId", id("The id.")),
            required_member("applicationId", id("The application.")),
            required_member("applicationName", text("The application's name.")),
            required_member("companyId", id("The company.")),
            required_member("displayId", text("The company's account number.")),
            required_member("legalName", text("The company's name.")),
            required_member(
                "scopes",
                scopes_schema(
                    "The requested scopes. After an approval, the granted scopes.",
                    Scopes::for_companies(),
                ),
            ),
            required_member("createdDate", instant("The time at which the application requested access.")),
            required_member("expiresDate", instant("The time at which the link of the request expires.")),
        ],
    )
}

fn application_schemas() -> NamedSchemas {
    let settings = |name: ObjectMember| {
        [
            name,
            optional_member(
                "enabled",
                boolean("Whether the application is enabled: it gets tokens, and its tokens are valid."),
            ),
            optional_member(
                "correlationScope",
                enumeration("The scope in which a correlation id must be unique.", ["request", "payPeriod"]),
            ),
            optional_member(
                "rateLimitPerMinute",
                json!({"type": "integer", "minimum": 1, "maximum": 100_000_000, "description": "Requests a minute, in place of the server's setting."}),
            ),
            optional_member(
                "webhookScopes",
                scopes_schema("The permissions of the application for hooks.", Scopes::for_applications()),
            ),
        ]
    };
    let name = || {
        required_member(
            "name",
            plain_text("The name, which must be unique on the server.", OPERATOR_NAME_LENGTH),
        )
    };
    let created = |is_answered: bool| {
        let secrets = list(
            "The secrets of the application, with their time of creation.",
            object(
                "A secret.",
                [
                    required_member("secretId", id("The id.")),
                    required_member("createdDate", instant("The time of creation.")),
                    optional_member("algorithm", algorithm_schema()),
                    optional_member("kid", text(KEY_ID_DESCRIPTION)),
                    optional_member("value", text("The value. It is shown only when the secret is created.")),
                ],
            ),
        );
        let (own_id, key) = (id("The id."), text("The API key of the application."));
        match is_answered {
            true => [
                required_member("applicationId", own_id),
                required_member("clientId", key),
                optional_member("secrets", secrets),
            ],
            // A client may send the members of a response back in a request. The server accepts and ignores
            // them.
            false => [
                optional_member("applicationId", own_id),
                optional_member("clientId", key),
                optional_member("secrets", json!({"description": "The server ignores this member."})),
            ],
        }
    };
    let sent = |purpose| {
        request_object_schema("An application.", purpose, settings(name()).into_iter().chain(created(false)))
    };
    vec![
        ("Application", object("An application.", settings(name()).into_iter().chain(created(true)))),
        ("ApplicationInput", sent(SchemaUse::Request)),
        ("ApplicationPatch", sent(SchemaUse::Patch)),
        ("Secret", secret_schema()),
        ("SecretInput", secret_input_schema()),
    ]
}

fn secret_schema() -> Value {
    object(
        "A secret of an application.",
        [
            required_member("applicationId", id("The application.")),
            required_member("secretId", id("The id.")),
            required_member("createdDate", instant("The time of creation.")),
            optional_member("algorithm", algorithm_schema()),
            optional_member("kid", text(KEY_ID_DESCRIPTION)),
            optional_member("value", text("The value. It is shown only when the secret is created.")),
        ],
    )
}

const KEY_ID_DESCRIPTION: &str = "The id of the public key, which is its thumbprint (RFC 7638). Assertions name it in the header `kid`. Absent for a secret.";

fn algorithm_schema() -> Value {
    enumeration(
        "The algorithm of signatures with the public key. Absent for a secret.",
        KeyAlgorithm::ALL.iter().map(|it| it.as_str()),
    )
}

/// Returns the schema of the body that registers a public key: a JSON web key (RFC 7517).
fn secret_input_schema() -> Value {
    let number = |words: &str| json!({"type": "string", "maxLength": 683, "pattern": "^[A-Za-z0-9_-]+$", "description": words});
    let key = request_object_schema(
        "A public key for `private_key_jwt`, as a JSON web key: Ed25519, P-256, or RSA with 2048 to 4096 bits. A private key is rejected.",
        SchemaUse::Request,
        [
            required_member(
                "kty",
                enumeration("The family of the key.", KeyType::ALL.iter().map(|it| it.as_str())),
            ),
            optional_member("crv", enumeration("The curve, for OKP and EC.", ["Ed25519", "P-256"])),
            optional_member("x", number("The public key of Ed25519, or the first coordinate of P-256.")),
            optional_member("y", number("The second coordinate of P-256.")),
            optional_member("n", number("The modulus of RSA.")),
            optional_member("e", number("The exponent of RSA.")),
            optional_member("alg", algorithm_schema()),
            optional_member("use", enumeration("The use of the key.", ["sig"])),
            optional_member("kid", text("The thumbprint of the key (RFC 7638). You can omit it.")),
        ],
    );
    let purpose = "A secret to be created. Without a public key, the server generates a value.";
    request_object_schema(purpose, SchemaUse::Request, [optional_member("publicKey", key)])
}

fn scopes_schema(words: &str, fitting: Scopes) -> Value {
    list(words, enumeration("A scope.", fitting.iter().map(Scope::as_str)))
}
