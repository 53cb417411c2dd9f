//! Rows of workers, their pay rates, recurring components and tax settings.

use payroll_domain::check::WorkerFacts;
use payroll_domain::description::Described;
use payroll_domain::tax_id::LegalId;
use payroll_domain::worker::{
    CurrentStatus, EmploymentType, ExemptionType, FederalTax, Job, Name, PayRate, RecurringComponent, Sex,
    StateTax, StatusType, Worker, WorkerType,
};

use crate::error::Outcome;
use crate::rows::parts::parts;
use crate::rows::{At, stored_legal_id};
use crate::seal::Sealer;
use crate::table::table;

table! {
    /// A worker.
    struct WorkerRow in "workers" key "company_id, worker_id" {
        company_id: text,
        worker_id: text,
        created: int,
        employee_id: text_or_null,
        clock_id: text_or_null,
        worker_type: text,
        employment_type: text_or_null,
        custom_employment_type_id: text_or_null,
        exemption_type: text_or_null,
        work_state: text_or_null,
        birth_date: date_or_null,
        sex: text_or_null,
        ethnicity_code: text_or_null,
        hire_date: date_or_null,
        family_name: text,
        given_name: text,
        middle_name: text_or_null,
        preferred_name: text_or_null,
        qualification_affix_code: text_or_null,
        title_affix_code: text_or_null,
        legal_id_type: text_or_null,
        legal_id: text_or_null,
        last_four_hash: text_or_null,
        last_four_of: text_or_null,
        location_id: text_or_null,
        job_id: text_or_null,
        labor_assignment_id: text_or_null,
        job_title_id: text_or_null,
        job_title: text_or_null,
        organization_id: text_or_null,
        supervisor_id: text_or_null,
        worker_status_id: text_or_null,
        status_type: text_or_null,
        status_reason: text_or_null,
        status_effective_date: date_or_null,
        version: int,
    }
}

parts! {
    PayRate in "pay_rates" of "worker_id" as list key "company_id, worker_id, rate_id";
    RecurringComponent in "recurring_components" of "worker_id" as list
        key "company_id, worker_id, worker_component_id";
    FederalTax in "federal_taxes" of "worker_id" as one key "company_id, worker_id";
    StateTax in "state_taxes" of "worker_id" as list key "company_id, worker_id, country_subdivision_code";
}

impl WorkerRow {
    /// The id of the object.
    pub(crate) fn id(&self) -> &str {
        &self.worker_id
    }

    /// A worker as a row; what belongs to them are rows of their own.
    pub(crate) fn new(company_id: &str, created: i64, from: &Worker, sealer: &Sealer) -> Self {
        let id = from.worker_id.as_str();
        let (status, job) = (from.current_status.as_ref(), from.job.as_ref());
        let legal_id = from.legal_id.as_ref().map(|legal| stored_legal_id(legal, id, sealer));
        let last_four = from.legal_id.as_ref().map(LegalId::last_four);
        Self {
            company_id: company_id.to_owned(),
            worker_id: id.to_owned(),
            created,
            employee_id: from.employee_id.clone(),
            clock_id: from.clock_id.clone(),
            worker_type: from.worker_type.as_str().to_owned(),
            employment_type: from.employment_type.map(|kind| kind.as_str().to_owned()),
            custom_employment_type_id: from.custom_employment_type_id.as_ref().map(ToString::to_string),
            exemption_type: from.exemption_type.map(|kind| kind.as_str().to_owned()),
            work_state: from.work_state.clone(),
            birth_date: from.birth_date,
            sex: from.sex.map(|sex| sex.as_str().to_owned()),
            ethnicity_code: from.ethnicity_code.clone(),
            hire_date: from.hire_date,
            family_name: from.name.family_name.clone(),
            given_name: from.name.given_name.clone(),
            middle_name: from.name.middle_name.clone(),
            preferred_name: from.name.preferred_name.clone(),
            qualification_affix_code: from.name.qualification_affix_code.clone(),
            title_affix_code: from.name.title_affix_code.clone(),
            legal_id_type: from.legal_id.as_ref().map(|legal| legal.kind().as_str().to_owned()),
            last_four_hash: last_four.map(|digits| sealer.last_four_hash(company_id, &digits)),
            last_four_of: legal_id.clone(),
            legal_id,
            location_id: from.location_id.as_ref().map(ToString::to_string),
            job_id: from.job_id.as_ref().map(ToString::to_string),
            labor_assignment_id: from.labor_assignment_id.as_ref().map(ToString::to_string),
            job_title_id: job.map(|job| job.job_title_id.to_string()),
            job_title: job.map(|job| job.title.clone()),
            organization_id: from.organization_id.as_ref().map(ToString::to_string),
            supervisor_id: from.supervisor_id.as_ref().map(ToString::to_string),
            worker_status_id: status.map(|status| status.worker_status_id.to_string()),
            status_type: status.map(|status| status.status_type.as_str().to_owned()),
            status_reason: status.and_then(|status| status.status_reason.clone()),
            status_effective_date: status.map(|status| status.effective_date),
            version: created,
        }
    }

