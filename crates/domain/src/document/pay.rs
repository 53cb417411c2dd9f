//! The members of pay components, pay periods and processed checks.

use crate::check::{
    ComponentLabel, DEFAULT_CHECK_TYPE, MAX_CORRELATION_ID_LENGTH, OrganizationLabel, ProcessedCheck,
    ProcessedLine, Section, TaxLine,
};
use crate::code::Reason;
use crate::complete_company::ImportedPeriod;
use crate::date::Date;
use crate::description::objects::Readable;
use crate::id::PayPeriodId;
use crate::object::reader::{ObjectReader, record};
use crate::object::values::{
    MAX_CODE_LENGTH, MAX_NAME_CHARACTERS, id, named, read_date, signed_amount, signed_quantity, signed_rate,
    text,
};
use crate::pay_component::{EffectOnPay, PayComponent};
use crate::pay_period::{PayPeriod, PeriodStatus};

/// Reads a pay component of a company.
pub(super) fn read_component(object: &mut ObjectReader<'_>) -> Option<PayComponent> {
    let component = PayComponent::read(object)?;
    object.check_date_range(component.start_date, component.end_date);
    let accounts = [("debitAccount", &component.debit_account), ("creditAccount", &component.credit_account)];
    if component.effect_on_pay == EffectOnPay::EmployerInformational
        && let [(missing, None), (_, Some(_))] | [(_, Some(_)), (missing, None)] = accounts
    {
        let rule = "is required with the other account: an informational component has no default account";
        object.report_fault(Reason::FieldMissing, missing, rule);
    }
    Some(component)
}

/// Reads the pay periods. At most one of them may be in processing.
pub(super) fn read_periods(object: &mut ObjectReader<'_>) -> Option<Vec<ImportedPeriod>> {
    let mut processing = false;
    object.list("payPeriods", |object| {
        let period = read_period(object);
        let checks = match &period {
            Some(period) => read_checks(object, period),
            // If the period has faults, its checks are still validated, but without comparing them with the
            // period.
            None => object.list("checks", |object| read_check(object, None)),
        };
        let period = period?;
        if period.status == PeriodStatus::Processing && std::mem::replace(&mut processing, true) {
            object.report_fault(Reason::FieldInvalid, "status", "must be PROCESSING for one period only");
        }
        Some(ImportedPeriod { period, processed_checks: checks? })
    })
}

/// Reads a pay period without its checks. The document may contain `totals`, which the server computes and
/// the reader ignores. A client can therefore send a response back unchanged.
pub(super) fn read_period(object: &mut ObjectReader<'_>) -> Option<PayPeriod> {
    object.allow_member("totals");
    let period = PayPeriod::read(object)?;
    object.check_date_range(Some(period.start_date), Some(period.end_date));
    Some(period)
}

/// Reads the checks of a processed period. The checks of other periods are added through the API.
fn read_checks(object: &mut ObjectReader<'_>, period: &PayPeriod) -> Option<Vec<ProcessedCheck>> {
    let checks = object.list("checks", |object| read_check(object, Some(period)))?;
    if !checks.is_empty() && !period.status.is_processed() {
        let rule = format!("must be absent: a period that is {} has no processed checks", period.status);
        object.report_fault(Reason::FieldInvalid, "checks", &rule);
    }
    Some(checks)
}

