//! Rows of workers, their pay rates, recurring components and tax settings.

use payroll_domain::check::WorkerFacts;
use payroll_domain::tax_id::LegalId;
use payroll_domain::worker::{
    CalculationType, CurrentStatus, EmploymentType, ExemptionType, FederalTax, FilingStatus, Job, Name,
    PayRate, RateType, RecurringComponent, Sex, StateTax, StatusType, Worker, WorkerType,
};

use crate::error::Outcome;
use crate::rows::{At, stored_legal_id, ten_thousandths};
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

table! {
    /// A pay rate of a worker.
    struct PayRateRow in "pay_rates" key "company_id, worker_id, rate_id" {
        company_id: text,
        worker_id: text,
        rate_id: text,
        position: int,
        rate_number: int,
        rate_type: text,
        description: text_or_null,
        amount: int,
        standard_hours: int_or_null,
        standard_overtime: int_or_null,
        is_default: bool,
        start_date: date,
        effective_date: date_or_null,
    }
}

table! {
    /// A recurring pay component of a worker.
    struct RecurringRow in "recurring_components" key "company_id, worker_id, worker_component_id" {
        company_id: text,
        worker_id: text,
        worker_component_id: text,
        position: int,
        component_id: text,
        calculation_type: text,
        calculation_base_id: text_or_null,
        value: int,
        start_date: date_or_null,
        end_date: date_or_null,
    }
}

table! {
    /// A worker's federal tax settings.
    struct FederalTaxRow in "federal_taxes" key "company_id, worker_id" {
        company_id: text,
        worker_id: text,
        filing_status: text_or_null,
        multiple_jobs: bool_or_null,
        dependents_amount: int_or_null,
        other_income: int_or_null,
        deductions_amount: int_or_null,
        extra_withholding_amount: int_or_null,
        extra_withholding_percentage: int_or_null,
    }
}

table! {
    /// A worker's tax settings for a state.
    struct StateTaxRow in "state_taxes" key "company_id, worker_id, country_subdivision_code" {
        company_id: text,
        worker_id: text,
        country_subdivision_code: text,
        position: int,
        is_resident_state: bool_or_null,
        state_allocation_percent: int_or_null,
        filing_status_type: text_or_null,
        additional_amount: int_or_null,
        additional_percent: int_or_null,
    }
}

/// A decimal that may be absent, in ten-thousandths.
macro_rules! stored {
    ($value:expr) => {
        $value.map(|value| ten_thousandths(value.to_ten_thousandths())).transpose()?
    };
}

impl WorkerRow {
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

impl PayRateRow {
    /// A pay rate, at its position, as a row.
    pub(crate) fn new(company_id: &str, worker_id: &str, position: i64, from: &PayRate) -> Outcome<Self> {
        Ok(Self {
            company_id: company_id.to_owned(),
            worker_id: worker_id.to_owned(),
            rate_id: from.rate_id.to_string(),
            position,
            rate_number: i64::from(from.rate_number),
            rate_type: from.rate_type.as_str().to_owned(),
            description: from.description.clone(),
            amount: ten_thousandths(from.amount.to_ten_thousandths())?,
            standard_hours: stored!(from.standard_hours),
            standard_overtime: stored!(from.standard_overtime),
            is_default: from.default,
            start_date: from.start_date,
            effective_date: from.effective_date,
        })
    }

    /// What the row means.
    pub(crate) fn pay_rate(self) -> Outcome<PayRate> {
        let at = At { table: "pay_rates", key: &self.rate_id };
        Ok(PayRate {
            rate_id: at.id(&self.rate_id)?,
            rate_number: at.number(self.rate_number)?,
            rate_type: at.word(&self.rate_type, RateType::parse)?,
            amount: at.rate(self.amount)?,
            standard_hours: at.quantity_or_none(self.standard_hours)?,
            standard_overtime: at.quantity_or_none(self.standard_overtime)?,
            default: self.is_default,
            start_date: self.start_date,
            effective_date: self.effective_date,
            description: self.description,
        })
    }
}

impl RecurringRow {
    /// A recurring component, at its position, as a row.
    pub(crate) fn new(
        company_id: &str,
        worker_id: &str,
        position: i64,
        from: &RecurringComponent,
    ) -> Outcome<Self> {
        Ok(Self {
            company_id: company_id.to_owned(),
            worker_id: worker_id.to_owned(),
            worker_component_id: from.worker_component_id.to_string(),
            position,
            component_id: from.component_id.to_string(),
            calculation_type: from.calculation_type.as_str().to_owned(),
            calculation_base_id: from.calculation_base_id.as_ref().map(ToString::to_string),
            value: ten_thousandths(from.value.to_ten_thousandths())?,
            start_date: from.start_date,
            end_date: from.end_date,
        })
    }

