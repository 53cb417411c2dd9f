//! Rows of pay periods: the store's own counters and the members.

use payroll_domain::description::NoEncryption;
use payroll_domain::pay_period::PayPeriod;

use crate::error::Outcome;
use crate::rows::cells::{StoredMembers, declare_row_with_members};
use crate::table::{TableDefinition, table};

table! {
    /// The columns of a pay period that only the store uses, such as counters.
    struct PeriodState in "pay_periods" key "company_id, pay_period_id" {
        company_id: text,
        created: int,
        check_count: int,
        removed_checks: int,
        version: int,
        modified: int,
        checks_archived: int_or_null,
    }
}

/// The row of a pay period: the store's own columns and the members.
#[derive(Debug, Clone)]
pub(crate) struct PayPeriodRow {
    pub(crate) state: PeriodState,
    members: StoredMembers<PayPeriod>,
}

declare_row_with_members!(PayPeriodRow: PeriodState, PayPeriod);

impl PayPeriodRow {
    /// Returns the id of the pay period.
    pub(crate) fn id(&self) -> &str {
        self.members.id()
    }

    /// Creates the row of a pay period without checks.
    pub(crate) fn new(company_id: &str, created: i64, from: &PayPeriod) -> Outcome<Self> {
        let state = PeriodState {
            company_id: company_id.to_owned(),
            created,
            check_count: 0,
            removed_checks: 0,
            version: created,
            modified: created,
            checks_archived: None,
        };
        Ok(Self { state, members: StoredMembers::new(from, &NoEncryption)? })
    }

    /// Returns the version of the pay period.
    pub(crate) const fn version(&self) -> i64 {
        self.state.version
    }

    /// Sets the instant of the last change.
    pub(crate) fn set_modified(&mut self, at: i64) {
        self.state.modified = at;
    }

    /// Returns the number of checks of the period. The column `check_count` contains the last ordinal and so
    /// also counts removed checks. Their number is subtracted.
    pub(crate) const fn checks(&self) -> i64 {
        self.state.check_count - self.state.removed_checks
    }

    /// Returns whether the checks are in the archive and no longer have their own rows.
    pub(crate) const fn is_archived(&self) -> bool {
        self.state.checks_archived.is_some()
    }

    /// Returns whether this database has neither the checks nor their archive. An anonymised copy omits
    /// archives and stores 0 as the instant of archiving.
    pub(crate) const fn is_archive_missing(&self) -> bool {
        matches!(self.state.checks_archived, Some(0))
    }

    /// Returns the pay period in this row.
    pub(crate) fn decode_value(&self) -> Outcome<PayPeriod> {
        self.members.clone().decode_value(&NoEncryption, Self::NAME, self.id())
    }
}
