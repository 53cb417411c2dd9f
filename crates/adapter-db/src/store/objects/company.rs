//! Companies with their addresses and products, and the row lock that serializes a company's writers.

use futures_util::future::BoxFuture;
use futures_util::{join, try_join};
use payroll_domain::company::Lock;
use payroll_domain::date::Timestamp;
use payroll_domain::resource::{CompanyRecord, Resource, ResourceKind};
use payroll_ports::resources::CompanyLock;

use super::children;
use super::children::{ChildRow, RowsByOwner, group_by_owner, take_children};
use super::{CompanyContext, Conn, ObjectChange, ObjectKind, ReadableRow, StoredObject, dialect};
use crate::error::Outcome;
use crate::rows::RowLocation;
use crate::rows::company::{CommunicationRow, CompanyRow, ProductRow};
use crate::seal::Sealer;
use crate::statement::{binds, command, query, sql};
use crate::table::TableDefinition;

/// The mode of the lock on a company's row, which lasts until the transaction ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CompanyLockMode {
    /// Blocks all other writers of the company's objects, and all transactions that add checks.
    ToWrite,
    /// Like `ToWrite`, but the statement that locks the row also increases the version that partners see. If
    /// the write is then rejected, the transaction must be rolled back.
    IncrementVersion,
    /// Also blocks transactions that write references to the company. This mode is used to delete the
    /// company.
    ToDelete,
}

/// Selects the holders of a company's locks. A lock clause may follow.
const SELECT_LOCK_HOLDERS: &str = "SELECT lock_holder, lock_reason, lock_expires, processing_pay_period_id \
    FROM companies WHERE company_id = $1";

/// Locks the company's row and returns the holders of its locks. `None` if the company does not exist.
pub(crate) async fn lock_company(
    conn: &Conn,
    company_id: &str,
    lock_mode: CompanyLockMode,
) -> Outcome<Option<LockHolders>> {
    const LOCK_AND_RAISE_VERSION: &str = "UPDATE companies SET version = version + 1 WHERE company_id = $1 \
        RETURNING lock_holder, lock_reason, lock_expires, processing_pay_period_id";
    let text = match lock_mode {
        CompanyLockMode::ToWrite => sql![SELECT_LOCK_HOLDERS, dialect::lock_rows!("FOR NO KEY UPDATE")],
        CompanyLockMode::IncrementVersion => LOCK_AND_RAISE_VERSION,
        CompanyLockMode::ToDelete => sql![SELECT_LOCK_HOLDERS, dialect::lock_rows!("FOR UPDATE")],
    };
    let (claimed, held) = join!(
        dialect::lock_company_exclusive(conn, company_id),
        read_lock_holders_with(conn, company_id, text)
    );
    claimed?;
    held
}

/// Returns the holders of the company's locks without locking its row. `None` if the company does not exist.
pub(crate) async fn read_lock_holders(conn: &Conn, company_id: &str) -> Outcome<Option<LockHolders>> {
    read_lock_holders_with(conn, company_id, SELECT_LOCK_HOLDERS).await
}

async fn read_lock_holders_with(
    conn: &Conn,
    company_id: &str,
    text: &'static str,
) -> Outcome<Option<LockHolders>> {
    type Row = (Option<String>, Option<String>, Option<i64>, Option<String>);
    let row: Option<Row> = conn.query_row(query(text, binds![company_id])).await?;
    let holders = row.map(|(holder, reason, expires, processing)| {
        let expires = expires.map(Timestamp::from_micros);
        let operator = holder.map(|holder| Lock { holder, reason, expires });
        let at = RowLocation { table: "companies", key: company_id };
        Ok(LockHolders { operator, processing_period: at.parse_optional_id(processing.as_deref())? })
    });
    holders.transpose()
}

/// The holders of a company's locks. A company has two holders if an operator locked it before a pay period
/// went into processing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LockHolders {
    pub(crate) operator: Option<Lock>,
    pub(crate) processing_period: Option<payroll_domain::id::PayPeriodId>,
}

impl LockHolders {
    /// Returns the operator's lock. `None` if no lock of an operator is active at that instant.
    pub(crate) fn operator_lock(&self, now: Timestamp) -> Option<&Lock> {
        self.operator.as_ref().filter(|lock| lock.is_valid_at(now))
    }

    /// Returns the lock that is active at that instant. The lock of a period in processing takes precedence
    /// over the lock of an operator.
    pub(crate) fn active_lock(&self, now: Timestamp) -> Option<CompanyLock> {
        let operator = || self.operator_lock(now).cloned().map(CompanyLock::Operator);
        self.processing_period.clone().map(CompanyLock::Processing).or_else(operator)
    }
}

/// Increases the version of a company and its lists, which partners see.
pub(crate) async fn increment_company_version(context: CompanyContext<'_>) -> Outcome<()> {
    const INCREMENT_VERSION: &str = "UPDATE companies SET version = version + 1 WHERE company_id = $1";
    context.conn.execute(command!(INCREMENT_VERSION, binds![context.company_id])).await?;
    Ok(())
}

