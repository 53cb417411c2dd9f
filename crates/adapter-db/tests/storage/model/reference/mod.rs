//! The expected effect of each transition on the model.

mod archive;
mod checks;
mod hooks;
mod objects;
mod periods;
mod requests;

use proptest::strategy::{BoxedStrategy, Just, Strategy};
use proptest_state_machine::ReferenceStateMachine;

pub(super) use hooks::hook_domains;

use super::state::{Access, Outcome, State, WORKERS};
use super::strategy;
use super::transition::{HookSetting, Transition};

/// The model as the reference state machine, which generates sequences of transitions and predicts their
/// results.
#[derive(Debug)]
pub(super) struct Reference;

impl ReferenceStateMachine for Reference {
    type State = State;
    type Transition = Transition;

    fn init_state() -> BoxedStrategy<State> {
        let mut state = State::new();
        for company in 0..state.companies.len() {
            (0..WORKERS).for_each(|worker| state.fire_worker_added_event(company, worker));
            for application in 0..state.companies[company].grants.len() {
                state.set_grant(0, company, application, Access::All);
            }
        }
        Just(state).boxed()
    }

    fn transitions(state: &State) -> BoxedStrategy<Transition> {
        strategy::next(state)
    }

    /// The server generates the ids of new checks, so a new check never has the id of an archived check.
    fn preconditions(state: &State, transition: &Transition) -> bool {
        let Transition::AddChecks { period_index, checks, .. } = transition else { return true };
        !checks.iter().any(|(id, ..)| state.is_erased(period_index.company, *id))
    }

    fn apply(mut state: State, transition: &Transition) -> State {
        let outcome = state.execute(transition);
        state.outcome = outcome;
        state
    }
}

impl State {
    fn execute(&mut self, transition: &Transition) -> Outcome {
        match *transition {
            Transition::Wait(seconds) => {
                self.now += seconds;
                Outcome::Done
            }
            Transition::AddChecks { actor, period_index, ref checks, record } => {
                self.add_checks(actor, period_index, checks, record)
            }
            Transition::ChangeCheck { application, period_index, check, cents, record } => {
                self.change_check(application, (period_index, check), cents, record)
            }
            Transition::RemoveCheck { application, period_index, check } => {
                self.remove_check(application, period_index, check)
            }
            Transition::RemoveOwnChecks { application, period_index } => {
                self.remove_own_checks(application, period_index)
            }
            Transition::Lock { operator, company, seconds } => self.lock_company(operator, company, seconds),
            Transition::Unlock { operator, company } => self.unlock_company(operator, company),
            Transition::Move { operator, period_index, to, version } => {
                self.change_period_state(operator, period_index, to, version)
            }
            Transition::Hire { operator, company, worker, record } => {
                self.add_worker(operator, company, worker, record)
            }
            Transition::Rename { operator, company, worker, name, version } => {
                self.rename_worker(operator, (company, worker), name, version)
            }
            Transition::Grant { operator, company, application, access } => {
                self.set_grant(operator, company, application, access)
            }
            Transition::Begin { application, key, body } => self.begin_request(application, key, body),
            Transition::Keep(record) => self.store_response(record),
            Transition::Release(record) => self.release_record(record),
            Transition::ForgetExpired => self.delete_expired_records(),
            Transition::AddHook { hook, company, domains } => self.add_hook(hook, company, domains),
            Transition::SetHook { hook, to: HookSetting::Active(active) } => {
                self.set_hook_active(hook, active)
            }
            Transition::SetHook { hook, to: HookSetting::Ordered(ordered) } => {
                self.set_hook_ordered(hook, ordered)
            }
            Transition::RemoveHook { hook } => self.remove_hook(hook),
            Transition::Claim { hook, most } => self.claim_deliveries(hook, most),
            Transition::Record { hook, delivery, sent } => self.record_attempt(hook, delivery, sent),
            Transition::GiveBack { hook, delivery } => self.release_claims(hook, delivery),
            Transition::Replay { hook, delivery } => self.replay_delivery(hook, delivery),
            Transition::Archive { period_index, step } => self.execute_archive_step(period_index, step),
        }
    }
}
