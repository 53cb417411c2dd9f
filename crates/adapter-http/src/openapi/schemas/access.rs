//! Requests for access to a company (specification §5.8).

use payroll_domain::access::{Scope, Scopes};
use payroll_domain::company::MAX_DISPLAY_ID_LENGTH;
use serde_json::{Value, json};

use super::super::schema::{
    ObjectMember, absolute_url_schema, enumeration_schema, instant_schema, list_schema, object_schema,
    optional, plain_text_schema, required, with_keyword,
};
use super::named::NamedSchemas;

pub(super) fn schemas() -> NamedSchemas {
    vec![("AccessRequest", access_request_schema()), ("RequestedAccess", access_response_schema())]
}

/// Returns an example of a request for access. The request is valid with the demo data.
pub(in super::super) fn example() -> Value {
    json!({"displayId": "00030008"})
}

fn access_request_schema() -> Value {
    let longest = u64::try_from(MAX_DISPLAY_ID_LENGTH).unwrap_or(u64::MAX);
    let scope = enumeration_schema(
        "A scope for the data of a company.",
        Scopes::for_companies().iter().map(Scope::as_str),
    );
    // A single text with several scopes is also accepted but not described, for the reason given at
    // `schema::request_decimal_schema`.
    let scopes = list_schema(
        "The requested scopes. Default: all scopes for the data of a company, except read:taxids, \
        write:workers, and those for taxes, direct deposits and documents.",
        scope,
    );
    let scopes = with_keyword(scopes, "minItems", 1);
    object_schema(
        "The company that the application requests access to, and the requested scopes.",
        [
            required(
                "displayId",
                plain_text_schema(
                    "The account number of the company. The server compares only its last 8 characters.",
                    longest,
                ),
            ),
            ObjectMember::or_null(optional("scopes", scopes)),
        ],
    )
}

fn access_response_schema() -> Value {
    object_schema(
        "The access request, which is pending until an operator decides about it.",
        [
            optional(
                "approvalLink",
                absolute_url_schema(
                    "A link for the operator who decides about the request. The link works once, and \
                    only this response contains it.",
                ),
            ),
            required("expiresDate", instant_schema("The time at which the link expires.")),
        ],
    )
}
