//! Processes rows between source and target, in three steps. Encrypted values are decrypted. In an anonymised
//! copy, the data of persons is replaced. Values are then encrypted with the keys of the target.

use super::anonymise::Anonymiser;
use super::columns::SourceTable;
use super::comparison::RowStatistics;
use super::error::CopyError;
use super::personal::{TableTreatment, treatment_of_table};
use super::progress::{CopyMessage, TextRow};
use super::sealed;
use crate::seal::Sealer;

/// The size of a batch in bytes, large enough to be efficient and small compared with the memory of a
/// process.
const MAX_BATCH_BYTES: usize = 256 * 1024;

/// The processing steps for every row.
pub(super) struct RowPipeline {
    pub(super) opens: Sealer,
    pub(super) seals: Sealer,
    pub(super) anonymiser: Option<Anonymiser>,
}

/// The rows of one table that were read but not sent to the target yet.
pub(super) struct RowBatch<'p> {
    table: &'p SourceTable,
    pipeline: &'p mut RowPipeline,
    rows: Vec<TextRow>,
    bytes: usize,
    tally: RowStatistics,
}

impl RowPipeline {
    /// Returns whether the copy changes values. If so, the counts and sums that SQL computes in the source do
    /// not apply to the target.
    pub(super) const fn changes_rows(&self) -> bool {
        self.anonymiser.is_some()
    }

    /// Returns whether the copy omits the rows of that table.
    pub(super) fn is_table_skipped(&self, table: &str) -> bool {
        self.changes_rows() && matches!(treatment_of_table(table), Some(TableTreatment::LeftOut))
    }

    /// Returns the tables in the order in which they are read. Pay periods come after checks, because the
    /// totals of a period are computed from its replaced checks. Returns an error if a table or a column has
    /// no treatment.
    pub(super) fn order_tables(&self, mut tables: Vec<SourceTable>) -> Result<Vec<SourceTable>, CopyError> {
        if self.changes_rows() {
            for table in &mut tables {
                if treatment_of_table(&table.name).is_none() {
                    let problem =
                        format!("this release does not know which data of table {} is personal", table.name);
                    return Err(CopyError::Tables(problem));
                }
                if self.is_table_skipped(&table.name) {
                    table.rows = 0;
                }
            }
            tables.sort_by_key(|table| table.name == "pay_periods");
        }
        Ok(tables)
    }

    /// Converts one row of the source for the target.
    fn process_row(&mut self, table: &SourceTable, row: &mut TextRow) -> Result<(), CopyError> {
        let refused = |at: usize, problem: &'static str| {
            let column = table.columns.get(at).map(|column| column.name.clone());
            CopyError::Value { table: table.name.clone(), column: column.unwrap_or_default(), problem }
        };
        let sealed = sealed::find_sealed_values(table, row);
        for (at, bound) in &sealed {
            let Some(value) = row.get_mut(*at) else { continue };
            let opened = value.as_deref().and_then(|text| self.opens.unseal(text, bound));
            *value = Some(opened.ok_or_else(|| refused(*at, "the keys of the source do not decrypt it"))?);
        }
        if let Some(anonymiser) = &mut self.anonymiser {
            anonymiser.anonymise_row(table, row).map_err(|(at, problem)| refused(at, problem))?;
        }
        let findable = sealed::read_tax_id_search_data(table, row);
        for (at, bound) in &sealed {
            let Some(value) = row.get_mut(*at) else { continue };
            *value = value.as_deref().map(|open| self.seals.seal(open, bound));
        }
        if let Some(findable) = findable {
            let stored = table.column_position("legal_id").and_then(|at| row.get(at)).cloned().flatten();
            let hash = self.seals.hash_last_four(&findable.company_id, &findable.digits);
            for (at, new) in [(findable.hash_at, Some(hash)), (findable.made_from_at, stored)] {
                if let Some(value) = row.get_mut(at) {
                    *value = new;
                }
            }
        }
        let nul = |value: &Option<String>| value.as_deref().is_some_and(|text| text.contains('\0'));
        row.iter()
            .position(nul)
            .map_or(Ok(()), |at| Err(refused(at, "PostgreSQL cannot store a text with a zero byte")))
    }
}

impl<'p> RowBatch<'p> {
    pub(super) fn new(table: &'p SourceTable, pipeline: &'p mut RowPipeline) -> Self {
        Self { table, pipeline, rows: Vec::new(), bytes: 0, tally: RowStatistics::new(table) }
    }

    /// Adds a row of the source. Returns a message with the collected rows as soon as they reach the size of
    /// a batch.
    pub(super) fn add(&mut self, mut row: TextRow) -> Result<Option<CopyMessage>, CopyError> {
        self.pipeline.process_row(self.table, &mut row)?;
        self.tally.add(self.table, &row);
        self.bytes += row.iter().flatten().map(String::len).sum::<usize>();
        self.rows.push(row);
        Ok(if self.bytes >= MAX_BATCH_BYTES { self.next_message() } else { None })
    }

    /// Returns a message with the remaining rows. `None` if no rows remain.
    pub(super) fn next_message(&mut self) -> Option<CopyMessage> {
        self.bytes = 0;
        Some(std::mem::take(&mut self.rows)).filter(|rows| !rows.is_empty()).map(CopyMessage::Rows)
    }

    /// Returns the counts and sums of the processed rows.
    pub(super) fn to_counts_and_sums(&self) -> Vec<String> {
        self.tally.to_counts_and_sums(self.table)
    }
}
