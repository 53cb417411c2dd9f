//! Requests to complete a pay period, which another operator approves (specification §10.22).

use crate::audit::Actor;
use crate::check::Totals;
use crate::date::Timestamp;
use crate::id::{CompanyId, PayPeriodId};
use crate::operator_name;

/// A request to complete a pay period. The request contains the totals that the requesting operator saw, and
/// the approval by another operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletionRequest {
    /// The company to which the pay period belongs.
    pub company_id: CompanyId,
    /// The pay period to complete.
    pub pay_period_id: PayPeriodId,
    /// The version of the pay period at the time of the request.
    pub period_version: i64,
    /// The totals of the checks at the time of the request, including the supplied taxes and deductions.
    pub totals: Totals,
    /// The operator who requested the completion.
    pub requested_by: Actor,
    /// The instant at which the completion was requested.
    pub requested_at: Timestamp,
    /// The approval. `None` while the completion request is pending.
    pub approval: Option<Approval>,
}

/// The approval of a completion request. The approval completed the pay period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// The operator who approved the completion request.
    pub approved_by: Actor,
    /// The instant of the approval.
    pub approved_at: Timestamp,
}

impl CompletionRequest {
    /// Returns whether the completion request is pending for the given version of the pay period.
    #[must_use]
    pub fn is_pending_for_version(&self, period_version: i64) -> bool {
        self.approval.is_none() && self.period_version == period_version
    }

    /// Returns whether the given operator may approve the request. The operator who sent the request may not
    /// approve it. Operators are compared by their interface and by their name. A key that was revoked and
    /// created again with the same name is the same operator. A name that looks the same is also the same
    /// operator ([`operator_name::are_confusable`]).
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
    ///     requested_at: Timestamp::from_micros(1_785_199_045_000_000),
    ///     approval: None,
    /// };
    /// assert!(!request.may_be_approved_by(&actor(ActorKind::Operator, "ann")));
    /// assert!(!request.may_be_approved_by(&actor(ActorKind::Operator, "Ann ")));
    /// assert!(request.may_be_approved_by(&actor(ActorKind::Operator, "ben")));
    /// assert!(request.may_be_approved_by(&actor(ActorKind::CommandLine, "ann")));
    /// ```
    #[must_use]
    pub fn may_be_approved_by(&self, actor: &Actor) -> bool {
        self.requested_by.kind != actor.kind
            || !operator_name::are_confusable(&self.requested_by.name, &actor.name)
    }
}
