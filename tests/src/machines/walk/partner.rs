//! Steps in which the application reads all data that it may read, and creates custom fields.

use reqwest::Method;
use serde_json::json;

use super::lists::{ADA, BEN, FEBRUARY, HOURLY, JANUARY, UNIT};
use super::requests::{
    BAKERY, FARM, GARAGE, HOTEL, INN, action, add, company_path, get, operator_post, read, remove,
};
use super::walker::{Walk, one, with_authorization};
use crate::operations::{
    COMPENSATION_COMPLETE, WORKER_NONPII, WORKERS, WORKERS_NONPII, WORKERS_NONPII_COMMUNICATIONS,
    WORKERS_ROSTER,
};
use crate::support::Request;
use crate::support::files::{base64, new_image};

/// Reads companies and their lists.
pub(super) async fn companies(walk: &mut Walk<'_>) {
    let all = walk.step(200, read("/companies")).await;
    assert_eq!(all.members("companyId"), [BAKERY, GARAGE, FARM, INN]);
    let page = walk.step(200, read("/companies?offset=1&limit=2")).await;
    assert_eq!(page.members("companyId"), [GARAGE, FARM]);
    let found = walk.step(200, read("/companies?displayid=00770004")).await;
    assert_eq!(found.members("companyId"), [FARM]);
    walk.step(200, read(&format!("/companies/{BAKERY}"))).await;
    let lineage = walk.step(200, read(&format!("/companies/{BAKERY}?includelineage=true"))).await;
    assert!(lineage.text().contains(GARAGE), "{lineage:?}");
    walk.step(403, read(&format!("/companies/{HOTEL}"))).await;
    walk.step(404, read("/companies/WALK-NOWHERE")).await;
    let lists = [
        "calculationbases",
        "contacttypes",
        "customemploymenttypes",
        "customfields",
        "customfieldscategories",
        "jobs",
        "jobsegments",
        "jobtitles",
        "laborassignments",
        "locations",
        "payfrequencies",
        "statetaxes",
        "workerstatuses",
        "documentcategories",
        "users",
        "organizations",
        "paycomponents",
        "payperiods",
    ];
    for list in lists {
        let shown = walk.step(200, read(&company_path(BAKERY, list))).await;
        assert!(!shown.content().is_empty(), "{list}");
    }
    for one in [
        ("customfields", "APRON"),
        ("jobs", "CAKES"),
        ("jobtitles", "BAKER"),
        ("laborassignments", "EARLY"),
        ("locations", "SHOP"),
        ("workerstatuses", "HIRED"),
        ("organizations", UNIT),
        ("paycomponents", HOURLY),
        ("payperiods", JANUARY),
    ] {
        walk.step(200, read(&company_path(BAKERY, &format!("{}/{}", one.0, one.1)))).await;
    }
    let later =
        walk.step(200, read(&format!("{}?from=2026-02-01", company_path(BAKERY, "payperiods")))).await;
    assert_eq!(later.members("payPeriodId"), [FEBRUARY]);
    let refused = read(&company_path(BAKERY, "payperiods?status=NONE"));
    walk.step(400, refused).await;
}

/// Reads workers in all their representations.
pub(super) async fn workers(walk: &mut Walk<'_>, form: &str) {
    let list = company_path(BAKERY, "workers");
    for media_type in [WORKERS, WORKERS_NONPII, WORKERS_NONPII_COMMUNICATIONS, WORKERS_ROSTER] {
        let shown = walk.step(200, read(&list).accept(media_type)).await;
        assert_eq!(shown.content().len(), 3, "{media_type}");
    }
    walk.step(406, read(&list).accept("text/html")).await;
    let found = walk.step(200, read(&format!("{list}?familyname=walker&givenname=ada"))).await;
    assert_eq!(found.members("workerId"), [ADA]);
    let of_worker = |what: &str| format!("/workers/{ADA}{what}");
    walk.step(200, read(&of_worker(""))).await;
    walk.step(200, read(&of_worker("")).accept(WORKER_NONPII)).await;
    walk.step(200, read(&of_worker("/communications"))).await;
    walk.step(200, read(&of_worker("/compensation"))).await;
    walk.step(200, read(&of_worker("/compensation")).accept(COMPENSATION_COMPLETE)).await;
    walk.step(200, read(&of_worker("/compensation/paystandards"))).await;
    walk.step(200, read(&of_worker("/compensation/payrates"))).await;
    walk.step(200, read(&of_worker("/compensation/payrates/NIGHT"))).await;
    walk.step(404, read(&of_worker("/compensation/payrates/SUNDAY"))).await;
    walk.step(404, read("/workers/WALK-EVE")).await;
    for worker in [BEN, "WALK-FAY", "WALK-IDA"] {
        let shown = walk.step(200, read(&format!("/workers/{worker}"))).await;
        assert_eq!(shown.members("workerId"), [worker]);
    }
    let narrow = walk.step(200, Request::token(&format!("{form}&scope=read:companies"))).await;
    let narrow = format!("Bearer {}", narrow.json()["access_token"].as_str().expect("a token"));
    walk.step(200, with_authorization(&narrow, read(&format!("/companies/{BAKERY}")))).await;
    walk.step(403, with_authorization(&narrow, read(&list))).await;
}

