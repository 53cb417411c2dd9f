//! Test data for the contract tests: companies, applications and checks. Tests of adapters may use this data
//! too.

mod access;
mod checks;
mod deposits;
mod lists;
mod parts;
mod values;

use std::sync::Arc;

use payroll_domain::company::{
    Communication, CommunicationType, Company, ContactType, Lock, Organization, PAYROLL_PRODUCT, Product,
    RelationshipType, UsageType,
};
use payroll_domain::complete_company::{CompleteCompany, ImportedPeriod};
use payroll_domain::custom_field::{
    CustomField, CustomFieldCategory, CustomFieldDefinition, CustomFieldValue,
};
use payroll_domain::date::Timestamp;
use payroll_domain::lookup::LookupLists;
use payroll_domain::money::{Amount, Quantity, Rate};
use payroll_domain::pay_component::{ClassificationType, EffectOnPay, PayComponent};
use payroll_domain::pay_period::{IntervalCode, PayPeriod, PeriodStatus};
use payroll_domain::tax_id::{LegalId, LegalIdType};
use payroll_domain::worker::{
    CalculationType, CheckLimit, CheckLimitType, CurrentStatus, EffectedChecks, EmploymentType,
    ExemptionType, FederalTax, FilingStatus, Frequency, FrequencyApplied, FrequencyIntervals, Job, Name,
    PayRate, PayStandards, RateNumber, RateType, RecurringComponent, Sex, StandardFrequency, StateTax,
    StatusType, TaxSettings, TaxStatusType, Worker, WorkerType,
};

use crate::Store;
use crate::import::{ImportOutcome, ImportRules};
use crate::write::AuditContext;

pub use self::access::{
    application_settings, create_application, create_company_and_caller, grant_scopes, grant_update,
};
pub use self::checks::{new_checks, sample_check};
pub use self::values::{day, id};

/// The current instant of the test data: 2026-05-12T00:00:00Z.
pub const NOW: Timestamp = Timestamp::from_micros(1_778_544_000_000_000);

/// Returns the audit context of an import.
#[must_use]
pub fn import_audit_context() -> AuditContext {
    AuditContext::for_command("import", NOW)
}

/// Returns a company without any lists.
#[must_use]
pub fn empty_company(company_id: &str) -> CompleteCompany {
    let company = Company {
        company_id: id(company_id),
        display_id: format!("D{company_id}"),
        legal_name: format!("{company_id} LLC"),
        legal_id: LegalId::parse(LegalIdType::Fein, "123456789"),
        communications: Vec::new(),
        parent_company_id: None,
        end_date: None,
        converting: false,
        wages_expense_account: None,
        wages_payable_account: None,
        employer_tax_expense_account: None,
        taxes_payable_account: None,
        deductions_payable_account: None,
        tax_states: Vec::new(),
    };
    CompleteCompany {
        company,
        products: None,
        lock: None,
        organizations: Vec::new(),
        contact_types: Vec::new(),
        lookups: LookupLists::default(),
        custom_field_categories: Vec::new(),
        custom_fields: Vec::new(),
        pay_components: Vec::new(),
        pay_periods: Vec::new(),
        workers: Vec::new(),
    }
}

/// Returns a company with two workers, an hourly component, an open pay period and a processed one.
#[must_use]
pub fn company(company_id: &str) -> CompleteCompany {
    let mut complete = empty_company(company_id);
    complete.products = Some(vec![Product {
        product_code: PAYROLL_PRODUCT.to_owned(),
        start_date: day("2020-01-01"),
        end_date: None,
    }]);
    complete.pay_components = vec![component("hourly")];
    complete.pay_periods =
        vec![period("open", PeriodStatus::Initial), period("closed", PeriodStatus::Completed)];
    complete.workers = vec![worker(&format!("{company_id}-w1")), worker(&format!("{company_id}-w2"))];
    complete.lookups = lists::lookups();
    complete.contact_types = vec![ContactType {
        contact_type_id: id("contact"),
        contact_type_name: "Emergency Contact".to_owned(),
        relationship_types: vec![RelationshipType {
            relationship_type_id: id("spouse"),
            relationship_type_name: "Spouse".to_owned(),
        }],
    }];
    complete.custom_field_categories = vec![CustomFieldCategory {
        category_id: id("general"),
        category_name: "General".to_owned(),
        default: true,
    }];
    complete.custom_fields = vec![custom_field("shirt")];
    complete
}

/// Returns a pay component that adds to the pay.
#[must_use]
pub fn component(component_id: &str) -> PayComponent {
    PayComponent {
        component_id: id(component_id),
        name: format!("The {component_id} component"),
        code: Some("01".to_owned()),
        classification_type: ClassificationType::Regular,
        description: None,
        effect_on_pay: EffectOnPay::Addition,
        start_date: None,
        end_date: None,
        applies_to_worker_types: vec![WorkerType::Employee],
        overtime: false,
        required_product: None,
        debit_account: None,
        credit_account: None,
    }
}

