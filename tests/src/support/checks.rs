//! Checks for the company [`OPEN`](super::world::OPEN): a valid one, and functions that change it.

use serde_json::{Value, json};

use super::database::Database;
use super::files::store_files;
use super::world::{CHECK_WITH_LINES, LOCKED_CHECK, REMOVABLE_CHECK, with_member};

/// Returns a valid check: eight hours of the employee at the default rate, in the period `ENTRY`.
pub(crate) fn valid_check() -> Value {
    check_with_correlation_id("a1")
}

/// Returns a valid check with this correlation id.
pub(crate) fn check_with_correlation_id(correlation_id: &str) -> Value {
    json!({
        "workerId": "EMPLOYEE",
        "payPeriodId": "ENTRY",
        "checkCorrelationId": correlation_id,
        "earnings": [{"componentId": "HOURLY", "payHours": "8"}],
    })
}

/// Stores checks that another application has added: [`REMOVABLE_CHECK`],
/// [`LOCKED_CHECK`](super::world::LOCKED_CHECK) and the checks of
/// [`sample_check_id`](super::world::sample_check_id). Also stores files of workers.
pub(crate) async fn store_checks(database: &Database) {
    let line = |id: &str| {
        json!({
            "checkComponentId": id, "section": "earnings", "componentId": "HOURLY", "name": "HOURLY component",
            "classificationType": "REGULAR", "effectOnPay": "ADDITION", "rate": 200_000, "hours": 80_000,
        })
        .to_string()
    };
    let lines = format!("[{},{}]", line("LINE"), line("LINE-2"));
    for (id, worker, period) in [
        (REMOVABLE_CHECK, "EMPLOYEE", "ENTRY"),
        (CHECK_WITH_LINES, "EMPLOYEE", "ENTRY"),
        (LOCKED_CHECK, "LOCKED-WORKER", "LOCKED-PERIOD"),
        ("FOREIGN-CHECK", "FOREIGN-WORKER", "FOREIGN-PERIOD"),
        ("ENDED-CHECK", "ENDED-WORKER", "ENDED-PERIOD"),
    ] {
        let columns = "company_id, pay_period_id, ordinal, paycheck_id, worker_id, application_id, \
            correlation_id, block_auto_distribution, lines";
        let insert = format!(
            "INSERT INTO checks ({columns}) SELECT company_id, pay_period_id, check_count + 1, '{id}', \
             '{worker}', 'another', 'put', FALSE, '{lines}' FROM pay_periods WHERE pay_period_id = '{period}'"
        );
        database.execute(&insert).await;
        let count = "UPDATE pay_periods SET check_count = check_count + 1 WHERE pay_period_id";
        database.execute(&format!("{count} = '{period}'")).await;
    }
    store_files(database).await;
}

/// Returns a JSON array with this number of valid checks. Each check has one line.
pub(crate) fn checks_document(count: usize) -> Value {
    (1..=count).map(|number| check_with_correlation_id(&format!("c{number}"))).collect()
}

/// Returns the valid check with this line.
pub(crate) fn check_with_line(line: Value) -> Value {
    with_member(valid_check(), "earnings", vec![line])
}

/// Returns the valid check with this value in a member of its line.
pub(crate) fn check_with_line_member(member: &str, value: impl Into<Value>) -> Value {
    check_with_line(with_member(json!({"componentId": "HOURLY", "payHours": "8"}), member, value))
}

/// Returns the valid check without a member.
pub(crate) fn check_without(member: &str) -> Value {
    let mut check = valid_check();
    check.as_object_mut().expect("an object").remove(member);
    check
}

/// Returns the valid check with another value in a member.
pub(crate) fn check_with(member: &str, value: impl Into<Value>) -> Value {
    with_member(valid_check(), member, value)
}
