//! Rows of workers, their pay rates, recurring components and tax settings.

use payroll_domain::check::WorkerFacts;
use payroll_domain::worker::{
    AssignmentDistribution, ContactCommunication, DirectDeposit, ExemptionType, FederalTax, PayRate,
    RecurringComponent, StateTax, StateTaxDeductionRow, StatusEntry, TimeOff, Worker, WorkerContact,
    WorkerCustomField, WorkerType,
};

use crate::error::Outcome;
use crate::rows::RowLocation;
use crate::rows::anonymisation::Anonymisation::{
    Absent, Amount, Birthday, Code, DepositValue, Email, Name, Number, Rate, RecurringValue,
};
use crate::rows::parts::declare_owned_tables;
use crate::rows::resources::{ResourceRow, declare_resource_tables};
use crate::table::table;

declare_resource_tables! {
    Worker in "workers" key "company_id, worker_id", modified;
}

declare_owned_tables! {
    PayRate in "pay_rates" of "worker_id" as list
        key "company_id, worker_id, rate_id",
        keeps "rate_id position rate_number rate_type standard_hours standard_overtime is_default \
            start_date effective_date",
        replaces ["description" Name("Note"), "amount" Rate];
    RecurringComponent in "recurring_components" of "worker_id" as list
        key "company_id, worker_id, worker_component_id",
        keeps "worker_component_id position component_id calculation_type calculation_base_id \
            start_date end_date effective_date check_limit_type frequency_applied \
            frequency_occurrence effected_checks",
        replaces ["first_interval" Code, "second_interval" Code, "value" RecurringValue,
            "check_limit_starts_at" Amount, "check_limit_stops_at" Amount, "check_limit_amount" Amount];
    DirectDeposit in "direct_deposits" of "worker_id" as list
        key "company_id, worker_id, direct_deposit_id",
        keeps "direct_deposit_id position start_date payment_type account_type routing_number \
            priority status pending_payment_type requested_by requested_date",
        replaces ["value" DepositValue("payment_type"), "account_number" Code, "pending_value"
            DepositValue("pending_payment_type")];
    // An anonymised copy also replaces the date of a custom field, because it may be a birth date.
    WorkerCustomField in "worker_custom_fields" of "worker_id" as list
        key "company_id, worker_id, worker_custom_field_id",
        keeps "worker_custom_field_id position custom_field_id dropdown_id numeric_value \
            boolean_value start_date end_date",
        replaces ["text_value" Name("Value"), "date_value" Birthday];
    WorkerContact in "worker_contacts" of "worker_id" as list
        key "company_id, worker_id, contact_id",
        keeps "contact_id position contact_type_id relationship_id relation_weid \
            relationship_type_id is_primary entity_id",
        replaces ["family_name" Name("Name"), "given_name" Name("Name"), "middle_name" Name("Name"),
            "preferred_name" Name("Name"), "qualification_affix_code" Absent, "title_affix_code"
            Absent, "entity_name" Name("Company")];
    ContactCommunication in "contact_communications" of "worker_id" as list
        key "company_id, worker_id, contact_id, communication_id",
        keeps "position contact_id communication_id kind telecom_type usage_type dial_country \
            country_subdivision_code country_code",
        replaces ["dial_area" Number, "dial_number" Number, "dial_extension" Code, "uri" Email,
            "street_line_one" Name("Street"), "street_line_two" Name("Street"), "post_office_box"
            Code, "city" Name("City"), "postal_code" Number];
    TimeOff in "time_off" of "worker_id" as list
        key "company_id, worker_id, policy_id",
        keeps "policy_id position balance measure",
        replaces ["time_off_type" Name("Time off"), "name" Name("Policy")];
    AssignmentDistribution in "assignment_distributions" of "worker_id" as list
        key "company_id, worker_id, position",
        keeps "position job_id labor_assignment_id value",
        replaces [];
    StatusEntry in "status_history" of "worker_id" as list
        key "company_id, worker_id, position",
        keeps "position worker_status_id status_type status_reason effective_date status_order",
        replaces [];
    FederalTax in "federal_taxes" of "worker_id" as one
        key "company_id, worker_id",
        keeps "filing_status multiple_jobs extra_withholding_percentage taxes_withheld \
            override_withholding_percentage",
        replaces ["override_withholding_amount" Amount, "dependents_amount" Amount, "other_income" Amount,
            "deductions_amount" Amount, "extra_withholding_amount" Amount];
    StateTax in "state_taxes" of "worker_id" as list
        key "company_id, worker_id, country_subdivision_code",
        keeps "country_subdivision_code position is_resident_state state_allocation_percent \
            additional_percent tax_status_type override_percent",
        replaces ["filing_status_type" Name("Status"), "additional_amount" Amount, "flat_dollar_override"
            Amount, "exemption_reason_description" Name("Reason")];
    StateTaxDeductionRow in "state_tax_deductions" of "worker_id" as list
        key "company_id, worker_id, country_subdivision_code, deduction_id",
        keeps "country_subdivision_code deduction_id position quantity",
        replaces ["name" Name("Deduction"), "amount" Amount];
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
    /// Copies the encrypted tax ID from the stored row, so that an unchanged tax ID is not encrypted again.
    /// The hash of the tax ID is only copied if it was computed from the current tax ID and not from an
    /// earlier one.
    pub(crate) fn copy_legal_id_from(&mut self, stored: &Self) {
        let stored = |column| stored.members.text(column).map(str::to_owned);
        if stored("last_four_of") == stored("legal_id") {
            self.members.set_text("last_four_hash", stored("last_four_hash"));
        }
        self.members.set_text("last_four_of", stored("legal_id"));
        self.members.set_text("legal_id", stored("legal_id"));
    }

    /// Removes the tax ID from the row, so that the conversion to a worker does not decrypt it.
    pub(crate) fn without_legal_id(mut self) -> Self {
        self.members.set_text("legal_id", None);
        self
    }
}

/// Returns the associated data for encrypting the account number of a direct deposit.
pub(crate) fn deposit_associated_data(worker_id: &str, direct_deposit_id: &str) -> String {
    format!("{worker_id} {direct_deposit_id}")
}

/// The columns of a worker that the rules for checks need: id, type and exemption.
pub(crate) type WorkerFactsRow = (String, String, Option<String>);

/// Converts a [`WorkerFactsRow`] to the data with which checks of this worker are validated. The caller adds
/// the pay rates.
pub(crate) fn to_worker_facts(row: &WorkerFactsRow) -> Outcome<WorkerFacts> {
    let (worker_id, worker_type, exemption_type) = row;
    let at = RowLocation { table: "workers", key: worker_id };
    let worker_type = at.parse_text(worker_type, WorkerType::parse)?;
    let exemption_type = at.parse_optional_text(exemption_type.as_deref(), ExemptionType::parse)?;
    Ok(WorkerFacts::new(worker_type, exemption_type, Vec::new()))
}