/// Returns a pay period of the first half of May 2026.
#[must_use]
pub fn period(pay_period_id: &str, status: PeriodStatus) -> ImportedPeriod {
    let period = PayPeriod {
        pay_period_id: id(pay_period_id),
        interval_code: IntervalCode::BiWeekly,
        status,
        description: None,
        start_date: day("2026-05-01"),
        end_date: day("2026-05-14"),
        submit_by_date: None,
        check_date: day("2026-05-18"),
    };
    ImportedPeriod { period, processed_checks: Vec::new() }
}

/// Returns an employee with a default hourly rate of 20.0000.
#[must_use]
pub fn worker(worker_id: &str) -> Worker {
    let pay_rate = PayRate {
        rate_id: id(&format!("{worker_id}-rate")),
        rate_number: RateNumber::FIRST,
        rate_type: RateType::Hourly,
        description: None,
        amount: Rate::parse("20").unwrap(),
        standard_hours: None,
        standard_overtime: None,
        default: true,
        start_date: day("2020-01-01"),
        effective_date: None,
    };
    let name = Name {
        family_name: "Sample".to_owned(),
        given_name: worker_id.to_owned(),
        middle_name: None,
        preferred_name: None,
        qualification_affix_code: None,
        title_affix_code: None,
    };
    Worker {
        worker_id: id(worker_id),
        employee_id: Some("1".to_owned()),
        clock_id: None,
        worker_type: WorkerType::Employee,
        employment_type: None,
        custom_employment_type_id: None,
        exemption_type: None,
        work_state: None,
        birth_date: None,
        sex: None,
        ethnicity_code: None,
        hire_date: None,
        name,
        legal_id: LegalId::parse(LegalIdType::Ssn, "987654321"),
        location_id: None,
        job_id: None,
        labor_assignment_id: None,
        job: None,
        organization_id: None,
        supervisor_id: None,
        current_status: None,
        communications: Vec::new(),
        pay_rates: vec![pay_rate],
        recurring_components: Vec::new(),
        direct_deposits: Vec::new(),
        pay_standards: None,
        custom_fields: Vec::new(),
        contacts: Vec::new(),
        time_off: Vec::new(),
        assignment_distributions: Vec::new(),
        statuses: Vec::new(),
        i9_status: None,
        taxes: None,
    }
}

/// Returns an organization without a parent.
#[must_use]
pub fn organization(organization_id: &str) -> Organization {
    Organization {
        organization_id: id(organization_id),
        name: format!("The {organization_id} unit"),
        number: Some("7".to_owned()),
        level: Some(1),
        parent_organization_id: None,
    }
}

/// Returns an employee with every member that a worker can have. The worker's organization is `unit` and the
/// supervisor is `acme-w1`. All other references of the worker refer to objects in the lists of [`company`].
#[must_use]
pub fn full_worker(worker_id: &str) -> Worker {
    let plain = worker(worker_id);
    Worker {
        clock_id: Some("0042".to_owned()),
        employment_type: Some(EmploymentType::FullTime),
        custom_employment_type_id: Some(id("remote")),
        exemption_type: Some(ExemptionType::NonExempt),
        work_state: Some("NY".to_owned()),
        birth_date: Some(day("1990-02-28")),
        sex: Some(Sex::NotSpecified),
        ethnicity_code: Some("E1".to_owned()),
        hire_date: Some(day("2020-01-01")),
        name: Name {
            middle_name: Some("M.".to_owned()),
            preferred_name: Some("Sam".to_owned()),
            qualification_affix_code: Some("Jr".to_owned()),
            title_affix_code: Some("Dr".to_owned()),
            ..plain.name.clone()
        },
        location_id: Some(id("shop")),
        job_id: Some(id("cakes")),
        labor_assignment_id: Some(id("night")),
        job: Some(Job { job_title_id: id("baker"), title: "Baker".to_owned() }),
        organization_id: Some(id("unit")),
        supervisor_id: Some(id("acme-w1")),
        current_status: Some(CurrentStatus {
            worker_status_id: id(&format!("{worker_id}-status")),
            status_type: StatusType::Active,
            status_reason: Some("HIRED".to_owned()),
            effective_date: day("2020-01-01"),
        }),
        communications: vec![address(&format!("{worker_id}-c2")), address(&format!("{worker_id}-c1"))],
        recurring_components: vec![recurring_component(worker_id)],
        direct_deposits: deposits::direct_deposits(worker_id),
        pay_standards: Some(pay_standards()),
        custom_fields: vec![parts::custom_value(worker_id)],
        contacts: parts::contacts(worker_id),
        time_off: vec![parts::time_off()],
        assignment_distributions: parts::distributions(),
        statuses: parts::statuses(worker_id),
        i9_status: Some(parts::i9_status()),
        taxes: Some(taxes()),
        ..plain
    }
}