    /// What the row means.
    pub(crate) fn recurring_component(self) -> Outcome<RecurringComponent> {
        let at = At { table: "recurring_components", key: &self.worker_component_id };
        Ok(RecurringComponent {
            worker_component_id: at.id(&self.worker_component_id)?,
            component_id: at.id(&self.component_id)?,
            calculation_type: at.word(&self.calculation_type, CalculationType::parse)?,
            calculation_base_id: at.id_or_none(self.calculation_base_id.as_deref())?,
            value: at.rate(self.value)?,
            start_date: self.start_date,
            end_date: self.end_date,
        })
    }
}

impl FederalTaxRow {
    /// Federal tax settings as a row.
    pub(crate) fn new(company_id: &str, worker_id: &str, from: &FederalTax) -> Outcome<Self> {
        Ok(Self {
            company_id: company_id.to_owned(),
            worker_id: worker_id.to_owned(),
            filing_status: from.filing_status.map(|status| status.as_str().to_owned()),
            multiple_jobs: from.multiple_jobs,
            dependents_amount: stored!(from.dependents_amount),
            other_income: stored!(from.other_income),
            deductions_amount: stored!(from.deductions_amount),
            extra_withholding_amount: stored!(from.extra_withholding_amount),
            extra_withholding_percentage: stored!(from.extra_withholding_percentage),
        })
    }

    /// What the row means.
    pub(crate) fn federal_tax(self) -> Outcome<FederalTax> {
        let at = At { table: "federal_taxes", key: &self.worker_id };
        Ok(FederalTax {
            filing_status: at.word_or_none(self.filing_status.as_deref(), FilingStatus::parse)?,
            multiple_jobs: self.multiple_jobs,
            dependents_amount: at.amount_or_none(self.dependents_amount)?,
            other_income: at.amount_or_none(self.other_income)?,
            deductions_amount: at.amount_or_none(self.deductions_amount)?,
            extra_withholding_amount: at.amount_or_none(self.extra_withholding_amount)?,
            extra_withholding_percentage: at.rate_or_none(self.extra_withholding_percentage)?,
        })
    }
}

impl StateTaxRow {
    /// Tax settings for a state, at their position, as a row.
    pub(crate) fn new(company_id: &str, worker_id: &str, position: i64, from: &StateTax) -> Outcome<Self> {
        Ok(Self {
            company_id: company_id.to_owned(),
            worker_id: worker_id.to_owned(),
            country_subdivision_code: from.country_subdivision_code.clone(),
            position,
            is_resident_state: from.is_resident_state,
            state_allocation_percent: stored!(from.state_allocation_percent),
            filing_status_type: from.filing_status_type.clone(),
            additional_amount: stored!(from.additional_amount),
            additional_percent: stored!(from.additional_percent),
        })
    }

    /// What the row means.
    pub(crate) fn state_tax(self) -> Outcome<StateTax> {
        let at = At { table: "state_taxes", key: &self.worker_id };
        Ok(StateTax {
            is_resident_state: self.is_resident_state,
            state_allocation_percent: at.rate_or_none(self.state_allocation_percent)?,
            additional_amount: at.amount_or_none(self.additional_amount)?,
            additional_percent: at.rate_or_none(self.additional_percent)?,
            filing_status_type: self.filing_status_type,
            country_subdivision_code: self.country_subdivision_code,
        })
    }
}
