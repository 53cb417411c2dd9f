//! The members of a worker, as written.

use super::company::{communication, legal_id};
use crate::document::writer::ObjectWriter;
use crate::worker::{
    CurrentStatus, FederalTax, Job, Name, PayRate, RecurringComponent, StateTax, TaxSettings, Worker,
};

/// A worker. What they refer to is written by its id alone: its names are its own.
pub(super) fn worker(worker: &Worker, object: &mut ObjectWriter<'_>) {
    object.text("workerId", &worker.worker_id);
    object.optional("employeeId", worker.employee_id.as_ref());
    object.optional("clockId", worker.clock_id.as_ref());
    object.text("workerType", worker.worker_type);
    object.optional("employmentType", worker.employment_type);
    object.object("customEmploymentType", worker.custom_employment_type_id.as_ref(), |id, object| {
        object.text("customEmploymentTypeId", id);
    });
    object.optional("exemptionType", worker.exemption_type);
    object.optional("workState", worker.work_state.as_ref());
    object.optional_day("birthDate", worker.birth_date);
    object.optional("sex", worker.sex);
    object.optional("ethnicityCode", worker.ethnicity_code.as_ref());
    object.optional_day("hireDate", worker.hire_date);
    object.object("name", Some(&worker.name), name);
    object.object("legalId", worker.legal_id.as_ref(), legal_id);
    assignment(worker, object);
    object.object("currentStatus", worker.current_status.as_ref(), current_status);
    object.list("communications", &worker.communications, communication);
    object.list("payRates", &worker.pay_rates, pay_rate);
    object.list("recurringComponents", &worker.recurring_components, recurring_component);
    object.object("taxes", worker.taxes.as_ref(), taxes);
}

/// Where they work.
fn assignment(worker: &Worker, object: &mut ObjectWriter<'_>) {
    object.optional("locationId", worker.location_id.as_ref());
    object.optional("jobId", worker.job_id.as_ref());
    object.optional("laborAssignmentId", worker.labor_assignment_id.as_ref());
    object.object("job", worker.job.as_ref(), job);
    object.object("organization", worker.organization_id.as_ref(), |id, object| {
        object.text("organizationId", id);
    });
    object.object("supervisor", worker.supervisor_id.as_ref(), |id, object| object.text("workerId", id));
}

fn name(name: &Name, object: &mut ObjectWriter<'_>) {
    object.text("familyName", &name.family_name);
    object.text("givenName", &name.given_name);
    object.optional("middleName", name.middle_name.as_ref());
    object.optional("preferredName", name.preferred_name.as_ref());
    object.optional("qualificationAffixCode", name.qualification_affix_code.as_ref());
    object.optional("titleAffixCode", name.title_affix_code.as_ref());
}

fn job(job: &Job, object: &mut ObjectWriter<'_>) {
    object.text("jobTitleId", &job.job_title_id);
    object.text("title", &job.title);
}

fn current_status(status: &CurrentStatus, object: &mut ObjectWriter<'_>) {
    object.text("workerStatusId", &status.worker_status_id);
    object.text("statusType", status.status_type);
    object.optional("statusReason", status.status_reason.as_ref());
    object.day("effectiveDate", status.effective_date);
}

fn pay_rate(rate: &PayRate, object: &mut ObjectWriter<'_>) {
    object.text("rateId", &rate.rate_id);
    object.text("rateNumber", format_args!("RATE_{}", rate.rate_number));
    object.text("rateType", rate.rate_type);
    object.optional("description", rate.description.as_ref());
    object.text("amount", rate.amount);
    object.optional("standardHours", rate.standard_hours);
    object.optional("standardOvertime", rate.standard_overtime);
    object.flag("default", rate.default);
    object.day("startDate", rate.start_date);
    object.optional_day("effectiveDate", rate.effective_date);
}

fn recurring_component(component: &RecurringComponent, object: &mut ObjectWriter<'_>) {
    object.text("workerComponentId", &component.worker_component_id);
    object.text("componentId", &component.component_id);
    object.text("calculationType", component.calculation_type);
    object.optional("calculationBaseId", component.calculation_base_id.as_ref());
    object.text("value", component.value);
    object.optional_day("startDate", component.start_date);
    object.optional_day("endDate", component.end_date);
}

/// Tax settings; the state of work is the worker's own member.
fn taxes(taxes: &TaxSettings, object: &mut ObjectWriter<'_>) {
    object.object("federal", taxes.federal.as_ref(), federal_tax);
    object.list("states", &taxes.states, state_tax);
}

fn federal_tax(tax: &FederalTax, object: &mut ObjectWriter<'_>) {
    object.optional("filingStatus", tax.filing_status);
    object.plain("multipleJobs", tax.multiple_jobs);
    object.optional("dependentsAmount", tax.dependents_amount);
    object.optional("otherIncome", tax.other_income);
    object.optional("deductionsAmount", tax.deductions_amount);
    object.optional("extraWithholdingAmount", tax.extra_withholding_amount);
    object.optional("extraWithholdingPercentage", tax.extra_withholding_percentage);
}

fn state_tax(tax: &StateTax, object: &mut ObjectWriter<'_>) {
    object.text("countrySubdivisionCode", &tax.country_subdivision_code);
    object.plain("isResidentState", tax.is_resident_state);
    object.optional("stateAllocationPercent", tax.state_allocation_percent);
    object.optional("filingStatusType", tax.filing_status_type.as_ref());
    object.optional("additionalAmount", tax.additional_amount);
    object.optional("additionalPercent", tax.additional_percent);
}
