//! Compares pay periods, their checks, totals, registers and journals with the model.

use std::collections::{HashMap, HashSet};

use payroll_domain::check::{
    EnteredPay, EnteredTotals, JournalAccounts, JournalSums, PeriodTotals, ProcessedCheck, StoredCheck,
    Totals,
};
use payroll_domain::id::{PaycheckId, WorkerId};
use payroll_domain::money::Amount;
use payroll_domain::pay_period::PeriodStatus;
use payroll_ports::Window;
use payroll_ports::checks::CheckRows;
use payroll_ports::contract::world::empty_company;
use payroll_ports::filters::PeriodFilter;
use payroll_ports::periods::{PeriodRegister, PeriodSummary};
use payroll_ports::resources::Versioned;

use super::super::state::{ArchiveProgress, Period, State};
use super::super::system::{System, amount, period_id};

/// The compared data of a check: its ids, the gross earnings and the deductions.
type CheckData = (PaycheckId, WorkerId, Amount, Amount);

impl System {
    /// Compares the list of pay periods and the checks of each period with the model.
    pub(in super::super) async fn verify_periods(&self, state: &State, company: usize) {
        let company_id = self.company_id(company);
        let filter = PeriodFilter::default();
        let found = self.ports.periods.period_summaries(&company_id, &filter, Window::default()).await;
        let summaries = found.unwrap().unwrap().rows.into_vec().await.unwrap();
        let periods = &state.companies[company].periods;
        assert_eq!(summaries.len(), periods.len(), "the periods of company {company}");
        for (number, (summary, expected)) in summaries.into_iter().zip(periods).enumerate() {
            assert_eq!(summary.value.period.status, expected.status, "period {number}");
            assert_eq!(summary.value.totals, totals(expected), "the totals of period {number}");
            if self.verify_summary(company, number, summary) {
                self.verify_checks(company, number, expected).await;
            }
        }
    }

    /// Asserts that the version of a period changes if and only if the period or its totals change. Returns
    /// whether the checks may have changed.
    fn verify_summary(&self, company: usize, number: usize, summary: Versioned<PeriodSummary>) -> bool {
        let mut memory = self.memory.borrow_mut();
        let memory = &mut memory.companies[company].periods[number];
        let Some(before) = memory.summary.replace(summary.clone()) else { return true };
        let is_new = before.version != summary.version;
        if before.value == summary.value {
            assert_eq!(before.version, summary.version, "period {number} has not changed");
        } else {
            assert!(before.version < summary.version, "period {number} has changed");
        }
        is_new
    }

    /// Forgets which checks are known, so that the next comparison reads all checks.
    pub(in super::super) fn reset_known_checks(&self, company: usize) {
        self.memory.borrow_mut().companies[company].periods = Default::default();
    }

    /// Asserts that the sum of the pay checks equals the totals and the journal, and that no id occurs twice.
    async fn verify_checks(&self, company: usize, number: usize, expected: &Period) {
        let (company_id, pay_period_id) = (self.company_id(company), period_id(number));
        let found = self.ports.periods.checks_of_period(&company_id, &pay_period_id, Window::default()).await;
        let found = found.unwrap().unwrap();
        let version = found.version;
        let is_archived = matches!(expected.archive, ArchiveProgress::Archived { .. });
        let (rows, stored) = match found.rows {
            CheckRows::Unprocessed(rows) if !expected.status.is_processed() => {
                let checks = rows.into_vec().await.unwrap();
                (checks.iter().map(entered_check_data).collect::<Vec<_>>(), checks)
            }
            CheckRows::Processed(rows) if expected.status.is_processed() && !is_archived => {
                (self.processed_check_data(company, rows.into_vec().await.unwrap(), expected), Vec::new())
            }
            CheckRows::Archived(Some(rows)) if is_archived => {
                (self.processed_check_data(company, rows.into_vec().await.unwrap(), expected), Vec::new())
            }
            other => panic!("{other:?} of {expected:?}"),
        };
        let expected_rows: Vec<CheckData> = expected
            .checks
            .iter()
            .map(|check| {
                let ids = (self.paycheck_id(company, check.id), self.worker_id(company, check.worker));
                (ids.0, ids.1, amount(check.cents), amount(check.deduction()))
            })
            .collect();
        assert_eq!(rows, expected_rows, "the checks of period {number}");
        if expected.status == PeriodStatus::Completed {
            self.verify_register(company, number, &expected_rows).await;
        }
        let mut memory = self.memory.borrow_mut();
        let memory = &mut memory.companies[company].periods[number];
        memory.check_count = u64::try_from(rows.len()).unwrap();
        memory.checks = stored;
        memory.checks_version = Some(version);
    }

