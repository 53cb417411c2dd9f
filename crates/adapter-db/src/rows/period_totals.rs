//! The totals of a pay period's checks: columns of its row that only operators read.

use payroll_domain::check::{EnteredPay, EnteredTotals, PeriodTotals, Totals};
use payroll_domain::pay_period::PeriodStatus;

use crate::error::Outcome;
use crate::rows::pay_period::PayPeriodRow;
use crate::rows::{RowLocation, require_ten_thousandths};
use crate::table::table;

table! {
    /// The totals of a pay period. Totals that are computed by processing are 0 until the period is
    /// processed.
    struct PeriodTotalsRow in "pay_periods" key "company_id, pay_period_id" {
        total_workers: int,
        total_gross_earnings: int,
        total_net_pay: int,
        total_employee_taxes: int,
        total_employer_taxes: int,
        total_deductions: int,
    }
}

impl PeriodTotalsRow {
    /// Creates the columns for the totals of a processed period.
    pub(crate) fn new(totals: &Totals) -> Outcome<Self> {
        Ok(Self {
            total_workers: i64::try_from(totals.workers).unwrap_or(i64::MAX),
            total_gross_earnings: require_ten_thousandths(totals.gross_earnings.to_ten_thousandths())?,
            total_net_pay: require_ten_thousandths(totals.net_pay.to_ten_thousandths())?,
            total_employee_taxes: require_ten_thousandths(totals.employee_taxes.to_ten_thousandths())?,
            total_employer_taxes: require_ten_thousandths(totals.employer_taxes.to_ten_thousandths())?,
            total_deductions: require_ten_thousandths(totals.deductions.to_ten_thousandths())?,
        })
    }

    /// Combines the totals in these columns with data of the period's row. Net pay, taxes and employer cost
    /// are only included if the period is processed.
    pub(crate) fn to_period_totals(
        &self,
        period: &PayPeriodRow,
        status: PeriodStatus,
    ) -> Outcome<PeriodTotals> {
        let at = RowLocation { table: "pay_periods", key: period.id() };
        let (checks, workers) = (at.read_number(period.checks())?, at.read_number(self.total_workers)?);
        let gross_earnings = at.read_amount(self.total_gross_earnings)?;
        let deductions = at.read_amount(self.total_deductions)?;
        if !status.is_processed() {
            let pay = EnteredPay { gross_earnings, deductions };
            return Ok(PeriodTotals::Entered(EnteredTotals { checks, workers, pay }));
        }
        let employer_taxes = at.read_amount(self.total_employer_taxes)?;
        let employer_cost = gross_earnings.checked_add(employer_taxes);
        Ok(PeriodTotals::Processed(Totals {
            checks,
            workers,
            gross_earnings,
            net_pay: at.read_amount(self.total_net_pay)?,
            employee_taxes: at.read_amount(self.total_employee_taxes)?,
            employer_taxes,
            deductions,
            employer_cost: employer_cost
                .ok_or_else(|| at.corruption_failure("the totals are beyond any amount"))?,
        }))
    }
}
