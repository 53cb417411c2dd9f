//! Predicts locks of companies and changes of the state of pay periods.

use payroll_domain::audit::{AuditAction, AuditedKind};
use payroll_domain::event::{EventAction, EventDomain};
use payroll_domain::pay_period::PeriodStatus;

use super::super::state::{Actor, AuditSubject, Event, LockHolder, OperatorLock, Outcome, State};
use super::super::transition::{PeriodAction, PeriodIndex, RequestVersion};

impl State {
    pub(super) fn lock_company(&mut self, operator: usize, company: usize, seconds: Option<i64>) -> Outcome {
        if let Some(holder) = self.companies[company].lock_holder(self.now) {
            return Outcome::Locked(holder);
        }
        let expires = seconds.map(|seconds| self.now + seconds);
        self.companies[company].lock = Some(OperatorLock { operator, expires });
        self.record_lock_in_audit_log(company, operator, AuditAction::Create);
        Outcome::Done
    }

    pub(super) fn unlock_company(&mut self, operator: usize, company: usize) -> Outcome {
        if self.companies[company].operator_lock(self.now).is_none() {
            let processing = self.companies[company].period_in_processing().map(LockHolder::Processing);
            return processing.map_or(Outcome::NotLocked, Outcome::Locked);
        }
        self.companies[company].lock = None;
        self.record_lock_in_audit_log(company, operator, AuditAction::Delete);
        Outcome::Done
    }

    fn record_lock_in_audit_log(&mut self, company: usize, operator: usize, action: AuditAction) {
        let actor = Actor::Operator(operator);
        self.audit(company, actor, (action, AuditedKind::Lock, AuditSubject::Company));
    }

    pub(super) fn change_period_state(
        &mut self,
        operator: usize,
        period_index: PeriodIndex,
        to: PeriodAction,
        version: RequestVersion,
    ) -> Outcome {
        let status = self.companies[period_index.company].periods[period_index.period].status;
        if version == RequestVersion::Stale {
            return Outcome::Stale;
        }
        let (possible, after) = match to {
            PeriodAction::Process => (status.is_open(), PeriodStatus::Processing),
            PeriodAction::Reopen => (status == PeriodStatus::Processing, PeriodStatus::Entry),
            PeriodAction::Complete => (status == PeriodStatus::Processing, PeriodStatus::Completed),
        };
        if !possible {
            return Outcome::NotFrom(status);
        }
        let company = &mut self.companies[period_index.company];
        if let Some(lock) = company.operator_lock(self.now).filter(|lock| lock.operator != operator) {
            return Outcome::Locked(LockHolder::Operator(lock));
        }
        if let Some(other) = company.period_in_processing().filter(|other| *other != period_index.period) {
            return Outcome::Locked(LockHolder::Processing(other));
        }
        company.periods[period_index.period].status = after;
        let subject = AuditSubject::Period(period_index.period);
        let row = (AuditAction::Update, AuditedKind::PayPeriod, subject);
        self.audit(period_index.company, Actor::Operator(operator), row);
        if to == PeriodAction::Complete {
            self.fire_event(
                period_index.company,
                Event {
                    at: self.now,
                    domain: EventDomain::PayrunCompleted,
                    action: EventAction::PayrunCompleted,
                    application: None,
                    worker: None,
                    period: Some(period_index.period),
                },
            );
        }
        Outcome::Done
    }
}
