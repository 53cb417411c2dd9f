//! Steps in which the application reads all data that it may read, and creates custom fields.

use reqwest::Method;
use serde_json::json;

use super::lists::{ADA, BEN, FEBRUARY, HOURLY_COMPONENT, JANUARY, UNIT_ID};
use super::requests::{
    BAKERY_ID, FARM_ID, GARAGE_ID, HOTEL_ID, INN_ID, company_path, get, operator_post,
    operator_post_without_body, partner_delete, partner_get, partner_post_document,
};
use super::runner::{Scenario, only_element, with_authorization};
use crate::operations::{
    COMPENSATION_COMPLETE, WORKER_NONPII, WORKERS, WORKERS_NONPII, WORKERS_NONPII_COMMUNICATIONS,
    WORKERS_ROSTER,
};
use crate::support::Request;
use crate::support::files::{base64, new_image};

/// Reads companies and their lists.
pub(super) async fn read_companies(scenario: &mut Scenario<'_>) {
    let all = scenario.send_expecting(200, partner_get("/companies")).await;
    assert_eq!(all.members("companyId"), [BAKERY_ID, GARAGE_ID, FARM_ID, INN_ID]);
    let page = scenario.send_expecting(200, partner_get("/companies?offset=1&limit=2")).await;
    assert_eq!(page.members("companyId"), [GARAGE_ID, FARM_ID]);
    let found = scenario.send_expecting(200, partner_get("/companies?displayid=00770004")).await;
    assert_eq!(found.members("companyId"), [FARM_ID]);
    scenario.send_expecting(200, partner_get(&format!("/companies/{BAKERY_ID}"))).await;
    let lineage = scenario
        .send_expecting(200, partner_get(&format!("/companies/{BAKERY_ID}?includelineage=true")))
        .await;
    assert!(lineage.text().contains(GARAGE_ID), "{lineage:?}");
    scenario.send_expecting(403, partner_get(&format!("/companies/{HOTEL_ID}"))).await;
    scenario.send_expecting(404, partner_get("/companies/WALK-NOWHERE")).await;
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
        let shown = scenario.send_expecting(200, partner_get(&company_path(BAKERY_ID, list))).await;
        assert!(!shown.content().is_empty(), "{list}");
    }
    for one in [
        ("customfields", "APRON"),
        ("jobs", "CAKES"),
        ("jobtitles", "BAKER"),
        ("laborassignments", "EARLY"),
        ("locations", "SHOP"),
        ("workerstatuses", "HIRED"),
        ("organizations", UNIT_ID),
        ("paycomponents", HOURLY_COMPONENT),
        ("payperiods", JANUARY),
    ] {
        scenario
            .send_expecting(200, partner_get(&company_path(BAKERY_ID, &format!("{}/{}", one.0, one.1))))
            .await;
    }
    let later = scenario
        .send_expecting(
            200,
            partner_get(&format!("{}?from=2026-02-01", company_path(BAKERY_ID, "payperiods"))),
        )
        .await;
    assert_eq!(later.members("payPeriodId"), [FEBRUARY]);
    let refused = partner_get(&company_path(BAKERY_ID, "payperiods?status=NONE"));
    scenario.send_expecting(400, refused).await;
}

/// Reads workers in all their representations.
pub(super) async fn read_workers(scenario: &mut Scenario<'_>, form: &str) {
    let list = company_path(BAKERY_ID, "workers");
    for media_type in [WORKERS, WORKERS_NONPII, WORKERS_NONPII_COMMUNICATIONS, WORKERS_ROSTER] {
        let shown = scenario.send_expecting(200, partner_get(&list).accept(media_type)).await;
        assert_eq!(shown.content().len(), 3, "{media_type}");
    }
    scenario.send_expecting(406, partner_get(&list).accept("text/html")).await;
    let found =
        scenario.send_expecting(200, partner_get(&format!("{list}?familyname=walker&givenname=ada"))).await;
    assert_eq!(found.members("workerId"), [ADA]);
    let of_worker = |what: &str| format!("/workers/{ADA}{what}");
    scenario.send_expecting(200, partner_get(&of_worker(""))).await;
    scenario.send_expecting(200, partner_get(&of_worker("")).accept(WORKER_NONPII)).await;
    scenario.send_expecting(200, partner_get(&of_worker("/communications"))).await;
    scenario.send_expecting(200, partner_get(&of_worker("/compensation"))).await;
    scenario
        .send_expecting(200, partner_get(&of_worker("/compensation")).accept(COMPENSATION_COMPLETE))
        .await;
    scenario.send_expecting(200, partner_get(&of_worker("/compensation/paystandards"))).await;
    scenario.send_expecting(200, partner_get(&of_worker("/compensation/payrates"))).await;
    scenario.send_expecting(200, partner_get(&of_worker("/compensation/payrates/NIGHT"))).await;
    scenario.send_expecting(404, partner_get(&of_worker("/compensation/payrates/SUNDAY"))).await;
    scenario.send_expecting(404, partner_get("/workers/WALK-EVE")).await;
    for worker in [BEN, "WALK-FAY", "WALK-IDA"] {
        let shown = scenario.send_expecting(200, partner_get(&format!("/workers/{worker}"))).await;
        assert_eq!(shown.members("workerId"), [worker]);
    }
    let narrow = scenario.send_expecting(200, Request::token(&format!("{form}&scope=read:companies"))).await;
    let narrow = format!("Bearer {}", narrow.json()["access_token"].as_str().expect("a token"));
    scenario
        .send_expecting(200, with_authorization(&narrow, partner_get(&format!("/companies/{BAKERY_ID}"))))
        .await;
    scenario.send_expecting(403, with_authorization(&narrow, partner_get(&list))).await;
}

