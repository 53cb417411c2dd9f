//! Tests of the checks of one worker: reading the list, reading one check in both representations, and adding
//! checks.

use reqwest::Method;
use serde_json::{Value, json};

use crate::operations::{CHECK, CHECKS, JSON, PROCESSED_CHECK};
use crate::support::{
    Caller, OPEN, Request, Response, Server, check_with_correlation_id, check_without, on_every_database,
    with_member,
};

/// Adds a check of this worker with this correlation id. Returns the id of the check.
pub(crate) async fn add_check(server: &Server, worker: &str, correlation_id: &str) -> String {
    let check = with_member(check_with_correlation_id(correlation_id), "workerId", worker);
    let response = server.send(&Request::post_checks(OPEN, &check)).await;
    assert_eq!(response.status, 201, "{response:?}");
    response.members("paycheckId").concat()
}

async fn read_checks(server: &Server, target: &str) -> Response {
    server.send(&Request::get(target)).await
}

#[test]
fn the_list_contains_only_the_checks_of_the_worker_in_the_period() {
    on_every_database(async |server| {
        for (worker, correlation_id) in [("EMPLOYEE", "1"), ("COLLEAGUE", "2"), ("EMPLOYEE", "3")] {
            add_check(server, worker, correlation_id).await;
        }
        let of = async |worker: &str| {
            read_checks(server, &format!("/workers/{worker}/checks?payperiodid=ENTRY")).await
        };
        let all = read_checks(server, &format!("/companies/{OPEN}/checks?payperiodid=ENTRY")).await.content();
        assert_eq!(of("EMPLOYEE").await.content(), [all[0].clone(), all[2].clone()]);
        assert_eq!(of("COLLEAGUE").await.content(), [all[1].clone()]);
        assert_eq!(of("EXEMPT").await.json()["metadata"], json!({"contentItemCount": 0}));
    });
}

#[test]
fn the_checks_of_a_worker_have_their_own_pages() {
    on_every_database(async |server| {
        for number in 0..8 {
            let worker = if number % 2 == 0 { "EMPLOYEE" } else { "COLLEAGUE" };
            add_check(server, worker, &number.to_string()).await;
        }
        let (mut reported, mut target) =
            (Vec::new(), Some("/workers/EMPLOYEE/checks?payperiodid=ENTRY&limit=3".to_owned()));
        while let Some(next) = target {
            let response = read_checks(server, &next).await;
            reported.push(response.members("checkCorrelationId").concat());
            assert_eq!(response.json()["metadata"]["pagination"]["total"], 4);
            target = response.link("next").map(|href| href.trim_start_matches(&server.base).to_owned());
        }
        assert_eq!(reported, ["024", "6"]);
        let past = read_checks(server, "/workers/EMPLOYEE/checks?payperiodid=ENTRY&offset=9").await;
        assert_eq!((past.status, past.content().len()), (200, 0));
    });
}

#[test]
fn the_callers_own_checks_of_a_worker_can_be_requested() {
    on_every_database(async |server| {
        add_check(server, "EMPLOYEE", "mine").await;
        server.database.execute("UPDATE checks SET application_id = 'another'").await;
        add_check(server, "EMPLOYEE", "1").await;
        add_check(server, "COLLEAGUE", "2").await;
        let own = "/workers/EMPLOYEE/checks?payperiodid=ENTRY&filterbyuserid=true";
        assert_eq!(read_checks(server, own).await.members("checkCorrelationId"), ["1"]);
    });
}

#[test]
fn checks_of_a_worker_in_a_processed_period_are_processed_checks() {
    on_every_database(async |server| {
        let of_company =
            read_checks(server, &format!("/companies/{OPEN}/checks?payperiodid=COMPLETED")).await;
        let of_worker = read_checks(server, "/workers/EMPLOYEE/checks?payperiodid=COMPLETED").await;
        assert_eq!(of_worker.content(), of_company.content());
        let none = read_checks(server, "/workers/COLLEAGUE/checks?payperiodid=COMPLETED&limit=1").await;
        assert_eq!(none.json()["metadata"]["pagination"]["total"], 0);
    });
}

#[test]
fn the_link_of_a_check_returns_the_check() {
    on_every_database(async |server| {
        add_check(server, "EMPLOYEE", "a1").await;
        for (period, media_type) in [("ENTRY", CHECK), ("COMPLETED", PROCESSED_CHECK)] {
            let list = read_checks(server, &format!("/companies/{OPEN}/checks?payperiodid={period}")).await;
            let check = list.content()[0].clone();
            let href = check["links"][0]["href"].as_str().expect("a link").to_owned();
            let one = read_checks(server, href.trim_start_matches(&server.base)).await;
            let expected = json!({"content": [check], "links": [{"rel": "self", "href": href}]});
            assert_eq!((one.json(), one.header("content-type")), (expected, media_type));
        }
    });
}

#[test]
fn the_etag_of_a_check_changes_with_its_period() {
    on_every_database(async |server| {
        let id = add_check(server, "EMPLOYEE", "a1").await;
        let one = Request::get(format!("/workers/EMPLOYEE/checks/{id}")).accept(JSON);
        let tag = server.send(&one).await.header("etag").to_owned();
        let again = one.clone().header("if-none-match", tag);
        assert_eq!(server.send(&again).await.status, 304);
        add_check(server, "EMPLOYEE", "a2").await;
        assert_eq!(server.send(&again).await.status, 200);
    });
}

