//! Tests of the log of an application's recent requests (specification §9.10, §10.17): its content, and who
//! may read it.

use serde_json::{Value, json};

use crate::operator::roles;
use crate::support::{
    Caller, OPEN, Request, Server, UNKNOWN, check_without, on_every_database, on_every_database_with,
};

const OWN_REQUESTS_PATH: &str = "/management/requests";
const PARTNER_REQUESTS_PATH: &str = "/applications/partner/requests";

/// Returns the partner's log entries, newest first. A restart makes the server write all pending entries.
async fn read_log(server: &mut Server, query: &str) -> Vec<Value> {
    server.restart().await;
    let response = server.send(&Request::get(format!("{OWN_REQUESTS_PATH}{query}"))).await;
    assert_eq!(response.status, 200, "{response:?}");
    response.content()
}

/// Removes token requests from the log entries, because every test sends some token requests.
fn without_token_requests(mut requests: Vec<Value>) -> Vec<Value> {
    requests.retain(|request| request["route"] != "/auth/oauth/v2/token");
    requests
}

/// Returns each request as a text: method, route, company, status, codes.
fn request_texts(requests: &[Value]) -> Vec<String> {
    let of = |request: &Value| {
        let codes = request["codes"].as_array().cloned().unwrap_or_default();
        let codes = codes.iter().filter_map(Value::as_str).map(|code| format!(" {code}")).collect::<String>();
        let text = |member: &str| request[member].as_str().unwrap_or("-").to_owned();
        format!("{} {} {} {}{codes}", text("method"), text("route"), text("companyId"), request["status"])
    };
    requests.iter().map(of).collect()
}

/// Returns the number of requests in the log. Requests that the log only counts as skipped are included.
fn count_logged_and_omitted_requests(requests: &[Value]) -> usize {
    let skipped = requests.iter().filter_map(|request| request["skipped"].as_u64()).sum::<u64>();
    requests.len() + usize::try_from(skipped).expect("few")
}

#[test]
fn an_application_sees_its_requests_and_their_results() {
    on_every_database(async |server| {
        let company = format!("/companies/{OPEN}");
        let named = Request::get(company).header("x-vendor-client-correlationid", "run-7/a");
        let first = server.send(&named).await;
        server
            .send(&Request::post_checks(OPEN, &json!([check_without("workerId"), {"payPeriodId": 7}])))
            .await;
        server.send(&Request::get(format!("/companies/{UNKNOWN}"))).await;
        server.send(&Request::new(reqwest::Method::HEAD, "/companies")).await;
        let requests = read_log(server, "").await;
        assert_eq!(
            requests[4]["route"], "/auth/oauth/v2/token",
            "a successful token request is in the log too"
        );
        let requests = without_token_requests(requests);
        let expected = [
            "HEAD /companies - 200",
            "GET /companies/{companyId} UNKNOWN 404 API-7",
            "POST /companies/{companyId}/checks OPEN 400 API-54 API-48",
            "GET /companies/{companyId} OPEN 200",
        ];
        assert_eq!(request_texts(&requests), expected);
        let oldest = &requests[3];
        assert_eq!(oldest["requestId"], first.header("x-vendor-txid"));
        assert_eq!(oldest["correlationId"], "run-7/a");
        let date = oldest["date"].as_str().expect("an instant");
        assert!(
            date.starts_with("2026-05-12T12:00:0") && oldest["durationMicroseconds"].is_u64(),
            "{oldest}"
        );
    });
}

#[test]
fn a_request_is_in_the_log_soon_without_a_restart() {
    on_every_database(async |server| {
        server.send(&Request::get("/companies?displayid=x")).await;
        // The log does not contain operators' requests, so reading the log as an operator adds no entries.
        let request = Request::operator_get(PARTNER_REQUESTS_PATH);
        let mut seen = Vec::new();
        for _ in 0..100_000 {
            seen = without_token_requests(server.send(&request).await.content());
            if !seen.is_empty() {
                break;
            }
        }
        assert_eq!(request_texts(&seen), ["GET /companies - 404 API-7"]);
    });
}

#[test]
fn the_log_contains_no_sent_data_except_ids() {
    on_every_database(async |server| {
        let token = server.authorization(Caller::Partner).await.expect("a token");
        server.send(&Request::get("/companies?displayid=whispered")).await;
        let secret = json!({"customFieldName": "whispered", "type": "whispered"});
        server.send(&Request::post_custom_field(OPEN, &secret).header("x-secret", "whispered")).await;
        assert_eq!(without_token_requests(read_log(server, "").await).len(), 2);
        let columns = "method || route || coalesce(company_id, '') || codes || request_id || coalesce(correlation_id, '')";
        let whole = |text: &str| format!("SELECT count(*) FROM requests WHERE {columns} LIKE '%{text}%'");
        assert_eq!(server.database.query_number(&whole("GET")).await, 1, "the columns are checked");
        for reported in ["whispered", token.trim_start_matches("Bearer ")] {
            assert_eq!(server.database.query_number(&whole(reported)).await, 0, "{reported}");
        }
    });
}

