//! A company's lists, and the listing that all collections but checks share.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::try_join;
use payroll_domain::access::{Access, Caller, Guarded};
use payroll_domain::company::{CalculationBase, ContactType, CustomEmploymentType, RelationshipType};
use payroll_domain::id::CompanyId;
use payroll_ports::setup::{ComponentFilter, PeriodFilter};
use payroll_ports::workers::{Detail, WorkerFilter};
use payroll_ports::{Listing, Rows, Window};

use super::streams::{CHUNK, stream};
use super::{Conn, Db, access};
use crate::error::{Failure, Outcome};
use crate::fixed::{binds, query, sql, window};
use crate::rows::lists::{CalculationBaseRow, ContactTypeRow, CustomEmploymentTypeRow, RelationshipTypeRow};
use crate::seal::Sealer;
use crate::table::Table;

/// Whose list is wanted, and by whom.
#[derive(Clone)]
pub(super) struct Asked {
    pub(super) caller: Caller,
    pub(super) company_id: Option<CompanyId>,
    pub(super) display_key: Option<String>,
    pub(super) filter: Filter,
    pub(super) sealer: Arc<Sealer>,
}

impl Asked {
    pub(super) fn company_id(&self) -> &str {
        self.company_id.as_ref().map_or("", |id| id.as_str())
    }
}

/// Which elements of a list are wanted.
#[derive(Clone)]
pub(super) enum Filter {
    /// All of them.
    All,
    /// Pay periods.
    Periods(PeriodFilter),
    /// Pay components.
    Components(ComponentFilter),
    /// Workers.
    Workers(WantedWorkers),
}

/// Which workers are wanted, and how much of them.
#[derive(Clone)]
pub(super) struct WantedWorkers {
    pub(super) filter: WorkerFilter,
    /// What those are found by whose tax identity ends as the filter says; empty where it says
    /// nothing.
    pub(super) last_four_hashes: Vec<String>,
    pub(super) detail: Detail,
}

/// Some elements of a list: a limit and an offset, as SQL wants them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Page {
    pub(super) limit: i64,
    pub(super) offset: i64,
}

/// How many elements a list has, and the version of them where the company's does not tell.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    pub(super) total: u64,
    pub(super) version: Option<i64>,
}

/// A list that is counted and read in pages, in the order of creation.
pub(super) trait List: 'static {
    type Item: Send + 'static;

    fn size<'c>(conn: &'c Conn, asked: &'c Asked) -> BoxFuture<'c, Outcome<Size>>;
    fn page<'c>(conn: &'c Conn, asked: &'c Asked, page: Page) -> BoxFuture<'c, Outcome<Vec<Self::Item>>>;
}

type Head = (Access, u64, i64);

/// A window of a list, guarded: in one go when it is short, else as a stream.
pub(super) async fn listing<L: List>(
    db: &Db,
    asked: Asked,
    window: Window,
) -> Outcome<Guarded<Listing<L::Item>>> {
    let first = Page {
        limit: i64::from(window.limit.map_or(CHUNK, |limit| limit.get().min(CHUNK))),
        offset: i64::from(window.offset),
    };
    let question = asked.clone();
    let ((access, total, version), rows) = db
        .read(move |conn| {
            Box::pin(async move { try_join!(head::<L>(conn, &question), L::page(conn, &question, first)) })
        })
        .await?;
    if window.count_of(total) <= u64::try_from(rows.len()).unwrap_or(0) {
        return Ok(Guarded::new(access, Listing { total, version, rows: Rows::All(rows) }));
    }
    let ((access, total, version), chunks) = stream(db, move |conn, feed| {
        Box::pin(async move {
            let head = head::<L>(conn, &asked).await?;
            let mut left = window.count_of(head.1);
            feed.head(head);
            let mut page = Page { limit: i64::from(CHUNK), offset: i64::from(window.offset) };
            while left > 0 {
                page.limit = page.limit.min(i64::try_from(left).unwrap_or(page.limit));
                let rows = L::page(conn, &asked, page).await?;
                left = left.saturating_sub(u64::try_from(rows.len()).unwrap_or(0));
                page.offset += page.limit;
                if rows.is_empty() || !feed.chunk(rows).await {
                    return Ok(());
                }
            }
            Ok(())
        })
    })
    .await?;
    Ok(Guarded::new(access, Listing { total, version, rows: Rows::Stream(chunks) }))
}

async fn head<L: List>(conn: &Conn, asked: &Asked) -> Outcome<Head> {
    let company_id = asked.company_id.as_ref().map(|id| id.as_str());
    let ((access, version), size) =
        try_join!(access::read(conn, &asked.caller, company_id), L::size(conn, asked))?;
    Ok((access, size.total, size.version.unwrap_or(version)))
}

