//! Tests of checks that arrive during another change to their period or company. In any order, each batch is
//! stored completely or not at all, each 201 is true, and nothing is added to a closed period.

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::Value;
use tokio::sync::Notify;

use crate::support::{OPEN, Request, Response, Server, check, on_every_database, with};

/// The number of concurrent batches.
const WRITERS: usize = 12;
/// The number of checks per batch.
const BATCH: usize = 10;

fn batch(writer: usize) -> Request {
    let checks: Value = (0..BATCH).map(|number| check(&format!("{writer}-{number}"))).collect();
    Request::post_checks(OPEN, &checks)
}

/// Sends all batches concurrently, and runs a statement after the first response. Returns the result of each
/// batch.
async fn race(server: &Server, statement: &str) -> Vec<String> {
    let batches: Vec<Request> = (0..WRITERS).map(batch).collect();
    server.send(&Request::get("/companies")).await; // gets the token
    let mut session = server.database.session().await;
    let started = Notify::new();
    let writers = join_all(batches.iter().map(async |batch| {
        let response = server.send(batch).await;
        started.notify_one();
        response
    }));
    let other = async {
        started.notified().await;
        session.run(statement).await;
    };
    let (responses, ()) = tokio::join!(writers, other);
    responses.iter().map(Response::refusal_or_status).collect()
}

/// Checks that the batches with a 201 are stored and that all other responses are this error.
async fn assert_complete_batches_or(server: &Server, reported: &[String], refusal: &str) {
    assert!(reported.iter().all(|it| it == "201" || it == refusal), "{reported:?}");
    assert!(reported.iter().any(|it| it == "201"), "the race began before the change");
    let good = reported.iter().filter(|it| *it == "201").count();
    assert_eq!(usize::try_from(server.stored_checks().await), Ok(good * BATCH), "{reported:?}");
}

#[test]
fn all_writers_of_a_period_succeed_and_every_check_is_stored() {
    on_every_database(async |server| {
        let reported = race(server, "SELECT 1").await;
        assert_eq!(reported, ["201"; WRITERS]);
        let read = server.send(&Request::get(format!("/companies/{OPEN}/checks?payperiodid=ENTRY"))).await;
        let mut ids = read.members("paycheckId");
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), WRITERS * BATCH);
    });
}

#[test]
fn no_check_is_added_to_a_closed_period() {
    on_every_database(async |server| {
        let close = "UPDATE pay_periods SET status = 'COMPLETED' WHERE pay_period_id = 'ENTRY'";
        let reported = race(server, close).await;
        assert_complete_batches_or(server, &reported, "400 API-51").await;
    });
}

#[test]
fn no_check_is_added_to_a_locked_company() {
    on_every_database(async |server| {
        let lock = "UPDATE companies SET lock_holder = 'operator' WHERE company_id = 'OPEN'";
        let reported = race(server, lock).await;
        assert_complete_batches_or(server, &reported, "423 API-10").await;
    });
}

#[test]
fn no_check_is_added_to_an_ended_company() {
    on_every_database(async |server| {
        let end = "UPDATE companies SET end_date = '2026-05-11' WHERE company_id = 'OPEN'";
        let reported = race(server, end).await;
        assert_complete_batches_or(server, &reported, "403 API-68").await;
    });
}

#[test]
fn no_check_is_added_by_an_application_without_its_grant() {
    on_every_database(async |server| {
        let reported = race(server, "DELETE FROM grants WHERE company_id = 'OPEN'").await;
        assert_complete_batches_or(server, &reported, "403 API-2").await;
    });
}

/// Adds checks in one batch after the other. Returns their ids.
async fn added(server: &Server, writers: usize) -> Vec<String> {
    let mut ids = Vec::new();
    for writer in 0..writers {
        ids.extend(server.send(&batch(writer)).await.members("paycheckId"));
    }
    ids
}

fn removal(id: &str) -> Request {
    Request::new(Method::DELETE, format!("/workers/EMPLOYEE/checks/{id}"))
}

