//! Validates the cases of `vectors/checks.json` with the rules of this crate.
//!
//! README.md describes the file, so that implementations in other languages can use the same cases.
#![cfg(test)]

use std::collections::{BTreeMap, BTreeSet};

use payroll_domain::check::{Batch, ValidationFacts, validate};
use payroll_domain::code::Reason;
use payroll_domain::date::Timestamp;
use payroll_domain::violation::Violations;
use payroll_domain::{document, input};
use serde::Deserialize;
use serde_json::value::RawValue;

/// Codes that the content of a request with checks never causes. Only other requests or conditions cause
/// these codes, so the vectors do not contain them.
const CODES_OF_OTHER_REQUESTS: &[&str] = &[
    "API-1", "API-2", "API-5", "API-6", "API-7", "API-13", "API-14", "API-15", "API-19", "API-20", "API-25",
    "API-26", "API-27", "API-29", "API-30", "API-31", "API-35", "API-36", "API-38", "API-34", "API-37",
    "API-45", "API-49", "API-59", "API-62", "API-63", "API-66", "API-67", "API-71", "API-72", "API-75",
    "API-102",
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Vectors {
    now: String,
    companies: BTreeMap<String, Box<RawValue>>,
    cases: Vec<Case>,
}

/// A test case. The body remains text, because the order of its members matters.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Case {
    name: String,
    company: String,
    #[serde(default)]
    used_correlation_ids: Vec<String>,
    body: Option<Box<RawValue>>,
    text: Option<String>,
    faults: Vec<Fault>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Fault {
    code: String,
    pointer: Option<String>,
    correlation_id: Option<String>,
}

fn read_vectors() -> Vectors {
    serde_json::from_str(include_str!("../vectors/checks.json")).unwrap()
}

/// Validates a case in the same order as the server: first the company, then the body, then the rules.
fn validate_case(vectors: &Vectors, case: &Case) -> Result<usize, Violations> {
    let company = input::parse(vectors.companies[&case.company].get().as_bytes())?;
    let mut facts = ValidationFacts::from_company(
        &document::read_company(&company)?,
        Timestamp::parse(&vectors.now).unwrap(),
    )?;
    facts.used_correlation_ids.extend(case.used_correlation_ids.iter().cloned());

    let body = case.body.as_ref().map(|body| body.get()).or(case.text.as_deref()).unwrap();
    let document = input::parse(body.as_bytes())?;
    validate(&Batch::read(&document)?, &facts).map(|checks| checks.len())
}

/// Converts the faults to the format of the file.
fn to_case_faults(faults: &Violations) -> Vec<Fault> {
    let one = |fault: &payroll_domain::violation::Violation| Fault {
        code: fault.reason.code().to_owned(),
        pointer: fault.pointer.clone(),
        correlation_id: fault.correlation_id.clone(),
    };
    faults.iter().map(one).collect()
}

#[test]
fn every_test_vector_has_its_stated_faults() {
    let vectors = read_vectors();
    for case in &vectors.cases {
        let found =
            validate_case(&vectors, case).err().map_or_else(Vec::new, |faults| to_case_faults(&faults));
        assert_eq!(found, case.faults, "{}", case.name);
    }
}

#[test]
fn companies_are_valid_and_names_of_cases_are_unique() {
    let vectors = read_vectors();
    for (name, company) in &vectors.companies {
        let read = document::read_company(&input::parse(company.get().as_bytes()).unwrap());
        assert!(read.is_ok(), "{name}: {}", read.unwrap_err());
    }
    let names: BTreeSet<_> = vectors.cases.iter().map(|case| &case.name).collect();
    assert_eq!(names.len(), vectors.cases.len());
}

#[test]
fn every_code_of_check_requests_has_a_case() {
    let vectors = read_vectors();
    let found: BTreeSet<_> =
        vectors.cases.iter().flat_map(|case| &case.faults).map(|fault| fault.code.as_str()).collect();
    // Codes above API-102 correspond to HTTP statuses, so the vectors do not contain these codes.
    let number = |code: &str| code.trim_start_matches("API-").parse::<u32>().unwrap();
    let codes = Reason::ALL.iter().map(|reason| reason.code()).filter(|code| number(code) <= 102);
    let expected: BTreeSet<_> = codes.filter(|code| !CODES_OF_OTHER_REQUESTS.contains(code)).collect();
    assert_eq!(found, expected);
}
