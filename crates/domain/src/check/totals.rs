//! The totals of the checks of a pay period (specification §8.4).
//!
//! Sums are exact. A sum that exceeds the range of amounts is an error. [`ValidatedChecks`] also stores an
//! entry with the amounts of each check, which the warnings need (`check/warnings.rs`).

use std::collections::HashSet;

use super::{
    CheckAmounts, CompletedCheck, Line, PaidBy, PayFault, ProcessedCheck, ProcessedLine, StoredCheck, TaxLine,
};
use crate::id::{PaycheckId, WorkerId};
use crate::money::Amount;
use crate::pay_component::EffectOnPay;

/// The totals of the checks of a pay period.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// The number of checks in the period.
    pub checks: u64,
    /// The number of workers whom the checks pay.
    pub workers: u64,
    /// The gross earnings of all workers.
    pub gross_earnings: Amount,
    /// The net pay of all workers.
    pub net_pay: Amount,
    /// Taxes that are withheld from the workers' pay.
    pub employee_taxes: Amount,
    /// Taxes that the company pays in addition to the workers' pay.
    pub employer_taxes: Amount,
    /// The total reduction of pay: lines of checks that reduce pay, and deductions that were supplied on
    /// completion.
    pub deductions: Amount,
    /// Gross earnings plus employer taxes.
    pub employer_cost: Amount,
}

/// A check that was validated for its completion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValidatedCheck {
    /// The id of the check.
    pub paycheck_id: PaycheckId,
    /// The worker who is paid.
    pub worker_id: WorkerId,
    /// Gross earnings and net pay. `None` if the check has faults.
    pub pay: Option<CheckAmounts>,
    /// Taxes that are withheld from the worker's pay. Zero if the check has faults.
    pub employee_taxes: Amount,
    /// The total reduction of the worker's pay, as in [`Totals::deductions`]. Zero if the check has faults.
    pub deductions: Amount,
    /// Whether the check is a reversal.
    pub is_reversal: bool,
    /// The number on the printed check. `None` if the check has no number or has faults.
    pub check_number: Option<String>,
    /// The first tax that the check has more than once for the same payer. `None` if the check has faults.
    pub repeated_tax: Option<String>,
}

/// The validated checks of a pay period, and the totals of those without faults.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ValidatedChecks {
    checks: Vec<ValidatedCheck>,
    sums: Totals,
}

/// The amounts of an unprocessed check, from its lines. Taxes and the deductions of the completion are not
/// known yet, so there is no net pay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EnteredPay {
    /// The sum of the lines that add to the worker's pay.
    pub gross_earnings: Amount,
    /// The deductions among the lines of the check.
    pub deductions: Amount,
}

/// The totals of an unprocessed pay period, from the lines of its checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EnteredTotals {
    /// The number of checks in the period.
    pub checks: u64,
    /// The number of workers whom the checks pay.
    pub workers: u64,
    /// The amounts of the checks, from their lines.
    pub pay: EnteredPay,
}

/// The totals of a pay period. The state of the period determines which totals are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeriodTotals {
    /// The totals before the period is processed.
    Entered(EnteredTotals),
    /// The totals after the period is processed.
    Processed(Totals),
}

impl EnteredPay {
    /// Adds up the lines of a check. `None` if a sum exceeds the range of amounts.
    #[must_use]
    pub fn from_lines(lines: &[Line]) -> Option<Self> {
        lines.iter().try_fold(Self::default(), |pay, line| {
            let none = Amount::ZERO;
            let amount = line.amount()?;
            let (earned, deducted) = match line.component.effect_on_pay {
                EffectOnPay::Addition | EffectOnPay::AdditionWithInOut => (amount, none),
                EffectOnPay::Reduction => (none, amount),
                EffectOnPay::EmployerInformational => (none, none),
            };
            pay.checked_add(Self { gross_earnings: earned, deductions: deducted })
        })
    }

    /// Adds the amounts of another check. Returns `None` if a sum exceeds the range that can be stored.
    #[must_use]
    pub fn checked_add(self, other: Self) -> Option<Self> {
        let sum = Self {
            gross_earnings: self.gross_earnings.checked_add(other.gross_earnings)?,
            deductions: self.deductions.checked_add(other.deductions)?,
        };
        are_storable(&[sum.gross_earnings, sum.deductions]).then_some(sum)
    }
}

impl Totals {
    /// Adds the amounts of a completed check. The caller counts the workers, because a worker can have
    /// several checks. Returns `None` if a sum exceeds the range that can be stored.
    #[must_use]
    pub fn add_completed_check(self, stored: &StoredCheck, completed: &CompletedCheck) -> Option<Self> {
        let reduces = |line: &&Line| line.component.effect_on_pay == EffectOnPay::Reduction;
        let lines = stored.check.lines.iter().filter(reduces).map(Line::amount);
        let handed_in = completed.deductions.iter().map(|(_, amount)| Some(*amount));
        self.add_amounts(completed.pay, &completed.taxes, lines.chain(handed_in))
    }

