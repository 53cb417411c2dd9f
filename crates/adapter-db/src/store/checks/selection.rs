//! Selections of a period's checks. A selection provides its SQL statements, the values of their parameters,
//! and the number of selected checks.
//!
//! A selection of some checks is read with limit and offset, in the order of the primary key.

use payroll_domain::access::Caller;
use payroll_ports::checks::ChecksQuery;

use super::super::Conn;
use crate::error::Outcome;
use crate::rows::checks::CheckRow;
use crate::statement::{BindValue, binds, query, sql, window};
use crate::table::TableDefinition;

/// A page of checks: the checks after an ordinal, with limit and offset.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct CheckPage {
    pub(in super::super) after: i64,
    pub(in super::super) skip: i64,
    pub(in super::super) limit: i64,
}

/// A selection of the checks of a period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum CheckFilter {
    /// All checks of a period whose ordinals have no gap. A page is therefore a range of ordinals.
    Range,
    /// All checks of a period from which checks were removed, so the ordinals have gaps.
    All,
    /// Checks that the calling application has added.
    Own,
    /// Checks of one worker.
    OfWorker,
    /// Checks of one worker that the calling application has added.
    OwnOfWorker,
}

/// The condition for ordinals above $3 and up to $4.
const WHERE_ORDINAL_IN_RANGE: &str =
    " WHERE company_id = $1 AND pay_period_id = $2 AND ordinal > $3 AND ordinal <= $4";

const SELECT_CHECKS: &str = sql!["SELECT ", CheckRow::COLUMNS, " FROM checks"];

/// The checks after the ordinal $3. Conditions may follow, then [`ORDER_BY_ORDINAL`], limit and offset.
const SELECT_CHECKS_AFTER: &str =
    sql![SELECT_CHECKS, " WHERE company_id = $1 AND pay_period_id = $2 AND ordinal > $3"];
const ORDER_BY_ORDINAL: &str = " ORDER BY ordinal";

/// The checks after the ordinal $3 and up to $4, each with the version of its period.
pub(in super::super) const SELECT_CHECKS_WITH_VERSION: &str = sql![
    "SELECT ",
    CheckRow::COLUMNS,
    ", (SELECT version FROM pay_periods WHERE company_id = $1 AND pay_period_id = $2) FROM checks",
    WHERE_ORDINAL_IN_RANGE,
    ORDER_BY_ORDINAL
];

impl CheckFilter {
    /// Returns the selection for a query if no check of the period was removed.
    pub(in super::super) const fn for_query(query: &ChecksQuery) -> Self {
        match (query.only_own, query.worker_id.is_some()) {
            (false, false) => Self::Range,
            (true, false) => Self::Own,
            (false, true) => Self::OfWorker,
            (true, true) => Self::OwnOfWorker,
        }
    }

    /// Returns the selection for a period from which this number of checks was removed. If at least one
    /// check was removed, the ordinals have gaps, so a page is no longer a range of ordinals.
    pub(in super::super) const fn for_removed_checks(self, checks: i64) -> Self {
        match self {
            Self::Range if checks > 0 => Self::All,
            Self::Range | Self::All | Self::Own | Self::OfWorker | Self::OwnOfWorker => self,
        }
    }

    /// Returns the statement that reads the checks of a page.
    pub(in super::super) const fn checks_statement(self) -> &'static str {
        match self {
            Self::Range => sql![SELECT_CHECKS, WHERE_ORDINAL_IN_RANGE, ORDER_BY_ORDINAL],
            Self::All => sql![SELECT_CHECKS_AFTER, ORDER_BY_ORDINAL, window!("$4", "$5")],
            Self::Own => {
                sql![SELECT_CHECKS_AFTER, " AND application_id = $4", ORDER_BY_ORDINAL, window!("$5", "$6")]
            }
            Self::OfWorker => {
                sql![SELECT_CHECKS_AFTER, " AND worker_id = $4", ORDER_BY_ORDINAL, window!("$5", "$6")]
            }
            Self::OwnOfWorker => {
                sql![
                    SELECT_CHECKS_AFTER,
                    " AND worker_id = $4 AND application_id = $5",
                    ORDER_BY_ORDINAL,
                    window!("$6", "$7")
                ]
            }
        }
    }

    /// Returns the values for the statement [`Self::checks_statement`].
    pub(in super::super) fn bind_values<'a>(
        self,
        query: &'a ChecksQuery,
        caller: Option<&'a Caller>,
        page: CheckPage,
    ) -> Vec<BindValue<'a>> {
        let mut values: Vec<BindValue<'a>> =
            binds![query.company_id.as_str(), query.pay_period_id.as_str()].into();
        if matches!(self, Self::Range) {
            let after = page.after + page.skip;
            values.extend(binds![after, after + page.limit]);
            return values;
        }
        values.push(BindValue::from(page.after));
        values.extend(self.condition_bind_values(query, caller));
        values.extend(binds![page.limit, page.skip]);
        values
    }

    /// Returns the values for the condition of the selection.
    fn condition_bind_values<'a>(
        self,
        query: &'a ChecksQuery,
        caller: Option<&'a Caller>,
    ) -> Vec<BindValue<'a>> {
        let worker = BindValue::from(query.worker_id.as_ref().map(|id| id.as_str()));
        let application = BindValue::from(caller.map(|caller| caller.application_id.as_str()));
        match self {
            Self::Range | Self::All => Vec::new(),
            Self::Own => vec![application],
            Self::OfWorker => vec![worker],
            Self::OwnOfWorker => vec![worker, application],
        }
    }

    /// Returns the number of selected checks. `None` if the number is not needed.
    pub(in super::super) async fn read_check_count(
        self,
        conn: &Conn,
        query_: &ChecksQuery,
        caller: Option<&Caller>,
    ) -> Outcome<Option<i64>> {
        const COUNT_CHECKS: &str = "SELECT count(*) FROM checks WHERE company_id = $1 AND pay_period_id = $2";
        let text = match self {
            Self::Range | Self::All => return Ok(None),
            Self::Own => sql![COUNT_CHECKS, " AND application_id = $3"],
            Self::OfWorker => sql![COUNT_CHECKS, " AND worker_id = $3"],
            Self::OwnOfWorker => sql![COUNT_CHECKS, " AND worker_id = $3 AND application_id = $4"],
        };
        let mut values: Vec<BindValue<'_>> =
            binds![query_.company_id.as_str(), query_.pay_period_id.as_str()].into();
        values.extend(self.condition_bind_values(query_, caller));
        let row: Option<(i64,)> = conn.query_row(query(text, values)).await?;
        Ok(row.map(|(count,)| count))
    }
}
