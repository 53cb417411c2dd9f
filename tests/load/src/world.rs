//! The data that the benchmark runs on: evidently synthetic, the same on every day.

use serde_json::{Value, json};

/// Companies; each connection of the load adds checks to its own.
pub(crate) const COMPANIES: usize = 8;
/// Checks of one POST, the most that one may have.
pub(crate) const BATCH_CHECKS: usize = 100;
/// Lines of one POST: three for each check.
pub(crate) const BATCH_LINES: usize = 300;
/// Checks of one page.
pub(crate) const PAGE_CHECKS: usize = 50;
/// Batches in the period that pages are read from.
pub(crate) const PAGE_BATCHES: usize = 10;
/// The period that checks are added to.
pub(crate) const OPEN_PERIOD: &str = "open";
/// The period that pages are read from.
pub(crate) const PAGE_PERIOD: &str = "page";
/// The components of a check's three lines.
pub(crate) const COMPONENTS: [&str; 3] = ["hourly", "overtime", "bonus"];

/// The id of a company.
pub(crate) fn company_id(number: usize) -> String {
    format!("LOAD{number:04}COMPANY")
}

/// The id of a worker of a company.
pub(crate) fn worker_id(company_id: &str, number: usize) -> String {
    format!("{company_id}-W{number:04}")
}

/// All companies, in the import format: one line each.
pub(crate) fn import_file() -> String {
    (0..COMPANIES).map(|number| format!("{}\n", company(number))).collect()
}

/// The body of a POST: 100 checks of 3 lines in that period.
pub(crate) fn batch(company_id: &str, period: &str) -> Vec<u8> {
    let line = |component: &str| match component {
        "bonus" => json!({"componentId": component, "payAmount": "120.50"}),
        _ => json!({"componentId": component, "payHours": "8"}),
    };
    let check = |number: usize| {
        json!({
            "payPeriodId": period,
            "workerId": worker_id(company_id, number),
            "checkCorrelationId": format!("c{number}"),
            "earnings": COMPONENTS.map(line),
        })
    };
    Value::Array((0..BATCH_CHECKS).map(check).collect()).to_string().into_bytes()
}

/// The body that moves a worker to an address.
pub(crate) fn address(worker_id: &str, street: &str) -> Vec<u8> {
    let address = json!({
        "communicationId": format!("{worker_id}-A"), "type": "STREET_ADDRESS", "usageType": "HOME",
        "streetLineOne": street, "city": "ALBANY", "countrySubdivisionCode": "NY",
        "postalCode": "12207", "countryCode": "US",
    });
    json!({ "communications": [address] }).to_string().into_bytes()
}

fn company(number: usize) -> Value {
    let company_id = company_id(number);
    json!({
        "companyId": company_id,
        "displayId": format!("L{number:07}"),
        "legalName": format!("Load Company {number} LLC"),
        "legalId": {"legalIdType": "FEIN", "legalIdValue": format!("{number:09}")},
        "communications": [{
            "communicationId": "address", "type": "STREET_ADDRESS", "usageType": "BUSINESS",
            "streetLineOne": "1 Sample Street", "city": "ALBANY", "countrySubdivisionCode": "NY",
            "postalCode": "12207", "countryCode": "US",
        }],
        "products": [{"productCode": "PAYROLL", "startDate": "2020-01-01"}],
        "payComponents": COMPONENTS.map(component),
        "payPeriods": [period(OPEN_PERIOD), period(PAGE_PERIOD)],
        "workers": (0..BATCH_CHECKS).map(|number| worker(&company_id, number)).collect::<Vec<_>>(),
    })
}

fn component(component_id: &str) -> Value {
    json!({
        "componentId": component_id, "name": component_id, "classificationType": "REGULAR",
        "effectOnPay": "ADDITION", "appliesToWorkerTypes": ["EMPLOYEE"],
    })
}

fn period(pay_period_id: &str) -> Value {
    json!({
        "payPeriodId": pay_period_id, "intervalCode": "WEEKLY", "status": "INITIAL",
        "startDate": "2026-06-01", "endDate": "2026-06-07", "checkDate": "2026-06-12",
    })
}

fn worker(company_id: &str, number: usize) -> Value {
    let worker_id = worker_id(company_id, number);
    json!({
        "workerId": worker_id, "workerType": "EMPLOYEE",
        "name": {"familyName": "Sample", "givenName": format!("Worker {number}")},
        "payRates": [{
            "rateId": format!("{worker_id}-R1"), "rateNumber": "RATE_1", "rateType": "HOURLY_RATE",
            "amount": "20.0000", "default": true, "startDate": "2020-01-01",
        }],
    })
}
