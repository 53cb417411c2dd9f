//! Reading the checks of a pay period: a page in one round trip, or all of them as a stream.
//!
//! As long as no check of a period was removed, its ordinals run from 1 without a gap, so a page is a
//! range of them, and its lines are the same range of the lines' key. That is what is asked for at
//! first; where the period turns out to have gaps, its page is counted off (`check_selection`).

use futures_util::try_join;
use payroll_domain::access::{Access, Caller, Guarded};
use payroll_domain::check::{ProcessedCheck, StoredCheck};
use payroll_domain::id::PayPeriodId;
use payroll_ports::Rows;
use payroll_ports::checks::{CheckRows, ChecksQuery, PeriodChecks};
use payroll_ports::periods::PlacedCheck;

use super::check_selection::{Page, Selection, Span, WITH_VERSION};
use super::lists::unsigned;
use super::streams::{CHUNK, Chunks, stream};
use super::{Conn, Db, access};
use crate::columns::Joined;
use crate::error::{Failure, Outcome};
use crate::fixed::{Bind, binds, query, sql};
use crate::rows::access::AccessRow;
use crate::rows::checks::{CheckRow, LineRow, TaxRow};
use crate::rows::lists::PayPeriodRow;
use crate::table::Table;

/// What is asked for, and by whom; the operator is no caller.
#[derive(Clone)]
pub(super) struct Asked {
    pub(super) caller: Option<Caller>,
    pub(super) query: ChecksQuery,
}

struct Head {
    access: Option<Access>,
    period: Option<PayPeriodRow>,
    total: u64,
}

impl Head {
    /// How the checks are read that a selection means.
    fn selection(&self, asked: &Asked) -> Selection {
        asked.selection().with_removed(self.period.as_ref().map_or(0, |period| period.removed_checks))
    }

    fn is_processed(&self) -> Outcome<bool> {
        Ok(match &self.period {
            Some(period) => period.status()?.is_processed(),
            None => false,
        })
    }
}

/// The rows of some checks, each kind in the order of the checks.
#[derive(Default)]
pub(super) struct Found {
    pub(super) checks: Vec<CheckRow>,
    pub(super) lines: Vec<LineRow>,
    pub(super) taxes: Vec<TaxRow>,
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
    let (head, mut found) = try_join!(head(conn, asked), page(conn, asked, asked.selection(), wanted))?;
    let selection = head.selection(asked);
    if selection != asked.selection() {
        found = page(conn, asked, selection, wanted).await?;
    }
    let Some(period) = head.period else { return Ok(Vec::new()) };
    let ordinals: Vec<i64> = found.checks.iter().map(|row| row.ordinal).collect();
    let checks = unprocessed(&period, &asked.query.pay_period_id, found)?;
    Ok(ordinals.into_iter().zip(checks).map(|(ordinal, check)| PlacedCheck { ordinal, check }).collect())
}

