//! An application's requests (specification §9.10).

use super::super::schema::{count, id, instant, list, object, optional, required, text};
use super::named::Named;

pub(super) fn schemas() -> Named {
    let request = object(
        "A request of the application and its response.",
        [
            required("date", instant("When it came.")),
            required("method", text("Its method.")),
            required("route", text("Its path, with names in braces where ids stood.")),
            optional("companyId", id("The company that it was about.")),
            required("status", count("The status of the response.")),
            optional("codes", list("The codes of the errors, each once.", text("Such as API-48."))),
            required("requestId", text("The server's id of the request.")),
            optional("correlationId", text("The id that the caller gave it.")),
            required("durationMicroseconds", count("Time until the response began.")),
            optional("skipped", count("Requests right before it that the log leaves out.")),
        ],
    );
    vec![("AnsweredRequest", request)]
}
