//! Reading the checks of a pay period: a page in one round trip, or all of them as a stream.
//!
//! The ordinals of a period's checks run from 1 without a gap, so a page is a range of them, and
//! its lines are the same range of the lines' key.

use diesel::sql_types::BigInt;
use futures_util::try_join;
use payroll_domain::access::{Access, Caller, Guarded};
use payroll_domain::check::{ProcessedCheck, StoredCheck};
use payroll_domain::id::PayPeriodId;
use payroll_ports::Rows;
use payroll_ports::checks::{CheckRows, ChecksQuery, PeriodChecks};
use payroll_ports::periods::PlacedCheck;

use super::lists::unsigned;
use super::streams::{CHUNK, Chunks, stream};
use super::{Conn, Db, access};
use crate::error::{Failure, Outcome};
use crate::fixed::{Bind, binds, query, sql, window};
use crate::rows::checks::{CheckRow, LineRow, TaxRow};
use crate::rows::lists::PayPeriodRow;
use crate::table::Table;

/// What is asked for, and by whom; the operator is no caller.
#[derive(Clone)]
pub(super) struct Asked {
    pub(super) caller: Option<Caller>,
    pub(super) query: ChecksQuery,
}

/// Some checks: those behind an ordinal, some of them left out, so many at most.
#[derive(Debug, Clone, Copy)]
struct Page {
    after: i64,
    skip: i64,
    limit: i64,
}

struct Head {
    access: Option<Access>,
    period: Option<PayPeriodRow>,
    total: u64,
}

impl Head {
    fn is_processed(&self) -> Outcome<bool> {
        Ok(match &self.period {
            Some(period) => period.status()?.is_processed(),
            None => false,
        })
    }
}

/// The rows of some checks, each kind in the order of the checks.
#[derive(Default)]
struct Found {
    checks: Vec<CheckRow>,
    lines: Vec<LineRow>,
    taxes: Vec<TaxRow>,
}

/// The checks of a period, guarded by the caller's access.
pub(super) async fn guarded(db: &Db, asked: Asked) -> Outcome<Guarded<Option<PeriodChecks>>> {
    let (access, checks) = read(db, asked).await?;
    let access = access.ok_or_else(|| Failure::Bug("a caller's access was not read".to_owned()))?;
    Ok(Guarded::new(access, checks))
}

/// The checks of a period behind an ordinal, so many at most, as they were added.
pub(super) async fn placed(conn: &Conn, asked: &Asked, after: i64, limit: u32) -> Outcome<Vec<PlacedCheck>> {
    let wanted = Page { after, skip: 0, limit: i64::from(limit) };
    let (head, found) = try_join!(head(conn, asked), page(conn, asked, wanted))?;
    let Some(period) = head.period else { return Ok(Vec::new()) };
    let ordinals: Vec<i64> = found.checks.iter().map(|row| row.ordinal).collect();
    let checks = unprocessed(&period, &asked.query.pay_period_id, found)?;
    Ok(ordinals.into_iter().zip(checks).map(|(ordinal, check)| PlacedCheck { ordinal, check }).collect())
}

/// The checks of a period, with the caller's access: in one go when they are few, else as a stream.
pub(super) async fn read(db: &Db, asked: Asked) -> Outcome<(Option<Access>, Option<PeriodChecks>)> {
    let (question, window) = (asked.clone(), asked.query.window);
    let mut first = asked.first_page();
    first.limit = first.limit.min(i64::from(window.limit.map_or(CHUNK, |limit| limit.get())));
    let (head, found) = db
        .read(move |conn| {
            Box::pin(async move {
                let (head, mut found) = try_join!(head(conn, &question), page(conn, &question, first))?;
                if head.is_processed()? {
                    found.taxes = taxes(conn, &question, first).await?;
                }
                Ok((head, found))
            })
        })
        .await?;
    let Some(period) = head.period else { return Ok((head.access, None)) };
    let pay_period_id = &asked.query.pay_period_id;
    let few = window.count_of(head.total) <= u64::try_from(found.checks.len()).unwrap_or(0);
    let (rows, total, version, access) = match (few, period.status()?.is_processed()) {
        (true, true) => {
            let rows = processed(&period, pay_period_id, found)?;
            (CheckRows::Processed(Rows::All(rows)), head.total, period.version, head.access)
        }
        (true, false) => {
            let rows = unprocessed(&period, pay_period_id, found)?;
            (CheckRows::Unprocessed(Rows::All(rows)), head.total, period.version, head.access)
        }
        (false, _) => return long(db, asked).await,
    };
    Ok((access, Some(PeriodChecks { total, version, rows })))
}

