//! Tests of checks that arrive while their period or company is changed. In any order, each batch is stored
//! completely or not at all. Each batch with a 201 is stored, and nothing is added to a closed period.

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::Value;
use tokio::sync::Notify;

use crate::support::{
    OPEN, Request, Response, Server, check_with_correlation_id, on_every_database, with_member,
};

/// The number of concurrent batches.
const WRITER_COUNT: usize = 12;
/// The number of checks per batch.
const CHECKS_PER_BATCH: usize = 10;

fn batch_request(writer: usize) -> Request {
    let checks: Value = (0..CHECKS_PER_BATCH)
        .map(|number| check_with_correlation_id(&format!("{writer}-{number}")))
        .collect();
    Request::post_checks(OPEN, &checks)
}

/// Sends all batches of checks concurrently, and executes an SQL statement after the first response. Returns
/// the status or the error of each batch.
async fn run_race(server: &Server, statement: &str) -> Vec<String> {
    let batches: Vec<Request> = (0..WRITER_COUNT).map(batch_request).collect();
    server.send(&Request::get("/companies")).await; // this request gets the token
    let mut session = server.database.open_session().await;
    let started = Notify::new();
    let writers = join_all(batches.iter().map(async |batch| {
        let response = server.send(batch).await;
        started.notify_one();
        response
    }));
    let other = async {
        started.notified().await;
        session.run_sql(statement).await;
    };
    let (responses, ()) = tokio::join!(writers, other);
    responses.iter().map(Response::status_and_any_code).collect()
}

/// Verifies that exactly the batches with a 201 are stored, and that all other responses are this error.
async fn assert_complete_batches_or_error(server: &Server, reported: &[String], refusal: &str) {
    assert!(reported.iter().all(|it| it == "201" || it == refusal), "{reported:?}");
    assert!(reported.iter().any(|it| it == "201"), "the race began before the change");
    let good = reported.iter().filter(|it| *it == "201").count();
    assert_eq!(
        usize::try_from(server.count_stored_checks().await),
        Ok(good * CHECKS_PER_BATCH),
        "{reported:?}"
    );
}

#[test]
fn all_writers_of_a_period_succeed_and_every_check_is_stored() {
    on_every_database(async |server| {
        let reported = run_race(server, "SELECT 1").await;
        assert_eq!(reported, ["201"; WRITER_COUNT]);
        let read = server.send(&Request::get(format!("/companies/{OPEN}/checks?payperiodid=ENTRY"))).await;
        let mut ids = read.members("paycheckId");
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), WRITER_COUNT * CHECKS_PER_BATCH);
    });
}

#[test]
fn no_check_is_added_to_a_closed_period() {
    on_every_database(async |server| {
        let close = "UPDATE pay_periods SET status = 'COMPLETED' WHERE pay_period_id = 'ENTRY'";
        let reported = run_race(server, close).await;
        assert_complete_batches_or_error(server, &reported, "400 API-51").await;
    });
}

#[test]
fn no_check_is_added_to_a_locked_company() {
    on_every_database(async |server| {
        let lock = "UPDATE companies SET lock_holder = 'operator' WHERE company_id = 'OPEN'";
        let reported = run_race(server, lock).await;
        assert_complete_batches_or_error(server, &reported, "423 API-10").await;
    });
}

#[test]
fn no_check_is_added_to_an_ended_company() {
    on_every_database(async |server| {
        let end = "UPDATE companies SET end_date = '2026-05-11' WHERE company_id = 'OPEN'";
        let reported = run_race(server, end).await;
        assert_complete_batches_or_error(server, &reported, "403 API-68").await;
    });
}

#[test]
fn no_check_is_added_by_an_application_without_its_grant() {
    on_every_database(async |server| {
        let reported = run_race(server, "DELETE FROM grants WHERE company_id = 'OPEN'").await;
        assert_complete_batches_or_error(server, &reported, "403 API-2").await;
    });
}

/// Adds this number of batches of checks, one after the other. Returns the ids of the checks.
async fn add_checks(server: &Server, writers: usize) -> Vec<String> {
    let mut ids = Vec::new();
    for writer in 0..writers {
        ids.extend(server.send(&batch_request(writer)).await.members("paycheckId"));
    }
    ids
}

fn removal_request(id: &str) -> Request {
    Request::new(Method::DELETE, format!("/workers/EMPLOYEE/checks/{id}"))
}

