//! Reversals of completed checks. A reversal is a check in an open period with the lines and taxes of the
//! original, negated (specification §10.20). The original is never changed.

use std::fmt;

use super::{Check, Line, ProcessedCheck, ProcessedLine, Reversal, StoredCheck, TaxLine};
use crate::id_sequence::IdSequence;
use crate::money::{Amount, Quantity};
use crate::pay_period::PayPeriod;

/// The check type of a reversal.
pub const REVERSAL_CHECK_TYPE: &str = "Reversal";

/// The reason why a check cannot be reversed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReversalFault {
    /// The check is itself a reversal.
    IsReversal,
    /// The negated amounts of the check exceed the range of amounts.
    TooLarge,
}

/// Creates the check that reverses `original` in the open period. The reversal has the negated amounts, hours
/// and units of the original, at the same rates. The correlation id of the reversal is the id of the
/// original.
///
/// # Errors
/// Returns [`ReversalFault`] if the check cannot be reversed.
pub fn reverse_check(
    original: &ProcessedCheck,
    period: &PayPeriod,
    ids: &mut IdSequence,
) -> Result<StoredCheck, ReversalFault> {
    if original.reversal_of.is_some() {
        return Err(ReversalFault::IsReversal);
    }
    let negated = |amount: Amount| Amount::ZERO.checked_sub(amount).ok_or(ReversalFault::TooLarge);
    let lines: Vec<Line> = original
        .lines
        .iter()
        .map(|line| Ok(negate_line(line, negated(line.amount)?)))
        .collect::<Result<_, _>>()?;
    let tax = |tax: &TaxLine| Ok(TaxLine { amount: negated(tax.amount)?, ..tax.clone() });
    Ok(StoredCheck {
        paycheck_id: ids.next_id(),
        check_component_ids: lines.iter().map(|_| ids.next_id()).collect(),
        reversal: Some(Box::new(Reversal {
            original: original.paycheck_id.clone(),
            gross_earnings: negated(original.gross_earnings)?,
            net_pay: negated(original.net_pay)?,
            taxes: original.taxes.iter().map(tax).collect::<Result<_, _>>()?,
        })),
        check: Check {
            worker_id: original.worker_id.clone(),
            pay_period_id: period.pay_period_id.clone(),
            correlation_id: original.paycheck_id.to_string(),
            block_auto_distribution: false,
            check_date: period.check_date,
            lines,
        },
    })
}

/// Returns the line with the given amount, and with its hours and units negated.
fn negate_line(line: &ProcessedLine, amount: Amount) -> Line {
    Line {
        section: line.section,
        component: line.component.clone(),
        pay_rate: line.rate,
        pay_hours: line.hours.map(Quantity::negated),
        pay_units: line.units.map(Quantity::negated),
        pay_amount: Some(amount),
        memoed: line.memoed,
        line_date: line.line_date,
        job_id: line.job_id.clone(),
        labor_assignment_id: line.labor_assignment_id.clone(),
        organization: line.organization.clone(),
    }
}

impl fmt::Display for ReversalFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::IsReversal => "it is a reversal itself; add a new check with the amounts to pay",
            Self::TooLarge => "an amount of the reversal is too large",
        })
    }
}

