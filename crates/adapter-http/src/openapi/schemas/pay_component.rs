//! Pay components (specification §11.11).

use payroll_domain::pay_component::{ClassificationType, EffectOnPay, PayComponent};

use super::super::schema::{described_schema, enumeration_schema, with_member_reference};
use super::named::NamedSchemas;

pub(super) fn schemas() -> NamedSchemas {
    let component =
        with_member_reference(described_schema::<PayComponent>(), "classificationType", "ClassificationType");
    let component = with_member_reference(component, "effectOnPay", "EffectOnPay");
    vec![
        ("PayComponent", component),
        ("EffectOnPay", enumeration_schema("The effect of a pay component on pay.", EffectOnPay::ALL)),
        (
            "ClassificationType",
            enumeration_schema(
                "The kind of pay or deduction that a pay component is.",
                ClassificationType::ALL,
            ),
        ),
    ]
}
