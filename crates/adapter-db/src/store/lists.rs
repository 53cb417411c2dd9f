//! Reads a company's lists. This code reads all lists of a company except the lists of pay checks.

use std::marker::PhantomData;
use std::num::NonZeroU32;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use payroll_domain::access::{Access, Caller, Guarded};
use payroll_domain::id::CompanyId;
use payroll_ports::filters::{ComponentFilter, LookupFilter, PeriodFilter, WorkerFilter};
use payroll_ports::workers::WorkerDetail;
use payroll_ports::{Listing, VersionScope, VersionedWindow, Window};

use super::parts;
use super::parts::{ListStatements, StatementRow};
use super::streams::CHUNK_ROWS;
use super::windows;
use super::windows::{LimitAndOffset, PagedCollection};
use super::{Conn, Db, access, dialect};
use crate::columns::FromColumns;
use crate::error::{Failure, Outcome};
use crate::rows::access::AccessRow;
use crate::seal::Sealer;
use crate::statement::{self, BindValue};

/// The query of a list: the caller, the company and the filter.
#[derive(Clone)]
pub(super) struct ListQuery {
    pub(super) caller: Caller,
    pub(super) company_id: Option<CompanyId>,
    pub(super) display_key: Option<String>,
    pub(super) filter: ListFilter,
    /// The row after which a long list continues.
    pub(super) after: Option<ListPosition>,
    pub(super) sealer: Arc<Sealer>,
}

impl ListQuery {
    pub(super) fn company_id(&self) -> &str {
        self.company_id.as_ref().map_or("", |id| id.as_str())
    }
}

/// The filter of a list.
#[derive(Clone)]
pub(super) enum ListFilter {
    /// Selects all elements of the list.
    All,
    /// Selects one page of the companies. The version of the page only covers the companies on the page, so
    /// that no other companies are read.
    PageOfCompanies,
    /// Selects the pay periods that match a filter.
    Periods(PeriodFilter),
    /// Selects one page of all pay periods. The version of the page only covers the periods on the page, so
    /// that no other periods are read.
    PageOfPeriods,
    /// Selects the pay components that match a filter.
    Components(ComponentFilter),
    /// The filter of a lookup list.
    Lookup(LookupFilter),
    /// Selects the workers that match a filter.
    Workers(WorkerSelection),
}

/// The filter for workers, and the level of detail to read.
#[derive(Clone)]
pub(super) struct WorkerSelection {
    pub(super) filter: WorkerFilter,
    /// The hashes of the last four digits in the filter. Empty if the filter has no digits.
    pub(super) last_four_hashes: Vec<String>,
    pub(super) detail: WorkerDetail,
}

/// The position of a row in the order of its list.
#[derive(Debug, Clone)]
pub(super) struct ListPosition {
    pub(super) created: i64,
    pub(super) id: String,
}

/// A list that is counted and read page by page, in the order of creation.
pub(super) trait PagedList: 'static {
    type Item: Send + 'static;
    /// The row type of a page of the list.
    type Row: FromColumns + Send;
    /// The row type of the children that belong to the list's rows.
    type Child: FromColumns + Send;

    fn statements(query: &ListQuery) -> Outcome<&'static ListStatements>;
    /// Returns the values for the page, without limit and offset.
    fn bind_values(query: &ListQuery) -> Outcome<Vec<BindValue<'_>>>;
    fn items_from_rows(
        rows: Vec<Self::Row>,
        children: Vec<Self::Child>,
        query: &ListQuery,
    ) -> Outcome<Vec<Self::Item>>;

    /// Returns an error if the list cannot be read at present. By default, every list can be read. The list
    /// of workers cannot be filtered by the last digits of the tax ID while some workers lack the hash of
    /// these digits.
    fn check_readable<'c>(_: &'c Conn, _: &'c ListQuery) -> BoxFuture<'c, Outcome<()>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// Returns the version of the list. `own_version` is the version that the statement for the list's size
    /// returns. `company` is the version of the company.
    fn choose_version(own_version: Option<i64>, company: Option<i64>) -> i64 {
        own_version.or(company).unwrap_or(0)
    }

    /// Returns the id of a row, for lists whose elements have children.
    fn row_id(_: &Self::Row) -> &str {
        ""
    }

    /// Returns the position of a row, for lists that continue after a row instead of using an offset.
    fn list_position(_: &Self::Row) -> Option<ListPosition> {
        None
    }
}

