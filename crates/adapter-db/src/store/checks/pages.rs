//! Reads the checks of a pay period: one page in one round trip, or all checks as a stream.
//!
//! If no check of a period was removed, its ordinals run from 1 without gaps, so a page is a range of
//! ordinals. The first attempt assumes that there are no gaps. If the period has gaps, the page is read with
//! an offset (module `selection`).

use futures_util::future::BoxFuture;
use futures_util::{StreamExt, try_join};
use payroll_domain::access::{Access, Caller, Guarded};
use payroll_domain::date::Date;
use payroll_domain::id::PayPeriodId;
use payroll_ports::Rows;
use payroll_ports::checks::{CheckRows, ChecksQuery, PeriodChecks};
use payroll_ports::periods::PositionedCheck;

use super::super::lists::to_unsigned_count;
use super::super::periods::archive_blocks::ArchivePages;
use super::super::windows;
use super::super::windows::PagedCollection;
use super::super::{Conn, Db, access};
use super::selection::{CheckFilter, CheckPage, SELECT_CHECKS_WITH_VERSION};
use crate::columns::OptionalJoin;
use crate::error::{Failure, Outcome};
use crate::rows::access::AccessRow;
use crate::rows::checks::CheckRow;
use crate::rows::pay_period::PayPeriodRow;
use crate::statement::{BindValue, binds, query, sql};
use crate::table::TableDefinition;

/// The selected checks of a period, and the progress of reading them. For an operator's query, `caller` is
/// `None`.
#[derive(Clone)]
pub(in super::super) struct CheckPages {
    caller: Option<Caller>,
    query: ChecksQuery,
    selection: CheckFilter,
    /// The ordinal of the last check that was read.
    after: i64,
    /// The number of checks to skip after that ordinal.
    skip: i64,
    /// The progress of reading the archive, if the period is archived.
    archive: Option<ArchivePages>,
}

pub(in super::super) struct CheckListHead {
    access: Option<Access>,
    pub(in super::super) period: Option<PayPeriodRow>,
    pub(in super::super) total: u64,
}

/// Reads the checks of a period if the caller has access to them.
pub(in super::super) async fn read_checks_with_access(
    db: &Db,
    caller: &Caller,
    query: &ChecksQuery,
) -> Outcome<Guarded<Option<PeriodChecks>>> {
    let (access, checks) = read_checks(db, CheckPages::new(Some(caller.clone()), query.clone())).await?;
    let access = access.ok_or_else(|| Failure::Bug("a caller's access was not read".to_owned()))?;
    Ok(Guarded::new(access, checks))
}

/// The data of the period for a list of checks (`CheckListHead`), and the rows of one page.
type HeadAndPage = (CheckListHead, Vec<CheckRow>);

/// The maximum number of checks that are read as [rows by their keys](Db::query_by_key). Such a page takes
/// about half a millisecond on SQLite.
const MAX_ROWS_BY_KEY: i64 = 100;

/// Reads at most `limit` checks of a period that follow an ordinal, in the order in which they were added.
pub(in super::super) async fn read_checks_after(
    conn: &Conn,
    mut checks: CheckPages,
    after: i64,
    limit: u32,
) -> Outcome<Vec<PositionedCheck>> {
    checks.after = after;
    let (head, rows) = checks.read_start(conn, i64::from(limit)).await?;
    let Some(period) = head.period else { return Ok(Vec::new()) };
    let check_date = period.decode_value()?.check_date;
    let placed = |row: CheckRow| {
        let ordinal = row.ordinal;
        let check = row.into_stored_check(&checks.query.pay_period_id, check_date)?;
        Ok(PositionedCheck { ordinal, check })
    };
    rows.into_iter().map(placed).collect()
}

/// Reads the checks of a period and the caller's access. A few checks are returned at once, and many as a
/// stream.
pub(in super::super) async fn read_checks(
    db: &Db,
    checks: CheckPages,
) -> Outcome<(Option<Access>, Option<PeriodChecks>)> {
    let (window, is_operators) = (checks.query.window, checks.caller.is_none());
    let (head, rows) = windows::read_window(db, checks, window).await?;
    let Some(row) = head.period else { return Ok((head.access, None)) };
    let period = row.decode_value()?;
    let of = (period.pay_period_id, period.check_date);
    let rows = if row.is_archived() {
        let is_there = is_operators && !row.is_archive_missing();
        let rows = is_there.then(|| decode_rows(rows, of, CheckRow::into_processed_check)).transpose()?;
        CheckRows::Archived(rows)
    } else if period.status.is_processed() {
        CheckRows::Processed(decode_rows(rows, of, CheckRow::into_processed_check)?)
    } else {
        CheckRows::Unprocessed(decode_rows(rows, of, CheckRow::into_stored_check)?)
    };
    Ok((head.access, Some(PeriodChecks { total: head.total, version: row.version(), rows })))
}

