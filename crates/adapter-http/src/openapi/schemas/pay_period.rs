//! Pay periods (specification §11.12).

use payroll_domain::pay_period::{PayPeriod, PeriodStatus};

use super::super::schema::{
    described_schema_with, enumeration, integer, list, reference, required, with_member_reference,
};
use super::named::NamedSchemas;

pub(super) fn schemas() -> NamedSchemas {
    let others = [
        required("checkCount", integer("The number of checks in the pay period.")),
        required("links", list("`self`.", reference("Link"))),
    ];
    let status = enumeration(
        "INITIAL and ENTRY accept checks. PROCESSING does not. Periods in the other states are processed.",
        PeriodStatus::ALL,
    );
    vec![
        (
            "PayPeriod",
            with_member_reference(described_schema_with::<PayPeriod>(others), "status", "PeriodStatus"),
        ),
        ("PeriodStatus", status),
    ]
}
