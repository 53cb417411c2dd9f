//! The lists for operators: ids in the order of creation, and the objects with these ids.
//!
//! Long lists are streamed. Ids are read in large blocks, because the database scans all rows before the
//! offset again for each block. The objects are then read by their ids in chunks.

use std::collections::VecDeque;
use std::marker::PhantomData;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::try_join;
use payroll_domain::id::CompanyId;
use payroll_domain::resource::Resource;
use payroll_ports::filters::{CompanyFilter, ComponentFilter, ResourceFilter, WorkerFilter};
use payroll_ports::resources::Versioned;
use payroll_ports::{Listing, Window};

use super::super::filters::WorkerCondition;
use super::super::lists::to_unsigned_count;
use super::super::parts::count_parameters;
use super::super::unreadable_companies::UnreadableCompany;
use super::super::windows;
use super::super::windows::{HeadAndFirstRows, PagedCollection};
use super::super::workers::require_hashed_tax_ids;
use super::super::{Db, dialect, filters};
use super::Conn;
use crate::error::{Failure, Outcome};
use crate::seal::Sealer;
use crate::statement::{self, BindValue, binds, query, sql, window};
use crate::table::TableDefinition;
use crate::texts::{self, StatementKind};

use super::objects;
use super::objects::{Companies, CompanyContext, ObjectKind, StoredObject};

/// The number of ids in a block. This many ids take little memory, and sorting a company's ids once for each
/// block is cheap.
const MAX_IDS_PER_QUERY: i64 = 10_000;

/// The selection of a list.
#[derive(Clone)]
pub(in super::super) enum ListSelection {
    /// Selects all objects of a company.
    Company(String),
    /// Selects workers of a company by a filter, with the hashes of the last four digits in the filter.
    Workers(String, WorkerFilter, Vec<String>),
    /// Selects the pay components of a company that match a filter.
    PayComponents(String, ComponentFilter),
    /// Selects the companies of the server that match a filter.
    Server(CompanyFilter),
}

impl ListSelection {
    /// Selects the objects of a company that match a filter. Without a filter, the statements have no
    /// condition, because PostgreSQL would expect a condition to match few objects and sort all of them.
    pub(super) fn for_company(company_id: &CompanyId, filter: &ResourceFilter, sealer: &Sealer) -> Self {
        let company = company_id.to_string();
        match filter {
            ResourceFilter::Workers(filter) if *filter != WorkerFilter::default() => {
                let hashes = filter
                    .last_four
                    .as_ref()
                    .map(|digits| sealer.hash_last_four_with_all_keys(&company, digits));
                Self::Workers(
                    company,
                    filters::remove_nul_from_worker_filter(filter.clone()),
                    hashes.unwrap_or_default(),
                )
            }
            ResourceFilter::PayComponents(filter) if *filter != ComponentFilter::default() => {
                Self::PayComponents(company, filters::remove_nul_from_component_filter(filter.clone()))
            }
            ResourceFilter::All(_) | ResourceFilter::Workers(_) | ResourceFilter::PayComponents(_) => {
                Self::Company(company)
            }
        }
    }

    /// Returns the company of the objects. Returns an empty text if the objects are companies themselves.
    fn company_id(&self) -> &str {
        match self {
            Self::Company(company_id)
            | Self::Workers(company_id, ..)
            | Self::PayComponents(company_id, _) => company_id,
            Self::Server(_) => "",
        }
    }

    /// Returns the condition of the statements that select workers.
    fn worker_condition(&self) -> WorkerCondition {
        match self {
            Self::Workers(_, filter, _) => WorkerCondition::for_filter(filter),
            Self::Company(_) | Self::PayComponents(..) | Self::Server(_) => WorkerCondition::None,
        }
    }

