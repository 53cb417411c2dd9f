//! The storage under test, which carries out transitions with the ports.

mod archive;
mod checks;
mod hooks;
mod names;
mod objects;
mod periods;
mod requests;

use std::cell::RefCell;
use std::sync::Arc;

use payroll_domain::access::Caller;
use payroll_domain::complete_company::CompleteCompany;
use payroll_domain::pay_period::PeriodStatus;
use payroll_ports::Store;
use payroll_ports::audit::AuditStore;
use payroll_ports::contract::world::{
    NOW, component, create_application, empty_company, import_company, period, worker,
};
use payroll_ports::events::EventStore;
use payroll_ports::idempotency::IdempotencyStore;
use payroll_ports::periods::PeriodStore;
use tokio::runtime::Runtime;

pub(super) use names::{actor, amount, period_id};
pub(super) use periods::lock_holder;

use super::memory::LastReadData;
use super::state::{APPLICATIONS, COMPANIES, Outcome, PERIODS, State, WORKERS};
use super::transition::{HookSetting, Transition};

/// The ports under test. A planted defect replaces one of them.
#[derive(Clone)]
pub(super) struct Ports {
    pub(super) store: Arc<dyn Store>,
    pub(super) audit: Arc<dyn AuditStore>,
    pub(super) events: Arc<dyn EventStore>,
    pub(super) idempotency: Arc<dyn IdempotencyStore>,
    pub(super) periods: Arc<dyn PeriodStore>,
    /// The maximum number of reads of the feed until it contains an expected event.
    pub(super) feed_reads: u32,
}

impl Ports {
    /// Creates the ports of the test, all with the same store.
    pub(super) fn from_store(store: &Arc<dyn Store>, feed_reads: u32) -> Self {
        Self {
            store: Arc::clone(store),
            audit: Arc::clone(store) as Arc<dyn AuditStore>,
            events: Arc::clone(store) as Arc<dyn EventStore>,
            idempotency: Arc::clone(store) as Arc<dyn IdempotencyStore>,
            periods: Arc::clone(store) as Arc<dyn PeriodStore>,
            feed_reads,
        }
    }
}

/// The database that all sequences of a run share.
pub(super) struct SharedDatabase {
    pub(super) ports: Ports,
    pub(super) runtime: Arc<Runtime>,
    pub(super) callers: Vec<Caller>,
    pub(super) sequences: u64,
    pub(super) steps: u64,
    /// The position in the feed up to which the last sequence has read.
    pub(super) cursor: Option<i64>,
}

thread_local! {
    /// The interface of the state machine has no argument for the database. The database is therefore stored
    /// in a thread-local variable.
    static SHARED_DATABASE: RefCell<Option<SharedDatabase>> = const { RefCell::new(None) };
}

impl SharedDatabase {
    /// Adds the applications to an empty database.
    pub(super) fn new(ports: Ports, runtime: Arc<Runtime>) -> Self {
        let callers = runtime.block_on(async {
            let mut callers = Vec::new();
            for number in 0..APPLICATIONS {
                callers.push(create_application(&ports.store, &format!("app{number}")).await);
            }
            callers
        });
        Self { ports, runtime, callers, sequences: 0, steps: 0, cursor: None }
    }

    /// Stores this database as the database of the current thread.
    pub(super) fn install(self) {
        SHARED_DATABASE.set(Some(self));
    }

    /// Removes the database of the current thread and returns it.
    pub(super) fn take_current() -> Self {
        SHARED_DATABASE.take().unwrap()
    }

    /// Calls a function with the database of the current thread.
    pub(super) fn with_current<T>(call: impl FnOnce(&mut Self) -> T) -> T {
        SHARED_DATABASE.with_borrow_mut(|bench| call(bench.as_mut().unwrap()))
    }
}

/// The objects that one sequence of calls uses in the shared database.
pub(super) struct System {
    pub(super) ports: Ports,
    pub(super) runtime: Arc<Runtime>,
    callers: Vec<Caller>,
    /// The number of this sequence of calls. All ids of the sequence contain this number, so the ids are
    /// unique in the database.
    sequence: u64,
    pub(super) memory: RefCell<LastReadData>,
}

impl System {
    /// Stores the companies of a new sequence.
    pub(super) fn start(state: &State) -> Self {
        let system = SharedDatabase::with_current(|bench| {
            bench.sequences += 1;
            Self {
                ports: bench.ports.clone(),
                runtime: Arc::clone(&bench.runtime),
                callers: bench.callers.clone(),
                sequence: bench.sequences,
                memory: RefCell::new(LastReadData::starting_after(bench.cursor)),
            }
        });
        let runtime = Arc::clone(&system.runtime);
        runtime.block_on(system.store_companies(state));
        system
    }