/// Creates and changes custom fields as the application.
pub(super) async fn custom_fields(walk: &mut Walk<'_>) {
    let list = company_path(BAKERY, "customfields");
    let category = walk
        .step(200, add(&company_path(BAKERY, "customfieldscategories"), &json!({"categoryName": "Shoes"})))
        .await;
    let field = json!({"customFieldName": "Shoe size", "type": "NUMERIC", "numericValue": 42,
        "categoryId": one(&category)["categoryId"]});
    let created = walk.step(200, add(&list, &field).idempotency_key("walk-shoes")).await;
    let again = walk.step(200, add(&list, &field).idempotency_key("walk-shoes")).await;
    assert_eq!(one(&created), one(&again), "the same key makes one field");
    walk.step(400, add(&list, &field)).await;
    let path = format!("{list}/{}", one(&created)["customFieldId"].as_str().expect("an id"));
    let tag = walk.step(200, read(&path)).await.header("etag").to_owned();
    let required = json!({"required": true});
    walk.step(200, Request::patch(path.as_str(), &required).if_match(&tag)).await;
    walk.step(412, Request::patch(path.as_str(), &json!({"required": false})).if_match(&tag)).await;
    let shoes = one(&category)["categoryId"].as_str().expect("an id").to_owned();
    let shoes = company_path(BAKERY, &format!("customfieldscategories/{shoes}"));
    walk.step(409, remove(&shoes)).await;
    walk.step(204, remove(&path)).await;
    walk.step(404, read(&path)).await;
    let tag = walk.step(200, read(&shoes)).await.header("etag").to_owned();
    let renamed = Request::patch(shoes.as_str(), &json!({"categoryName": "Boots"})).if_match(&tag);
    walk.step(200, renamed).await;
    walk.step(204, remove(&shoes)).await;
}

/// Runs the steps in which the application creates and changes a job.
pub(super) async fn jobs(walk: &mut Walk<'_>) {
    let list = company_path(BAKERY, "jobs");
    let job = json!({"jobName": "Stall", "jobNumber": {"segment1": "S1"}});
    let created = walk.step(201, add(&list, &job).idempotency_key("walk-job")).await;
    let again = walk.step(201, add(&list, &job).idempotency_key("walk-job")).await;
    assert_eq!(created.json(), again.json(), "the same key makes one job");
    let created = created.json();
    let path = format!("{list}/{}", created["jobId"].as_str().expect("an id"));
    let tag = walk.step(200, read(&path)).await.header("etag").to_owned();
    let renamed = json!({"jobName": "Market stall"});
    walk.step(200, Request::patch(path.as_str(), &renamed).if_match(&tag)).await;
    walk.step(412, Request::patch(path.as_str(), &renamed).if_match(&tag)).await;
}

