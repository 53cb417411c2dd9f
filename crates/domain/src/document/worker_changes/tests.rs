use super::*;
use crate::input;
use crate::object::reader::read_object;
use crate::steps::assert_linear;

const WORKER_ANN: &str = r#"{"workerId": "A", "workerType": "EMPLOYEE", "employeeId": "1",
    "name": {"givenName": "Ann", "familyName": "Sample"},
    "currentStatus": {"workerStatusId": "S", "statusType": "ACTIVE", "effectiveDate": "2026-01-01"},
    "communications": [{"communicationId": "H", "type": "EMAIL", "usageType": "HOME", "uri": "ann@example.org"}],
    "payRates": [
        {"rateId": "R1", "rateNumber": "RATE_1", "rateType": "HOURLY_RATE", "amount": "20", "default": true, "startDate": "2026-01-01"},
        {"rateId": "R2", "rateNumber": "RATE_2", "rateType": "HOURLY_RATE", "amount": "25", "startDate": "2026-01-01"},
        {"rateId": "R3", "rateNumber": "RATE_2", "rateType": "HOURLY_RATE", "amount": "26", "startDate": "2026-02-01"}]}"#;

fn worker_ann() -> Worker {
    let node = input::parse(WORKER_ANN.as_bytes()).unwrap();
    read_object(&node, super::super::worker::read_worker).unwrap()
}

/// Returns the result of applying a document to the worker Ann, or the faults.
fn apply_changes_to_ann(document: &str) -> Result<Vec<Worker>, Vec<String>> {
    let mut created = 0;
    let mut next_id = || {
        created += 1;
        format!("NEW-{created}")
    };
    let node = input::parse(document.as_bytes()).unwrap();
    let reported =
        |fault: &Violation| format!("{} {}", fault.reason.code(), fault.pointer.as_deref().unwrap_or("-"));
    apply_worker_changes(&node, vec![worker_ann()], &mut next_id)
        .map_err(|faults| faults.iter().map(reported).collect())
}

fn find_faults(document: &str) -> Vec<String> {
    apply_changes_to_ann(document).unwrap_err()
}

