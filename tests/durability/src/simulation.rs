//! A simulated year of payroll, with power cuts, failing disks, unreliable receivers and a clock that jumps.
//!
//! A seed determines all requests and disturbances. The partner sends hours, changes pay rates and deletes
//! checks. The operator adds reversals, processes and completes each pay period with taxes. If the seed is
//! even, a second operator approves each completion.
//!
//! At the end, the payroll register must equal the expected payroll, which [`expected_checks`] computes
//! independently. Every event must have been delivered to every hook.
//!
//! `SIMULATION_SEED=7 cargo test --release -p durability simulation` repeats one seed, and
//! `SIMULATION_SEEDS=500` runs seeds 1 to 500. `SIMULATION_COMPANIES` changes the number of companies. A
//! failing seed prints its last hundred steps.
//!
//! Two runs of a seed have the same steps and the same hash of the steps. The exact call at which the power
//! fails can differ, because several threads of the server write at the same time.

mod expected_checks;
mod machine;
mod receiver;
mod trace;
mod year;

use crate::defect::Defect;
use crate::environment::read_positive_number;

/// The number of seeds in a run.
const SEED_COUNT: u64 = 3;
/// The number of companies of a seed.
const COMPANIES: usize = 3;

/// Simulates a year for each seed of this run. Fails at the first difference from the expected payroll.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[expect(clippy::print_stdout, reason = "long runs show the result of each seed")]
async fn simulated_years_equal_the_expected_payroll() {
    let companies = read_positive_number("SIMULATION_COMPANIES").unwrap_or(COMPANIES);
    let seeds: Vec<u64> = match read_positive_number("SIMULATION_SEED") {
        Some(seed) => vec![seed],
        None => (1..=read_positive_number("SIMULATION_SEEDS").unwrap_or(SEED_COUNT)).collect(),
    };
    for seed in seeds {
        let result = year::simulate_year(seed, companies, Defect::None).await;
        let summary = result.unwrap_or_else(|fault| panic!("seed {seed}: {fault}"));
        println!("seed {seed}: {summary:?}");
        assert!(summary.cuts > 0 && summary.failures > 0, "seed {seed} has no disturbances: {summary:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_runs_of_a_seed_have_the_same_steps() {
    let first = year::simulate_year(1_000, 1, Defect::None).await.unwrap_or_else(|fault| panic!("{fault}"));
    let second = year::simulate_year(1_000, 1, Defect::None).await.unwrap_or_else(|fault| panic!("{fault}"));
    assert_eq!(first.hash, second.hash);
    let other = year::simulate_year(1_001, 1, Defect::None).await.unwrap_or_else(|fault| panic!("{fault}"));
    assert_ne!(first.hash, other.hash);
}

/// Tests that a year on a database that never syncs differs from the expected payroll.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_simulated_year_without_syncs_is_detected() {
    let off = Defect::Synchronous(c"PRAGMA synchronous = OFF");
    let result = year::simulate_year(1, COMPANIES, off).await;
    let fault = result.err().unwrap_or_default();
    assert!(fault.contains("gets") || fault.contains("instead of"), "{fault}");
}
