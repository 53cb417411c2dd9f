//! The operator's ports of an unavailable store. The ports for access are in `access_store`.

use async_trait::async_trait;
use payroll_domain::access::{Caller, Guarded};
use payroll_domain::check::Totals;
use payroll_domain::company::Lock;
use payroll_domain::date::{Date, Timestamp};
use payroll_domain::delivery::Notification;
use payroll_domain::event::FiredEvent;
use payroll_domain::hook::address::AddressRule;
use payroll_domain::hook::{Address, Hook, HookChange, HookKey, SigningSecret};
use payroll_domain::id::{ApplicationId, CompanyId, ComponentId, HookId, PayPeriodId};
use payroll_domain::pay_period::IntervalCode;
use payroll_domain::resource::{Resource, ResourceKind};
use payroll_ports::audit::{AuditPage, AuditQuery, AuditStore};
use payroll_ports::checks::PeriodChecks;
use payroll_ports::deliveries::{
    AttemptRecord, ClaimRequest, ClaimedDelivery, Delivery, DeliveryId, DeliveryLog, DeliveryPage,
    DeliveryQuery, DeliveryQueue, HookHealthChange, HookNumber, NotificationRequest, QueueSummary, ReadyHook,
    ReplayOutcome, ReplayQuery, Target,
};
use payroll_ports::events::{EventStore, Feed, FeedQuery};
use payroll_ports::filters::{CompanyFilter, PayRunFilter, PeriodFilter, ResourceFilter};
use payroll_ports::hooks::{
    AddressCheck, ChallengeFailure, HookRefusal, HookReport, HookStore, NewHook, Registration,
};
use payroll_ports::periods::{
    PayRun, PayRunTotals, PeriodMove, PeriodMoveOutcome, PeriodStore, PeriodSummary, PeriodView,
    PositionedCheck, Register, StagedCheck,
};
use payroll_ports::resources::{
    CompanyLock, Edit, LockOutcome, ObjectWrite, ResourceStore, Versioned, WriteOutcome,
};
use payroll_ports::sandbox::SandboxStore;
use payroll_ports::search::{SearchHit, SearchStore};
use payroll_ports::write::AuditContext;
use payroll_ports::{Listing, StoreError, Window};

use crate::store::{AwayStore, away};

#[async_trait]
impl AuditStore for AwayStore {
    async fn audit(&self, _: &AuditQuery) -> Result<AuditPage, StoreError> {
        away()
    }
    async fn delete_audit_before(&self, _: Timestamp, _: u32) -> Result<u64, StoreError> {
        away()
    }
}

#[async_trait]
impl SearchStore for AwayStore {
    async fn search(&self, _: &str, _: Option<&[CompanyId]>) -> Result<Vec<SearchHit>, StoreError> {
        away()
    }
}

#[async_trait]
impl EventStore for AwayStore {
    async fn events(&self, _: &FeedQuery) -> Result<Feed, StoreError> {
        away()
    }
    async fn events_for(&self, _: &Caller, _: &FeedQuery) -> Result<Guarded<Feed>, StoreError> {
        away()
    }
    async fn delete_events_before(&self, _: Timestamp, _: u32) -> Result<u64, StoreError> {
        away()
    }
}

#[async_trait]
impl SandboxStore for AwayStore {
    async fn trigger(
        &self,
        _: &CompanyId,
        _: &FiredEvent,
        _: &AuditContext,
    ) -> Result<Option<String>, StoreError> {
        away()
    }
    async fn is_sandbox(&self) -> Result<bool, StoreError> {
        away()
    }
    async fn mark_as_sandbox(&self) -> Result<(), StoreError> {
        away()
    }
    async fn clear(&self) -> Result<(), StoreError> {
        away()
    }
}