    /// Returns the condition for the objects of the company $1.
    fn sql_condition(&self) -> &'static str {
        const WORKER_LIST_CONDITIONS: &str = filters::WORKER_CONDITIONS;
        const OF_LAST_FOUR: &str = filters::LAST_FOUR_DIGITS_CONDITIONS;
        const CHANGED: &str = filters::CHANGED_WORKER_CONDITIONS;
        const NAMED: &str = filters::NAMED_WORKER_CONDITIONS;
        const PAY_COMPONENTS: &str = filters::COMPONENT_CONDITIONS;
        match (self, self.worker_condition()) {
            (Self::PayComponents(..), _) => PAY_COMPONENTS,
            (_, WorkerCondition::Filter) => WORKER_LIST_CONDITIONS,
            (_, WorkerCondition::LastFour) => OF_LAST_FOUR,
            (_, WorkerCondition::ModifiedSince) => CHANGED,
            (_, WorkerCondition::FamilyName) => NAMED,
            (_, WorkerCondition::None) => "",
        }
    }

    /// Returns the values for the parameters of the condition.
    fn bind_values(&self) -> Vec<BindValue<'_>> {
        match self {
            Self::Company(company_id) => binds![company_id].into(),
            Self::Workers(company_id, filter, hashes) => {
                filters::worker_filter_binds(company_id, filter, hashes)
            }
            Self::PayComponents(company_id, filter) => filters::component_filter_binds(company_id, filter),
            Self::Server(filter) => filters::company_filter_binds(filter),
        }
    }
}

/// The query of a page of a list.
#[derive(Clone)]
pub(in super::super) struct ObjectListQuery {
    pub(in super::super) selection: ListSelection,
    pub(in super::super) sealer: Arc<Sealer>,
    pub(in super::super) window: Window,
}

impl ObjectListQuery {
    fn company_context<'a>(&'a self, conn: &'a Conn) -> CompanyContext<'a> {
        CompanyContext { conn, company_id: self.selection.company_id(), sealer: &self.sealer }
    }

    /// Returns an error if the list cannot be read at present.
    async fn check_readable(&self, conn: &Conn) -> Outcome<()> {
        match self.selection.worker_condition() {
            WorkerCondition::LastFour => require_hashed_tax_ids(conn, self.selection.company_id()).await,
            WorkerCondition::None
            | WorkerCondition::Filter
            | WorkerCondition::ModifiedSince
            | WorkerCondition::FamilyName => Ok(()),
        }
    }
}

/// The number of objects, and the version of the list.
type Head = (u64, i64);

/// Reads a page of a list. A short page is returned at once, and a long page as a stream. `None` if the
/// company does not exist.
pub(super) async fn read_object_listing<K: ObjectKind>(
    db: &Db,
    query: ObjectListQuery,
) -> Outcome<Option<Listing<Versioned<Resource>>>> {
    let (window, offset) = (query.window, i64::from(query.window.offset));
    read_listing_of_pages(db, ObjectPages::<K>::new(query, offset), window).await
}

/// Reads a page of the server's companies, including companies with invalid rows.
pub(super) async fn read_company_listing(
    db: &Db,
    query: ObjectListQuery,
) -> Outcome<Option<Listing<Result<Versioned<Resource>, UnreadableCompany>>>> {
    let (window, offset) = (query.window, i64::from(query.window.offset));
    read_listing_of_pages(db, AllCompanies(ObjectPages::new(query, offset)), window).await
}

async fn read_listing_of_pages<P: PagedCollection<Head = Option<Head>>>(
    db: &Db,
    pages: P,
    window: Window,
) -> Outcome<Option<Listing<P::Item>>> {
    let (head, rows) = windows::read_window(db, pages, window).await?;
    Ok(head.map(|(total, version)| Listing { total, version, rows }))
}

/// Returns all objects of a list from the start. The caller must read all pages in one snapshot.
pub(in super::super) fn pages_of_all_objects<K: ObjectKind>(
    query: ObjectListQuery,
) -> impl PagedCollection<Item = Versioned<Resource>> {
    ObjectPages::<K>::new(query, 0)
}

/// The objects of a list, and the progress of reading them.
struct ObjectPages<K> {
    query: ObjectListQuery,
    /// The ids of the next objects.
    ids: VecDeque<String>,
    /// The number of ids that were read or skipped.
    offset: i64,
    /// Whether there are no further ids.
    is_over: bool,
    kind: PhantomData<fn() -> K>,
}

impl<K> ObjectPages<K> {
    const fn new(query: ObjectListQuery, offset: i64) -> Self {
        Self { query, ids: VecDeque::new(), offset, is_over: false, kind: PhantomData }
    }
}

