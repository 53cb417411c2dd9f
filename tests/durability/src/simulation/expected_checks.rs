//! The expected payroll of a simulated year, computed in cents and independently of the server.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// The percentage of the gross earnings of each check that is withheld as a tax.
const TAX_PERCENT: i64 = 15;

/// A check as the payroll register must show it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ExpectedCheck {
    pub(super) worker: String,
    /// The gross earnings in cents, which are negative for a reversal.
    pub(super) gross: i64,
    pub(super) tax: i64,
    pub(super) is_reversal: bool,
}

impl ExpectedCheck {
    /// Computes the check of a worker who worked a number of quarter hours.
    pub(super) fn new(worker: &str, rate: i64, quarters: i64) -> Self {
        // Half a cent is rounded up.
        let gross = (rate * quarters + 2) / 4;
        Self { worker: worker.to_owned(), gross, tax: gross * TAX_PERCENT / 100, is_reversal: false }
    }

    /// Returns the check that reverses this check.
    pub(super) fn reverse(&self) -> Self {
        Self { worker: self.worker.clone(), gross: -self.gross, tax: -self.tax, is_reversal: true }
    }

    const fn net_pay(&self) -> i64 {
        self.gross - self.tax
    }

    /// Formats the check for the comparison with the server.
    pub(super) fn to_register_line(&self) -> String {
        let amounts = [self.gross, self.tax, self.net_pay()].map(format_amount).join(" ");
        format!("{} {amounts}{}", self.worker, if self.is_reversal { " reversal" } else { "" })
    }

    /// Returns the input for the completion of this check.
    pub(super) fn to_completion_input(&self, paycheck_id: &str) -> Value {
        let amount = format_amount(self.tax);
        let tax = json!({"name": "Income Tax", "amount": amount, "paidBy": "EMPLOYEE_WITHHOLDING"});
        json!({"paycheckId": paycheck_id, "taxes": [tax]})
    }
}

/// The expected checks of each pay period, by company and period.
#[derive(Debug, Default)]
pub(super) struct ExpectedChecks {
    pub(super) periods: BTreeMap<(String, String), Vec<ExpectedCheck>>,
}

impl ExpectedChecks {
    /// Adds checks to a period. The server has acknowledged these checks.
    pub(super) fn add(&mut self, company: &str, period: &str, checks: Vec<ExpectedCheck>) {
        self.periods.entry((company.to_owned(), period.to_owned())).or_default().extend(checks);
    }
}

/// Formats cents as the server formats amounts.
pub(super) fn format_amount(cents: i64) -> String {
    let sign = if cents < 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", cents.abs() / 100, cents.abs() % 100)
}

/// Formats a check of the payroll register like [`ExpectedCheck::to_register_line`].
pub(super) fn format_register_check(check: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or("missing").to_owned();
    let taxes: i64 =
        check["taxes"].as_array().into_iter().flatten().map(|tax| parse_cents(&tax["amount"])).sum();
    let reversal = if check["reversalOf"].is_string() { " reversal" } else { "" };
    let (worker, gross, net) =
        (text(&check["workerId"]), text(&check["grossEarnings"]), text(&check["netPay"]));
    format!("{worker} {gross} {} {net}{reversal}", format_amount(taxes))
}

/// Reads an amount with two decimals as cents.
pub(super) fn parse_cents(value: &Value) -> i64 {
    let text = value.as_str().unwrap_or_else(|| panic!("an amount: {value}"));
    let digits: String = text.chars().filter(|it| *it != '.').collect();
    assert_eq!(text.split_once('.').map(|(_, decimals)| decimals.len()), Some(2), "{text}");
    digits.parse().unwrap_or_else(|_| panic!("an amount: {text}"))
}
