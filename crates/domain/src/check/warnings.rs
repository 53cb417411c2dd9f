//! Warnings for the operator before a pay period is completed (specification §10.14). Faults prevent the
//! completion, and warnings do not.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::ValidatedCheck;
use crate::company::PAYROLL_PRODUCT;
use crate::id::{PayPeriodId, PaycheckId, WorkerId};
use crate::money::Amount;
use crate::named::named_enum;

/// The maximum number of warnings in one response. No operator reads more than a thousand warnings. The limit
/// also bounds the memory if every worker of a large company has a warning.
pub const MAX_WARNINGS: usize = 1_000;

named_enum! {
    /// The kind of a warning.
    WarningKind {
        /// The period has no checks.
        NoChecks = "NO_CHECKS",
        /// The period has checks, but the company does not have the product PAYROLL on the check date.
        ProductMissing = "PRODUCT_MISSING",
        /// A worker of the last pay run has no check.
        WorkerMissing = "WORKER_MISSING",
        /// The gross earnings of a check are more than twice those of the worker's last check in the previous
        /// pay run.
        CheckMoreThanDoubled = "CHECK_MORE_THAN_DOUBLED",
        /// A worker has more than one check.
        WorkerWithSeveralChecks = "WORKER_WITH_SEVERAL_CHECKS",
        /// A check has the same tax of the same payer more than once.
        TaxRepeated = "TAX_REPEATED",
        /// A check has the number of an earlier check in the period.
        CheckNumberRepeated = "CHECK_NUMBER_REPEATED",
    }
}

/// One warning for the operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The kind of the warning.
    pub kind: WarningKind,
    /// The worker to whom the warning applies. `None` if the warning applies to the period.
    pub worker_id: Option<WorkerId>,
    /// The check to which the warning applies. `None` if the warning applies to a worker or to the period.
    pub paycheck_id: Option<PaycheckId>,
    /// A sentence that describes the warning.
    pub description: String,
}

/// The warnings of a pay period.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Warnings {
    /// The warnings, at most [`MAX_WARNINGS`] of them.
    pub listed: Vec<Warning>,
    /// The number of further warnings that are not listed.
    pub omitted: u64,
}

/// The previously completed pay period, with the gross earnings of each worker's last check in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastPayRun {
    pay_period_id: PayPeriodId,
    gross_of_worker: BTreeMap<WorkerId, Amount>,
}

impl LastPayRun {
    /// Creates a pay run of the given period without checks. [`Self::add`] adds the checks.
    #[must_use]
    pub const fn new(pay_period_id: PayPeriodId) -> Self {
        Self { pay_period_id, gross_of_worker: BTreeMap::new() }
    }

    /// Adds a check of the pay run. The check replaces an earlier check of the same worker.
    pub fn add(&mut self, worker_id: WorkerId, gross_earnings: Amount) {
        self.gross_of_worker.insert(worker_id, gross_earnings);
    }
}

impl Warnings {
    /// Returns the warnings for the given checks before their completion. The checks are compared with the
    /// last pay run, if there was one. `is_payroll_active` states whether the company has the product PAYROLL
    /// on the check date. Warnings are sorted by kind, and within each kind by check or by worker.
    ///
    /// ```
    /// use payroll_domain::check::{WarningKind, Warnings};
    /// let warnings = Warnings::from_checks(&[], None, true);
    /// assert_eq!(warnings.listed[0].kind, WarningKind::NoChecks);
    /// ```
    #[must_use]
    pub fn from_checks(
        checks: &[ValidatedCheck],
        last: Option<&LastPayRun>,
        is_payroll_active: bool,
    ) -> Self {
        let mut warnings = Self::default();
        if checks.is_empty() {
            warnings
                .add_warning(WarningKind::NoChecks, None, None, || "the pay period has no checks".to_owned());
        } else if !is_payroll_active {
            warnings.add_warning(WarningKind::ProductMissing, None, None, || {
                format!("the company does not have the product {PAYROLL_PRODUCT} on the check date")
            });
        }
        // Reversals pay no worker and are therefore ignored by these warnings.
        let paying: Vec<&ValidatedCheck> = checks.iter().filter(|check| !check.is_reversal).collect();
        if let Some(last) = last {
            warnings.warn_of_missing_workers(&paying, last);
            warnings.warn_of_more_than_doubled_pay(&paying, last);
        }
        warnings.warn_of_several_checks(&paying);
        warnings.warn_of_repeated_taxes(&paying);
        warnings.warn_of_repeated_check_numbers(&paying);
        warnings
    }

