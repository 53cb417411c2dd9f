//! Locks companies and changes the state of pay periods with the ports.

use payroll_domain::company::Lock;
use payroll_domain::document::Completion;
use payroll_domain::id_sequence::IdSequence;
use payroll_ports::completion::PeriodCompletion;
use payroll_ports::periods::{StateChange, StateChangeOutcome};
use payroll_ports::resources::{CompanyLock, LockOutcome};

use super::super::state::{LockHolder, OPERATORS, OperatorLock, Outcome, PERIODS};
use super::super::transition::{PeriodAction, PeriodIndex, RequestVersion};
use super::names::{operator_name, period_id};
use super::{System, timestamp_at};

impl System {
    pub(super) async fn lock_company(
        &self,
        operator: usize,
        company: usize,
        seconds: Option<i64>,
        now: i64,
    ) -> Outcome {
        let expires = seconds.map(|seconds| timestamp_at(now + seconds));
        let lock = Lock { holder: operator_name(operator), reason: None, expires };
        let audit = self.audit_context(operator, None, now);
        lock_outcome(&self.ports.store.lock_company(&self.company_id(company), &lock, &audit).await.unwrap())
    }

    pub(super) async fn unlock_company(&self, operator: usize, company: usize, now: i64) -> Outcome {
        let audit = self.audit_context(operator, None, now);
        lock_outcome(&self.ports.store.unlock_company(&self.company_id(company), &audit).await.unwrap())
    }

    pub(super) async fn change_period_state(
        &self,
        operator: usize,
        period_index: PeriodIndex,
        (to, version): (PeriodAction, RequestVersion),
        now: i64,
    ) -> Outcome {
        let current =
            self.memory.borrow().companies[period_index.company].period_version(period_index.period);
        let moved = StateChange {
            company_id: self.company_id(period_index.company),
            pay_period_id: period_id(period_index.period),
            version: match version {
                RequestVersion::Any => None,
                RequestVersion::Current => Some(current),
                RequestVersion::Stale => Some(current - 1),
            },
            expected_period: None,
            request: None,
        };
        let (periods, audit) = (&self.ports.periods, self.audit_context(operator, None, now));
        let moved = match to {
            PeriodAction::Process => periods.process_period(&moved, &audit).await,
            PeriodAction::Reopen => periods.reopen_period(&moved, &audit).await,
            PeriodAction::Complete => {
                let mut random = [0; 10];
                random[..4].copy_from_slice(&self.memory.borrow_mut().next_claim().to_be_bytes());
                let mut ids = IdSequence::new(timestamp_at(now), random);
                let completion = Completion::default().into();
                let completing =
                    PeriodCompletion { state_change: moved, completion, components: Default::default() };
                completing.complete_period(periods.as_ref(), &mut ids, &audit, &|_| ()).await
            }
        };
        match moved.unwrap() {
            StateChangeOutcome::Done(_) => Outcome::Done,
            StateChangeOutcome::Stale => Outcome::Stale,
            StateChangeOutcome::NotFrom(status) => Outcome::NotFrom(status),
            StateChangeOutcome::Locked(lock) => Outcome::Locked(lock_holder(&lock)),
            other => panic!("{other:?}"),
        }
    }
}

fn lock_outcome(result: &LockOutcome) -> Outcome {
    match result {
        LockOutcome::Done => Outcome::Done,
        LockOutcome::Held(lock) => Outcome::Locked(lock_holder(lock)),
        LockOutcome::NotLocked => Outcome::NotLocked,
        other => panic!("{other:?}"),
    }
}

/// Converts the holder of a lock to the type of the model.
pub(in super::super) fn lock_holder(lock: &CompanyLock) -> LockHolder {
    match lock {
        CompanyLock::Operator(lock) => {
            let operator = (0..OPERATORS).find(|operator| operator_name(*operator) == lock.holder).unwrap();
            let expires = lock.expires.map(super::super::memory::seconds_since_model_start);
            LockHolder::Operator(OperatorLock { operator, expires })
        }
        CompanyLock::Processing(id) => {
            LockHolder::Processing((0..PERIODS).find(|period| period_id(*period) == *id).unwrap())
        }
    }
}
