//! Tests of each error code in the specification (§4.2, §4.3) on each operation that can return it. Each row
//! provokes one code over HTTP. The test client verifies the envelope, the presence of `resolution` and the
//! documented statuses of each response.

mod cases;
mod contacts;
mod corruption;
mod custom_values;
mod direct_deposits;
mod files;
mod lines;
mod management;
mod parts;
mod recurring_components;
mod row;
mod taxes;
mod usual;
mod workers;

use std::collections::BTreeSet;

use cases::{OperationCodeCase, cases};
use usual::{ADDITION_CODES, CHECK_ADDITION_CODES, PATCH_CODES, REMOVAL_CODES, TOKEN_CODES};

use crate::operations::OPERATIONS;
use crate::support::hooks::store_hooks;
use crate::support::{on_every_database, store_checks};

/// Lists whose elements are effective for a period of time and can be filtered by date.
const DATED_LISTS: [&str; 4] = ["jobs", "jobtitles", "laborassignments", "locations"];

/// Returns the codes that an operation can return according to the specification. The list omits the codes
/// that other tests provoke with a special set-up: API-1, API-408, API-409, API-410 of archived checks,
/// API-414, API-422, API-429, API-431, API-503, and the 409 without a code.
fn documented_codes(operation: &str) -> Vec<&'static str> {
    let company = ["401 API-102", "403 API-2", "403 API-68", "405 API-59", "406 API-75"];
    let written = parts::documented_codes(operation);
    let job_changed = [PATCH_CODES, &["400 API-34"]].concat();
    let of_lines =
        if operation.contains("/checkcomponents") { lines::expected_codes(operation) } else { Vec::new() };
    let of_files = files::documented_codes(operation);
    let own: &[&str] = match operation {
        _ if !of_files.is_empty() => &of_files,
        _ if !written.is_empty() => &written,
        _ if !of_lines.is_empty() => &of_lines,
        "POST /auth/oauth/v2/token" => return TOKEN_CODES.to_vec(),
        "GET /companies" => {
            return vec!["400 API-40", "401 API-102", "403 API-2", "404 API-7", "405 API-59", "406 API-75"];
        }
        hooks if hooks.contains("/management/") && !hooks.ends_with("/events") => {
            return management::documented_codes(hooks);
        }
        "GET /management/events" => &["400 API-40", "404 API-7", "410 API-410"],
        one if DATED_LISTS
            .iter()
            .any(|list| one.starts_with(&format!("GET /companies/{{companyId}}/{list}/"))) =>
        {
            &["400 API-40", "404 API-7"]
        }
        one if one.starts_with("GET ") && one.ends_with('}') && one != "GET /companies/{companyId}" => {
            &["404 API-7"]
        }
        "GET /companies/{companyId}/contacttypes"
        | "GET /companies/{companyId}/customemploymenttypes"
        | "GET /companies/{companyId}/payfrequencies" => &["400 API-40"],
        "GET /companies/{companyId}/statetaxes"
        | "GET /workers/{workerId}/compensation"
        | "GET /workers/{workerId}/i9status"
        | "GET /workers/{workerId}/profileimage"
        | "GET /workers/{workerId}/compensation/paystandards" => &["404 API-7"],
        "GET /companies/{companyId}/checks" | "GET /workers/{workerId}/checks" => {
            &["400 API-40", "400 API-49", "404 API-7"]
        }
        "DELETE /checks" => &["400 API-40", "400 API-49", "400 API-51", "404 API-7", "423 API-10"],
        "DELETE /workers/{workerId}/checks/{paycheckId}" => &["400 API-51", "404 API-7", "423 API-10"],
        "POST /companies/{companyId}/checks" | "POST /workers/{workerId}/checks" => CHECK_ADDITION_CODES,
        "POST /companies/{companyId}/jobs" => ADDITION_CODES,
        "PATCH /companies/{companyId}/jobs/{jobId}" => &job_changed,
        one if one.starts_with("PATCH /companies/{companyId}/customfields") => PATCH_CODES,
        one if one.starts_with("DELETE /companies/{companyId}/customfields") => REMOVAL_CODES,
        "POST /companies/{companyId}/workers" => workers::EXPECTED_CODES,
        "POST /companies/{companyId}/customfields" | "POST /companies/{companyId}/customfieldscategories" => {
            ADDITION_CODES
        }
        _ => &["400 API-40", "404 API-7"],
    };
    // The code API-55 is impossible for a POST at the path of a worker, because the worker determines the
    // company.
    let never = if operation.starts_with("POST /workers/") { "400 API-55" } else { "" };
    company.iter().chain(own).copied().filter(|code| *code != never).collect()
}