/// Returns the limit of a page whose version may cover only the elements of the page. `None` if the version
/// must cover the complete list. A page that is too long for one response also needs the complete version.
/// Such a page is streamed, and a stream sends the version before it reads the elements.
pub(super) fn limit_of_versioned_window(versioned_window: VersionedWindow) -> Option<NonZeroU32> {
    versioned_window
        .window
        .limit
        .filter(|limit| versioned_window.version == VersionScope::Window && limit.get() <= CHUNK_ROWS)
}

type ListHead = (Access, u64, i64);

/// Reads a page of a list if the caller has access. A short page is returned at once, and a long page as a
/// stream.
pub(super) async fn read_listing<L: PagedList>(
    db: &Db,
    query: ListQuery,
    window: Window,
) -> Outcome<Guarded<Listing<L::Item>>> {
    let (access, listing) = read_page_with_access::<L>(db, query, window).await?;
    Ok(Guarded::new(access, listing))
}

/// Reads a page of a list, and the caller's access to the list.
pub(super) async fn read_page_with_access<L: PagedList>(
    db: &Db,
    query: ListQuery,
    window: Window,
) -> Outcome<(Access, Listing<L::Item>)> {
    let elements = ListPages::<L> { query, offset: i64::from(window.offset), list: PhantomData };
    let ((access, total, version), rows) = windows::read_window(db, elements, window).await?;
    Ok((access, Listing { total, version, rows }))
}

/// The elements of a list, and the progress of reading them.
struct ListPages<L> {
    query: ListQuery,
    offset: i64,
    list: PhantomData<fn() -> L>,
}

impl<L> Clone for ListPages<L> {
    fn clone(&self) -> Self {
        Self { query: self.query.clone(), offset: self.offset, list: PhantomData }
    }
}

impl<L: PagedList> PagedCollection for ListPages<L> {
    type Head = ListHead;
    type Item = L::Item;

    fn total(head: &ListHead) -> u64 {
        head.1
    }

    fn read_start<'c>(
        &'c mut self,
        conn: &'c Conn,
        limit: i64,
    ) -> BoxFuture<'c, Outcome<(ListHead, Vec<L::Item>)>> {
        Box::pin(async move {
            L::check_readable(conn, &self.query).await?;
            if limit == 0 {
                let head = read_head::<L>(conn, &self.query, self.page_with_limit(limit)).await?;
                return Ok((check_list_head::<L>(head, &self.query)?, Vec::new()));
            }
            let mut read = read_page::<L>(conn, &self.query, self.page_with_limit(limit), true).await?;
            let head = check_list_head::<L>(read.head.take(), &self.query)?;
            Ok((head, self.take_items_and_advance(read)?))
        })
    }

    fn read_next<'c>(&'c mut self, conn: &'c Conn, limit: i64) -> BoxFuture<'c, Outcome<Vec<L::Item>>> {
        Box::pin(async move {
            let read = read_page::<L>(conn, &self.query, self.page_with_limit(limit), false).await?;
            self.take_items_and_advance(read)
        })
    }

    async fn read_first_rows_consistently(
        mut self,
        db: &Db,
        limit: i64,
    ) -> Outcome<(ListHead, Vec<L::Item>)> {
        db.read_list(move |conn| Box::pin(async move { self.read_start(conn, limit).await })).await
    }
}

impl<L: PagedList> ListPages<L> {
    const fn page_with_limit(&self, limit: i64) -> LimitAndOffset {
        LimitAndOffset { limit, offset: self.offset }
    }

    /// Returns the elements that were read, and moves the reading position after these elements.
    fn take_items_and_advance(&mut self, read: ListPage<L>) -> Outcome<Vec<L::Item>> {
        match read.rows.last().and_then(L::list_position) {
            Some(position) => (self.query.after, self.offset) = (Some(position), 0),
            None => self.offset += i64::try_from(read.rows.len()).unwrap_or(i64::MAX),
        }
        L::items_from_rows(read.rows, read.children, &self.query)
    }
}

/// The result of reading a part of a list.
struct ListPage<L: PagedList> {
    head: Option<parts::CountedListHead>,
    rows: Vec<L::Row>,
    children: Vec<L::Child>,
}

