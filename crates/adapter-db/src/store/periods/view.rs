//! Reads a pay period for a change of its state, in one round trip. Also reads the period that was paid last
//! before a given day.

use std::collections::HashMap;

use futures_util::try_join;
use payroll_domain::date::{Date, Timestamp};
use payroll_domain::id::{CompanyId, ComponentId, Id, PayPeriodId};
use payroll_domain::pay_period::{IntervalCode, PeriodStatus};
use payroll_ports::periods::PeriodView;

use super::super::lists::to_unsigned_count;
use super::super::{Conn, dialect, objects};
use crate::error::Outcome;
use crate::rows::lists::PayComponentRow;
use crate::rows::pay_period::PayPeriodRow;
use crate::statement::{BindValue, binds, query, sql};
use crate::table::TableDefinition;

/// The query of a period and of the pay components that a request refers to.
pub(in super::super) struct PeriodQuery {
    pub(in super::super) company_id: CompanyId,
    pub(in super::super) pay_period_id: PayPeriodId,
    pub(in super::super) components: Vec<ComponentId>,
    pub(in super::super) now: Timestamp,
}

/// Reads the period, and the pay components of the query that exist in the company. `None` if the period
/// does not exist in the company.
pub(in super::super) async fn read_period_view(
    conn: &Conn,
    query: &PeriodQuery,
) -> Outcome<Option<PeriodView>> {
    const SELECT_PERIOD: &str = sql![
        "SELECT ",
        PayPeriodRow::COLUMNS,
        " FROM pay_periods WHERE company_id = $1 AND pay_period_id = $2"
    ];
    let company_id = query.company_id.as_str();
    let (lock_holders, period, components) = try_join!(
        objects::read_lock_holders(conn, company_id),
        conn.query_row(query!(SELECT_PERIOD, binds![company_id, query.pay_period_id.as_str()])),
        read_components(conn, query),
    )?;
    let period: Option<PayPeriodRow> = period;
    let (Some(lock_holders), Some(row)) = (lock_holders, period) else { return Ok(None) };
    let mut component_names = HashMap::with_capacity(components.len());
    for component in components {
        let component = component.decode_value()?;
        component_names.insert(component.component_id.clone(), component);
    }
    Ok(Some(PeriodView {
        period: row.decode_value()?,
        version: row.version(),
        check_count: to_unsigned_count(row.checks())?,
        lock: lock_holders.operator_lock(query.now).cloned(),
        components: component_names,
    }))
}

/// Reads the latest period of the company that has the given pay interval and was paid before the given day.
pub(in super::super) async fn last_paid_period_before(
    conn: &Conn,
    company_id: &CompanyId,
    interval: IntervalCode,
    check_date: Date,
) -> Outcome<Option<PayPeriodId>> {
    const SELECT_LAST_PAID_PERIODS: &str = sql![
        "SELECT ",
        PayPeriodRow::COLUMNS,
        " FROM pay_periods WHERE company_id = $1 AND interval_code = $2 AND check_date < $3 AND status",
        dialect::equals_any!("$4"),
        " ORDER BY check_date DESC, created DESC, pay_period_id DESC LIMIT 1"
    ];
    let paid = PeriodStatus::ALL.iter().filter(|status| status.is_paid());
    let statuses = dialect::bind_list(paid.map(|status| status.as_str()));
    let [company_id, interval] = [company_id.as_str(), interval.as_str()].map(BindValue::from);
    let values = [company_id, interval, BindValue::from(check_date), statuses];
    let row: Option<PayPeriodRow> = conn.query_row(query!(SELECT_LAST_PAID_PERIODS, values)).await?;
    Ok(row.map(|row| row.decode_value()).transpose()?.map(|period| period.pay_period_id))
}

async fn read_components(conn: &Conn, query: &PeriodQuery) -> Outcome<Vec<PayComponentRow>> {
    const SELECT_COMPONENTS: &str = sql![
        "SELECT ",
        PayComponentRow::COLUMNS,
        " FROM pay_components WHERE company_id = $1 AND component_id",
        dialect::equals_any!("$2")
    ];
    if query.components.is_empty() {
        return Ok(Vec::new());
    }
    let ids = dialect::bind_list(query.components.iter().map(Id::as_str));
    let values = [BindValue::from(query.company_id.as_str()), ids];
    conn.query_rows(query!(SELECT_COMPONENTS, values)).await
}
