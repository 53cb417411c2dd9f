use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::date::parse_date;
use crate::document;
use crate::input::parse;
use crate::resource::{Resource, ResourceKind};
use crate::status_type::StatusType;

/// Reads a worker with the given current status and status history. Returns the worker, or the faults.
fn read_worker(current: Value, statuses: Value) -> Result<Worker, Vec<String>> {
    let document = json!({"workerId": "W", "workerType": "EMPLOYEE",
        "name": {"familyName": "Sample", "givenName": "Ann"}, "currentStatus": current, "statuses": statuses});
    match document::read_resource_document(
        ResourceKind::Worker,
        &parse(document.to_string().as_bytes()).unwrap(),
    ) {
        Ok(Resource::Worker(worker)) => Ok(*worker),
        Ok(_) => unreachable!("it is a worker"),
        Err(faults) => Err(faults
            .iter()
            .map(|it| format!("{} {}", it.reason.code(), it.pointer.as_deref().unwrap_or("-")))
            .collect()),
    }
}

/// Returns the statuses as texts such as `2026-05-01 0 ACTIVE S`: the day, the order, the type and the id.
fn status_texts(worker: &Worker) -> Vec<String> {
    let show = |entry: &StatusEntry| {
        let id = entry.worker_status_id.as_ref().map_or("-", |id| id.as_str());
        format!("{} {} {} {id}", entry.effective_date, entry.order, entry.status_type)
    };
    worker.statuses.iter().map(show).collect()
}

fn current_status(status_type: &str, day: &str) -> Value {
    json!({"workerStatusId": "S", "statusType": status_type, "effectiveDate": day})
}

fn status_entry(status_type: &str, day: &str, order: u32) -> Value {
    json!({"statusType": status_type, "effectiveDate": day, "order": order})
}

fn day(text: &str) -> Date {
    parse_date(text).unwrap()
}

#[test]
fn a_current_status_without_a_history_becomes_the_first_entry() {
    let worker = read_worker(current_status("ACTIVE", "2026-05-01"), json!([])).unwrap();
    assert_eq!(status_texts(&worker), ["2026-05-01 0 ACTIVE S"]);
    assert!(read_worker(Value::Null, json!([])).unwrap().statuses.is_empty());
}

#[test]
fn appends_a_missing_current_status_to_its_day() {
    let statuses =
        json!([status_entry("PENDING", "2026-06-01", 0), status_entry("INACTIVE", "2026-05-01", 4)]);
    let worker = read_worker(current_status("ACTIVE", "2026-05-01"), statuses).unwrap();
    let expected = ["2026-05-01 4 INACTIVE -", "2026-05-01 5 ACTIVE S", "2026-06-01 0 PENDING -"];
    assert_eq!(status_texts(&worker), expected);
}

#[test]
fn an_entry_without_an_id_gets_the_id_of_the_current_status() {
    let worker =
        read_worker(current_status("ACTIVE", "2026-05-01"), json!([status_entry("ACTIVE", "2026-05-01", 3)]))
            .unwrap();
    assert_eq!(status_texts(&worker), ["2026-05-01 3 ACTIVE S"]);
}

#[test]
fn a_status_that_returns_on_the_same_day_is_another_entry() {
    let statuses =
        json!([status_entry("ACTIVE", "2026-05-01", 0), status_entry("INACTIVE", "2026-05-01", 1)]);
    let worker = read_worker(current_status("ACTIVE", "2026-05-01"), statuses).unwrap();
    assert_eq!(status_texts(&worker).last().map(String::as_str), Some("2026-05-01 2 ACTIVE S"));
}

#[test]
fn each_status_of_a_day_has_an_order_of_its_own() {
    let statuses =
        json!([status_entry("ACTIVE", "2026-05-01", 0), status_entry("INACTIVE", "2026-05-01", 0)]);
    assert_eq!(
        read_worker(current_status("ACTIVE", "2026-05-01"), statuses).unwrap_err(),
        ["API-48 /statuses/1/order"]
    );
    let last = json!([status_entry("INACTIVE", "2026-05-01", 9_999)]);
    assert_eq!(
        read_worker(current_status("ACTIVE", "2026-05-01"), last).unwrap_err(),
        ["API-48 /currentStatus"]
    );
    let beyond = json!([status_entry("INACTIVE", "2026-05-01", 10_000)]);
    assert_eq!(
        read_worker(current_status("ACTIVE", "2026-05-01"), beyond).unwrap_err(),
        ["API-48 /statuses/0/order"]
    );
}