/// The checks of a period, with the caller's access: in one go when they are few, else as a stream.
pub(super) async fn read(db: &Db, asked: Asked) -> Outcome<(Option<Access>, Option<PeriodChecks>)> {
    let (question, window) = (asked.clone(), asked.query.window);
    let limit = i64::from(window.limit.map_or(CHUNK, |limit| limit.get().min(CHUNK)));
    let (head, found) = first_page(db, question, limit).await?;
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

/// The head, and the first page: without a transaction where that is one state for sure.
async fn first_page(db: &Db, asked: Asked, limit: i64) -> Outcome<(Head, Found)> {
    if asked.selection() == Selection::Range && asked.caller.is_some() {
        let question = asked.clone();
        let read = db.ask(move |conn| Box::pin(async move { at_once(conn, &question, limit).await })).await?;
        if let Some(read) = read {
            return Ok(read);
        }
    }
    db.read(move |conn| Box::pin(async move { begin(conn, &asked, limit).await })).await
}

/// The head, and the first page, by statements that are each a snapshot of its own: on PostgreSQL that
/// is half of the messages that a transaction takes. Every change of a period's checks raises the
/// period's version. So what was read is one state if the first statement and the last saw the same
/// version; `None` if not, and where nothing tells.
async fn at_once(conn: &Conn, asked: &Asked, limit: i64) -> Outcome<Option<(Head, Found)>> {
    let wanted = asked.first_page(Selection::Range, limit);
    let span = Span::range(wanted.after, wanted.after + wanted.limit);
    let checks = query(WITH_VERSION, asked.values(Selection::Range, wanted));
    let (checks, lines, head): (Vec<(CheckRow, Option<i64>)>, _, _) =
        try_join!(conn.rows(checks), span.lines(conn, &asked.query), joined_head(conn, asked))?;
    let Some(version) = head.period.as_ref().map(|period| period.version) else {
        return Ok(Some((head, Found::default())));
    };
    let left = i64::try_from(head.total).unwrap_or(i64::MAX) - wanted.after;
    let nothing_wanted = checks.is_empty() && left <= 0;
    let is_one_state = checks.first().is_some_and(|(_, seen)| *seen == Some(version)) || nothing_wanted;
    if !is_one_state || head.selection(asked) != Selection::Range {
        return Ok(None);
    }
    let checks = checks.into_iter().map(|(row, _)| row).collect();
    let mut found = Found { checks, lines, taxes: Vec::new() };
    if head.is_processed()? {
        let (taxes, again) = try_join!(span.taxes(conn, &asked.query), joined_head(conn, asked))?;
        if again.period.is_none_or(|period| period.version != version) {
            return Ok(None);
        }
        found.taxes = taxes;
    }
    Ok(Some((head, found)))
}

/// The caller's access and the period in one statement.
async fn joined_head(conn: &Conn, asked: &Asked) -> Outcome<Head> {
    const HEAD: &str = sql![
        "SELECT access.*, period.* FROM (",
        access::ACCESS,
        ") access LEFT JOIN (SELECT ",
        PayPeriodRow::COLUMNS,
        " FROM pay_periods WHERE company_id = $2 AND pay_period_id = $4) period ON TRUE"
    ];
    let Some(caller) = &asked.caller else { return head(conn, asked).await };
    let mut values = access::values(caller, Some(asked.query.company_id.as_str())).to_vec();
    values.push(Bind::from(asked.query.pay_period_id.as_str()));
    let row: Option<(AccessRow, Joined<PayPeriodRow>)> = conn.row(query(HEAD, values)).await?;
    let access = AccessRow::access(row.as_ref().map(|(access, _)| access), caller.application_id.as_str())?;
    let period = row.and_then(|(_, period)| period.0);
    let total = unsigned(period.as_ref().map_or(0, PayPeriodRow::checks))?;
    Ok(Head { access: Some(access), period, total })
}

/// The head, and the first page.
async fn begin(conn: &Conn, asked: &Asked, limit: i64) -> Outcome<(Head, Found)> {
    let mut selection = asked.selection();
    let mut first = asked.first_page(selection, limit);
    let (head, mut found) = try_join!(head(conn, asked), page(conn, asked, selection, first))?;
    if head.selection(asked) != selection {
        selection = head.selection(asked);
        first = asked.first_page(selection, limit);
        found = page(conn, asked, selection, first).await?;
    }
    if head.is_processed()? {
        found.taxes = Span::of(selection, &found.checks).taxes(conn, &asked.query).await?;
    }
    Ok((head, found))
}

/// A long answer: its head is read anew, so that head and rows are one snapshot.
async fn long(db: &Db, asked: Asked) -> Outcome<(Option<Access>, Option<PeriodChecks>)> {
    let pay_period_id = asked.query.pay_period_id.clone();
    let (head, chunks) = stream(db, move |conn, feed| {
        Box::pin(async move {
            let head = head(conn, &asked).await?;
            let mut left = asked.query.window.count_of(head.total);
            let with_taxes = head.is_processed()?;
            let (period, selection) = (head.period.clone(), head.selection(&asked));
            feed.head(head);
            let Some(period) = period else { return Ok(()) };
            let mut next = asked.first_page(selection, i64::from(CHUNK));
            while left > 0 {
                next.limit = next.limit.min(i64::try_from(left).unwrap_or(next.limit));
                let mut found = page(conn, &asked, selection, next).await?;
                if with_taxes {
                    found.taxes = Span::of(selection, &found.checks).taxes(conn, &asked.query).await?;
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
    fn selection(&self) -> Selection {
        Selection::of(&self.query)
    }

    fn first_page(&self, selection: Selection, limit: i64) -> Page {
        selection.page(i64::from(self.query.window.offset), limit)
    }

    fn values(&self, selection: Selection, page: Page) -> Vec<Bind<'_>> {
        selection.values(&self.query, self.caller.as_ref(), page)
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
    let (access, period, counted) = try_join!(
        access_of(conn, asked),
        conn.row(query(PERIOD, values)),
        asked.selection().total(conn, &asked.query, asked.caller.as_ref()),
    )?;
    let period: Option<PayPeriodRow> = period;
    let all = period.as_ref().map_or(0, |period| period.checks());
    Ok(Head { access, total: unsigned(counted.unwrap_or(all))?, period })
}

async fn access_of(conn: &Conn, asked: &Asked) -> Outcome<Option<Access>> {
    let Some(caller) = &asked.caller else { return Ok(None) };
    let (access, _) = access::read(conn, caller, Some(asked.query.company_id.as_str())).await?;
    Ok(Some(access))
}

async fn page(conn: &Conn, asked: &Asked, selection: Selection, page: Page) -> Outcome<Found> {
    let checks = query(selection.checks(), asked.values(selection, page));
    let (checks, lines) = if matches!(selection, Selection::Range) {
        let span = Span::range(page.after, page.after + page.limit);
        try_join!(conn.rows(checks), span.lines(conn, &asked.query))?
    } else {
        // Only now it is known which ordinals they have.
        let checks: Vec<CheckRow> = conn.rows(checks).await?;
        let lines = Span::of(selection, &checks).lines(conn, &asked.query).await?;
        (checks, lines)
    };
    Ok(Found { checks, lines, taxes: Vec::new() })
}

/// What rows mean in an unprocessed period.
pub(super) fn unprocessed(
    period: &PayPeriodRow,
    id: &PayPeriodId,
    found: Found,
) -> Outcome<Vec<StoredCheck>> {
    // What is staged by a completion under way, or was by one that came to nothing, is no part of it.
    let mut lines = found.lines.into_iter().filter(|line| !line.of_completion).peekable();
    let check = |row: CheckRow| {
        let own = std::iter::from_fn(|| lines.next_if(|line| line.ordinal == row.ordinal)).collect();
        row.stored_check(id, period.check_date, own)
    };
    found.checks.into_iter().map(check).collect()
}

/// What rows mean in a processed period.
pub(super) fn processed(
    period: &PayPeriodRow,
    id: &PayPeriodId,
    found: Found,
) -> Outcome<Vec<ProcessedCheck>> {
    let mut lines = found.lines.into_iter().peekable();
    let mut taxes = found.taxes.into_iter().peekable();
    let check = |row: CheckRow| {
        let own_lines = std::iter::from_fn(|| lines.next_if(|line| line.ordinal == row.ordinal)).collect();
        let own_taxes = std::iter::from_fn(|| taxes.next_if(|tax| tax.ordinal == row.ordinal)).collect();
        row.processed_check(id, period.check_date, own_lines, own_taxes)
    };
    found.checks.into_iter().map(check).collect()
}
