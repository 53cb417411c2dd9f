//! The checks of processed periods in an import: rows that are compared here, since no operator
//! writes checks one by one.

use std::collections::{HashMap, HashSet};

use payroll_domain::audit::AuditedKind;
use payroll_domain::check::ProcessedCheck;
use payroll_domain::whole_company::{ImportedPeriod, WholeCompany};
use payroll_ports::import::ImportCounts;

use super::super::trail::Audited;
use super::storing::Storing;
use super::{Conn, dialect};
use crate::error::Outcome;
use crate::fixed::{Bind, binds, command, query, sql};
use crate::rows::checks::{CheckRow, LineRow, Place, TaxRow};
use crate::table::{OnConflict, Table, content};

/// Stores the checks of the periods that have any; every check is an object of its own.
pub(super) async fn store(storing: &mut Storing<'_>, whole: &WholeCompany) -> Outcome<()> {
    for imported in whole.pay_periods.iter().filter(|imported| !imported.processed_checks.is_empty()) {
        store_period(storing, imported).await?;
    }
    Ok(())
}

async fn store_period(storing: &mut Storing<'_>, imported: &ImportedPeriod) -> Outcome<()> {
    let (conn, company_id) = (storing.home.conn, storing.home.company_id);
    let period_id = imported.period.pay_period_id.as_str();
    let stored = if storing.is_new { Vec::new() } else { of_period(conn, company_id, period_id).await? };
    let difference = Difference::between(stored, (company_id, imported))?;
    storing.count(difference.counts);
    if difference.new.is_empty() {
        return Ok(());
    }
    storing.may_change()?;
    let about = Audited { company_id: Some(company_id), kind: AuditedKind::Checks, id: period_id };
    storing.audit(about, None, Some(difference.document(period_id)));
    difference.write(conn).await?;
    grow(conn, company_id, period_id, difference.counts.created).await
}

/// The period has changed, and has so many checks more.
async fn grow(conn: &Conn, company_id: &str, period_id: &str, checks: u64) -> Outcome<()> {
    const GROW: &str = "UPDATE pay_periods SET check_count = check_count + $1, version = version + 1 \
        WHERE company_id = $2 AND pay_period_id = $3";
    let checks = i64::try_from(checks).unwrap_or(i64::MAX);
    conn.execute(command(GROW, binds![checks, company_id, period_id])).await?;
    Ok(())
}

/// A check as rows.
struct Rows {
    check: CheckRow,
    lines: Vec<LineRow>,
    taxes: Vec<TaxRow>,
}

impl Rows {
    fn of(place: Place<'_>, check: &ProcessedCheck) -> Outcome<Self> {
        let lines = (1..).zip(&check.lines).map(|(at, line)| LineRow::processed(place, at, line));
        let taxes = (1..).zip(&check.taxes).map(|(at, tax)| TaxRow::new(place, at, tax));
        Ok(Self {
            check: CheckRow::processed(place, check)?,
            lines: lines.collect::<Outcome<_>>()?,
            taxes: taxes.collect::<Outcome<_>>()?,
        })
    }

    fn same(&self, other: &Self) -> bool {
        content(&self.check) == content(&other.check)
            && contents(&self.lines) == contents(&other.lines)
            && contents(&self.taxes) == contents(&other.taxes)
    }
}

fn contents<T: Table>(rows: &[T]) -> HashSet<Vec<Bind<'_>>> {
    rows.iter().map(content).collect()
}

/// What the import changes about the checks of a period.
#[derive(Default)]
struct Difference {
    counts: ImportCounts,
    /// The checks that are new, and those that differ, as they will be.
    new: Vec<Rows>,
    /// Those that differ, as they are stored.
    old: Vec<Rows>,
}

impl Difference {
    fn between(stored: Vec<Rows>, (company_id, imported): (&str, &ImportedPeriod)) -> Outcome<Self> {
        let mut last = stored.iter().map(|rows| rows.check.ordinal).max().unwrap_or(0);
        let mut stored: HashMap<String, Rows> =
            stored.into_iter().map(|rows| (rows.check.paycheck_id.clone(), rows)).collect();
        let mut difference = Self::default();
        for check in &imported.processed_checks {
            let found = stored.remove(check.paycheck_id.as_str());
            let ordinal = found.as_ref().map_or(last + 1, |found| found.check.ordinal);
            last = last.max(ordinal);
            let pay_period_id = imported.period.pay_period_id.as_str();
            let rows = Rows::of(Place { company_id, pay_period_id, ordinal }, check)?;
            match found {
                Some(found) if found.same(&rows) => difference.counts.unchanged += 1,
                Some(found) => {
                    difference.counts.changed += 1;
                    difference.old.push(found);
                    difference.new.push(rows);
                }
                None => {
                    difference.counts.created += 1;
                    difference.new.push(rows);
                }
            }
        }
        Ok(difference)
    }

    /// What the trail keeps: which checks; their lines are read from the period.
    fn document(&self, period_id: &str) -> String {
        let ids: Vec<&str> = self.new.iter().map(|rows| rows.check.paycheck_id.as_str()).collect();
        // Ids need no escaping.
        format!("{{\"payPeriodId\":\"{period_id}\",\"paycheckIds\":[\"{}\"]}}", ids.join("\",\""))
    }

    /// Writes the checks in bulk; those that differ take the place of their rows.
    async fn write(&self, conn: &Conn) -> Outcome<()> {
        macro_rules! all {
            ($rows:expr, $owned:ident) => {
                $rows.iter().flat_map(|rows| rows.$owned.iter().cloned()).collect::<Vec<_>>()
            };
        }
        let checks: Vec<CheckRow> = self.old.iter().map(|rows| rows.check.clone()).collect();
        dialect::erase(conn, &all!(self.old, lines)).await?;
        dialect::erase(conn, &all!(self.old, taxes)).await?;
        dialect::erase(conn, &checks).await?;
        let checks: Vec<CheckRow> = self.new.iter().map(|rows| rows.check.clone()).collect();
        dialect::bulk(conn, OnConflict::Fail, &checks).await?;
        dialect::bulk(conn, OnConflict::Fail, &all!(self.new, lines)).await?;
        dialect::bulk(conn, OnConflict::Fail, &all!(self.new, taxes)).await?;
        Ok(())
    }
}

async fn of_period(conn: &Conn, company_id: &str, period_id: &str) -> Outcome<Vec<Rows>> {
    macro_rules! of_period {
        ($row:ty) => {{
            const TEXT: &str = sql![
                "SELECT ",
                <$row>::COLUMNS,
                " FROM ",
                <$row>::NAME,
                " WHERE company_id = $1 AND pay_period_id = $2"
            ];
            conn.rows(query(TEXT, binds![company_id, period_id])).await?
        }};
    }
    let (checks, lines, taxes): (Vec<CheckRow>, Vec<LineRow>, Vec<TaxRow>) =
        (of_period!(CheckRow), of_period!(LineRow), of_period!(TaxRow));
    let whole = |check: CheckRow| (check.ordinal, Rows { check, lines: Vec::new(), taxes: Vec::new() });
    let mut all: HashMap<i64, Rows> = checks.into_iter().map(whole).collect();
    for line in lines {
        all.entry(line.ordinal).and_modify(|rows| rows.lines.push(line));
    }
    for tax in taxes {
        all.entry(tax.ordinal).and_modify(|rows| rows.taxes.push(tax));
    }
    Ok(all.into_values().collect())
}
