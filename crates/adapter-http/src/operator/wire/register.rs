//! The payroll register, as operators see it (specification §11.24): a document for each check, or CSV with a
//! row for each line and tax.

use actix_web::web::Bytes;
use futures_util::stream::{self, StreamExt};
use payroll_domain::check::{PaidBy, ProcessedLine, RegisterCheck, Section, TaxLine};
use payroll_domain::money::Amount;
use payroll_ports::{BoxError, Rows};
use serde::Serialize;

use super::csv::{CsvWriter, escape_text, write_csv};
use crate::shared::wire::value::{Day, DisplayedText};
use crate::shared::wire::{Content, ProcessedCheckSectionLines, Taxes};

/// The number of bytes after which a chunk of the CSV is sent. This size limits the memory for rows.
const MAX_CHUNK_BYTES: usize = 64 * 1_024;

/// The names of the columns.
const CSV_COLUMNS: [&str; 22] = [
    "payPeriodId",
    "checkDate",
    "paycheckId",
    "checkNumber",
    "checkType",
    "final",
    "workerId",
    "employeeId",
    "familyName",
    "givenName",
    "kind",
    "componentId",
    "name",
    "effectOnPay",
    "hours",
    "units",
    "rate",
    "amount",
    "organizationId",
    "organizationName",
    "organizationNumber",
    "reversalOf",
];

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct RegisterResource<'a> {
    pay_period_id: &'a str,
    paycheck_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    check_correlation_id: Option<&'a str>,
    check_date: Day,
    worker_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    employee_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    family_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    given_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    check_type: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    check_number: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reversal_of: Option<&'a str>,
    r#final: bool,
    gross_earnings: DisplayedText<Amount>,
    #[serde(skip_serializing_if = "Option::is_none")]
    net_pay: Option<DisplayedText<Amount>>,
    #[serde(skip_serializing_if = "ProcessedCheckSectionLines::is_empty")]
    earnings: ProcessedCheckSectionLines<'a>,
    #[serde(skip_serializing_if = "ProcessedCheckSectionLines::is_empty")]
    deductions: ProcessedCheckSectionLines<'a>,
    #[serde(skip_serializing_if = "ProcessedCheckSectionLines::is_empty")]
    informational: ProcessedCheckSectionLines<'a>,
    #[serde(skip_serializing_if = "Taxes::is_empty")]
    taxes: Taxes<'a>,
}

/// Serializes a check of the register to JSON.
///
/// # Errors
/// Serialization cannot fail, because a check contains only strings and numbers.
pub(crate) fn register_check_json(check: &RegisterCheck) -> serde_json::Result<String> {
    let worker = check.worker.as_ref();
    let lines = |section| ProcessedCheckSectionLines::in_section(&check.lines, section);
    serde_json::to_string(&RegisterResource {
        pay_period_id: check.pay_period_id.as_str(),
        paycheck_id: check.paycheck_id.as_str(),
        check_correlation_id: check.correlation_id.as_deref(),
        check_date: Day(check.check_date),
        worker_id: check.worker_id.as_str(),
        employee_id: worker.and_then(|worker| worker.employee_id.as_deref()),
        family_name: worker.map(|worker| worker.family_name.as_str()),
        given_name: worker.map(|worker| worker.given_name.as_str()),
        check_type: check.check_type.as_deref(),
        check_number: check.check_number.as_deref(),
        reversal_of: check.reversal_of.as_ref().map(|id| id.as_str()),
        r#final: check.net_pay.is_some(),
        gross_earnings: DisplayedText(check.gross_earnings),
        net_pay: check.net_pay.map(DisplayedText),
        earnings: lines(Section::Earnings),
        deductions: lines(Section::Deductions),
        informational: lines(Section::Informational),
        taxes: Taxes::new(&check.taxes),
    })
}