/// Adds, changes and removes parts of a worker as the application.
async fn parts_of_workers(walk: &mut Walk<'_>) {
    let of_worker = |what: &str| format!("/workers/{ADA}{what}");
    let fax = json!({"type": "FAX", "usageType": "BUSINESS", "dialNumber": "5550177"});
    let rate = json!({"rateNumber": "RATE_25", "rateType": "DAILY_RATE", "amount": "150"});
    let dues = json!({"componentId": HOURLY, "calculationType": "FLAT_DOLLAR_AMOUNT", "value": "7.5"});
    let friend = json!([{"contactType": {"contactTypeId": "EMERGENCY"}, "relationship": {"entity":
        {"entityName": "Practice", "communication": {"email": {"uri": "practice@demo.example"}}}}}]);
    let apron = json!({"customFieldId": "APRON", "dropdownId": "S", "startDate": "2026-02-01"});
    let parts = [
        ("/communications", "communicationId", fax, json!({"dialNumber": "5550178"}), 200, "WRKR_DEM"),
        ("/compensation/payrates", "rateId", rate, json!({"amount": "151.5"}), 204, "WRKR_CMP"),
        ("/paycomponents", "workerComponentId", dues, json!({"value": "8"}), 204, "WRKR_CMP"),
        ("/customfields", "workerCustomFieldId", apron, json!({"dropdownId": "M"}), 204, ""),
        (
            "/contacts",
            "contactId",
            friend,
            json!({"relationship": {"entity": {"entityName": "Clinic"}}}),
            204,
            "",
        ),
    ];
    for (list, id, new, change, removed, domain) in parts {
        let created = if ["workerComponentId", "contactId"].contains(&id) { 201 } else { 200 };
        let list = of_worker(list);
        walk.step(200, add(&format!("{list}?dryrun=true"), &new)).await;
        let created = walk.step(created, add(&list, &new)).await;
        walk.step(400, add(&list, &new)).await;
        walk.step(200, read(&list)).await;
        let path = format!("{list}/{}", one(&created)[id].as_str().expect("an id"));
        let tag = walk.step(200, read(&path)).await.header("etag").to_owned();
        walk.step(200, Request::patch(path.as_str(), &change).if_match(&tag)).await;
        walk.step(412, Request::patch(path.as_str(), &change).if_match(&tag)).await;
        if id == "workerComponentId" {
            let several = json!([{"workerComponentId": one(&created)[id], "value": "9"}]);
            walk.step(200, Request::patch(list.as_str(), &several)).await;
        }
        walk.step(removed, remove(&path)).await;
        walk.step(404, read(&path)).await;
        if domain.is_empty() {
            continue;
        }
        let changes = if id == "workerComponentId" { 2 } else { 1 };
        for action in ["ADD"].into_iter().chain(["UPDATE"; 2].into_iter().take(changes)).chain(["DELETE"]) {
            walk.expect_event(&format!("{domain} {action} {BAKERY} {ADA}"));
        }
    }
}

/// Changes workers as the application.
pub(super) async fn changes_of_workers(walk: &mut Walk<'_>) {
    let of_worker = |what: &str| format!("/workers/{ADA}{what}");
    parts_of_workers(walk).await;
    taxes(walk).await;
    walk.step(200, read(&of_worker("/status"))).await;
    walk.step(200, read(&of_worker("/i9status"))).await;
    files(walk, &of_worker("")).await;
    walk.step(200, read(&of_worker("/timeoff"))).await;
    walk.step(200, read(&of_worker("/assignmentdistributions"))).await;
    walk.step(200, Request::patch(of_worker(""), &json!({"clockId": "1177"}))).await;
    walk.expect_event(&format!("WRKR_EMPL UPDATE {BAKERY} {ADA}"));
    walk.step(400, remove(&of_worker(""))).await;
    let new = json!({"workerId": "WALK-NEW", "workerType": "EMPLOYEE",
        "name": {"familyName": "Walker", "givenName": "New"}, "currentStatus":
        {"workerStatusId": "WALK-STATUS", "statusType": "IN_PROGRESS", "effectiveDate": "2026-05-01"}});
    walk.step(201, operator_post(&company_path(BAKERY, "workers"), &new)).await;
    walk.step(204, remove("/workers/WALK-NEW")).await;
    walk.step(404, read("/workers/WALK-NEW")).await;
    walk.expect_event(&format!("WRKR_ADD ADD {BAKERY} WALK-NEW"));
    walk.expect_event(&format!("WRKR_EMPL DELETE {BAKERY} WALK-NEW"));
    let hired = json!({"workerType": "EMPLOYEE", "name": {"familyName": "Walker", "givenName": "Hired"}});
    walk.step(200, add(&company_path(BAKERY, "workers?dryrun=true"), &hired)).await;
    let created =
        walk.step(201, add(&company_path(BAKERY, "workers"), &hired).idempotency_key("walk-hired")).await;
    let id = one(&created)["workerId"].as_str().expect("an id").to_owned();
    walk.step(204, remove(&format!("/workers/{id}"))).await;
    walk.expect_event(&format!("WRKR_ADD ADD {BAKERY} {id}"));
    walk.expect_event(&format!("WRKR_EMPL DELETE {BAKERY} {id}"));
}