#[async_trait]
impl PeriodStore for AwayStore {
    async fn process(&self, _: &PeriodMove, _: &AuditContext) -> Result<PeriodMoveOutcome, StoreError> {
        away()
    }
    async fn reopen(&self, _: &PeriodMove, _: &AuditContext) -> Result<PeriodMoveOutcome, StoreError> {
        away()
    }
    async fn period(
        &self,
        _: &CompanyId,
        _: &PayPeriodId,
        _: &[ComponentId],
        _: Timestamp,
    ) -> Result<Option<PeriodView>, StoreError> {
        away()
    }
    async fn period_summary(
        &self,
        _: &CompanyId,
        _: &PayPeriodId,
    ) -> Result<Option<Versioned<PeriodSummary>>, StoreError> {
        away()
    }
    async fn period_summaries(
        &self,
        _: &CompanyId,
        _: &PeriodFilter,
        _: Window,
    ) -> Result<Option<Listing<Versioned<PeriodSummary>>>, StoreError> {
        away()
    }
    async fn pay_runs(&self, _: &PayRunFilter, _: Window) -> Result<Listing<PayRun>, StoreError> {
        away()
    }
    async fn pay_run_totals(&self, _: &PayRunFilter) -> Result<PayRunTotals, StoreError> {
        away()
    }
    async fn checks_of_period(
        &self,
        _: &CompanyId,
        _: &PayPeriodId,
        _: Window,
    ) -> Result<Option<PeriodChecks>, StoreError> {
        away()
    }
    async fn register(
        &self,
        _: &CompanyId,
        _: &PayPeriodId,
        _: Window,
    ) -> Result<Option<Register>, StoreError> {
        away()
    }
    async fn last_paid_period_before(
        &self,
        _: &CompanyId,
        _: IntervalCode,
        _: Date,
    ) -> Result<Option<PayPeriodId>, StoreError> {
        away()
    }
    async fn begin_completion(
        &self,
        _: &PeriodMove,
        _: &str,
        _: &AuditContext,
    ) -> Result<PeriodMoveOutcome, StoreError> {
        away()
    }
    async fn checks_to_complete(
        &self,
        _: &CompanyId,
        _: &PayPeriodId,
        _: i64,
        _: u32,
    ) -> Result<Vec<PositionedCheck>, StoreError> {
        away()
    }
    async fn stage(&self, _: &PeriodMove, _: &str, _: &[StagedCheck]) -> Result<bool, StoreError> {
        away()
    }
    async fn complete(
        &self,
        _: &PeriodMove,
        _: &str,
        _: &Totals,
        _: &AuditContext,
    ) -> Result<PeriodMoveOutcome, StoreError> {
        away()
    }
}

#[async_trait]
impl ResourceStore for AwayStore {
    async fn resource(
        &self,
        _: &CompanyId,
        _: ResourceKind,
        _: &str,
    ) -> Result<Option<Versioned<Resource>>, StoreError> {
        away()
    }
    async fn resources(
        &self,
        _: &CompanyId,
        _: &ResourceFilter,
        _: Window,
    ) -> Result<Option<Listing<Versioned<Resource>>>, StoreError> {
        away()
    }
    async fn all_companies(
        &self,
        _: &CompanyFilter,
        _: Window,
    ) -> Result<Listing<Versioned<Resource>>, StoreError> {
        away()
    }
    async fn write(
        &self,
        _: &CompanyId,
        _: &ObjectWrite,
        _: &AuditContext,
    ) -> Result<WriteOutcome, StoreError> {
        away()
    }

    async fn create_all(
        &self,
        _: &CompanyId,
        _: &[Resource],
        _: &AuditContext,
    ) -> Result<WriteOutcome, StoreError> {
        away()
    }

    async fn edit(
        &self,
        _: &CompanyId,
        _: (ResourceKind, &str),
        _: Edit,
        _: &AuditContext,
    ) -> Result<WriteOutcome, StoreError> {
        away()
    }
    async fn lock_of(&self, _: &CompanyId, _: Timestamp) -> Result<Option<Option<CompanyLock>>, StoreError> {
        away()
    }
    async fn lock(&self, _: &CompanyId, _: &Lock, _: &AuditContext) -> Result<LockOutcome, StoreError> {
        away()
    }
    async fn unlock(&self, _: &CompanyId, _: &AuditContext) -> Result<LockOutcome, StoreError> {
        away()
    }
}

