//! Pay components (specification §11.11).

use payroll_domain::pay_component::{ClassificationType, EffectOnPay, PayComponent};

use super::super::schema::{described, enumeration, referring};
use super::named::Named;

pub(super) fn schemas() -> Named {
    let component = referring(described::<PayComponent>(), "classificationType", "ClassificationType");
    let component = referring(component, "effectOnPay", "EffectOnPay");
    vec![
        ("PayComponent", component),
        ("EffectOnPay", enumeration("The effect of a component on pay.", EffectOnPay::ALL)),
        ("ClassificationType", enumeration("The kind of pay or deduction.", ClassificationType::ALL)),
    ]
}
