//! Scales the amounts of a company by one factor, so that the amounts of each check still add up.
//!
//! The earnings of a check are rounded once and then split over its lines. The deductions are treated in the
//! same way. The scaled deductions only exceed the scaled earnings if the original deductions exceeded the
//! original earnings. A line with hours or units gets a scaled rate, from which its amount is computed. The
//! other lines compensate for the rounding of that rate.

use payroll_domain::check::PaidBy;
use payroll_domain::money::{Amount, Quantity, Rate};
use payroll_domain::pay_component::EffectOnPay;

use super::pseudonyms::PseudonymGenerator;
use crate::rows::checks::packed::{PackedCompletion, PackedLine};

/// The number of ten-thousandths in a cent.
const CENT: i64 = 100;
/// The number of ten-thousandths in 1.
const TEN_THOUSANDTHS_PER_ONE: i64 = 10_000;
/// The minimum factor, in ten-thousandths.
const MIN_FACTOR: i64 = 5_000;
/// The number of possible factors. Every factor is below one, so a scaled amount never exceeds the maximum
/// amount.
const FACTOR_COUNT: u64 = 4_500;

/// The factor for the amounts of one company, in ten-thousandths.
#[derive(Debug, Clone, Copy)]
pub(super) struct AmountFactor(i64);

/// The sums of the amounts of one check, before or after scaling, in ten-thousandths. The lines of an imported
/// check may add up to more than 64 bits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct CheckSums {
    /// The earnings of the check's lines.
    pub(super) earnings: i128,
    /// The deductions of the check's lines.
    pub(super) deductions: i128,
    /// The deductions that were added at the completion.
    pub(super) deducted_later: i128,
    /// The taxes that the worker pays.
    pub(super) employee_taxes: i128,
    /// The taxes that the company pays.
    pub(super) employer_taxes: i128,
    /// The part of the earnings that is both added and deducted, so that it does not change the net pay.
    in_and_out: i128,
}

impl AmountFactor {
    /// Derives the factor of a company from the key.
    pub(super) fn for_company(company_id: &str, pseudonyms: &PseudonymGenerator) -> Self {
        let above = pseudonyms.derive_number("factor", company_id, FACTOR_COUNT);
        Self(MIN_FACTOR + i64::try_from(above).unwrap_or_default())
    }

    /// Scales an amount and rounds it to cents.
    pub(super) fn scale_amount(self, stored: i64) -> i64 {
        self.scale_and_round(stored, CENT)
    }

    /// Scales a sum of amounts and rounds it to cents.
    fn scale_sum(self, sum: i128) -> i128 {
        let unit = i128::from(CENT);
        divide_rounded(sum * i128::from(self.0), i128::from(TEN_THOUSANDTHS_PER_ONE) * unit) * unit
    }

    /// Scales a rate. The result is rounded to cents if the original rate is a number of full cents.
    pub(super) fn scale_rate(self, stored: i64) -> i64 {
        self.scale_and_round(stored, if stored % CENT == 0 { CENT } else { 1 })
    }

    fn scale_and_round(self, stored: i64, unit: i64) -> i64 {
        let scaled = i128::from(stored) * i128::from(self.0);
        let units = divide_rounded(scaled, i128::from(TEN_THOUSANDTHS_PER_ONE) * i128::from(unit));
        // The factor is below 1, so the result always fits into 64 bits.
        i64::try_from(units * i128::from(unit)).unwrap_or(stored)
    }
}

impl CheckSums {
    /// Returns the net pay of the worker.
    pub(super) const fn net_pay(self) -> i128 {
        self.earnings - self.in_and_out - self.deductions - self.deducted_later - self.employee_taxes
    }

