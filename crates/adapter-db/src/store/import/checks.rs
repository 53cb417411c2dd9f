//! The checks of processed periods in an import. The store has no operation that writes a single processed
//! check. This module therefore compares the imported rows with the stored rows, and writes the differences.

use std::collections::{HashMap, HashSet};

use payroll_domain::audit::AuditedKind;
use payroll_domain::check::{ProcessedCheck, Section, Totals};
use payroll_domain::complete_company::{CompleteCompany, ImportedPeriod};
use payroll_domain::date::Timestamp;
use payroll_domain::pay_period::PayPeriod;
use payroll_ports::import::ImportCounts;

use super::super::audit_log::AuditedObject;
use super::super::periods::archive_blocks;
use super::company_import::CompanyImport;
use super::{Conn, dialect};
use crate::error::{Failure, Outcome};
use crate::rows::checks::{CheckRow, CheckRowKey};
use crate::rows::ids::PaycheckIdRow;
use crate::rows::period_totals::PeriodTotalsRow;
use crate::statement::{BindValue, binds, command, query, sql};
use crate::table::{OnConflict, TableDefinition, replaceable_values};

/// Stores the checks of the periods. In the counts of the import, every check is one object.
pub(super) async fn store_checks(
    company_import: &mut CompanyImport<'_>,
    complete: &CompleteCompany,
) -> Outcome<()> {
    for imported in complete.pay_periods.iter().filter(|imported| !imported.processed_checks.is_empty()) {
        store_period(company_import, imported).await?;
    }
    Ok(())
}

async fn store_period(company_import: &mut CompanyImport<'_>, imported: &ImportedPeriod) -> Outcome<()> {
    let (conn, company_id) = (company_import.context.conn, company_import.context.company_id);
    let period_id = imported.period.pay_period_id.as_str();
    let is_archived =
        !company_import.is_new && archive_blocks::is_archived(conn, company_id, period_id).await?;
    let stored = if company_import.is_new {
        Vec::new()
    } else if is_archived {
        archive_blocks::read_all_checks(conn, company_id, period_id).await?
    } else {
        read_check_rows_of_period(conn, company_id, period_id).await?
    };
    let difference = ImportedCheckChanges::from_stored_and_imported(stored, (company_id, imported))?;
    company_import.add_counts(difference.counts);
    if difference.new.is_empty() {
        return Ok(());
    }
    if is_archived {
        let rule = "was archived, so checks cannot be added or changed";
        return Err(Failure::Refused(vec![format!("pay period {period_id} {rule}")]));
    }
    company_import.require_changeable()?;
    difference.check_no_open_reversal(conn, company_id).await?;
    let about = AuditedObject { company_id: Some(company_id), kind: AuditedKind::Checks, id: period_id };
    company_import.record_change(about, None, Some(difference.to_audit_document(period_id)));
    difference.store_new_and_changed_checks(conn, company_id).await?;
    let (checks, totals) = (difference.counts.created, &difference.sums.totals);
    add_to_period(conn, (company_id, period_id), checks, totals, company_import.import_time()).await
}

/// Increases the period's version and its number of checks, and stores the totals.
async fn add_to_period(
    conn: &Conn,
    (company_id, period_id): (&str, &str),
    checks: u64,
    totals: &Totals,
    now: Timestamp,
) -> Outcome<()> {
    const UPDATE_PERIOD_TOTALS: &str = "UPDATE pay_periods SET check_count = check_count + $1, version = version + 1, \
            total_workers = $2, total_gross_earnings = $3, total_net_pay = $4, \
            total_employee_taxes = $5, total_employer_taxes = $6, total_deductions = $7, \
            modified = $8 \
        WHERE company_id = $9 AND pay_period_id = $10";
    let checks = i64::try_from(checks).unwrap_or(i64::MAX);
    let totals = PeriodTotalsRow::new(totals)?;
    let mut values: Vec<_> = binds![checks].into();
    values.extend(totals.bind_values());
    values.extend(binds![now.as_micros(), company_id, period_id]);
    conn.execute(command!(UPDATE_PERIOD_TOTALS, values)).await?;
    Ok(())
}

