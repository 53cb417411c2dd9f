//! Replaces the data of checks in a copy: the names in the lines, the amounts and the totals.

use std::borrow::Cow;
use std::collections::HashMap;

use payroll_domain::pay_period::PeriodStatus;

use super::amounts::{self, AmountFactor, CheckSums};
use super::original_row::OriginalRow;
use super::pseudonyms::PseudonymGenerator;
use crate::rows::checks::packed::{PackedCompletion, PackedLine, PackedTax};
use crate::transfer::progress::TextRow;

/// Replaces the data of checks. If amounts change, the new amounts are also added up for each pay period.
pub(super) struct CheckAnonymiser {
    scales: bool,
    totals: HashMap<(String, String), PeriodSums>,
}

/// The sums of the checks of a pay period before and after processing, in ten-thousandths.
#[derive(Debug, Clone, Copy, Default)]
struct PeriodSums {
    entered_gross: i128,
    entered_deductions: i128,
    gross: i128,
    net: i128,
    employee_taxes: i128,
    employer_taxes: i128,
    deductions: i128,
}

/// The reason for rejecting a check whose stored lines are invalid.
const UNREADABLE_ERROR: &str = "it cannot be read";

impl CheckAnonymiser {
    pub(super) fn new(scales: bool) -> Self {
        Self { scales, totals: HashMap::new() }
    }

    /// Replaces the names in a check and, if amounts change, all of its amounts.
    pub(super) fn anonymise_check(
        &mut self,
        pseudonyms: &PseudonymGenerator,
        before: &OriginalRow<'_>,
        row: &mut TextRow,
    ) -> Result<(), (usize, &'static str)> {
        // The index of a column, for errors. If the column does not exist, the index is greater than every
        // valid index.
        let at = |column: &str| before.table.column_position(column).unwrap_or(usize::MAX);
        let lines = before.value("lines").unwrap_or_default();
        let mut lines: Vec<PackedLine<'_>> =
            serde_json::from_str(lines).map_err(|_| (at("lines"), UNREADABLE_ERROR))?;
        let completion = before.value("completion").map(serde_json::from_str).transpose();
        let mut completion: Option<PackedCompletion<'_>> =
            completion.map_err(|_| (at("completion"), UNREADABLE_ERROR))?;
        for line in lines.iter_mut().chain(completion.iter_mut().flat_map(|it| &mut it.deductions)) {
            anonymise_names_of_line(pseudonyms, line);
        }
        for PackedTax { name, amount: _, paid_by: _ } in
            completion.iter_mut().flat_map(|completion| &mut completion.taxes)
        {
            *name = pseudonyms.replace_name("Tax", name).into();
        }
        if self.scales {
            let factor =
                AmountFactor::for_company(before.value("company_id").unwrap_or_default(), pseudonyms);
            let pay = self.scale_check(factor, before, &mut lines, completion.as_mut());
            let (gross, net) = pay.ok_or((at("lines"), UNREADABLE_ERROR))?;
            set_row_value(row, at("gross_earnings"), gross.map(|gross| gross.to_string()));
            set_row_value(row, at("net_pay"), net.map(|net| net.to_string()));
        }
        let unwritable = |column| move |_: serde_json::Error| (column, UNREADABLE_ERROR);
        let lines = serde_json::to_string(&lines).map_err(unwritable(at("lines")))?;
        let completion = completion.as_ref().map(serde_json::to_string).transpose();
        set_row_value(row, at("lines"), Some(lines));
        set_row_value(row, at("completion"), completion.map_err(unwritable(at("completion")))?);
        Ok(())
    }