/// Returns the details of the newest request in the log.
async fn read_newest_details(server: &mut Server) -> Value {
    let newest = read_log(server, "?limit=1").await.remove(0);
    let path = format!("{OWN_REQUESTS_PATH}/{}", newest["requestId"].as_str().expect("an id"));
    let details = server.send(&Request::get(path)).await;
    assert_eq!((details.status, details.header("cache-control")), (200, "no-store"), "{details:?}");
    details.content().remove(0)
}

#[test]
fn request_details_contain_the_errors_the_query_and_the_masked_body() {
    on_every_database(async |server| {
        let worker = json!({"workerType": "EMPLOYEE", "legalId": {"legalIdType": "SSN", "legalIdValue": "219099999"},
            "name": {"familyName": "whispered"}, "birthDate": "1990-02-04"});
        let path = format!("/companies/{OPEN}/workers?dryrun=true");
        let rejected = server.send(&Request::post(&path, &worker)).await;
        let details = read_newest_details(server).await;
        assert_eq!(details["requestId"], rejected.header("x-vendor-txid"));
        assert_eq!(
            (&details["errors"], &details["query"]),
            (&rejected.json()["errors"], &json!("dryrun=true"))
        );
        let body = details["body"].as_str().expect("a body");
        assert!(
            body.contains("whispered") && !body.contains("219099999") && !body.contains("1990"),
            "{body}"
        );
        let sealed = "SELECT count(*) FROM request_details WHERE sealed LIKE '%whispered%'";
        assert_eq!(server.database.query_number(sealed).await, 0);
        let support = roles::create_key(server, &json!({"name": "support", "role": "support"})).await;
        let path = format!("{PARTNER_REQUESTS_PATH}/{}", details["requestId"].as_str().expect("an id"));
        let operator = server.send(&Request::operator_get(&path)).await.content().remove(0);
        assert_eq!(operator, details);
        let masked = server
            .send(&roles::request_with_key(&support, Request::operator_get(&path)))
            .await
            .content()
            .remove(0);
        assert_eq!((&masked["errors"], &masked["bodyBytes"]), (&details["errors"], &details["bodyBytes"]));
        assert!(masked.get("body").is_none() && masked.get("query").is_none(), "{masked}");
    });
}

#[test]
fn the_errors_of_a_request_to_an_unknown_company_are_readable() {
    on_every_database(async |server| {
        let rejected = server.send(&Request::post_checks(UNKNOWN, &json!([check_without("workerId")]))).await;
        let details = read_newest_details(server).await;
        assert_eq!(details["errors"], rejected.json()["errors"]);
        assert!(details.get("body").is_none(), "{details}");
    });
}

#[test]
fn an_application_reads_only_its_own_request_details_and_bodies_only_with_access() {
    on_every_database(async |server| {
        server.send(&Request::post_checks(OPEN, &json!({"payPeriodId": 7}))).await;
        server.send(&Request::get(format!("/companies/{OPEN}"))).await;
        let requests = read_log(server, "?limit=2").await;
        let path = |request: &Value| {
            format!("{OWN_REQUESTS_PATH}/{}", request["requestId"].as_str().expect("an id"))
        };
        let (rejected, succeeded) = (path(&requests[1]), path(&requests[0]));
        assert_eq!(server.send(&Request::get(&succeeded)).await.status_and_code(), "404 API-7");
        assert_eq!(
            server.send(&Request::get(&rejected).with_caller(Caller::Other)).await.status_and_code(),
            "404 API-7"
        );
        let details = server.send(&Request::get(&rejected)).await.content().remove(0);
        assert!(details["body"].is_string(), "{details}");
        let grant = format!("/applications/partner/grants/{OPEN}");
        server.send(&Request::operator_delete(&grant)).await;
        let masked = server.send(&Request::get(&rejected)).await.content().remove(0);
        assert_eq!((&masked["errors"], &masked["bodyBytes"]), (&details["errors"], &details["bodyBytes"]));
        assert!(masked.get("body").is_none(), "{masked}");
    });
}

#[test]
fn request_details_are_deleted_before_the_log_entries_and_never_stored_if_disabled() {
    on_every_database(async |server| {
        server.send(&Request::post_checks(OPEN, &json!({"payPeriodId": 7}))).await;
        read_log(server, "").await;
        let mut housekeeper = server.housekeeper();
        housekeeper.run_once().await;
        server.clock.advance_seconds(3 * 86_400 + 60);
        housekeeper.run_once().await;
        assert_eq!(server.database.query_number("SELECT count(*) FROM request_details").await, 0);
        let rejected = "SELECT count(*) FROM requests WHERE status = 400";
        assert_eq!(server.database.query_number(rejected).await, 1, "the row stays");
    });
    on_every_database_with(
        |settings| settings.request_detail_days = 0,
        async |server| {
            server.send(&Request::post_checks(OPEN, &json!({"payPeriodId": 7}))).await;
            assert_eq!(without_token_requests(read_log(server, "").await).len(), 1);
            assert_eq!(server.database.query_number("SELECT count(*) FROM request_details").await, 0);
        },
    );
}

