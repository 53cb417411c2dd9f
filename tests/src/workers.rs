//! Tests of workers in the partner API: lists, one worker, the parts of a worker, and the data that each
//! caller may see.

mod account_numbers;
mod changed;
mod compensation;
mod contacts;
mod creation;
mod custom_values;
mod direct_deposits;
mod documents;
mod filters;
mod last_four;
mod locked;
mod parts;
mod profile_image;
mod read_only;
mod recurring;
mod status_changes;
mod statuses;
mod taxes;
mod writing;

use serde_json::{Value, json};

use crate::operations::{
    JSON, WORKER, WORKER_COMMUNICATIONS as ONE_WITH_COMMUNICATIONS, WORKER_NONPII as ONE_IMPERSONAL,
    WORKER_NONPII_COMMUNICATIONS as ONE_REACHABLE, WORKERS, WORKERS_COMMUNICATIONS as WITH_COMMUNICATIONS,
    WORKERS_NONPII as IMPERSONAL, WORKERS_NONPII_COMMUNICATIONS as REACHABLE, WORKERS_ROSTER as ROSTER,
};
use crate::support::world::worker;
use crate::support::{
    BARE, Caller, OPEN, Request, Response, Server, import_line, on_every_database, with_member,
};

/// Returns a worker with every possible member.
fn worker_ann() -> Value {
    json!({
        "workerId": "ANN", "employeeId": "7", "clockId": "77", "workerType": "EMPLOYEE",
        "employmentType": "FULL_TIME", "customEmploymentType": {"customEmploymentTypeId": "HYBRID"},
        "exemptionType": "NON_EXEMPT", "workState": "NY", "birthDate": "1990-02-03",
        "sex": "FEMALE", "ethnicityCode": "NOT_STATED", "hireDate": "2020-01-06",
        "name": {"familyName": "Sample", "givenName": "Ann", "middleName": "B", "preferredName": "Annie",
                 "qualificationAffixCode": "Jr", "titleAffixCode": "Dr"},
        "legalId": {"legalIdType": "SSN", "legalIdValue": "000006789"},
        "locationId": "HARBOR", "jobId": "JOB", "laborAssignmentId": "LABOR",
        "job": {"jobTitleId": "BAKER", "title": "Baker"}, "organization": {"organizationId": "OVENS"},
        "supervisor": {"workerId": "BOSS"},
        "currentStatus": {"workerStatusId": "STATUS", "statusType": "ACTIVE", "statusReason": "REHIRED",
                          "effectiveDate": "2024-03-01"},
        "communications": [email_communication("MAIL", "ann@demo.example"), email_communication("MAIL-2", "ann.2@demo.example")],
        "payRates": [{
            "rateId": "RATE", "rateNumber": "RATE_1", "rateType": "HOURLY_RATE", "description": "Days",
            "amount": "20.5", "standardHours": "37.50", "default": true, "startDate": "2020-01-06",
            "effectiveDate": "2024-03-01",
        }],
        "recurringComponents": [],
        "customFields": [],
        "contacts": [],
        "timeOff": [],
        "assignmentDistributions": [],
        "statuses": [{"workerStatusId": "STATUS", "statusType": "ACTIVE", "statusReason": "REHIRED",
                      "effectiveDate": "2024-03-01", "order": 0}],
        "taxes": {"federal": {"multipleJobs": true}},
    })
}

fn email_communication(id: &str, uri: &str) -> Value {
    json!({"communicationId": id, "type": "EMAIL", "usageType": "HOME", "uri": uri})
}

/// Adds workers to the company `BARE`, which has none: the boss, Ann, and some others.
async fn add_workers(server: &Server, others: Vec<Value>) {
    let boss = with_member(
        worker("BOSS", "EMPLOYEE"),
        "legalId",
        json!({"legalIdType": "SSN", "legalIdValue": "000001234"}),
    );
    let workers = [vec![boss, worker_ann()], others].concat();
    let company = json!({
        "companyId": BARE, "displayId": "SHORT", "legalName": "Bare Example LLC",
        "organizations": [{"organizationId": "OVENS", "name": "Ovens", "number": "10"}],
        "customEmploymentTypes": [
            {"customEmploymentTypeId": "HYBRID", "customEmploymentTypeName": "Hybrid"},
        ],
        "workers": workers,
    });
    import_line(&*server.store, &company).await;
}

/// Sends a GET as the partner with a token that has only these scopes.
async fn send_with_scopes(server: &Server, scopes: &str, request: Request) -> Response {
    let form = format!("{}&scope={scopes}", crate::support::token_form());
    let token = server.send(&Request::token(&form)).await.json()["access_token"].as_str().map(str::to_owned);
    let bearer = format!("Bearer {}", token.expect("a token"));
    server.send(&request.with_caller(Caller::Anonymous).header("authorization", bearer)).await
}

fn list_bare_workers_request(query: &str) -> Request {
    Request::get(format!("/companies/{BARE}/workers{query}"))
}

