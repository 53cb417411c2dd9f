//! Tests of a sandbox: its clock, faults on demand, triggers, and the reset (§10.19).

use payroll_domain::event::EventDomain;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{
    Caller, Database, OPEN, Process, Reply, Request, Response, Server, Settings, for_each_kind, import_line,
    on_every_database, on_every_database_with, open_store_at, run, token_form, valid_check,
};
use crate::webhooks::{add_hook, change_worker, run_with_receiver, wait_until_in_state};

/// The id of a worker of the company.
const WORKER_ID: &str = "EMPLOYEE";
const CLOCK_PATH: &str = "/sandbox/clock";

fn enable_sandbox(settings: &mut Settings) {
    settings.sandbox = true;
}

fn advance_request(duration: &str) -> Request {
    Request::operator(Method::PUT, CLOCK_PATH).json(&json!({"advance": duration}))
}

fn request_with_fault(request: Request, fault: &str) -> Request {
    request.header("sandbox-fault", fault)
}

async fn seconds_ahead(server: &Server) -> Value {
    server.send(&Request::operator_get(CLOCK_PATH)).await.content()[0]["secondsAhead"].clone()
}

#[test]
fn a_future_status_takes_effect_when_the_clock_reaches_its_day() {
    on_every_database_with(enable_sandbox, async |server| {
        let path = format!("/companies/{OPEN}/workers/{WORKER_ID}");
        let status = json!({"statusType": "INACTIVE", "effectiveDate": "2026-05-13"});
        let current =
            json!({"workerStatusId": "STATUS-NOW", "statusType": "ACTIVE", "effectiveDate": "2026-05-01"});
        let change = Request::operator_patch(&path, &json!({"currentStatus": current, "statuses": [status]}));
        assert_eq!(server.send(&change).await.status, 200);
        let now = async || {
            server.send(&Request::operator_get(&path)).await.content()[0]["currentStatus"]["statusType"]
                .clone()
        };
        assert_eq!(server.send(&advance_request("PT1H")).await.status, 200);
        assert_eq!(now().await, "ACTIVE");
        assert_eq!(server.send(&advance_request("PT24H")).await.status, 200);
        assert_eq!(now().await, "INACTIVE");
    });
}

#[test]
fn a_server_without_a_sandbox_has_no_sandbox_paths_and_ignores_the_header() {
    on_every_database(async |server| {
        let paths = [
            Request::operator_get(CLOCK_PATH),
            advance_request("PT5M"),
            Request::operator_post("/sandbox/reset", &json!({})),
            Request::operator_post("/sandbox/triggers", &json!({})),
        ];
        for request in paths {
            assert_eq!(server.send_unchecked(&request).await.status_and_code(), "404 API-7", "{request:?}");
        }
        for fault in ["503", "lost", "reset", "nonsense"] {
            let response = server.send(&request_with_fault(Request::get("/companies"), fault)).await;
            assert_eq!(response.status, 200, "{fault}");
        }
    });
}

#[test]
fn only_callers_with_valid_credentials_can_request_a_fault() {
    on_every_database_with(enable_sandbox, async |server| {
        let list = Request::operator_get("/companies");
        for fault in ["503", "slow=120", "lost", "reset", "nonsense"] {
            for caller in [Caller::Anonymous, Caller::Malformed, Caller::Expired] {
                let response = server
                    .send(&request_with_fault(Request::get("/companies").with_caller(caller), fault))
                    .await;
                assert_eq!(response.status_and_code(), "401 API-102", "{fault} {caller:?}");
            }
            for caller in [Caller::Anonymous, Caller::Malformed] {
                let response =
                    server.send(&request_with_fault(list.clone().with_caller(caller), fault)).await;
                assert_eq!(response.status_and_code(), "401 API-102", "{fault} {caller:?}");
            }
            let form = "grant_type=client_credentials&client_id=nobody&client_secret=x";
            assert_eq!(
                server.send(&request_with_fault(Request::token(form), fault)).await.status_and_code(),
                "401 API-102",
                "{fault}"
            );
        }
        for request in [Request::get("/companies"), list, Request::token(&token_form())] {
            assert_eq!(
                server.send_unchecked(&request_with_fault(request, "503")).await.status_and_code(),
                "503 API-503"
            );
        }
        server.database.execute("UPDATE applications SET enabled = false WHERE name = 'partner'").await;
        for fault in ["reset", "nonsense"] {
            let disabled = server.send(&request_with_fault(Request::get("/companies"), fault)).await;
            assert_eq!(disabled.status_and_code(), "401 API-102", "{fault}");
        }
    });
}