/// Reads a check of a processed period. It may repeat the id and the check date of the period.
fn read_check(object: &mut ObjectReader<'_>, period: Option<&PayPeriod>) -> Option<ProcessedCheck> {
    let pay_period_id = object.optional("payPeriodId", id);
    let check_date = object.optional("checkDate", read_date);
    let repeated = pay_period_id.zip(check_date);
    let period_of_check =
        period.zip(repeated).and_then(|(period, repeated)| check_repeated_values(object, period, repeated));
    record!(ProcessedCheck {
        paycheck_id: object.required("paycheckId", id),
        worker_id: object.required("workerId", id),
        pay_period_id: period_of_check.map(|period| period.pay_period_id.clone()),
        correlation_id: object.optional("checkCorrelationId", text(MAX_CORRELATION_ID_LENGTH)),
        check_date: period_of_check.map(|period| period.check_date),
        net_pay: object.required("netPay", signed_amount),
        gross_earnings: object.required("grossEarnings", signed_amount),
        check_type: object
            .optional("checkType", text(MAX_CODE_LENGTH))
            .map(|given| given.unwrap_or_else(|| DEFAULT_CHECK_TYPE.to_owned())),
        check_number: object.optional("checkNumber", text(MAX_CODE_LENGTH)),
        reversal_of: object.optional("reversalOf", id),
        lines: read_lines(object),
        taxes: object.list("taxes", read_tax),
    })
}

/// A check may repeat the id and the check date of its period. Returns the period if these values are equal,
/// and reports faults otherwise.
fn check_repeated_values<'p>(
    object: &mut ObjectReader<'_>,
    period: &'p PayPeriod,
    (pay_period_id, check_date): (Option<PayPeriodId>, Option<Date>),
) -> Option<&'p PayPeriod> {
    let other_id = pay_period_id.is_some_and(|id| id != period.pay_period_id);
    let other_date = check_date.is_some_and(|date| date != period.check_date);
    if other_id {
        object.report_fault(Reason::FieldInvalid, "payPeriodId", "must be equal to the id of its pay period");
    }
    if other_date {
        object.report_fault(
            Reason::FieldInvalid,
            "checkDate",
            "must be equal to the check date of its pay period",
        );
    }
    (!other_id && !other_date).then_some(period)
}

/// Reads the lines, section by section.
fn read_lines(object: &mut ObjectReader<'_>) -> Option<Vec<ProcessedLine>> {
    let of = |section: &Section| object.list(section.as_str(), |object| read_line(object, *section));
    // All sections are read before they are collected, because collecting into an `Option` would stop at the
    // first fault.
    let sections: Vec<_> = Section::ALL.iter().map(of).collect();
    Some(sections.into_iter().collect::<Option<Vec<_>>>()?.into_iter().flatten().collect())
}

fn read_line(object: &mut ObjectReader<'_>, section: Section) -> Option<ProcessedLine> {
    record!(ProcessedLine {
        section: Some(section),
        check_component_id: object.required("checkComponentId", id),
        component: read_component_label(object),
        memoed: object.read_flag("memoed"),
        amount: object.required("amount", signed_amount),
        rate: object.optional("rate", signed_rate),
        hours: object.optional("hours", signed_quantity),
        units: object.optional("units", signed_quantity),
        line_date: object.optional("lineDate", read_date),
        job_id: object.optional("jobId", id),
        labor_assignment_id: object.optional("laborAssignmentId", id),
        organization: object.optional_object("organization", read_organization_label),
    })
}

/// Reads the label of the pay component at the time when the check was processed.
fn read_component_label(object: &mut ObjectReader<'_>) -> Option<ComponentLabel> {
    record!(ComponentLabel {
        component_id: object.required("componentId", id),
        name: object.required("name", text(MAX_NAME_CHARACTERS)),
        classification_type: object.required("classificationType", named),
        effect_on_pay: object.required("effectOnPay", named),
    })
}

fn read_organization_label(object: &mut ObjectReader<'_>) -> Option<OrganizationLabel> {
    record!(OrganizationLabel {
        organization_id: object.required("organizationId", id),
        name: object.required("name", text(MAX_NAME_CHARACTERS)),
        number: object.optional("number", text(MAX_CODE_LENGTH)),
    })
}

fn read_tax(object: &mut ObjectReader<'_>) -> Option<TaxLine> {
    record!(TaxLine {
        name: object.required("name", text(MAX_NAME_CHARACTERS)),
        amount: object.required("amount", signed_amount),
        paid_by: object.required("paidBy", named),
    })
}
