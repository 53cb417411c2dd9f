//! Removes checks from an open period for an operator: a reversal, any single check, or all checks that
//! operators have added. Removals by applications are in `remove_checks`.

use futures_util::try_join;
use payroll_ports::periods::PeriodMove;
use payroll_ports::reversals::{OperatorRemoval, RemovedByOperator, Reversed};
use payroll_ports::write::By;

use super::held_period::open_period;
use super::remove_checks::{
    CHECK_WHERE, CHECKS_AT_ONCE, CheckToRemove, RemovedFromPeriod, checks_where, erase, read_meant,
    subtract_from_totals, trail,
};
use super::{Conn, idempotency};
use crate::error::Outcome;
use crate::fixed::{Bind, binds, sql};
use crate::seal::Sealer;

/// Removes the checks, if the period is open and the company is not locked.
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
    let mut gone = RemovedFromPeriod::default();
    for some in checks.chunks(CHECKS_AT_ONCE) {
        gone.add(&erase(conn, place, some).await?)?;
    }
    try_join!(
        subtract_from_totals(conn, place, &gone, by.now),
        idempotency::keep(conn, by.kept.as_ref()),
        trail(place, &checks, by, sealer).write(conn)
    )?;
    Ok(Reversed::Done(found.version() + 1))
}

async fn meant(conn: &Conn, removed: &OperatorRemoval) -> Outcome<Vec<CheckToRemove>> {
    let (text, third) = match &removed.which {
        RemovedByOperator::Reversal(id) => (sql![CHECK_WHERE, "reversal_of IS NOT NULL"], Some(id)),
        RemovedByOperator::One(id) => (sql![CHECK_WHERE, "TRUE"], Some(id)),
        RemovedByOperator::AddedByOperators => {
            (checks_where!("application_id = '' AND reversal_of IS NULL"), None)
        }
    };
    let mut values: Vec<Bind<'_>> =
        binds![removed.company_id.as_str(), removed.pay_period_id.as_str()].into();
    values.extend(third.map(|id| Bind::from(id.as_str())));
    read_meant(conn, text, values).await
}