impl<K> Clone for ObjectPages<K> {
    fn clone(&self) -> Self {
        Self { query: self.query.clone(), ids: self.ids.clone(), kind: PhantomData, ..*self }
    }
}

impl<K: ObjectKind> PagedCollection for ObjectPages<K> {
    type Head = Option<Head>;
    type Item = Versioned<Resource>;

    fn total(head: &Self::Head) -> u64 {
        head.map_or(0, |(total, _)| total)
    }

    fn read_start<'c>(&'c mut self, conn: &'c Conn, limit: i64) -> BoxFuture<'c, HeadAndFirstRows<Self>> {
        Box::pin(async move {
            let (head, ids) = self.read_head_and_first_ids(conn, limit).await?;
            Ok((head, read_by_ids::<K>(self.query.company_context(conn), &ids).await?))
        })
    }

    fn read_next<'c>(&'c mut self, conn: &'c Conn, limit: i64) -> BoxFuture<'c, Outcome<Vec<Self::Item>>> {
        Box::pin(async move {
            let ids = self.read_next_ids(conn, limit).await?;
            read_by_ids::<K>(self.query.company_context(conn), &ids).await
        })
    }
}

impl<K: ObjectKind> ObjectPages<K> {
    async fn read_head_and_first_ids(
        &mut self,
        conn: &Conn,
        limit: i64,
    ) -> Outcome<(Option<Head>, Vec<String>)> {
        self.query.check_readable(conn).await?;
        let (head, ids) = try_join!(
            read_head::<K>(conn, &self.query),
            read_ids::<K>(conn, &self.query, limit, self.offset)
        )?;
        self.offset += limit;
        Ok((head, ids))
    }

    async fn read_next_ids(&mut self, conn: &Conn, limit: i64) -> Outcome<Vec<String>> {
        if self.ids.is_empty() && !self.is_over {
            let ids = read_ids::<K>(conn, &self.query, MAX_IDS_PER_QUERY, self.offset).await?;
            self.is_over = i64::try_from(ids.len()).is_ok_and(|count| count < MAX_IDS_PER_QUERY);
            self.ids = ids.into();
            self.offset += MAX_IDS_PER_QUERY;
        }
        let few = self.ids.len().min(usize::try_from(limit).unwrap_or(usize::MAX));
        Ok(self.ids.drain(..few).collect())
    }
}

/// The companies of the server. Some companies may have invalid rows.
#[derive(Clone)]
struct AllCompanies(ObjectPages<Companies>);

impl PagedCollection for AllCompanies {
    type Head = Option<Head>;
    type Item = Result<Versioned<Resource>, UnreadableCompany>;

    fn total(head: &Self::Head) -> u64 {
        ObjectPages::<Companies>::total(head)
    }

    fn read_start<'c>(&'c mut self, conn: &'c Conn, limit: i64) -> BoxFuture<'c, HeadAndFirstRows<Self>> {
        Box::pin(async move {
            let (head, ids) = self.0.read_head_and_first_ids(conn, limit).await?;
            Ok((head, read_readable_companies(self.0.query.company_context(conn), &ids).await?))
        })
    }

    fn read_next<'c>(&'c mut self, conn: &'c Conn, limit: i64) -> BoxFuture<'c, Outcome<Vec<Self::Item>>> {
        Box::pin(async move {
            let ids = self.0.read_next_ids(conn, limit).await?;
            read_readable_companies(self.0.query.company_context(conn), &ids).await
        })
    }
}

/// Reads the companies with these ids. If a company is unreadable, each company is read individually.
async fn read_readable_companies(
    context: CompanyContext<'_>,
    ids: &[String],
) -> Outcome<Vec<Result<Versioned<Resource>, UnreadableCompany>>> {
    match read_by_ids::<Companies>(context, ids).await {
        Err(Failure::Corrupt { .. }) => {}
        companies => return Ok(companies?.into_iter().map(Ok).collect()),
    }
    let mut companies = Vec::with_capacity(ids.len());
    for id in ids {
        match UnreadableCompany::catch_unreadable_company(
            id,
            read_by_ids::<Companies>(context, std::slice::from_ref(id)).await,
        )? {
            Ok(company) => companies.extend(company.into_iter().map(Ok)),
            Err(unreadable) => companies.push(Err(unreadable)),
        }
    }
    Ok(companies)
}

