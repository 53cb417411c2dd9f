//! The members of a worker: person, place in the company, pay, tax settings.

use super::company::{ends_after_it_starts, legal_id};
use super::reader::{ObjectReader, record};
use super::values::{CODE, NAME, date, id, named, subdivision, text, word};
use crate::code::Reason;
use crate::company::Communication;
use crate::id::Id;
use crate::worker::{
    CalculationType, CurrentStatus, FederalTax, Job, Name, PayRate, RecurringComponent, StateTax,
    TaxSettings, Worker,
};

/// A worker with everything that belongs to them.
pub(super) fn worker(object: &mut ObjectReader<'_>) -> Option<Worker> {
    let taxes = object.optional_object("taxes", taxes);
    let state_of_taxes = taxes.as_ref().and_then(|taxes| taxes.as_ref()?.work_state.clone());
    record!(Worker {
        worker_id: object.required("workerId", id),
        employee_id: object.optional("employeeId", text(CODE)),
        clock_id: object.optional("clockId", text(CODE)),
        worker_type: object.required("workerType", named),
        employment_type: object.optional("employmentType", named),
        custom_employment_type_id: reference(
            object,
            "customEmploymentType",
            "customEmploymentTypeId",
            &["customEmploymentTypeName"]
        ),
        exemption_type: object.optional("exemptionType", named),
        work_state: work_state(object, state_of_taxes),
        birth_date: object.optional("birthDate", date),
        sex: object.optional("sex", named),
        ethnicity_code: object.optional("ethnicityCode", text(CODE)),
        hire_date: object.optional("hireDate", date),
        name: object.required_object("name", name),
        legal_id: object.optional_object("legalId", legal_id),
        location_id: object.optional("locationId", id),
        job_id: object.optional("jobId", id),
        labor_assignment_id: object.optional("laborAssignmentId", id),
        job: object.optional_object("job", job),
        organization_id: reference(object, "organization", "organizationId", &["name", "number"]),
        supervisor_id: reference(object, "supervisor", "workerId", &["name"]),
        current_status: object.optional_object("currentStatus", current_status),
        communications: object.list("communications", Communication::read),
        pay_rates: pay_rates(object),
        recurring_components: object.list("recurringComponents", recurring_component),
        taxes: taxes.map(|taxes| taxes.and_then(Taxes::own_settings)),
    })
}

/// An object that refers to another one by its id. It may repeat that one's names, as answers do;
/// they are read and not kept.
fn reference<K>(
    object: &mut ObjectReader<'_>,
    member: &'static str,
    id_member: &'static str,
    repeated: &[&'static str],
) -> Option<Option<Id<K>>> {
    object.optional_object(member, |object| {
        let id = object.required(id_member, id);
        // Every one is read: a fault of the second is told beside that of the first.
        let repeated = repeated.iter().filter(|name| object.optional(name, text(NAME)).is_none()).count();
        if repeated == 0 { id } else { None }
    })
}

fn name(object: &mut ObjectReader<'_>) -> Option<Name> {
    record!(Name {
        family_name: object.required("familyName", text(NAME)),
        given_name: object.required("givenName", text(NAME)),
        middle_name: object.optional("middleName", text(NAME)),
        preferred_name: object.optional("preferredName", text(NAME)),
        qualification_affix_code: object.optional("qualificationAffixCode", text(CODE)),
        title_affix_code: object.optional("titleAffixCode", text(CODE)),
    })
}

fn job(object: &mut ObjectReader<'_>) -> Option<Job> {
    record!(Job {
        job_title_id: object.required("jobTitleId", id),
        title: object.required("title", text(NAME)),
    })
}

fn current_status(object: &mut ObjectReader<'_>) -> Option<CurrentStatus> {
    record!(CurrentStatus {
        worker_status_id: object.required("workerStatusId", id),
        status_type: object.required("statusType", named),
        status_reason: object.optional("statusReason", word),
        effective_date: object.required("effectiveDate", date),
    })
}

/// The pay rates: at most one default of each kind, else it were a guess which one applies.
fn pay_rates(object: &mut ObjectReader<'_>) -> Option<Vec<PayRate>> {
    let mut defaults = Vec::new();
    object.list("payRates", |object| {
        let rate = PayRate::read(object)?;
        if rate.default && defaults.contains(&rate.rate_type) {
            let rule = format!("must be true for one {} of the worker only", rate.rate_type);
            object.fault(Reason::FieldInvalid, "default", &rule);
        }
        if rate.default {
            defaults.push(rate.rate_type);
        }
        Some(rate)
    })
}

fn recurring_component(object: &mut ObjectReader<'_>) -> Option<RecurringComponent> {
    let component = RecurringComponent::read(object)?;
    let flat = component.calculation_type == CalculationType::FlatDollarAmount;
    match (flat, &component.calculation_base_id) {
        (false, None) => {
            let rule = "is missing: only FLAT_DOLLAR_AMOUNT has no base";
            object.fault(Reason::FieldMissing, "calculationBaseId", rule);
        }
        (true, Some(_)) => {
            let rule = "must be absent: FLAT_DOLLAR_AMOUNT has no base";
            object.fault(Reason::FieldInvalid, "calculationBaseId", rule);
        }
        (false, Some(_)) | (true, None) => {}
    }
    ends_after_it_starts(object, component.start_date, component.end_date);
    Some(component)
}

/// The state in which the worker works is a member of the worker and a tax setting as well; it may
/// be told at either place.
fn work_state(object: &mut ObjectReader<'_>, of_taxes: Option<String>) -> Option<Option<String>> {
    let own = object.optional("workState", subdivision)?;
    if own.is_some() && of_taxes.is_some() && own != of_taxes {
        object.fault(Reason::FieldAmbiguous, "workState", "differs from that of the taxes");
        return None;
    }
    Some(own.or(of_taxes))
}

/// Tax settings as they stand in a document.
struct Taxes {
    work_state: Option<String>,
    settings: TaxSettings,
}

impl Taxes {
    /// The settings, unless they say nothing: then the worker has none.
    fn own_settings(self) -> Option<TaxSettings> {
        (self.settings != TaxSettings::default()).then_some(self.settings)
    }
}

fn taxes(object: &mut ObjectReader<'_>) -> Option<Taxes> {
    record!(Taxes { work_state: object.optional("workState", subdivision), settings: tax_settings(object) })
}

fn tax_settings(object: &mut ObjectReader<'_>) -> Option<TaxSettings> {
    record!(TaxSettings {
        federal: object.optional_object("federal", FederalTax::read),
        states: object.list("states", StateTax::read),
    })
}
