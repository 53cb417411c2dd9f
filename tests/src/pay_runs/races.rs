//! Tests partners that add checks while an operator processes the period. No check is added to a period that
//! is not open, and each response matches the stored data.
//!
//! `TEST_RACES` sets the number of checks. 5,000 checks take a few minutes on a busy machine.

use futures_util::future::join_all;
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::transition_request;
use crate::support::world::{company, component, period, rate, worker};
use crate::support::{Request, Server, grant_to_application, import_line, on_every_database, with_member};

/// The default number of checks. The test then takes some seconds.
const DEFAULT_RACES: usize = 400;
/// The number of checks that are sent at the same time as one state change.
const WRITER_COUNT: usize = 5;
/// The number of companies that the test uses concurrently.
const PARALLEL_RACES: usize = 4;

fn race_count() -> usize {
    let value = std::env::var("TEST_RACES").ok();
    value.and_then(|value| value.parse().ok()).unwrap_or(DEFAULT_RACES)
}

fn test_company(number: usize) -> Value {
    let id = format!("LANE-{number}");
    let rates = vec![with_member(rate("HOUR", 1, "HOURLY_RATE", "20"), "default", true)];
    let mut company = company(&id, &format!("0009000{number}"));
    company["payComponents"] = json!([component("HOURLY", "ADDITION")]);
    company["payPeriods"] = json!([period("OPEN-PERIOD", "INITIAL")]);
    company["workers"] = json!([with_member(worker(&format!("{id}-W"), "EMPLOYEE"), "payRates", rates)]);
    company
}

fn add_check_request(company: &str, name: &str) -> Request {
    let check = json!({
        "workerId": format!("{company}-W"), "payPeriodId": "OPEN-PERIOD", "checkCorrelationId": name,
        "earnings": [{"componentId": "HOURLY", "payHours": "8"}],
    });
    Request::post_checks(company, &check)
}

async fn count_stored_checks(server: &Server, company: &str) -> i64 {
    server.database.query_number(&format!("SELECT count(*) FROM checks WHERE company_id = '{company}'")).await
}

/// Sends some checks and a state change of the period concurrently. The state change starts first, or after
/// the first response. When the period is closed, it must contain exactly the checks with a 201, and must not
/// change afterwards.
async fn run_race(server: &Server, company: &str, number: usize, before: i64) -> i64 {
    let started = Notify::new();
    let requests: Vec<Request> =
        (0..WRITER_COUNT).map(|writer| add_check_request(company, &format!("{number}-{writer}"))).collect();
    let writers = join_all(requests.iter().map(async |request| {
        let response = server.send(request).await;
        started.notify_one();
        response.status_and_any_code()
    }));
    let operator = async {
        if number % 2 == 1 {
            started.notified().await;
        }
        assert_eq!(server.send(&transition_request(company, "OPEN-PERIOD", "process")).await.status, 200);
        count_stored_checks(server, company).await
    };
    let (reported, at_the_close) = tokio::join!(writers, operator);
    assert!(reported.iter().all(|it| it == "201" || it == "423 API-10"), "{reported:?}");
    let good = reported.iter().filter(|it| *it == "201").count();
    let after = count_stored_checks(server, company).await;
    assert_eq!((at_the_close, after - before), (after, i64::try_from(good).expect("few")), "{reported:?}");
    assert_eq!(server.send(&transition_request(company, "OPEN-PERIOD", "reopen")).await.status, 200);
    after
}

#[test]
fn no_check_is_ever_added_to_a_period_that_is_not_open() {
    on_every_database(async |server| {
        for number in 0..PARALLEL_RACES {
            import_line(&*server.store, &test_company(number)).await;
            let all = payroll_domain::access::Scopes::all();
            grant_to_application(&*server.store, "partner", &format!("LANE-{number}"), all).await;
        }
        server.send(&Request::get("/companies")).await; // this request gets the token
        let rounds = race_count().div_ceil(PARALLEL_RACES * WRITER_COUNT);
        let server = &*server;
        let lanes = join_all((0..PARALLEL_RACES).map(async |number| {
            let (company, mut before) = (format!("LANE-{number}"), 0);
            for number in 0..rounds {
                before = run_race(server, &company, number, before).await;
            }
            before
        }));
        let added: i64 = lanes.await.into_iter().sum();
        let all = i64::try_from(rounds * PARALLEL_RACES * WRITER_COUNT).expect("few");
        assert!(0 < added && added < all, "{added} of {all}: neither side always comes first");
    });
}
