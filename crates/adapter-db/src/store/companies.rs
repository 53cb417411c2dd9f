//! Companies as partners read them, and the port for a company's data.

pub(super) mod free;
pub(super) mod lineage;

use std::collections::HashMap;

use async_trait::async_trait;
use futures_util::try_join;
use payroll_domain::access::{Access, Caller, Guarded};
use payroll_domain::custom_field::CustomFieldFacts;
use payroll_domain::id::{CompanyId, WorkerId};
use payroll_ports::companies::{CompanyStore, CompanyView, GrantedCompany};
use payroll_ports::{Listing, Rows, StoreError, VersionedWindow};

use super::lists;
use super::lists::{
    ListFilter, ListPosition, ListQuery, PagedList, limit_of_versioned_window, to_unsigned_count,
};
use super::parts::{ChildrenQuery, ListStatements};
use super::streams::CHUNK_ROWS;
use super::unreadable_companies::UnreadableCompany;
use super::windows::LimitAndOffset;
use super::{Conn, Store, access, custom_fields, dialect, remove_nul};
use crate::connections::run_on_connection;
use crate::error::Outcome;
use crate::rows::RowLocation;
use crate::rows::access::parse_scopes;
use crate::rows::company::{CommunicationRow, CompanyRow};
use crate::statement::{BindValue, binds, query, sql, window};
use crate::table::TableDefinition;

#[async_trait]
impl CompanyStore for Store {
    async fn read_access(
        &self,
        caller: &Caller,
        company_id: Option<&CompanyId>,
    ) -> Result<Access, StoreError> {
        let db = match company_id {
            Some(company_id) => self.route_to_node(company_id).await.db,
            None => self.db.clone(),
        };
        let (caller, company_id) = (caller.clone(), company_id.cloned());
        let read = db.query_by_key(move |conn| {
            Box::pin(async move {
                access::read_access(conn, &caller, company_id.as_ref().map(|id| id.as_str())).await
            })
        });
        Ok(read.await?.0)
    }

    async fn company_of_worker(&self, worker_id: &WorkerId) -> Result<Option<CompanyId>, StoreError> {
        const SELECT_COMPANY_OF_WORKER: &str = "SELECT company_id FROM worker_ids WHERE worker_id = $1";
        let worker_id = worker_id.clone();
        let read = self.db.query_by_key(move |conn| {
            Box::pin(async move {
                let query = query!(SELECT_COMPANY_OF_WORKER, binds![worker_id.as_str()]);
                let row: Option<(String,)> = conn.query_row(query).await?;
                row.map(|(id,)| RowLocation { table: "worker_ids", key: worker_id.as_str() }.parse_id(&id))
                    .transpose()
            })
        });
        Ok(read.await?)
    }

    async fn companies(
        &self,
        caller: &Caller,
        display_key: Option<&str>,
        window: VersionedWindow,
    ) -> Result<Guarded<Listing<GrantedCompany>>, StoreError> {
        let page = limit_of_versioned_window(window).filter(|_| display_key.is_none());
        let query = ListQuery {
            caller: caller.clone(),
            company_id: None,
            display_key: display_key.map(remove_nul),
            filter: if page.is_some() { ListFilter::PageOfCompanies } else { ListFilter::All },
            after: None,
            sealer: self.sealer.clone(),
        };
        let window = window.window;
        let (access, Listing { total, version, rows }) = match page {
            Some(limit) if self.db.is_distributed() => {
                let page = LimitAndOffset { limit: limit.get().into(), offset: window.offset.into() };
                run_on_connection!(self.read, |conn, query| read_page_on_nodes(conn, &query, page))?
            }
            _ => lists::read_page_with_access::<GrantedCompanies>(&self.db, query, window).await?,
        };
        let rows = self
            .unreadable_companies
            .skip_unreadable_companies(rows, |granted| granted.company.company_id.as_str());
        Ok(Guarded::new(access, Listing { total, version, rows }))
    }

    async fn company(
        &self,
        caller: &Caller,
        company_id: &CompanyId,
        with_lineage: bool,
    ) -> Result<Guarded<Option<CompanyView>>, StoreError> {
        let query = self.create_list_query(caller, company_id);
        let near = self.route_to_node(company_id).await;
        Ok(run_on_connection!(near.read, |conn| read_company_view(conn, &query, with_lineage))?)
    }

    async fn custom_field_validation_data(
        &self,
        caller: &Caller,
        company_id: &CompanyId,
    ) -> Result<Guarded<CustomFieldFacts>, StoreError> {
        let query = self.create_list_query(caller, company_id);
        Ok(self
            .route_to_node(company_id)
            .await
            .db
            .read(move |conn| {
                Box::pin(async move { custom_fields::read_custom_field_validation_data(conn, &query).await })
            })
            .await?)
    }
}

impl Store {
    pub(super) fn create_list_query(&self, caller: &Caller, company_id: &CompanyId) -> ListQuery {
        ListQuery {
            caller: caller.clone(),
            company_id: Some(company_id.clone()),
            display_key: None,
            filter: ListFilter::All,
            after: None,
            sealer: self.sealer.clone(),
        }
    }
}