#[test]
fn the_clock_can_be_advanced_and_reset_to_the_system_time() {
    on_every_database_with(enable_sandbox, async |server| {
        assert_eq!(seconds_ahead(server).await, 0);
        let response = server.send(&advance_request("PT90M")).await;
        assert_eq!((response.status, &response.content()[0]["secondsAhead"]), (200, &json!(5_400)));
        // The next call requests a token, which expires after one hour of the sandbox clock.
        let token = server.authorization(Caller::Partner).await;
        server.send(&advance_request("PT61M")).await;
        let expired = server.send_unchecked(&Request::get("/companies")).await;
        assert!(token.is_some() && expired.status_and_code() == "401 API-102", "{expired:?}");
        server.discard_tokens().await;
        assert_eq!(server.send(&Request::get("/companies")).await.status, 200);
        assert_eq!(server.send(&Request::operator(Method::DELETE, CLOCK_PATH)).await.status, 204);
        assert_eq!(seconds_ahead(server).await, 0);
    });
}

#[test]
fn the_clock_cannot_be_set_back_or_advanced_by_a_century() {
    on_every_database_with(enable_sandbox, async |server| {
        let cases = [
            (json!({"now": "2020-01-01"}), "400 API-48 /now"),
            (json!({"now": "2126-05-12"}), "400 API-48 /now"),
            (json!({"advance": "P36525D"}), "400 API-48 /advance"),
            (json!({"advance": "-PT5M"}), "400 API-48 /advance"),
            (json!({"advance": "5m"}), "400 API-48 /advance"),
            (json!({"advance": 300}), "400 API-48 /advance"),
            (json!({}), "400 API-46 /advance"),
            (json!({"advance": "PT5M", "now": "2026-06-01"}), "400 API-47 /advance"),
            (json!({"advance": "PT5M", "by": "me"}), "400 API-48 /by"),
        ];
        for (body, expected) in cases {
            let response = server.send(&Request::operator(Method::PUT, CLOCK_PATH).json(&body)).await;
            let fault = &response.errors()[0];
            let reported =
                format!("{} {}", response.status_and_code(), fault["pointer"].as_str().unwrap_or_default());
            assert_eq!(reported, expected, "{body}");
        }
        assert_eq!(seconds_ahead(server).await, 0);
    });
}

#[test]
fn each_retry_in_an_advanced_interval_happens_at_its_own_time() {
    run_with_receiver(enable_sandbox, async |server, receiver| {
        add_hook(&*server.store, "partner", "here", EventDomain::WorkerEmployment).await;
        receiver.reply_with(|_| Reply::Status(500));
        change_worker(server, 1).await;
        wait_until_in_state(&server.database, "RETRYING", 1).await;
        assert_eq!(server.send(&advance_request("PT16M")).await.status, 200);
        let path = "/applications/partner/hooks/here/deliveries";
        let delivery = server.send(&Request::operator_get(path)).await.content()[0].clone();
        let attempts = delivery["attempts"].as_array().expect("attempts").clone();
        let instants = attempts.iter().map(|it| {
            let text = it["date"].as_str().expect("an instant");
            payroll_domain::date::Timestamp::parse(text).expect("an instant").as_micros()
        });
        let instants: Vec<i64> = instants.collect();
        let waits: Vec<i64> = instants.windows(2).map(|two| (two[1] - two[0]) / 1_000_000).collect();
        assert_eq!(waits, [300, 300, 300]);
        receiver.reply_with(|_| Reply::Status(204));
        server.send(&advance_request("PT5M")).await;
        assert_eq!(receiver.received().len(), 5, "it has arrived when the clock is there");
    });
}

#[test]
fn a_hook_that_keeps_failing_is_disabled_as_the_clock_advances() {
    run_with_receiver(enable_sandbox, async |server, receiver| {
        add_hook(&*server.store, "partner", "here", EventDomain::WorkerEmployment).await;
        receiver.reply_with(|_| Reply::Status(500));
        change_worker(server, 1).await;
        wait_until_in_state(&server.database, "RETRYING", 1).await;
        // The server executes all retries of the skipped days, which may exceed the time limit of one
        // request. The response is then 503, and the test repeats the request.
        let mut left = 20;
        while server
            .send(&Request::operator(Method::PUT, CLOCK_PATH).json(&json!({"now": "2026-05-16"})))
            .await
            .status
            == 503
        {
            left -= 1;
            assert!(left > 0, "it goes on");
        }
        let shown = server.send(&Request::operator_get("/applications/partner/hooks/here")).await;
        assert_eq!(shown.content()[0]["active"], false);
        let disabled = shown.content()[0]["queue"]["disabledDate"].clone();
        assert!(disabled.as_str().is_some_and(|text| text.starts_with("2026-05-15T12:0")), "{disabled}");
    });
}

