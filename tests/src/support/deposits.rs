//! The direct deposits in the test data, and a new direct deposit.

use serde_json::{Value, json};

/// Returns a direct deposit that the employee does not have.
pub(crate) fn new_direct_deposit() -> Value {
    json!({"paymentType": "FLAT_DOLLAR_AMOUNT", "accountType": "CHECKING", "value": "100",
        "routingNumber": "122100024", "accountNumber": "1234567865"})
}

/// Returns three deposits: a quarter of the pay, the remainder, and a rejected account.
pub(super) fn direct_deposits() -> Value {
    let mut refused = deposit("REFUSED", "PERCENTAGE", "2");
    refused["status"] = json!("REFUSED");
    json!([deposit("MAIN", "PERCENTAGE", "1"), deposit("REST", "REMAINDER", "99"), refused])
}

/// Returns a direct deposit since 2026-01-01.
pub(super) fn deposit(id: &str, payment_type: &str, priority: &str) -> Value {
    let mut deposit = json!({"directDepositId": id, "startDate": "2026-01-01", "paymentType": payment_type,
        "accountType": "CHECKING", "routingNumber": "122100024", "accountNumber": "998877665544",
        "priority": priority});
    if payment_type != "REMAINDER" {
        deposit["value"] = json!("25");
    }
    deposit
}