#[async_trait]
impl HookStore for AwayStore {
    async fn hooks_of(&self, _: &Caller) -> Result<Guarded<Vec<Hook>>, StoreError> {
        away()
    }
    async fn hook_of(&self, _: &Caller, _: &HookId) -> Result<Guarded<Option<Hook>>, StoreError> {
        away()
    }
    async fn registration(
        &self,
        _: &Caller,
        _: Option<&CompanyId>,
    ) -> Result<Guarded<Registration>, StoreError> {
        away()
    }
    async fn hooks(&self, _: Option<&ApplicationId>) -> Result<Vec<HookReport>, StoreError> {
        away()
    }
    async fn hook(&self, _: &HookKey) -> Result<Option<HookReport>, StoreError> {
        away()
    }
    async fn add_hook(
        &self,
        _: &NewHook,
        _: u32,
        _: &AuditContext,
    ) -> Result<Result<(), HookRefusal>, StoreError> {
        away()
    }
    async fn change_hook(
        &self,
        _: &HookKey,
        _: &HookChange,
        _: Option<i64>,
        _: &AuditContext,
    ) -> Result<Result<Hook, HookRefusal>, StoreError> {
        away()
    }
    async fn remove_hook(&self, _: &HookKey, _: &AuditContext) -> Result<bool, StoreError> {
        away()
    }
    async fn set_hook_active(
        &self,
        _: &HookKey,
        _: bool,
        _: &AuditContext,
    ) -> Result<Option<Hook>, StoreError> {
        away()
    }
    async fn rotate_signing_secret(
        &self,
        _: &HookKey,
        _: SigningSecret,
        _: Timestamp,
        _: &AuditContext,
    ) -> Result<Option<Hook>, StoreError> {
        away()
    }
}

#[async_trait]
impl DeliveryQueue for AwayStore {
    async fn wait_for_deliveries(&self) {
        std::future::pending::<()>().await;
    }
    async fn ready(&self) -> Result<Vec<ReadyHook>, StoreError> {
        away()
    }
    async fn claim(
        &self,
        _: &[ClaimRequest],
        _: Timestamp,
        _: Timestamp,
    ) -> Result<Vec<ClaimedDelivery>, StoreError> {
        away()
    }
    async fn targets(&self, _: &[HookNumber]) -> Result<Vec<Target>, StoreError> {
        away()
    }
    async fn record(&self, _: &[AttemptRecord], _: &[HookHealthChange]) -> Result<(), StoreError> {
        away()
    }
    async fn make_due(&self, _: Timestamp, _: Timestamp, _: u32) -> Result<u64, StoreError> {
        away()
    }
    async fn release_claims(&self, _: &[DeliveryId]) -> Result<(), StoreError> {
        away()
    }
}

#[async_trait]
impl DeliveryLog for AwayStore {
    async fn deliveries(&self, _: &HookKey, _: &DeliveryQuery) -> Result<DeliveryPage, StoreError> {
        away()
    }
    async fn delivery(&self, _: &HookKey, _: i64) -> Result<Option<Delivery>, StoreError> {
        away()
    }
    async fn replay(&self, _: &HookKey, _: i64, _: &AuditContext) -> Result<bool, StoreError> {
        away()
    }
    async fn replay_many(
        &self,
        _: &HookKey,
        _: &ReplayQuery,
        _: &AuditContext,
    ) -> Result<ReplayOutcome, StoreError> {
        away()
    }
    async fn queue_test(
        &self,
        _: &HookKey,
        _: &Notification,
        _: &AuditContext,
    ) -> Result<Option<i64>, StoreError> {
        away()
    }
    async fn queue_summary(&self) -> Result<QueueSummary, StoreError> {
        away()
    }
    async fn record_notification_requests(&self, _: &[NotificationRequest]) -> Result<(), StoreError> {
        away()
    }
    async fn delete_deliveries_before(&self, _: Timestamp, _: u32) -> Result<u64, StoreError> {
        away()
    }
    async fn expire_deliveries(&self, _: Timestamp, _: Timestamp, _: u32) -> Result<u64, StoreError> {
        away()
    }
}

/// An address check that cannot resolve any name.
pub(crate) struct AwayAddresses;

#[async_trait]
impl AddressCheck for AwayAddresses {
    async fn check(&self, _: &Address) -> Result<(), AddressRule> {
        Err(AddressRule::Name)
    }
    async fn challenge(&self, _: &Address, _: &str) -> Result<(), ChallengeFailure> {
        Err(ChallengeFailure::OtherBody)
    }
}