#[test]
fn requested_faults_occur_as_requested() {
    on_every_database_with(enable_sandbox, async |server| {
        let cases = [
            ("API-10", "423 API-10", Some("retry-after")),
            ("423", "423 API-10", Some("retry-after")),
            ("429", "429 API-429", Some("retry-after")),
            ("503", "503 API-503", Some("retry-after")),
            ("500", "500 API-1", None),
            ("API-51", "400 API-51", None),
            ("418", "400 API-40", None),
            ("slow=0", "400 API-40", None),
        ];
        for (fault, expected, header) in cases {
            let request = request_with_fault(Request::post_checks(OPEN, &valid_check()), fault);
            let response = server.send_unchecked(&request).await;
            assert_eq!(response.status_and_code(), expected, "{fault}");
            assert_eq!(header.is_some(), response.headers.contains_key("retry-after"), "{fault}");
        }
        assert_eq!(server.count_stored_checks().await, 0, "nothing of it was carried out");
        let slow = server.send(&request_with_fault(Request::get("/companies"), "slow=1")).await;
        assert_eq!(slow.status, 200);
    });
}

#[test]
fn a_lost_response_is_replayed_by_its_idempotency_key_and_a_reset_changes_nothing() {
    on_every_database_with(enable_sandbox, async |server| {
        let add = || Request::post_checks(OPEN, &valid_check()).idempotency_key("k");
        assert!(server.try_send(&request_with_fault(add(), "reset")).await.is_err());
        assert_eq!(server.count_stored_checks().await, 0);
        assert!(server.try_send(&request_with_fault(add(), "lost")).await.is_err());
        assert_eq!(server.count_stored_checks().await, 1);
        let again: Response = server.send(&add()).await;
        assert_eq!((again.status, again.header("idempotent-replayed")), (201, "true"));
        assert_eq!(server.count_stored_checks().await, 1);
    });
}

#[test]
fn a_triggered_event_can_arrive_twice_and_out_of_order() {
    run_with_receiver(enable_sandbox, async |server, receiver| {
        add_hook(&*server.store, "partner", "here", EventDomain::WorkerDemographics).await;
        let body = json!({
            "companyId": OPEN, "domain": "WRKR_DEM", "workerId": WORKER_ID, "duplicate": true, "outOfOrder": true,
        });
        let response = server.send(&Request::operator_post("/sandbox/triggers", &body)).await;
        assert_eq!(response.status, 202);
        let ids = response.content()[0]["notificationIds"].clone();
        let received = receiver.wait_for_requests("/here", 3).await;
        let count = |at: usize| received.iter().filter(|it| ids[at] == it.notification_id()).count();
        assert_eq!((count(0), count(1)), (2, 1));
        let date = |at: usize| {
            let of = received.iter().find(|it| ids[at] == it.notification_id()).expect("it has arrived");
            serde_json::from_slice::<Value>(&of.body).expect("JSON")["asOfDate"].as_str().map(str::to_owned)
        };
        assert!(date(1) < date(0), "the second is the older one");
    });
}

#[test]
fn a_trigger_requires_existing_objects_and_members_of_its_domain() {
    on_every_database_with(enable_sandbox, async |server| {
        let cases = [
            (json!({"companyId": OPEN, "domain": "WRKR_DEM"}), "400 API-46 /workerId"),
            (json!({"companyId": OPEN, "domain": "CLT_PYRN"}), "400 API-46 /payPeriodId"),
            (json!({"companyId": OPEN, "domain": "CLT_DEM", "workerId": WORKER_ID}), "400 API-47 /workerId"),
            (json!({"companyId": OPEN, "domain": "CLT_ACCESS"}), "400 API-48 /domain"),
            (json!({"companyId": OPEN, "domain": "WRKR_DEM", "workerId": "NOBODY"}), "400 API-48 /companyId"),
            (json!({"companyId": "NOWHERE", "domain": "CLT_DEM"}), "400 API-48 /companyId"),
            (json!({"domain": "CLT_DEM"}), "400 API-46 /companyId"),
        ];
        for (body, expected) in cases {
            let response = server.send(&Request::operator_post("/sandbox/triggers", &body)).await;
            let pointer = response.errors()[0]["pointer"].as_str().unwrap_or_default().to_owned();
            assert_eq!(format!("{} {pointer}", response.status_and_code()), expected, "{body}");
        }
    });
}