/// The totals of all checks that a period has after the import.
#[derive(Default)]
struct CheckSums {
    totals: Totals,
    workers: HashSet<String>,
}

impl CheckSums {
    fn add(&mut self, check: &ProcessedCheck) -> Outcome<()> {
        let too_large = || {
            let id = &check.pay_period_id;
            Failure::Refused(vec![format!("a total of pay period {id} exceeds the maximum")])
        };
        self.totals = self.totals.add_processed_check(check).ok_or_else(too_large)?;
        self.workers.insert(check.worker_id.to_string());
        self.totals.workers = u64::try_from(self.workers.len()).unwrap_or(u64::MAX);
        Ok(())
    }
}

/// The changes that the import makes to the checks of a period.
#[derive(Default)]
struct ImportedCheckChanges {
    counts: ImportCounts,
    /// The rows to write: new checks, and changed checks with the content of the file.
    new: Vec<CheckRow>,
    /// The stored rows of the changed checks, before the change.
    old: Vec<CheckRow>,
    /// The ids of the new checks.
    ids: Vec<PaycheckIdRow>,
    /// The totals of all checks, including stored checks that are not in the file.
    sums: CheckSums,
}

impl ImportedCheckChanges {
    fn from_stored_and_imported(
        stored: Vec<CheckRow>,
        (company_id, imported): (&str, &ImportedPeriod),
    ) -> Outcome<Self> {
        let mut last = stored.iter().map(|row| row.ordinal).max().unwrap_or(0);
        let mut stored: HashMap<String, CheckRow> =
            stored.into_iter().map(|row| (row.paycheck_id.clone(), row)).collect();
        let mut difference = Self::default();
        for check in &imported.processed_checks {
            difference.sums.add(check)?;
            let found = stored.remove(check.paycheck_id.as_str());
            let ordinal = found.as_ref().map_or(last + 1, |found| found.ordinal);
            last = last.max(ordinal);
            let pay_period_id = imported.period.pay_period_id.as_str();
            let row =
                CheckRow::from_processed_check(CheckRowKey { company_id, pay_period_id, ordinal }, check)?;
            match found {
                Some(found)
                    if replaceable_values(&to_imported_form(found.clone(), &imported.period)?)
                        == replaceable_values(&row) =>
                {
                    difference.counts.unchanged += 1;
                }
                Some(found) => {
                    difference.counts.changed += 1;
                    // The file does not contain the application that added the check, so the stored
                    // application id is copied.
                    let application_id = found.application_id.clone();
                    difference.old.push(found);
                    difference.new.push(CheckRow { application_id, ..row });
                }
                None => {
                    difference.counts.created += 1;
                    let paycheck_id = row.paycheck_id.clone();
                    difference.ids.push(PaycheckIdRow { paycheck_id, company_id: company_id.to_owned() });
                    difference.new.push(row);
                }
            }
        }
        for row in stored.into_values() {
            let period = &imported.period;
            difference.sums.add(&row.into_processed_check(&period.pay_period_id, period.check_date)?)?;
        }
        Ok(difference)
    }

    /// Returns the document for the audit log, which contains only the ids of the checks.
    fn to_audit_document(&self, period_id: &str) -> String {
        let ids: Vec<&str> = self.new.iter().map(|row| row.paycheck_id.as_str()).collect();
        // The ids are inserted into the JSON text without escaping, because ids contain no characters that
        // JSON escapes.
        format!("{{\"payPeriodId\":\"{period_id}\",\"paycheckIds\":[\"{}\"]}}", ids.join("\",\""))
    }

    /// Writes the checks in bulk. Changed checks replace their rows.
    async fn store_new_and_changed_checks(&self, conn: &Conn, company_id: &str) -> Outcome<()> {
        self.require_unused_check_ids(conn, company_id).await?;
        dialect::bulk_insert(conn, OnConflict::Fail, &self.ids).await?;
        dialect::bulk_delete(conn, &self.old).await?;
        dialect::bulk_insert(conn, OnConflict::Fail, &self.new).await?;
        Ok(())
    }
}

