//! Tests of removing one check of a worker, and of removing all checks of the application. Also tests the
//! pages of a period after removals.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::world::CHILD;
use crate::support::{
    Caller, OPEN, Request, Response, Server, check_with_correlation_id, import_line, on_every_database,
    with_member, world,
};
use crate::worker_checks::add_check;

/// Returns the path of a check of this worker.
fn check_path(worker: &str, id: &str) -> String {
    format!("/workers/{worker}/checks/{id}")
}

async fn remove_check(server: &Server, id: &str) -> Response {
    server.send(&Request::new(Method::DELETE, check_path("EMPLOYEE", id))).await
}

/// Returns a request to remove all checks that the application has added to a period.
fn own_checks_request(query: &str) -> Request {
    Request::new(Method::DELETE, format!("/checks?deletebyuserid=true&{query}"))
}

async fn read_checks(server: &Server, query: &str) -> Response {
    server.send(&Request::get(format!("/companies/{OPEN}/checks?payperiodid=ENTRY{query}"))).await
}

/// Adds a check for each correlation id. Returns the ids of the checks.
async fn add_checks(server: &Server, correlation_ids: &[&str]) -> Vec<String> {
    let checks: Value = correlation_ids.iter().map(|&id| check_with_correlation_id(id)).collect();
    let response = server.send(&Request::post_checks(OPEN, &checks)).await;
    assert_eq!(response.status, 201, "{response:?}");
    response.members("paycheckId")
}

/// Reads all pages of this size by following `next`. Returns the correlation ids on each page, and the total.
async fn read_pages(server: &Server, limit: usize) -> (Vec<String>, Value) {
    let mut reported = Vec::new();
    let mut response = read_checks(server, &format!("&limit={limit}")).await;
    loop {
        reported.push(response.members("checkCorrelationId").concat());
        let Some(next) = response.link("next") else { break };
        response = server.send(&Request::get(next.trim_start_matches(&server.base))).await;
    }
    (reported, response.json()["metadata"]["pagination"]["total"].clone())
}

#[test]
fn a_removed_check_disappears_from_every_response_and_total() {
    on_every_database(async |server| {
        let ids = add_checks(server, &["1", "2", "3", "4", "5"]).await;
        let response = remove_check(server, &ids[1]).await;
        assert_eq!((response.status, response.body.len()), (204, 0));
        assert_eq!(remove_check(server, &ids[1]).await.status_and_code(), "404 API-7");
        assert_eq!(
            server.send(&Request::get(check_path("EMPLOYEE", &ids[1]))).await.status_and_code(),
            "404 API-7"
        );
        assert_eq!(read_pages(server, 2).await, (vec!["13".to_owned(), "45".to_owned()], json!(4)));
        assert_eq!(read_checks(server, "").await.json()["metadata"], json!({"contentItemCount": 4}));
        let of_worker = Request::get("/workers/EMPLOYEE/checks?payperiodid=ENTRY&offset=1&limit=1");
        assert_eq!(server.send(&of_worker).await.members("checkCorrelationId"), ["3"]);
        assert_eq!(read_checks(server, "&offset=9&limit=1").await.content().len(), 0);
        assert_eq!(server.database.query_number("SELECT count(*) FROM checks").await, 3 + 4);
    });
}

#[test]
fn checks_added_after_removals_are_last() {
    on_every_database(async |server| {
        let ids = add_checks(server, &["1", "2", "3", "4"]).await;
        for id in [&ids[0], &ids[3]] {
            assert_eq!(remove_check(server, id).await.status, 204);
        }
        add_checks(server, &["5", "6"]).await;
        let reported = read_pages(server, 3).await;
        assert_eq!(reported, (vec!["235".to_owned(), "6".to_owned()], json!(4)));
        assert_eq!(read_checks(server, "").await.members("checkCorrelationId").concat(), "2356");
    });
}