/// Reads the rows of a page of a list, with or without the head: the caller's access, the number of elements
/// and the version.
async fn read_page<L: PagedList>(
    conn: &Conn,
    query: &ListQuery,
    page: LimitAndOffset,
    with_head: bool,
) -> Outcome<ListPage<L>> {
    if dialect::IS_REMOTE {
        read_in_one_statement(conn, query, page, with_head).await
    } else {
        read_in_several_statements(conn, query, page, with_head).await
    }
}

async fn read_in_one_statement<L: PagedList>(
    conn: &Conn,
    query: &ListQuery,
    page: LimitAndOffset,
    with_head: bool,
) -> Outcome<ListPage<L>> {
    let mut values = L::bind_values(query)?;
    values.extend([page.limit, page.offset].map(BindValue::from));
    if with_head {
        values.extend(access_bind_values(query));
    }
    let text = parts::select_page::<L, L::Row, L::Child>(L::statements(query)?, with_head);
    let parts: Vec<StatementRow<L::Row, L::Child>> = conn.query_rows(statement::query(text, values)).await?;
    let mut read = ListPage { head: None, rows: Vec::with_capacity(parts.len()), children: Vec::new() };
    for part in parts {
        match part {
            StatementRow::Head(head) => read.head = Some(head),
            StatementRow::Row(row) => read.rows.push(row),
            StatementRow::Child(child) => read.children.push(child),
        }
    }
    Ok(read)
}

async fn read_in_several_statements<L: PagedList>(
    conn: &Conn,
    query: &ListQuery,
    page: LimitAndOffset,
    with_head: bool,
) -> Outcome<ListPage<L>> {
    let texts = L::statements(query)?;
    let head = if with_head { read_head::<L>(conn, query, page).await? } else { None };
    let mut values = L::bind_values(query)?;
    values.extend([page.limit, page.offset].map(BindValue::from));
    let rows: Vec<L::Row> = conn.query_rows(statement::query(texts.page, values)).await?;
    let children = match &texts.children {
        Some(children) if !rows.is_empty() => {
            let company = |id| if children.has_company_elements() { id } else { query.company_id() };
            let ids = dialect::bind_pairs(rows.iter().map(L::row_id).map(|id| [company(id), id]));
            conn.query_rows(statement::query(parts::select_children::<L>(children), [ids])).await?
        }
        _ => Vec::new(),
    };
    Ok(ListPage { head, rows, children })
}

/// Reads the number and the version of the elements, and the caller's access.
async fn read_head<L: PagedList>(
    conn: &Conn,
    query: &ListQuery,
    page: LimitAndOffset,
) -> Outcome<Option<parts::CountedListHead>> {
    let texts = L::statements(query)?;
    let mut values = L::bind_values(query)?;
    values.extend([page.limit, page.offset].map(BindValue::from));
    values.truncate(parts::count_parameters(texts.size));
    values.extend(access_bind_values(query));
    conn.query_row(statement::query(parts::select_head::<L>(texts.size), values)).await
}

fn access_bind_values(query: &ListQuery) -> [BindValue<'_>; 3] {
    access::access_bind_values(&query.caller, query.company_id.as_ref().map(|id| id.as_str()))
}

fn check_list_head<L: PagedList>(
    read: Option<parts::CountedListHead>,
    query: &ListQuery,
) -> Outcome<ListHead> {
    let application_id = query.caller.application_id.as_str();
    let access = AccessRow::to_access(read.as_ref().map(|(access, ..)| access), application_id)?;
    let Some((row, total, version)) = read else { return Ok((access, 0, 0)) };
    Ok((access, to_unsigned_count(total)?, L::choose_version(version, row.version)))
}

/// Converts a count of the database to an unsigned number. A negative count is a bug.
pub(super) fn to_unsigned_count(count: i64) -> Outcome<u64> {
    u64::try_from(count).map_err(|_| Failure::Bug("a count is negative".to_owned()))
}

/// The statement that counts the rows of a company in a table. The version of such a list is the company's
/// version.
macro_rules! count_rows_sql {
    ($table:literal) => {
        concat!("SELECT count(*), CAST(NULL AS BIGINT) FROM ", $table, " WHERE company_id = $1")
    };
}
pub(super) use count_rows_sql;
