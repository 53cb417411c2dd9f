//! The payroll register: each check of a pay period with the worker's name and every amount that is known
//! (specification §10.14, §11.24).

use super::{EnteredPay, Line, ProcessedCheck, ProcessedLine, StoredCheck, TaxLine};
use crate::date::Date;
use crate::id::{CheckComponentId, PayPeriodId, PaycheckId, WorkerId};
use crate::money::Amount;

/// A worker as the register shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerLabel {
    /// The company's number for the worker.
    pub employee_id: Option<String>,
    /// The family name of the worker.
    pub family_name: String,
    /// The given name of the worker.
    pub given_name: String,
}

/// A check as the register shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisterCheck {
    /// The id of the check.
    pub paycheck_id: PaycheckId,
    /// The pay period to which the check belongs.
    pub pay_period_id: PayPeriodId,
    /// The day on which the worker is paid.
    pub check_date: Date,
    /// The worker who is paid.
    pub worker_id: WorkerId,
    /// The number and the names of the worker. `None` if the company no longer has the worker.
    pub worker: Option<WorkerLabel>,
    /// The caller's own id for the check, if an application added it.
    pub correlation_id: Option<String>,
    /// The type of the check, such as `Regular`. `None` before the check is processed.
    pub check_type: Option<String>,
    /// The number on the printed check.
    pub check_number: Option<String>,
    /// The id of the check that this check reverses, if this check is a reversal.
    pub reversal_of: Option<PaycheckId>,
    /// The earnings of the worker before taxes and deductions.
    pub gross_earnings: Amount,
    /// The net pay of the worker. `None` before the check is processed, because taxes and deductions are not
    /// yet known.
    pub net_pay: Option<Amount>,
    /// The lines of the check, section by section.
    pub lines: Vec<ProcessedLine>,
    /// The taxes of the check. The list is empty before the check is processed.
    pub taxes: Vec<TaxLine>,
}

impl RegisterCheck {
    /// Creates the entry for a check that is not processed yet. Returns `None` if a line has no amount. Every
    /// line of a validated check has an amount.
    #[must_use]
    pub fn from_stored_check(stored: StoredCheck, worker: Option<WorkerLabel>) -> Option<Self> {
        let StoredCheck { paycheck_id, check_component_ids, reversal, check } = stored;
        let gross_earnings = EnteredPay::from_lines(&check.lines)?.gross_earnings;
        let lines =
            check.lines.into_iter().zip(check_component_ids).map(|(line, id)| to_processed_line(line, id));
        Some(Self {
            paycheck_id,
            pay_period_id: check.pay_period_id,
            check_date: check.check_date,
            worker_id: check.worker_id,
            worker,
            correlation_id: Some(check.correlation_id),
            check_type: None,
            check_number: None,
            reversal_of: reversal.map(|reversal| reversal.original),
            gross_earnings,
            net_pay: None,
            lines: lines.collect::<Option<_>>()?,
            taxes: Vec::new(),
        })
    }

    /// Creates the entry for a processed check.
    #[must_use]
    pub fn from_processed_check(check: ProcessedCheck, worker: Option<WorkerLabel>) -> Self {
        Self {
            paycheck_id: check.paycheck_id,
            pay_period_id: check.pay_period_id,
            check_date: check.check_date,
            worker_id: check.worker_id,
            worker,
            correlation_id: check.correlation_id,
            check_type: Some(check.check_type),
            check_number: check.check_number,
            reversal_of: check.reversal_of,
            gross_earnings: check.gross_earnings,
            net_pay: Some(check.net_pay),
            lines: check.lines,
            taxes: check.taxes,
        }
    }
}

/// Converts an entered line to a processed line with its amount. Returns `None` if the line has no amount.
fn to_processed_line(line: Line, check_component_id: CheckComponentId) -> Option<ProcessedLine> {
    Some(ProcessedLine {
        amount: line.amount()?,
        section: line.section,
        check_component_id,
        component: line.component,
        memoed: line.memoed,
        rate: line.pay_rate,
        hours: line.pay_hours,
        units: line.pay_units,
        line_date: line.line_date,
        job_id: line.job_id,
        labor_assignment_id: line.labor_assignment_id,
        organization: line.organization,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::check::test_data::{facts, one_valid_check, validate_json};

    #[test]
    fn an_unprocessed_check_shows_its_line_amounts_and_no_net() {
        let mut request = one_valid_check();
        request[0]["earnings"] = json!([{"componentId": "hourly", "payHours": "7.5", "payRate": "20.3333"},
            {"componentId": "bonus", "payAmount": "5"}]);
        let check = validate_json(&request.to_string(), &facts()).unwrap().remove(0);
        let check_component_ids = vec!["l1".parse().unwrap(), "l2".parse().unwrap()];
        let stored =
            StoredCheck { paycheck_id: "p".parse().unwrap(), check_component_ids, reversal: None, check };
        let shown = RegisterCheck::from_stored_check(stored, None).unwrap();
        let amounts: Vec<_> = shown.lines.iter().map(|line| line.amount.to_string()).collect();
        assert_eq!((amounts, shown.net_pay), (vec!["152.50".to_owned(), "5.00".to_owned()], None));
        assert_eq!(shown.gross_earnings.to_string(), "157.50");
    }
}
