//! Rows of pay periods: what the store counts of one, and its members.

use payroll_domain::description::NothingSealed;
use payroll_domain::pay_period::PayPeriod;

use crate::error::Outcome;
use crate::rows::cells::{Members, state_and_members};
use crate::table::{Table, table};

table! {
    /// What the store itself keeps of a pay period.
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

/// A pay period: what the store keeps of it, and its members.
#[derive(Debug, Clone)]
pub(crate) struct PayPeriodRow {
    pub(crate) state: PeriodState,
    members: Members<PayPeriod>,
}

state_and_members!(PayPeriodRow: PeriodState, PayPeriod);

impl PayPeriodRow {
    /// The id of the object.
    pub(crate) fn id(&self) -> &str {
        self.members.id()
    }

    /// A pay period without checks as a row.
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
        Ok(Self { state, members: Members::new(from, &NothingSealed)? })
    }

    /// The version of the pay period.
    pub(crate) const fn version(&self) -> i64 {
        self.state.version
    }

    /// Says when the period was changed.
    pub(crate) fn set_modified(&mut self, at: i64) {
        self.state.modified = at;
    }

    /// How many checks the period has: the count hands out ordinals, also those of checks that are
    /// gone again.
    pub(crate) const fn checks(&self) -> i64 {
        self.state.check_count - self.state.removed_checks
    }

    /// Whether its checks are in the archive, and no longer rows of their own.
    pub(crate) const fn is_archived(&self) -> bool {
        self.state.checks_archived.is_some()
    }

    /// Whether they are in no archive either: an anonymised copy leaves the blocks out, and has 0 for the
    /// instant.
    pub(crate) const fn is_left_out(&self) -> bool {
        matches!(self.state.checks_archived, Some(0))
    }

    /// What the row means.
    pub(crate) fn value(&self) -> Outcome<PayPeriod> {
        self.members.clone().value(&NothingSealed, Self::NAME, self.id())
    }
}