    /// Adds up the amounts of a check. `None` if a line is invalid.
    pub(super) fn from_lines(
        lines: &[PackedLine<'_>],
        completion: Option<&PackedCompletion<'_>>,
    ) -> Option<Self> {
        let mut sums = Self::default();
        for line in lines {
            let amount = i128::from(find_or_compute_amount(line)?);
            match EffectOnPay::parse(line.effect_on_pay)? {
                EffectOnPay::Addition => sums.earnings += amount,
                EffectOnPay::AdditionWithInOut => {
                    sums.earnings += amount;
                    sums.in_and_out += amount;
                }
                EffectOnPay::Reduction => sums.deductions += amount,
                EffectOnPay::EmployerInformational => {}
            }
        }
        let Some(completion) = completion else { return Some(sums) };
        for line in &completion.deductions {
            if EffectOnPay::parse(line.effect_on_pay)? == EffectOnPay::Reduction {
                sums.deducted_later += i128::from(find_or_compute_amount(line)?);
            }
        }
        for tax in &completion.taxes {
            match PaidBy::parse(tax.paid_by)? {
                PaidBy::Employee => sums.employee_taxes += i128::from(tax.amount),
                PaidBy::Employer => sums.employer_taxes += i128::from(tax.amount),
            }
        }
        Some(sums)
    }
}

/// Scales the amounts of a check. `None` if its lines are invalid.
pub(super) fn scale_check(
    factor: AmountFactor,
    lines: &mut [PackedLine<'_>],
    completion: Option<&mut PackedCompletion<'_>>,
) -> Option<()> {
    let before = CheckSums::from_lines(lines, completion.as_deref())?;
    let mut items: Vec<ScaledItem<'_>> =
        lines.iter_mut().map(|line| ScaledItem::from_line(factor, line)).collect::<Option<_>>()?;
    if let Some(completion) = completion {
        for line in &mut completion.deductions {
            items.push(ScaledItem::from_line(factor, line)?);
        }
        for tax in &mut completion.taxes {
            let role = if tax.paid_by == PaidBy::Employee.as_str() {
                AmountRole::Deduction
            } else {
                AmountRole::Neutral
            };
            items.push(ScaledItem {
                role,
                before: tax.amount,
                derived_amount: None,
                amount: Some(&mut tax.amount),
            });
        }
    }
    let earned = |role: &AmountRole| matches!(role, AmountRole::Earns | AmountRole::PaidAndWithheld);
    distribute_sum(&mut items, earned, factor, factor.scale_sum(before.earnings));
    let left: i128 =
        items.iter().filter(|item| item.role == AmountRole::Earns).map(ScaledItem::current_amount).sum();
    let total_deductions = before.deductions + before.deducted_later + before.employee_taxes;
    let mut scaled_amount = factor.scale_sum(total_deductions);
    // Rounding must not turn a net pay of at least 0 into a negative one, or a net pay of at most 0 into a
    // positive one.
    if total_deductions >= 0 && before.net_pay() >= 0 {
        scaled_amount = scaled_amount.min(left);
    } else if total_deductions <= 0 && before.net_pay() <= 0 {
        scaled_amount = scaled_amount.max(left);
    }
    distribute_sum(&mut items, |role| *role == AmountRole::Deduction, factor, scaled_amount);
    for item in items.iter_mut().filter(|item| item.role == AmountRole::Neutral) {
        item.set_amount(factor.scale_amount(item.before));
    }
    Some(())
}

/// The role of an amount in its check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AmountRole {
    /// The amount adds to the pay.
    Earns,
    /// The amount is added and deducted again.
    PaidAndWithheld,
    /// The amount is deducted from the pay.
    Deduction,
    /// The amount does not change the net pay.
    Neutral,
}

/// A line or a tax of a check, with its amount before and after scaling.
struct ScaledItem<'i> {
    role: AmountRole,
    before: i64,
    /// The amount that follows from the new rate, if the original amount followed from the original rate. A
    /// reversal states this amount, so that it must be computed in the same way as in the reversed check.
    derived_amount: Option<i64>,
    amount: Option<&'i mut i64>,
}

