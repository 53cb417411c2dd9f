//! Compares the storage with a model in random sequences of transitions.
//!
//! The model ([`state`], [`reference`]) predicts the result of each transition ([`transition`]). The same
//! transitions are carried out with the ports ([`system`]). After each transition, the data of the affected
//! company is compared with the model ([`invariants`]). A sequence that fails is shortened as far as possible
//! and printed.
//!
//! Set `MODEL_SEQUENCES` to run more sequences.

#![expect(clippy::panic, clippy::indexing_slicing, reason = "a test stops at the first surprise")]
#![expect(clippy::print_stdout, reason = "a long run prints the number of its steps")]

mod defects;
mod invariants;
mod memory;
mod reference;
mod state;
mod strategy;
mod system;
mod transition;

use std::sync::Arc;

use proptest::test_runner::{Config, TestCaseError, TestError, TestRunner};
use proptest_state_machine::{ReferenceStateMachine, StateMachineTest};

use self::reference::Reference;
use self::state::State;
use self::system::{Ports, SharedDatabase, System};
use self::transition::Transition;
use crate::support::{TestDatabase, open_store};

/// The number of sequences in a normal run: 2,000 on both databases together. Most sequences run on SQLite,
/// because they are faster there. A normal run takes about five minutes on two cores.
const SQLITE_SEQUENCES: u32 = 1_850;
const POSTGRES_SEQUENCES: u32 = 150;
/// The maximum number of transitions in a sequence.
const MAX_TRANSITIONS: usize = 16;

/// The test that compares the storage with the model.
struct Comparison;

impl StateMachineTest for Comparison {
    type SystemUnderTest = System;
    type Reference = Reference;

    fn init_test(state: &State) -> System {
        System::start(state)
    }

    fn apply(system: System, state: &State, transition: Transition) -> System {
        SharedDatabase::with_current(|bench| bench.steps += 1);
        let outcome = system.execute(&transition, state.now);
        assert_eq!(outcome, state.outcome, "{transition:?}");
        // Only accepted transitions are followed by a comparison. If a rejected transition changes something,
        // a later comparison detects the change, at the latest at the end of the sequence.
        if let Some(company) = transition.company(state).filter(|_| outcome.is_change()) {
            system.verify(state, company);
        }
        system
    }

    fn teardown(system: System, state: State) {
        system.finish_sequence(&state);
    }
}

/// The shortest sequence of transitions that was found to fail, with the reason of the failure.
#[derive(Debug)]
struct FailingSequence {
    reason: String,
    transitions: Vec<Transition>,
}

/// Runs sequences on the database of the current thread.
fn run_sequences(sequences: u32) -> Result<(), FailingSequence> {
    let config =
        Config { cases: sequences, failure_persistence: None, max_shrink_iters: 500, ..Config::default() };
    let mut runner = TestRunner::new(config.clone());
    let strategy = Reference::sequential_strategy(1..=MAX_TRANSITIONS);
    let result = runner.run(&strategy, |(state, transitions, seen)| {
        Comparison::test_sequential(config.clone(), state, transitions, seen);
        Ok::<(), TestCaseError>(())
    });
    result.map_err(|error| match error {
        TestError::Fail(reason, (_, transitions, _)) => {
            FailingSequence { reason: reason.to_string(), transitions }
        }
        TestError::Abort(reason) => FailingSequence { reason: reason.to_string(), transitions: Vec::new() },
    })
}

/// Runs sequences on a new database. The function `plant` may replace some ports with defective ports.
fn run_with_defect(
    fresh: TestDatabase,
    sequences: u32,
    plant: impl FnOnce(&mut Ports),
) -> Result<(), FailingSequence> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = Arc::new(runtime.unwrap());
    let store = runtime.block_on(async {
        fresh.create().await;
        open_store(fresh.url()).await
    });
    // On PostgreSQL, an event is hidden while any older transaction of the cluster is open.
    let feed_reads = if matches!(fresh, TestDatabase::Postgres { .. }) { 10_000 } else { 1 };
    let mut ports = Ports::from_store(&store, feed_reads);
    plant(&mut ports);
    SharedDatabase::new(ports, Arc::clone(&runtime)).install();
    let result = run_sequences(sequences);
    let steps = SharedDatabase::take_current().steps;
    println!("{steps} steps");
    drop(store);
    runtime.block_on(fresh.delete_database());
    result
}

fn assert_databases_match_model(fresh: TestDatabase, usual: u32) {
    let sequences = std::env::var("MODEL_SEQUENCES").map_or(usual, |number| number.parse().unwrap());
    if let Err(failure) = run_with_defect(fresh, sequences, |_| ()) {
        let transitions = failure.transitions.iter().map(|transition| format!("{transition:?}\n"));
        panic!("{}\n{}", failure.reason, transitions.collect::<String>());
    }
}

#[test]
fn sqlite_matches_the_model() {
    assert_databases_match_model(TestDatabase::sqlite(), SQLITE_SEQUENCES);
}

#[test]
fn postgres_matches_the_model() {
    if let Some(fresh) = TestDatabase::postgres() {
        assert_databases_match_model(fresh, POSTGRES_SEQUENCES);
    }
}
