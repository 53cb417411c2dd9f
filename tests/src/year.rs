//! Tests a year of a company through both APIs. A worker is hired, gets tax settings, and is paid each month
//! for work on two jobs. The worker then goes on leave, is terminated and is rehired. The export of the
//! company must be the same after an import to the other kind of database.

use payroll_domain::date::Timestamp;
use reqwest::Method;
use serde_json::{Value, json};

use crate::feed::read_feed;
use crate::support::{
    COMPANY_SCOPES, Caller, Database, DatabaseKind, ManualClock, Request, Response, START_TIME, Server,
    new_direct_deposit, on_every_database, settings,
};

const DAY_SECONDS: i64 = 86_400;
/// The length of a pay period in days.
const DAYS_PER_MONTH: i64 = 30;
const MONTH_COUNT: i64 = 12;

/// Returns the company before its first worker.
fn company_import_line() -> Value {
    json!({
        "companyId": "YEAR", "displayId": "90000001", "legalName": "Year LLC",
        "products": [{"productCode": "PAYROLL", "startDate": "2020-01-01"}],
        "jobs": [{"jobId": "OVENS", "jobName": "Ovens"}, {"jobId": "SHOP", "jobName": "Shop"}],
        "payComponents": [
            {"componentId": "HOURS", "name": "Hours", "classificationType": "REGULAR", "effectOnPay": "ADDITION"},
            {"componentId": "UNION", "name": "Union dues", "classificationType": "UNION_DUES", "effectOnPay": "REDUCTION"},
        ],
    })
}

async fn send_expecting(server: &Server, request: &Request, status: u16) -> Response {
    let response = server.send(request).await;
    assert_eq!(response.status, status, "{} {}: {response:?}", request.method, request.target);
    response
}

fn text_member(value: &Value, member: &str) -> String {
    value[member].as_str().unwrap_or_default().to_owned()
}

fn import_request(lines: String) -> Request {
    Request::operator(Method::POST, "/import").header("content-type", "application/x-ndjson").body(lines)
}

async fn export_company(server: &Server) -> String {
    let export = Request::operator_get("/export?companyid=YEAR").accept("application/x-ndjson");
    server.send_unchecked(&export).await.text()
}

