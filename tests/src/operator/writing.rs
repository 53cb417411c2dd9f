//! Tests of operators' writes and of their effects.

use reqwest::Method;
use serde_json::{Value, json};

use super::{COMPANY_LISTS, change_object, create_object, get, list_path, only_object, parse_document};
use crate::support::{OPEN, Request, Server, on_every_database};

#[test]
fn every_kind_of_object_is_created_replaced_patched_and_deleted() {
    on_every_database(async |server| {
        for (name, id, new) in COMPANY_LISTS {
            let (created, path) = create_object(server, &list_path(name), &parse_document(new)).await;
            let mut stored = only_object(&created);
            assert_eq!(get(server, &path).await.header("etag"), created.header("etag"), "{path}");
            assert_eq!(get_content(server, &path).await, stored, "{path}");

            let same = change_object(server, Method::PUT, &path, &stored).await;
            assert_eq!(
                (same.status, same.header("etag")),
                (200, created.header("etag")),
                "nothing changed {path}"
            );

            let (member, value) = changed_text_member(&stored);
            stored[&member] = value.clone();
            let patched = change_object(server, Method::PATCH, &path, &json!({member: value})).await;
            assert_eq!((patched.status, only_object(&patched)), (200, stored.clone()), "{path} {patched:?}");
            assert_ne!(patched.header("etag"), created.header("etag"), "{path}");
            assert_eq!(get_content(server, &path).await, stored, "{path}");

            stored.as_object_mut().expect("an object").remove(*id);
            let replaced = change_object(server, Method::PUT, &path, &stored).await;
            assert_eq!(replaced.header("etag"), patched.header("etag"), "the id is that of the path: {path}");

            let gone = change_object(server, Method::DELETE, &path, &json!(null)).await;
            assert_eq!((gone.status, get(server, &path).await.status), (204, 404), "{path} {gone:?}");
        }
    });
}

/// Returns the stored object without its computed member `totals`.
async fn get_content(server: &Server, path: &str) -> Value {
    let mut shown = only_object(&get(server, path).await);
    shown.as_object_mut().expect("an object").remove("totals");
    shown
}

/// Returns a member of an object that accepts any text, and a new value for this member.
fn changed_text_member(stored: &Value) -> (String, Value) {
    let members = stored.as_object().expect("an object");
    let named =
        members.keys().find(|name| name.to_lowercase().ends_with("name") && members[*name].is_string());
    match named {
        Some(name) => (name.clone(), json!("Changed")),
        None if members.contains_key("statusReason") => ("statusReason".to_owned(), json!("CHANGED")),
        None if members.contains_key("payFrequency") => ("payFrequency".to_owned(), json!("MONTHLY")),
        None if members.contains_key("title") => ("title".to_owned(), json!("Changed")),
        None if members.contains_key("checkDate") => ("description".to_owned(), json!("Changed")),
        None => ("clockId".to_owned(), json!("417")),
    }
}

#[test]
fn a_company_is_created_with_a_given_id_changed_and_deleted() {
    on_every_database(async |server| {
        let new = json!({
            "companyId": "NEW", "displayId": "99990001", "legalName": "New Example LLC",
            "products": [{"productCode": "PAYROLL", "startDate": "2026-01-01"}],
        });
        let (created, path) = create_object(server, "/companies", &new).await;
        assert_eq!((path.as_str(), &only_object(&created)["companyId"]), ("/companies/NEW", &json!("NEW")));
        let again = server.send(&Request::operator_post("/companies", &new)).await;
        assert_eq!(again.status_and_code(), "409 API-409");
        let patched = change_object(server, Method::PATCH, &path, &json!({"endDate": "2026-12-31"})).await;
        assert_eq!(only_object(&patched)["endDate"], "2026-12-31T00:00:00Z");
        assert_eq!(change_object(server, Method::DELETE, &path, &json!(null)).await.status, 204);
        assert_eq!(get(server, &path).await.status, 404);
    });
}