#[test]
fn a_bulk_change_keeps_data_that_it_omits() {
    let changes =
        r#"{"workers": [{"workerId": "A", "employeeId": "2", "currentStatus": {"statusType": "INACTIVE"}}]}"#;
    let workers = apply_changes_to_ann(changes).unwrap();
    let mut expected = worker_ann();
    expected.employee_id = Some("2".to_owned());
    expected.current_status.as_mut().unwrap().status_type = crate::worker::StatusType::Inactive;
    expected.normalize_statuses();
    assert_eq!(workers, [expected]);
    assert_eq!(apply_changes_to_ann(r#"{"workers": [{"workerId": "A"}]}"#).unwrap(), [worker_ann()]);
    assert_eq!(apply_changes_to_ann("{}").unwrap(), []);
}

#[test]
fn a_bulk_change_creates_a_worker_that_is_not_stored() {
    let new =
        r#"{"workerId": "B", "workerType": "EMPLOYEE", "name": {"givenName": "Bo", "familyName": "Sample"}}"#;
    let workers = apply_changes_to_ann(&format!(r#"{{"workers": [{new}, {{"workerId": "A"}}]}}"#)).unwrap();
    let ids: Vec<_> = workers.iter().map(|it| it.worker_id.as_str()).collect();
    assert_eq!(ids, ["B", "A"]);
    assert_eq!(
        find_faults(r#"{"workers": [{"workerId": "A"}, {"workerId": "B"}]}"#),
        ["API-46 /workers/1/workerType", "API-46 /workers/1/name",]
    );
}

#[test]
fn a_bulk_change_finds_an_element_by_id_or_key_or_adds_it() {
    let changes = r#"{"payRates": [
        {"workerId": "A", "rateId": "R3", "amount": "27"},
        {"workerId": "A", "rateNumber": "RATE_1", "amount": "21"},
        {"workerId": "A", "rateNumber": "RATE_3", "rateType": "DAILY_RATE", "amount": "99", "startDate": "2026-03-01"}],
        "communications": [
        {"workerId": "A", "type": "EMAIL", "usageType": "HOME", "uri": "new@example.org"},
        {"workerId": "A", "type": "EMAIL", "usageType": "WORK", "uri": "work@example.org"}]}"#;
    let worker = apply_changes_to_ann(changes).unwrap().remove(0);
    let rates = worker.pay_rates.iter().map(|rate| format!("{} {}", rate.rate_id, rate.amount));
    assert_eq!(rates.collect::<Vec<_>>(), ["R1 21.0000", "R2 25.0000", "R3 27.0000", "NEW-2 99.0000"]);
    let addresses = worker.communications.iter();
    let addresses = addresses.map(|it| format!("{} {}", it.communication_id, it.uri.as_deref().unwrap()));
    assert_eq!(addresses.collect::<Vec<_>>(), ["H new@example.org", "NEW-1 work@example.org"]);
}

#[test]
fn reports_every_fault_at_its_position_in_the_document_of_changes() {
    let cases = [
        ("[]", vec!["API-48 "]),
        (r#"{"workres": []}"#, vec!["API-48 /workres"]),
        (r#"{"workers": {}}"#, vec!["API-48 /workers"]),
        (r#"{"workers": [], "workers": []}"#, vec!["API-47 /workers"]),
        (
            r#"{"workers": [5, {}, {"workerId": "a b"}]}"#,
            vec!["API-48 /workers/0", "API-46 /workers/1/workerId", "API-48 /workers/2/workerId"],
        ),
        (r#"{"workers": [{"workerId": "A"}, {"workerId": "A"}]}"#, vec!["API-47 /workers/1/workerId"]),
        (
            r#"{"workers": [{"workerId": "A", "sex": "X", "name": {"givenName": 5}}]}"#,
            vec!["API-48 /workers/0/name/givenName", "API-48 /workers/0/sex"],
        ),
        (r#"{"payRates": [{"workerId": "Z", "amount": "1"}]}"#, vec!["API-48 /payRates/0/workerId"]),
        (
            r#"{"payRates": [{"workerId": "A", "rateId": "R2", "amount": "1,5"}]}"#,
            vec!["API-48 /payRates/0/amount"],
        ),
        (
            r#"{"payRates": [{"workerId": "A", "rateNumber": "RATE_2", "amount": "1"}]}"#,
            vec!["API-47 /payRates/0"],
        ),
        (
            r#"{"payRates": [{"workerId": "A", "rateId": "R1"}, {"workerId": "A", "rateNumber": "RATE_1"}]}"#,
            vec!["API-47 /payRates/1"],
        ),
        (
            r#"{"payRates": [{"workerId": "A", "rateNumber": "RATE_9", "amount": "1"}]}"#,
            vec!["API-46 /payRates/0/rateType", "API-46 /payRates/0/startDate"],
        ),
        (
            r#"{"payRates": [{"workerId": "A", "rateId": "R2", "default": true}]}"#,
            vec!["API-48 /payRates/0/default"],
        ),
        (r#"{"payRates": [{"workerId": "A", "x": 1, "rateId": "R2"}]}"#, vec!["API-48 /payRates/0/x"]),
        (
            r#"{"workers": [{"workerId": "A", "payRates": 5}], "payRates": [{"workerId": "A", "rateId": "R2"}]}"#,
            vec!["API-48 /workers/0/payRates"],
        ),
    ];
    for (document, expected) in cases {
        assert_eq!(find_faults(document), expected, "{document}");
    }
}

#[test]
fn a_bulk_change_cannot_make_a_list_too_long() {
    let many = vec!["{}"; MAX_CHANGES + 1].join(",");
    assert_eq!(find_faults(&format!(r#"{{"workers": [{many}]}}"#)), ["API-48 /workers"]);
    let most = vec!["{}"; MAX_CHANGES].join(",");
    assert_eq!(find_faults(&format!(r#"{{"workers": [{most}]}}"#)).len(), MAX_CHANGES);
}

/// A list with more elements than a worker may have is a fault, but reading it must still take linear time.
#[test]
fn many_elements_of_one_worker_take_linear_time() {
    let rate = |at: usize| {
        format!(
            r#"{{"workerId": "A", "rateId": "N{at}", "rateNumber": "RATE_4", "rateType": "DAILY_RATE", "amount": "1", "startDate": "2026-01-01"}}"#
        )
    };
    let document = |count: usize| {
        let rates: Vec<_> = (0..count).map(rate).collect();
        format!(r#"{{"payRates": [{}]}}"#, rates.join(","))
    };
    assert_linear("pay rates of one worker", document, |text| drop(apply_changes_to_ann(text)));
}