impl<'i> ScaledItem<'i> {
    fn from_line(factor: AmountFactor, line: &'i mut PackedLine<'_>) -> Option<Self> {
        let role = match EffectOnPay::parse(line.effect_on_pay)? {
            EffectOnPay::Addition => AmountRole::Earns,
            EffectOnPay::AdditionWithInOut => AmountRole::PaidAndWithheld,
            EffectOnPay::Reduction => AmountRole::Deduction,
            EffectOnPay::EmployerInformational => AmountRole::Neutral,
        };
        let before = find_or_compute_amount(line)?;
        let follows_from_rate = compute_amount(line) == Some(before);
        line.rate = line.rate.map(|rate| factor.scale_rate(rate));
        let derived_amount = if follows_from_rate { Some(compute_amount(line)?) } else { None };
        let mut item = Self { role, before, derived_amount, amount: line.amount.as_mut() };
        if let Some(derived) = derived_amount {
            item.set_amount(derived);
        }
        Some(item)
    }

    fn current_amount(&self) -> i128 {
        self.derived_amount.or(self.amount.as_deref().copied()).unwrap_or_default().into()
    }

    fn set_amount(&mut self, new: i64) {
        if let Some(amount) = self.amount.as_deref_mut() {
            *amount = new;
        }
    }
}

/// Distributes `target_sum` over the amounts of the selected roles, in proportion to the original amounts and
/// rounded to cents. If some amounts are positive and others negative, proportions are meaningless. In that
/// case each amount is scaled individually.
fn distribute_sum(
    items: &mut [ScaledItem<'_>],
    is_selected: impl Fn(&AmountRole) -> bool,
    factor: AmountFactor,
    target_sum: i128,
) {
    let theirs = || items.iter().filter(|item| is_selected(&item.role));
    let rest = target_sum - theirs().filter_map(|item| item.derived_amount).map(i128::from).sum::<i128>();
    let given = || theirs().filter(|item| item.derived_amount.is_none()).map(|item| item.before);
    let all: i128 = given().map(i128::from).sum();
    let alike = given().all(|it| it >= 0) || given().all(|it| it <= 0);
    // Because of rounded rates, the amounts that are computed from rates may exceed the target sum. In this
    // case the other amounts become 0.
    let rest = if (rest < 0) == (all < 0) { rest } else { 0 };
    // If a sum exceeds 64 bits, the products below might exceed 128 bits. Each amount is then scaled
    // individually.
    let fits = i64::try_from(all).is_ok() && i64::try_from(rest).is_ok();
    let (mut running_total, mut shared) = (0, 0);
    for item in items.iter_mut().filter(|item| is_selected(&item.role) && item.derived_amount.is_none()) {
        if !alike || !fits || all == 0 {
            item.set_amount(factor.scale_amount(item.before));
            continue;
        }
        running_total += i128::from(item.before);
        let through = divide_rounded(running_total * rest, all * i128::from(CENT)) * i128::from(CENT);
        item.set_amount(i64::try_from(through - shared).unwrap_or_default());
        shared = through;
    }
}

/// Returns the amount of a line. If the line states only hours or units and a rate, the amount is computed.
fn find_or_compute_amount(line: &PackedLine<'_>) -> Option<i64> {
    line.amount.or_else(|| compute_amount(line))
}

/// Returns the product of a line's hours or units and its rate. `None` if the line does not have both.
fn compute_amount(line: &PackedLine<'_>) -> Option<i64> {
    let quantity = Quantity::from_ten_thousandths(line.hours.or(line.units)?)?;
    Amount::from_quantity_and_rate(quantity, Rate::from_ten_thousandths(line.rate?)?)?.to_ten_thousandths()
}

/// Divides two numbers and rounds the quotient to an integer, half away from zero.
fn divide_rounded(dividend: i128, divisor: i128) -> i128 {
    let half = divisor.abs() / 2;
    let rounded =
        if (dividend < 0) == (divisor < 0) { dividend.abs() + half } else { -dividend.abs() - half };
    rounded.checked_div(divisor.abs()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
