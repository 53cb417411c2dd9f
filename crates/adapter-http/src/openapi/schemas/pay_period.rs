//! Pay periods (specification §11.12).

use payroll_domain::pay_period::{PayPeriod, PeriodStatus};

use super::super::schema::{
    described_schema_with, enumeration, list, non_negative_integer, reference, required_member,
    with_member_reference,
};
use super::named::NamedSchemas;

pub(super) fn schemas() -> NamedSchemas {
    let others = [
        required_member("checkCount", non_negative_integer("The number of checks in the pay period.")),
        required_member("links", list("`self`.", reference("Link"))),
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