    fn warn_of_missing_workers(&mut self, checks: &[&ValidatedCheck], last: &LastPayRun) {
        let here: BTreeSet<&WorkerId> = checks.iter().map(|check| &check.worker_id).collect();
        for worker_id in last.gross_of_worker.keys().filter(|worker_id| !here.contains(worker_id)) {
            self.add_warning(WarningKind::WorkerMissing, Some(worker_id), None, || {
                format!("worker {worker_id} has no check, and had one in pay period {}", last.pay_period_id)
            });
        }
    }

    fn warn_of_more_than_doubled_pay(&mut self, checks: &[&ValidatedCheck], last: &LastPayRun) {
        for ValidatedCheck { paycheck_id, worker_id, pay, .. } in checks {
            let (Some(pay), Some(before)) = (pay, last.gross_of_worker.get(worker_id)) else { continue };
            let gross = pay.gross_earnings;
            if before.checked_add(*before).is_none_or(|double| gross <= double) {
                continue;
            }
            self.add_warning(WarningKind::CheckMoreThanDoubled, Some(worker_id), Some(paycheck_id), || {
                let LastPayRun { pay_period_id, .. } = last;
                format!(
                    "the gross of check {paycheck_id} is {gross}, more than twice the {before} of worker \
                     {worker_id} in pay period {pay_period_id}"
                )
            });
        }
    }

    fn warn_of_several_checks(&mut self, checks: &[&ValidatedCheck]) {
        let mut counts: BTreeMap<&WorkerId, u64> = BTreeMap::new();
        for check in checks {
            *counts.entry(&check.worker_id).or_default() += 1;
        }
        for (worker_id, count) in counts.into_iter().filter(|(_, count)| *count > 1) {
            self.add_warning(WarningKind::WorkerWithSeveralChecks, Some(worker_id), None, || {
                format!("worker {worker_id} has {count} checks")
            });
        }
    }

    fn warn_of_repeated_taxes(&mut self, checks: &[&ValidatedCheck]) {
        for ValidatedCheck { paycheck_id, worker_id, repeated_tax, .. } in checks {
            let Some(tax) = repeated_tax else { continue };
            self.add_warning(WarningKind::TaxRepeated, Some(worker_id), Some(paycheck_id), || {
                format!("check {paycheck_id} has the tax \"{tax}\" more than once for the same payer")
            });
        }
    }

    fn warn_of_repeated_check_numbers(&mut self, checks: &[&ValidatedCheck]) {
        let mut first_checks: HashMap<&str, &PaycheckId> = HashMap::new();
        for ValidatedCheck { paycheck_id, worker_id, check_number, .. } in checks {
            let Some(number) = check_number else { continue };
            let first = *first_checks.entry(number).or_insert(paycheck_id);
            if first != paycheck_id {
                self.add_warning(
                    WarningKind::CheckNumberRepeated,
                    Some(worker_id),
                    Some(paycheck_id),
                    || format!("check {paycheck_id} has the same check number \"{number}\" as check {first}"),
                );
            }
        }
    }