impl std::error::Error for ReversalFault {}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::check::{
        CheckAmounts, CompletionInput, CompletionPosition, ComponentLabel, PaidBy, Section, complete_check,
    };
    use crate::date::parse_date;
    use crate::money::Rate;
    use crate::pay_component::{ClassificationType, EffectOnPay};
    use crate::pay_period::PeriodStatus;
    use crate::violation::DocumentPosition;

    fn amount(text: &str) -> Amount {
        Amount::parse(text).unwrap()
    }

    fn processed_line(effect_on_pay: EffectOnPay, hours: Option<&str>, pay: &str) -> ProcessedLine {
        ProcessedLine {
            section: Section::Earnings,
            check_component_id: "line".parse().unwrap(),
            component: ComponentLabel {
                component_id: "component".parse().unwrap(),
                name: "A component".to_owned(),
                classification_type: ClassificationType::Regular,
                effect_on_pay,
            },
            memoed: false,
            amount: amount(pay),
            rate: hours.map(|_| Rate::parse("20").unwrap()),
            hours: hours.map(|hours| Quantity::parse(hours).unwrap()),
            units: None,
            line_date: None,
            job_id: None,
            labor_assignment_id: None,
            organization: None,
        }
    }

    fn original_check() -> ProcessedCheck {
        let tax = |paid_by, pay| TaxLine { name: "A tax".to_owned(), amount: amount(pay), paid_by };
        ProcessedCheck {
            paycheck_id: "original".parse().unwrap(),
            worker_id: "worker".parse().unwrap(),
            pay_period_id: "closed".parse().unwrap(),
            correlation_id: Some("c1".to_owned()),
            check_date: parse_date("2026-05-12").unwrap(),
            // An imported check states the paid amounts, even if its lines add up to different sums.
            net_pay: amount("91.36"),
            gross_earnings: amount("100.01"),
            check_type: "Regular".to_owned(),
            check_number: Some("17".to_owned()),
            reversal_of: None,
            lines: vec![
                processed_line(EffectOnPay::Addition, Some("5"), "100"),
                processed_line(EffectOnPay::Addition, Some("0"), "0"),
                processed_line(EffectOnPay::Reduction, None, "1"),
            ],
            taxes: vec![tax(PaidBy::Employee, "7.65"), tax(PaidBy::Employer, "7.65")],
        }
    }

    fn period() -> PayPeriod {
        PayPeriod {
            pay_period_id: "open".parse().unwrap(),
            interval_code: crate::pay_period::IntervalCode::Weekly,
            status: PeriodStatus::Entry,
            description: None,
            start_date: parse_date("2026-06-01").unwrap(),
            end_date: parse_date("2026-06-07").unwrap(),
            submit_by_date: None,
            check_date: parse_date("2026-06-12").unwrap(),
        }
    }

    fn reversed_check() -> StoredCheck {
        reverse_check(
            &original_check(),
            &period(),
            &mut IdSequence::new(crate::date::Timestamp::from_micros(0), [0; 10]),
        )
        .unwrap()
    }

    #[test]
    fn a_reversal_negates_every_amount() {
        let stored = reversed_check();
        let shown = |line: &Line| {
            let hours = line.pay_hours.map(|hours| hours.to_string());
            (hours.unwrap_or_default(), line.pay_amount.unwrap().to_string())
        };
        let lines: Vec<_> = stored.check.lines.iter().map(shown).collect();
        let expected = [("-5", "-100.00"), ("0", "0.00"), ("", "-1.00")];
        assert_eq!(lines, expected.map(|(hours, pay)| (hours.to_owned(), pay.to_owned())));
        assert_eq!(
            (stored.check.check_date, stored.check.pay_period_id.as_str()),
            (period().check_date, "open")
        );
        assert_eq!(stored.check.correlation_id, "original");
        assert_eq!(stored.check_component_ids.len(), 3);
    }

    #[test]
    fn completes_a_reversal_with_the_paid_amounts_and_not_the_sum_of_its_lines() {
        let completed =
            complete_check(&reversed_check(), &CompletionInput::default(), &HashMap::new()).unwrap();
        let pay = CheckAmounts { gross_earnings: amount("-100.01"), net_pay: amount("-91.36") };
        assert_eq!((completed.pay, completed.check_type.as_str()), (pay, REVERSAL_CHECK_TYPE));
        let taxes: Vec<_> = completed.taxes.iter().map(|tax| tax.amount.to_string()).collect();
        assert_eq!((taxes, completed.check_number), (vec!["-7.65".to_owned(); 2], None));
    }

    #[test]
    fn rejects_completion_input_for_a_reversal() {
        let location = Some(CompletionPosition { index: 3, position: DocumentPosition::default() });
        let input = CompletionInput { position: location, ..CompletionInput::default() };
        let faults = complete_check(&reversed_check(), &input, &HashMap::new()).unwrap_err();
        assert_eq!(faults[0].pointer.as_deref(), Some("/checks/3/paycheckId"));
    }

    #[test]
    fn rejects_the_reversal_of_a_reversal() {
        let reversal = ProcessedCheck { reversal_of: "before".parse().ok(), ..original_check() };
        let refused = reverse_check(
            &reversal,
            &period(),
            &mut IdSequence::new(crate::date::Timestamp::from_micros(0), [0; 10]),
        );
        assert_eq!(refused, Err(ReversalFault::IsReversal));
    }
}