/// The list of companies that an application is granted access to.
struct GrantedCompanies;

/// Selects the companies that are granted to the application $1. The rows of grants contain the sort key of
/// the companies (`company_created`). A list of thousands of companies is therefore read from an index and
/// never sorted.
const FROM_GRANTED_COMPANIES: &str = " FROM (SELECT company_id AS granted_id, scopes, company_created FROM grants \
        WHERE application_id = $1 AND scopes LIKE '%read:companies%') g \
     JOIN companies ON company_id = granted_id";

/// The condition for the display key $2. If $2 is NULL, all companies match.
const DISPLAY_KEY_CONDITION: &str = "(CAST($2 AS TEXT) IS NULL OR display_key = $2)";

/// The statements for one page. The version of a page only covers the companies on the page. A change of
/// grants can move companies between pages, but it also increases the version of the access.
const PAGE_TEXTS: ListStatements = ListStatements {
    size: sql![
        "SELECT granted.readable_companies, page.version \
         FROM (SELECT readable_companies FROM applications WHERE application_id = $1) granted \
         CROSS JOIN (SELECT CAST(coalesce(sum(version), 0) AS BIGINT) AS version",
        dialect::FROM_LISTED_COMPANIES,
        ") page"
    ],
    page: sql!["SELECT ", CompanyRow::COLUMNS, ", scopes, company_created", dialect::FROM_PAGE_OF_COMPANIES],
    ..LIST_TEXTS
};
/// The statements of a page of companies, whose query plans are tested.
#[cfg(test)]
pub(crate) const STATEMENTS_OF_A_PAGE_OF_COMPANIES: [&str; 2] = [PAGE_TEXTS.size, PAGE_TEXTS.page];
/// Asserts at compile time that a chunk does not exceed 250 companies. The statements contain this limit.
const _: () = assert!(CHUNK_ROWS <= 250, "the text of a page of companies has its greatest limit");

const LIST_TEXTS: ListStatements = ListStatements {
    // Versions only increase, so the sum of the versions differs after every change of a company. Companies
    // with other display keys are included, because their display key may change to the requested key.
    size: sql![
        "SELECT count(*) FILTER (WHERE ",
        DISPLAY_KEY_CONDITION,
        "), CAST(coalesce(sum(version), 0) AS BIGINT)",
        FROM_GRANTED_COMPANIES
    ],
    page: sql![
        "SELECT ",
        CompanyRow::COLUMNS,
        ", scopes, company_created",
        FROM_GRANTED_COMPANIES,
        " WHERE ",
        DISPLAY_KEY_CONDITION,
        " AND (company_created, granted_id) > ($3, $4) ORDER BY company_created, granted_id",
        window!("$5", "$6")
    ],
    children: Some(ChildrenQuery {
        id: "company_id",
        text: sql![
            "SELECT ",
            CommunicationRow::COLUMNS,
            " FROM (SELECT company_id AS listed_id FROM listed) l \
         JOIN communications ON company_id = listed_id AND owner_id = listed_id"
        ],
    }),
};

impl PagedList for GrantedCompanies {
    type Item = Result<GrantedCompany, UnreadableCompany>;
    /// The company, the scopes of the grant, and the company's position in the order.
    type Row = (CompanyRow, String, i64);
    type Child = CommunicationRow;

    fn statements(query: &ListQuery) -> Outcome<&'static ListStatements> {
        Ok(if matches!(query.filter, ListFilter::PageOfCompanies) { &PAGE_TEXTS } else { &LIST_TEXTS })
    }

    fn bind_values(query: &ListQuery) -> Outcome<Vec<BindValue<'_>>> {
        if matches!(query.filter, ListFilter::PageOfCompanies) {
            return Ok(vec![BindValue::from(query.caller.application_id.as_str())]);
        }
        let cursor = query.after.as_ref().map_or((i64::MIN, ""), |position| (position.created, &position.id));
        Ok(binds![query.caller.application_id.as_str(), &query.display_key, cursor.0, cursor.1].into())
    }

    fn row_id(row: &Self::Row) -> &str {
        row.0.id()
    }

    fn items_from_rows(
        rows: Vec<Self::Row>,
        children: Vec<Self::Child>,
        query: &ListQuery,
    ) -> Outcome<Vec<Self::Item>> {
        let application_id = query.caller.application_id.as_str();
        let mut communications = group_by_company(children);
        let granted = |(row, words, _): Self::Row| {
            let company_id = row.id().to_owned();
            let own = communications.remove(&company_id).unwrap_or_default();
            let company = || {
                let own = own.into_iter().map(CommunicationRow::decode_value).collect::<Outcome<_>>()?;
                let granted = parse_scopes(&words, application_id)?;
                Ok(GrantedCompany { company: row.into_company(own, &query.sealer)?, granted_scopes: granted })
            };
            UnreadableCompany::catch_unreadable_company(&company_id, company())
        };
        rows.into_iter().map(granted).collect()
    }

    fn list_position((row, _, created): &Self::Row) -> Option<ListPosition> {
        Some(ListPosition { created: *created, id: row.id().to_owned() })
    }
}