/// The number of ids that one statement looks up.
const MAX_IDS_PER_STATEMENT: usize = 500;

impl ImportedCheckChanges {
    /// Verifies that no changed pay check has a reversal in a period that is not completed. Such a reversal
    /// contains a copy of the check's pay, which would differ from the changed check.
    async fn check_no_open_reversal(&self, conn: &Conn, company_id: &str) -> Outcome<()> {
        // Each reversal is looked up individually. With a join, SQLite would read all checks of the company.
        const SELECT_OPEN_REVERSALS: &str = concat!(
            "SELECT original, reversal FROM (SELECT changed.value AS original, (SELECT r.paycheck_id FROM checks r \
                JOIN pay_periods p ON p.company_id = $1 AND p.pay_period_id = r.pay_period_id \
                WHERE r.company_id = $1 AND r.reversal_of = changed.value \
                AND p.status IN ('INITIAL', 'ENTRY', 'PROCESSING') LIMIT 1) AS reversal FROM ",
            dialect::list_as_rows!("$2"),
            " changed) found WHERE reversal IS NOT NULL LIMIT 1"
        );
        for some in self.old.chunks(MAX_IDS_PER_STATEMENT) {
            let ids = dialect::bind_list(some.iter().map(|row| row.paycheck_id.as_str()));
            let found: Option<(String, String)> =
                conn.query_row(query!(SELECT_OPEN_REVERSALS, [BindValue::from(company_id), ids])).await?;
            if let Some((original, reversal)) = found {
                let rule = "is not completed. Delete the reversal before you change the check";
                let refusal = format!("check {original} has the reversal {reversal}, which {rule}");
                return Err(Failure::Refused(vec![refusal]));
            }
        }
        Ok(())
    }

    /// Verifies that no new id belongs to a pay check that was added to another company through the API. The
    /// unique index on the ids of imported checks does not contain these ids, because they are only stored in
    /// the rows of the added checks.
    async fn require_unused_check_ids(&self, conn: &Conn, company_id: &str) -> Outcome<()> {
        const SELECT_FOREIGN_CHECK_IDS: &str = concat!(
            "SELECT paycheck_id FROM checks WHERE paycheck_id",
            dialect::equals_any!("$1"),
            " AND company_id <> $2 LIMIT 1"
        );
        for some in self.ids.chunks(MAX_IDS_PER_STATEMENT) {
            let ids = dialect::bind_list(some.iter().map(|row| row.paycheck_id.as_str()));
            if conn
                .query_row::<(String,)>(query!(SELECT_FOREIGN_CHECK_IDS, [ids, BindValue::from(company_id)]))
                .await?
                .is_some()
            {
                return Err(Failure::Taken("checks_paycheck_id".to_owned()));
            }
        }
        Ok(())
    }
}

/// Converts a stored check to the form in which an import would store it. A check that was completed on this
/// server, or archived, is stored in a different form. After the conversion, the row of an unchanged check
/// equals the row that the import would store.
fn to_imported_form(row: CheckRow, period: &PayPeriod) -> Outcome<CheckRow> {
    let (company_id, ordinal) = (row.company_id.clone(), row.ordinal);
    let mut check = row.into_processed_check(&period.pay_period_id, period.check_date)?;
    check.lines.sort_by_key(|line| Section::ALL.iter().position(|section| *section == line.section));
    let pay_period_id = period.pay_period_id.as_str();
    CheckRow::from_processed_check(CheckRowKey { company_id: &company_id, pay_period_id, ordinal }, &check)
}

async fn read_check_rows_of_period(conn: &Conn, company_id: &str, period_id: &str) -> Outcome<Vec<CheckRow>> {
    const SELECT_CHECKS: &str =
        sql!["SELECT ", CheckRow::COLUMNS, " FROM checks WHERE company_id = $1 AND pay_period_id = $2"];
    conn.query_rows(query!(SELECT_CHECKS, binds![company_id, period_id])).await
}
