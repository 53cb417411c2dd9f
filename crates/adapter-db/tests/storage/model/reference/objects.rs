//! Predicts changes of workers and grants.

use payroll_domain::audit::{AuditAction, AuditedKind};
use payroll_domain::event::{EventAction, EventDomain};

use super::super::state::{
    Access, Actor, AuditSubject, Event, LockHolder, Outcome, State, Worker, application_of,
};
use super::super::transition::{RecordRef, RequestVersion};

impl State {
    /// Returns the holder of a lock that prevents the operator from changing workers.
    fn blocking_holder(&self, operator: usize, company: usize) -> Option<LockHolder> {
        let is_own =
            |holder: &LockHolder| matches!(holder, LockHolder::Operator(lock) if lock.operator == operator);
        self.companies[company].lock_holder(self.now).filter(|holder| !is_own(holder))
    }

    /// Adds the event for a worker who was added by the import of the company.
    pub(super) fn fire_worker_added_event(&mut self, company: usize, worker: usize) {
        let (domain, action) = (EventDomain::WorkerAdded, EventAction::Add);
        let (at, worker) = (self.now, Some(worker));
        self.fire_event(company, Event { at, domain, action, application: None, worker, period: None });
    }

    pub(super) fn add_worker(
        &mut self,
        operator: usize,
        company: usize,
        worker: usize,
        record: Option<RecordRef>,
    ) -> Outcome {
        if let Some(holder) = self.blocking_holder(operator, company) {
            return Outcome::Locked(holder);
        }
        if self.companies[company].workers.contains_key(&worker) {
            return Outcome::Taken;
        }
        if !self.try_store_response(record) {
            return Outcome::RecordLost;
        }
        self.companies[company].workers.insert(worker, Worker { name: 0, changes: 0 });
        let change = (AuditAction::Create, EventDomain::WorkerAdded, EventAction::Add);
        self.record_worker_change(operator, (company, worker), change);
        Outcome::Stored(0)
    }

    pub(super) fn rename_worker(
        &mut self,
        operator: usize,
        (company, id): (usize, usize),
        name: usize,
        version: RequestVersion,
    ) -> Outcome {
        let lock = self.blocking_holder(operator, company);
        let Some(worker) = self.companies[company].workers.get_mut(&id) else { return Outcome::Unknown };
        if let Some(holder) = lock {
            return Outcome::Locked(holder);
        }
        if version == RequestVersion::Stale {
            return Outcome::Stale;
        }
        if worker.name == name {
            return Outcome::Stored(worker.changes);
        }
        *worker = Worker { name, changes: worker.changes + 1 };
        let outcome = Outcome::Stored(worker.changes);
        let change = (AuditAction::Update, EventDomain::WorkerDemographics, EventAction::Update);
        self.record_worker_change(operator, (company, id), change);
        outcome
    }

    fn record_worker_change(
        &mut self,
        operator: usize,
        (company, worker): (usize, usize),
        (audited, domain, action): (AuditAction, EventDomain, EventAction),
    ) {
        let row = (audited, AuditedKind::Worker, AuditSubject::Worker(worker));
        self.audit(company, Actor::Operator(operator), row);
        let (at, worker) = (self.now, Some(worker));
        self.fire_event(company, Event { at, domain, action, application: None, worker, period: None });
    }

    pub(super) fn set_grant(
        &mut self,
        operator: usize,
        company: usize,
        application: usize,
        access: Access,
    ) -> Outcome {
        let before = std::mem::replace(&mut self.companies[company].grants[application], access);
        let (audited, action) = match (before, access) {
            _ if before == access => return Outcome::Done,
            (Access::None, _) => (AuditAction::Create, EventAction::Add),
            (_, Access::None) => (AuditAction::Delete, EventAction::Delete),
            _ => (AuditAction::Update, EventAction::Update),
        };
        self.cancel_deliveries(company, application, access);
        let row = (audited, AuditedKind::Grant, AuditSubject::Application(application));
        self.audit(company, Actor::Operator(operator), row);
        let (at, domain) = (self.now, EventDomain::CompanyAccess);
        let application = Some(application);
        self.fire_event(company, Event { at, domain, action, application, worker: None, period: None });
        Outcome::Done
    }

    fn cancel_deliveries(&mut self, company: usize, application: usize, access: Access) {
        let (now, events) = (self.now, &self.companies[company].events);
        let hooks = self.hooks.iter_mut();
        let hooks = hooks.filter(|(id, hook)| application_of(**id) == application && hook.company == company);
        let deliveries = hooks.flat_map(|(_, hook)| &mut hook.deliveries);
        for delivery in deliveries.filter(|delivery| delivery.due.is_some()) {
            if !access.allows(events[delivery.event].domain) {
                delivery.cancel(now);
            }
        }
    }
}