/// Reads the same data as [`PAGE_TEXTS`] if companies are distributed over nodes. The companies on the page
/// are determined first, from the grants, which are copied to each node. Only those companies are read.
async fn read_page_on_nodes(
    conn: &Conn,
    query: &ListQuery,
    page: LimitAndOffset,
) -> Outcome<(Access, Listing<Result<GrantedCompany, UnreadableCompany>>)> {
    const SELECT_READABLE_COUNT: &str =
        "SELECT readable_companies FROM applications WHERE application_id = $1";
    const SELECT_GRANTS: &str = concat!(
        "SELECT company_id, scopes, company_created FROM grants \
            WHERE application_id = $1 AND scopes LIKE '%read:companies%' ORDER BY company_created, company_id",
        window!("$2", "$3")
    );
    const SELECT_COMPANIES: &str =
        sql!["SELECT ", CompanyRow::COLUMNS, " FROM companies WHERE company_id", dialect::equals_any!("$1")];
    const SELECT_COMMUNICATIONS: &str = sql![
        "SELECT ",
        CommunicationRow::COLUMNS,
        " FROM communications WHERE company_id",
        dialect::equals_any!("$1"),
        " AND owner_id = company_id"
    ];
    let application_id = query.caller.application_id.as_str();
    let ((access, _), count, grants) = try_join!(
        access::read_access(conn, &query.caller, None),
        conn.query_row(query!(SELECT_READABLE_COUNT, binds![application_id])),
        conn.query_rows(query!(SELECT_GRANTS, binds![application_id, page.limit, page.offset])),
    )?;
    let count: Option<(i64,)> = count;
    let grants: Vec<(String, String, i64)> = grants;
    let ids = || dialect::bind_list(grants.iter().map(|(id, ..)| id.as_str()));
    let (rows, communications): (Vec<CompanyRow>, Vec<CommunicationRow>) = try_join!(
        conn.query_rows(query!(SELECT_COMPANIES, [ids()])),
        conn.query_rows(query!(SELECT_COMMUNICATIONS, [ids()]))
    )?;
    let version = rows.iter().map(|row| row.state.version).sum();
    let mut rows: HashMap<String, CompanyRow> =
        rows.into_iter().map(|row| (row.id().to_owned(), row)).collect();
    let granted = |(id, words, created)| rows.remove(&id).map(|row| (row, words, created));
    let rows = grants.into_iter().filter_map(granted).collect();
    let items = GrantedCompanies::items_from_rows(rows, communications, query)?;
    let total = to_unsigned_count(count.map_or(0, |(count,)| count))?;
    Ok((access, Listing { total, version, rows: Rows::All(items) }))
}

fn group_by_company(mut rows: Vec<CommunicationRow>) -> HashMap<String, Vec<CommunicationRow>> {
    rows.sort_by_key(|row| row.position);
    let mut sorted: HashMap<String, Vec<CommunicationRow>> = HashMap::new();
    for row in rows {
        sorted.entry(row.company_id.clone()).or_default().push(row);
    }
    sorted
}

async fn read_company_view(
    conn: &Conn,
    query: &ListQuery,
    with_lineage: bool,
) -> Outcome<Guarded<Option<CompanyView>>> {
    const SELECT_COMPANY: &str =
        sql!["SELECT ", CompanyRow::COLUMNS, " FROM companies WHERE company_id = $1"];
    const SELECT_COMMUNICATIONS: &str = sql![
        "SELECT ",
        CommunicationRow::COLUMNS,
        " FROM communications WHERE company_id = $1 AND owner_id = $1 ORDER BY position"
    ];
    let id = query.company_id();
    let ((access, _), company, communications) = try_join!(
        access::read_access(conn, &query.caller, Some(id)),
        conn.query_row(query!(SELECT_COMPANY, binds![id])),
        conn.query_rows(query!(SELECT_COMMUNICATIONS, binds![id])),
    )?;
    let company: Option<CompanyRow> = company;
    let Some(row) = company else { return Ok(Guarded::new(access, None)) };
    let communications: Vec<CommunicationRow> = communications;
    let communications = communications.into_iter().map(CommunicationRow::decode_value);
    let version = row.state.version;
    let company = row.into_company(communications.collect::<Outcome<_>>()?, &query.sealer)?;
    if !with_lineage {
        return Ok(Guarded::new(access, Some(CompanyView { company, lineage: None, version })));
    }
    let parent = company.parent_company_id.as_ref().map(|id| id.as_str());
    // Versions only increase, so every change of a company changes the sum. A relative that is added or
    // removed changes the sum by its own version. A changed grant changes the version of the access.
    let (lineage, of_relatives) = lineage::read_lineage(conn, query, parent).await?;
    let version = version + of_relatives;
    Ok(Guarded::new(access, Some(CompanyView { company, lineage: Some(lineage), version })))
}
