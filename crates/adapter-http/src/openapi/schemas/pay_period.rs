//! Pay periods (specification §11.12).

use payroll_domain::pay_period::{IntervalCode, PeriodStatus};

use super::super::schema::{count, date, id, list, object, optional, reference, required, text, word};
use super::named::Named;

pub(super) fn schemas() -> Named {
    let period = object(
        "A pay period of a company.",
        [
            required("payPeriodId", id("Its id.")),
            required("intervalCode", word("How often the company pays.", IntervalCode::ALL)),
            required("status", reference("PeriodStatus")),
            optional("description", text("A note.")),
            required("startDate", date("Its first day.")),
            required("endDate", date("Its last day.")),
            optional("submitByDate", date("The day until which checks should be sent.")),
            required("checkDate", date("The day on which the workers are paid.")),
            required("checkCount", count("How many checks it has.")),
            required("links", list("`self`.", reference("Link"))),
        ],
    );
    let status = word(
        "INITIAL and ENTRY take checks, PROCESSING does not; the others are processed.",
        PeriodStatus::ALL,
    );
    vec![("PayPeriod", period), ("PeriodStatus", status)]
}
