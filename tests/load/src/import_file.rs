//! The import files for the measurements. The data is clearly synthetic and the same in every run.

use std::io::{BufWriter, Write};
use std::path::Path;

use serde_json::{Value, json};

use crate::Failure;

/// The amount of data in an import file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ImportSize {
    pub(crate) companies: usize,
    pub(crate) workers: usize,
}

impl ImportSize {
    /// Returns the total number of workers in all companies.
    pub(crate) const fn total_workers(self) -> usize {
        self.companies * self.workers
    }
}

/// Writes the file worker by worker, so that a large company is never in memory at once.
pub(crate) fn write_import_file(path: &Path, size: ImportSize) -> Result<(), Failure> {
    write_companies_from(path, size, 0)
}

pub(crate) fn company_id(number: usize) -> String {
    format!("IMPORT{number:06}")
}

/// Writes the file with companies numbered from `first`.
pub(crate) fn write_companies_from(path: &Path, size: ImportSize, first: usize) -> Result<(), Failure> {
    let mut file = BufWriter::new(std::fs::File::create(path)?);
    for number in first..first + size.companies {
        let company_id = company_id(number);
        let head = company(&company_id, number).to_string();
        // The list of workers is inserted before the brace that ends the company.
        write!(file, "{},\"workers\":[", head.strip_suffix('}').unwrap_or(&head))?;
        for at in 0..size.workers {
            let comma = if at == 0 { "" } else { "," };
            write!(file, "{comma}{}", worker(&company_id, number, at))?;
        }
        writeln!(file, "]}}")?;
    }
    Ok(file.flush()?)
}

fn company(company_id: &str, number: usize) -> Value {
    json!({
        "companyId": company_id, "displayId": format!("I{number:07}"),
        "legalName": format!("Import Company {number} LLC"),
        "legalId": {"legalIdType": "FEIN", "legalIdValue": format!("{number:09}")},
        "communications": [postal_address("BUSINESS", number)],
        "products": [{"productCode": "PAYROLL", "startDate": "2020-01-01"}],
        "organizations": (0..5).map(organization).collect::<Vec<_>>(),
        "calculationBases": [{"calculationBaseId": "all", "calculationBaseName": "All earnings"}],
        "payComponents": [
            component("hourly", "REGULAR", "ADDITION"), component("bonus", "SUPPLEMENTAL", "ADDITION"),
            component("pension", "_401K", "REDUCTION"), component("health", "CAFETERIA_PLANS", "REDUCTION"),
        ],
        "payPeriods": [period("first", "01", "14", "19"), period("second", "15", "28", "30")],
    })
}

fn organization(number: usize) -> Value {
    json!({"organizationId": format!("unit{number}"), "name": format!("Unit {number}"), "level": 1})
}

fn component(component_id: &str, classification: &str, effect: &str) -> Value {
    json!({"componentId": component_id, "name": component_id, "classificationType": classification, "effectOnPay": effect})
}

fn period(id: &str, start: &str, end: &str, check: &str) -> Value {
    json!({
        "payPeriodId": id, "intervalCode": "BI_WEEKLY", "status": "INITIAL",
        "startDate": format!("2026-06-{start}"), "endDate": format!("2026-06-{end}"),
        "checkDate": format!("2026-06-{check}"),
    })
}

fn postal_address(usage: &str, number: usize) -> Value {
    json!({
        "communicationId": "address", "type": "STREET_ADDRESS", "usageType": usage,
        "streetLineOne": format!("{number} Sample Street"), "city": "ALBANY",
        "countrySubdivisionCode": "NY", "postalCode": "12207", "countryCode": "US",
    })
}

fn worker(company_id: &str, company: usize, number: usize) -> Value {
    let id = format!("{company_id}-W{number:05}");
    json!({
        "workerId": id, "employeeId": number.to_string(), "workerType": "EMPLOYEE", "employmentType": "FULL_TIME",
        "exemptionType": "NON_EXEMPT", "birthDate": "1990-01-01", "sex": "NOT_SPECIFIED", "hireDate": "2020-01-01",
        "name": {"familyName": "Sample", "givenName": format!("Worker {number}")},
        "legalId": {"legalIdType": "SSN", "legalIdValue": format!("{:09}", (company * 1_000 + number) % 900_000_000)},
        "organization": {"organizationId": format!("unit{}", number % 5)},
        "currentStatus": {
            "workerStatusId": format!("{id}-S"), "statusType": "ACTIVE", "statusReason": "HIRED",
            "effectiveDate": "2020-01-01",
        },
        "communications": [with_unique_id(postal_address("HOME", number), &id)],
        "payRates": [
            pay_rate(&id, 1, "HOURLY_RATE", "20.0000"),
            pay_rate(&id, 2, "PIECEWORK_RATE", "1.2500"),
        ],
        "recurringComponents": [
            {"workerComponentId": format!("{id}-C1"), "componentId": "pension", "calculationType": "PERCENTAGE",
             "calculationBaseId": "all", "value": "5"},
            {"workerComponentId": format!("{id}-C2"), "componentId": "health",
             "calculationType": "FLAT_DOLLAR_AMOUNT", "value": "25.00"},
        ],
        "taxes": {
            "workState": "NY", "federal": {"filingStatus": "HEAD_OF_HOUSEHOLD", "multipleJobs": false},
            "states": [{"countrySubdivisionCode": "NY", "isResidentState": true}],
        },
    })
}

/// Makes the ids of an address unique in its company.
fn with_unique_id(mut address: Value, worker_id: &str) -> Value {
    if let Some(id) = address.get_mut("communicationId") {
        *id = json!(format!("{worker_id}-A"));
    }
    address
}

fn pay_rate(worker_id: &str, number: usize, kind: &str, amount: &str) -> Value {
    json!({
        "rateId": format!("{worker_id}-R{number}"), "rateNumber": format!("RATE_{number}"), "rateType": kind,
        "amount": amount, "default": true, "startDate": "2020-01-01",
    })
}