/// Returns a request that resets the database of a server.
fn reset_request(server: &Server) -> Request {
    let url = server.database.url();
    let name = url.split('?').next().and_then(|url| url.rsplit('/').next()).expect("a name");
    Request::operator_post("/sandbox/reset", &json!({ "database": name }))
}

#[test]
fn a_reset_with_the_name_of_another_database_deletes_nothing() {
    on_every_database_with(enable_sandbox, async |server| {
        for (body, expected) in [
            (json!({}), "400 API-46"),
            (json!({"database": ""}), "400 API-46"),
            (json!({"database": "production"}), "400 API-48"),
            (json!({"database": 1}), "400 API-48"),
            (json!({"database": null}), "400 API-46"),
        ] {
            let reset = Request::operator_post("/sandbox/reset", &body);
            assert_eq!(server.send(&reset).await.status_and_code(), expected, "{body}");
        }
        assert!(server.database.query_number("SELECT count(*) FROM companies").await > 0);
    });
}

#[test]
fn a_database_that_was_not_created_as_a_sandbox_is_never_served_as_one() {
    for_each_kind(async |kind| {
        let database = Database::with_test_data(kind).await;
        let refused = run(&database, &["serve", "--sandbox", "--listen", "127.0.0.1:0"], "");
        let words = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && words.contains("was not created as a sandbox"), "{words}");
        database.return_to_pool().await;

        // An empty database becomes a sandbox at the first start with `--sandbox`. The database stays a
        // sandbox after data are added.
        let database = Database::empty(kind).await;
        drop(Process::serve_with(&database, &["--sandbox"]));
        import_line(
            &*open_store_at(&database.url()).await,
            &json!({
                "companyId": "NEW", "displayId": "NEW", "legalName": "New",
            }),
        )
        .await;
        drop(Process::serve_with(&database, &["--sandbox"]));
        database.return_to_pool().await;
    });
}

#[test]
fn a_reset_keeps_applications_and_deletes_companies() {
    on_every_database_with(enable_sandbox, async |server| {
        server.send(&Request::post_checks(OPEN, &valid_check())).await;
        let reset = reset_request(server);
        assert_eq!(server.send(&reset).await.status, 204);
        for table in tables_to_clear() {
            let rows = server.database.query_number(&format!("SELECT count(*) FROM {table}")).await;
            assert_eq!(rows, 0, "{table}");
        }
        for (path, count) in [("/companies", 0), ("/events", 0), ("/audit", 0)] {
            assert_eq!(server.send(&Request::operator_get(path)).await.content().len(), count, "{path}");
        }
        let response = server.send(&Request::get("/companies")).await;
        assert_eq!(
            (response.status, response.content().len()),
            (200, 0),
            "the application has its token still"
        );
    });
}

/// Returns the tables that a reset must clear. These are all tables that the migrations have created, except
/// deleted tables and the exceptions in this function.
fn tables_to_clear() -> Vec<String> {
    const PRESERVED_TABLES: [&str; 7] = [
        "applications",
        "database_marks",
        "hooks",
        "key_canaries",
        "operator_keys",
        "operator_sessions",
        "secrets",
    ];
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../migrations/sqlite");
    let migrations = std::fs::read_dir(folder).expect("migrations");
    let files = migrations.map(|entry| entry.expect("an entry").path().join("up.sql"));
    let text: String = files.filter_map(|file| std::fs::read_to_string(file).ok()).collect();
    let names = |begins: &'static str| {
        let lines = text.lines().filter_map(move |line| line.strip_prefix(begins));
        lines.filter_map(|rest| rest.split([' ', ';']).next()).map(str::to_owned)
    };
    let gone: Vec<String> = names("DROP TABLE ").chain(names("ALTER TABLE checks_with_lines")).collect();
    let is_there = |name: &String| name == "checks" || !(gone.contains(name) || name == "checks_with_lines");
    let created: std::collections::BTreeSet<String> = names("CREATE TABLE ").filter(is_there).collect();
    assert!(created.len() > 25, "{created:?}");
    created.into_iter().filter(|name| !PRESERVED_TABLES.contains(&name.as_str())).collect()
}
