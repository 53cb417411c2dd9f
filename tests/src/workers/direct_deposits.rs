//! Tests of direct deposits of a worker over HTTP.

use serde_json::{Value, json};

use crate::support::{
    Caller, OPEN, Request, Server, Settings, new_direct_deposit, on_every_database, on_every_database_with,
    with_member,
};

const DEPOSITS_PATH: &str = "/workers/EMPLOYEE/directdeposits";
const MAIN_DEPOSIT_PATH: &str = "/workers/EMPLOYEE/directdeposits/MAIN";

async fn list_deposits(server: &Server) -> Vec<Value> {
    server.send(&Request::get(DEPOSITS_PATH)).await.content()
}

fn test_without_approval(test: impl AsyncFn(&mut Server)) {
    on_every_database_with(|settings: &mut Settings| settings.approve_bank_accounts = false, test);
}

fn member_values(of: &Value, names: &[&str]) -> Vec<Value> {
    names.iter().map(|name| of[*name].clone()).collect()
}

#[test]
fn account_numbers_are_complete_when_read_and_masked_in_responses_to_changes() {
    test_without_approval(async |server| {
        let read = server.send(&Request::get(MAIN_DEPOSIT_PATH)).await.content()[0].clone();
        let shown =
            member_values(&read, &["accountNumber", "directDepositType", "status", "priority", "value"]);
        assert_eq!(shown, ["998877665544", "Net Pay", "ACTIVE", "1", "25.0000"]);
        let post = Request::post(DEPOSITS_PATH, &new_direct_deposit()).idempotency_key("d1");
        let (created, again) = (server.send(&post).await, server.send(&post).await);
        assert_eq!((created.status, again.status), (200, 200), "{created:?}");
        assert_eq!(created.content(), again.content());
        let created = created.content()[0].clone();
        assert_eq!(
            member_values(&created, &["accountNumber", "priority", "status"]),
            ["*****7865", "3", "ACTIVE"]
        );
        let path = format!("{DEPOSITS_PATH}/{}", created["directDepositId"].as_str().expect("an id"));
        assert_eq!(server.send(&Request::get(path)).await.content()[0]["accountNumber"], "1234567865");
        let changed = server
            .send(&Request::patch(MAIN_DEPOSIT_PATH, &json!({"value": 30, "accountNumber": "*****5544"})))
            .await;
        assert_eq!(changed.status, 200, "{changed:?}");
        assert_eq!(
            member_values(&changed.content()[0], &["value", "accountNumber"]),
            ["30.0000", "*****5544"]
        );
        assert_eq!(
            server.send(&Request::get(MAIN_DEPOSIT_PATH)).await.content()[0]["accountNumber"],
            "998877665544"
        );
        assert_eq!(server.send(&Request::new(reqwest::Method::DELETE, MAIN_DEPOSIT_PATH)).await.status, 204);
        assert_eq!(list_deposits(server).await.len(), 3);
    });
}

#[test]
fn percentages_and_remainders_of_deposits_are_limited() {
    test_without_approval(async |server| {
        let percent =
            with_member(with_member(new_direct_deposit(), "paymentType", "PERCENTAGE"), "value", "75.0001");
        let above = server.send(&Request::post(DEPOSITS_PATH, &percent)).await;
        assert_eq!(
            (above.status_and_code().as_str(), &above.errors()[0]["pointer"]),
            ("400 API-28", &json!("/value"))
        );
        let full = with_member(percent, "value", "75");
        assert_eq!(server.send(&Request::post(DEPOSITS_PATH, &full)).await.status, 200);
        let cents = with_member(new_direct_deposit(), "value", "1.005");
        assert_eq!(server.send(&Request::post(DEPOSITS_PATH, &cents)).await.status_and_code(), "400 API-28");
        let change = Request::patch(MAIN_DEPOSIT_PATH, &json!({"paymentType": "REMAINDER", "value": null}));
        assert_eq!(server.send(&change).await.errors()[0]["code"], "API-5");
        let all = json!({"paymentType": "SHARES", "accountType": "GOLD", "accountNumber": "x", "startDate": "2020-01-01"});
        let faults = server.send(&Request::post(DEPOSITS_PATH, &all)).await;
        let codes: Vec<_> =
            faults.errors().iter().map(|it| format!("{} {}", it["code"], it["pointer"])).collect();
        for expected in [
            "API-40\" \"/paymentType",
            "API-40\" \"/accountType",
            "API-48\" \"/accountNumber",
            "API-37\" \"/startDate",
            "API-29\" \"/routingNumber",
        ] {
            assert!(codes.iter().any(|code| code.contains(expected)), "{expected} {codes:?}");
        }
    });
}

