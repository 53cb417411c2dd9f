//! An application's requests (specification §9.10).

use super::super::schema::{
    id, instant, list, non_negative_integer, object, optional_member, reference, required_member, text,
};
use super::named::NamedSchemas;

pub(super) fn schemas() -> NamedSchemas {
    let request = object(
        "A request of the application and its response.",
        [
            required_member("date", instant("The time at which the request was received.")),
            required_member("method", text("The method of the request.")),
            required_member("route", text("The path, with names in braces in place of ids.")),
            optional_member("companyId", id("The company of the request.")),
            required_member("status", non_negative_integer("The status of the response.")),
            optional_member(
                "codes",
                list(
                    "The codes of the errors, each once.",
                    text("The API codes of the response, such as API-48."),
                ),
            ),
            required_member("requestId", text("The server's id of the request.")),
            optional_member("correlationId", text("The id that the caller gave it.")),
            required_member("durationMicroseconds", non_negative_integer("Time until the response began.")),
            optional_member(
                "skipped",
                non_negative_integer("The number of requests immediately before it that the log omits."),
            ),
        ],
    );
    let details = object(
        "The details of a rejected or failed request.",
        [
            required_member("requestId", text("The server's id of the request.")),
            optional_member("query", text("The query of the request, with masked personal data.")),
            required_member("errors", list("The first 20 errors of the response.", reference("Error"))),
            optional_member("errorsOmitted", non_negative_integer("The number of further errors.")),
            optional_member(
                "body",
                text(
                    "The first 8 KiB of the body, with masked personal data. Only of routes below `/companies` and `/workers`.",
                ),
            ),
            optional_member("bodyBytes", non_negative_integer("The length of the complete body in bytes.")),
        ],
    );
    vec![("AnsweredRequest", request), ("RequestDetails", details)]
}
