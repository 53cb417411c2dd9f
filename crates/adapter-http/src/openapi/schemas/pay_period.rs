//! Pay periods (specification §11.12).

use payroll_domain::pay_period::{PayPeriod, PeriodStatus};

use super::super::schema::{
    described_schema_with, enumeration_schema, integer_schema, list_schema, required, schema_reference,
    with_member_reference,
};
use super::named::NamedSchemas;

pub(super) fn schemas() -> NamedSchemas {
    let others = [
        required("checkCount", integer_schema("The number of checks in the pay period.")),
        required("links", list_schema("The link `self` to the object.", schema_reference("Link"))),
    ];
    let status = enumeration_schema(
        "The state of the pay period. In INITIAL and ENTRY it accepts checks, and in PROCESSING it does \
         not. In the other states it is processed.",
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
