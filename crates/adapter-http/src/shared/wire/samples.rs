//! Fictitious values for the tests of this folder.

use payroll_domain::check::{
    Check, ComponentLabel, Line, OrganizationLabel, PaidBy, ProcessedCheck, ProcessedLine, Section,
    StoredCheck, TaxLine,
};
use payroll_domain::company::{Communication, CommunicationType, Company, UsageType};
use payroll_domain::custom_field::{CustomField, CustomFieldDefinition, CustomFieldValue};
use payroll_domain::date::{Date, parse_date};
use payroll_domain::id::Id;
use payroll_domain::money::{Amount, Quantity, Rate};
use payroll_domain::pay_component::{ClassificationType, EffectOnPay};
use payroll_domain::tax_id::{LegalId, LegalIdType};
use payroll_domain::worker::{
    CurrentStatus, EmploymentType, ExemptionType, Job, Name, Sex, StatusType, Worker, WorkerType,
};
use payroll_ports::workers::WorkerView;

pub(crate) fn id<K>(text: &str) -> Id<K> {
    Id::parse(text).unwrap()
}

pub(crate) fn day(text: &str) -> Date {
    parse_date(text).unwrap()
}

pub(crate) fn component() -> ComponentLabel {
    ComponentLabel {
        component_id: id("HOURLY"),
        name: "Hourly".to_owned(),
        classification_type: ClassificationType::Regular,
        effect_on_pay: EffectOnPay::Addition,
    }
}

pub(crate) fn organization() -> OrganizationLabel {
    OrganizationLabel { organization_id: id("O1"), name: "Ovens".to_owned(), number: Some("7".to_owned()) }
}

fn hours_line() -> Line {
    Line {
        section: Section::Earnings,
        component: component(),
        pay_rate: Some(Rate::parse("20").unwrap()),
        pay_hours: Some(Quantity::parse("8.00").unwrap()),
        pay_units: None,
        pay_amount: None,
        memoed: false,
        line_date: Some(day("2026-05-04")),
        job_id: Some(id("J1")),
        labor_assignment_id: Some(id("A1")),
        organization: Some(organization()),
    }
}

fn memo_line() -> Line {
    Line {
        section: Section::Informational,
        pay_rate: None,
        pay_hours: None,
        pay_units: Some(Quantity::parse("2.5").unwrap()),
        pay_amount: Some(Amount::parse("120.5").unwrap()),
        memoed: true,
        line_date: None,
        job_id: None,
        labor_assignment_id: None,
        organization: None,
        ..hours_line()
    }
}

pub(crate) fn check() -> StoredCheck {
    let check = Check {
        worker_id: id("W1"),
        pay_period_id: id("PP"),
        correlation_id: "a\"1".to_owned(),
        block_auto_distribution: false,
        check_date: day("2026-05-12"),
        lines: vec![hours_line(), memo_line()],
    };
    StoredCheck {
        paycheck_id: id("P1"),
        check_component_ids: vec![id("L1"), id("L2")],
        reversal: None,
        check,
    }
}

pub(crate) fn processed_check() -> ProcessedCheck {
    let line = ProcessedLine {
        section: Section::Earnings,
        check_component_id: id("L1"),
        component: component(),
        memoed: false,
        amount: Amount::parse("400").unwrap(),
        rate: Some(Rate::parse("20").unwrap()),
        hours: Some(Quantity::parse("20").unwrap()),
        units: None,
        line_date: None,
        job_id: None,
        labor_assignment_id: None,
        organization: Some(organization()),
    };
    let tax = TaxLine {
        name: "Federal Income Tax".to_owned(),
        amount: Amount::parse("28.33").unwrap(),
        paid_by: PaidBy::Employee,
    };
    ProcessedCheck {
        paycheck_id: id("P1"),
        worker_id: id("W1"),
        pay_period_id: id("PP"),
        correlation_id: None,
        check_date: day("2026-05-12"),
        net_pay: Amount::parse("371.67").unwrap(),
        gross_earnings: Amount::parse("400").unwrap(),
        check_type: "Regular".to_owned(),
        check_number: Some("1".to_owned()),
        reversal_of: None,
        lines: vec![line],
        taxes: vec![tax],
    }
}

pub(crate) fn company() -> Company {
    let address = Communication {
        communication_id: id("CM"),
        communication_type: CommunicationType::StreetAddress,
        usage_type: UsageType::Business,
        dial_country: None,
        dial_area: None,
        dial_number: None,
        dial_extension: None,
        uri: None,
        street_line_one: None,
        street_line_two: None,
        post_office_box: None,
        city: Some("SAMPLETON".to_owned()),
        postal_code: None,
        postal_code_extension: None,
        country_subdivision_code: None,
        country_code: Some("US".to_owned()),
    };
    Company {
        company_id: id("ACME"),
        display_id: "00012345".to_owned(),
        legal_name: "Acme Foods LLC".to_owned(),
        legal_id: LegalId::parse(LegalIdType::Fein, "000000001"),
        communications: vec![address],
        parent_company_id: None,
        end_date: None,
        converting: false,
        wages_expense_account: None,
        wages_payable_account: None,
        employer_tax_expense_account: None,
        taxes_payable_account: None,
        deductions_payable_account: None,
        tax_states: Vec::new(),
    }
}

pub(crate) fn worker() -> WorkerView {
    let name = Name {
        family_name: "Sample".to_owned(),
        given_name: "Sam".to_owned(),
        middle_name: None,
        preferred_name: Some("Sammy".to_owned()),
        qualification_affix_code: None,
        title_affix_code: None,
    };
    let status = CurrentStatus {
        worker_status_id: id("S1"),
        status_type: StatusType::Active,
        status_reason: Some("HIRED".to_owned()),
        effective_date: day("2020-01-06"),
    };
    let worker = Worker {
        worker_id: id("W1"),
        employee_id: Some("7".to_owned()),
        clock_id: Some("77".to_owned()),
        worker_type: WorkerType::Employee,
        employment_type: Some(EmploymentType::FullTime),
        custom_employment_type_id: Some(id("HYBRID")),
        exemption_type: Some(ExemptionType::NonExempt),
        work_state: Some("NY".to_owned()),
        birth_date: Some(day("1990-02-03")),
        sex: Some(Sex::NotSpecified),
        ethnicity_code: Some("X".to_owned()),
        hire_date: Some(day("2020-01-06")),
        name,
        legal_id: LegalId::parse(LegalIdType::Ssn, "000006789"),
        location_id: Some(id("HERE")),
        job_id: Some(id("J1")),
        labor_assignment_id: Some(id("A1")),
        job: Some(Job { job_title_id: id("BAKER"), title: "Baker".to_owned() }),
        organization_id: Some(id("O1")),
        supervisor_id: Some(id("W2")),
        current_status: Some(status),
        communications: company().communications,
        pay_rates: Vec::new(),
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
    };
    WorkerView {
        worker,
        custom_employment_type_name: Some("Hybrid".to_owned()),
        organization: Some(organization()),
        supervisor_name: Some(("Sample".to_owned(), "Sue".to_owned())),
    }
}

pub(crate) fn custom_field(value: CustomFieldValue) -> CustomField {
    let definition = CustomFieldDefinition {
        name: "Shoe size".to_owned(),
        category_id: Some(id("K")),
        required: false,
        check_stub: false,
        employee_editable: true,
        value,
    };
    CustomField { custom_field_id: id("F"), definition }
}
