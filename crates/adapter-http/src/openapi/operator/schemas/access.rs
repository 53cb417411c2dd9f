//! Applications with their secrets, grants and requests, and operator keys (specification §10.10 to §10.12,
//! §10.16).

use payroll_domain::access::{Scope, Scopes};
use payroll_domain::client_key::{KeyAlgorithm, KeyType};
use payroll_domain::operator_key::OperatorRole;
use serde_json::{Value, json};

use super::super::super::documents::{OPERATOR_NAME_LENGTH, SchemaUse, request_object_schema};
use super::super::super::schema::{
    ObjectMember, boolean_schema, enumeration_schema, id_schema, instant_schema, list_schema, object_schema,
    optional, plain_text_schema, request_instant_schema, required, text_schema, with_keyword,
};
use super::super::super::schemas::named::NamedSchemas;

pub(super) fn access_schemas() -> NamedSchemas {
    let grant = object_schema(
        "The permissions of an application in a company.",
        [
            required("applicationId", id_schema("The application.")),
            required("companyId", id_schema("The company.")),
            required("scopes", scopes_schema("The granted scopes.", Scopes::for_companies())),
        ],
    );
    let grant_input = request_object_schema(
        "The permissions of an application in a company.",
        SchemaUse::Request,
        [
            optional("applicationId", id_schema("The id in the path.")),
            optional("companyId", id_schema("The id in the path.")),
            required(
                "scopes",
                with_keyword(scopes_schema("The granted scopes.", Scopes::for_companies()), "minItems", 1),
            ),
        ],
    );
    let approval = request_object_schema(
        "The granted scopes. Default: all requested scopes.",
        SchemaUse::Request,
        [optional(
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
            required("name", plain_text_schema("The name, which must be unique.", OPERATOR_NAME_LENGTH)),
            optional(
                "operatorName",
                plain_text_schema(
                    "The operator who owns the key, a person or a machine. The audit log and approvals show \
                     the operator. Default: `name`.",
                    OPERATOR_NAME_LENGTH,
                ),
            ),
            optional("role", with_keyword(role_schema(), "default", "administrator")),
            optional(
                "readOnly",
                boolean_schema(
                    "An older form of `role`: true means the role `auditor`. Omit it if you send `role`.",
                ),
            ),
            optional("companyIds", with_keyword(companies_schema(), "minItems", 1)),
            optional(
                "expiresDate",
                request_instant_schema("The time of expiry. By default the key never expires."),
            ),
        ],
    )
}

fn key_schema() -> Value {
    object_schema(
        "An operator key.",
        [
            required("keyId", id_schema("The id.")),
            required("name", text_schema("The name.")),
            required("operatorName", text_schema("The operator who owns the key.")),
            required("role", role_schema()),
            required("readOnly", boolean_schema("The role is `auditor`.")),
            optional("companyIds", companies_schema()),
            required("createdDate", instant_schema("The time of creation.")),
            optional(
                "expiresDate",
                instant_schema("The time at which the key expires. Absent if the key never expires."),
            ),
            optional(
                "lastUsedDate",
                instant_schema(
                    "The time of the last use, accurate to about a minute. Absent if the key was never used.",
                ),
            ),
            optional(
                "value",
                text_schema("The value of the key. Only present in the response that creates the key."),
            ),
        ],
    )
}

fn role_schema() -> Value {
    let meanings = OperatorRole::ALL.iter().map(|role| format!("`{role}`: {}", role.summary()));
    let words = format!(
        "The role of the key, which determines its permissions. {}",
        meanings.collect::<Vec<_>>().join(" ")
    );
    enumeration_schema(&words, OperatorRole::ALL.iter().map(|role| role.as_str()))
}

fn companies_schema() -> Value {
    list_schema(
        "The companies that the key is restricted to. Absent if it has access to all companies.",
        id_schema("A company."),
    )
}

fn session_schema() -> Value {
    object_schema(
        "A browser session. It has the permissions of its key.",
        [
            required(
                "sessionId",
                id_schema("The id of the session. It is not the value of the session cookie."),
            ),
            required("keyId", id_schema("The id of the key that was exchanged for the session.")),
            required("name", text_schema("The key's name.")),
            required("operatorName", text_schema("The operator that the key belongs to.")),
            required("role", role_schema()),
            required("readOnly", boolean_schema("The role is `auditor`.")),
            optional("companyIds", companies_schema()),
            required("createdDate", instant_schema("The time of creation.")),
            required("expiresDate", instant_schema("The time of expiry.")),
            optional(
                "csrfToken",
                text_schema(
                    "The value of `X-CSRF-Token` for requests of this session that write. Only responses to the session itself contain it.",
                ),
            ),
        ],
    )
}

fn access_request_schema() -> Value {
    object_schema(
        "A request of an application for access to a company.",
        [
            required("accessRequestId", id_schema("The id.")),
            required("applicationId", id_schema("The application.")),
            required("applicationName", text_schema("The application's name.")),
            required("companyId", id_schema("The company.")),
            required("displayId", text_schema("The company's account number.")),
            required("legalName", text_schema("The company's name.")),
            required(
                "scopes",
                scopes_schema(
                    "The requested scopes. After an approval, the granted scopes.",
                    Scopes::for_companies(),
                ),
            ),
            required("createdDate", instant_schema("The time at which the application requested access.")),
            required("expiresDate", instant_schema("The time at which the link of the request expires.")),
        ],
    )
}

fn application_schemas() -> NamedSchemas {
    let settings = |name: ObjectMember| {
        [
            name,
            optional(
                "enabled",
                boolean_schema(
                    "Whether the application is enabled: it gets tokens, and its tokens are valid.",
                ),
            ),
            optional(
                "correlationScope",
                enumeration_schema(
                    "Where correlation ids must be unique: in one request, or in the pay period.",
                    ["request", "payPeriod"],
                ),
            ),
            optional(
                "rateLimitPerMinute",
                json!({"type": "integer", "minimum": 1, "maximum": 100_000_000, "description": "The maximum number of requests in a minute. Replaces the server's setting for this application."}),
            ),
            optional(
                "webhookScopes",
                scopes_schema("The permissions of the application for hooks.", Scopes::for_applications()),
            ),
        ]
    };
    let name = || {
        required(
            "name",
            plain_text_schema("The name, which must be unique on the server.", OPERATOR_NAME_LENGTH),
        )
    };
    let created = |is_answered: bool| {
        let secrets = list_schema(
            "The secrets of the application, with their time of creation.",
            object_schema(
                "A secret.",
                [
                    required("secretId", id_schema("The id.")),
                    required("createdDate", instant_schema("The time of creation.")),
                    optional("algorithm", algorithm_schema()),
                    optional("kid", text_schema(KEY_ID_DESCRIPTION)),
                    optional("value", text_schema("The value. Only present when the secret is created.")),
                ],
            ),
        );
        let (own_id, key) = (id_schema("The id."), text_schema("The API key of the application."));
        match is_answered {
            true => {
                [required("applicationId", own_id), required("clientId", key), optional("secrets", secrets)]
            }
            // These members belong to the response. The server also accepts them in a request and ignores
            // them, so that a client can send a changed response back.
            false => [
                optional("applicationId", own_id),
                optional("clientId", key),
                optional("secrets", json!({"description": "The server ignores this member."})),
            ],
        }
    };
    let sent = |purpose| {
        request_object_schema("An application.", purpose, settings(name()).into_iter().chain(created(false)))
    };
    vec![
        ("Application", object_schema("An application.", settings(name()).into_iter().chain(created(true)))),
        ("ApplicationInput", sent(SchemaUse::Request)),
        ("ApplicationPatch", sent(SchemaUse::Patch)),
        ("Secret", secret_schema()),
        ("SecretInput", secret_input_schema()),
    ]
}

fn secret_schema() -> Value {
    object_schema(
        "A secret of an application.",
        [
            required("applicationId", id_schema("The application.")),
            required("secretId", id_schema("The id.")),
            required("createdDate", instant_schema("The time of creation.")),
            optional("algorithm", algorithm_schema()),
            optional("kid", text_schema(KEY_ID_DESCRIPTION)),
            optional(
                "value",
                text_schema("The value of the secret. Only present in the response that creates the secret."),
            ),
        ],
    )
}

const KEY_ID_DESCRIPTION: &str = "The id of the public key, which is its thumbprint (RFC 7638). Assertions name it in the header `kid`. Absent for a secret.";

fn algorithm_schema() -> Value {
    enumeration_schema(
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
            required(
                "kty",
                enumeration_schema("The family of the key.", KeyType::ALL.iter().map(|it| it.as_str())),
            ),
            optional("crv", enumeration_schema("The curve, for OKP and EC.", ["Ed25519", "P-256"])),
            optional(
                "x",
                number("For Ed25519, the public key. For P-256, the x coordinate of the public key."),
            ),
            optional("y", number("The second coordinate of P-256.")),
            optional("n", number("The modulus of RSA.")),
            optional("e", number("The exponent of RSA.")),
            optional("alg", algorithm_schema()),
            optional("use", enumeration_schema("The use of the key.", ["sig"])),
            optional("kid", text_schema("The thumbprint of the key (RFC 7638). You can omit it.")),
        ],
    );
    let purpose = "A secret to be created. Without a public key, the server generates a value.";
    request_object_schema(purpose, SchemaUse::Request, [optional("publicKey", key)])
}

fn scopes_schema(description: &str, allowed_scopes: Scopes) -> Value {
    list_schema(description, enumeration_schema("A scope.", allowed_scopes.iter().map(Scope::as_str)))
}
