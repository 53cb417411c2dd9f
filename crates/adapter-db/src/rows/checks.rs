//! Rows of checks. A row contains the lines and taxes of the check as JSON.

pub(crate) mod packed;

use payroll_domain::check::{
    Check, EnteredPay, ProcessedCheck, ProcessedLine, REVERSAL_CHECK_TYPE, Reversal, StoredCheck, TaxLine,
};
use payroll_domain::date::Date;
use payroll_domain::id::PayPeriodId;
use payroll_domain::money::Amount;
use payroll_ports::periods::StagedCheck;

use self::packed::{PackedCompletion, PackedLine, PackedTax};
use crate::error::Outcome;
use crate::rows::{RowLocation, require_ten_thousandths};
use crate::table::table;

table! {
    /// A check. The ordinal is the position of the check in its period, starting with 1.
    struct CheckRow in "checks" key "company_id, pay_period_id, ordinal" {
        company_id: text,
        pay_period_id: text,
        ordinal: int,
        paycheck_id: text,
        worker_id: text,
        application_id: text,
        correlation_id: text_or_null,
        block_auto_distribution: bool,
        net_pay: int_or_null,
        gross_earnings: int_or_null,
        check_type: text_or_null,
        check_number: text_or_null,
        lines: text,
        completion: text_or_null,
        reversal_of: text_or_null,
    }
}

table! {
    /// The columns that a completion writes into a check. The statement finds the row by the check's id and
    /// not by the three columns of the table's key. Every query planner recognizes that the unique index of
    /// the id finds at most one row.
    struct StagedCompletionRow in "checks" key "paycheck_id" {
        paycheck_id: text,
        net_pay: int,
        gross_earnings: int,
        check_type: text,
        check_number: text_or_null,
        completion: text,
    }
}

/// The primary key of a check: the company, the pay period and the position in the period.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CheckRowKey<'p> {
    pub(crate) company_id: &'p str,
    pub(crate) pay_period_id: &'p str,
    pub(crate) ordinal: i64,
}

/// Adds up the JSON lines of an unprocessed check.
pub(crate) fn sum_entered_pay(at: RowLocation<'_>, lines: &str) -> Outcome<EnteredPay> {
    let lines: Vec<PackedLine<'_>> = packed::from_json(at, lines)?;
    let lines: Vec<_> = lines.into_iter().map(|line| line.into_line(at)).collect::<Outcome<_>>()?;
    EnteredPay::from_lines(&lines)
        .ok_or_else(|| at.corruption_failure("the amounts of its lines cannot be computed"))
}

impl CheckRow {
    /// Converts a check of an application to a row.
    pub(crate) fn new(key: CheckRowKey<'_>, application_id: &str, from: &StoredCheck) -> Outcome<Self> {
        let lines = from.check_component_ids.iter().zip(&from.check.lines);
        let lines: Vec<_> =
            lines.map(|(id, line)| PackedLine::from_line(id, line)).collect::<Outcome<_>>()?;
        let reversal = from.reversal.as_deref();
        let money = |of: fn(&Reversal) -> Amount| {
            reversal.map(|reversal| require_ten_thousandths(of(reversal).to_ten_thousandths())).transpose()
        };
        Ok(Self {
            company_id: key.company_id.to_owned(),
            pay_period_id: key.pay_period_id.to_owned(),
            ordinal: key.ordinal,
            paycheck_id: from.paycheck_id.to_string(),
            worker_id: from.check.worker_id.to_string(),
            application_id: application_id.to_owned(),
            correlation_id: Some(from.check.correlation_id.clone()),
            block_auto_distribution: from.check.block_auto_distribution,
            net_pay: money(|reversal| reversal.net_pay)?,
            gross_earnings: money(|reversal| reversal.gross_earnings)?,
            check_type: reversal.map(|_| REVERSAL_CHECK_TYPE.to_owned()),
            check_number: None,
            lines: packed::to_json(&lines)?,
            completion: reversal.map(|reversal| pack_completion(&[], &reversal.taxes)).transpose()?,
            reversal_of: reversal.map(|reversal| reversal.original.to_string()),
        })
    }

    /// Converts a processed check of an import to a row.
    pub(crate) fn from_processed_check(key: CheckRowKey<'_>, from: &ProcessedCheck) -> Outcome<Self> {
        let lines: Vec<_> = from.lines.iter().map(PackedLine::from_processed_line).collect::<Outcome<_>>()?;
        Ok(Self {
            company_id: key.company_id.to_owned(),
            pay_period_id: key.pay_period_id.to_owned(),
            ordinal: key.ordinal,
            paycheck_id: from.paycheck_id.to_string(),
            worker_id: from.worker_id.to_string(),
            application_id: String::new(),
            correlation_id: from.correlation_id.clone(),
            block_auto_distribution: false,
            net_pay: Some(require_ten_thousandths(from.net_pay.to_ten_thousandths())?),
            gross_earnings: Some(require_ten_thousandths(from.gross_earnings.to_ten_thousandths())?),
            check_type: Some(from.check_type.clone()),
            check_number: from.check_number.clone(),
            lines: packed::to_json(&lines)?,
            completion: Some(pack_completion(&[], &from.taxes)?),
            reversal_of: from.reversal_of.as_ref().map(ToString::to_string),
        })
    }