/// Returns the checks of the period: the number in the list, and the total in its metadata.
async fn checks_and_period(server: &Server) -> (usize, Value) {
    let read =
        server.send(&Request::get(format!("/companies/{OPEN}/checks?payperiodid=ENTRY&limit=999"))).await;
    (read.content().len(), read.json()["metadata"]["pagination"]["total"].clone())
}

#[test]
fn no_check_is_removed_from_a_closed_period() {
    on_every_database(async |server| {
        let ids = added(server, 2).await;
        let removals: Vec<Request> = ids.iter().map(|id| removal(id)).collect();
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
        let reported: Vec<String> = responses.iter().map(Response::refusal_or_status).collect();
        assert!(closed.is_success(), "{closed:?}");
        assert!(reported.iter().all(|it| it == "204" || it == "423 API-10"), "{reported:?}");
        let left = ids.len() - reported.iter().filter(|it| *it == "204").count();
        assert_eq!(checks_and_period(server).await, (left, left.into()), "{reported:?}");
    });
}

#[test]
fn one_of_several_removals_of_a_check_succeeds() {
    on_every_database(async |server| {
        let ids = added(server, 1).await;
        let request = removal(&ids[0]);
        let responses = join_all((0..WRITERS).map(|_| server.send(&request))).await;
        let mut reported: Vec<String> = responses.iter().map(Response::refusal_or_status).collect();
        reported.sort();
        assert_eq!(
            (reported[0].as_str(), &reported[1..]),
            ("204", &vec!["404 API-7".to_owned(); WRITERS - 1][..])
        );
        assert_eq!(checks_and_period(server).await, (BATCH - 1, (BATCH - 1).into()));
    });
}

#[test]
fn a_removal_during_additions_removes_complete_batches_and_keeps_totals_exact() {
    on_every_database(async |server| {
        added(server, 1).await;
        let batches: Vec<Request> = (1..WRITERS).map(batch).collect();
        let own = Request::new(Method::DELETE, "/checks?payperiodid=ENTRY&deletebyuserid=true");
        let writers = join_all(batches.iter().map(|batch| server.send(batch)));
        let removals = join_all((0..3).map(|_| server.send(&own)));
        let (written, removed) = tokio::join!(writers, removals);
        assert!(written.iter().all(|response| response.status == 201));
        assert!(removed.iter().all(|response| response.status == 204), "{removed:?}");
        let (left, total) = checks_and_period(server).await;
        assert_eq!((left % BATCH, total), (0, left.into()));
        assert_eq!(server.send(&own).await.status, 204);
        assert_eq!(checks_and_period(server).await, (0, 0.into()));
    });
}

/// Changes between the validation of checks and their commit, with the error that the checks then get.
const CHANGES: &[(&str, &str)] = &[
    ("UPDATE pay_periods SET status = 'COMPLETED' WHERE pay_period_id = 'ENTRY'", "400 API-51"),
    ("UPDATE companies SET lock_holder = 'operator' WHERE company_id = 'OPEN'", "423 API-10"),
    ("UPDATE companies SET end_date = '2026-05-11' WHERE company_id = 'OPEN'", "403 API-68"),
    ("DELETE FROM workers WHERE worker_id = 'EMPLOYEE'", "400 API-55"),
];

#[test]
fn a_change_between_validation_and_storing_is_validated_again() {
    for (change, refusal) in CHANGES {
        on_every_database(async |server| {
            server.send(&Request::get("/companies")).await; // gets the token
            let mut held = server.database.hold(change).await;
            let batch = Request::post_checks(OPEN, &check("late"));
            let meanwhile = async {
                // Reads are not blocked. Meanwhile the batch waits for the lock, validated against the
                // previous data.
                for _ in 0..20 {
                    server.send(&Request::get("/companies")).await;
                }
                held.run("COMMIT").await;
            };
            let (response, ()) = tokio::join!(server.send(&batch), meanwhile);
            assert_eq!(
                (response.refusal().as_str(), server.stored_checks().await),
                (*refusal, 0),
                "{change}"
            );
        });
    }
}

