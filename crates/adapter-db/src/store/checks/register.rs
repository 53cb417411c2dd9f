//! The payroll register: the checks of a pay period with the names of their workers.

use std::collections::{HashMap, HashSet};

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use payroll_domain::check::{RegisterCheck, WorkerLabel};
use payroll_domain::date::Date;
use payroll_domain::id::PayPeriodId;
use payroll_domain::pay_period::PayPeriod;
use payroll_ports::periods::PeriodRegister as Answered;
use payroll_ports::{Listing, Rows, Window};

use super::super::windows;
use super::super::windows::{HeadAndFirstRows, PagedCollection};
use super::super::{Conn, Db, dialect};
use super::pages::{CheckListHead, CheckPages};
use crate::error::Outcome;
use crate::rows::RowLocation;
use crate::rows::checks::CheckRow;
use crate::statement::{BindValue, query};

/// A check, and its worker. The worker is `None` if the company no longer has the worker.
type RegisterRow = (CheckRow, Option<WorkerLabel>);

/// The checks of a period, each with the name of its worker.
#[derive(Clone)]
pub(in super::super) struct RegisterPages(pub(in super::super) CheckPages);

impl PagedCollection for RegisterPages {
    type Head = CheckListHead;
    type Item = RegisterRow;

    fn total(head: &CheckListHead) -> u64 {
        CheckPages::total(head)
    }

    fn read_start<'c>(&'c mut self, conn: &'c Conn, limit: i64) -> BoxFuture<'c, HeadAndFirstRows<Self>> {
        Box::pin(async move {
            let (head, rows) = self.0.read_start(conn, limit).await?;
            Ok((head, read_workers_of_checks(conn, rows).await?))
        })
    }

    fn read_next<'c>(&'c mut self, conn: &'c Conn, limit: i64) -> BoxFuture<'c, Outcome<Vec<RegisterRow>>> {
        Box::pin(async move {
            let rows = self.0.read_next(conn, limit).await?;
            read_workers_of_checks(conn, rows).await
        })
    }
}

/// Reads a page of the register. Returns `None` if the period does not exist in the company.
pub(in super::super) async fn read_register_page(
    db: &Db,
    register: RegisterPages,
    window: Window,
) -> Outcome<Option<Answered>> {
    let (head, rows) = windows::read_window(db, register, window).await?;
    let total = head.total;
    let Some(row) = head.period else { return Ok(None) };
    if row.is_archive_missing() {
        return Ok(Some(Answered::LeftOut));
    }
    let PayPeriod { pay_period_id, status, check_date, .. } = row.decode_value()?;
    let is_processed = status.is_processed();
    let read = move |rows: Vec<RegisterRow>| -> Outcome<Vec<RegisterCheck>> {
        let read = |row| to_register_check(row, is_processed, &pay_period_id, check_date);
        rows.into_iter().map(read).collect()
    };
    // Rows are converted on the thread that reads them, because the conversion takes CPU time.
    let rows = match rows {
        Rows::All(rows) => Rows::All(read(rows)?),
        Rows::Stream(chunks) => Rows::Stream(chunks.map(move |chunk| Ok(read(chunk?)?)).boxed()),
    };
    Ok(Some(Answered::Checks(Listing { total, version: row.version(), rows })))
}

fn to_register_check(
    (row, worker): RegisterRow,
    is_processed: bool,
    pay_period_id: &PayPeriodId,
    check_date: Date,
) -> Outcome<RegisterCheck> {
    if is_processed {
        return Ok(RegisterCheck::from_processed_check(
            row.into_processed_check(pay_period_id, check_date)?,
            worker,
        ));
    }
    let paycheck_id = row.paycheck_id.clone();
    let entered = RegisterCheck::from_stored_check(row.into_stored_check(pay_period_id, check_date)?, worker);
    entered.ok_or_else(|| {
        RowLocation { table: "checks", key: &paycheck_id }
            .corruption_failure("the amounts of its lines cannot be computed")
    })
}

/// Reads the workers of a chunk of checks. All checks belong to one company.
async fn read_workers_of_checks(conn: &Conn, checks: Vec<CheckRow>) -> Outcome<Vec<RegisterRow>> {
    const SELECT_WORKERS: &str = concat!(
        "SELECT worker_id, employee_id, family_name, given_name FROM workers \
         WHERE company_id = $1 AND worker_id",
        dialect::equals_any!("$2")
    );
    let Some(first) = checks.first() else { return Ok(Vec::new()) };
    let worker_ids: HashSet<&str> = checks.iter().map(|check| check.worker_id.as_str()).collect();
    let values = [BindValue::from(first.company_id.as_str()), dialect::bind_list(worker_ids.iter().copied())];
    let found: Vec<(String, Option<String>, String, String)> =
        conn.query_rows(query!(SELECT_WORKERS, values)).await?;
    let workers: HashMap<String, WorkerLabel> = found
        .into_iter()
        .map(|(id, employee_id, family_name, given_name)| {
            (id, WorkerLabel { employee_id, family_name, given_name })
        })
        .collect();
    let with_worker = |check: CheckRow| {
        let worker = workers.get(&check.worker_id).cloned();
        (check, worker)
    };
    Ok(checks.into_iter().map(with_worker).collect())
}