#[test]
fn a_worker_resent_without_inner_ids_is_unchanged() {
    on_every_database(async |server| {
        let sent = json!({
            "workerType": "EMPLOYEE", "name": {"familyName": "Sample", "givenName": "Again"},
            "currentStatus": {"statusType": "ACTIVE", "effectiveDate": "2026-01-01"},
            "communications": [{"type": "EMAIL", "usageType": "HOME", "uri": "a@example.org"}],
            "payRates": [{
                "rateNumber": "RATE_1", "rateType": "HOURLY_RATE", "amount": "20", "startDate": "2026-01-01",
            }],
        });
        let (created, path) = create_object(server, &list_path("workers"), &sent).await;
        let again = change_object(server, Method::PUT, &path, &sent).await;
        assert_eq!((again.status, again.header("etag")), (200, created.header("etag")));
        let mut more = sent;
        more["payRates"][0]["amount"] = json!("21");
        let changed = only_object(&change_object(server, Method::PUT, &path, &more).await);
        assert_eq!(changed["payRates"][0]["rateId"], only_object(&created)["payRates"][0]["rateId"]);
        assert_eq!(changed["payRates"][0]["amount"], "21.0000");
    });
}

#[test]
fn the_id_of_an_object_cannot_change() {
    on_every_database(async |server| {
        let path = format!("{}/BAKERY", list_path("organizations"));
        for method in [Method::PUT, Method::PATCH] {
            let other = json!({"organizationId": "OTHER", "name": "Bakery"});
            let response = change_object(server, method, &path, &other).await;
            assert_eq!(
                (response.status, &response.json()["errors"][0]["pointer"]),
                (400, &json!("/organizationId"))
            );
        }
    });
}

#[test]
fn an_invalid_reference_is_reported_with_its_pointer() {
    on_every_database(async |server| {
        let path = format!("{}/BAKERY", list_path("organizations"));
        let response =
            change_object(server, Method::PATCH, &path, &json!({"parentOrganizationId": "NOTHING"})).await;
        let error = &response.json()["errors"][0];
        assert_eq!((response.status, &error["code"]), (400, &json!("API-48")), "{response:?}");
        assert_eq!(error["pointer"], "/parentOrganizationId");
    });
}

#[test]
fn one_of_many_changes_of_a_version_succeeds_and_the_others_get_412() {
    on_every_database(async |server| {
        let path = format!("{}/BAKERY", list_path("organizations"));
        let tag = get(server, &path).await.header("etag").to_owned();
        let send = async |number: usize| {
            let body = json!({"name": format!("Bakery {number}")});
            let request = Request::operator(Method::PATCH, &path).json(&body).if_match(&tag);
            server.send(&request).await.status
        };
        let mut reported = futures_util::future::join_all((0..12).map(send)).await;
        reported.sort_unstable();
        assert_eq!(reported, [&[200][..], &[412; 11]].concat());
    });
}

#[test]
fn a_post_is_executed_once_per_idempotency_key_and_its_replay_masks_tax_identities() {
    on_every_database(async |server| {
        let (_, _, worker) = COMPANY_LISTS.last().expect("workers");
        let request = Request::operator_post(&list_path("workers"), &parse_document(worker));
        let request = request.idempotency_key("a-worker");
        let (first, second) = (server.send(&request).await, server.send(&request).await);
        assert_eq!((first.status, second.status), (201, 201));
        assert_eq!(second.header("idempotent-replayed"), "true");
        let digits =
            |response: &crate::support::Response| only_object(response)["legalId"]["legalIdValue"].clone();
        assert_eq!((digits(&first), digits(&second)), (json!("000006789"), json!("*****6789")));
        assert_eq!(only_object(&first)["workerId"], only_object(&second)["workerId"]);
        assert_eq!(count_workers_named_new(server).await, 1);
    });
}

async fn count_workers_named_new(server: &Server) -> usize {
    let all = get(server, &list_path("workers")).await.json();
    let new = |worker: &&Value| worker["name"]["givenName"] == "New";
    all["content"].as_array().expect("a list").iter().filter(new).count()
}

#[test]
fn partners_read_data_written_by_operators() {
    on_every_database(async |server| {
        create_object(server, &list_path("calculationbases"), &json!({"calculationBaseName": "Brand new"}))
            .await;
        let read = server.send(&Request::get(format!("/companies/{OPEN}/calculationbases"))).await;
        assert!(read.text().contains("Brand new"), "{read:?}");
    });
}

#[test]
fn the_id_of_another_object_is_reported_together_with_all_other_faults() {
    on_every_database(async |server| {
        let path = format!("/companies/{OPEN}");
        let parent = get(server, &path).await.content()[0]["parentCompanyId"].clone();
        let change = async |patch: Value| {
            let mut faults = server.send(&Request::operator_patch(&path, &patch)).await.faults();
            faults.sort();
            faults
        };
        assert_eq!(change(json!({"companyId": parent})).await, ["API-48 /companyId"]);
        assert_eq!(
            change(json!({"companyId": "OTHER", "converting": "x"})).await,
            ["API-48 /companyId", "API-48 /converting"]
        );
    });
}
