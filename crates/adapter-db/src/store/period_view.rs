//! A pay period as it is before a move, in one round trip.

use std::collections::HashMap;

use futures_util::try_join;
use payroll_domain::date::Timestamp;
use payroll_domain::id::{CompanyId, ComponentId, Id, PayPeriodId};
use payroll_ports::periods::PeriodView;

use super::lists::unsigned;
use super::{Conn, dialect, objects};
use crate::error::Outcome;
use crate::fixed::{Bind, binds, query, sql};
use crate::rows::lists::{PayComponentRow, PayPeriodRow};
use crate::table::Table;

/// What is asked for.
pub(super) struct Asked {
    pub(super) company_id: CompanyId,
    pub(super) pay_period_id: PayPeriodId,
    pub(super) components: Vec<ComponentId>,
    pub(super) now: Timestamp,
}

/// The period; `None` when the company has no such period.
pub(super) async fn read(conn: &Conn, asked: &Asked) -> Outcome<Option<PeriodView>> {
    const PERIOD: &str = sql![
        "SELECT ",
        PayPeriodRow::COLUMNS,
        " FROM pay_periods WHERE company_id = $1 AND pay_period_id = $2"
    ];
    let company_id = asked.company_id.as_str();
    let (held, period, components) = try_join!(
        objects::look(conn, company_id),
        conn.row(query!(PERIOD, binds![company_id, asked.pay_period_id.as_str()])),
        components(conn, asked),
    )?;
    let period: Option<PayPeriodRow> = period;
    let (Some(held), Some(row)) = (held, period) else { return Ok(None) };
    let mut known = HashMap::with_capacity(components.len());
    for component in components {
        let component = component.value()?;
        known.insert(component.component_id.clone(), component);
    }
    Ok(Some(PeriodView {
        period: row.value()?,
        version: row.version,
        check_count: unsigned(row.checks())?,
        lock: held.operator(asked.now).cloned(),
        components: known,
    }))
}

async fn components(conn: &Conn, asked: &Asked) -> Outcome<Vec<PayComponentRow>> {
    const COMPONENTS: &str = sql![
        "SELECT ",
        PayComponentRow::COLUMNS,
        " FROM pay_components WHERE company_id = $1 AND component_id",
        dialect::any!("$2")
    ];
    if asked.components.is_empty() {
        return Ok(Vec::new());
    }
    let ids = dialect::list(asked.components.iter().map(Id::as_str));
    let values = [Bind::from(asked.company_id.as_str()), ids];
    conn.rows(query!(COMPONENTS, values)).await
}