impl ChildRow for ProductRow {
    const OWNER: &'static str = "company_id";
    const ORDER: &'static str = "product_code, start_date";

    fn owner(&self) -> &str {
        &self.company_id
    }
}

/// The kind of objects that are companies.
pub(crate) struct Companies;

/// The children of companies.
pub(crate) struct CompanyChildRows {
    communications: RowsByOwner<CommunicationRow>,
    products: RowsByOwner<ProductRow>,
}

impl ObjectKind for Companies {
    type Object = CompanyRecord;
    type Row = CompanyRow;
    type Children = CompanyChildRows;
    const KIND: ResourceKind = ResourceKind::Company;

    fn into_resource(object: CompanyRecord) -> Resource {
        Resource::Company(Box::new(object))
    }

    fn from_resource(resource: &Resource) -> Option<&CompanyRecord> {
        match resource {
            Resource::Company(object) => Some(object),
            _ => None,
        }
    }

    fn id(object: &CompanyRecord) -> &str {
        object.company.company_id.as_str()
    }

    fn row_id(row: &CompanyRow) -> &str {
        row.id()
    }

    fn version(row: &CompanyRow) -> i64 {
        row.state.record_version
    }

    /// Products have no order, so the list is sorted. Equal sets of products are then equal lists.
    fn normalized(object: &CompanyRecord) -> CompanyRecord {
        let mut settled = object.clone();
        settled.products.sort_by(|one, other| {
            (&one.product_code, one.start_date).cmp(&(&other.product_code, other.start_date))
        });
        settled
    }

    fn to_row(context: CompanyContext<'_>, created: i64, object: &CompanyRecord) -> Outcome<CompanyRow> {
        CompanyRow::new(&object.company, created, context.sealer)
    }

    /// Copies the columns of the locks, which are not part of the object. Also copies the encrypted tax ID if
    /// the tax ID is unchanged.
    fn copy_missing_values(row: &mut CompanyRow, object: &CompanyRecord, found: &StoredObject<Self>) {
        let (state, stored) = (&mut row.state, &found.row.state);
        state.lock_holder.clone_from(&stored.lock_holder);
        state.lock_reason.clone_from(&stored.lock_reason);
        state.lock_expires = stored.lock_expires;
        state.processing_pay_period_id.clone_from(&stored.processing_pay_period_id);
        if object.company.legal_id == found.object.company.legal_id {
            row.copy_legal_id_from(&found.row);
        }
    }

    fn read_children<'c>(
        context: CompanyContext<'c>,
        ids: &'c [&'c str],
    ) -> BoxFuture<'c, Outcome<CompanyChildRows>> {
        const SELECT_COMMUNICATIONS: &str = sql![
            "SELECT ",
            CommunicationRow::COLUMNS,
            " FROM communications WHERE owner_id = company_id AND company_id",
            dialect::equals_any!("$1"),
            " ORDER BY position"
        ];
        const SELECT_PRODUCTS: &str = sql![
            "SELECT ",
            ProductRow::COLUMNS,
            " FROM products WHERE company_id",
            dialect::equals_any!("$1"),
            " ORDER BY product_code, start_date"
        ];
        Box::pin(async move {
            let list = || vec![dialect::bind_list(ids.iter().copied())];
            let (communications, products) = try_join!(
                CommunicationRow::read(context.conn, SELECT_COMMUNICATIONS, list()),
                ProductRow::read(context.conn, SELECT_PRODUCTS, list()),
            )?;
            Ok(CompanyChildRows {
                communications: group_by_owner(communications),
                products: group_by_owner(products),
            })
        })
    }

    fn object_from_row(
        row: CompanyRow,
        owned: &mut CompanyChildRows,
        sealer: &Sealer,
    ) -> Outcome<CompanyRecord> {
        let products = take_children(&mut owned.products, row.id(), |row| Ok(ProductRow::into_product(row)))?;
        let own = take_children(&mut owned.communications, row.id(), CommunicationRow::decode_value)?;
        Ok(CompanyRecord { company: row.into_company(own, sealer)?, products })
    }

    fn write_children<'c>(
        context: CompanyContext<'c>,
        changes: &'c [ObjectChange<'c, Self>],
        _: Timestamp,
    ) -> BoxFuture<'c, Outcome<()>> {
        Box::pin(async move {
            let (communications, products) = join!(
                children::write_child_rows(context, changes, |record: &CompanyRecord| to_communication_rows(
                    record
                )),
                children::write_child_rows(context, changes, |record: &CompanyRecord| Ok(to_product_rows(
                    record
                ))),
            );
            communications.and(products)
        })
    }
}

fn to_communication_rows(record: &CompanyRecord) -> Outcome<Vec<CommunicationRow>> {
    let id = record.company.company_id.as_str();
    CommunicationRow::create_rows(id, id, &record.company.communications)
}

fn to_product_rows(record: &CompanyRecord) -> Vec<ProductRow> {
    let id = record.company.company_id.as_str();
    record.products.iter().map(|product| ProductRow::new(id, product)).collect()
}