    /// Takes over how the tax identity of another row is stored, which is the same one: it is not
    /// sealed anew. A hash that was made for another identity is not taken over.
    pub(crate) fn keep_legal_id(&mut self, stored: &Self) {
        self.legal_id.clone_from(&stored.legal_id);
        if stored.last_four_of == stored.legal_id {
            self.last_four_hash.clone_from(&stored.last_four_hash);
        }
        self.last_four_of.clone_from(&stored.legal_id);
    }

    /// What the row means, without what belongs to the worker in rows of their own.
    pub(crate) fn worker(self, sealer: &Sealer) -> Outcome<Worker> {
        let at = At { table: "workers", key: &self.worker_id };
        Ok(Worker {
            worker_id: at.id(&self.worker_id)?,
            worker_type: at.word(&self.worker_type, WorkerType::parse)?,
            employment_type: at.word_or_none(self.employment_type.as_deref(), EmploymentType::parse)?,
            custom_employment_type_id: at.id_or_none(self.custom_employment_type_id.as_deref())?,
            exemption_type: at.word_or_none(self.exemption_type.as_deref(), ExemptionType::parse)?,
            sex: at.word_or_none(self.sex.as_deref(), Sex::parse)?,
            legal_id: at.legal_id(self.legal_id_type.as_deref(), self.legal_id.as_deref(), sealer)?,
            location_id: at.id_or_none(self.location_id.as_deref())?,
            job_id: at.id_or_none(self.job_id.as_deref())?,
            labor_assignment_id: at.id_or_none(self.labor_assignment_id.as_deref())?,
            job: self.job(at)?,
            organization_id: at.id_or_none(self.organization_id.as_deref())?,
            supervisor_id: at.id_or_none(self.supervisor_id.as_deref())?,
            current_status: self.current_status(at)?,
            name: Name {
                family_name: self.family_name,
                given_name: self.given_name,
                middle_name: self.middle_name,
                preferred_name: self.preferred_name,
                qualification_affix_code: self.qualification_affix_code,
                title_affix_code: self.title_affix_code,
            },
            employee_id: self.employee_id,
            clock_id: self.clock_id,
            work_state: self.work_state,
            birth_date: self.birth_date,
            ethnicity_code: self.ethnicity_code,
            hire_date: self.hire_date,
            communications: Vec::new(),
            pay_rates: Vec::new(),
            recurring_components: Vec::new(),
            taxes: None,
        })
    }

    fn job(&self, at: At<'_>) -> Outcome<Option<Job>> {
        let Some(job_title_id) = self.job_title_id.as_deref() else { return Ok(None) };
        let title = self.job_title.clone().ok_or_else(|| at.corrupt("a job has no title"))?;
        Ok(Some(Job { job_title_id: at.id(job_title_id)?, title }))
    }

    fn current_status(&self, at: At<'_>) -> Outcome<Option<CurrentStatus>> {
        let Some(worker_status_id) = self.worker_status_id.as_deref() else { return Ok(None) };
        let (Some(status_type), Some(effective_date)) = (&self.status_type, self.status_effective_date)
        else {
            return Err(at.corrupt("a status has no type or no date"));
        };
        Ok(Some(CurrentStatus {
            worker_status_id: at.id(worker_status_id)?,
            status_type: at.word(status_type, StatusType::parse)?,
            status_reason: self.status_reason.clone(),
            effective_date,
        }))
    }
}

/// A worker, as far as the rules need them: id, type, exemption.
pub(crate) type WorkerFactsRow = (String, String, Option<String>);

/// What a [`WorkerFactsRow`] means; the pay rates are added by the caller.
pub(crate) fn worker_facts(row: &WorkerFactsRow) -> Outcome<WorkerFacts> {
    let (worker_id, worker_type, exemption_type) = row;
    let at = At { table: "workers", key: worker_id };
    let worker_type = at.word(worker_type, WorkerType::parse)?;
    let exemption_type = at.word_or_none(exemption_type.as_deref(), ExemptionType::parse)?;
    Ok(WorkerFacts::new(worker_type, exemption_type, Vec::new()))
}
