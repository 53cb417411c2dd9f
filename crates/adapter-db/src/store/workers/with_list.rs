//! Reads a worker with only one list, or without any.

use futures_util::future::BoxFuture;
use futures_util::try_join;
use payroll_domain::access::{Access, Guarded};
use payroll_domain::company::Communication;
use payroll_domain::worker::{
    AssignmentDistribution, DirectDeposit, PayRate, RecurringComponent, StatusEntry, TimeOff, Worker,
    WorkerCustomField,
};
use payroll_ports::resources::Versioned;
use payroll_ports::workers::WorkerListKind;

use super::super::objects::{
    ChildRows, CompanyContext, ObjectKind, StoredObject, WorkerChild, Workers, group_by_owner, load_with_list,
};
use super::super::{Conn, Db, access, dialect, setup};
use super::combined::read_combined_rows;
use super::query::WorkerQuery;
use crate::error::Outcome;
use crate::rows::workers::WorkerRow;
use crate::statement::sql;
use crate::table::TableDefinition;

type AccessAndWorker = (Access, Option<StoredObject<Workers>>);
type ReadInOneStatement = for<'c> fn(&'c Conn, &'c WorkerQuery) -> BoxFuture<'c, Outcome<AccessAndWorker>>;

/// Reads the caller's access and the worker with one list.
pub(super) async fn read_worker_with_list(
    db: &Db,
    of: WorkerQuery,
    list: Option<WorkerListKind>,
) -> Outcome<Guarded<Option<Versioned<Worker>>>> {
    let (access, found) = match one_statement_reader(list) {
        Some(read) if dialect::IS_REMOTE => {
            db.query_by_key(move |conn| Box::pin(async move { read(conn, &of).await })).await?
        }
        _ => {
            db.read_by_key(move |conn| {
                Box::pin(async move { read_in_several_statements(conn, &of, list).await })
            })
            .await?
        }
    };
    Ok(Guarded::new(access, found.map(setup::versioned)))
}

async fn read_in_several_statements(
    conn: &Conn,
    of: &WorkerQuery,
    list: Option<WorkerListKind>,
) -> Outcome<AccessAndWorker> {
    let context = CompanyContext { conn, company_id: of.company_id(), sealer: &of.query.sealer };
    let access = access::read_access(conn, &of.query.caller, Some(of.company_id()));
    let ((access, _), found) = try_join!(access, load_with_list(context, &of.worker_id, list))?;
    Ok((access, found))
}

/// Returns the function that reads a worker with this list in one statement. `None` for lists whose elements
/// have child tables.
fn one_statement_reader(list: Option<WorkerListKind>) -> Option<ReadInOneStatement> {
    Some(match list? {
        WorkerListKind::Contacts => return None,
        WorkerListKind::AssignmentDistributions => read_in_one_statement::<AssignmentDistribution>,
        WorkerListKind::Communications => read_in_one_statement::<Communication>,
        WorkerListKind::CustomFields => read_in_one_statement::<WorkerCustomField>,
        WorkerListKind::DirectDeposits => read_in_one_statement::<DirectDeposit>,
        WorkerListKind::PayRates => read_in_one_statement::<PayRate>,
        WorkerListKind::RecurringComponents => read_in_one_statement::<RecurringComponent>,
        WorkerListKind::Statuses => read_in_one_statement::<StatusEntry>,
        WorkerListKind::TimeOff => read_in_one_statement::<TimeOff>,
    })
}

fn read_in_one_statement<'c, T: WorkerChild>(
    conn: &'c Conn,
    of: &'c WorkerQuery,
) -> BoxFuture<'c, Outcome<AccessAndWorker>> {
    const SELECT_WORKER: &str =
        sql!["SELECT ", WorkerRow::COLUMNS, " FROM workers WHERE company_id = $1 AND worker_id = $2"];
    Box::pin(async move {
        let found = read_combined_rows::<WorkerRow, T>(conn, of, SELECT_WORKER, true).await?;
        let mut children = ChildRows::default();
        *T::rows(&mut children) = group_by_owner(found.children);
        let worker = found.worker.map(|row| {
            let object = Workers::object_from_row(row.clone(), &mut children, &of.query.sealer)?;
            Ok(StoredObject { object, row })
        });
        Ok((found.access, worker.transpose()?))
    })
}