/// Writes the register as CSV (RFC 4180). If the rows are a stream, the CSV is also a stream.
///
/// # Errors
/// Writing a row into memory cannot fail.
pub(crate) fn register_csv(rows: Rows<RegisterCheck>) -> Result<Content, BoxError> {
    let head = write_csv(|csv| csv.write_record(CSV_COLUMNS))?;
    match rows {
        Rows::All(checks) => {
            let parts: Vec<Vec<u8>> = CsvChunks(checks.into_iter()).collect::<Result<_, _>>()?;
            Ok(Content::Complete([head, parts.concat()].concat()))
        }
        Rows::Stream(chunks) => {
            let parts = chunks.flat_map(|chunk| match chunk {
                Ok(checks) => stream::iter(CsvChunks(checks.into_iter())).left_stream(),
                Err(error) => stream::iter([Err(error.into())]).right_stream(),
            });
            let parts = stream::iter([Ok(head)]).chain(parts);
            Ok(Content::Stream(parts.map(|part| part.map(Bytes::from)).boxed()))
        }
    }
}

/// An iterator over the chunks of the CSV. Each chunk is created on demand.
struct CsvChunks(std::vec::IntoIter<RegisterCheck>);

impl Iterator for CsvChunks {
    type Item = Result<Vec<u8>, BoxError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut part = Vec::new();
        while part.len() < MAX_CHUNK_BYTES {
            let Some(check) = self.0.next() else { break };
            match write_csv(|csv| write_check(csv, &check)) {
                Ok(rows) => part.extend(rows),
                Err(error) => return Some(Err(error)),
            }
        }
        (!part.is_empty()).then_some(Ok(part))
    }
}

/// Writes the rows of a check: its lines, its taxes, and its totals.
fn write_check(csv: &mut CsvWriter, check: &RegisterCheck) -> csv::Result<()> {
    for line in &check.lines {
        write_row(csv, check, &RegisterEntry::from_line(line))?;
    }
    for tax in &check.taxes {
        write_row(csv, check, &RegisterEntry::from_tax(tax))?;
    }
    write_row(csv, check, &RegisterEntry::from_total("GROSS", check.gross_earnings))?;
    check.net_pay.map_or(Ok(()), |net_pay| write_row(csv, check, &RegisterEntry::from_total("NET", net_pay)))
}

/// The cells of a CSV row that differ between a line, a tax and a total.
struct RegisterEntry<'a> {
    kind: &'a str,
    name: &'a str,
    amount: Amount,
    line: Option<&'a ProcessedLine>,
}

impl<'a> RegisterEntry<'a> {
    fn from_line(line: &'a ProcessedLine) -> Self {
        let kind = match line.section {
            Section::Earnings => "EARNING",
            Section::Deductions => "DEDUCTION",
            Section::Informational => "INFORMATIONAL",
        };
        Self { kind, name: &line.component.name, amount: line.amount, line: Some(line) }
    }

    fn from_tax(tax: &'a TaxLine) -> Self {
        let kind = match tax.paid_by {
            PaidBy::Employee => "EMPLOYEE_TAX",
            PaidBy::Employer => "EMPLOYER_TAX",
        };
        Self { kind, name: &tax.name, amount: tax.amount, line: None }
    }

    fn from_total(kind: &'a str, amount: Amount) -> Self {
        Self { kind, name: "", amount, line: None }
    }
}

fn write_row(csv: &mut CsvWriter, check: &RegisterCheck, entry: &RegisterEntry<'_>) -> csv::Result<()> {
    let (worker, line) = (check.worker.as_ref(), entry.line);
    let unit = line.and_then(|line| line.organization.as_ref());
    let number = |text: Option<String>| text.unwrap_or_default();
    csv.write_record([
        escape_text(check.pay_period_id.as_str()).as_ref(),
        &check.check_date.to_string(),
        &escape_text(check.paycheck_id.as_str()),
        &escape_text(check.check_number.as_deref().unwrap_or_default()),
        &escape_text(check.check_type.as_deref().unwrap_or_default()),
        if check.net_pay.is_some() { "true" } else { "false" },
        &escape_text(check.worker_id.as_str()),
        &escape_text(worker.and_then(|worker| worker.employee_id.as_deref()).unwrap_or_default()),
        &escape_text(worker.map_or("", |worker| &worker.family_name)),
        &escape_text(worker.map_or("", |worker| &worker.given_name)),
        entry.kind,
        &escape_text(line.map_or("", |line| line.component.component_id.as_str())),
        &escape_text(entry.name),
        line.map_or("", |line| line.component.effect_on_pay.as_str()),
        &number(line.and_then(|line| line.hours).map(|hours| hours.to_string())),
        &number(line.and_then(|line| line.units).map(|units| units.to_string())),
        &number(line.and_then(|line| line.rate).map(|rate| rate.to_string())),
        &entry.amount.to_string(),
        &escape_text(unit.map_or("", |unit| unit.organization_id.as_str())),
        &escape_text(unit.map_or("", |unit| &unit.name)),
        &escape_text(unit.and_then(|unit| unit.number.as_deref()).unwrap_or_default()),
        &escape_text(check.reversal_of.as_ref().map_or("", |id| id.as_str())),
    ])
}

