//! Test data: a company, a valid request, and helpers that list the faults of a changed request.

use serde_json::{Value, json};
use time::macros::date;

use super::{Batch, Check, PeriodFacts, ValidationFacts, WorkerFacts, validate};
use crate::company::{Organization, Product};
use crate::date::Date;
use crate::input;
use crate::money::Rate;
use crate::pay_component::{ClassificationType, EffectOnPay, PayComponent};
use crate::pay_period::PeriodStatus;
use crate::violation::Violations;
use crate::worker::{ExemptionType, PayRate, RateNumber, RateType, WorkerType};

/// The last day of the test pay period.
pub(super) const PERIOD_END: Date = date!(2026 - 05 - 10);
/// The check date of the test pay period.
pub(super) const CHECK_DATE: Date = date!(2026 - 05 - 12);

/// Returns two valid checks with two lines each.
pub(super) fn valid_checks() -> Value {
    json!([
        {"payPeriodId": "open", "workerId": "employee", "checkCorrelationId": "a1",
         "earnings": [{"componentId": "hourly", "payHours": "8"},
                      {"componentId": "bonus", "payAmount": "120.50"}]},
        {"payPeriodId": "open", "workerId": "contractor", "checkCorrelationId": "a2",
         "earnings": [{"componentId": "hourly", "payUnits": "3", "payRate": "12.5"}],
         "informational": [{"componentId": "match", "payAmount": "10"}]},
    ])
}

/// Returns one valid check with one line that is paid by hours.
pub(super) fn one_valid_check() -> Value {
    json!([{"payPeriodId": "open", "workerId": "employee", "checkCorrelationId": "a1",
            "earnings": [{"componentId": "hourly", "payHours": "8"}]}])
}

/// Returns one valid check with the given line only.
pub(super) fn check_with_line(line: Value) -> Value {
    let mut request = one_valid_check();
    request[0]["earnings"] = json!([line]);
    request
}

/// Adds a copy of the request's first check with another correlation id.
pub(super) fn append_check_copy(request: &mut Value, correlation_id: &str) {
    let mut copy = request[0].clone();
    copy["checkCorrelationId"] = json!(correlation_id);
    request.as_array_mut().unwrap().push(copy);
}

/// Returns the stored data of the test company.
pub(crate) fn facts() -> ValidationFacts {
    let period = |status| PeriodFacts { status, end_date: PERIOD_END, check_date: CHECK_DATE };
    ValidationFacts {
        products: vec![product("PAYROLL", date!(2020 - 01 - 01), None)],
        pay_periods: [("open", PeriodStatus::Entry), ("closed", PeriodStatus::Processing)]
            .map(|(id, status)| (id.parse().unwrap(), period(status)))
            .into(),
        workers: workers(),
        components: components(),
        organizations: [("unit".parse().unwrap(), test_organization())].into(),
        paychecks: ["stored".parse().unwrap()].into(),
        ..ValidationFacts::default()
    }
}

pub(super) fn product(code: &str, start_date: Date, end_date: Option<Date>) -> Product {
    Product { product_code: code.to_owned(), start_date, end_date }
}

fn test_organization() -> Organization {
    Organization {
        organization_id: "unit".parse().unwrap(),
        name: "Kitchen".to_owned(),
        number: Some("7".to_owned()),
        level: Some(1),
        parent_organization_id: None,
    }
}

fn workers() -> std::collections::HashMap<crate::id::WorkerId, WorkerFacts> {
    let worker =
        |worker_type, exemption_type, pay_rates| WorkerFacts::new(worker_type, exemption_type, pay_rates);
    let rates = vec![
        rate("hour", RateType::Hourly, "20", true),
        rate("other-hour", RateType::Hourly, "25.5", false),
        rate("piece", RateType::Piecework, "2.5", true),
        rate("salary", RateType::AnnualSalary, "50000", false),
        PayRate { start_date: date!(2026 - 05 - 11), ..rate("later", RateType::Hourly, "30", false) },
    ];
    [
        ("employee", worker(WorkerType::Employee, Some(ExemptionType::NonExempt), rates)),
        ("exempt", worker(WorkerType::Employee, Some(ExemptionType::Exempt), vec![])),
        ("contractor", worker(WorkerType::Contractor, None, vec![])),
    ]
    .map(|(id, worker)| (id.parse().unwrap(), worker))
    .into()
}

pub(super) fn rate(id: &str, rate_type: RateType, amount: &str, default: bool) -> PayRate {
    PayRate {
        rate_id: id.parse().unwrap(),
        rate_number: RateNumber::FIRST,
        rate_type,
        description: None,
        amount: Rate::parse(amount).unwrap(),
        standard_hours: None,
        standard_overtime: None,
        default,
        start_date: date!(2020 - 01 - 01),
        effective_date: None,
    }
}

fn components() -> std::collections::HashMap<crate::id::ComponentId, PayComponent> {
    let overtime = PayComponent { overtime: true, ..component("overtime", EffectOnPay::Addition) };
    let for_employees = PayComponent {
        applies_to_worker_types: vec![WorkerType::Employee],
        ..component("employees", EffectOnPay::Addition)
    };
    let retirement = PayComponent {
        required_product: Some("RETIREMENT".to_owned()),
        debit_account: None,
        credit_account: None,
        ..component("retirement", EffectOnPay::EmployerInformational)
    };
    [
        component("hourly", EffectOnPay::Addition),
        component("bonus", EffectOnPay::Addition),
        component("tips", EffectOnPay::AdditionWithInOut),
        component("match", EffectOnPay::EmployerInformational),
        component("garnishment", EffectOnPay::Reduction),
        overtime,
        for_employees,
        retirement,
    ]
    .map(|component| (component.component_id.clone(), component))
    .into()
}

pub(super) fn component(id: &str, effect_on_pay: EffectOnPay) -> PayComponent {
    PayComponent {
        component_id: id.parse().unwrap(),
        name: format!("The {id}"),
        code: None,
        classification_type: ClassificationType::Regular,
        description: None,
        effect_on_pay,
        start_date: None,
        end_date: None,
        applies_to_worker_types: vec![],
        overtime: false,
        required_product: None,
        debit_account: None,
        credit_account: None,
    }
}

/// Reads and validates a request.
pub(super) fn validate_json(text: &str, facts: &ValidationFacts) -> Result<Vec<Check>, Violations> {
    let document = input::parse(text.as_bytes())?;
    validate(&Batch::read(&document)?, facts)
}

/// Returns the code and the pointer of each fault of the request, in the order of the response.
pub(super) fn find_faults(request: &Value) -> Vec<String> {
    find_faults_after_change(request, |_| ())
}

/// Returns the faults of the request as [`find_faults`] does, after a change to the stored data.
pub(super) fn find_faults_after_change(
    request: &Value,
    change: impl FnOnce(&mut ValidationFacts),
) -> Vec<String> {
    let mut facts = facts();
    change(&mut facts);
    match validate_json(&request.to_string(), &facts) {
        Ok(_) => Vec::new(),
        Err(faults) => codes_and_pointers(&faults),
    }
}

/// Returns the code and the pointer of each fault, such as `API-55 /0/workerId`.
pub(super) fn codes_and_pointers(faults: &Violations) -> Vec<String> {
    let one = |fault: &crate::violation::Violation| {
        format!("{} {}", fault.reason.code(), fault.pointer.as_deref().unwrap_or("-"))
    };
    faults.iter().map(one).collect()
}