/// Creates and changes custom fields as the application.
pub(super) async fn write_custom_fields(scenario: &mut Scenario<'_>) {
    let list = company_path(BAKERY_ID, "customfields");
    let category = scenario
        .send_expecting(
            200,
            partner_post_document(
                &company_path(BAKERY_ID, "customfieldscategories"),
                &json!({"categoryName": "Shoes"}),
            ),
        )
        .await;
    let field = json!({"customFieldName": "Shoe size", "type": "NUMERIC", "numericValue": 42,
        "categoryId": only_element(&category)["categoryId"]});
    let created = scenario
        .send_expecting(200, partner_post_document(&list, &field).idempotency_key("walk-shoes"))
        .await;
    let again = scenario
        .send_expecting(200, partner_post_document(&list, &field).idempotency_key("walk-shoes"))
        .await;
    assert_eq!(only_element(&created), only_element(&again), "the same key makes one field");
    scenario.send_expecting(400, partner_post_document(&list, &field)).await;
    let path = format!("{list}/{}", only_element(&created)["customFieldId"].as_str().expect("an id"));
    let tag = scenario.send_expecting(200, partner_get(&path)).await.header("etag").to_owned();
    let required = json!({"required": true});
    scenario.send_expecting(200, Request::patch(path.as_str(), &required).if_match(&tag)).await;
    scenario
        .send_expecting(412, Request::patch(path.as_str(), &json!({"required": false})).if_match(&tag))
        .await;
    let shoes = only_element(&category)["categoryId"].as_str().expect("an id").to_owned();
    let shoes = company_path(BAKERY_ID, &format!("customfieldscategories/{shoes}"));
    scenario.send_expecting(409, partner_delete(&shoes)).await;
    scenario.send_expecting(204, partner_delete(&path)).await;
    scenario.send_expecting(404, partner_get(&path)).await;
    let tag = scenario.send_expecting(200, partner_get(&shoes)).await.header("etag").to_owned();
    let renamed = Request::patch(shoes.as_str(), &json!({"categoryName": "Boots"})).if_match(&tag);
    scenario.send_expecting(200, renamed).await;
    scenario.send_expecting(204, partner_delete(&shoes)).await;
}

/// Runs the steps in which the application creates and changes a job.
pub(super) async fn write_jobs(scenario: &mut Scenario<'_>) {
    let list = company_path(BAKERY_ID, "jobs");
    let job = json!({"jobName": "Stall", "jobNumber": {"segment1": "S1"}});
    let created =
        scenario.send_expecting(201, partner_post_document(&list, &job).idempotency_key("walk-job")).await;
    let again =
        scenario.send_expecting(201, partner_post_document(&list, &job).idempotency_key("walk-job")).await;
    assert_eq!(created.json(), again.json(), "the same key makes one job");
    let created = created.json();
    let path = format!("{list}/{}", created["jobId"].as_str().expect("an id"));
    let tag = scenario.send_expecting(200, partner_get(&path)).await.header("etag").to_owned();
    let renamed = json!({"jobName": "Market stall"});
    scenario.send_expecting(200, Request::patch(path.as_str(), &renamed).if_match(&tag)).await;
    scenario.send_expecting(412, Request::patch(path.as_str(), &renamed).if_match(&tag)).await;
}

