//! Rules about the pay component of a line (specification §7.4).

use crate::check::Section;
use crate::check::case::LineCase;
use crate::code::Reason;
use crate::pay_component::{EffectOnPay, PayComponent};
use crate::report::Report;
use crate::worker::ExemptionType;

/// API-48: the component is the company's.
pub(in crate::check) fn is_of_the_company(case: &LineCase<'_>, report: &mut Report) {
    if case.draft.component_id.is_given() && case.component.is_none() {
        add(case, Reason::FieldInvalid, "componentId names no pay component of this company", report);
    }
}

/// API-60: nothing is taken from a worker by a request, in whatever section.
pub(in crate::check) fn is_no_reduction(case: &LineCase<'_>, report: &mut Report) {
    if case.component.is_some_and(is_reduction) {
        let description = "componentId names a pay component whose effect is REDUCTION";
        add(case, Reason::ReductionNotAllowed, description, report);
    }
}

/// API-48: the component stands in the section that its effect belongs in.
pub(in crate::check) fn belongs_in_its_section(case: &LineCase<'_>, report: &mut Report) {
    let Some(component) = usable(case) else { return };
    let home = match component.effect_on_pay {
        EffectOnPay::Addition | EffectOnPay::AdditionWithInOut => Section::Earnings,
        EffectOnPay::EmployerInformational => Section::Informational,
        EffectOnPay::Reduction => Section::Deductions,
    };
    if case.draft.section != home {
        let description = format!(
            "componentId names a pay component of effect {}, which belongs in {home}",
            component.effect_on_pay
        );
        add(case, Reason::FieldInvalid, &description, report);
    }
}

/// API-48: the component is valid on the check date, both end days included.
pub(in crate::check) fn is_valid_on_the_check_date(case: &LineCase<'_>, report: &mut Report) {
    let (Some(component), Some(check_date)) = (usable(case), case.check_date()) else { return };
    if !component.covers(check_date) {
        let description = "componentId names a pay component that is not valid on the period's check date";
        add(case, Reason::FieldInvalid, description, report);
    }
}

/// API-57: the component applies to workers of that type.
pub(in crate::check) fn applies_to_the_worker_type(case: &LineCase<'_>, report: &mut Report) {
    let (Some(component), Some(worker)) = (usable(case), case.worker) else { return };
    if !component.applies_to(worker.worker_type) {
        let description = format!(
            "componentId names a pay component that does not apply to a worker of type {}",
            worker.worker_type
        );
        add(case, Reason::WorkerTypeUnsupported, &description, report);
    }
}

/// API-57: exempt workers get no overtime.
pub(in crate::check) fn pays_overtime_to_no_exempt_worker(case: &LineCase<'_>, report: &mut Report) {
    let (Some(component), Some(worker)) = (usable(case), case.worker) else { return };
    if component.overtime && worker.exemption_type == Some(ExemptionType::Exempt) {
        let description = "componentId names a pay component for overtime, and the worker is EXEMPT";
        add(case, Reason::WorkerTypeUnsupported, description, report);
    }
}

/// API-65: the company has the product that the component needs on the check date.
pub(in crate::check) fn has_its_product(case: &LineCase<'_>, report: &mut Report) {
    let (Some(component), Some(check_date)) = (usable(case), case.check_date()) else { return };
    let Some(product) = &component.required_product else { return };
    if !case.facts.has_product(product, check_date) {
        let description = format!(
            "componentId names a pay component that needs the product {product} on the period's check date"
        );
        add(case, Reason::ProductNotSetUp, &description, report);
    }
}

/// The component, unless it is a reduction: that is told alone.
fn usable<'c>(case: &LineCase<'c>) -> Option<&'c PayComponent> {
    case.component.filter(|component| !is_reduction(component))
}

fn is_reduction(component: &PayComponent) -> bool {
    component.effect_on_pay == EffectOnPay::Reduction
}

fn add(case: &LineCase<'_>, reason: Reason, description: &str, report: &mut Report) {
    report.add(reason, case.draft.spot_of("componentId", &case.draft.component_id), description);
}