#[test]
fn every_code_is_provoked_on_every_operation_that_can_return_it() {
    let provoked: BTreeSet<(String, String)> =
        cases().into_iter().map(|case| (case.operation, case.refusal.to_owned())).collect();
    let names = OPERATIONS.iter().map(|it| format!("{} {}", it.method, it.path));
    let documented: BTreeSet<(String, String)> = names
        .flat_map(|name| documented_codes(&name).into_iter().map(move |code| (name.clone(), code.to_owned())))
        .collect();
    assert_eq!(
        documented.symmetric_difference(&provoked).collect::<Vec<_>>(),
        Vec::<&(String, String)>::new()
    );
}

/// The codes that other tests provoke with a special set-up, and the codes that no operation of the partner
/// API returns yet.
const CODES_TESTED_ELSEWHERE: &[&str] = &[
    "API-1", "API-408", "API-409", "API-414", "API-422", "API-429", "API-431", "API-503", "API-412",
    "API-428", "API-36", "API-67",
];

#[test]
fn every_code_of_the_specification_is_provoked_somewhere() {
    let tables = page_section("## 4.2 ", "## 4.4 ");
    let words = tables.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    let listed: BTreeSet<&str> = words.filter(|word| word.starts_with("API-")).collect();
    let provoked: BTreeSet<&str> = cases().iter().filter_map(|case| case.refusal.split(' ').nth(1)).collect();
    let missing: Vec<_> =
        listed.difference(&provoked).filter(|code| !CODES_TESTED_ELSEWHERE.contains(code)).collect();
    assert_eq!((listed.len() > 30, missing), (true, Vec::new()));
}

/// Returns the part of the specification between two headings.
fn page_section(from: &str, to: &str) -> &'static str {
    let page = include_str!("../../docs/specification/errors.md");
    page.split(from).nth(1).and_then(|rest| rest.split(to).next()).expect("the section")
}

#[test]
fn the_lists_of_statuses_match_the_specification() {
    let rows = page_section("## 4.6 ", "\n## ").lines().skip_while(|line| !line.starts_with("|---")).skip(1);
    let listed: Vec<BTreeSet<u16>> =
        rows.take_while(|row| row.starts_with('|')).map(statuses_in_row).collect();
    // The specification describes 408 once for all operations with a body. The rows of its table omit this
    // status.
    let known = OPERATIONS.iter().map(|it| {
        let all = it.refusals.iter().copied().chain([it.success]);
        all.filter(|status| *status != 408).collect::<BTreeSet<u16>>()
    });
    assert_eq!(listed, known.collect::<Vec<_>>());
}

/// Returns the HTTP statuses in a table row of the specification.
fn statuses_in_row(row: &str) -> BTreeSet<u16> {
    let words = row.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    words.filter(|word| word.len() == 3).filter_map(|word| word.parse().ok()).collect()
}

#[test]
fn every_code_case_gets_its_status_and_code() {
    on_every_database(async |server| {
        store_hooks(server).await;
        store_checks(&server.database).await;
        let mut wrong = Vec::new();
        for OperationCodeCase { operation, refusal, request } in cases() {
            let response = server.send(&request).await;
            if response.is_success() || response.status_and_code() != refusal {
                wrong.push(format!("{operation}: {refusal} expected of {request:?}: {response:?}"));
            }
        }
        assert_eq!(wrong, Vec::<String>::new());
    });
}