#[test]
fn priorities_can_be_swapped_only_by_a_patch_of_the_list() {
    test_without_approval(async |server| {
        let created =
            server.send(&Request::post(DEPOSITS_PATH, &new_direct_deposit())).await.content()[0].clone();
        let id = created["directDepositId"].as_str().expect("an id").to_owned();
        let one = Request::patch(MAIN_DEPOSIT_PATH, &json!({"priority": "3"}));
        let alone = server.send(&one).await;
        assert_eq!(alone.errors()[0]["code"], "API-5", "{alone:?}");
        let swap = |main: &str, other: &str| json!([{"directDepositId": "MAIN", "priority": main}, {"directDepositId": id, "priority": other}]);
        assert_eq!(
            server.send(&Request::patch(DEPOSITS_PATH, &swap("3", "3"))).await.status_and_code(),
            "400 API-48"
        );
        assert_eq!(
            server.send(&Request::patch(DEPOSITS_PATH, &swap("7", "1"))).await.status_and_code(),
            "400 API-48"
        );
        let swapped = server.send(&Request::patch(DEPOSITS_PATH, &swap("3", "1"))).await;
        assert_eq!(
            (swapped.status, swapped.members("priority")),
            (200, vec!["3".to_owned(), "1".to_owned()])
        );
        let again =
            json!([{"directDepositId": "MAIN", "priority": 3}, {"directDepositId": "MAIN", "value": 1}]);
        assert_eq!(server.send(&Request::patch(DEPOSITS_PATH, &again)).await.status_and_code(), "400 API-48");
    });
}

#[test]
fn a_worker_has_at_most_98_deposits_besides_the_remainder() {
    test_without_approval(async |server| {
        let count = list_deposits(server).await.len();
        let missing = 100_usize.saturating_sub(count);
        for _ in 0..missing {
            let response = server.send(&Request::post(DEPOSITS_PATH, &new_direct_deposit())).await;
            if !response.is_success() {
                let fault = response.errors()[0].clone();
                assert_eq!(response.faults(), ["API-19 /priority"], "{response:?}");
                assert!(fault["description"].as_str().is_some_and(|it| it.contains("98")), "{fault}");
                break;
            }
        }
        let besides = list_deposits(server).await;
        assert_eq!(besides.iter().filter(|it| it["paymentType"] != "REMAINDER").count(), 98);
    });
}

#[test]
fn a_value_sent_in_another_notation_is_no_change() {
    on_every_database(async |server| {
        for value in [json!("25"), json!(25), json!("25.00"), json!(25.0)] {
            let one = Request::patch(MAIN_DEPOSIT_PATH, &json!({"value": value}));
            let list = json!([{"directDepositId": "MAIN", "value": value}]);
            for request in [one, Request::patch(DEPOSITS_PATH, &list)] {
                let response = server.send(&request).await;
                assert_eq!((response.status, response.content()[0].get("pendingChange")), (200, None));
            }
        }
        let etag = async || server.send(&Request::get(MAIN_DEPOSIT_PATH)).await.header("etag").to_owned();
        let before = etag().await;
        let change = async |value: &str| {
            server.send(&Request::patch(MAIN_DEPOSIT_PATH, &json!({"value": value}))).await.status
        };
        assert_eq!(change("40").await, 202);
        let pending = etag().await;
        assert_ne!(before, pending);
        assert_eq!((change("40.0").await, etag().await), (202, pending), "the same request again");
    });
}

#[test]
fn deposits_are_listed_as_of_a_day() {
    test_without_approval(async |server| {
        let later = with_member(new_direct_deposit(), "startDate", "2026-07-01");
        assert_eq!(server.send(&Request::post(DEPOSITS_PATH, &later)).await.status, 200);
        let count = async |query: &str| {
            let found = server.send(&Request::get(format!("{DEPOSITS_PATH}{query}"))).await;
            if found.is_success() { found.content().len().to_string() } else { found.status_and_code() }
        };
        assert_eq!(count("").await, "3");
        assert_eq!(count("?asof=2026-07-01").await, "4");
        assert_eq!(count("?effectivitydate=2025-12-31").await, "0");
        assert_eq!(count("?effectivitydate=2025-12-31&asof=2026-07-01").await, "400 API-40");
        let early = Request::get(format!("{MAIN_DEPOSIT_PATH}?asof=2025-12-31"));
        assert_eq!(server.send(&early).await.status_and_code(), "404 API-7");
        let ahead =
            Request::patch(format!("{MAIN_DEPOSIT_PATH}?effectivitydate=2999-01-01"), &json!({"value": "1"}));
        assert_eq!(server.send(&ahead).await.status_and_code(), "400 API-40");
    });
}