    /// Adds the amounts of a processed check. The caller counts the workers, because a worker can have
    /// several checks. Returns `None` if a sum exceeds the range that can be stored.
    #[must_use]
    pub fn add_processed_check(self, check: &ProcessedCheck) -> Option<Self> {
        let reduces = |line: &&ProcessedLine| line.component.effect_on_pay == EffectOnPay::Reduction;
        let deductions = check.lines.iter().filter(reduces).map(|line| Some(line.amount));
        let pay = CheckAmounts { gross_earnings: check.gross_earnings, net_pay: check.net_pay };
        self.add_amounts(pay, &check.taxes, deductions)
    }

    fn add_amounts(
        self,
        pay: CheckAmounts,
        taxes: &[TaxLine],
        deductions: impl Iterator<Item = Option<Amount>>,
    ) -> Option<Self> {
        let paid_by = |paid_by| {
            let taxes = taxes.iter().filter(move |tax| tax.paid_by == paid_by);
            taxes.map(|tax| Some(tax.amount))
        };
        let gross_earnings = self.gross_earnings.checked_add(pay.gross_earnings)?;
        let employer_taxes = checked_sum(self.employer_taxes, paid_by(PaidBy::Employer))?;
        let totals = Self {
            checks: self.checks.saturating_add(1),
            workers: self.workers,
            gross_earnings,
            net_pay: self.net_pay.checked_add(pay.net_pay)?,
            employee_taxes: checked_sum(self.employee_taxes, paid_by(PaidBy::Employee))?,
            employer_taxes,
            deductions: checked_sum(self.deductions, deductions)?,
            employer_cost: gross_earnings.checked_add(employer_taxes)?,
        };
        let sums = [
            totals.gross_earnings,
            totals.net_pay,
            totals.employee_taxes,
            totals.employer_taxes,
            totals.deductions,
            totals.employer_cost,
        ];
        are_storable(&sums).then_some(totals)
    }
}

/// Returns whether each sum, in ten-thousandths, fits into 64 bits.
fn are_storable(sums: &[Amount]) -> bool {
    sums.iter().all(|sum| sum.to_ten_thousandths().is_some())
}

/// Returns `first` plus all other values. Returns `None` if a value is `None`, or if the sum exceeds the
/// range of amounts.
fn checked_sum(first: Amount, mut rest: impl Iterator<Item = Option<Amount>>) -> Option<Amount> {
    rest.try_fold(first, |sum, amount| sum.checked_add(amount?))
}

/// Returns the name of the first tax that occurs more than once for the same payer.
fn find_repeated_tax(taxes: &[TaxLine]) -> Option<String> {
    let mut seen = HashSet::new();
    taxes.iter().find(|tax| !seen.insert((&tax.name, tax.paid_by))).map(|tax| tax.name.clone())
}

impl ValidatedChecks {
    /// Adds a check. `completed` contains the amounts of the check, or is `None` if the check has a fault.
    ///
    /// # Errors
    /// Returns [`PayFault::TooLarge`] if a sum exceeds the range that can be stored. The check is then listed
    /// without amounts, like a check with a fault.
    pub fn add(&mut self, stored: &StoredCheck, completed: Option<&CompletedCheck>) -> Result<(), PayFault> {
        let mut check = ValidatedCheck {
            paycheck_id: stored.paycheck_id.clone(),
            worker_id: stored.check.worker_id.clone(),
            pay: None,
            employee_taxes: Amount::ZERO,
            deductions: Amount::ZERO,
            is_reversal: stored.reversal.is_some(),
            check_number: completed.and_then(|it| it.check_number.clone()),
            repeated_tax: completed.and_then(|it| find_repeated_tax(&it.taxes)),
        };
        let added = match completed {
            Some(completed) => self.add_to_sums(&mut check, stored, completed).ok_or(PayFault::TooLarge),
            None => Ok(()),
        };
        self.checks.push(check);
        added
    }

    /// Sets the amounts of a check and adds them to the totals. If a sum exceeds the range that can be
    /// stored, nothing changes and the result is `None`.
    fn add_to_sums(
        &mut self,
        check: &mut ValidatedCheck,
        stored: &StoredCheck,
        completed: &CompletedCheck,
    ) -> Option<()> {
        let sums = self.sums.add_completed_check(stored, completed)?;
        let employee_taxes = sums.employee_taxes.checked_sub(self.sums.employee_taxes)?;
        let deductions = sums.deductions.checked_sub(self.sums.deductions)?;
        (check.pay, check.employee_taxes, check.deductions) =
            (Some(completed.pay), employee_taxes, deductions);
        self.sums = sums;
        Some(())
    }

    /// Returns all checks in the order in which they were added.
    #[must_use]
    pub fn checks(&self) -> &[ValidatedCheck] {
        &self.checks
    }

    /// Consumes the value and returns all checks in the order in which they were added.
    #[must_use]
    pub fn into_checks(self) -> Vec<ValidatedCheck> {
        self.checks
    }

