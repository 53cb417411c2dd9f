//! Requests to complete a pay period, which another operator approves (specification §10.22).

use crate::audit::Actor;
use crate::check::Totals;
use crate::date::Timestamp;
use crate::id::{CompanyId, PayPeriodId};
use crate::operator_name;

/// A request to complete a pay period: what its operator saw, until another one approves it, and who did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletionRequest {
    /// The company.
    pub company_id: CompanyId,
    /// The period that is to be completed.
    pub pay_period_id: PayPeriodId,
    /// The version of the period's row when it was requested.
    pub period_version: i64,
    /// What the checks came to then, with what was handed in.
    pub totals: Totals,
    /// The operator who requested it.
    pub requested_by: Actor,
    /// When.
    pub requested: Timestamp,
    /// Who approved it; `None` while it waits.
    pub approval: Option<Approval>,
}

/// By whom and when a request was approved, which completed its pay period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// Who approved it.
    pub approved_by: Actor,
    /// When.
    pub approved: Timestamp,
}

impl CompletionRequest {
    /// Whether it waits, while its period is in that version.
    #[must_use]
    pub fn waits_for(&self, period_version: i64) -> bool {
        self.approval.is_none() && self.period_version == period_version
    }

    /// Whether that operator may approve it: not the one who requested it. Operators are distinguished by how
    /// they came and by their name, so a key that was revoked and made again under its name is the same, and so
    /// is one whose name looks the same ([`operator_name::are_same`]).
    ///
    /// ```
    /// use payroll_domain::audit::{Actor, ActorKind};
    /// use payroll_domain::check::Totals;
    /// use payroll_domain::completion_request::CompletionRequest;
    /// use payroll_domain::date::Timestamp;
    /// let actor = |kind, name: &str| Actor { kind, name: name.to_owned() };
    /// let request = CompletionRequest {
    ///     company_id: "EXAMPLE-1".parse().unwrap(),
    ///     pay_period_id: "2027-01".parse().unwrap(),
    ///     period_version: 7,
    ///     totals: Totals::default(),
    ///     requested_by: actor(ActorKind::Operator, "ann"),
    ///     requested: Timestamp::from_micros(1_785_199_045_000_000),
    ///     approval: None,
    /// };
    /// assert!(!request.may_be_approved_by(&actor(ActorKind::Operator, "ann")));
    /// assert!(!request.may_be_approved_by(&actor(ActorKind::Operator, "Ann ")));
    /// assert!(request.may_be_approved_by(&actor(ActorKind::Operator, "ben")));
    /// assert!(request.may_be_approved_by(&actor(ActorKind::CommandLine, "ann")));
    /// ```
    #[must_use]
    pub fn may_be_approved_by(&self, actor: &Actor) -> bool {
        self.requested_by.kind != actor.kind || !operator_name::are_same(&self.requested_by.name, &actor.name)
    }
}