/// How many rows of a company's table there are.
pub(super) async fn count(conn: &Conn, text: &'static str, company_id: &str) -> Outcome<Size> {
    let row: Option<(i64,)> = conn.row(query(text, binds![company_id])).await?;
    Ok(Size { total: unsigned(row.map_or(0, |(count,)| count))?, version: None })
}

/// A count, which is never negative.
pub(super) fn unsigned(count: i64) -> Outcome<u64> {
    u64::try_from(count).map_err(|_| Failure::Bug("a count is negative".to_owned()))
}

/// Calculation bases.
pub(super) struct CalculationBases;

impl List for CalculationBases {
    type Item = CalculationBase;

    fn size<'c>(conn: &'c Conn, asked: &'c Asked) -> BoxFuture<'c, Outcome<Size>> {
        const COUNT: &str = "SELECT count(*) FROM calculation_bases WHERE company_id = $1";
        Box::pin(count(conn, COUNT, asked.company_id()))
    }

    fn page<'c>(conn: &'c Conn, asked: &'c Asked, page: Page) -> BoxFuture<'c, Outcome<Vec<Self::Item>>> {
        const PAGE: &str = sql![
            "SELECT ",
            CalculationBaseRow::COLUMNS,
            " FROM calculation_bases WHERE company_id = $1 \
             ORDER BY created, calculation_base_id",
            window!("$2", "$3")
        ];
        Box::pin(async move {
            let values = binds![asked.company_id(), page.limit, page.offset];
            let rows = conn.rows(query(PAGE, values)).await?;
            rows.into_iter().map(CalculationBaseRow::calculation_base).collect()
        })
    }
}

/// Custom employment types.
pub(super) struct CustomEmploymentTypes;

impl List for CustomEmploymentTypes {
    type Item = CustomEmploymentType;

    fn size<'c>(conn: &'c Conn, asked: &'c Asked) -> BoxFuture<'c, Outcome<Size>> {
        const COUNT: &str = "SELECT count(*) FROM custom_employment_types WHERE company_id = $1";
        Box::pin(count(conn, COUNT, asked.company_id()))
    }

    fn page<'c>(conn: &'c Conn, asked: &'c Asked, page: Page) -> BoxFuture<'c, Outcome<Vec<Self::Item>>> {
        const PAGE: &str = sql![
            "SELECT ",
            CustomEmploymentTypeRow::COLUMNS,
            " FROM custom_employment_types WHERE company_id = $1 \
             ORDER BY created, custom_employment_type_id",
            window!("$2", "$3")
        ];
        Box::pin(async move {
            let values = binds![asked.company_id(), page.limit, page.offset];
            let rows = conn.rows(query(PAGE, values)).await?;
            rows.into_iter().map(CustomEmploymentTypeRow::custom_employment_type).collect()
        })
    }
}

/// Contact types, with their relationship types.
pub(super) struct ContactTypes;

impl List for ContactTypes {
    type Item = ContactType;

    fn size<'c>(conn: &'c Conn, asked: &'c Asked) -> BoxFuture<'c, Outcome<Size>> {
        const COUNT: &str = "SELECT count(*) FROM contact_types WHERE company_id = $1";
        Box::pin(count(conn, COUNT, asked.company_id()))
    }

    fn page<'c>(conn: &'c Conn, asked: &'c Asked, page: Page) -> BoxFuture<'c, Outcome<Vec<Self::Item>>> {
        const PAGE: &str = sql![
            "SELECT ",
            ContactTypeRow::COLUMNS,
            " FROM contact_types WHERE company_id = $1 ORDER BY created, contact_type_id",
            window!("$2", "$3")
        ];
        const RELATIONSHIPS: &str = sql![
            "SELECT ",
            RelationshipTypeRow::COLUMNS,
            " FROM relationship_types WHERE company_id = $1 AND contact_type_id IN (\
                SELECT contact_type_id FROM contact_types WHERE company_id = $1 \
                ORDER BY created, contact_type_id",
            window!("$2", "$3"),
            ") ORDER BY position"
        ];
        Box::pin(async move {
            let values = binds![asked.company_id(), page.limit, page.offset];
            let (types, relationships): (Vec<ContactTypeRow>, Vec<RelationshipTypeRow>) =
                try_join!(conn.rows(query(PAGE, values.clone())), conn.rows(query(RELATIONSHIPS, values)),)?;
            types.into_iter().map(|row| with_relationships(row, &relationships)).collect()
        })
    }
}

fn with_relationships(row: ContactTypeRow, all: &[RelationshipTypeRow]) -> Outcome<ContactType> {
    let own = all.iter().filter(|relationship| relationship.contact_type_id == row.contact_type_id);
    let own = own.cloned().map(RelationshipTypeRow::relationship_type);
    let own = own.collect::<Outcome<Vec<RelationshipType>>>()?;
    row.contact_type(own)
}
