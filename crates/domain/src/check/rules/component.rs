//! Rules about the pay component of a line (specification §7.4).

use crate::check::Section;
use crate::check::case::LineWithFacts;
use crate::code::Reason;
use crate::pay_component::{EffectOnPay, PayComponent};
use crate::report::Report;
use crate::worker::ExemptionType;

/// API-48: the company must have the component.
pub(in crate::check) fn require_component_of_the_company(case: &LineWithFacts<'_>, report: &mut Report) {
    if case.draft.component_id.is_present() && case.component.is_none() {
        report_component_fault(
            case,
            Reason::FieldInvalid,
            "componentId is unknown: this company has no such pay component",
            report,
        );
    }
}

/// API-60: a line in any section must not use a component that reduces pay.
pub(in crate::check) fn reject_reduction(case: &LineWithFacts<'_>, report: &mut Report) {
    if case.component.is_some_and(is_reduction) {
        let description = "componentId names a pay component whose effect is REDUCTION";
        report_component_fault(case, Reason::ReductionNotAllowed, description, report);
    }
}

/// API-48: the line must be in the section that matches the component's effect on pay.
pub(in crate::check) fn require_matching_section(case: &LineWithFacts<'_>, report: &mut Report) {
    let Some(component) = find_non_reducing_component(case) else { return };
    let expected_section = Section::for_effect(component.effect_on_pay);
    if case.draft.section != expected_section {
        let description = format!(
            "componentId names a pay component of effect {}, which belongs in {expected_section}",
            component.effect_on_pay
        );
        report_component_fault(case, Reason::FieldInvalid, &description, report);
    }
}

/// API-48: the component must be valid on the check date. The first and the last day of the component are
/// inclusive.
pub(in crate::check) fn require_component_valid_on_check_date(case: &LineWithFacts<'_>, report: &mut Report) {
    let (Some(component), Some(check_date)) = (find_non_reducing_component(case), case.check_date()) else {
        return;
    };
    if !component.is_valid_on(check_date) {
        let description = "componentId names a pay component that is not valid on the period's check date";
        report_component_fault(case, Reason::FieldInvalid, description, report);
    }
}

/// API-57: the component must apply to workers of the type that the check's worker has.
pub(in crate::check) fn require_applicable_worker_type(case: &LineWithFacts<'_>, report: &mut Report) {
    let (Some(component), Some(worker)) = (find_non_reducing_component(case), case.worker) else { return };
    if !component.applies_to(worker.worker_type) {
        let description = format!(
            "componentId names a pay component that does not apply to a worker of type {}",
            worker.worker_type
        );
        report_component_fault(case, Reason::WorkerTypeUnsupported, &description, report);
    }
}

/// API-57: exempt workers must not get overtime.
pub(in crate::check) fn reject_overtime_of_exempt_workers(case: &LineWithFacts<'_>, report: &mut Report) {
    let (Some(component), Some(worker)) = (find_non_reducing_component(case), case.worker) else { return };
    if component.overtime && worker.exemption_type == Some(ExemptionType::Exempt) {
        let description = "componentId names a pay component for overtime, and the worker is EXEMPT";
        report_component_fault(case, Reason::WorkerTypeUnsupported, description, report);
    }
}

/// API-65: the company must have the product of the component on the check date.
pub(in crate::check) fn require_product_of_component(case: &LineWithFacts<'_>, report: &mut Report) {
    let (Some(component), Some(check_date)) = (find_non_reducing_component(case), case.check_date()) else {
        return;
    };
    let Some(product) = &component.required_product else { return };
    if !case.facts.has_product(product, check_date) {
        let description = format!(
            "componentId names a pay component that needs the product {product} on the period's check date"
        );
        report_component_fault(case, Reason::ProductNotSetUp, &description, report);
    }
}

/// Returns the component unless it reduces pay. A reducing component is only reported by
/// [`reject_reduction`], so the other rules skip it.
fn find_non_reducing_component<'c>(case: &LineWithFacts<'c>) -> Option<&'c PayComponent> {
    case.component.filter(|component| !is_reduction(component))
}

fn is_reduction(component: &PayComponent) -> bool {
    component.effect_on_pay == EffectOnPay::Reduction
}

