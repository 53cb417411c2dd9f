//! What belongs to the pay of workers: compensation (specification §11.20).

use payroll_domain::worker::PayStandards;
use serde_json::Value;

use super::super::schema::{amount, described_with, list, object, optional, reference, required, with};
use super::named::Named;

pub(super) fn schemas() -> Named {
    vec![
        ("PayStandards", pay_standards()),
        ("Compensation", compensation()),
        ("CompensationLinks", compensation_links()),
    ]
}

fn pay_standards() -> Value {
    let history = "The gross earnings of processed checks with a check date of the last 365 days.";
    described_with::<PayStandards>([
        optional("calculatedPayPeriod", amount("The pay of a pay period.")),
        optional("calculatedAnnualSalary", amount("The pay of a year.")),
        optional("calculatedAnnualSalaryFromHistory", amount(history)),
    ])
}

fn compensation() -> Value {
    object(
        "The compensation of a worker.",
        [
            optional("payStandards", reference("PayStandards")),
            required("payRates", list("The pay rates.", reference("PayRate"))),
        ],
    )
}

fn compensation_links() -> Value {
    let nothing = with(list("Always empty.", reference("Compensation")), "maxItems", 0);
    object(
        "Where the compensation of a worker is.",
        [
            required("content", nothing),
            required("links", list("`self`, `payRates` and `payStandards`.", reference("Link"))),
        ],
    )
}