/// Adds, changes and removes parts of a worker as the application.
async fn run_worker_part_steps(scenario: &mut Scenario<'_>) {
    let of_worker = |what: &str| format!("/workers/{ADA}{what}");
    let fax = json!({"type": "FAX", "usageType": "BUSINESS", "dialNumber": "5550177"});
    let rate = json!({"rateNumber": "RATE_25", "rateType": "DAILY_RATE", "amount": "150"});
    let dues =
        json!({"componentId": HOURLY_COMPONENT, "calculationType": "FLAT_DOLLAR_AMOUNT", "value": "7.5"});
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
        scenario.send_expecting(200, partner_post_document(&format!("{list}?dryrun=true"), &new)).await;
        let created = scenario.send_expecting(created, partner_post_document(&list, &new)).await;
        scenario.send_expecting(400, partner_post_document(&list, &new)).await;
        scenario.send_expecting(200, partner_get(&list)).await;
        let path = format!("{list}/{}", only_element(&created)[id].as_str().expect("an id"));
        let tag = scenario.send_expecting(200, partner_get(&path)).await.header("etag").to_owned();
        scenario.send_expecting(200, Request::patch(path.as_str(), &change).if_match(&tag)).await;
        scenario.send_expecting(412, Request::patch(path.as_str(), &change).if_match(&tag)).await;
        if id == "workerComponentId" {
            let several = json!([{"workerComponentId": only_element(&created)[id], "value": "9"}]);
            scenario.send_expecting(200, Request::patch(list.as_str(), &several)).await;
        }
        scenario.send_expecting(removed, partner_delete(&path)).await;
        scenario.send_expecting(404, partner_get(&path)).await;
        if domain.is_empty() {
            continue;
        }
        let changes = if id == "workerComponentId" { 2 } else { 1 };
        for action in ["ADD"].into_iter().chain(["UPDATE"; 2].into_iter().take(changes)).chain(["DELETE"]) {
            scenario.expect_event(&format!("{domain} {action} {BAKERY_ID} {ADA}"));
        }
    }
}

/// Changes workers as the application.
pub(super) async fn change_workers_as_partner(scenario: &mut Scenario<'_>) {
    let of_worker = |what: &str| format!("/workers/{ADA}{what}");
    run_worker_part_steps(scenario).await;
    write_taxes(scenario).await;
    scenario.send_expecting(200, partner_get(&of_worker("/status"))).await;
    scenario.send_expecting(200, partner_get(&of_worker("/i9status"))).await;
    write_files(scenario, &of_worker("")).await;
    scenario.send_expecting(200, partner_get(&of_worker("/timeoff"))).await;
    scenario.send_expecting(200, partner_get(&of_worker("/assignmentdistributions"))).await;
    scenario.send_expecting(200, Request::patch(of_worker(""), &json!({"clockId": "1177"}))).await;
    scenario.expect_event(&format!("WRKR_EMPL UPDATE {BAKERY_ID} {ADA}"));
    scenario.send_expecting(400, partner_delete(&of_worker(""))).await;
    let new = json!({"workerId": "WALK-NEW", "workerType": "EMPLOYEE",
        "name": {"familyName": "Walker", "givenName": "New"}, "currentStatus":
        {"workerStatusId": "WALK-STATUS", "statusType": "IN_PROGRESS", "effectiveDate": "2026-05-01"}});
    scenario.send_expecting(201, operator_post(&company_path(BAKERY_ID, "workers"), &new)).await;
    scenario.send_expecting(204, partner_delete("/workers/WALK-NEW")).await;
    scenario.send_expecting(404, partner_get("/workers/WALK-NEW")).await;
    scenario.expect_event(&format!("WRKR_ADD ADD {BAKERY_ID} WALK-NEW"));
    scenario.expect_event(&format!("WRKR_EMPL DELETE {BAKERY_ID} WALK-NEW"));
    let hired = json!({"workerType": "EMPLOYEE", "name": {"familyName": "Walker", "givenName": "Hired"}});
    scenario
        .send_expecting(200, partner_post_document(&company_path(BAKERY_ID, "workers?dryrun=true"), &hired))
        .await;
    let created = scenario
        .send_expecting(
            201,
            partner_post_document(&company_path(BAKERY_ID, "workers"), &hired).idempotency_key("walk-hired"),
        )
        .await;
    let id = only_element(&created)["workerId"].as_str().expect("an id").to_owned();
    scenario.send_expecting(204, partner_delete(&format!("/workers/{id}"))).await;
    scenario.expect_event(&format!("WRKR_ADD ADD {BAKERY_ID} {id}"));
    scenario.expect_event(&format!("WRKR_EMPL DELETE {BAKERY_ID} {id}"));
}

