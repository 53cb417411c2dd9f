//! Removing checks from an open period as an operator: a reversal, any one check, or all that operators have
//! added. An application does it by `remove_checks`.

use futures_util::try_join;
use payroll_ports::periods::PeriodMove;
use payroll_ports::reversals::{OperatorRemoval, RemovedByOperator, Reversed};
use payroll_ports::write::By;

use super::held_period::open_period;
use super::remove_checks::{CHECKS_AT_ONCE, Gone, Meant, count_off, erase, trail};
use super::{Conn, idempotency};
use crate::error::Outcome;
use crate::fixed::{Bind, binds, query};
use crate::seal::Sealer;

/// Removes the checks, if the period is open and the company is free.
pub(super) async fn remove(
    conn: &Conn,
    removed: &OperatorRemoval,
    by: &By,
    sealer: &Sealer,
) -> Outcome<Reversed> {
    let moved = PeriodMove {
        company_id: removed.company_id.clone(),
        pay_period_id: removed.pay_period_id.clone(),
        version: removed.version,
        seen: None,
        request: None,
    };
    let (_, found) = match open_period(conn, &moved, by).await? {
        Ok(held) => held,
        Err(refused) => return Ok(refused),
    };
    let checks = meant(conn, removed).await?;
    if checks.is_empty() {
        return Ok(match removed.which {
            RemovedByOperator::AddedByOperators => {
                idempotency::keep(conn, by.kept.as_ref()).await?;
                Reversed::Done(found.version())
            }
            RemovedByOperator::Reversal(_) | RemovedByOperator::One(_) => Reversed::Unknown,
        });
    }
    let place = (removed.company_id.as_str(), removed.pay_period_id.as_str());
    let mut gone = Gone::default();
    for some in checks.chunks(CHECKS_AT_ONCE) {
        gone.add(&erase(conn, place, some).await?)?;
    }
    try_join!(
        count_off(conn, place, &gone, by.now),
        idempotency::keep(conn, by.kept.as_ref()),
        trail(place, &checks, by, sealer).write(conn)
    )?;
    Ok(Reversed::Done(found.version() + 1))
}

async fn meant(conn: &Conn, removed: &OperatorRemoval) -> Outcome<Vec<Meant>> {
    macro_rules! meant {
        ($condition:literal) => {
            concat!(
                "SELECT ordinal, paycheck_id, reversal_of FROM checks \
                 WHERE company_id = $1 AND pay_period_id = $2 AND ",
                $condition,
                " ORDER BY ordinal"
            )
        };
    }
    let place: [Bind<'_>; 2] = binds![removed.company_id.as_str(), removed.pay_period_id.as_str()];
    let mut values = Vec::from(place);
    let text = match &removed.which {
        RemovedByOperator::Reversal(paycheck_id) => {
            values.push(paycheck_id.as_str().into());
            meant!("paycheck_id = $3 AND reversal_of IS NOT NULL")
        }
        RemovedByOperator::One(paycheck_id) => {
            values.push(paycheck_id.as_str().into());
            meant!("paycheck_id = $3")
        }
        RemovedByOperator::AddedByOperators => meant!("application_id = '' AND reversal_of IS NULL"),
    };
    let rows: Vec<(i64, String, Option<String>)> = conn.rows(query(text, values)).await?;
    let meant = |(ordinal, paycheck_id, reversal_of)| Meant { ordinal, paycheck_id, reversal_of };
    Ok(rows.into_iter().map(meant).collect())
}