#[test]
fn an_unknown_check_or_one_of_another_worker_gets_404() {
    on_every_database(async |server| {
        let id = add_check(server, "EMPLOYEE", "a1").await;
        for target in [
            format!("/workers/COLLEAGUE/checks/{id}"),
            "/workers/EMPLOYEE/checks/nothing".to_owned(),
            "/workers/EMPLOYEE/checks/a%20b".to_owned(),
            format!("/workers/NOBODY/checks/{id}"),
            "/workers/a%20b/checks?payperiodid=ENTRY".to_owned(),
        ] {
            assert_eq!(read_checks(server, &target).await.status_and_code(), "404 API-7", "{target}");
        }
    });
}

#[test]
fn a_worker_of_a_company_without_a_grant_is_unknown() {
    on_every_database(async |server| {
        for target in
            ["/workers/FOREIGN-WORKER/checks/nothing", "/workers/FOREIGN-WORKER/checks?payperiodid=ENTRY"]
        {
            assert_eq!(read_checks(server, target).await.status_and_code(), "403 API-2", "{target}");
        }
        let malformed = Request::get("/workers/EMPLOYEE/checks/nothing").with_caller(Caller::Malformed);
        assert_eq!(server.send(&malformed).await.status_and_code(), "401 API-102");
    });
}

#[test]
fn the_parameters_are_validated_as_for_the_checks_of_a_company() {
    on_every_database(async |server| {
        let mut reported: Vec<Value> = Vec::new();
        for list in ["/companies/OPEN/checks", "/workers/EMPLOYEE/checks"] {
            for query in ["", "?payperiodid=", "?payperiodid=NONE", "?limit=x&filterbyuserid=1"] {
                reported.push(read_checks(server, &format!("{list}{query}")).await.json());
            }
        }
        assert_eq!(reported[..4], reported[4..]);
    });
}

/// Returns a POST to add checks at the path of the worker `EMPLOYEE`.
fn post_request(body: &Value) -> Request {
    Request::new(Method::POST, "/workers/EMPLOYEE/checks")
        .header("content-type", CHECK)
        .body(body.to_string())
}

/// Returns the checks without the ids and links, which differ between all checks.
fn without_ids(response: &Response) -> Vec<Value> {
    let mut content = response.content();
    for check in &mut content {
        for member in ["paycheckId", "links"] {
            check.as_object_mut().expect("an object").remove(member);
        }
        check["earnings"][0]["checkComponentId"] = Value::Null;
    }
    content
}

#[test]
fn a_check_without_a_worker_belongs_to_the_worker_in_the_path() {
    on_every_database(async |server| {
        let named = server.send(&Request::post_checks(OPEN, &check_with_correlation_id("a1"))).await;
        for body in [
            check_with_correlation_id("a1"),
            check_without("workerId"),
            with_member(check_with_correlation_id("a1"), "workerId", ""),
        ] {
            let response = server.send(&post_request(&body)).await;
            assert_eq!((response.status, without_ids(&response)), (201, without_ids(&named)), "{body}");
        }
        let list = read_checks(server, "/workers/EMPLOYEE/checks?payperiodid=ENTRY").await;
        assert_eq!(list.content().len(), 4);
    });
}

#[test]
fn one_check_and_several_are_accepted_in_each_media_type() {
    on_every_database(async |server| {
        for media_type in [CHECK, CHECKS, JSON] {
            for body in [
                check_without("workerId"),
                json!([
                    check_with_correlation_id("a1"),
                    with_member(check_with_correlation_id("a2"), "workerId", "")
                ]),
            ] {
                let request = post_request(&body).header("content-type", media_type).accept(media_type);
                let response = server.send(&request).await;
                let expected = if body.is_array() { 2 } else { 1 };
                assert_eq!(
                    (response.status, response.content().len()),
                    (201, expected),
                    "{media_type} {body}"
                );
                assert_eq!(response.header("content-type"), media_type);
            }
        }
    });
}

#[test]
fn a_check_whose_worker_differs_from_the_path_gets_api_48_and_all_other_faults() {
    on_every_database(async |server| {
        let mut body = json!([
            check_with_correlation_id("a1"),
            with_member(check_with_correlation_id("a1"), "workerId", "COLLEAGUE")
        ]);
        body[0]["earnings"][0]["payHours"] = json!("x");
        let response = server.send(&post_request(&body)).await;
        let mut faults = response.faults();
        faults.sort();
        let expected =
            ["API-48 /0/earnings/0/payHours", "API-48 /1/workerId", "API-56 /1/checkCorrelationId"];
        assert_eq!((response.status, faults.as_slice()), (400, expected.map(str::to_owned).as_slice()));
        assert_eq!(server.count_stored_checks().await, 0);
    });
}

#[test]
fn a_dry_run_and_an_idempotency_key_work_as_for_the_checks_of_a_company() {
    on_every_database(async |server| {
        let request = post_request(&check_without("workerId"));
        let dry = Request { target: format!("{}?dryrun=true", request.target), ..request.clone() };
        assert_eq!((server.send(&dry).await.status, server.count_stored_checks().await), (200, 0));
        let with_key = request.clone().idempotency_key("k");
        let (first, again) = (server.send(&with_key).await, server.send(&with_key).await);
        assert_eq!((first.status, again.header("idempotent-replayed")), (201, "true"));
        assert_eq!(again.body, first.body);
        assert_eq!(server.count_stored_checks().await, 1);
        let misspelt = Request { target: format!("{}?dry_run=true", request.target), ..request };
        assert_eq!(server.send(&misspelt).await.status_and_code(), "400 API-40");
    });
}