/// Reads the checks of the period. Returns the number of listed checks, and the total in the metadata of the
/// list.
async fn count_checks_and_read_total(server: &Server) -> (usize, Value) {
    let read =
        server.send(&Request::get(format!("/companies/{OPEN}/checks?payperiodid=ENTRY&limit=999"))).await;
    (read.content().len(), read.json()["metadata"]["pagination"]["total"].clone())
}

#[test]
fn no_check_is_removed_from_a_closed_period() {
    on_every_database(async |server| {
        let ids = add_checks(server, 2).await;
        let removals: Vec<Request> = ids.iter().map(|id| removal_request(id)).collect();
        let started = Notify::new();
        let responses = join_all(removals.iter().map(async |removal| {
            let response = server.send(removal).await;
            started.notify_one();
            response
        }));
        let close = async {
            started.notified().await;
            server.send(&Request::operator(Method::POST, "/companies/OPEN/payperiods/ENTRY/process")).await
        };
        let (responses, closed) = tokio::join!(responses, close);
        let reported: Vec<String> = responses.iter().map(Response::status_and_any_code).collect();
        assert!(closed.is_success(), "{closed:?}");
        assert!(reported.iter().all(|it| it == "204" || it == "423 API-10"), "{reported:?}");
        let left = ids.len() - reported.iter().filter(|it| *it == "204").count();
        assert_eq!(count_checks_and_read_total(server).await, (left, left.into()), "{reported:?}");
    });
}

#[test]
fn one_of_several_removals_of_a_check_succeeds() {
    on_every_database(async |server| {
        let ids = add_checks(server, 1).await;
        let request = removal_request(&ids[0]);
        let responses = join_all((0..WRITER_COUNT).map(|_| server.send(&request))).await;
        let mut reported: Vec<String> = responses.iter().map(Response::status_and_any_code).collect();
        reported.sort();
        assert_eq!(
            (reported[0].as_str(), &reported[1..]),
            ("204", &vec!["404 API-7".to_owned(); WRITER_COUNT - 1][..])
        );
        assert_eq!(
            count_checks_and_read_total(server).await,
            (CHECKS_PER_BATCH - 1, (CHECKS_PER_BATCH - 1).into())
        );
    });
}

#[test]
fn a_removal_during_additions_removes_complete_batches_and_keeps_totals_exact() {
    on_every_database(async |server| {
        add_checks(server, 1).await;
        let batches: Vec<Request> = (1..WRITER_COUNT).map(batch_request).collect();
        let own = Request::new(Method::DELETE, "/checks?payperiodid=ENTRY&deletebyuserid=true");
        let writers = join_all(batches.iter().map(|batch| server.send(batch)));
        let removals = join_all((0..3).map(|_| server.send(&own)));
        let (written, removed) = tokio::join!(writers, removals);
        assert!(written.iter().all(|response| response.status == 201));
        assert!(removed.iter().all(|response| response.status == 204), "{removed:?}");
        let (left, total) = count_checks_and_read_total(server).await;
        assert_eq!((left % CHECKS_PER_BATCH, total), (0, left.into()));
        assert_eq!(server.send(&own).await.status, 204);
        assert_eq!(count_checks_and_read_total(server).await, (0, 0.into()));
    });
}

/// Statements that change the company after the checks are validated and before they are stored. Each
/// statement is followed by the error that the checks must get.
const COMPETING_STATEMENTS: &[(&str, &str)] = &[
    ("UPDATE pay_periods SET status = 'COMPLETED' WHERE pay_period_id = 'ENTRY'", "400 API-51"),
    ("UPDATE companies SET lock_holder = 'operator' WHERE company_id = 'OPEN'", "423 API-10"),
    ("UPDATE companies SET end_date = '2026-05-11' WHERE company_id = 'OPEN'", "403 API-68"),
    ("DELETE FROM workers WHERE worker_id = 'EMPLOYEE'", "400 API-55"),
];

#[test]
fn a_change_between_validation_and_storing_is_validated_again() {
    for (change, refusal) in COMPETING_STATEMENTS {
        on_every_database(async |server| {
            server.send(&Request::get("/companies")).await; // this request gets the token
            let mut held = server.database.hold_transaction(change).await;
            let batch = Request::post_checks(OPEN, &check_with_correlation_id("late"));
            let meanwhile = async {
                // The batch was validated with the data before the statement, and now waits for the lock.
                // Meanwhile, reads are not blocked.
                for _ in 0..20 {
                    server.send(&Request::get("/companies")).await;
                }
                held.run_sql("COMMIT").await;
            };
            let (response, ()) = tokio::join!(server.send(&batch), meanwhile);
            assert_eq!(
                (response.status_and_code().as_str(), server.count_stored_checks().await),
                (*refusal, 0),
                "{change}"
            );
        });
    }
}

