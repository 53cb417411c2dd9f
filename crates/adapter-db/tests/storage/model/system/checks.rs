//! Adds, changes and removes checks with the ports.

use payroll_domain::check::{Check, StoredCheck};
use payroll_domain::pay_component::EffectOnPay;
use payroll_ports::checks::{
    AdditionOutcome, CheckAuthor, CheckChange, CheckChangeOutcome, CheckSelection, ChecksToRemove, NewChecks,
    RemovalOutcome,
};
use payroll_ports::contract::world::{id, sample_check};

use super::super::state::{self, Actor, Outcome};
use super::super::transition::{PeriodIndex, RecordRef};
use super::names::{self, amount, period_id};
use super::{System, timestamp_at};

impl System {
    /// Returns a check with an earning and a deduction.
    fn check(
        &self,
        period_index: PeriodIndex,
        check_number: usize,
        worker: usize,
        cents: u64,
    ) -> StoredCheck {
        let paycheck_id = self.paycheck_id(period_index.company, check_number);
        let template = sample_check(paycheck_id.as_str());
        let mut earning = template.check.lines[1].clone();
        earning.pay_amount = Some(amount(cents));
        let model = state::Check { id: check_number, worker, cents, added_by: Actor::Operator(0) };
        let mut deduction = earning.clone();
        deduction.pay_amount = Some(amount(model.deduction()));
        deduction.component.component_id = id("savings");
        deduction.component.effect_on_pay = EffectOnPay::Reduction;
        let worker_id = self.worker_id(period_index.company, worker);
        let lines = vec![earning, deduction];
        let check =
            Check { worker_id, pay_period_id: period_id(period_index.period), lines, ..template.check };
        StoredCheck { check, ..template }
    }

    pub(super) async fn add_checks(
        &self,
        (actor, period_index): (Actor, PeriodIndex),
        checks: &[(usize, usize, u64)],
        record: Option<RecordRef>,
        now: i64,
    ) -> Outcome {
        let checks = checks.iter();
        let new = NewChecks {
            company_id: self.company_id(period_index.company),
            added_by: match actor {
                Actor::Application(application) => {
                    CheckAuthor::Application(self.callers[application].application_id.clone())
                }
                other => CheckAuthor::Operator(names::actor(other)),
            },
            pay_period_id: period_id(period_index.period),
            checks: checks
                .map(|(id, worker, cents)| self.check(period_index, *id, *worker, *cents))
                .collect(),
            now: timestamp_at(now),
            correlation_ids_last_for_the_pay_period: false,
            response_record: record.map(|record| self.response_record(record, now)),
        };
        match self.ports.store.add_checks(&new).await.unwrap() {
            AdditionOutcome::Stored => Outcome::Done,
            AdditionOutcome::FactsChanged => Outcome::FactsChanged,
            AdditionOutcome::RecordLost => Outcome::RecordLost,
        }
    }

    pub(super) async fn change_check(
        &self,
        application: usize,
        (period_index, number): (PeriodIndex, usize),
        (cents, record): (u64, Option<RecordRef>),
        now: i64,
    ) -> Outcome {
        let paycheck_id = self.paycheck_id(period_index.company, number);
        let stored = self.memory.borrow().check(period_index, &paycheck_id);
        // If this period did not contain the check when it was last read, another period may contain it. The
        // change is then tried with a new check.
        let before = stored.unwrap_or_else(|| self.check(period_index, number, 0, cents));
        let mut after = before.clone();
        after.check.lines = self.check(period_index, number, 0, cents).check.lines;
        let change = CheckChange {
            company_id: self.company_id(period_index.company),
            application_id: self.callers[application].application_id.clone(),
            before,
            after,
            now: timestamp_at(now),
            response_record: record.map(|record| self.response_record(record, now)),
        };
        match self.ports.store.change_check(&change).await.unwrap() {
            CheckChangeOutcome::Stored(_) => Outcome::Done,
            CheckChangeOutcome::FactsChanged => Outcome::FactsChanged,
            CheckChangeOutcome::RecordLost => Outcome::RecordLost,
        }
    }

    /// Removes one check, or all checks that the application has added.
    pub(super) async fn remove_checks(
        &self,
        application: usize,
        period_index: PeriodIndex,
        check: Option<usize>,
        now: i64,
    ) -> Outcome {
        let one = check.map(|check| CheckSelection::One(self.paycheck_id(period_index.company, check)));
        let removed = ChecksToRemove {
            company_id: self.company_id(period_index.company),
            pay_period_id: period_id(period_index.period),
            selection: one.unwrap_or(CheckSelection::OfTheApplication),
            application_id: self.callers[application].application_id.clone(),
            now: timestamp_at(now),
        };
        match self.ports.store.remove_checks(&removed).await.unwrap() {
            RemovalOutcome::Done(count) => Outcome::Count(count),
            RemovalOutcome::FactsChanged => Outcome::FactsChanged,
        }
    }
}