    /// Returns the totals of the checks without faults.
    #[must_use]
    pub fn totals(&self) -> Totals {
        let paid = self.checks.iter().filter(|check| check.pay.is_some());
        let workers: HashSet<&WorkerId> = paid.map(|check| &check.worker_id).collect();
        Totals { workers: u64::try_from(workers.len()).unwrap_or(u64::MAX), ..self.sums }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use serde_json::json;

    use super::*;
    use crate::check::test_data::{facts, one_valid_check, validate_json};
    use crate::check::{CompletionInput, SuppliedDeduction, TaxLine, complete_check};
    use crate::violation::DocumentPosition;

    fn amount(text: &str) -> Amount {
        Amount::parse(text).unwrap()
    }

    fn tax(paid_by: PaidBy, text: &str) -> TaxLine {
        TaxLine { name: "A tax".to_owned(), amount: amount(text), paid_by }
    }

    /// Returns a stored check that earns 100.00. With `own_deduction`, another line deducts 20.00.
    fn stored_check(paycheck: &str, own_deduction: bool) -> StoredCheck {
        let mut request = one_valid_check();
        let line = |amount: &str| json!({"componentId": "bonus", "payAmount": amount});
        request[0]["earnings"] =
            if own_deduction { json!([line("100"), line("20")]) } else { json!([line("100")]) };
        let mut check = validate_json(&request.to_string(), &facts()).unwrap().remove(0);
        for line in check.lines.iter_mut().skip(1) {
            line.component.effect_on_pay = EffectOnPay::Reduction;
        }
        StoredCheck {
            paycheck_id: paycheck.parse().unwrap(),
            check_component_ids: Vec::new(),
            reversal: None,
            check,
        }
    }

    fn complete_valid_check(stored: &StoredCheck, input: &CompletionInput) -> CompletedCheck {
        complete_check(stored, input, &facts().components).unwrap()
    }

    #[test]
    fn sums_up_earnings_deductions_and_taxes_of_checks() {
        let mut validated = ValidatedChecks::default();
        let (one, two) = (stored_check("p1", true), stored_check("p2", false));
        let place = DocumentPosition::default();
        let deduction = SuppliedDeduction {
            component_id: "garnishment".parse().unwrap(),
            amount: amount("5.50"),
            position: place,
        };
        let input = CompletionInput {
            taxes: vec![tax(PaidBy::Employee, "7.65"), tax(PaidBy::Employer, "8.01")],
            deductions: vec![deduction],
            ..CompletionInput::default()
        };
        validated.add(&one, Some(&complete_valid_check(&one, &input))).unwrap();
        validated.add(&two, Some(&complete_valid_check(&two, &CompletionInput::default()))).unwrap();
        let expected = Totals {
            checks: 2,
            workers: 1,
            gross_earnings: amount("200"),
            net_pay: amount("166.85"),
            employee_taxes: amount("7.65"),
            employer_taxes: amount("8.01"),
            deductions: amount("25.50"),
            employer_cost: amount("208.01"),
        };
        assert_eq!(validated.totals(), expected);
        let of_checks = validated.checks().iter().map(|check| (check.employee_taxes, check.deductions));
        let expected = [(amount("7.65"), amount("25.50")), (Amount::ZERO, Amount::ZERO)];
        assert_eq!(of_checks.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn sums_gross_and_deductions_before_the_completion() {
        let check = stored_check("p1", true);
        let pay = EnteredPay::from_lines(&check.check.lines).unwrap();
        assert_eq!(pay, EnteredPay { gross_earnings: amount("100"), deductions: amount("20") });
        let effects = [
            (EffectOnPay::Addition, "120", "0"),
            (EffectOnPay::AdditionWithInOut, "120", "0"),
            (EffectOnPay::Reduction, "100", "20"),
            (EffectOnPay::EmployerInformational, "100", "0"),
        ];
        for (effect, gross, deducted) in effects {
            let mut lines = check.check.lines.clone();
            lines[1].component.effect_on_pay = effect;
            let expected = EnteredPay { gross_earnings: amount(gross), deductions: amount(deducted) };
            assert_eq!(EnteredPay::from_lines(&lines), Some(expected), "{effect}");
        }
    }

    #[test]
    fn excludes_a_check_with_faults_from_the_totals() {
        let mut validated = ValidatedChecks::default();
        validated.add(&stored_check("p1", false), None).unwrap();
        assert_eq!(validated.totals(), Totals::default());
        assert_eq!(validated.checks().iter().map(|check| check.pay).collect::<Vec<_>>(), [None]);
    }

    #[test]
    fn a_sum_that_is_too_large_is_an_error_and_changes_no_total() {
        let check = stored_check("p1", false);
        let mut most = complete_check(&check, &CompletionInput::default(), &HashMap::new()).unwrap();
        // The amount is doubled until the sum of two such amounts can no longer be stored.
        let double = |amount: Amount| amount.checked_add(amount).unwrap();
        while double(most.pay.gross_earnings).to_ten_thousandths().is_some() {
            most.pay.gross_earnings = double(most.pay.gross_earnings);
        }
        let mut validated = ValidatedChecks::default();
        validated.add(&check, Some(&most)).unwrap();
        let before = validated.totals();
        assert_eq!(validated.add(&check, Some(&most)), Err(PayFault::TooLarge));
        assert_eq!(validated.totals(), before);
    }
}