    /// Adds a warning to the list, or only counts it if the list is full.
    fn add_warning(
        &mut self,
        kind: WarningKind,
        worker_id: Option<&WorkerId>,
        paycheck_id: Option<&PaycheckId>,
        description: impl FnOnce() -> String,
    ) {
        if self.listed.len() >= MAX_WARNINGS {
            self.omitted = self.omitted.saturating_add(1);
            return;
        }
        self.listed.push(Warning {
            kind,
            worker_id: worker_id.cloned(),
            paycheck_id: paycheck_id.cloned(),
            description: description(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::CheckAmounts;

    fn amount(text: &str) -> Amount {
        Amount::parse(text).unwrap()
    }

    fn validated_check(paycheck: &str, worker: &str, gross: &str) -> ValidatedCheck {
        let gross_earnings = amount(gross);
        ValidatedCheck {
            paycheck_id: paycheck.parse().unwrap(),
            worker_id: worker.parse().unwrap(),
            pay: Some(CheckAmounts { gross_earnings, net_pay: gross_earnings }),
            employee_taxes: Amount::ZERO,
            deductions: Amount::ZERO,
            is_reversal: false,
            check_number: None,
            repeated_tax: None,
        }
    }

    fn last_pay_run(checks: &[(&str, &str)]) -> LastPayRun {
        let mut last = LastPayRun::new("before".parse().unwrap());
        for (worker, gross) in checks {
            last.add(worker.parse().unwrap(), amount(gross));
        }
        last
    }

    /// Returns the kind of each warning with its worker and its check.
    fn warning_texts(warnings: &Warnings) -> Vec<String> {
        let shown = |warning: &Warning| {
            let worker = warning.worker_id.as_ref().map_or("-", |id| id.as_str());
            let check = warning.paycheck_id.as_ref().map_or("-", |id| id.as_str());
            format!("{} {worker} {check}", warning.kind)
        };
        warnings.listed.iter().map(shown).collect()
    }

    #[test]
    fn finds_each_kind_of_warning_sorted_by_kind() {
        let checks = [
            validated_check("p1", "b", "10"),
            validated_check("p2", "a", "20.01"),
            validated_check("p3", "b", "10"),
        ];
        let warnings = Warnings::from_checks(
            &checks,
            Some(&last_pay_run(&[("a", "10"), ("b", "10"), ("d", "1"), ("c", "1")])),
            true,
        );
        let expected = [
            "WORKER_MISSING c -",
            "WORKER_MISSING d -",
            "CHECK_MORE_THAN_DOUBLED a p2",
            "WORKER_WITH_SEVERAL_CHECKS b -",
        ];
        assert_eq!((warning_texts(&warnings), warnings.omitted), (expected.map(str::to_owned).into(), 0));
    }

    #[test]
    fn warns_only_if_pay_is_more_than_twice_the_last_check() {
        let last = last_pay_run(&[("a", "1"), ("a", "10")]);
        assert_eq!(
            warning_texts(&Warnings::from_checks(&[validated_check("p1", "a", "20")], Some(&last), true)),
            [""; 0]
        );
        let high = Warnings::from_checks(&[validated_check("p1", "a", "20.01")], Some(&last), true);
        let expected =
            "the gross of check p1 is 20.01, more than twice the 10.00 of worker a in pay period before";
        assert_eq!(high.listed[0].description, expected);
    }

    #[test]
    fn a_worker_whose_check_has_faults_is_not_missing() {
        let faulty = ValidatedCheck { pay: None, ..validated_check("p1", "a", "0") };
        assert_eq!(
            warning_texts(&Warnings::from_checks(&[faulty], Some(&last_pay_run(&[("a", "10")])), true)),
            [""; 0]
        );
    }

    #[test]
    fn ignores_reversals_in_warnings() {
        let reversal = ValidatedCheck { is_reversal: true, ..validated_check("p1", "a", "100") };
        let last = last_pay_run(&[("a", "10")]);
        assert_eq!(
            warning_texts(&Warnings::from_checks(std::slice::from_ref(&reversal), Some(&last), true)),
            ["WORKER_MISSING a -"]
        );
        let checks = [reversal, validated_check("p2", "a", "10")];
        assert_eq!(warning_texts(&Warnings::from_checks(&checks, Some(&last), true)), [""; 0]);
    }

    #[test]
    fn warns_of_repeated_taxes_and_check_numbers() {
        let numbered = |paycheck: &str, worker: &str, number: &str| {
            let check_number = Some(number.to_owned());
            ValidatedCheck { check_number, ..validated_check(paycheck, worker, "10") }
        };
        let taxed = ValidatedCheck { repeated_tax: Some("FIT".to_owned()), ..numbered("p3", "c", "2") };
        let reversal = ValidatedCheck { is_reversal: true, ..numbered("p4", "d", "2") };
        let checks = [
            numbered("p1", "a", "1"),
            numbered("p2", "b", "1"),
            taxed,
            reversal,
            validated_check("p5", "e", "1"),
        ];
        let warnings = Warnings::from_checks(&checks, None, true);
        let descriptions: Vec<_> = warnings.listed.iter().map(|it| it.description.as_str()).collect();
        let expected = [
            "check p3 has the tax \"FIT\" more than once for the same payer",
            "check p2 has the same check number \"1\" as check p1",
        ];
        assert_eq!(descriptions, expected);
        assert_eq!(warning_texts(&warnings), ["TAX_REPEATED c p3", "CHECK_NUMBER_REPEATED b p2"]);
    }

    #[test]
    fn warns_of_a_period_without_checks() {
        assert_eq!(warning_texts(&Warnings::from_checks(&[], None, true)), ["NO_CHECKS - -"]);
        let warnings = Warnings::from_checks(&[], Some(&last_pay_run(&[("a", "10")])), true);
        assert_eq!(warning_texts(&warnings), ["NO_CHECKS - -", "WORKER_MISSING a -"]);
    }

    #[test]
    fn lists_a_limited_number_of_warnings_and_counts_the_rest() {
        let mut last = last_pay_run(&[]);
        for number in 0..MAX_WARNINGS + 2 {
            last.add(format!("w{number}").parse().unwrap(), Amount::ZERO);
        }
        let warnings = Warnings::from_checks(&[validated_check("p1", "x", "1")], Some(&last), true);
        assert_eq!((warnings.listed.len(), warnings.omitted), (MAX_WARNINGS, 2));
    }

    #[test]
    fn a_missing_product_is_a_warning_of_the_period() {
        let warnings = Warnings::from_checks(&[validated_check("p1", "a", "1")], None, false);
        assert_eq!(warning_texts(&warnings), ["PRODUCT_MISSING - -"]);
        assert_eq!(warning_texts(&Warnings::from_checks(&[], None, false)), ["NO_CHECKS - -"]);
    }
}
