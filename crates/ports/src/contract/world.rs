//! A small world for the promises: companies, applications, checks. Adapters may use it too.

use std::sync::Arc;

use payroll_domain::access::{Caller, Scopes};
use payroll_domain::check::{Check, ComponentLabel, Line, Section, StoredCheck};
use payroll_domain::company::{
    CalculationBase, Company, ContactType, CustomEmploymentType, ImportedPeriod, Lock, PAYROLL_PRODUCT,
    Product, RelationshipType, WholeCompany,
};
use payroll_domain::custom_field::{
    CustomField, CustomFieldCategory, CustomFieldDefinition, CustomFieldValue,
};
use payroll_domain::date::{Date, Timestamp};
use payroll_domain::id::Id;
use payroll_domain::money::{Amount, Rate};
use payroll_domain::pay_component::{ClassificationType, EffectOnPay, PayComponent};
use payroll_domain::pay_period::{IntervalCode, PayPeriod, PeriodStatus};
use payroll_domain::tax_id::{LegalId, LegalIdType};
use payroll_domain::worker::{Name, PayRate, RateType, Worker, WorkerType};

use crate::Store;
use crate::applications::{NewApplication, NewSecret, SecretHash};
use crate::checks::NewChecks;
use crate::import::Imported;

/// 2026-05-12T00:00:00Z, the present of this world.
pub const NOW: Timestamp = Timestamp::from_micros(1_778_544_000_000_000);

/// An id.
#[must_use]
pub fn id<K>(text: &str) -> Id<K> {
    Id::parse(text).unwrap()
}

/// A day, as `yyyy-MM-dd`.
#[must_use]
pub fn day(text: &str) -> Date {
    payroll_domain::date::parse_date(text).unwrap()
}

/// A company without anything in it.
#[must_use]
pub fn empty_company(company_id: &str) -> WholeCompany {
    let company = Company {
        company_id: id(company_id),
        display_id: format!("D{company_id}"),
        legal_name: format!("{company_id} LLC"),
        legal_id: LegalId::parse(LegalIdType::Fein, "123456789"),
        communications: Vec::new(),
        parent_company_id: None,
        end_date: None,
        converting: false,
    };
    WholeCompany {
        company,
        products: None,
        lock: None,
        organizations: Vec::new(),
        contact_types: Vec::new(),
        custom_employment_types: Vec::new(),
        custom_field_categories: Vec::new(),
        custom_fields: Vec::new(),
        calculation_bases: Vec::new(),
        pay_components: Vec::new(),
        pay_periods: Vec::new(),
        workers: Vec::new(),
    }
}

/// A company that pays: two workers, an hourly component, an open and a processed pay period.
#[must_use]
pub fn company(company_id: &str) -> WholeCompany {
    let mut whole = empty_company(company_id);
    whole.products = Some(vec![Product {
        product_code: PAYROLL_PRODUCT.to_owned(),
        start_date: day("2020-01-01"),
        end_date: None,
    }]);
    whole.pay_components = vec![component("hourly")];
    whole.pay_periods =
        vec![period("open", PeriodStatus::Initial), period("closed", PeriodStatus::Completed)];
    whole.workers = vec![worker(&format!("{company_id}-w1")), worker(&format!("{company_id}-w2"))];
    whole.calculation_bases = vec![CalculationBase {
        calculation_base_id: id("base"),
        calculation_base_name: "All earnings".to_owned(),
    }];
    whole.contact_types = vec![ContactType {
        contact_type_id: id("contact"),
        contact_type_name: "Emergency Contact".to_owned(),
        relationship_types: vec![RelationshipType {
            relationship_type_id: id("spouse"),
            relationship_type_name: "Spouse".to_owned(),
        }],
    }];
    whole.custom_employment_types = vec![CustomEmploymentType {
        custom_employment_type_id: id("remote"),
        custom_employment_type_name: "Remote".to_owned(),
    }];
    whole.custom_field_categories = vec![CustomFieldCategory {
        category_id: id("general"),
        category_name: "General".to_owned(),
        default: true,
    }];
    whole.custom_fields = vec![custom_field("shirt")];
    whole
}

