//! Cancels pending deliveries when the application loses access to the data of these deliveries.
//!
//! A delivery that another transaction queues at the same time is not visible to this transaction. Such a
//! delivery is not sent either, because the application's access is verified again when the delivery is
//! claimed.

use payroll_domain::access::Scopes;
use payroll_domain::date::Timestamp;
use payroll_domain::event::EventDomain;
use payroll_domain::id::{ApplicationId, CompanyId};

use super::{Conn, dialect};
use crate::error::Outcome;
use crate::statement::{binds, command};

/// Cancels the application's pending deliveries of events about the company for which `scopes` are not
/// sufficient. Events about the application's own access need no scope, and test calls contain no data of the
/// company, so both remain.
pub(super) async fn cancel_deliveries(
    conn: &Conn,
    (application_id, company_id): (&ApplicationId, &CompanyId),
    scopes: Scopes,
    now: Timestamp,
) -> Outcome<()> {
    // The transaction that records the results of attempts locks the rows in the same order. The two
    // transactions therefore cannot deadlock.
    const CANCEL_DELIVERIES: &str = concat!(
        "UPDATE deliveries SET state = 'CANCELLED', due = NULL, claimed_until = 0, ended = $1 \
            WHERE (hook, position) IN (SELECT d.hook, d.position FROM hooks h CROSS JOIN deliveries d \
                WHERE h.application_id = $2 AND d.hook = h.hook AND d.due IS NOT NULL \
                    AND d.company_id = $3 AND NOT d.test AND d.domain",
        dialect::equals_any!("$4"),
        " ORDER BY d.hook, d.position",
        dialect::lock_rows!("FOR UPDATE OF d"),
        ")"
    );
    let not_allowed =
        EventDomain::ALL.iter().filter(|domain| !domain.needed_scopes().difference(scopes).is_empty());
    let not_allowed = dialect::bind_list(not_allowed.map(|domain| domain.as_str()));
    let mut values = Vec::from(binds![now.as_micros(), application_id.as_str(), company_id.as_str()]);
    values.push(not_allowed);
    conn.execute(command!(CANCEL_DELIVERIES, values)).await?;
    Ok(())
}