async fn read_by_ids<K: ObjectKind>(
    context: CompanyContext<'_>,
    ids: &[String],
) -> Outcome<Vec<Versioned<Resource>>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    Ok(objects::load_objects::<K>(context, &ids).await?.into_iter().map(to_versioned_resource).collect())
}

async fn read_head<K: ObjectKind>(conn: &Conn, query: &ObjectListQuery) -> Outcome<Option<Head>> {
    // Versions only increase, so the sum of the versions differs after every change of a company.
    const COUNT_COMPANIES: &str = sql![
        "SELECT count(*) FILTER (WHERE ",
        filters::COMPANY_CONDITIONS,
        "), CAST(coalesce(sum(version), 0) AS BIGINT) FROM companies"
    ];
    const SELECT_VERSION: &str = "SELECT version FROM companies WHERE company_id = $1";
    let of = &query.selection;
    if let ListSelection::Server(_) = of {
        let row: Option<(i64, i64)> = conn.query_row(query!(COUNT_COMPANIES, of.bind_values())).await?;
        return row.map(|(total, version)| Ok((to_unsigned_count(total)?, version))).transpose();
    }
    let condition = of.sql_condition();
    let count = texts::cached_text::<K::Row>(StatementKind::Count { condition }, dialect::NAME, || {
        format!("SELECT count(*) FROM {} WHERE company_id = $1{condition}", K::Row::NAME)
    });
    let (version, total): (Option<(i64,)>, Option<(i64,)>) = try_join!(
        conn.query_row(query!(SELECT_VERSION, binds![of.company_id()])),
        conn.query_row(statement::query(count, of.bind_values())),
    )?;
    let total = to_unsigned_count(total.map_or(0, |(total,)| total))?;
    Ok(version.map(|(version,)| (total, version)))
}

/// Reads a block of the list's ids, in the order of creation.
async fn read_ids<K: ObjectKind>(
    conn: &Conn,
    query: &ObjectListQuery,
    limit: i64,
    offset: i64,
) -> Outcome<Vec<String>> {
    const SELECT_COMPANY_IDS: &str = sql![
        "SELECT company_id FROM companies WHERE ",
        filters::COMPANY_CONDITIONS,
        " ORDER BY created, company_id",
        window!("$9", "$10")
    ];
    let of = &query.selection;
    let text = match of {
        ListSelection::Server(_) => SELECT_COMPANY_IDS,
        ListSelection::Company(_) | ListSelection::Workers(..) | ListSelection::PayComponents(..) => {
            let condition = of.sql_condition();
            texts::cached_text::<K::Row>(StatementKind::Ids { condition }, dialect::NAME, || {
                select_ids_sql::<K>(of)
            })
        }
    };
    let mut values = of.bind_values();
    values.extend(binds![limit, offset]);
    let rows: Vec<(String,)> = conn.query_rows(statement::query(text, values)).await?;
    Ok(rows.into_iter().map(|(id,)| id).collect())
}

/// Returns the statement that lists the ids of a company's objects. If the condition selects only a few
/// workers by an index, a `+` sign before `created` makes SQLite use that index. Otherwise SQLite might use
/// the index of `created` and read all workers of the company.
fn select_ids_sql<K: ObjectKind>(selection: &ListSelection) -> String {
    let condition = selection.sql_condition();
    let next = count_parameters(condition).max(1) + 1;
    format!(
        concat!(
            "SELECT {id} FROM {table} WHERE company_id = $1{condition} ORDER BY {sign}created, {id}",
            window!("${next}", "${offset_number}")
        ),
        id = objects::id_column::<K::Row>(),
        table = K::Row::NAME,
        condition = condition,
        sign = if selection.worker_condition().is_served_by_index() { "+" } else { "" },
        next = next,
        offset_number = next + 1,
    )
}

pub(in super::super) fn to_versioned_resource<K: ObjectKind>(found: StoredObject<K>) -> Versioned<Resource> {
    Versioned { version: found.version(), value: K::into_resource(found.object) }
}