#[test]
fn concurrent_readers_see_complete_batches() {
    on_every_database(async |server| {
        let batches: Vec<Request> = (0..WRITER_COUNT).map(batch_request).collect();
        server.send(&Request::get("/companies")).await; // this request gets the token
        let target = format!("/companies/{OPEN}/checks?payperiodid=ENTRY");
        let read = async {
            for _ in 0..WRITER_COUNT {
                let response = server.send(&Request::get(&target)).await;
                let reported = response.json()["metadata"]["contentItemCount"].clone();
                assert_eq!(
                    (response.content().len() % CHECKS_PER_BATCH, reported),
                    (0, response.content().len().into())
                );
            }
        };
        tokio::join!(join_all(batches.iter().map(|batch| server.send(batch))), read);
    });
}

#[test]
fn one_of_several_requests_with_one_idempotency_key_is_executed() {
    on_every_database(async |server| {
        server.send(&Request::get("/companies")).await; // this request gets the token
        let batches: Vec<Request> =
            (0..WRITER_COUNT).map(|writer| batch_request(writer).idempotency_key("k")).collect();
        let responses = join_all(batches.iter().map(|batch| server.send(batch))).await;
        let mut reported: Vec<String> = responses.iter().map(Response::status_and_any_code).collect();
        reported.sort();
        assert_eq!((reported[0].as_str(), reported[1].as_str()), ("201", "422 API-422"), "{reported:?}");
        assert_eq!(server.count_stored_checks().await, 10);
    });
}

#[test]
fn a_slow_concurrent_writer_gets_423_or_503_without_loss() {
    on_every_database(async |server| {
        server.send(&Request::get("/companies")).await; // this request gets the token
        let touch = "UPDATE pay_periods SET version = version WHERE pay_period_id = 'ENTRY'";
        let held = server.database.hold_transaction(touch).await;
        let waited = server.send(&batch_request(1)).await;
        drop(held);
        // On PostgreSQL, only this company is locked. The embedded database has one writer for all companies
        // and returns another error.
        assert!(["423 API-10", "503 API-503"].contains(&waited.status_and_code().as_str()), "{waited:?}");
        assert!(!waited.header("retry-after").is_empty());
        assert_eq!(server.send(&batch_request(1)).await.status, 201);
    });
}

#[test]
fn concurrent_requests_use_a_correlation_id_once_per_period() {
    on_every_database(async |server| {
        use crate::support::Caller::PeriodScoped;
        server.send(&Request::get("/companies").with_caller(PeriodScoped)).await; // this request gets the token
        let request =
            Request::post_checks(OPEN, &check_with_correlation_id("same")).with_caller(PeriodScoped);
        let responses = join_all((0..WRITER_COUNT).map(|_| server.send(&request))).await;
        let mut reported: Vec<String> = responses.iter().map(Response::status_and_any_code).collect();
        reported.sort();
        assert_eq!(
            (reported[0].as_str(), &reported[1..]),
            ("201", &vec!["400 API-56".to_owned(); WRITER_COUNT - 1][..])
        );
    });
}

#[test]
fn concurrent_first_checks_open_a_period_once() {
    on_every_database(async |server| {
        server.send(&Request::get("/companies")).await; // this request gets the token
        let first = with_member(check_with_correlation_id("first"), "payPeriodId", "INITIAL");
        let request = Request::post_checks(OPEN, &first);
        let responses = join_all((0..WRITER_COUNT).map(|_| server.send(&request))).await;
        assert!(responses.iter().all(|response| response.status == 201));
    });
}

#[test]
fn concurrent_requests_use_a_custom_field_name_once() {
    on_every_database(async |server| {
        server.send(&Request::get("/companies")).await; // this request gets the token
        let field = serde_json::json!({"customFieldName": "Hat size", "type": "TEXT"});
        let request = Request::post_custom_field(OPEN, &field);
        let responses = join_all((0..WRITER_COUNT).map(|_| server.send(&request))).await;
        let created = responses.iter().filter(|it| it.status == 200).count();
        let refused =
            responses.iter().filter(|it| it.status == 400 && it.status_and_code() == "400 API-48").count();
        assert_eq!((created, refused), (1, WRITER_COUNT - 1));
    });
}
