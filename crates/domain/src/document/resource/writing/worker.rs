//! The members of a worker, as written.

use super::company::legal_id;
use crate::company::Communication;
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
    object.list("communications", &worker.communications, Communication::write);
    object.list("payRates", &worker.pay_rates, PayRate::write);
    object.list("recurringComponents", &worker.recurring_components, RecurringComponent::write);
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

/// Tax settings; the state of work is the worker's own member.
fn taxes(taxes: &TaxSettings, object: &mut ObjectWriter<'_>) {
    object.object("federal", taxes.federal.as_ref(), FederalTax::write);
    object.list("states", &taxes.states, StateTax::write);
}