#[cfg(test)]
mod tests {
    use futures_util::TryStreamExt;
    use payroll_domain::check::WorkerLabel;

    use super::*;
    use crate::shared::wire::samples;

    fn register_check(family_name: &str) -> RegisterCheck {
        let worker = WorkerLabel {
            employee_id: None,
            family_name: family_name.to_owned(),
            given_name: "Ann, \"A\"".to_owned(),
        };
        RegisterCheck::from_processed_check(samples::processed_check(), Some(worker))
    }

    fn complete_csv(rows: Rows<RegisterCheck>) -> String {
        match register_csv(rows).unwrap() {
            Content::Complete(bytes) => String::from_utf8(bytes).unwrap(),
            Content::Stream(_) => panic!("it is whole"),
        }
    }

    #[test]
    fn a_check_has_a_row_for_each_line_and_tax_and_two_rows_of_totals() {
        let csv = complete_csv(Rows::All(vec![register_check("Sample")]));
        let rows: Vec<&str> = csv.split("\r\n").skip(1).collect();
        let of_check = "PP,2026-05-12,P1,1,Regular,true,W1,,Sample,\"Ann, \"\"A\"\"\"";
        let expected = [
            format!("{of_check},EARNING,HOURLY,Hourly,ADDITION,20,,20.0000,400.00,O1,Ovens,7,"),
            format!("{of_check},EMPLOYEE_TAX,,Federal Income Tax,,,,,28.33,,,,"),
            format!("{of_check},GROSS,,,,,,,400.00,,,,"),
            format!("{of_check},NET,,,,,,,371.67,,,,"),
            String::new(),
        ];
        assert_eq!(rows, expected);
    }

    #[test]
    fn csv_escapes_formulas_and_keeps_signs_of_numbers() {
        for (name, cell) in [
            ("=1+1", "'=1+1"),
            ("\u{ff0d}1", "'\u{ff0d}1"),
            ("\t=1", "'\t'=1"),
            ("\r=1", "'\r'=1"),
            ("Ann;=1", "Ann;'=1"),
            ("=HYPERLINK(\"http://h\")", "'=HYPERLINK(\"http://h\")"),
        ] {
            let mut negative = register_check(name);
            negative.net_pay = Amount::parse("-1").ok();
            let csv = complete_csv(Rows::All(vec![negative]));
            let mut reader = csv::Reader::from_reader(csv.as_bytes());
            let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
            assert!(rows.iter().all(|row| row[8] == *cell), "{csv}");
            assert_eq!(&rows.last().unwrap()[17], "-1.00");
        }
    }

    #[tokio::test]
    async fn a_stream_has_the_same_rows_for_any_chunk_size() {
        let checks = || (0..700).map(|_| register_check("Sample"));
        let chunks: Vec<_> =
            checks().collect::<Vec<_>>().chunks(250).map(|chunk| Ok(chunk.to_vec())).collect();
        let Content::Stream(parts) = register_csv(Rows::Stream(stream::iter(chunks).boxed())).unwrap() else {
            panic!("rows in chunks are streamed")
        };
        let parts: Vec<Bytes> = parts.try_collect().await.unwrap();
        assert!(parts.iter().all(|part| part.len() < MAX_CHUNK_BYTES + 4_096));
        assert_eq!(String::from_utf8(parts.concat()).unwrap(), complete_csv(Rows::All(checks().collect())));
    }
}
