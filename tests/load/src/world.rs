//! The data for the benchmark, which is clearly synthetic and the same in every run.

use serde_json::{Value, json};

/// Number of companies. Each connection of the load adds checks to its own company.
pub(crate) const COMPANIES: usize = 8;
/// Number of checks in one POST, which is the maximum.
pub(crate) const BATCH_CHECKS: usize = 100;
/// Number of lines in one POST: three for each check.
pub(crate) const BATCH_LINES: usize = 300;
/// Number of checks in one page.
pub(crate) const PAGE_CHECKS: usize = 50;
/// Number of workers in one page. These workers follow the workers with checks in the list, and have all
/// possible data.
pub(crate) const PAGE_WORKERS: usize = 20;
/// Number of workers in a company for reading pages.
const WORKERS_PER_COMPANY: usize = 100;
/// Number of pay periods in one page.
pub(crate) const PAGE_PERIODS: usize = 20;
/// Number of a company's pay periods that are only read.
const PAST_PERIODS: usize = 48;
/// Number of elements in each list of a company.
const ELEMENTS_PER_LIST: usize = 20;
/// Number of batches in the pay period from which pages are read.
pub(crate) const PAGE_BATCHES: usize = 10;
/// The pay period to which checks are added.
pub(crate) const OPEN_PERIOD: &str = "open";
/// The pay period from which pages are read.
pub(crate) const PAGE_PERIOD: &str = "page";
/// The pay components of a check's three lines.
pub(crate) const COMPONENTS: [&str; 3] = ["hourly", "overtime", "bonus"];

pub(crate) fn company_id(number: usize) -> String {
    format!("LOAD{number:04}COMPANY")
}

/// Returns the id of the company's worker with this number.
pub(crate) fn worker_id(company_id: &str, number: usize) -> String {
    format!("{company_id}-W{number:04}")
}

/// Returns all companies in the import format, one per line.
pub(crate) fn import_file() -> String {
    (0..COMPANIES).map(|number| format!("{}\n", company(number))).collect()
}

/// Returns the body of a POST with this number of checks in the given pay period. Each check has 3 lines.
pub(crate) fn checks_body(company_id: &str, period: &str, checks: usize) -> Vec<u8> {
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
    Value::Array((0..checks).map(check).collect()).to_string().into_bytes()
}

/// Returns the body of a request that changes the address of a worker.
pub(crate) fn change_address_body(worker_id: &str, street: &str) -> Vec<u8> {
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
        "organizations": [{"organizationId": "ovens", "name": "Ovens", "number": "10", "level": 1}],
        "customEmploymentTypes": [
            {"customEmploymentTypeId": "hybrid", "customEmploymentTypeName": "Hybrid"},
        ],
        "payPeriods": periods(),
        "jobs": elements_of_list("jobId", "job", "jobName"),
        "jobTitles": elements_of_list("jobTitleId", "baker", "title"),
        "laborAssignments": elements_of_list("laborAssignmentId", "labor", "name"),
        "locations": elements_of_list("locationId", "harbor", "name"),
        "workers": (0..BATCH_CHECKS)
            .map(|number| worker(&company_id, number))
            .chain((BATCH_CHECKS..BATCH_CHECKS + WORKERS_PER_COMPANY).map(|number| complete_worker(&company_id, number)))
            .collect::<Vec<_>>(),
    })
}

/// Returns a list of a company. Workers refer to the first element of the list.
fn elements_of_list(id: &str, first: &str, name: &str) -> Vec<Value> {
    let element = |number: usize| {
        let own = if number == 0 { first.to_owned() } else { format!("{first}-{number:02}") };
        json!({id: own, name: format!("Sample {number}")})
    };
    (0..ELEMENTS_PER_LIST).map(element).collect()
}

fn component(component_id: &str) -> Value {
    json!({
        "componentId": component_id, "name": component_id, "classificationType": "REGULAR",
        "effectOnPay": "ADDITION", "appliesToWorkerTypes": ["EMPLOYEE"],
    })
}

fn periods() -> Vec<Value> {
    let past = (0..PAST_PERIODS).map(|number| period(&format!("past-{number:02}")));
    [period(OPEN_PERIOD), period(PAGE_PERIOD)].into_iter().chain(past).collect()
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

/// Returns the body of a request that hires a worker.
pub(crate) fn new_worker() -> Vec<u8> {
    json!([{
        "workerType": "EMPLOYEE", "name": {"familyName": "Sample", "givenName": "New"}, "hireDate": "2026-06-01",
        "communications": [{"type": "EMAIL", "usageType": "BUSINESS", "uri": "new@demo.example"}],
    }])
    .to_string()
    .into_bytes()
}

/// Returns a worker with all data that partners can see.
fn complete_worker(company_id: &str, number: usize) -> Value {
    let mut worker = worker(company_id, number);
    let id = worker_id(company_id, number);
    let members = json!({
        "employeeId": number.to_string(), "clockId": format!("C{number:04}"), "employmentType": "FULL_TIME",
        "exemptionType": "NON_EXEMPT", "workState": "NY", "birthDate": "1990-02-03", "sex": "NOT_SPECIFIED",
        "hireDate": "2020-01-06", "locationId": "harbor", "jobId": "job", "laborAssignmentId": "labor",
        "customEmploymentType": {"customEmploymentTypeId": "hybrid"},
        "legalId": {"legalIdType": "SSN", "legalIdValue": format!("000{number:06}")},
        "job": {"jobTitleId": "baker", "title": "Baker"}, "organization": {"organizationId": "ovens"},
        "supervisor": {"workerId": worker_id(company_id, 0)},
        "currentStatus": {
            "workerStatusId": format!("{id}-S"), "statusType": "ACTIVE", "statusReason": "HIRED",
            "effectiveDate": "2020-01-06",
        },
        "communications": [
            {"communicationId": format!("{id}-A"), "type": "STREET_ADDRESS", "usageType": "HOME",
             "streetLineOne": "1 Sample Street", "city": "ALBANY", "countrySubdivisionCode": "NY",
             "postalCode": "12207", "countryCode": "US"},
            {"communicationId": format!("{id}-M"), "type": "EMAIL", "usageType": "HOME",
             "uri": format!("worker.{number}@demo.example")},
        ],
        "timeOff": [
            {"policyId": format!("{id}-T"), "type": "Vacation", "name": "Vacation", "balance": "40", "measure": "HOURS"},
        ],
        "assignmentDistributions": [{"jobId": "job", "value": "60"}, {"laborAssignmentId": "labor", "value": "40"}],
    });
    if let (Some(worker), Value::Object(members)) = (worker.as_object_mut(), members) {
        worker.extend(members);
    }
    worker
}