#[test]
fn concurrent_readers_see_complete_batches() {
    on_every_database(async |server| {
        let batches: Vec<Request> = (0..WRITERS).map(batch).collect();
        server.send(&Request::get("/companies")).await; // gets the token
        let target = format!("/companies/{OPEN}/checks?payperiodid=ENTRY");
        let read = async {
            for _ in 0..WRITERS {
                let response = server.send(&Request::get(&target)).await;
                let reported = response.json()["metadata"]["contentItemCount"].clone();
                assert_eq!(
                    (response.content().len() % BATCH, reported),
                    (0, response.content().len().into())
                );
            }
        };
        tokio::join!(join_all(batches.iter().map(|batch| server.send(batch))), read);
    });
}

#[test]
fn one_of_several_requests_with_one_key_is_executed() {
    on_every_database(async |server| {
        server.send(&Request::get("/companies")).await; // gets the token
        let batches: Vec<Request> = (0..WRITERS).map(|writer| batch(writer).idempotency_key("k")).collect();
        let responses = join_all(batches.iter().map(|batch| server.send(batch))).await;
        let mut reported: Vec<String> = responses.iter().map(Response::refusal_or_status).collect();
        reported.sort();
        assert_eq!((reported[0].as_str(), reported[1].as_str()), ("201", "422 API-422"), "{reported:?}");
        assert_eq!(server.stored_checks().await, 10);
    });
}

#[test]
fn a_slow_concurrent_writer_is_423_or_503_without_loss() {
    on_every_database(async |server| {
        server.send(&Request::get("/companies")).await; // gets the token
        let touch = "UPDATE pay_periods SET version = version WHERE pay_period_id = 'ENTRY'";
        let held = server.database.hold(touch).await;
        let waited = server.send(&batch(1)).await;
        drop(held);
        // PostgreSQL reports the locked company. The embedded database has only one writer in total.
        assert!(["423 API-10", "503 API-503"].contains(&waited.refusal().as_str()), "{waited:?}");
        assert!(!waited.header("retry-after").is_empty());
        assert_eq!(server.send(&batch(1)).await.status, 201);
    });
}

#[test]
fn concurrent_requests_use_a_correlation_id_once_per_period() {
    on_every_database(async |server| {
        use crate::support::Caller::PeriodScoped;
        server.send(&Request::get("/companies").with_caller(PeriodScoped)).await; // gets the token
        let request = Request::post_checks(OPEN, &check("same")).with_caller(PeriodScoped);
        let responses = join_all((0..WRITERS).map(|_| server.send(&request))).await;
        let mut reported: Vec<String> = responses.iter().map(Response::refusal_or_status).collect();
        reported.sort();
        assert_eq!(
            (reported[0].as_str(), &reported[1..]),
            ("201", &vec!["400 API-56".to_owned(); WRITERS - 1][..])
        );
    });
}

#[test]
fn concurrent_first_checks_open_a_period_once() {
    on_every_database(async |server| {
        server.send(&Request::get("/companies")).await; // gets the token
        let first = with(check("first"), "payPeriodId", "INITIAL");
        let request = Request::post_checks(OPEN, &first);
        let responses = join_all((0..WRITERS).map(|_| server.send(&request))).await;
        assert!(responses.iter().all(|response| response.status == 201));
    });
}

#[test]
fn concurrent_requests_use_a_custom_field_name_once() {
    on_every_database(async |server| {
        server.send(&Request::get("/companies")).await; // gets the token
        let field = serde_json::json!({"customFieldName": "Hat size", "type": "TEXT"});
        let request = Request::post_custom_field(OPEN, &field);
        let responses = join_all((0..WRITERS).map(|_| server.send(&request))).await;
        let created = responses.iter().filter(|it| it.status == 200).count();
        let refused = responses.iter().filter(|it| it.status == 400 && it.refusal() == "400 API-48").count();
        assert_eq!((created, refused), (1, WRITERS - 1));
    });
}