/// Changes tax settings as the application.
async fn taxes(walk: &mut Walk<'_>) {
    let of_worker = |what: &str| format!("/workers/{ADA}{what}");
    let (federal, states) = (of_worker("/federaltax"), of_worker("/statetaxes"));
    walk.step(201, add(&federal, &json!({"filingStatus": "HEAD_OF_HOUSEHOLD", "taxesWithheld": "true"})))
        .await;
    walk.step(200, Request::patch(federal.as_str(), &json!({"extraWithholdingAmount": "3.45"}))).await;
    walk.step(200, read(&federal)).await;
    let ohio = json!([{"op": "add", "path": "/workerTaxes/new", "value": {"countrySubdivisionCode": "OH"}}]);
    walk.step(200, Request::patch(states.as_str(), &ohio)).await;
    walk.step(400, Request::patch(states.as_str(), &ohio)).await;
    walk.step(200, read(&states)).await;
    for action in ["UPDATE", "UPDATE", "ADD"] {
        walk.expect_event(&format!("WRKR_TAX {action} {BAKERY} {ADA}"));
    }
}

/// Adds, changes and removes direct deposits as the application.
pub(super) async fn direct_deposits(walk: &mut Walk<'_>) {
    let list = format!("/workers/{ADA}/directdeposits");
    let deposit = json!({"paymentType": "PERCENTAGE", "accountType": "SAVINGS", "value": "10",
        "routingNumber": "122100024", "accountNumber": "1234567865"});
    walk.step(200, add(&format!("{list}?dryrun=true"), &deposit)).await;
    let created = walk.step(202, add(&list, &deposit).idempotency_key("walk-account")).await;
    let id = one(&created)["directDepositId"].as_str().expect("an id").to_owned();
    let path = format!("{list}/{id}");
    walk.step(200, read(&list)).await;
    let tag = walk.step(200, read(&path)).await.header("etag").to_owned();
    walk.step(202, Request::patch(path.as_str(), &json!({"value": "11"})).if_match(&tag)).await;
    walk.step(202, Request::patch(list.as_str(), &json!([{"directDepositId": id, "value": "12"}]))).await;
    let pending = walk.step(200, get("/depositrequests")).await;
    assert_eq!(pending.members("directDepositId"), [id.as_str()]);
    let decided = company_path(BAKERY, &format!("workers/{ADA}/directdeposits/{id}"));
    walk.step(200, action(&format!("{decided}/approve"))).await;
    walk.step(202, Request::patch(path.as_str(), &json!({"value": "13"}))).await;
    walk.step(200, action(&format!("{decided}/refuse"))).await;
    walk.step(204, remove(&path)).await;
    walk.step(404, read(&path)).await;
}

/// Adds and removes documents and the profile image of a worker.
async fn files(walk: &mut Walk<'_>, worker: &str) {
    let (documents, image) = (format!("{worker}/documents"), format!("{worker}/profileimage"));
    let document =
        json!({"name": "Training.csv", "categoryId": "CERTIFICATES", "content": base64(b"a,b\n1,2\n")});
    let added = walk.step(201, Request::post(&documents, &document)).await;
    walk.step(400, Request::post(&documents, &json!({"name": "x", "content": base64(b"<html>")}))).await;
    walk.step(200, read(&documents)).await;
    let one = format!("{documents}/{}", added.content()[0]["documentId"].as_str().expect("an id"));
    let bytes = walk.step(200, read(&one)).await;
    assert_eq!(bytes.body, b"a,b\n1,2\n");
    walk.step(201, Request::post(&image, &new_image())).await;
    let shown = walk.step(200, read(&image)).await;
    assert_eq!(shown.content()[0]["contentType"], "image/png");
    walk.step(204, remove(&image)).await;
    let kept = format!("/companies/{BAKERY}{documents}");
    walk.step(201, Request::operator_post(&kept, &document)).await;
    let listed = walk.step(200, get(&kept)).await;
    let kept = format!("{kept}/{}", listed.content()[0]["documentId"].as_str().expect("an id"));
    walk.step(200, get(&kept)).await;
    walk.step(204, Request::operator(Method::DELETE, &kept)).await;
    walk.step(404, remove(&one)).await;
    let added = walk.step(201, Request::post(&documents, &document)).await;
    let one = format!("{documents}/{}", added.content()[0]["documentId"].as_str().expect("an id"));
    walk.step(204, remove(&one)).await;
}