#[test]
fn direct_deposits_need_separate_scopes() {
    on_every_database(async |server| {
        let path = format!("/applications/partner/grants/{OPEN}");
        let all = json!({"scopes": ["read:companies", "read:payroll", "write:payroll", "read:workers",
            "write:workers", "read:taxes", "write:taxes", "read:taxids"]});
        assert_eq!(server.send(&Request::operator_put(&path, &all).if_match("*")).await.status, 200);
        for request in [
            Request::get(DEPOSITS_PATH),
            Request::get(MAIN_DEPOSIT_PATH),
            Request::post(DEPOSITS_PATH, &new_direct_deposit()),
            Request::patch(MAIN_DEPOSIT_PATH, &json!({"value": "1"})),
            Request::patch(DEPOSITS_PATH, &json!([{"directDepositId": "MAIN", "value": "1"}])),
            Request::new(reqwest::Method::DELETE, MAIN_DEPOSIT_PATH),
        ] {
            assert_eq!(
                server.send(&request.with_caller(Caller::Partner)).await.status_and_code(),
                "403 API-2"
            );
        }
    });
}

#[test]
fn a_new_or_changed_bank_account_awaits_approval() {
    on_every_database(async |server| {
        let dry =
            server.send(&Request::post(format!("{DEPOSITS_PATH}?dryrun=true"), &new_direct_deposit())).await;
        assert_eq!((dry.status, &dry.content()[0]["status"]), (200, &json!("PENDING")));
        let created = server.send(&Request::post(DEPOSITS_PATH, &new_direct_deposit())).await;
        assert_eq!(
            (created.status, &created.content()[0]["status"]),
            (202, &json!("PENDING")),
            "{created:?}"
        );
        assert!(created.content()[0].get("requestedBy").is_none());
        let changed = server.send(&Request::patch(MAIN_DEPOSIT_PATH, &json!({"value": "40"}))).await;
        assert_eq!(changed.status, 202, "{changed:?}");
        let shown = changed.content()[0].clone();
        let change = json!({"paymentType": "PERCENTAGE", "value": "40.0000"});
        assert_eq!(
            member_values(&shown, &["value", "status", "pendingChange"]),
            [json!("25.0000"), json!("ACTIVE"), change]
        );
        let wrong = server.send(&Request::patch(MAIN_DEPOSIT_PATH, &json!({"value": "101"}))).await;
        assert_eq!(
            (wrong.status_and_code().as_str(), &wrong.errors()[0]["pointer"]),
            ("400 API-28", &json!("/value"))
        );
        let path = format!("/companies/{OPEN}/workers/EMPLOYEE");
        let worker = server.send(&Request::operator_get(&path)).await.content()[0].clone();
        let main = &worker["directDeposits"][0];
        assert_eq!(member_values(main, &["accountNumber", "requestedBy", "requestedDate"])[1], "partner");
        let same = server.send(&Request::patch(MAIN_DEPOSIT_PATH, &json!({"value": "25"}))).await;
        assert_eq!((same.status, same.content()[0].get("pendingChange")), (200, None), "it was withdrawn");
        let pending = server.send(&Request::operator_get("/depositrequests")).await.content();
        assert_eq!(pending.len(), 1, "only the new deposit: {pending:?}");
        let change = async |body: Value| server.send(&Request::patch(MAIN_DEPOSIT_PATH, &body)).await.status;
        assert_eq!(change(json!({"value": "41"})).await, 202);
        assert_eq!(change(json!({"pendingChange": null, "directDepositType": "x"})).await, 202, "ignored");
        assert_eq!(change(json!({"paymentType": "PERCENTAGE", "value": "25"})).await, 200);
    });
}

