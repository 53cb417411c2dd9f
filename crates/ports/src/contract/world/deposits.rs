//! The direct deposits of the test data: an active, a pending and a rejected deposit, and the remainder.

use payroll_domain::account::AccountNumber;
use payroll_domain::money::Rate;
use payroll_domain::worker::{
    AccountType, DepositChange, DepositStatus, DirectDeposit, LOWEST_DEPOSIT_PRIORITY, PaymentType,
};

use super::values::{day, id};

pub(super) fn direct_deposits(worker_id: &str) -> Vec<DirectDeposit> {
    let deposit = |name: &str, number: &str, priority| DirectDeposit {
        direct_deposit_id: id(&format!("{worker_id}-{name}")),
        start_date: day("2026-01-01"),
        payment_type: PaymentType::Percentage,
        account_type: AccountType::Checking,
        value: Rate::parse("12.5").ok(),
        routing_number: "122100024".to_owned(),
        account_number: AccountNumber::parse(number).unwrap(),
        priority,
        status: DepositStatus::Active,
        pending_change: None,
        requested_by: None,
        requested_date: None,
    };
    let change =
        DepositChange { payment_type: PaymentType::FlatDollarAmount, value: Rate::parse("9.75").ok() };
    vec![
        DirectDeposit {
            pending_change: Some(change),
            requested_by: Some("partner".to_owned()),
            requested_date: Some(day("2026-05-04")),
            ..deposit("half", "123456789012", 1)
        },
        DirectDeposit {
            status: DepositStatus::Pending,
            account_type: AccountType::Savings,
            ..deposit("new", "55555", 2)
        },
        DirectDeposit { status: DepositStatus::Refused, ..deposit("refused", "66666666", 3) },
        DirectDeposit {
            payment_type: PaymentType::Remainder,
            value: None,
            ..deposit("rest", "12345678901234567", LOWEST_DEPOSIT_PRIORITY)
        },
    ]
}
