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
        "The scopes that an application has for the data of a company.",
        [
            required("applicationId", id_schema("The application.")),
            required("companyId", id_schema("The company.")),
            required("scopes", scopes_schema("The granted scopes.", Scopes::for_companies())),
        ],
    );
    let grant_input = request_object_schema(
        "The scopes that an application has for the data of a company.",
        SchemaUse::Request,
        [
            optional("applicationId", id_schema("The application, as in the path.")),
            optional("companyId", id_schema("The company, as in the path.")),
            required(
                "scopes",
                with_keyword(scopes_schema("The granted scopes.", Scopes::for_companies()), "minItems", 1),
            ),
        ],
    );
    let approval = request_object_schema(
        "The scopes to grant. Default: all requested scopes.",
        SchemaUse::Request,
        [optional(
            "scopes",
            with_keyword(
                scopes_schema(
                    "The scopes to grant, which must be among the requested scopes.",
                    Scopes::for_companies(),
                ),
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
            required("name", plain_text_schema("The unique name of the key.", OPERATOR_NAME_LENGTH)),
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
                request_instant_schema("The time at which the key expires. By default it never expires."),
            ),
        ],
    )
}

fn key_schema() -> Value {
    object_schema(
        "An operator key.",
        [
            required("keyId", id_schema("The operator key.")),
            required("name", text_schema("The name of the key.")),
            required("operatorName", text_schema("The operator who owns the key.")),
            required("role", role_schema()),
            required("readOnly", boolean_schema("Whether the role of the key is `auditor`.")),
            optional("companyIds", companies_schema()),
            required("createdDate", instant_schema("The time at which the key was created.")),
            optional(
                "expiresDate",
                instant_schema("The time at which the key expires. Absent if the key never expires."),
            ),
            optional(
                "lastUsedDate",
                instant_schema(
                    "The time at which the key was last used, accurate to about a minute. Absent if the \
                     key was never used.",
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
        id_schema("A company that the key is restricted to."),
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
            required("name", text_schema("The name of the operator key.")),
            required("operatorName", text_schema("The operator who owns the key of the session.")),
            required("role", role_schema()),
            required("readOnly", boolean_schema("Whether the role of the key is `auditor`.")),
            optional("companyIds", companies_schema()),
            required("createdDate", instant_schema("The time at which the session was created.")),
            required("expiresDate", instant_schema("The time at which the session expires.")),
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
            required("accessRequestId", id_schema("The access request.")),
            required("applicationId", id_schema("The application.")),
            required("applicationName", text_schema("The application's name.")),
            required("companyId", id_schema("The company.")),
            required("displayId", text_schema("The company's account number.")),
            required("legalName", text_schema("The company's name.")),
            required(
                "scopes",
                scopes_schema(
                    "The requested scopes, or after an approval the granted scopes.",
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
                    "Whether the application is enabled, so that it gets tokens and its tokens are valid.",
                ),
            ),
            optional(
                "correlationScope",
                enumeration_schema(
                    "Where the correlation ids of checks must be unique: in one request, or in the pay \
                     period.",
                    ["request", "payPeriod"],
                ),
            ),
            optional(
                "rateLimitPerMinute",
                json!({"type": "integer", "minimum": 1, "maximum": 100_000_000, "description": "The maximum number of requests in a minute. It replaces the server's setting for this application."}),
            ),
            optional(
                "webhookScopes",
                scopes_schema("The scopes of the application for hooks.", Scopes::for_applications()),
            ),
        ]
    };
    let name =
        || required("name", plain_text_schema("The unique name of the application.", OPERATOR_NAME_LENGTH));
    let created = |is_answered: bool| {
        let secrets = list_schema(
            "The secrets and public keys of the application.",
            object_schema(
                "A secret or a public key of the application.",
                [
                    required("secretId", id_schema("The secret.")),
                    required("createdDate", instant_schema("The time at which the secret was created.")),
                    optional("algorithm", algorithm_schema()),
                    optional("kid", text_schema(KEY_ID_DESCRIPTION)),
                    optional(
                        "value",
                        text_schema("The value of the secret. Only present when the secret is created."),
                    ),
                ],
            ),
        );
        let (own_id, key) = (id_schema("The application."), text_schema("The API key of the application."));
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
        "A secret or a public key of an application.",
        [
            required("applicationId", id_schema("The application.")),
            required("secretId", id_schema("The secret.")),
            required("createdDate", instant_schema("The time at which the secret was created.")),
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
        "The algorithm with which the public key verifies signatures. Absent for a secret.",
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
            optional("crv", enumeration_schema("The curve of an OKP or EC key.", ["Ed25519", "P-256"])),
            optional("x", number("The public key of Ed25519, or the x coordinate of a P-256 key.")),
            optional("y", number("The y coordinate of a P-256 key.")),
            optional("n", number("The modulus of an RSA key.")),
            optional("e", number("The exponent of an RSA key.")),
            optional("alg", algorithm_schema()),
            optional("use", enumeration_schema("The use of the key, which is signing.", ["sig"])),
            optional("kid", text_schema("The thumbprint of the key (RFC 7638). You can omit it.")),
        ],
    );
    let purpose = "The secret to create, or the public key to register. If `publicKey` is absent, the \
        server generates a secret.";
    request_object_schema(purpose, SchemaUse::Request, [optional("publicKey", key)])
}

fn scopes_schema(description: &str, allowed_scopes: Scopes) -> Value {
    list_schema(
        description,
        enumeration_schema("One of the scopes.", allowed_scopes.iter().map(Scope::as_str)),
    )
}