/// A long answer: its head is read anew, so that head and rows are one snapshot.
async fn long(db: &Db, asked: Asked) -> Outcome<(Option<Access>, Option<PeriodChecks>)> {
    let pay_period_id = asked.query.pay_period_id.clone();
    let (head, chunks) = stream(db, move |conn, feed| {
        Box::pin(async move {
            let head = head(conn, &asked).await?;
            let mut left = asked.query.window.count_of(head.total);
            let with_taxes = head.is_processed()?;
            let period = head.period.clone();
            feed.head(head);
            let Some(period) = period else { return Ok(()) };
            let mut next = asked.first_page();
            while left > 0 {
                next.limit = next.limit.min(i64::try_from(left).unwrap_or(next.limit));
                let mut found = page(conn, &asked, next).await?;
                if with_taxes {
                    found.taxes = taxes(conn, &asked, next).await?;
                }
                let Some(last) = found.checks.last() else { return Ok(()) };
                next = Page { after: last.ordinal, skip: 0, ..next };
                left = left.saturating_sub(u64::try_from(found.checks.len()).unwrap_or(0));
                if !feed.chunk(vec![(period.clone(), found)]).await {
                    return Ok(());
                }
            }
            Ok(())
        })
    })
    .await?;
    let Some(period) = head.period else { return Ok((head.access, None)) };
    let rows = if period.status()?.is_processed() {
        CheckRows::Processed(Rows::Stream(meaning(chunks, pay_period_id, processed)))
    } else {
        CheckRows::Unprocessed(Rows::Stream(meaning(chunks, pay_period_id, unprocessed)))
    };
    let checks = PeriodChecks { total: head.total, version: period.version, rows };
    Ok((head.access, Some(checks)))
}

/// Turns chunks of rows into what they mean, where they are read: that costs the reader's thread.
fn meaning<T: Send + 'static>(
    chunks: Chunks<(PayPeriodRow, Found)>,
    pay_period_id: PayPeriodId,
    read: fn(&PayPeriodRow, &PayPeriodId, Found) -> Outcome<Vec<T>>,
) -> Chunks<T> {
    use futures_util::StreamExt;
    let chunks = chunks.map(move |chunk| {
        let mut all = Vec::new();
        for (period, found) in chunk? {
            all.extend(read(&period, &pay_period_id, found)?);
        }
        Ok(all)
    });
    chunks.boxed()
}

impl Asked {
    /// Without a filter the offset is a matter of ordinals; with one it must be counted off.
    fn first_page(&self) -> Page {
        let offset = i64::from(self.query.window.offset);
        let limit = i64::from(CHUNK);
        if self.query.only_own {
            Page { after: 0, skip: offset, limit }
        } else {
            Page { after: offset, skip: 0, limit }
        }
    }
}

async fn head(conn: &Conn, asked: &Asked) -> Outcome<Head> {
    const PERIOD: &str = sql![
        "SELECT ",
        PayPeriodRow::COLUMNS,
        " FROM pay_periods WHERE company_id = $1 AND pay_period_id = $2"
    ];
    let company_id = asked.query.company_id.as_str();
    let values = binds![company_id, asked.query.pay_period_id.as_str()];
    let (access, period, own) = try_join!(
        access_of(conn, asked),
        conn.row(query::<<PayPeriodRow as Table>::Sql>(PERIOD, values)),
        own_total(conn, asked),
    )?;
    let period: Option<PayPeriodRow> = period;
    let all = period.as_ref().map_or(0, |period| period.check_count);
    Ok(Head { access, total: unsigned(own.unwrap_or(all))?, period })
}

async fn access_of(conn: &Conn, asked: &Asked) -> Outcome<Option<Access>> {
    let Some(caller) = &asked.caller else { return Ok(None) };
    let (access, _) = access::read(conn, caller, Some(asked.query.company_id.as_str())).await?;
    Ok(Some(access))
}

async fn own_total(conn: &Conn, asked: &Asked) -> Outcome<Option<i64>> {
    const OWN: &str = "SELECT count(*) FROM checks \
        WHERE company_id = $1 AND pay_period_id = $2 AND application_id = $3";
    let Some(caller) = asked.caller.as_ref().filter(|_| asked.query.only_own) else { return Ok(None) };
    let values = binds![
        asked.query.company_id.as_str(),
        asked.query.pay_period_id.as_str(),
        caller.application_id.as_str(),
    ];
    let row: Option<(i64,)> = conn.row(query::<(BigInt,)>(OWN, values)).await?;
    Ok(row.map(|(count,)| count))
}

