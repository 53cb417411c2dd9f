//! The form and the response of the token operation (specification §5.1, §5.2).

use payroll_domain::token::{ASSERTION_TYPE, GRANT_TYPE};
use serde_json::{Value, json};

use super::super::schema::{
    enumeration_schema, object_schema, optional, required, text_schema, with_keyword,
};
use super::named::NamedSchemas;

pub(super) fn schemas() -> NamedSchemas {
    let form = object_schema(
        "The credentials of the application: a client id and a secret in the form or by HTTP Basic, or a \
         signed assertion.",
        [
            required(
                "grant_type",
                enumeration_schema(
                    "The OAuth 2.0 grant type. The server supports only this type.",
                    [GRANT_TYPE],
                ),
            ),
            optional(
                "client_id",
                with_example(text_schema("The application's API key."), "01J0000000000000000000000A"),
            ),
            optional(
                "client_secret",
                with_example(text_schema("The secret of the application."), "your-secret"),
            ),
            optional(
                "client_assertion",
                text_schema(
                    "A JSON web token that the application has signed (RFC 7523), in place of a \
                    secret.",
                ),
            ),
            optional(
                "client_assertion_type",
                enumeration_schema("The type of the client assertion.", [ASSERTION_TYPE]),
            ),
            optional(
                "scope",
                with_example(
                    text_schema(
                        "The scopes that the token should have, separated by spaces. Default: all scopes \
                        that the application was granted.",
                    ),
                    "read:companies",
                ),
            ),
        ],
    );
    let response = object_schema(
        "A token.",
        [
            required("access_token", text_schema("The token to send as `Authorization: Bearer`.")),
            required(
                "token_type",
                enumeration_schema("The type of the token, which determines how to send it.", ["Bearer"]),
            ),
            required(
                "expires_in",
                json!({"type": "integer", "minimum": 1, "description": "The lifetime of the token in seconds."}),
            ),
            required("scope", text_schema("The scopes of the token, separated by spaces.")),
        ],
    );
    vec![("TokenRequest", form), ("Token", response)]
}

/// Adds an example to the schema of a member. Documentation pages show a form field by field, so each field
/// has its own example.
fn with_example(schema: Value, example: &str) -> Value {
    with_keyword(schema, "examples", json!([example]))
}

/// Returns an example of the form. The credentials have the real format but are fictitious.
pub(in super::super) fn example() -> Value {
    json!({"grant_type": GRANT_TYPE, "client_id": "01J0000000000000000000000A", "client_secret": "your-secret"})
}
