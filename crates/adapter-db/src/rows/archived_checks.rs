//! The checks of archived pay periods as compressed blocks of rows, and the progress of archiving.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};

use crate::error::{Failure, Outcome};
use crate::rows::RowLocation;
use crate::rows::checks::CheckRow;
use crate::table::table;

/// The name of the table in error messages.
const TABLE: &str = "archived_checks";

table! {
    /// A block of consecutive checks of an archived period.
    struct ArchivedChecksRow in "archived_checks" key "company_id, pay_period_id, position" {
        company_id: text,
        pay_period_id: text,
        position: int,
        checks: int,
        size: int,
        document: bytes,
    }
}

table! {
    /// The archiving of a pay period and its progress.
    struct CheckArchiveRow in "check_archives" key "company_id, pay_period_id" {
        company_id: text,
        pay_period_id: text,
        attempt: text,
        claimed_until: int,
        period_version: int,
        packed_through: int,
        checks: int,
        sha256: text_or_null,
        archived: int_or_null,
        erased: int_or_null,
    }
}

table! {
    /// A worker who has archived checks.
    struct ArchivedWorkerRow in "archived_workers" key "company_id, worker_id" {
        company_id: text,
        worker_id: text,
    }
}

/// A check in a block. Columns with the same value in the complete block are not repeated, and absent members
/// are omitted.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct PackedCheck {
    ordinal: i64,
    paycheck_id: String,
    worker_id: String,
    application_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    correlation_id: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    block_auto_distribution: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    net_pay: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gross_earnings: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    check_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    check_number: Option<String>,
    lines: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    completion: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reversal_of: Option<String>,
}

impl ArchivedChecksRow {
    /// Packs rows into a block. `position` is the number of checks in the period before this block. `None` if
    /// there are no rows.
    pub(crate) fn pack_rows(position: i64, rows: Vec<CheckRow>) -> Outcome<Option<Self>> {
        let Some(first) = rows.first() else { return Ok(None) };
        let (company_id, pay_period_id) = (first.company_id.clone(), first.pay_period_id.clone());
        let packed: Vec<PackedCheck> = rows.into_iter().map(PackedCheck::from).collect();
        let unpackable = |problem: &dyn std::fmt::Display| {
            Failure::Bug(format!("checks cannot be packed into a block: {problem}"))
        };
        let text = serde_json::to_vec(&packed).map_err(|error| unpackable(&error))?;
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(&text).map_err(|error| unpackable(&error))?;
        Ok(Some(Self {
            company_id,
            pay_period_id,
            position,
            checks: i64::try_from(packed.len()).unwrap_or(i64::MAX),
            size: i64::try_from(text.len()).unwrap_or(i64::MAX),
            document: encoder.finish().map_err(|error| unpackable(&error))?,
        }))
    }

    /// Unpacks the rows of the block. Decompression stops at the size that the block specifies, so that a
    /// corrupt block cannot fill the memory.
    pub(crate) fn unpack_rows(&self) -> Outcome<Vec<CheckRow>> {
        let key = format!("{} {} {}", self.company_id, self.pay_period_id, self.position);
        let at = RowLocation { table: TABLE, key: &key };
        let size: u64 = at.read_number(self.size)?;
        let mut text = Vec::new();
        GzDecoder::new(self.document.as_slice())
            .take(size.saturating_add(1))
            .read_to_end(&mut text)
            .map_err(|error| at.corruption_failure(format!("the data cannot be decompressed: {error}")))?;
        if u64::try_from(text.len()).ok() != Some(size) {
            return Err(at.corruption_failure("the size differs from its header"));
        }
        let packed: Vec<PackedCheck> = serde_json::from_slice(&text)
            .map_err(|error| at.corruption_failure(format!("the checks cannot be read: {error}")))?;
        if i64::try_from(packed.len()).ok() != Some(self.checks) {
            return Err(at.corruption_failure("the number of checks differs from its header"));
        }
        Ok(packed
            .into_iter()
            .map(|check| check.into_check_row(&self.company_id, &self.pay_period_id))
            .collect())
    }
}

impl From<CheckRow> for PackedCheck {
    fn from(row: CheckRow) -> Self {
        Self {
            ordinal: row.ordinal,
            paycheck_id: row.paycheck_id,
            worker_id: row.worker_id,
            application_id: row.application_id,
            correlation_id: row.correlation_id,
            block_auto_distribution: row.block_auto_distribution,
            net_pay: row.net_pay,
            gross_earnings: row.gross_earnings,
            check_type: row.check_type,
            check_number: row.check_number,
            lines: row.lines,
            completion: row.completion,
            reversal_of: row.reversal_of,
        }
    }
}

impl PackedCheck {
    fn into_check_row(self, company_id: &str, pay_period_id: &str) -> CheckRow {
        CheckRow {
            company_id: company_id.to_owned(),
            pay_period_id: pay_period_id.to_owned(),
            ordinal: self.ordinal,
            paycheck_id: self.paycheck_id,
            worker_id: self.worker_id,
            application_id: self.application_id,
            correlation_id: self.correlation_id,
            block_auto_distribution: self.block_auto_distribution,
            net_pay: self.net_pay,
            gross_earnings: self.gross_earnings,
            check_type: self.check_type,
            check_number: self.check_number,
            lines: self.lines,
            completion: self.completion,
            reversal_of: self.reversal_of,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::TableDefinition;

    fn check_row(ordinal: i64) -> CheckRow {
        CheckRow {
            company_id: "acme".to_owned(),
            pay_period_id: "paid".to_owned(),
            ordinal,
            paycheck_id: format!("c{ordinal}"),
            worker_id: "w1".to_owned(),
            application_id: String::new(),
            correlation_id: Some("\u{fc} \"quoted\"".to_owned()),
            block_auto_distribution: ordinal == 2,
            net_pay: Some(-1),
            gross_earnings: Some(1_600_000),
            check_type: Some("Regular".to_owned()),
            check_number: None,
            lines: r#"[{"name":"A \"line\""}]"#.to_owned(),
            completion: Some(r#"{"deductions":[],"taxes":[]}"#.to_owned()),
            reversal_of: (ordinal == 3).then(|| "c1".to_owned()),
        }
    }

    fn archived_block() -> ArchivedChecksRow {
        ArchivedChecksRow::pack_rows(7, (1..=3).map(check_row).collect()).unwrap().unwrap()
    }

    #[test]
    fn check_rows_survive_packing_and_unpacking() {
        let rows = archived_block().unpack_rows().unwrap();
        assert_eq!((archived_block().position, archived_block().checks), (7, 3));
        for (read, ordinal) in rows.iter().zip(1..) {
            assert_eq!(read.bind_values(), check_row(ordinal).bind_values());
        }
        assert!(ArchivedChecksRow::pack_rows(0, Vec::new()).unwrap().is_none());
    }

    #[test]
    fn reports_an_inconsistent_block_as_corrupt() {
        let mut cut = archived_block();
        cut.document.truncate(20);
        let spoilt = [
            cut,
            ArchivedChecksRow { size: 10, ..archived_block() },
            ArchivedChecksRow { size: i64::MAX, ..archived_block() },
            ArchivedChecksRow { size: -1, ..archived_block() },
            ArchivedChecksRow { checks: 2, ..archived_block() },
        ];
        for block in spoilt {
            assert!(matches!(block.unpack_rows(), Err(Failure::Corrupt { table: TABLE, .. })), "{block:?}");
        }
    }
}