/// Converts rows to checks on the thread that reads the stream, because the conversion takes CPU time.
fn decode_rows<T: Send + 'static>(
    rows: Rows<CheckRow>,
    (pay_period_id, check_date): (PayPeriodId, Date),
    read: fn(CheckRow, &PayPeriodId, Date) -> Outcome<T>,
) -> Outcome<Rows<T>> {
    let read = move |rows: Vec<CheckRow>| -> Outcome<Vec<T>> {
        rows.into_iter().map(|row| read(row, &pay_period_id, check_date)).collect()
    };
    Ok(match rows {
        Rows::All(rows) => Rows::All(read(rows)?),
        Rows::Stream(chunks) => Rows::Stream(chunks.map(move |chunk| Ok(read(chunk?)?)).boxed()),
    })
}

impl PagedCollection for CheckPages {
    type Head = CheckListHead;
    type Item = CheckRow;

    fn total(head: &CheckListHead) -> u64 {
        head.total
    }

    fn read_start<'c>(
        &'c mut self,
        conn: &'c Conn,
        limit: i64,
    ) -> BoxFuture<'c, Outcome<(CheckListHead, Vec<CheckRow>)>> {
        Box::pin(async move {
            let (head, mut rows) = try_join!(self.read_head(conn), self.read_page(conn, limit))?;
            if head.period.as_ref().is_some_and(PayPeriodRow::is_archived) {
                return self.read_first_archived_rows(conn, head, limit).await;
            }
            let removed = head.period.as_ref().map_or(0, |period| period.state.removed_checks);
            let selection = self.selection.for_removed_checks(removed);
            if selection != self.selection {
                self.selection = selection;
                rows = self.read_page(conn, limit).await?;
            }
            self.move_cursor_after(&rows);
            Ok((head, rows))
        })
    }

    fn read_next<'c>(&'c mut self, conn: &'c Conn, limit: i64) -> BoxFuture<'c, Outcome<Vec<CheckRow>>> {
        Box::pin(async move {
            if self.archive.is_some() {
                return self.read_next_archived_rows(conn, limit).await;
            }
            let rows = self.read_page(conn, limit).await?;
            self.move_cursor_after(&rows);
            Ok(rows)
        })
    }

    /// Reads without a transaction first. If the two statements saw different states of the database, the
    /// method reads again in a transaction.
    async fn read_first_rows_consistently(
        mut self,
        db: &Db,
        limit: i64,
    ) -> Outcome<(CheckListHead, Vec<CheckRow>)> {
        if self.selection == CheckFilter::Range && self.caller.is_some() {
            let read = self.clone().into_head_and_page_query(limit);
            let is_short = limit <= MAX_ROWS_BY_KEY;
            let read = if is_short { db.query_by_key(read).await? } else { db.query_once(read).await? };
            if let Some(read) = read {
                return Ok(read);
            }
        }
        db.read(move |conn| Box::pin(async move { self.read_start(conn, limit).await })).await
    }
}

impl CheckPages {
    /// Selects the checks that the caller may see, or all checks for an operator.
    pub(in super::super) fn new(caller: Option<Caller>, query: ChecksQuery) -> Self {
        let selection = CheckFilter::for_query(&query);
        let skip = i64::from(query.window.offset);
        Self { caller, query, selection, after: 0, skip, archive: None }
    }

