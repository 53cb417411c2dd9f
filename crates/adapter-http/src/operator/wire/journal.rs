//! The journal of a pay period, as operators see it (specification §11.25): one document, or CSV with a row
//! for each debit and credit.

use payroll_domain::check::{Journal, JournalEntry, JournalSource};
use payroll_domain::money::Amount;
use payroll_domain::pay_period::PayPeriod;
use payroll_ports::BoxError;
use serde::Serialize;

use super::csv::{CsvWriter, escape_text, write_csv};
use crate::shared::wire::value::{Day, DisplayedText};

/// The names of the columns.
const CSV_COLUMNS: [&str; 13] = [
    "payPeriodId",
    "checkDate",
    "account",
    "debit",
    "credit",
    "kind",
    "componentId",
    "name",
    "effectOnPay",
    "paidBy",
    "organizationId",
    "organizationName",
    "organizationNumber",
];

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct JournalResource<'a> {
    pay_period_id: &'a str,
    check_date: Day,
    total_debit: DisplayedText<Amount>,
    total_credit: DisplayedText<Amount>,
    entries: Vec<EntryResource<'a>>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct EntryResource<'a> {
    account: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    debit: Option<DisplayedText<Amount>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    credit: Option<DisplayedText<Amount>>,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    component_id: Option<&'a str>,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    effect_on_pay: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    paid_by: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    organization_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    organization_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    organization_number: Option<&'a str>,
}

impl<'a> EntryResource<'a> {
    fn from_entry(entry: &'a JournalEntry) -> Self {
        let (kind, component_id, effect_on_pay, paid_by) = match &entry.source {
            JournalSource::Component { component_id, effect_on_pay } => {
                ("COMPONENT", Some(component_id.as_str()), Some(effect_on_pay.as_str()), None)
            }
            JournalSource::Tax { paid_by, .. } => ("TAX", None, None, Some(paid_by.as_str())),
        };
        let unit = entry.organization.as_ref();
        Self {
            account: &entry.account,
            debit: entry.is_debit.then_some(DisplayedText(entry.amount)),
            credit: (!entry.is_debit).then_some(DisplayedText(entry.amount)),
            kind,
            component_id,
            name: &entry.name,
            effect_on_pay,
            paid_by,
            organization_id: unit.map(|unit| unit.organization_id.as_str()),
            organization_name: unit.map(|unit| unit.name.as_str()),
            organization_number: unit.and_then(|unit| unit.number.as_deref()),
        }
    }
}

/// Serializes a journal to JSON.
///
/// # Errors
/// Serialization cannot fail, because the document contains only strings and numbers.
pub(crate) fn journal_json(period: &PayPeriod, journal: &Journal) -> serde_json::Result<String> {
    serde_json::to_string(&JournalResource {
        pay_period_id: period.pay_period_id.as_str(),
        check_date: Day(period.check_date),
        total_debit: DisplayedText(journal.total),
        total_credit: DisplayedText(journal.total),
        entries: journal.entries.iter().map(EntryResource::from_entry).collect(),
    })
}

/// Writes a journal as CSV.
///
/// # Errors
/// Writing into memory cannot fail.
pub(crate) fn journal_csv(period: &PayPeriod, journal: &Journal) -> Result<Vec<u8>, BoxError> {
    write_csv(|csv| {
        csv.write_record(CSV_COLUMNS)?;
        journal.entries.iter().try_for_each(|entry| write_row(csv, period, &EntryResource::from_entry(entry)))
    })
}

fn write_row(csv: &mut CsvWriter, period: &PayPeriod, entry: &EntryResource<'_>) -> csv::Result<()> {
    let amount = |amount: &Option<DisplayedText<Amount>>| amount.as_ref().map(|it| it.0.to_string());
    csv.write_record([
        escape_text(period.pay_period_id.as_str()).as_ref(),
        &period.check_date.to_string(),
        &escape_text(entry.account),
        &amount(&entry.debit).unwrap_or_default(),
        &amount(&entry.credit).unwrap_or_default(),
        entry.kind,
        &escape_text(entry.component_id.unwrap_or_default()),
        &escape_text(entry.name),
        entry.effect_on_pay.unwrap_or_default(),
        entry.paid_by.unwrap_or_default(),
        &escape_text(entry.organization_id.unwrap_or_default()),
        &escape_text(entry.organization_name.unwrap_or_default()),
        &escape_text(entry.organization_number.unwrap_or_default()),
    ])
}
