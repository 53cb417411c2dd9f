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
use crate::object::reader::{ObjectReader, read_struct};
use crate::object::values::{
    MAX_CODE_LENGTH, MAX_NAME_CHARACTERS, read_date, read_id, read_named_value, read_signed_amount,
    read_signed_quantity, read_signed_rate, text_reader,
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
        let rule = "is missing: an informational component has no default account, so send both accounts or \
            none";
        object.report_fault(Reason::FieldMissing, missing, rule);
    }
    Some(component)
}

/// Reads the pay periods. At most one period may be in processing.
pub(super) fn read_periods(object: &mut ObjectReader<'_>) -> Option<Vec<ImportedPeriod>> {
    let mut processing = false;
    object.read_list("payPeriods", |object| {
        let period = read_period(object);
        let checks = match &period {
            Some(period) => read_checks(object, period),
            // If the period has faults, its checks are still validated, but their ids and dates are not
            // compared with the period.
            None => object.read_list("checks", |object| read_check(object, None)),
        };
        let period = period?;
        if period.status == PeriodStatus::Processing && std::mem::replace(&mut processing, true) {
            object.report_fault(
                Reason::FieldInvalid,
                "status",
                "can be PROCESSING for only one pay period of the company",
            );
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
    let checks = object.read_list("checks", |object| read_check(object, Some(period)))?;
    if !checks.is_empty() && !period.status.is_processed() {
        let rule = format!("must be absent: a period that is {} has no processed checks", period.status);
        object.report_fault(Reason::FieldInvalid, "checks", &rule);
    }
    Some(checks)
}

/// Reads a check of a processed period. The check may repeat the id and the check date of the period.
fn read_check(object: &mut ObjectReader<'_>, period: Option<&PayPeriod>) -> Option<ProcessedCheck> {
    let pay_period_id = object.read_optional("payPeriodId", read_id);
    let check_date = object.read_optional("checkDate", read_date);
    let repeated = pay_period_id.zip(check_date);
    let period_of_check = period
        .zip(repeated)
        .and_then(|(period, repeated)| require_values_of_period(object, period, repeated));
    read_struct!(ProcessedCheck {
        paycheck_id: object.read_required("paycheckId", read_id),
        worker_id: object.read_required("workerId", read_id),
        pay_period_id: period_of_check.map(|period| period.pay_period_id.clone()),
        correlation_id: object.read_optional("checkCorrelationId", text_reader(MAX_CORRELATION_ID_LENGTH)),
        check_date: period_of_check.map(|period| period.check_date),
        net_pay: object.read_required("netPay", read_signed_amount),
        gross_earnings: object.read_required("grossEarnings", read_signed_amount),
        check_type: object
            .read_optional("checkType", text_reader(MAX_CODE_LENGTH))
            .map(|given| given.unwrap_or_else(|| DEFAULT_CHECK_TYPE.to_owned())),
        check_number: object.read_optional("checkNumber", text_reader(MAX_CODE_LENGTH)),
        reversal_of: object.read_optional("reversalOf", read_id),
        lines: read_lines(object),
        taxes: object.read_list("taxes", read_tax),
    })
}

/// A check may repeat the id and the check date of its period. Returns the period if these values are equal,
/// and reports faults otherwise.
fn require_values_of_period<'p>(
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

/// Reads the lines of a check, section by section.
fn read_lines(object: &mut ObjectReader<'_>) -> Option<Vec<ProcessedLine>> {
    let of = |section: &Section| object.read_list(section.as_str(), |object| read_line(object, *section));
    // All sections are read before they are collected, because collecting into an `Option` would stop at the
    // first fault.
    let sections: Vec<_> = Section::ALL.iter().map(of).collect();
    Some(sections.into_iter().collect::<Option<Vec<_>>>()?.into_iter().flatten().collect())
}

fn read_line(object: &mut ObjectReader<'_>, section: Section) -> Option<ProcessedLine> {
    read_struct!(ProcessedLine {
        section: Some(section),
        check_component_id: object.read_required("checkComponentId", read_id),
        component: read_component_label(object),
        memoed: object.read_flag("memoed"),
        amount: object.read_required("amount", read_signed_amount),
        rate: object.read_optional("rate", read_signed_rate),
        hours: object.read_optional("hours", read_signed_quantity),
        units: object.read_optional("units", read_signed_quantity),
        line_date: object.read_optional("lineDate", read_date),
        job_id: object.read_optional("jobId", read_id),
        labor_assignment_id: object.read_optional("laborAssignmentId", read_id),
        organization: object.read_optional_object("organization", read_organization_label),
    })
}

/// Reads the label of the pay component at the time when the check was processed.
fn read_component_label(object: &mut ObjectReader<'_>) -> Option<ComponentLabel> {
    read_struct!(ComponentLabel {
        component_id: object.read_required("componentId", read_id),
        name: object.read_required("name", text_reader(MAX_NAME_CHARACTERS)),
        classification_type: object.read_required("classificationType", read_named_value),
        effect_on_pay: object.read_required("effectOnPay", read_named_value),
    })
}

fn read_organization_label(object: &mut ObjectReader<'_>) -> Option<OrganizationLabel> {
    read_struct!(OrganizationLabel {
        organization_id: object.read_required("organizationId", read_id),
        name: object.read_required("name", text_reader(MAX_NAME_CHARACTERS)),
        number: object.read_optional("number", text_reader(MAX_CODE_LENGTH)),
    })
}

fn read_tax(object: &mut ObjectReader<'_>) -> Option<TaxLine> {
    read_struct!(TaxLine {
        name: object.read_required("name", text_reader(MAX_NAME_CHARACTERS)),
        amount: object.read_required("amount", read_signed_amount),
        paid_by: object.read_required("paidBy", read_named_value),
    })
}