    /// Verifies the journal of processed checks, and returns the rows of these checks.
    fn processed_check_data(
        &self,
        company: usize,
        checks: Vec<ProcessedCheck>,
        expected: &Period,
    ) -> Vec<CheckData> {
        let rows = checks.iter().map(|check| {
            let deductions = check.gross_earnings.checked_sub(check.net_pay).unwrap();
            (check.paycheck_id.clone(), check.worker_id.clone(), check.gross_earnings, deductions)
        });
        let rows = rows.collect();
        let mut sums = JournalSums::default();
        checks.into_iter().for_each(|check| sums.add(check).unwrap());
        let company = empty_company(self.company_id(company).as_str()).company;
        let journal = sums.into_journal(&JournalAccounts::from_company(&company), &HashMap::new()).unwrap();
        let pay: u64 = expected.checks.iter().map(|check| check.cents + check.deduction()).sum();
        assert_eq!(journal.total, amount(pay), "the journal");
        rows
    }

    async fn verify_register(&self, company: usize, number: usize, expected: &[CheckData]) {
        let (company_id, pay_period_id) = (self.company_id(company), period_id(number));
        let found = self.ports.periods.read_register(&company_id, &pay_period_id, Window::default()).await;
        let Some(PeriodRegister::Checks(listing)) = found.unwrap() else { panic!("there is no register") };
        let rows = listing.rows.into_vec().await.unwrap().into_iter().map(|check| {
            let deductions = check.gross_earnings.checked_sub(check.net_pay.unwrap()).unwrap();
            (check.paycheck_id, check.worker_id, check.gross_earnings, deductions)
        });
        assert_eq!(rows.collect::<Vec<_>>(), expected, "the register of period {number}");
    }
}

fn entered_check_data(check: &StoredCheck) -> CheckData {
    let pay = EnteredPay::from_lines(&check.check.lines).unwrap();
    (check.paycheck_id.clone(), check.check.worker_id.clone(), pay.gross_earnings, pay.deductions)
}

/// Returns the expected totals of a period's checks.
fn totals(period: &Period) -> PeriodTotals {
    let checks = u64::try_from(period.checks.len()).unwrap();
    let workers: HashSet<usize> = period.checks.iter().map(|check| check.worker).collect();
    let workers = u64::try_from(workers.len()).unwrap();
    let gross: u64 = period.checks.iter().map(|check| check.cents).sum();
    let deducted: u64 = period.checks.iter().map(|check| check.deduction()).sum();
    let (gross_earnings, deductions) = (amount(gross), amount(deducted));
    if period.status == PeriodStatus::Completed {
        PeriodTotals::Processed(Totals {
            checks,
            workers,
            gross_earnings,
            net_pay: amount(gross - deducted),
            employee_taxes: Amount::ZERO,
            employer_taxes: Amount::ZERO,
            deductions,
            employer_cost: gross_earnings,
        })
    } else {
        PeriodTotals::Entered(EnteredTotals {
            checks,
            workers,
            pay: EnteredPay { gross_earnings, deductions },
        })
    }
}