/// Changes tax settings as the application.
async fn write_taxes(scenario: &mut Scenario<'_>) {
    let of_worker = |what: &str| format!("/workers/{ADA}{what}");
    let (federal, states) = (of_worker("/federaltax"), of_worker("/statetaxes"));
    scenario
        .send_expecting(
            201,
            partner_post_document(
                &federal,
                &json!({"filingStatus": "HEAD_OF_HOUSEHOLD", "taxesWithheld": "true"}),
            ),
        )
        .await;
    scenario
        .send_expecting(200, Request::patch(federal.as_str(), &json!({"extraWithholdingAmount": "3.45"})))
        .await;
    scenario.send_expecting(200, partner_get(&federal)).await;
    let ohio = json!([{"op": "add", "path": "/workerTaxes/new", "value": {"countrySubdivisionCode": "OH"}}]);
    scenario.send_expecting(200, Request::patch(states.as_str(), &ohio)).await;
    scenario.send_expecting(400, Request::patch(states.as_str(), &ohio)).await;
    scenario.send_expecting(200, partner_get(&states)).await;
    for action in ["UPDATE", "UPDATE", "ADD"] {
        scenario.expect_event(&format!("WRKR_TAX {action} {BAKERY_ID} {ADA}"));
    }
}

/// Adds, changes and removes direct deposits as the application.
pub(super) async fn write_direct_deposits(scenario: &mut Scenario<'_>) {
    let list = format!("/workers/{ADA}/directdeposits");
    let deposit = json!({"paymentType": "PERCENTAGE", "accountType": "SAVINGS", "value": "10",
        "routingNumber": "122100024", "accountNumber": "1234567865"});
    scenario.send_expecting(200, partner_post_document(&format!("{list}?dryrun=true"), &deposit)).await;
    let created = scenario
        .send_expecting(202, partner_post_document(&list, &deposit).idempotency_key("walk-account"))
        .await;
    let id = only_element(&created)["directDepositId"].as_str().expect("an id").to_owned();
    let path = format!("{list}/{id}");
    scenario.send_expecting(200, partner_get(&list)).await;
    let tag = scenario.send_expecting(200, partner_get(&path)).await.header("etag").to_owned();
    scenario.send_expecting(202, Request::patch(path.as_str(), &json!({"value": "11"})).if_match(&tag)).await;
    scenario
        .send_expecting(202, Request::patch(list.as_str(), &json!([{"directDepositId": id, "value": "12"}])))
        .await;
    let pending = scenario.send_expecting(200, get("/depositrequests")).await;
    assert_eq!(pending.members("directDepositId"), [id.as_str()]);
    let decided = company_path(BAKERY_ID, &format!("workers/{ADA}/directdeposits/{id}"));
    scenario.send_expecting(200, operator_post_without_body(&format!("{decided}/approve"))).await;
    scenario.send_expecting(202, Request::patch(path.as_str(), &json!({"value": "13"}))).await;
    scenario.send_expecting(200, operator_post_without_body(&format!("{decided}/refuse"))).await;
    scenario.send_expecting(204, partner_delete(&path)).await;
    scenario.send_expecting(404, partner_get(&path)).await;
}

/// Adds and removes documents and the profile image of a worker.
async fn write_files(scenario: &mut Scenario<'_>, worker: &str) {
    let (documents, image) = (format!("{worker}/documents"), format!("{worker}/profileimage"));
    let document =
        json!({"name": "Training.csv", "categoryId": "CERTIFICATES", "content": base64(b"a,b\n1,2\n")});
    let added = scenario.send_expecting(201, Request::post(&documents, &document)).await;
    scenario
        .send_expecting(400, Request::post(&documents, &json!({"name": "x", "content": base64(b"<html>")})))
        .await;
    scenario.send_expecting(200, partner_get(&documents)).await;
    let one = format!("{documents}/{}", added.content()[0]["documentId"].as_str().expect("an id"));
    let bytes = scenario.send_expecting(200, partner_get(&one)).await;
    assert_eq!(bytes.body, b"a,b\n1,2\n");
    scenario.send_expecting(201, Request::post(&image, &new_image())).await;
    let shown = scenario.send_expecting(200, partner_get(&image)).await;
    assert_eq!(shown.content()[0]["contentType"], "image/png");
    scenario.send_expecting(204, partner_delete(&image)).await;
    let collection = format!("/companies/{BAKERY_ID}{documents}");
    scenario.send_expecting(201, Request::operator_post(&collection, &document)).await;
    let listed = scenario.send_expecting(200, get(&collection)).await;
    let document_path =
        format!("{collection}/{}", listed.content()[0]["documentId"].as_str().expect("an id"));
    scenario.send_expecting(200, get(&document_path)).await;
    scenario.send_expecting(204, Request::operator(Method::DELETE, &document_path)).await;
    scenario.send_expecting(404, partner_delete(&one)).await;
    let added = scenario.send_expecting(201, Request::post(&documents, &document)).await;
    let one = format!("{documents}/{}", added.content()[0]["documentId"].as_str().expect("an id"));
    scenario.send_expecting(204, partner_delete(&one)).await;
}
