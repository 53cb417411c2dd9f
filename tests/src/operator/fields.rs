//! Tests the domain of the event for a change of each member (specification §9.3). Each member is changed
//! over HTTP, and the events in the feed are compared.

mod reported;

use payroll_domain::access::{Scope, Scopes};
use serde_json::{Value, json};

use self::reported::{PointerChange, REPORTED_CHANGES};
use crate::feed::read_feed;
use crate::support::{
    Caller, FOREIGN, Request, Server, grant_to_application, import_line, on_every_database,
};

/// The JSON document of a company that contains every possible member.
const COMPLETE_COMPANY: &str =
    include_str!("../../../crates/domain/src/document/tests/complete_company.json");

/// Returns the document to import, without a lock. For each reference that a test changes, the document
/// contains a second object to which the reference can lead.
fn complete_document() -> Value {
    let mut document: Value = serde_json::from_str(COMPLETE_COMPANY).expect("JSON");
    let members = document.as_object_mut().expect("an object");
    for away in ["lock", "parentCompanyId", "endDate", "converting"] {
        members.remove(away);
    }
    // The member `workState` is removed, because a change of the tax settings would contradict this member.
    document["workers"][0].as_object_mut().expect("an object").remove("workState");
    for (list, more) in [
        (
            "customEmploymentTypes",
            json!({"customEmploymentTypeId": "E-2", "customEmploymentTypeName": "Remote"}),
        ),
        ("customFieldCategories", json!({"categoryId": "K-2", "categoryName": "More"})),
        ("calculationBases", json!({"calculationBaseId": "B-2", "calculationBaseName": "Others"})),
        ("locations", json!({"locationId": "LO-9", "name": "Mill"})),
        ("laborAssignments", json!({"laborAssignmentId": "A-9", "name": "Day shift"})),
        ("jobTitles", json!({"jobTitleId": "JT-9", "title": "Cook"})),
        (
            "payComponents",
            json!({"componentId": "P-2", "name": "Dues", "classificationType": "UNION_DUES", "effectOnPay": "REDUCTION"}),
        ),
    ] {
        document[list].as_array_mut().expect("a list").push(more);
    }
    document
}

/// The lists of a company. Each list has its member in the company's document, its path segment, and the
/// member with the id of an element.
const PATHS_OF_LISTS: [(&str, &str, &str); 18] = [
    ("organizations", "organizations", "organizationId"),
    ("contactTypes", "contacttypes", "contactTypeId"),
    ("customEmploymentTypes", "customemploymenttypes", "customEmploymentTypeId"),
    ("customFieldCategories", "customfieldscategories", "categoryId"),
    ("customFields", "customfields", "customFieldId"),
    ("calculationBases", "calculationbases", "calculationBaseId"),
    ("jobTitles", "jobtitles", "jobTitleId"),
    ("laborAssignments", "laborassignments", "laborAssignmentId"),
    ("locations", "locations", "locationId"),
    ("payFrequencies", "payfrequencies", "payFrequencyId"),
    ("jobs", "jobs", "jobId"),
    ("jobSegments", "jobsegments", "jobSegmentId"),
    ("workerStatuses", "workerstatuses", "workerStatusId"),
    ("documentCategories", "documentcategories", "categoryId"),
    ("users", "users", "userId"),
    ("payComponents", "paycomponents", "componentId"),
    ("payPeriods", "payperiods", "payPeriodId"),
    ("workers", "workers", "workerId"),
];

/// Applies a change to the document, and returns the PATCH request for the changed object. The request
/// contains the changed member completely.
fn patch_request(document: &mut Value, (place, value): PointerChange) -> Request {
    let value: Value = serde_json::from_str(value).expect("JSON");
    let (parent, member) = place.rsplit_once('/').expect("a pointer");
    document.pointer_mut(parent).expect("the place")[member] = value;
    let steps: Vec<&str> = place.split('/').skip(1).collect();
    let (list, segment, id_member) = match PATHS_OF_LISTS.iter().find(|(list, ..)| *list == steps[0]) {
        Some(list) => *list,
        None => return Request::operator_patch("/companies/C-1", &json!({steps[0]: document[steps[0]]})),
    };
    let object = &document[list][steps[1].parse::<usize>().expect("an index")];
    let id = object[id_member].as_str().expect("an id");
    Request::operator_patch(&format!("/companies/C-1/{segment}/{id}"), &json!({steps[2]: object[steps[2]]}))
}

/// Sends requests and returns the events of each request as text. The feed may delay events. After each
/// request, an event of another company therefore marks the end of the request's events.
async fn event_texts(server: &Server, requests: &[Request]) -> Vec<String> {
    let mut here = "/operator/v1/events?limit=1000".to_owned();
    grant_scopes(server, Scopes::NONE).await;
    while !new_events(server, &mut here)
        .await
        .iter()
        .any(|event| is_end_marker(event) && event["action"] == "DELETE")
    {}
    for (at, request) in requests.iter().enumerate() {
        let response = server.send(request).await;
        assert!(response.is_success(), "{request:?}: {response:?}");
        let scopes = if at % 2 == 0 { [Scope::ReadPayroll].into_iter().collect() } else { Scopes::NONE };
        grant_scopes(server, scopes).await;
    }
    let (mut reported, mut of_one) = (Vec::new(), Vec::new());
    while reported.len() < requests.len() {
        for event in new_events(server, &mut here).await {
            if is_end_marker(&event) {
                reported.push(std::mem::take(&mut of_one).join(", "));
            } else {
                of_one.push(event_text(&event));
            }
        }
    }
    reported
}