    /// Converts the row of an unprocessed period to a check. Staged completion data is not part of the check.
    pub(crate) fn into_stored_check(
        self,
        pay_period_id: &PayPeriodId,
        check_date: Date,
    ) -> Outcome<StoredCheck> {
        let at = RowLocation { table: "checks", key: &self.paycheck_id };
        let reversal = self.read_reversal()?;
        let correlation_id = self.correlation_id;
        let correlation_id =
            correlation_id.ok_or_else(|| at.corruption_failure("an open check has no correlation id"))?;
        let lines: Vec<PackedLine<'_>> = packed::from_json(at, &self.lines)?;
        Ok(StoredCheck {
            paycheck_id: at.parse_id(&self.paycheck_id)?,
            check_component_ids: lines.iter().map(|line| line.parse_id(at)).collect::<Outcome<_>>()?,
            reversal: reversal.map(Box::new),
            check: Check {
                worker_id: at.parse_id(&self.worker_id)?,
                pay_period_id: pay_period_id.clone(),
                correlation_id,
                block_auto_distribution: self.block_auto_distribution,
                check_date,
                lines: lines.into_iter().map(|line| line.into_line(at)).collect::<Outcome<_>>()?,
            },
        })
    }

    /// Returns the reversal data, if this check reverses another one. The amounts of a reversal are known
    /// when it is added, so the row contains the amounts even before the period is completed. The completion
    /// stores the same amounts again.
    fn read_reversal(&self) -> Outcome<Option<Reversal>> {
        let at = RowLocation { table: "checks", key: &self.paycheck_id };
        let Some(original) = self.reversal_of.as_deref() else { return Ok(None) };
        Ok(Some(Reversal {
            original: at.parse_id(original)?,
            gross_earnings: require_amount(at, self.gross_earnings)?,
            net_pay: require_amount(at, self.net_pay)?,
            taxes: read_completion(at, self.completion.as_deref())?
                .taxes
                .into_iter()
                .map(|tax| tax.into_tax_line(at))
                .collect::<Outcome<_>>()?,
        }))
    }

    /// Converts the row of a processed period to a check.
    pub(crate) fn into_processed_check(
        self,
        pay_period_id: &PayPeriodId,
        check_date: Date,
    ) -> Outcome<ProcessedCheck> {
        let at = RowLocation { table: "checks", key: &self.paycheck_id };
        let completion = read_completion(at, self.completion.as_deref())?;
        let lines: Vec<PackedLine<'_>> = packed::from_json(at, &self.lines)?;
        let lines = lines.into_iter().chain(completion.deductions).map(|line| line.into_processed_line(at));
        let taxes = completion.taxes.into_iter().map(|tax| tax.into_tax_line(at));
        Ok(ProcessedCheck {
            paycheck_id: at.parse_id(&self.paycheck_id)?,
            worker_id: at.parse_id(&self.worker_id)?,
            pay_period_id: pay_period_id.clone(),
            correlation_id: self.correlation_id,
            check_date,
            net_pay: require_amount(at, self.net_pay)?,
            gross_earnings: require_amount(at, self.gross_earnings)?,
            check_type: self
                .check_type
                .ok_or_else(|| at.corruption_failure("a processed check has no type"))?,
            check_number: self.check_number,
            reversal_of: self.reversal_of.as_deref().map(|id| at.parse_id(id)).transpose()?,
            lines: lines.collect::<Outcome<_>>()?,
            taxes: taxes.collect::<Outcome<_>>()?,
        })
    }
}

impl StagedCompletionRow {
    /// Creates the row with the amounts of a completed check.
    pub(crate) fn new(from: &StagedCheck) -> Outcome<Self> {
        Ok(Self {
            paycheck_id: from.paycheck_id.to_string(),
            net_pay: require_ten_thousandths(from.pay.net_pay.to_ten_thousandths())?,
            gross_earnings: require_ten_thousandths(from.pay.gross_earnings.to_ten_thousandths())?,
            check_type: from.check_type.clone(),
            check_number: from.check_number.clone(),
            completion: pack_completion(&from.deductions, &from.taxes)?,
        })
    }
}

/// Returns an amount that every processed check must have.
fn require_amount(at: RowLocation<'_>, stored: Option<i64>) -> Outcome<Amount> {
    at.read_amount(stored.ok_or_else(|| at.corruption_failure("a processed check has no pay"))?)
}

/// Parses the completion data that every processed check must have.
fn read_completion<'c>(at: RowLocation<'_>, completion: Option<&'c str>) -> Outcome<PackedCompletion<'c>> {
    packed::from_json(
        at,
        completion.ok_or_else(|| at.corruption_failure("a processed check has no completion"))?,
    )
}

/// Returns the completion data as JSON text.
fn pack_completion(deductions: &[ProcessedLine], taxes: &[TaxLine]) -> Outcome<String> {
    packed::to_json(&PackedCompletion {
        deductions: deductions.iter().map(PackedLine::from_processed_line).collect::<Outcome<_>>()?,
        taxes: taxes.iter().map(PackedTax::new).collect::<Outcome<_>>()?,
    })
}