/// Returns the worker Ann as partners read her.
fn ann_as_read_by_partners(base: &str) -> Value {
    let mut shown = worker_ann();
    for member in [
        "payRates",
        "recurringComponents",
        "customFields",
        "contacts",
        "timeOff",
        "assignmentDistributions",
        "statuses",
        "taxes",
    ] {
        shown.as_object_mut().expect("an object").remove(member);
    }
    for (at, day) in [
        ("/birthDate", "1990-02-03"),
        ("/hireDate", "2020-01-06"),
        ("/currentStatus/effectiveDate", "2024-03-01"),
    ] {
        *shown.pointer_mut(at).expect("a day") = json!(format!("{day}T00:00:00Z"));
    }
    shown["customEmploymentType"]["customEmploymentTypeName"] = json!("Hybrid");
    shown["organization"] = json!({"organizationId": "OVENS", "name": "Ovens", "number": "10"});
    shown["supervisor"]["name"] = json!({"familyName": "Sample", "givenName": "BOSS"});
    shown["links"] = json!([
        {"rel": "self", "href": format!("{base}/workers/ANN")},
        {"rel": "communications", "href": format!("{base}/workers/ANN/communications")},
        {"rel": "payRates", "href": format!("{base}/workers/ANN/compensation/payrates")},
    ]);
    shown
}

fn without_members(mut value: Value, members: &[&str]) -> Value {
    for member in members {
        value.as_object_mut().expect("an object").remove(*member);
    }
    value
}

#[test]
fn lists_and_single_reads_return_complete_workers() {
    on_every_database(async |server| {
        add_workers(server, Vec::new()).await;
        for accept in [WORKERS, WITH_COMMUNICATIONS, JSON] {
            let listed = server.send(&list_bare_workers_request("").accept(accept)).await;
            assert_eq!(listed.content()[1], ann_as_read_by_partners(&server.base), "{accept}");
        }
        for accept in [WORKER, ONE_WITH_COMMUNICATIONS, JSON] {
            let alone = server.send(&Request::get("/workers/ANN").accept(accept)).await;
            assert_eq!(alone.content(), [ann_as_read_by_partners(&server.base)], "{accept}");
        }
    });
}

/// Members that identify or describe a person.
const PERSONAL_MEMBERS: [&str; 6] =
    ["name", "birthDate", "sex", "ethnicityCode", "legalId", "communications"];

#[test]
fn the_impersonal_representation_contains_no_personal_data() {
    on_every_database(async |server| {
        add_workers(server, Vec::new()).await;
        let mut expected = without_members(ann_as_read_by_partners(&server.base), &PERSONAL_MEMBERS);
        expected["supervisor"] = json!({"workerId": "BOSS"});
        for accept in [IMPERSONAL, ONE_IMPERSONAL] {
            let listed = server.send(&list_bare_workers_request("").accept(accept)).await;
            let alone = server.send(&Request::get("/workers/ANN").accept(accept)).await;
            assert_eq!((&listed.content()[1], &alone.content()[0]), (&expected, &expected));
            for reported in ["Sample", "Ann", "6789", "demo.example", "1990"] {
                assert!(!listed.text().contains(reported) && !alone.text().contains(reported), "{reported}");
            }
        }
    });
}

#[test]
fn communications_can_be_read_without_personal_data() {
    on_every_database(async |server| {
        add_workers(server, Vec::new()).await;
        let mut expected = without_members(ann_as_read_by_partners(&server.base), &PERSONAL_MEMBERS);
        expected["supervisor"] = json!({"workerId": "BOSS"});
        expected["communications"] = worker_ann()["communications"].clone();
        for accept in [REACHABLE, ONE_REACHABLE] {
            let listed = server.send(&list_bare_workers_request("").accept(accept)).await;
            let alone = server.send(&Request::get("/workers/ANN").accept(accept)).await;
            assert_eq!((&listed.content()[1], &alone.content()[0]), (&expected, &expected), "{accept}");
            assert!(!listed.text().contains("6789") && !alone.text().contains("Sample"), "{accept}");
        }
    });
}

#[test]
fn a_roster_shows_each_worker_with_organization_and_job() {
    on_every_database(async |server| {
        add_workers(server, Vec::new()).await;
        let roster = server.send(&list_bare_workers_request("").accept(ROSTER)).await;
        let members = roster.content()[1].as_object().expect("an object").keys().cloned().collect::<Vec<_>>();
        let mut expected = [
            "workerId",
            "employeeId",
            "clockId",
            "name",
            "workerType",
            "employmentType",
            "currentStatus",
            "job",
            "organization",
            "locationId",
            "links",
        ];
        expected.sort_unstable();
        assert_eq!(members, expected);
        let refused = server.send(&Request::get("/workers/ANN").accept(ROSTER)).await;
        assert_eq!(refused.status_and_code(), "406 API-75", "a roster is a list");
    });
}

