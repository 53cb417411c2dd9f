//! Predicts how checks are added, changed and removed.

use payroll_domain::audit::{AuditAction, AuditedKind};
use payroll_domain::pay_period::PeriodStatus;

use super::super::state::{Actor, ArchiveProgress, AuditSubject, Check, Outcome, Period, State};
use super::super::transition::{PeriodIndex, RecordRef};

impl State {
    /// Returns the period if its checks may be changed.
    fn open_period(&mut self, period_index: PeriodIndex) -> Option<&mut Period> {
        let (now, company) = (self.now, &mut self.companies[period_index.company]);
        let free = company.lock_holder(now).is_none();
        Some(&mut company.periods[period_index.period]).filter(|period| free && period.status.is_open())
    }

    fn is_stored(&self, company: usize, id: usize) -> bool {
        let periods = &self.companies[company].periods;
        periods.iter().flat_map(|period| &period.checks).any(|check| check.id == id)
    }

    /// Returns whether the check is only in the archive and has no row of its own.
    pub(super) fn is_erased(&self, company: usize, id: usize) -> bool {
        let is_erased =
            |period: &&Period| matches!(period.archive, ArchiveProgress::Archived { erased: true });
        let periods = self.companies[company].periods.iter().filter(is_erased);
        periods.flat_map(|period| &period.checks).any(|check| check.id == id)
    }

    fn audit_checks(&mut self, period_index: PeriodIndex, actor: Actor, action: AuditAction) {
        let subject = AuditSubject::Period(period_index.period);
        self.audit(period_index.company, actor, (action, AuditedKind::Checks, subject));
    }

    pub(super) fn add_checks(
        &mut self,
        actor: Actor,
        period_index: PeriodIndex,
        checks: &[(usize, usize, u64)],
        record: Option<RecordRef>,
    ) -> Outcome {
        let workers = &self.companies[period_index.company].workers;
        let known = checks.iter().all(|(_, worker, _)| workers.contains_key(worker));
        let unused = checks.iter().enumerate().all(|(at, (id, ..))| {
            !self.is_stored(period_index.company, *id)
                && !checks[..at].iter().any(|(earlier, ..)| earlier == id)
        });
        if !self.can_store_response(record) {
            return Outcome::RecordLost;
        }
        let Some(period) = self.open_period(period_index).filter(|_| known && unused) else {
            return Outcome::FactsChanged;
        };
        period.status = PeriodStatus::Entry;
        let added = checks.iter().map(|(id, worker, cents)| Check {
            id: *id,
            worker: *worker,
            cents: *cents,
            added_by: actor,
        });
        period.checks.extend(added);
        self.audit_checks(period_index, actor, AuditAction::Create);
        self.try_store_response(record);
        Outcome::Done
    }

    pub(super) fn change_check(
        &mut self,
        application: usize,
        (period_index, id): (PeriodIndex, usize),
        cents: u64,
        record: Option<RecordRef>,
    ) -> Outcome {
        if !self.can_store_response(record) {
            return Outcome::RecordLost;
        }
        let found = self
            .open_period(period_index)
            .and_then(|period| period.checks.iter_mut().find(|check| check.id == id));
        let Some(check) = found else { return Outcome::FactsChanged };
        if check.cents != cents {
            check.cents = cents;
            self.audit_checks(period_index, Actor::Application(application), AuditAction::Update);
        }
        self.try_store_response(record);
        Outcome::Done
    }

    pub(super) fn remove_check(
        &mut self,
        application: usize,
        period_index: PeriodIndex,
        id: usize,
    ) -> Outcome {
        let removed = self.remove_matching_checks(application, period_index, |check| check.id == id);
        if removed == Outcome::Count(0) { Outcome::FactsChanged } else { removed }
    }

    pub(super) fn remove_own_checks(&mut self, application: usize, period_index: PeriodIndex) -> Outcome {
        self.remove_matching_checks(application, period_index, |check| {
            check.added_by == Actor::Application(application)
        })
    }

    fn remove_matching_checks(
        &mut self,
        application: usize,
        period_index: PeriodIndex,
        selected: impl Fn(&Check) -> bool,
    ) -> Outcome {
        let Some(period) = self.open_period(period_index) else { return Outcome::FactsChanged };
        let before = period.checks.len();
        period.checks.retain(|check| !selected(check));
        let removed = before - period.checks.len();
        if removed > 0 {
            self.audit_checks(period_index, Actor::Application(application), AuditAction::Delete);
        }
        Outcome::Count(u64::try_from(removed).unwrap())
    }
}