#[test]
fn request_details_contain_no_secrets() {
    on_every_database(async |server| {
        let hook = json!({"uri": "https://hooks.test/in", "domains": ["NOTHING"],
            "authentication": {"authType": "BASIC_AUTH", "username": "ann", "password": "open-sesame"}});
        server.send(&Request::post("/management/hooks", &hook)).await;
        let details = read_newest_details(server).await;
        assert!(details["errors"][0]["code"] == "API-48" && details.get("body").is_none(), "{details}");
    });
}

#[test]
fn requests_without_an_application_are_not_logged() {
    on_every_database(async |server| {
        for caller in [Caller::Anonymous, Caller::Malformed, Caller::Expired] {
            server.send(&Request::get("/companies").with_caller(caller)).await;
        }
        server.send(&Request::new(reqwest::Method::OPTIONS, "/companies")).await;
        server.send(&Request::get("/nothing")).await;
        server.send(&Request::new(reqwest::Method::DELETE, "/companies")).await;
        server.send(&Request::get("/companies").with_caller(Caller::Other)).await;
        assert_eq!(request_texts(&without_token_requests(read_log(server, "").await)), Vec::<String>::new());
        let others = server.send(&Request::operator_get("/applications/other/requests")).await;
        assert_eq!(request_texts(&without_token_requests(others.content())), ["GET /companies - 200"]);
    });
}

#[test]
fn the_log_is_read_page_by_page_and_by_status_and_time() {
    on_every_database(async |server| {
        for number in 0..7 {
            server.send(&Request::get(format!("/companies?limit={}", -(number % 2)))).await;
            server.clock.advance_seconds(60);
        }
        let all = read_log(server, "?limit=1000").await;
        assert_eq!(all.len(), 8, "with the token");
        let (mut pages, mut query) =
            (Vec::new(), format!("{PARTNER_REQUESTS_PATH}?limit=3&to=2026-05-12T12:06:30Z"));
        loop {
            let page = server.send(&Request::operator_get(&query)).await;
            pages.extend(page.content());
            let Some(next) = page.link("next") else { break };
            query = next.split_once("/operator/v1").expect("an address of ours").1.to_owned();
        }
        assert_eq!(pages, all);
        let refused = server
            .send(&Request::get(format!("{OWN_REQUESTS_PATH}?status=4xx&from=2026-05-12T12:02:00Z")))
            .await;
        assert_eq!(refused.content(), [all[1].clone(), all[3].clone()]);
        assert_eq!(
            server.send(&Request::get(format!("{OWN_REQUESTS_PATH}?status=503"))).await.content().len(),
            0
        );
    });
}

#[test]
fn the_operator_sees_the_log_of_an_existing_application() {
    on_every_database(async |server| {
        server.send(&Request::get("/companies")).await;
        let own = read_log(server, "").await;
        let seen = server
            .send(&Request::operator_get(PARTNER_REQUESTS_PATH).with_caller(Caller::OperatorReader))
            .await;
        assert_eq!((seen.content(), without_token_requests(own.clone()).len()), (own, 1));
        let nobody = server.send(&Request::operator_get("/applications/nobody/requests")).await;
        assert_eq!(nobody.status_and_code(), "404 API-7");
        let wrong =
            server.send(&Request::operator_get(&format!("{PARTNER_REQUESTS_PATH}?status=x&limit=0"))).await;
        assert_eq!(wrong.status_and_code(), "400 API-40 API-40");
    });
}

#[test]
fn the_log_stores_the_newest_requests_of_a_second_and_counts_the_rest() {
    on_every_database(async |server| {
        const REQUEST_COUNT: usize = 130;
        for _ in 0..REQUEST_COUNT {
            server.send(&Request::get("/management/domains").with_caller(Caller::Partner)).await;
        }
        let requests = read_log(server, "?limit=1000").await;
        assert_eq!(count_logged_and_omitted_requests(&requests), REQUEST_COUNT + 1, "with the token");
    });
}

#[test]
fn rate_limited_requests_are_logged_once_per_second() {
    on_every_database_with(
        |settings| settings.rate_limit_per_minute = 2,
        async |server| {
            for _ in 0..30 {
                server.send(&Request::get("/companies")).await;
            }
            server.clock.advance_seconds(60);
            let requests = read_log(server, "").await;
            let refused = requests.iter().filter(|request| request["status"] == 429).count();
            assert!((1..30).contains(&refused), "one of each second: {requests:?}");
            assert_eq!(count_logged_and_omitted_requests(&requests), 31, "with the token");
        },
    );
}

#[test]
fn without_a_retention_there_is_no_log() {
    on_every_database_with(
        |settings| settings.request_log_days = 0,
        async |server| {
            server.send(&Request::get("/companies")).await;
            assert_eq!(read_log(server, "").await, Vec::<Value>::new());
        },
    );
}