#[test]
fn a_removal_changes_the_etags_of_the_list_and_of_other_checks() {
    on_every_database(async |server| {
        let ids = add_checks(server, &["1", "2"]).await;
        for target in [format!("/companies/{OPEN}/checks?payperiodid=ENTRY"), check_path("EMPLOYEE", &ids[1])]
        {
            let tag = server.send(&Request::get(&target)).await.header("etag").to_owned();
            let again = Request::get(&target).header("if-none-match", tag);
            assert_eq!(server.send(&again).await.status, 304);
            let removed = add_checks(server, &["3"]).await;
            let tag = server.send(&Request::get(&target)).await.header("etag").to_owned();
            assert_eq!(remove_check(server, &removed[0]).await.status, 204);
            let after = Request::get(&target).header("if-none-match", tag);
            assert_eq!(server.send(&after).await.status, 200, "{target}");
        }
    });
}

#[test]
fn any_application_with_the_scope_removes_any_unprocessed_check_of_a_worker() {
    on_every_database(async |server| {
        let id = add_check(server, "EMPLOYEE", "theirs").await;
        let theirs = "UPDATE checks SET application_id = 'another' WHERE correlation_id = 'theirs'";
        server.database.execute(theirs).await;
        assert_eq!(remove_check(server, &id).await.status, 204);
        let id = add_check(server, "COLLEAGUE", "another worker's").await;
        assert_eq!(remove_check(server, &id).await.status_and_code(), "404 API-7");
        assert_eq!(server.count_stored_checks().await, 1);
    });
}

#[test]
fn no_check_is_removed_from_a_processing_or_completed_period() {
    on_every_database(async |server| {
        let id = add_check(server, "EMPLOYEE", "1").await;
        let step = |step: &str| {
            Request::operator(Method::POST, &format!("/companies/{OPEN}/payperiods/ENTRY/{step}"))
        };
        assert_eq!(server.send(&step("process")).await.status, 200);
        for request in [
            Request::new(Method::DELETE, check_path("EMPLOYEE", &id)),
            own_checks_request("payperiodid=ENTRY"),
        ] {
            let response = server.send(&request).await;
            assert_eq!(
                (response.status_and_code().as_str(), response.header("retry-after").is_empty()),
                ("423 API-10", false)
            );
        }
        assert_eq!(server.send(&step("complete")).await.status, 200);
        assert_eq!(remove_check(server, &id).await.status_and_code(), "400 API-51");
        assert_eq!(
            server.send(&own_checks_request("payperiodid=ENTRY")).await.status_and_code(),
            "400 API-51"
        );
        assert_eq!(server.count_stored_checks().await, 1);
    });
}

#[test]
fn a_period_with_removed_checks_is_completed() {
    on_every_database(async |server| {
        let ids = add_checks(server, &["1", "2", "3", "4", "5"]).await;
        for id in [&ids[0], &ids[2], &ids[4]] {
            assert_eq!(remove_check(server, id).await.status, 204);
        }
        for step in ["process", "complete"] {
            let target = format!("/companies/{OPEN}/payperiods/ENTRY/{step}");
            assert_eq!(server.send(&Request::operator(Method::POST, &target)).await.status, 200, "{step}");
        }
        let paid = read_checks(server, "").await;
        assert_eq!(
            (paid.members("paycheckId"), paid.members("netPay")),
            (vec![ids[1].clone(), ids[3].clone()], vec!["160.00".to_owned(); 2])
        );
        assert_eq!(read_pages(server, 1).await, (vec!["2".to_owned(), "4".to_owned()], json!(2)));
        let of_operator =
            Request::operator_get(&format!("/companies/{OPEN}/payperiods/ENTRY/checks?limit=1&offset=1"));
        assert_eq!(server.send(&of_operator).await.members("paycheckId"), [ids[3].clone()]);
    });
}

#[test]
fn an_application_removes_only_its_own_checks() {
    on_every_database(async |server| {
        add_checks(server, &["1", "2"]).await;
        server
            .database
            .execute("UPDATE checks SET application_id = 'another' WHERE correlation_id = '1'")
            .await;
        add_checks(server, &["3", "4"]).await;
        for _ in 0..2 {
            let response = server.send(&own_checks_request("payperiodid=ENTRY")).await;
            assert_eq!((response.status, response.body.len()), (204, 0));
            assert_eq!(read_checks(server, "").await.members("checkCorrelationId"), ["1"]);
        }
        add_checks(server, &["5"]).await;
        assert_eq!(read_pages(server, 1).await, (vec!["1".to_owned(), "5".to_owned()], json!(2)));
    });
}