    /// Scales the amounts of a check, adds them to the sums of the pay period, and sets the gross earnings
    /// and the net pay of the check.
    fn scale_check(
        &mut self,
        factor: AmountFactor,
        before: &OriginalRow<'_>,
        lines: &mut [PackedLine<'_>],
        mut completion: Option<&mut PackedCompletion<'_>>,
    ) -> Option<(Option<i64>, Option<i64>)> {
        let old = CheckSums::from_lines(lines, completion.as_deref())?;
        amounts::scale_check(factor, lines, completion.as_deref_mut())?;
        let new = CheckSums::from_lines(lines, completion.as_deref())?;
        let stored = |column| before.value(column).and_then(|pay| pay.parse::<i64>().ok());
        let gross = stored("gross_earnings")
            .map(|stored| adjust_period_sum(stored, old.earnings, new.earnings, factor));
        let net =
            stored("net_pay").map(|stored| adjust_period_sum(stored, old.net_pay(), new.net_pay(), factor));
        let period = |column| before.value(column).unwrap_or_default().to_owned();
        let sums = self.totals.entry((period("company_id"), period("pay_period_id"))).or_default();
        sums.entered_gross += new.earnings;
        sums.entered_deductions += new.deductions;
        sums.gross += i128::from(gross.unwrap_or_default());
        sums.net += i128::from(net.unwrap_or_default());
        sums.employee_taxes += new.employee_taxes;
        sums.employer_taxes += new.employer_taxes;
        sums.deductions += new.deductions + new.deducted_later;
        Some((gross, net))
    }

    /// Sets the totals of a pay period from its checks, if amounts change. All checks of the period must have
    /// been replaced before this call.
    pub(super) fn anonymise_totals(&self, before: &OriginalRow<'_>, row: &mut TextRow) {
        if !self.scales {
            return;
        }
        let period = |column| before.value(column).unwrap_or_default().to_owned();
        let sums = self.totals.get(&(period("company_id"), period("pay_period_id")));
        let sums = sums.copied().unwrap_or_default();
        let status = before.value("status").and_then(PeriodStatus::parse);
        let totals = if status.is_some_and(PeriodStatus::is_processed) {
            [sums.gross, sums.net, sums.employee_taxes, sums.employer_taxes, sums.deductions]
        } else {
            [sums.entered_gross, 0, 0, 0, sums.entered_deductions]
        };
        const TOTAL_COLUMNS: [&str; 5] = [
            "total_gross_earnings",
            "total_net_pay",
            "total_employee_taxes",
            "total_employer_taxes",
            "total_deductions",
        ];
        for (column, total) in TOTAL_COLUMNS.into_iter().zip(totals) {
            if let Some(at) = before.table.column_position(column) {
                set_row_value(row, at, Some(total.to_string()));
            }
        }
    }
}

/// Replaces the names in a line. The function destructures the line, so a new member of a line causes a
/// compiler error here. Then decide whether the member contains a name.
fn anonymise_names_of_line(pseudonyms: &PseudonymGenerator, line: &mut PackedLine<'_>) {
    let PackedLine {
        name,
        organization_name,
        organization_number,
        check_component_id: _,
        section: _,
        component_id: _,
        classification_type: _,
        effect_on_pay: _,
        memoed: _,
        rate: _,
        hours: _,
        units: _,
        amount: _,
        line_date: _,
        job_id: _,
        labor_assignment_id: _,
        organization_id: _,
    } = line;
    *name = pseudonyms.replace_name("Component", name).into();
    let unit = organization_name.as_deref().map(|name| pseudonyms.replace_name("Unit", name));
    *organization_name = unit.map(Cow::from);
    let number = organization_number.as_deref().map(|number| pseudonyms.replace_code(number));
    *organization_number = number.map(Cow::from);
}

/// Returns the new value of a stored sum. `old` is the sum of the original lines, and `new` is the sum of the
/// scaled lines. If the stored value equals `old`, the result is `new`. An imported check may have a
/// different stored value, which is scaled individually.
fn adjust_period_sum(stored: i64, old: i128, new: i128, factor: AmountFactor) -> i64 {
    let recomputed = if i128::from(stored) == old { i64::try_from(new).ok() } else { None };
    recomputed.unwrap_or_else(|| factor.scale_amount(stored))
}

fn set_row_value(row: &mut TextRow, at: usize, new: Option<String>) {
    if let Some(value) = row.get_mut(at) {
        *value = new;
    }
}