/// Without a filter: the ordinals from $3 (left out) to $4.
macro_rules! range {
    () => {
        " WHERE company_id = $1 AND pay_period_id = $2 AND ordinal > $3 AND ordinal <= $4 ORDER BY ordinal"
    };
}

/// With the filter: $4 checks of the application $6 behind the ordinal $3, but for the first $5.
macro_rules! own {
    ($table:literal) => {
        concat!(
            " FROM ",
            $table,
            " WHERE company_id = $1 AND pay_period_id = $2 AND ordinal IN (SELECT ordinal FROM checks \
              WHERE company_id = $1 AND pay_period_id = $2 AND ordinal > $3 AND application_id = $4 \
              ORDER BY ordinal",
            window!("$5", "$6"),
            ") ORDER BY ordinal"
        )
    };
}

/// The values of [`range!`] or [`own!`].
fn values<'a>(asked: &'a Asked, page: Page) -> Vec<Bind<'a>> {
    let company_id = asked.query.company_id.as_str();
    let period_id = asked.query.pay_period_id.as_str();
    if asked.query.only_own {
        let application_id = asked.caller.as_ref().map(|caller| caller.application_id.as_str());
        binds![company_id, period_id, page.after, application_id, page.limit, page.skip].into()
    } else {
        binds![company_id, period_id, page.after, page.after + page.limit].into()
    }
}

async fn page(conn: &Conn, asked: &Asked, page: Page) -> Outcome<Found> {
    const CHECKS: &str = sql!["SELECT ", CheckRow::COLUMNS, " FROM checks", range!()];
    const LINES: &str = sql!["SELECT ", LineRow::COLUMNS, " FROM check_lines", range!(), ", line"];
    const OWN_CHECKS: &str = sql!["SELECT ", CheckRow::COLUMNS, own!("checks")];
    const OWN_LINES: &str = sql!["SELECT ", LineRow::COLUMNS, own!("check_lines"), ", line"];
    let texts = if asked.query.only_own { (OWN_CHECKS, OWN_LINES) } else { (CHECKS, LINES) };
    let (checks, lines) = try_join!(
        conn.rows(query::<<CheckRow as Table>::Sql>(texts.0, values(asked, page))),
        conn.rows(query::<<LineRow as Table>::Sql>(texts.1, values(asked, page))),
    )?;
    Ok(Found { checks, lines, taxes: Vec::new() })
}

/// The taxes of a page: only processed checks have any.
async fn taxes(conn: &Conn, asked: &Asked, page: Page) -> Outcome<Vec<TaxRow>> {
    const TAXES: &str = sql!["SELECT ", TaxRow::COLUMNS, " FROM check_taxes", range!(), ", line"];
    const OWN_TAXES: &str = sql!["SELECT ", TaxRow::COLUMNS, own!("check_taxes"), ", line"];
    let text = if asked.query.only_own { OWN_TAXES } else { TAXES };
    conn.rows(query::<<TaxRow as Table>::Sql>(text, values(asked, page))).await
}

fn unprocessed(period: &PayPeriodRow, id: &PayPeriodId, found: Found) -> Outcome<Vec<StoredCheck>> {
    // What is staged by a completion under way, or was by one that came to nothing, is no part of it.
    let mut lines = found.lines.into_iter().filter(|line| !line.of_completion).peekable();
    let check = |row: CheckRow| {
        let own = std::iter::from_fn(|| lines.next_if(|line| line.ordinal == row.ordinal)).collect();
        row.stored_check(id, period.check_date, own)
    };
    found.checks.into_iter().map(check).collect()
}

fn processed(period: &PayPeriodRow, id: &PayPeriodId, found: Found) -> Outcome<Vec<ProcessedCheck>> {
    let mut lines = found.lines.into_iter().peekable();
    let mut taxes = found.taxes.into_iter().peekable();
    let check = |row: CheckRow| {
        let own_lines = std::iter::from_fn(|| lines.next_if(|line| line.ordinal == row.ordinal)).collect();
        let own_taxes = std::iter::from_fn(|| taxes.next_if(|tax| tax.ordinal == row.ordinal)).collect();
        row.processed_check(id, period.check_date, own_lines, own_taxes)
    };
    found.checks.into_iter().map(check).collect()
}