async fn grant_scopes(server: &Server, scopes: Scopes) {
    grant_to_application(&*server.store, "limited", FOREIGN, scopes).await;
}

fn is_end_marker(event: &Value) -> bool {
    event["companyId"] == FOREIGN
}

/// Returns the events in the feed that are newer than the last call, and moves `next_url` after them.
async fn new_events(server: &Server, next_url: &mut String) -> Vec<Value> {
    let (events, next) = read_feed(server, Caller::Operator, next_url, 0).await;
    *next_url = next;
    events
}

fn event_text(event: &Value) -> String {
    let texts = ["domain", "action", "workerId", "payperiodId"].map(|name| event[name].as_str());
    texts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

#[test]
fn each_changed_field_causes_events_of_its_domain_only() {
    on_every_database(async |server| {
        let mut document = complete_document();
        import_line(&*server.store, &document).await;
        let changes: Vec<_> = REPORTED_CHANGES
            .iter()
            .flat_map(|(expected, changes)| changes.iter().map(move |it| (*expected, *it)))
            .collect();
        let requests: Vec<_> =
            changes.iter().map(|(_, change)| patch_request(&mut document, *change)).collect();
        let reported = event_texts(server, &requests).await;
        let wrong: Vec<_> = changes
            .iter()
            .zip(&reported)
            .filter(|((expected, _), reported)| expected != reported)
            .map(|((expected, (place, _)), reported)| {
                format!("{place}: {expected:?} expected, {reported:?} reported")
            })
            .collect();
        assert_eq!(wrong, Vec::<String>::new());
    });
}

#[test]
fn creations_and_deletions_cause_events_of_their_domain_only() {
    let worker =
        json!({"workerId": "W-8", "workerType": "EMPLOYEE", "name": {"familyName": "A", "givenName": "B"}});
    let rate = json!({"rateId": "R-8", "rateNumber": "RATE_8", "rateType": "DAILY_RATE", "amount": "1", "startDate": "2026-01-01"});
    let recurring = json!({"workerComponentId": "RC-8", "componentId": "P-1", "calculationType": "FLAT_DOLLAR_AMOUNT", "value": "1"});
    let post = |path: &str, body: &Value| Request::operator_post(&format!("/companies/C-1/{path}"), body);
    let delete = |path: &str| Request::operator_delete(&format!("/companies/C-1/{path}"));
    let put = |path: &str, body: &Value| Request::operator_put(&format!("/companies/C-1/{path}"), body);
    let changed = json!({"rateId": "R-8", "rateNumber": "RATE_8", "rateType": "DAILY_RATE", "amount": "2", "startDate": "2026-01-01"});
    let cases = [
        (post("organizations", &json!({"organizationId": "O-8", "name": "A"})), "CLT_ORG ADD"),
        (delete("organizations/O-8"), "CLT_ORG DELETE"),
        (post("workers", &worker), "WRKR_ADD ADD W-8"),
        (put("workers/W-8", &worker), ""),
        (post("workers/W-8/payrates", &rate), "WRKR_CMP ADD W-8"),
        (put("workers/W-8/payrates/R-8", &changed), "WRKR_CMP UPDATE W-8"),
        (delete("workers/W-8/payrates/R-8"), "WRKR_CMP DELETE W-8"),
        (post("workers/W-8/recurringcomponents", &recurring), "WRKR_CMP ADD W-8"),
        (delete("workers/W-8/recurringcomponents/RC-8"), "WRKR_CMP DELETE W-8"),
        (delete("workers/W-8"), "WRKR_EMPL DELETE W-8"),
        (post("contacttypes", &json!({"contactTypeId": "CT-8", "contactTypeName": "A"})), ""),
        (delete("contacttypes/CT-8"), ""),
        (post("calculationbases", &json!({"calculationBaseId": "B-8", "calculationBaseName": "A"})), ""),
        (put("lock", &json!({"reason": "audit"})), ""),
        (delete("lock"), ""),
        (post("payperiods/T-2/process", &json!({})), ""),
        (post("payperiods/T-2/reopen", &json!({})), ""),
        (post("payperiods/T-2/process", &json!({})), ""),
        (post("payperiods/T-2/complete", &json!({"allowEmpty": true})), "CLT_PYRN PAYRUN_COMPLETED T-2"),
    ];
    on_every_database(async |server| {
        import_line(&*server.store, &complete_document()).await;
        let requests: Vec<_> = cases.iter().map(|(request, _)| request.clone()).collect();
        let reported = event_texts(server, &requests).await;
        assert_eq!(reported, cases.iter().map(|(_, expected)| *expected).collect::<Vec<_>>());
    });
}
