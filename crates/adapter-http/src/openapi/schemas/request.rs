//! An application's requests (specification §9.10).

use super::super::schema::{
    id_schema, instant_schema, integer_schema, list_schema, object_schema, optional, required,
    schema_reference, text_schema,
};
use super::named::NamedSchemas;

pub(super) fn schemas() -> NamedSchemas {
    let request = object_schema(
        "A request of the application and its response.",
        [
            required("date", instant_schema("The time at which the request was received.")),
            required("method", text_schema("The HTTP method of the request.")),
            required(
                "route",
                text_schema(
                    "The path of the request, with names such as `{workerId}` in \
                place of ids.",
                ),
            ),
            optional("companyId", id_schema("The company of the request.")),
            required("status", integer_schema("The HTTP status of the response.")),
            optional(
                "codes",
                list_schema(
                    "The API codes of the errors in the response, without duplicates.",
                    text_schema("An API code of the response, such as API-48."),
                ),
            ),
            required("requestId", text_schema("The id that the server assigned to the request.")),
            optional(
                "correlationId",
                text_schema("The id that the caller gave the request in the correlation header."),
            ),
            required(
                "durationMicroseconds",
                integer_schema("Microseconds from the request to the start of its response."),
            ),
            optional(
                "skipped",
                integer_schema(
                    "The number of requests immediately before this one that the log \
                omits, because there were too many.",
                ),
            ),
        ],
    );
    let details = object_schema(
        "The details of a rejected or failed request.",
        [
            required("requestId", text_schema("The id that the server assigned to the request.")),
            optional("query", text_schema("The query of the request, with masked personal data.")),
            required(
                "errors",
                list_schema("The first 20 errors of the response.", schema_reference("Error")),
            ),
            optional("errorsOmitted", integer_schema("The number of errors that the details omit.")),
            optional(
                "body",
                text_schema(
                    "The first 8 KiB of the body, with masked personal data. Only present for paths below \
                     `/companies` and `/workers`.",
                ),
            ),
            optional("bodyBytes", integer_schema("The length of the complete body in bytes.")),
        ],
    );
    vec![("AnsweredRequest", request), ("RequestDetails", details)]
}
