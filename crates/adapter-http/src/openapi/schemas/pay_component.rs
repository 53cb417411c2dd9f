//! Pay components (specification §11.11).

use payroll_domain::pay_component::{ClassificationType, EffectOnPay};
use payroll_domain::worker::WorkerType;

use super::super::schema::{date, flag, id, list, object, optional, reference, required, text, word};
use super::named::Named;

pub(super) fn schemas() -> Named {
    let worker_type = word("A type of worker.", WorkerType::ALL);
    let component = object(
        "A pay component of a company: what a line of a check pays or takes.",
        [
            required("componentId", id("Its id.")),
            required("name", text("Such as \"Hourly\".")),
            optional("code", text("Two digits.")),
            required("classificationType", reference("ClassificationType")),
            optional("description", text("A note.")),
            required("effectOnPay", reference("EffectOnPay")),
            optional("startDate", date("The first day on which it may be used.")),
            optional("endDate", date("The last day on which it may be used.")),
            optional("appliesToWorkerTypes", list("Whom it applies to; absent: to all.", worker_type)),
            required("overtime", flag("It pays overtime, which exempt workers do not get.")),
            optional("requiredProduct", text("The product that the company must have to use it.")),
        ],
    );
    vec![
        ("PayComponent", component),
        ("EffectOnPay", word("What a component does to the pay.", EffectOnPay::ALL)),
        ("ClassificationType", word("What kind of pay or deduction it is.", ClassificationType::ALL)),
    ]
}