#[test]
fn a_status_history_requires_a_current_status() {
    let statuses = json!([status_entry("ACTIVE", "2026-05-01", 0)]);
    assert_eq!(read_worker(Value::Null, statuses).unwrap_err(), ["API-46 /currentStatus"]);
}

#[test]
fn limits_the_number_of_statuses() {
    let many = |count: usize| -> Value {
        (0..count).map(|at| status_entry("ACTIVE", "2026-05-01", u32::try_from(at).unwrap())).collect()
    };
    assert_eq!(read_worker(current_status("ACTIVE", "2026-05-01"), many(200)).unwrap().statuses.len(), 200);
    assert_eq!(
        read_worker(current_status("ACTIVE", "2026-05-02"), many(200)).unwrap_err(),
        ["API-48 /currentStatus"]
    );
    assert!(
        read_worker(current_status("ACTIVE", "2026-05-01"), many(201))
            .unwrap_err()
            .contains(&"API-48 /statuses".to_owned())
    );
}

#[test]
fn the_newest_due_status_becomes_the_current_status() {
    let statuses = json!([
        status_entry("INACTIVE", "2026-06-01", 0),
        status_entry("TERMINATED", "2026-06-01", 1),
        status_entry("PENDING", "2026-07-01", 0)
    ]);
    let mut worker = read_worker(current_status("ACTIVE", "2026-05-01"), statuses).unwrap();
    assert_eq!(worker.next_status_day(day("2026-05-20")), Some(day("2026-06-01")));
    let id = || "NEW".parse().unwrap();
    assert!(!worker.apply_due_status(day("2026-05-31"), id()));
    assert!(worker.apply_due_status(day("2026-06-01"), id()));
    let status = worker.current_status.clone().unwrap();
    assert_eq!((status.status_type, status.worker_status_id.as_str()), (StatusType::Terminated, "NEW"));
    assert_eq!(status_texts(&worker).get(2).map(String::as_str), Some("2026-06-01 1 TERMINATED NEW"));
    assert!(!worker.apply_due_status(day("2026-06-01"), id()), "once");
    assert_eq!(worker.next_status_day(day("2026-06-01")), Some(day("2026-07-01")));
    assert_eq!(worker.next_status_day(day("2026-07-01")), None, "it has begun");
}

#[test]
fn only_a_change_of_the_current_status_fires_an_event() {
    let one = read_worker(current_status("ACTIVE", "2026-05-01"), json!([])).unwrap();
    let with_future = read_worker(
        current_status("ACTIVE", "2026-05-01"),
        json!([status_entry("INACTIVE", "2026-06-01", 0)]),
    )
    .unwrap();
    let without_status = read_worker(Value::Null, json!([])).unwrap();
    let count = |before: &Worker, after: &Worker| {
        let of = |worker: &Worker| Resource::Worker(Box::new(worker.clone()));
        crate::event::find_events_of_change(Some(&of(before)), Some(&of(after))).len()
    };
    assert_eq!((count(&one, &with_future), count(&with_future, &one)), (0, 0));
    assert_eq!((count(&one, &without_status), count(&without_status, &one)), (1, 1));
}

proptest! {
    #[test]
    fn the_current_status_is_always_the_last_entry_of_its_day(
        days in proptest::collection::vec((1..9_u8, 0..4_u32, 0..3_usize), 0..9),
        on in 1..9_u8, at in 1..9_u8,
    ) {
        let types = ["ACTIVE", "INACTIVE", "TERMINATED"];
        let mut positions = std::collections::HashSet::new();
        let statuses: Value = days.iter().filter(|(day, order, _)| positions.insert((*day, *order)))
            .map(|(day, order, of)| {
                status_entry(types.get(*of).unwrap(), &format!("2026-05-0{day}"), *order)
            }).collect();
        let mut worker = read_worker(current_status("ACTIVE", &format!("2026-05-0{on}")), statuses).unwrap();
        for today in [on, at] {
            let status = worker.current_status.clone().unwrap();
            let last = worker.statuses.iter().rfind(|it| it.effective_date == status.effective_date).unwrap();
            prop_assert!(last.matches_status(&status) && last.worker_status_id.is_some());
            prop_assert!(worker.statuses.is_sorted_by_key(|it| (it.effective_date, it.order)));
            let mut again = worker.clone();
            again.normalize_statuses();
            prop_assert_eq!(&again, &worker, "it stays as it is");
            let count = worker.statuses.len();
            worker.apply_due_status(day(&format!("2026-05-0{today}")), "NEW".parse().unwrap());
            prop_assert_eq!(worker.statuses.len(), count, "nothing is added or lost");
        }
    }
}
