//! The pay periods of an import, processed ones with their checks.

use std::collections::{HashMap, HashSet};

use payroll_domain::company::ImportedPeriod;
use payroll_domain::pay_period::PeriodStatus;
use payroll_ports::import::ImportCounts;

use super::diff::{stored, write_objects};
use super::{Conn, Import, add, dialect};
use crate::error::Outcome;
use crate::fixed::{Bind, binds, command, query, sql};
use crate::rows::checks::{CheckRow, LineRow, Place, TaxRow};
use crate::rows::lists::PayPeriodRow;
use crate::table::{OnConflict, Table, content};

/// Stores the periods and their checks; every check is an object of its own.
pub(super) async fn store(conn: &Conn, import: &Import) -> Outcome<ImportCounts> {
    let (id, periods) = (import.company_id(), &import.whole.pay_periods);
    if periods.is_empty() {
        return Ok(ImportCounts::default());
    }
    let known: Vec<PayPeriodRow> = stored(conn, id).await?;
    let numbered = import.numbered(periods);
    let mut rows: Vec<_> =
        numbered.map(|(created, from)| PayPeriodRow::new(id, created, &from.period)).collect();
    stay_in_entry(&known, &mut rows);
    let changed = changed(&known, &rows);
    let mut counts = write_objects(conn, &known, rows, |_| false).await?;
    for imported in periods {
        let period_id = imported.period.pay_period_id.as_str();
        let stored_count = known.iter().find(|row| row.pay_period_id == period_id);
        let checks = checks(conn, id, imported, stored_count.map_or(0, |row| row.check_count)).await?;
        if changed.contains(period_id) || checks.created + checks.changed > 0 {
            grow(conn, id, period_id, checks.created).await?;
        }
        add(&mut counts, checks);
    }
    Ok(counts)
}

/// A period that was INITIAL when the file was written and has got checks since stays in ENTRY.
fn stay_in_entry(known: &[PayPeriodRow], wanted: &mut [PayPeriodRow]) {
    let (initial, entry) = (PeriodStatus::Initial.as_str(), PeriodStatus::Entry.as_str());
    for row in wanted.iter_mut().filter(|row| row.status == initial) {
        let mut stored = known.iter().filter(|stored| stored.pay_period_id == row.pay_period_id);
        if stored.any(|stored| stored.status == entry && stored.check_count > 0) {
            entry.clone_into(&mut row.status);
        }
    }
}

fn changed(known: &[PayPeriodRow], wanted: &[PayPeriodRow]) -> HashSet<String> {
    let stored: HashMap<_, _> = known.iter().map(|row| (row.pay_period_id.as_str(), content(row))).collect();
    let differs = |row: &&PayPeriodRow| stored.get(row.pay_period_id.as_str()) != Some(&content(*row));
    wanted.iter().filter(differs).map(|row| row.pay_period_id.clone()).collect()
}

/// The period has changed, and has so many checks more.
async fn grow(conn: &Conn, company_id: &str, period_id: &str, checks: u64) -> Outcome<()> {
    const GROW: &str = "UPDATE pay_periods SET check_count = check_count + $1, version = version + 1 \
        WHERE company_id = $2 AND pay_period_id = $3";
    let checks = i64::try_from(checks).unwrap_or(i64::MAX);
    conn.execute(command(GROW, binds![checks, company_id, period_id])).await?;
    Ok(())
}

/// The rows of one check.
#[derive(Default)]
struct Rows {
    lines: Vec<LineRow>,
    taxes: Vec<TaxRow>,
}

async fn checks(
    conn: &Conn,
    company_id: &str,
    imported: &ImportedPeriod,
    mut last: i64,
) -> Outcome<ImportCounts> {
    if imported.processed_checks.is_empty() {
        return Ok(ImportCounts::default());
    }
    let period_id = imported.period.pay_period_id.as_str();
    let (known, mut owned) = of_period(conn, company_id, period_id).await?;
    let ordinals: HashMap<_, _> = known.iter().map(|row| (row.paycheck_id.as_str(), row.ordinal)).collect();
    let (mut rows, mut new, mut rewritten) = (Vec::new(), Rows::default(), HashSet::new());
    for check in &imported.processed_checks {
        let ordinal = ordinals.get(check.paycheck_id.as_str()).copied().unwrap_or_else(|| {
            last += 1;
            last
        });
        let place = Place { company_id, pay_period_id: period_id, ordinal };
        rows.push(CheckRow::processed(place, check)?);
        let lines = (1..).zip(&check.lines).map(|(at, line)| LineRow::processed(place, at, line));
        let taxes = (1..).zip(&check.taxes).map(|(at, tax)| TaxRow::new(place, at, tax));
        let wanted = Rows { lines: lines.collect::<Outcome<_>>()?, taxes: taxes.collect::<Outcome<_>>()? };
        if let Some(found) = owned.remove(&ordinal) {
            if same(&found, &wanted) {
                continue;
            }
            rewritten.insert(ordinal);
        }
        new.lines.extend(wanted.lines);
        new.taxes.extend(wanted.taxes);
    }
    for ordinal in &rewritten {
        forget(conn, company_id, period_id, *ordinal).await?;
    }
    let counts = write_objects(conn, &known, rows, |row| rewritten.contains(&row.ordinal)).await?;
    dialect::bulk(conn, OnConflict::Fail, &new.lines).await?;
    dialect::bulk(conn, OnConflict::Fail, &new.taxes).await?;
    Ok(counts)
}

async fn of_period(
    conn: &Conn,
    company_id: &str,
    period_id: &str,
) -> Outcome<(Vec<CheckRow>, HashMap<i64, Rows>)> {
    macro_rules! of_period {
        ($row:ty) => {{
            const TEXT: &str = sql![
                "SELECT ",
                <$row>::COLUMNS,
                " FROM ",
                <$row>::NAME,
                " WHERE company_id = $1 AND pay_period_id = $2"
            ];
            conn.rows(query::<<$row as Table>::Sql>(TEXT, binds![company_id, period_id])).await?
        }};
    }
    let (checks, lines, taxes): (Vec<CheckRow>, Vec<LineRow>, Vec<TaxRow>) =
        (of_period!(CheckRow), of_period!(LineRow), of_period!(TaxRow));
    let mut owned: HashMap<i64, Rows> = checks.iter().map(|row| (row.ordinal, Rows::default())).collect();
    for line in lines {
        owned.entry(line.ordinal).or_default().lines.push(line);
    }
    for tax in taxes {
        owned.entry(tax.ordinal).or_default().taxes.push(tax);
    }
    Ok((checks, owned))
}

fn same(stored: &Rows, wanted: &Rows) -> bool {
    sorted(&stored.lines) == sorted(&wanted.lines) && sorted(&stored.taxes) == sorted(&wanted.taxes)
}

fn sorted<T: Table>(rows: &[T]) -> HashSet<Vec<Bind<'_>>> {
    rows.iter().map(content).collect()
}

async fn forget(conn: &Conn, company_id: &str, period_id: &str, ordinal: i64) -> Outcome<()> {
    const LINES: &str =
        "DELETE FROM check_lines WHERE company_id = $1 AND pay_period_id = $2 AND ordinal = $3";
    const TAXES: &str =
        "DELETE FROM check_taxes WHERE company_id = $1 AND pay_period_id = $2 AND ordinal = $3";
    for text in [LINES, TAXES] {
        conn.execute(command(text, binds![company_id, period_id, ordinal])).await?;
    }
    Ok(())
}