#[test]
fn an_operator_approves_or_rejects_a_bank_account() {
    on_every_database(async |server| {
        let created =
            server.send(&Request::post(DEPOSITS_PATH, &new_direct_deposit())).await.content()[0].clone();
        let other =
            server.send(&Request::post(DEPOSITS_PATH, &new_direct_deposit())).await.content()[0].clone();
        assert_eq!(
            server.send(&Request::patch(MAIN_DEPOSIT_PATH, &json!({"value": "40"}))).await.status,
            202
        );
        let ids = [&created, &other].map(|it| it["directDepositId"].as_str().expect("an id").to_owned());
        let pending = server.send(&Request::operator_get("/depositrequests")).await;
        assert_eq!((pending.status, pending.content().len()), (200, 3), "{pending:?}");
        let row = pending.content()[0].clone();
        assert_eq!(
            member_values(&row, &["companyId", "workerId", "requestedBy"]),
            [OPEN, "EMPLOYEE", "partner"]
        );
        let decide = async |id: &str, verb: &str| {
            let path = format!("/companies/{OPEN}/workers/EMPLOYEE/directdeposits/{id}/{verb}");
            server.send(&Request::operator(reqwest::Method::POST, &path)).await
        };
        let approved = decide(&ids[0], "approve").await;
        assert_eq!(
            (approved.status, &approved.content()[0]["status"]),
            (200, &json!("ACTIVE")),
            "{approved:?}"
        );
        assert_eq!(decide(&ids[0], "approve").await.status_and_code(), "409 API-409");
        assert_eq!(decide("NONE", "approve").await.status_and_code(), "404 API-7");
        let refused = decide(&ids[1], "refuse").await;
        assert_eq!((refused.status, &refused.content()[0]["status"]), (200, &json!("REFUSED")));
        let changed = decide("MAIN", "approve").await.content()[0].clone();
        assert_eq!(member_values(&changed, &["value", "pendingChange"]), [json!("40.0000"), Value::Null]);
        let read = server.send(&Request::get(MAIN_DEPOSIT_PATH)).await.content()[0].clone();
        assert_eq!(member_values(&read, &["value", "status"]), ["40.0000", "ACTIVE"]);
        let own =
            server.send(&Request::get(format!("{DEPOSITS_PATH}/{}", ids[1]))).await.content()[0].clone();
        assert_eq!(own["status"], "REFUSED", "the partner sees the decision");
        let pending = server.send(&Request::operator_get("/depositrequests")).await;
        assert_eq!(pending.content(), Vec::<Value>::new());
        let log = server.send(&Request::operator_get("/audit")).await;
        assert!(log.text().contains("REFUSED") && log.text().contains("*****7865"), "{log:?}");
    });
}

#[test]
fn an_approval_respects_the_deposit_limits_of_the_worker() {
    on_every_database(async |server| {
        let percent =
            with_member(with_member(new_direct_deposit(), "paymentType", "PERCENTAGE"), "value", "80");
        assert_eq!(
            server.send(&Request::patch(MAIN_DEPOSIT_PATH, &json!({"value": "20"}))).await.status,
            202
        );
        let created = server.send(&Request::post(DEPOSITS_PATH, &percent)).await;
        assert_eq!(created.status, 202, "{created:?}");
        let above = server.send(&Request::patch(MAIN_DEPOSIT_PATH, &json!({"value": "21"}))).await;
        assert_eq!(
            (above.status_and_code().as_str(), &above.errors()[0]["pointer"]),
            ("400 API-28", &json!("/value")),
            "the sum with the pending deposit, which follows in the list"
        );
        let id = created.content()[0]["directDepositId"].as_str().expect("an id").to_owned();
        let approve = async |id: &str| {
            let path = format!("/companies/{OPEN}/workers/EMPLOYEE/directdeposits/{id}/approve");
            server.send(&Request::operator(reqwest::Method::POST, &path)).await
        };
        assert_eq!(approve(&id).await.status_and_code(), "409 API-409", "25 and 80 percent");
        assert_eq!((approve("MAIN").await.status, approve(&id).await.status), (200, 200));
    });
}

#[test]
fn a_new_deposit_needs_the_payroll_product_and_an_employed_worker() {
    on_every_database(async |server| {
        let post = Request::post("/workers/EMPLOYEE/directdeposits", &new_direct_deposit());
        let worker = format!("/companies/{OPEN}/workers/EMPLOYEE");
        let ended = json!({"currentStatus": {"statusType": "TERMINATED", "effectiveDate": "2026-05-01"}});
        assert_eq!(server.send(&Request::operator_patch(&worker, &ended)).await.status, 200);
        assert_eq!(server.send(&post).await.faults(), ["API-19"]);
        server
            .database
            .execute("UPDATE products SET end_date = '2026-05-01' WHERE company_id = 'OPEN'")
            .await;
        let both = with_member(new_direct_deposit(), "routingNumber", "1");
        let refused = server.send(&Request::post("/workers/EMPLOYEE/directdeposits", &both)).await;
        let mut faults = refused.faults();
        faults.sort();
        assert_eq!(faults, ["API-19", "API-31 /routingNumber", "API-36"], "all faults at once");
    });
}