fn report_component_fault(case: &LineWithFacts<'_>, reason: Reason, description: &str, report: &mut Report) {
    report.add(reason, case.draft.member_location("componentId", &case.draft.component_id), description);
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::check::test_data::{
        CHECK_DATE, component, find_faults, find_faults_after_change, one_valid_check, product,
    };
    use crate::date::Date;
    use crate::pay_component::EffectOnPay;

    const COMPONENT_POINTER: &str = "earnings/0/componentId";

    /// Returns a request with one check. The only line of the check is in the given section and pays an
    /// amount by the given component.
    fn request_with_component(component_id: &str, section: &str) -> Value {
        let mut request = one_valid_check();
        request[0]["earnings"] = Value::Null;
        request[0][section] = json!([{"componentId": component_id, "payAmount": "10.00"}]);
        request
    }

    #[test]
    fn rejects_an_unknown_component() {
        for id in ["nothing", "no id!", "HOURLY"] {
            assert_eq!(
                find_faults(&request_with_component(id, "earnings")),
                [format!("API-48 /0/{COMPONENT_POINTER}")],
                "{id}"
            );
        }
    }

    #[test]
    fn each_effect_except_reduction_belongs_to_one_section() {
        for (id, expected_section) in
            [("bonus", "earnings"), ("tips", "earnings"), ("match", "informational"), ("garnishment", "")]
        {
            for section in ["earnings", "deductions", "informational"] {
                let code = if id == "garnishment" { "API-60" } else { "API-48" };
                let at_fault =
                    (section != expected_section).then(|| format!("{code} /0/{section}/0/componentId"));
                assert_eq!(
                    find_faults(&request_with_component(id, section)),
                    Vec::from_iter(at_fault),
                    "{id} in {section}"
                );
            }
        }
    }

    #[test]
    fn reports_a_reduction_without_other_faults_of_its_component() {
        let reported =
            find_faults_after_change(&request_with_component("garnishment", "deductions"), |facts| {
                let component = facts.components.get_mut("garnishment").unwrap();
                component.end_date = CHECK_DATE.previous_day();
                component.required_product = Some("GARNISHMENT".to_owned());
                component.applies_to_worker_types = vec![crate::worker::WorkerType::Contractor];
            });
        assert_eq!(reported, ["API-60 /0/deductions/0/componentId"]);
    }

    #[test]
    fn a_component_is_valid_on_its_first_and_last_day() {
        let (before, after) = (CHECK_DATE.previous_day(), CHECK_DATE.next_day());
        let validate = |start_date: Option<Date>, end_date: Option<Date>| {
            find_faults_after_change(&request_with_component("bonus", "earnings"), |facts| {
                let bonus = facts.components.get_mut("bonus").unwrap();
                (bonus.start_date, bonus.end_date) = (start_date, end_date);
            })
        };
        assert!(validate(Some(CHECK_DATE), Some(CHECK_DATE)).is_empty());
        assert_eq!(validate(after, None), [format!("API-48 /0/{COMPONENT_POINTER}")]);
        assert_eq!(validate(None, before), [format!("API-48 /0/{COMPONENT_POINTER}")]);
    }

    #[test]
    fn a_component_must_apply_to_the_worker_and_overtime_not_to_exempt_workers() {
        let mut request = request_with_component("employees", "earnings");
        assert!(find_faults(&request).is_empty());
        request[0]["workerId"] = json!("contractor");
        assert_eq!(find_faults(&request), [format!("API-57 /0/{COMPONENT_POINTER}")]);
        let mut request = request_with_component("overtime", "earnings");
        assert!(find_faults(&request).is_empty());
        request[0]["workerId"] = json!("exempt");
        assert_eq!(find_faults(&request), [format!("API-57 /0/{COMPONENT_POINTER}")]);
    }

    #[test]
    fn a_component_needs_its_product_on_the_check_date() {
        let request = request_with_component("retirement", "informational");
        let at_fault = ["API-65 /0/informational/0/componentId"];
        assert_eq!(find_faults(&request), at_fault);
        let with = |start, end| {
            find_faults_after_change(&request, |f| f.products.push(product("RETIREMENT", start, end)))
        };
        assert!(with(CHECK_DATE, Some(CHECK_DATE)).is_empty());
        assert_eq!(with(CHECK_DATE.next_day().unwrap(), None), at_fault);
        let without_any = find_faults_after_change(&request, |facts| facts.products.clear());
        assert_eq!(without_any, ["API-65 /0/informational/0/componentId", "API-65 /0/payPeriodId"]);
    }

    #[test]
    fn reports_each_code_only_once_per_position() {
        let mut request = request_with_component("both", "earnings");
        request[0]["workerId"] = json!("exempt");
        let reported = find_faults_after_change(&request, |facts| {
            let mut both = component("both", EffectOnPay::EmployerInformational);
            both.end_date = CHECK_DATE.previous_day();
            facts.components.insert(both.component_id.clone(), both);
        });
        assert_eq!(reported, [format!("API-48 /0/{COMPONENT_POINTER}")]);
    }
}
