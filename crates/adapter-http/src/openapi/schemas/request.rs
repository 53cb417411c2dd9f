//! An application's requests (specification §9.10).

use super::super::schema::{id, instant, integer, list, object, optional, reference, required, text};
use super::named::NamedSchemas;

pub(super) fn schemas() -> NamedSchemas {
    let request = object(
        "A request of the application and its response.",
        [
            required("date", instant("The time at which the request was received.")),
            required("method", text("The method of the request.")),
            required("route", text("The path, with names in braces in place of ids.")),
            optional("companyId", id("The company of the request.")),
            required("status", integer("The status of the response.")),
            optional(
                "codes",
                list(
                    "The codes of the errors, each once.",
                    text("The API codes of the response, such as API-48."),
                ),
            ),
            required("requestId", text("The server's id of the request.")),
            optional(
                "correlationId",
                text("The caller's own id of the request, from the correlation header."),
            ),
            required(
                "durationMicroseconds",
                integer("Microseconds from the request to the start of its response."),
            ),
            optional(
                "skipped",
                integer(
                    "The number of requests immediately before this one that the log \
                omits, because there were too many.",
                ),
            ),
        ],
    );
    let details = object(
        "The details of a rejected or failed request.",
        [
            required("requestId", text("The server's id of the request.")),
            optional("query", text("The query of the request, with masked personal data.")),
            required("errors", list("The first 20 errors of the response.", reference("Error"))),
            optional("errorsOmitted", integer("The number of further errors.")),
            optional(
                "body",
                text(
                    "The first 8 KiB of the body, with masked personal data. Only present for paths below \
                     `/companies` and `/workers`.",
                ),
            ),
            optional("bodyBytes", integer("The length of the complete body in bytes.")),
        ],
    );
    vec![("AnsweredRequest", request), ("RequestDetails", details)]
}