    /// Returns a function that calls [`Self::read_head_and_page_at_once`].
    fn into_head_and_page_query(
        self,
        limit: i64,
    ) -> impl for<'c> FnOnce(&'c Conn) -> BoxFuture<'c, Outcome<Option<HeadAndPage>>> {
        move |conn| Box::pin(async move { self.read_head_and_page_at_once(conn, limit).await })
    }

    /// Reads the first checks of an archived period for its register. Partners cannot read archived checks.
    async fn read_first_archived_rows(
        &mut self,
        conn: &Conn,
        head: CheckListHead,
        limit: i64,
    ) -> Outcome<(CheckListHead, Vec<CheckRow>)> {
        let of_operator =
            head.period.as_ref().filter(|period| self.caller.is_none() && !period.is_archive_missing());
        let Some(period) = of_operator else { return Ok((CheckListHead { total: 0, ..head }, Vec::new())) };
        if limit == 0 {
            return Ok((head, Vec::new()));
        }
        self.archive = Some(ArchivePages { offset: self.skip, checks: period.checks() });
        let rows = self.read_next_archived_rows(conn, limit).await?;
        Ok((head, rows))
    }

    async fn read_next_archived_rows(&mut self, conn: &Conn, limit: i64) -> Outcome<Vec<CheckRow>> {
        let Some(pages) = &mut self.archive else { return Ok(Vec::new()) };
        pages
            .read_next_rows(conn, self.query.company_id.as_str(), self.query.pay_period_id.as_str(), limit)
            .await
    }

    fn move_cursor_after(&mut self, rows: &[CheckRow]) {
        if let Some(last) = rows.last() {
            (self.after, self.skip) = (last.ordinal, 0);
        }
    }

    async fn read_page(&self, conn: &Conn, limit: i64) -> Outcome<Vec<CheckRow>> {
        conn.query_rows(query(self.selection.checks_statement(), self.bind_values(limit))).await
    }

    fn bind_values(&self, limit: i64) -> Vec<BindValue<'_>> {
        let page = CheckPage { after: self.after, skip: self.skip, limit };
        self.selection.bind_values(&self.query, self.caller.as_ref(), page)
    }

    /// Reads the head (`CheckListHead`) and the first page with two statements, each in its own snapshot. On
    /// PostgreSQL, this takes half as many messages as a transaction.
    ///
    /// Every change of a period's checks increases the period's version. If both statements saw the same
    /// version, they have read the same state. Otherwise, or if the page has no row with the version, the
    /// result is `None`.
    async fn read_head_and_page_at_once(
        &self,
        conn: &Conn,
        limit: i64,
    ) -> Outcome<Option<(CheckListHead, Vec<CheckRow>)>> {
        let checks = async {
            if limit == 0 {
                return Ok(Vec::new());
            }
            conn.query_rows(query!(SELECT_CHECKS_WITH_VERSION, self.bind_values(limit))).await
        };
        let (checks, head): (Vec<(CheckRow, Option<i64>)>, CheckListHead) =
            try_join!(checks, self.read_joined_head(conn))?;
        let Some(period) = &head.period else { return Ok(Some((head, Vec::new()))) };
        if period.is_archived() {
            return Ok(Some((CheckListHead { total: 0, ..head }, Vec::new())));
        }
        let page_is_empty = checks.is_empty() && head.total <= u64::try_from(self.skip).unwrap_or(0);
        let same_version = checks.first().is_some_and(|(_, seen)| *seen == Some(period.version()));
        if period.state.removed_checks > 0 || !(same_version || page_is_empty) {
            return Ok(None);
        }
        Ok(Some((head, checks.into_iter().map(|(row, _)| row).collect())))
    }

    /// Reads the caller's access and the period in one statement.
    async fn read_joined_head(&self, conn: &Conn) -> Outcome<CheckListHead> {
        const SELECT_ACCESS_AND_PERIOD: &str = sql![
            "SELECT access.*, period.* FROM (",
            access::SELECT_ACCESS,
            ") access LEFT JOIN (SELECT ",
            PayPeriodRow::COLUMNS,
            " FROM pay_periods WHERE company_id = $2 AND pay_period_id = $4) period ON TRUE"
        ];
        let Some(caller) = &self.caller else { return self.read_head(conn).await };
        let mut values = access::access_bind_values(caller, Some(self.query.company_id.as_str())).to_vec();
        values.push(BindValue::from(self.query.pay_period_id.as_str()));
        let row: Option<(AccessRow, OptionalJoin<PayPeriodRow>)> =
            conn.query_row(query!(SELECT_ACCESS_AND_PERIOD, values)).await?;
        let access =
            AccessRow::to_access(row.as_ref().map(|(access, _)| access), caller.application_id.as_str())?;
        let period = row.and_then(|(_, period)| period.0);
        let total = to_unsigned_count(period.as_ref().map_or(0, PayPeriodRow::checks))?;
        Ok(CheckListHead { access: Some(access), period, total })
    }

    async fn read_head(&self, conn: &Conn) -> Outcome<CheckListHead> {
        const SELECT_PERIOD: &str = sql![
            "SELECT ",
            PayPeriodRow::COLUMNS,
            " FROM pay_periods WHERE company_id = $1 AND pay_period_id = $2"
        ];
        let values = binds![self.query.company_id.as_str(), self.query.pay_period_id.as_str()];
        let (access, period, counted) = try_join!(
            self.read_access(conn),
            conn.query_row(query!(SELECT_PERIOD, values)),
            self.selection.read_check_count(conn, &self.query, self.caller.as_ref()),
        )?;
        let period: Option<PayPeriodRow> = period;
        let all = period.as_ref().map_or(0, |period| period.checks());
        Ok(CheckListHead { access, total: to_unsigned_count(counted.unwrap_or(all))?, period })
    }

    async fn read_access(&self, conn: &Conn) -> Outcome<Option<Access>> {
        let Some(caller) = &self.caller else { return Ok(None) };
        let (access, _) = access::read_access(conn, caller, Some(self.query.company_id.as_str())).await?;
        Ok(Some(access))
    }
}