/// Returns a communication with a street address.
#[must_use]
pub fn address(communication_id: &str) -> Communication {
    Communication {
        communication_id: id(communication_id),
        communication_type: CommunicationType::StreetAddress,
        usage_type: UsageType::Home,
        dial_country: None,
        dial_area: None,
        dial_number: None,
        dial_extension: None,
        uri: None,
        street_line_one: Some("1 Main St".to_owned()),
        street_line_two: None,
        post_office_box: None,
        city: Some("ALBANY".to_owned()),
        postal_code: Some("12207".to_owned()),
        postal_code_extension: None,
        country_subdivision_code: Some("NY".to_owned()),
        country_code: Some("US".to_owned()),
    }
}

fn recurring_component(worker_id: &str) -> RecurringComponent {
    RecurringComponent {
        worker_component_id: id(&format!("{worker_id}-component")),
        component_id: id("hourly"),
        calculation_type: CalculationType::Percentage,
        calculation_base_id: Some(id("base")),
        value: Rate::parse("2.5").unwrap(),
        start_date: Some(day("2020-01-01")),
        end_date: None,
        effective_date: Some(day("2021-01-01")),
        check_limit: Some(CheckLimit {
            limit_type: CheckLimitType::StopsAt,
            starts_at: None,
            stops_at: Some(Amount::parse("500").unwrap()),
            amount: None,
        }),
        frequency: Some(Frequency {
            applied: FrequencyApplied::ByPayPeriod,
            occurrence: "QUARTERLY".to_owned(),
            intervals: Some(FrequencyIntervals { first: "1".to_owned(), second: Some("Last".to_owned()) }),
            effected_checks: Some(EffectedChecks::EveryCheck),
        }),
    }
}

fn pay_standards() -> PayStandards {
    PayStandards {
        pay_frequency: StandardFrequency::Weekly,
        standard_hours: Some(Quantity::parse("37.5").unwrap()),
        overtime_factor: Some(Quantity::parse("1.5").unwrap()),
    }
}

fn taxes() -> TaxSettings {
    let federal = FederalTax {
        filing_status: Some(FilingStatus::Single),
        multiple_jobs: Some(false),
        dependents_amount: Some(Amount::parse("2000").unwrap()),
        extra_withholding_percentage: Some(Rate::parse("1.25").unwrap()),
        taxes_withheld: Some(true),
        ..FederalTax::default()
    };
    let state = |code: &str, resident| StateTax {
        country_subdivision_code: code.to_owned(),
        is_resident_state: Some(resident),
        state_allocation_percent: Some(Rate::parse("50").unwrap()),
        filing_status_type: Some("S".to_owned()),
        additional_amount: Some(Amount::parse("10.5").unwrap()),
        additional_percent: None,
        tax_status_type: Some(TaxStatusType::Exempt),
        flat_dollar_override: Some(Amount::parse("1").unwrap()),
        override_percent: Some(Rate::parse("2").unwrap()),
        exemption_reason_description: Some("Treaty".to_owned()),
        deductions: vec![
            parts::state_tax_deduction("ALLOWANCES", 3),
            parts::state_tax_deduction("DEPENDENTS", 0),
        ],
    };
    TaxSettings { federal: Some(federal), states: vec![state("NY", true), state("NJ", false)] }
}

/// Returns a custom boolean field in the category `general`.
#[must_use]
pub fn custom_field(name: &str) -> CustomField {
    let definition = CustomFieldDefinition {
        name: name.to_owned(),
        category_id: Some(id("general")),
        required: false,
        check_stub: false,
        employee_editable: true,
        value: CustomFieldValue::Boolean(Some(true)),
    };
    CustomField { custom_field_id: id(&format!("field-{name}")), definition }
}

/// Returns a lock whose holder is `operator`.
#[must_use]
pub fn operator_lock_until(expires: Option<Timestamp>) -> Lock {
    Lock { holder: "operator".to_owned(), reason: None, expires }
}

/// Stores a company. The test fails if the import is rejected.
pub async fn import_company(store: &Arc<dyn Store>, complete: &CompleteCompany) {
    let outcome =
        store.import_company(complete.into(), ImportRules::default(), &import_audit_context()).await.unwrap();
    assert!(matches!(outcome, ImportOutcome::Stored(_)), "{outcome:?}");
}