/// Creates the company with a grant for the partner.
async fn create_company(server: &Server) {
    let imported = server.send_unchecked(&import_request(company_import_line().to_string())).await.text();
    assert!(imported.contains(r#""result":"stored""#), "{imported}");
    let grant =
        Request::operator_put("/applications/partner/grants/YEAR", &json!({"scopes": COMPANY_SCOPES}));
    send_expecting(server, &grant.without_header("if-match"), 201).await;
}

/// Creates a worker as the partner, with tax settings, a pay rate, a direct deposit and two jobs. Returns the
/// id of the worker.
async fn create_worker(server: &Server) -> String {
    let new = json!({"workerType": "EMPLOYEE", "name": {"familyName": "Sample", "givenName": "Ada"},
        "legalId": {"legalIdType": "SSN", "legalIdValue": "000006780"}});
    let worker = text_member(
        &send_expecting(server, &Request::post("/companies/YEAR/workers", &new), 201).await.content()[0],
        "workerId",
    );
    let of = |path: &str| format!("/workers/{worker}/{path}");
    let federal = json!({"filingStatus": "HEAD_OF_HOUSEHOLD", "dependentsAmount": "500"});
    send_expecting(server, &Request::patch(of("federaltax"), &federal), 200).await;
    let state = json!([{"op": "add", "path": "/workerTaxes/new", "value": {"countrySubdivisionCode": "OH"}}]);
    send_expecting(server, &Request::patch(of("statetaxes"), &state), 200).await;
    let rate = json!({"rateNumber": "RATE_1", "rateType": "HOURLY_RATE", "amount": "20.01", "default": true});
    let path = format!("/companies/YEAR/workers/{worker}");
    let jobs = json!([{"jobId": "OVENS", "value": "33.33"}, {"jobId": "SHOP", "value": "66.67"}]);
    let active = json!({"currentStatus": {"statusType": "ACTIVE", "statusReason": "HIRED", "effectiveDate": "2026-05-12"},
        "assignmentDistributions": jobs});
    send_expecting(server, &Request::operator_patch(&path, &active), 200).await;
    send_expecting(server, &Request::post(of("compensation/payrates"), &rate), 200).await;
    let account =
        send_expecting(server, &Request::post(of("directdeposits"), &new_direct_deposit()), 202).await;
    let id = text_member(&account.content()[0], "directDepositId");
    let approve = format!("{path}/directdeposits/{id}/approve");
    send_expecting(server, &Request::operator(Method::POST, &approve), 200).await;
    // The contract is stored as a document. Exports do not contain documents.
    let contract = json!({"name": "Contract.txt", "content": "RGVhciBBZGEsCg=="});
    let added = send_expecting(server, &Request::post(of("documents"), &contract), 201).await;
    let read = Request::get(of(&format!("documents/{}", text_member(&added.content()[0], "documentId"))));
    assert_eq!(send_expecting(server, &read, 200).await.text(), "Dear Ada,\n");
    worker
}

/// Creates and completes a pay period. Its check has 7 hours without a job, which are split over the worker's
/// jobs, and one hour of the job SHOP.
async fn pay_worker(server: &Server, worker: &str, month: i64) {
    let (start, id) = (server.date_of_day(month * DAYS_PER_MONTH), format!("M{month:02}"));
    let period = json!({"payPeriodId": id, "intervalCode": "MONTHLY", "status": "ENTRY", "startDate": start,
        "endDate": server.date_of_day(month * DAYS_PER_MONTH + DAYS_PER_MONTH - 1), "submitByDate": start,
        "checkDate": server.date_of_day((month + 1) * DAYS_PER_MONTH)});
    send_expecting(server, &Request::operator_post("/companies/YEAR/payperiods", &period), 201).await;
    let check = json!({"payPeriodId": id, "workerId": worker, "checkCorrelationId": format!("hours-{month}"),
        "earnings": [{"componentId": "HOURS", "payHours": "7"}, {"componentId": "HOURS", "payHours": "1", "jobId": "SHOP"}]});
    let added =
        send_expecting(server, &Request::post_checks("YEAR", &json!([check])), 201).await.content().remove(0);
    let jobs: Vec<_> =
        added["earnings"].as_array().expect("lines").iter().map(|it| text_member(it, "jobId")).collect();
    assert_eq!(jobs, ["OVENS", "SHOP", "SHOP"]);
    let path = format!("/companies/YEAR/payperiods/{id}");
    send_expecting(server, &Request::operator_post(&format!("{path}/process"), &json!({})), 200).await;
    let taxes = json!([{"name": "Federal Income Tax", "amount": "28.33", "paidBy": "EMPLOYEE_WITHHOLDING"}]);
    let input = json!({"checks": [{"paycheckId": added["paycheckId"], "checkNumber": format!("{}", 1000 + month),
        "taxes": taxes, "deductions": [{"componentId": "UNION", "amount": "5.00"}]}]});
    send_expecting(server, &Request::operator_post(&format!("{path}/complete"), &input), 200).await;
    let read = format!("/workers/{worker}/checks?payperiodid={id}");
    let paid = send_expecting(server, &Request::get(read), 200).await.content().remove(0);
    // The check has two lines. The first line has 7 hours at 20.01, which are split and pay 140.07 in total.
    // The second line has one hour for a job and pays 20.01.
    assert_eq!(
        (text_member(&paid, "grossEarnings"), text_member(&paid, "netPay")),
        ("160.08".to_owned(), "126.75".to_owned())
    );
}

impl Server {
    /// Returns the date this number of days after the start of the test.
    fn date_of_day(&self, days: i64) -> String {
        Timestamp::from_micros(START_TIME.as_micros() + days * DAY_SECONDS * 1_000_000).date().to_string()
    }

    /// Advances the clock by a pay period. Runs the housekeeper twice, so that it trusts the clock.
    async fn advance_one_period(&self) {
        self.clock.advance_seconds(DAYS_PER_MONTH * DAY_SECONDS - 3_600);
        let mut housekeeper = self.housekeeper();
        housekeeper.run_once().await;
        self.clock.advance_seconds(3_600);
        housekeeper.run_once().await;
        self.discard_tokens().await;
    }
}

async fn set_status(server: &Server, worker: &str, status: &str, reason: &str) {
    let change = json!({"currentStatus": {"statusType": status, "statusReason": reason}});
    send_expecting(server, &Request::patch(format!("/workers/{worker}"), &change), 200).await;
}

/// Returns the statuses of the worker, newest first.
async fn status_history(server: &Server, worker: &str) -> Vec<String> {
    let history =
        send_expecting(server, &Request::get(format!("/workers/{worker}/status")), 200).await.content();
    let show = |entry: &Value| {
        let day = text_member(entry, "effectiveDate");
        format!(
            "{} {} {}",
            text_member(entry, "statusType"),
            text_member(entry, "statusReason"),
            day.split('T').next().unwrap_or_default()
        )
    };
    history.iter().map(show).collect()
}

/// Returns the number of events about changes of the worker. The server deletes events after 90 days.
async fn count_events(server: &Server, at_least: usize) -> usize {
    let (events, _) =
        read_feed(server, Caller::Partner, "/management/events?domain=WRKR_EMPL", at_least).await;
    events.iter().filter(|event| event["companyId"] == "YEAR").count()
}

/// Imports the export of the company to a server with the other kind of database. Returns the export of that
/// server.
async fn import_into_other_database(exported: &str, own: &Database) -> String {
    let other = match own {
        Database::Sqlite(_) => DatabaseKind::Postgres,
        Database::Postgres(_) => DatabaseKind::Sqlite,
    };
    let other =
        DatabaseKind::available().into_iter().find(|kind| *kind == other).unwrap_or(DatabaseKind::Sqlite);
    let database = Database::with_test_data(other).await;
    let settings = settings(&database);
    let clock = std::sync::Arc::new(ManualClock::new());
    clock.advance_seconds(MONTH_COUNT * DAYS_PER_MONTH * DAY_SECONDS);
    let mut server = Server::start(database, settings, clock).await;
    let imported = server.send_unchecked(&import_request(exported.to_owned())).await.text();
    assert!(imported.contains(r#""result":"stored""#), "{imported}");
    let again = export_company(&server).await;
    server.stop().await;
    server.database.return_to_pool().await;
    again
}

#[test]
fn a_year_of_a_company_is_the_same_in_the_other_database() {
    on_every_database(async |server| {
        create_company(server).await;
        let worker = create_worker(server).await;
        for month in 0..MONTH_COUNT {
            match month {
                3 => {
                    let leave = json!({"statuses": [{"statusType": "ACTIVE", "statusReason": "HIRED",
                            "effectiveDate": "2026-05-12"},
                        {"statusType": "INACTIVE", "statusReason": "DISABILITY",
                            "effectiveDate": server.date_of_day(3 * DAYS_PER_MONTH + 10)}]});
                    let path = format!("/companies/YEAR/workers/{worker}");
                    let before = count_events(server, 0).await;
                    send_expecting(server, &Request::operator_patch(&path, &leave), 200).await;
                    assert_eq!(count_events(server, 0).await, before, "a future status fires no event");
                }
                4 => {
                    let newest = status_history(server, &worker).await.remove(0);
                    assert_eq!(
                        newest,
                        format!("INACTIVE DISABILITY {}", server.date_of_day(3 * DAYS_PER_MONTH + 10))
                    );
                    assert_eq!(count_events(server, 1).await, 1, "it fires one when its day comes");
                    set_status(server, &worker, "ACTIVE", "RETURN_TO_WORK").await;
                }
                7 => set_status(server, &worker, "TERMINATED", "LACK_OF_WORK___END_OF_SEASON").await,
                9 => set_status(server, &worker, "ACTIVE", "REHIRED").await,
                _ => {}
            }
            pay_worker(server, &worker, month).await;
            server.advance_one_period().await;
        }
        let lived = status_history(server, &worker).await;
        let of =
            |month: i64, status: &str| format!("{status} {}", server.date_of_day(month * DAYS_PER_MONTH));
        let expected = [
            of(9, "ACTIVE REHIRED"),
            of(7, "TERMINATED LACK_OF_WORK___END_OF_SEASON"),
            of(4, "ACTIVE RETURN_TO_WORK"),
            format!("INACTIVE DISABILITY {}", server.date_of_day(3 * DAYS_PER_MONTH + 10)),
            "ACTIVE HIRED 2026-05-12".to_owned(),
            "IN_PROGRESS PENDING_HIRE 2026-05-12".to_owned(),
        ];
        assert_eq!(lived[..5], expected[..5]);
        let left = export_company(server).await;
        assert_eq!(left.matches(r#""checkNumber""#).count() as i64, MONTH_COUNT);
        assert_eq!(import_into_other_database(&left, &server.database).await, left);
    });
}
