//! Rows of workers, their pay rates, recurring components and tax settings.

use payroll_domain::check::WorkerFacts;
use payroll_domain::worker::{
    AssignmentDistribution, ContactCommunication, DirectDeposit, ExemptionType, FederalTax, PayRate,
    RecurringComponent, StateTax, StateTaxDeductionRow, StatusEntry, TimeOff, Worker, WorkerContact,
    WorkerCustomField, WorkerType,
};

use crate::error::Outcome;
use crate::rows::RowLocation;
use crate::rows::parts::parts;
use crate::rows::resources::{ResourceRow, resources};
use crate::table::table;

resources! {
    Worker in "workers" key "company_id, worker_id", modified;
}

parts! {
    PayRate in "pay_rates" of "worker_id" as list key "company_id, worker_id, rate_id";
    RecurringComponent in "recurring_components" of "worker_id" as list
        key "company_id, worker_id, worker_component_id";
    DirectDeposit in "direct_deposits" of "worker_id" as list
        key "company_id, worker_id, direct_deposit_id";
    WorkerCustomField in "worker_custom_fields" of "worker_id" as list
        key "company_id, worker_id, worker_custom_field_id";
    WorkerContact in "worker_contacts" of "worker_id" as list key "company_id, worker_id, contact_id";
    ContactCommunication in "contact_communications" of "worker_id" as list
        key "company_id, worker_id, contact_id, communication_id";
    TimeOff in "time_off" of "worker_id" as list key "company_id, worker_id, policy_id";
    AssignmentDistribution in "assignment_distributions" of "worker_id" as list
        key "company_id, worker_id, position";
    StatusEntry in "status_history" of "worker_id" as list key "company_id, worker_id, position";
    FederalTax in "federal_taxes" of "worker_id" as one key "company_id, worker_id";
    StateTax in "state_taxes" of "worker_id" as list key "company_id, worker_id, country_subdivision_code";
    StateTaxDeductionRow in "state_tax_deductions" of "worker_id" as list
        key "company_id, worker_id, country_subdivision_code, deduction_id";
}

table! {
    /// A worker with a future status, and the day on which it begins.
    struct DueStatusRow in "due_statuses" key "company_id, worker_id" {
        company_id: text,
        worker_id: text,
        due_date: date,
    }
}

/// The row of a worker. Pay rates and similar data have their own rows.
pub(crate) type WorkerRow = ResourceRow<Worker>;

impl WorkerRow {
    /// Copies the encrypted tax ID from the stored row. The tax ID is the same, so it is not encrypted again.
    /// A hash of a different tax ID is not copied.
    pub(crate) fn keep_legal_id(&mut self, stored: &Self) {
        let stored = |column| stored.members.text(column).map(str::to_owned);
        if stored("last_four_of") == stored("legal_id") {
            self.members.set_text("last_four_hash", stored("last_four_hash"));
        }
        self.members.set_text("last_four_of", stored("legal_id"));
        self.members.set_text("legal_id", stored("legal_id"));
    }

    /// Removes the tax ID, so that it is not decrypted.
    pub(crate) fn without_legal_id(mut self) -> Self {
        self.members.set_text("legal_id", None);
        self
    }
}

/// The associated data for encrypting the account number of a direct deposit.
pub(crate) fn seal_of_deposit(worker_id: &str, direct_deposit_id: &str) -> String {
    format!("{worker_id} {direct_deposit_id}")
}

/// The columns of a worker that the rules need: id, type and exemption.
pub(crate) type WorkerFactsRow = (String, String, Option<String>);

/// The worker in a [`WorkerFactsRow`]. The caller adds the pay rates.
pub(crate) fn worker_facts(row: &WorkerFactsRow) -> Outcome<WorkerFacts> {
    let (worker_id, worker_type, exemption_type) = row;
    let at = RowLocation { table: "workers", key: worker_id };
    let worker_type = at.parsed_text(worker_type, WorkerType::parse)?;
    let exemption_type = at.word_or_none(exemption_type.as_deref(), ExemptionType::parse)?;
    Ok(WorkerFacts::new(worker_type, exemption_type, Vec::new()))
}