    async fn store_companies(&self, state: &State) {
        for company in 0..COMPANIES {
            import_company(&self.ports.store, &self.company(company)).await;
            let rows = self.audit_rows(company, 100).await;
            self.memory.borrow_mut().companies[company].last_audit = rows.first().map(|row| row.position);
            for application in 0..APPLICATIONS {
                self.set_grant(0, (company, application), super::state::Access::All, 0).await;
            }
            self.verify_periods(state, company).await;
        }
    }

    fn company(&self, company: usize) -> CompleteCompany {
        let mut complete = empty_company(self.company_id(company).as_str());
        complete.pay_components = vec![component("hourly")];
        complete.pay_periods =
            (0..PERIODS).map(|at| period(&format!("p{at}"), PeriodStatus::Initial)).collect();
        complete.workers = (0..WORKERS).map(|number| self.worker(company, number, 0)).collect();
        complete
    }

    fn worker(&self, company: usize, number: usize, name: usize) -> payroll_domain::worker::Worker {
        let id = self.worker_id(company, number);
        let mut worker = worker(id.as_str());
        worker.employee_id = Some(format!("{number}"));
        worker.name.given_name = format!("Name {name}");
        worker
    }

    /// Carries out a transition at the given second of the sequence.
    pub(super) fn execute(&self, transition: &Transition, now: i64) -> Outcome {
        self.runtime.block_on(self.execute_on_store(transition, now))
    }

    async fn execute_on_store(&self, transition: &Transition, now: i64) -> Outcome {
        match *transition {
            Transition::Wait(_) => Outcome::Done,
            Transition::AddChecks { actor, period_index, ref checks, record } => {
                self.add_checks((actor, period_index), checks, record, now).await
            }
            Transition::ChangeCheck { application, period_index, check, cents, record } => {
                self.change_check(application, (period_index, check), (cents, record), now).await
            }
            Transition::RemoveCheck { application, period_index, check } => {
                self.remove_checks(application, period_index, Some(check), now).await
            }
            Transition::RemoveOwnChecks { application, period_index } => {
                self.remove_checks(application, period_index, None, now).await
            }
            Transition::Lock { operator, company, seconds } => {
                self.lock_company(operator, company, seconds, now).await
            }
            Transition::Unlock { operator, company } => self.unlock_company(operator, company, now).await,
            Transition::Move { operator, period_index, to, version } => {
                self.change_period_state(operator, period_index, (to, version), now).await
            }
            Transition::Hire { operator, company, worker, record } => {
                self.add_worker(operator, (company, worker), record, now).await
            }
            Transition::Rename { operator, company, worker, name, version } => {
                self.rename_worker(operator, (company, worker), (name, version), now).await
            }
            Transition::Grant { operator, company, application, access } => {
                self.set_grant(operator, (company, application), access, now).await
            }
            Transition::Begin { application, key, body } => {
                self.begin_request((application, key), body, now).await
            }
            Transition::Keep(record) => self.store_response(record, now).await,
            Transition::Release(record) => self.release_record(record).await,
            Transition::ForgetExpired => self.delete_expired_records(now).await,
            Transition::AddHook { hook, company, domains } => {
                self.add_hook(hook, company, domains, now).await
            }
            Transition::SetHook { hook, to: HookSetting::Active(active) } => {
                self.set_hook_active(hook, active, now).await
            }
            Transition::SetHook { hook, to: HookSetting::Ordered(ordered) } => {
                self.set_hook_ordered(hook, ordered, now).await
            }
            Transition::RemoveHook { hook } => self.remove_hook(hook, now).await,
            Transition::Claim { hook, most } => self.claim_deliveries(hook, most, now).await,
            Transition::Record { hook, delivery, sent } => {
                self.record_attempt((hook, delivery), sent, now).await
            }
            Transition::GiveBack { hook, delivery } => self.release_claims(hook, delivery).await,
            Transition::Replay { hook, delivery } => self.replay_delivery(hook, delivery, now).await,
            Transition::Archive { period_index, step } => {
                self.execute_archive_step(period_index, step, now).await
            }
        }
    }

    /// Compares all data with the model, and removes data that later sequences would otherwise read.
    pub(super) fn finish_sequence(self, state: &State) {
        for company in 0..COMPANIES {
            self.reset_known_checks(company);
            self.verify(state, company);
        }
        let runtime = Arc::clone(&self.runtime);
        runtime.block_on(self.remove_hooks());
        let cursor = self.memory.borrow().cursor();
        SharedDatabase::with_current(|bench| bench.cursor = cursor);
    }
}

/// Returns the instant that is this number of seconds after the start of a sequence.
pub(super) const fn timestamp_at(second: i64) -> payroll_domain::date::Timestamp {
    NOW.plus_seconds(second)
}