#[test]
fn tax_identities_are_masked_without_the_scope_read_taxids() {
    on_every_database(async |server| {
        add_workers(server, Vec::new()).await;
        let values = async |scopes: &str| {
            let listed = send_with_scopes(server, scopes, list_bare_workers_request("")).await;
            let alone = send_with_scopes(server, scopes, Request::get("/workers/ANN")).await;
            let value = |of: &Value| of["legalId"]["legalIdValue"].as_str().expect("digits").to_owned();
            [listed.content(), alone.content()].concat().iter().map(value).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(values("read:workers").await, "*****1234 *****6789 *****6789");
        assert_eq!(values("read:workers+read:taxids").await, "000001234 000006789 000006789");
    });
}

#[test]
fn personal_data_needs_read_workers_and_other_data_read_payroll() {
    on_every_database(async |server| {
        add_workers(server, Vec::new()).await;
        let reported = async |scopes: &str, target: &str, accept: &str| {
            send_with_scopes(server, scopes, Request::get(target).accept(accept)).await.status_and_any_code()
        };
        let list = format!("/companies/{BARE}/workers");
        for (target, accept) in [
            (list.as_str(), WORKERS),
            (&list, WITH_COMMUNICATIONS),
            (&list, ROSTER),
            (&list, REACHABLE),
            (&list, ONE_REACHABLE),
            (&list, JSON),
            (&list, "*/*"),
            ("/workers/ANN", WORKER),
            ("/workers/ANN", ONE_WITH_COMMUNICATIONS),
            ("/workers/ANN", REACHABLE),
            ("/workers/ANN", ONE_REACHABLE),
            ("/workers/ANN", JSON),
        ] {
            assert_eq!(
                reported("read:payroll+read:companies", target, accept).await,
                "403 API-2",
                "{target} {accept}"
            );
            assert_eq!(reported("read:workers", target, accept).await, "200", "{target} {accept}");
        }
        for (target, accept) in [list.as_str(), "/workers/ANN"].into_iter().zip([IMPERSONAL, ONE_IMPERSONAL])
        {
            assert_eq!(reported("read:payroll", target, accept).await, "200");
            assert_eq!(reported("read:workers", target, accept).await, "200");
            assert_eq!(reported("read:companies+read:taxids", target, accept).await, "403 API-2");
        }
    });
}

#[test]
fn links_lead_only_to_readable_resources() {
    on_every_database(async |server| {
        add_workers(server, Vec::new()).await;
        let rels = async |scopes: &str| {
            let response =
                send_with_scopes(server, scopes, Request::get("/workers/ANN").accept(IMPERSONAL)).await;
            let links = response.content()[0]["links"].as_array().expect("links").clone();
            links.iter().map(|link| link["rel"].as_str().expect("a relation").to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(rels("read:payroll").await, ["self", "payRates"]);
        assert_eq!(rels("read:workers").await, ["self", "communications"]);
    });
}

#[test]
fn workers_of_unknown_other_and_ended_companies_are_distinguished() {
    on_every_database(async |server| {
        let mut reported = Vec::new();
        for id in ["NOBODY", "no%20id", "FOREIGN-WORKER", "ENDED-WORKER", "EMPLOYEE"] {
            reported.push(server.send(&Request::get(format!("/workers/{id}"))).await.status_and_any_code());
        }
        assert_eq!(reported, ["404 API-7", "404 API-7", "403 API-2", "403 API-68", "200"]);
    });
}

#[test]
fn a_change_of_a_worker_or_of_displayed_references_changes_the_etags() {
    on_every_database(async |server| {
        add_workers(server, Vec::new()).await;
        let targets = [
            format!("/companies/{BARE}/workers?limit=5"),
            "/workers/ANN".to_owned(),
            "/workers/ANN/communications".to_owned(),
            "/workers/ANN/compensation/payrates".to_owned(),
        ];
        let changes = [
            ("workers/ANN", json!({"employeeId": "8"})),
            ("workers/BOSS", json!({"name": {"familyName": "Other"}})),
            ("organizations/OVENS", json!({"name": "Big ovens"})),
        ];
        for (path, change) in changes {
            let mut tags = Vec::new();
            for target in &targets {
                let tag = server.send(&Request::get(target)).await.header("etag").to_owned();
                let again = server.send(&Request::get(target).header("if-none-match", &tag)).await;
                assert_eq!(again.status, 304, "{target}");
                tags.push(tag);
            }
            let patch = Request::patch(format!("/operator/v1/companies/{BARE}/{path}"), &change);
            let patch = patch.header("if-match", "*");
            assert_eq!(server.send(&patch.with_caller(Caller::Operator)).await.status, 200, "{path}");
            for (target, tag) in targets.iter().zip(&tags) {
                let after = server.send(&Request::get(target).header("if-none-match", tag)).await;
                assert_eq!(after.status, 200, "{target} after {path}");
            }
        }
    });
}

#[test]
fn a_locked_company_can_be_read() {
    on_every_database(async |server| {
        let response = server.send(&Request::get("/workers/LOCKED-WORKER")).await;
        assert_eq!(response.members("workerId"), ["LOCKED-WORKER"]);
        assert_eq!(server.send(&Request::get(format!("/companies/{OPEN}/workers"))).await.content().len(), 7);
    });
}