/// A pay component that adds to the pay.
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
    }
}

/// A pay period of the first half of May 2026.
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

/// An employee with a default hourly rate of 20.0000.
#[must_use]
pub fn worker(worker_id: &str) -> Worker {
    let pay_rate = PayRate {
        rate_id: id(&format!("{worker_id}-rate")),
        rate_number: 1,
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
        taxes: None,
    }
}

/// A boolean custom field of the category `general`.
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

/// A lock of the operator.
#[must_use]
pub fn lock(expires: Option<Timestamp>) -> Lock {
    Lock { holder: "operator".to_owned(), reason: None, expires }
}

/// Stores a company; anything but success is a failed promise.
pub async fn import(store: &Arc<dyn Store>, whole: &WholeCompany) {
    let outcome = store.import_company(whole, NOW).await.unwrap();
    assert!(matches!(outcome, Imported::Stored(_)), "{outcome:?}");
}

/// A new application without grants, and its caller with every scope in the token.
pub async fn application(store: &Arc<dyn Store>, name: &str) -> Caller {
    let secret = NewSecret { secret_id: id(&format!("{name}-s1")), hash: SecretHash([1; 32]), created: NOW };
    let new = NewApplication {
        application_id: id(name),
        name: name.to_owned(),
        client_id: format!("key-of-{name}"),
        correlation_ids_last_for_the_pay_period: false,
        rate_limit_per_minute: None,
        secret,
    };
    store.create_application(&new).await.unwrap().unwrap();
    Caller {
        application_id: id(name),
        secret_id: id(&format!("{name}-s1")),
        scopes: Scopes::all(),
        expires: NOW.plus_seconds(3_600),
    }
}

/// A company that pays, and a caller with every scope for it.
pub async fn company_and_caller(store: &Arc<dyn Store>) -> Caller {
    import(store, &company("acme")).await;
    let caller = application(store, "partner").await;
    store.grant(&caller.application_id, &id("acme"), Scopes::all()).await.unwrap().unwrap();
    caller
}

/// A check of two lines for the first worker of `acme` in its open period.
#[must_use]
pub fn check(paycheck_id: &str) -> StoredCheck {
    let label = ComponentLabel {
        component_id: id("hourly"),
        name: "The hourly component".to_owned(),
        classification_type: ClassificationType::Regular,
        effect_on_pay: EffectOnPay::Addition,
    };
    let line = Line {
        section: Section::Earnings,
        component: label,
        pay_rate: Some(Rate::parse("20").unwrap()),
        pay_hours: Some(payroll_domain::money::Quantity::parse("7.25").unwrap()),
        pay_units: None,
        pay_amount: None,
        memoed: false,
        line_date: Some(day("2026-05-04")),
        job_id: Some(id("job")),
        labor_assignment_id: None,
        organization: None,
    };
    let paid = Line {
        pay_rate: None,
        pay_hours: None,
        pay_amount: Some(Amount::parse("120.50").unwrap()),
        memoed: true,
        line_date: None,
        job_id: None,
        ..line.clone()
    };
    let check = Check {
        worker_id: id("acme-w1"),
        pay_period_id: id("open"),
        correlation_id: format!("corr-{paycheck_id}"),
        block_auto_distribution: true,
        check_date: day("2026-05-18"),
        lines: vec![line, paid],
    };
    StoredCheck {
        paycheck_id: id(paycheck_id),
        check_component_ids: vec![id(&format!("{paycheck_id}-1")), id(&format!("{paycheck_id}-2"))],
        check,
    }
}

/// An addition of these checks by the caller.
#[must_use]
pub fn addition(caller: &Caller, checks: Vec<StoredCheck>) -> NewChecks {
    NewChecks {
        company_id: id("acme"),
        application_id: caller.application_id.clone(),
        pay_period_id: id("open"),
        checks,
        now: NOW,
        correlation_ids_last_for_the_pay_period: false,
        kept: None,
    }
}
