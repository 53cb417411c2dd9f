//! The amounts of a check: line amounts, gross earnings and net pay (specification §8.4).
//!
//! Taxes and additional deductions are inputs that the server does not compute.

use std::fmt;

use super::{Line, PaidBy, ProcessedLine, TaxLine};
use crate::money::Amount;
use crate::pay_component::EffectOnPay;

/// The gross earnings and the net pay of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckAmounts {
    /// The sum of all earnings, before taxes and deductions.
    pub gross_earnings: Amount,
    /// The amount that the worker is paid, after taxes and deductions.
    pub net_pay: Amount,
}

/// The reason why the pay of a check cannot be computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PayFault {
    /// The deductions exceed the earnings.
    NegativeNet,
    /// A sum exceeds the range of amounts.
    TooLarge,
}

impl Line {
    /// Returns the amount of the line: the stated amount, or hours or units times rate. The product is
    /// rounded once to cents, half away from zero. Returns `None` if the line has neither an amount nor a
    /// quantity with a rate. Every validated line has one of the two.
    #[must_use]
    pub fn amount(&self) -> Option<Amount> {
        let computed = || Amount::from_quantity_and_rate(self.pay_hours.or(self.pay_units)?, self.pay_rate?);
        self.pay_amount.or_else(computed)
    }
}

impl CheckAmounts {
    /// Computes the pay of a check. Gross earnings are the sum of the lines that add to pay. Net pay is gross
    /// earnings minus the taxes that the worker pays, the deductions, and the lines that add to gross
    /// earnings only (`AdditionWithInOut`).
    ///
    /// # Errors
    /// Returns a [`PayFault`]. A check with this fault cannot be completed.
    ///
    /// ```
    /// use payroll_domain::check::{PaidBy, CheckAmounts, TaxLine};
    /// use payroll_domain::money::Amount;
    /// use payroll_domain::pay_component::EffectOnPay;
    /// let earned = [(EffectOnPay::Addition, Amount::parse("400")?)];
    /// let tax = TaxLine {
    ///     name: "Federal Income Tax".to_owned(),
    ///     amount: Amount::parse("28.33")?,
    ///     paid_by: PaidBy::Employee,
    /// };
    /// assert_eq!(CheckAmounts::from_lines(earned, &[tax]).unwrap().net_pay.to_string(), "371.67");
    /// # Ok::<(), payroll_domain::money::InvalidDecimal>(())
    /// ```
    pub fn from_lines(
        lines: impl IntoIterator<Item = (EffectOnPay, Amount)>,
        taxes: &[TaxLine],
    ) -> Result<Self, PayFault> {
        let (mut gross, mut deductions) = (Amount::ZERO, Amount::ZERO);
        for (effect, amount) in lines {
            let (adds, takes) = match effect {
                EffectOnPay::Addition => (true, false),
                EffectOnPay::AdditionWithInOut => (true, true),
                EffectOnPay::Reduction => (false, true),
                EffectOnPay::EmployerInformational => (false, false),
            };
            gross = add_if_counted(adds, gross, amount)?;
            deductions = add_if_counted(takes, deductions, amount)?;
        }
        for tax in taxes {
            deductions = add_if_counted(tax.paid_by == PaidBy::Employee, deductions, tax.amount)?;
        }
        let net_pay = gross.checked_sub(deductions).ok_or(PayFault::TooLarge)?;
        if net_pay < Amount::ZERO {
            return Err(PayFault::NegativeNet);
        }
        Ok(Self { gross_earnings: gross, net_pay })
    }

    /// Computes the pay of a processed check. See [`Self::from_lines`].
    ///
    /// # Errors
    /// Returns a [`PayFault`] as [`Self::from_lines`] does.
    pub fn from_processed_lines(lines: &[ProcessedLine], taxes: &[TaxLine]) -> Result<Self, PayFault> {
        Self::from_lines(lines.iter().map(|line| (line.component.effect_on_pay, line.amount)), taxes)
    }
}

fn add_if_counted(counts: bool, sum: Amount, amount: Amount) -> Result<Amount, PayFault> {
    if counts { sum.checked_add(amount).ok_or(PayFault::TooLarge) } else { Ok(sum) }
}

impl fmt::Display for PayFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NegativeNet => {
                "the deductions and taxes are higher than the gross pay: the net pay would be negative"
            }
            Self::TooLarge => "the sum of the amounts is too large",
        })
    }
}

impl std::error::Error for PayFault {}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::check::test_data::{check_with_line, facts, validate_json};

    fn amount(text: &str) -> Amount {
        Amount::parse(text).unwrap()
    }

    fn tax(paid_by: PaidBy, text: &str) -> TaxLine {
        TaxLine { name: "A tax".to_owned(), amount: amount(text), paid_by }
    }

    #[test]
    fn a_line_has_its_stated_amount_or_hours_or_units_times_rate() {
        for (members, expected) in [
            (json!({"payHours": "7.5", "payRate": "20.3333"}), "152.50"),
            (json!({"payHours": "8"}), "160.00"),
            (json!({"payUnits": "3"}), "7.50"),
            (json!({"payAmount": "120.5"}), "120.50"),
            (json!({"payAmount": "1", "payHours": "8", "payRate": "20", "memoed": true}), "1.00"),
        ] {
            let mut line = members.clone();
            line["componentId"] = json!("hourly");
            let checks = validate_json(&check_with_line(line).to_string(), &facts()).unwrap();
            assert_eq!(checks[0].lines[0].amount().unwrap(), amount(expected), "{members}");
        }
    }

    #[test]
    fn each_effect_changes_gross_and_net_as_defined() {
        for (effect, gross, net) in [
            (EffectOnPay::Addition, "110", "110"),
            (EffectOnPay::AdditionWithInOut, "110", "100"),
            (EffectOnPay::Reduction, "100", "90"),
            (EffectOnPay::EmployerInformational, "100", "100"),
        ] {
            let lines = [(EffectOnPay::Addition, amount("100")), (effect, amount("10"))];
            let expected = CheckAmounts { gross_earnings: amount(gross), net_pay: amount(net) };
            assert_eq!(CheckAmounts::from_lines(lines, &[]), Ok(expected), "{effect}");
        }
    }

    #[test]
    fn deducts_only_taxes_of_the_worker() {
        let earned = [(EffectOnPay::Addition, amount("100"))];
        let taxes = [tax(PaidBy::Employee, "7.65"), tax(PaidBy::Employer, "7.65")];
        assert_eq!(CheckAmounts::from_lines(earned, &taxes).unwrap().net_pay, amount("92.35"));
    }

    #[test]
    fn accepts_a_net_of_zero_and_rejects_a_negative_one() {
        let earned = [(EffectOnPay::Addition, amount("100"))];
        assert_eq!(
            CheckAmounts::from_lines(earned, &[tax(PaidBy::Employee, "100")]).unwrap().net_pay,
            Amount::ZERO
        );
        assert_eq!(
            CheckAmounts::from_lines(earned, &[tax(PaidBy::Employee, "100.01")]),
            Err(PayFault::NegativeNet)
        );
    }
}