#[test]
fn an_ambiguous_period_requires_a_company() {
    on_every_database(async |server| {
        let child = world::company(CHILD, "00020001");
        let child = with_member(child, "payPeriods", vec![world::period("ENTRY", "ENTRY")]);
        import_line(&*server.store, &child).await;
        add_checks(server, &["1"]).await;
        let ambiguous = server.send(&own_checks_request("payperiodid=ENTRY")).await;
        assert_eq!(ambiguous.status_and_code(), "400 API-40");
        assert!(ambiguous.text().contains("companyid"), "{ambiguous:?}");
        assert_eq!(
            server.send(&own_checks_request(&format!("payperiodid=ENTRY&companyid={CHILD}"))).await.status,
            204
        );
        assert_eq!(server.count_stored_checks().await, 1);
        assert_eq!(
            server.send(&own_checks_request(&format!("payperiodid=ENTRY&companyid={OPEN}"))).await.status,
            204
        );
        assert_eq!(server.count_stored_checks().await, 0);
        let elsewhere = own_checks_request("payperiodid=FOREIGN-PERIOD");
        assert_eq!(
            server.send(&elsewhere).await.status_and_code(),
            "400 API-40",
            "of a company that is not granted"
        );
    });
}

#[test]
fn all_faults_of_the_parameters_are_reported_together() {
    on_every_database(async |server| {
        let reported = async |query: &str| {
            server.send(&Request::new(Method::DELETE, format!("/checks{query}"))).await.status_and_code()
        };
        assert_eq!(reported("").await, "400 API-49 API-49");
        assert_eq!(reported("?payperiodid=a%20b&deletebyuserid=1").await, "400 API-40 API-40");
        assert_eq!(
            reported("?payperiodid=ENTRY&deletebyuserid=true&deletebyuserid=true").await,
            "400 API-40"
        );
        assert_eq!(reported("?payperiodid=ENTRY&deletebyuserid=true&companyid=a%20b").await, "404 API-7");
    });
}

#[test]
fn a_correlation_id_is_free_after_the_removal_of_its_check() {
    on_every_database(async |server| {
        let request =
            Request::post_checks(OPEN, &check_with_correlation_id("same")).with_caller(Caller::PeriodScoped);
        let first = server.send(&request).await;
        assert_eq!(server.send(&request).await.status_and_code(), "400 API-56");
        assert_eq!(remove_check(server, &first.members("paycheckId")[0]).await.status, 204);
        assert_eq!(server.send(&request).await.status, 201);
        assert_eq!(
            server
                .send(&own_checks_request("payperiodid=ENTRY").with_caller(Caller::PeriodScoped))
                .await
                .status,
            204
        );
        assert_eq!(server.send(&request).await.status, 201);
    });
}

#[test]
fn a_removal_is_logged_with_its_author() {
    on_every_database(async |server| {
        let ids = add_checks(server, &["1", "2"]).await;
        remove_check(server, &ids[0]).await;
        let rows = server.send(&Request::operator_get("/audit?limit=1")).await.content();
        let reported =
            json!([rows[0]["action"], rows[0]["actor"]["kind"], rows[0]["actor"]["name"], rows[0]["before"]]);
        assert_eq!(
            reported,
            json!(["delete", "application", "partner", {"paycheckIds": [ids[0]]}]),
            "{rows:?}"
        );
    });
}

#[test]
fn a_removed_check_no_longer_belongs_to_the_company() {
    on_every_database(async |server| {
        let id = add_check(server, "EMPLOYEE", "1").await;
        let again = Request::post_checks(
            OPEN,
            &with_member(check_with_correlation_id("2"), "paycheckId", id.as_str()),
        );
        assert_eq!(server.send(&again).await.status_and_code(), "405 API-51");
        assert_eq!(remove_check(server, &id).await.status, 204);
        assert_eq!(server.send(&again).await.status, 201);
    });
}
