//! The operator API without a listener, for commands.

use std::sync::Arc;

use payroll_adapter_http::{Health, HttpSettings, LocalOperator, OperatorApi};
use payroll_ports::{Clock, Randomness, Store};

use super::http::{operator_address, operator_settings};
use super::monitoring::create_metrics;
use super::storage::open_store;
use crate::config::Settings;
use crate::doctor::Doctor;
use crate::failure::{Failure, Outcome};
use crate::system;

/// Opens the operator API in this process, for a command that runs alongside the server. This API takes no
/// lock and has no listener.
///
/// # Errors
/// Returns the errors of [`open_store`], or an error about an invalid setting.
pub(crate) async fn open_local_operator(
    settings: &Settings,
    clock: Arc<dyn Clock>,
    randomness: Arc<dyn Randomness>,
) -> Outcome<LocalOperator> {
    let store = open_store(settings, Arc::clone(&randomness)).await?;
    create_local_operator(store, settings, clock, randomness)
}

/// Creates the operator API in this process, on a store that is already open.
///
/// # Errors
/// A setting has an invalid value.
pub(crate) fn create_local_operator(
    store: Arc<dyn Store>,
    settings: &Settings,
    clock: Arc<dyn Clock>,
    randomness: Arc<dyn Randomness>,
) -> Outcome<LocalOperator> {
    // Commands never request the readiness, so `Health` needs no schema version and no delivery loop.
    let health = Arc::new(Health::new(Arc::clone(&store), String::new(), Box::new(|| None)));
    let metrics = create_metrics(&store, &clock, &health, Vec::new());
    let oversight = Doctor::new(settings, Arc::clone(&clock), Arc::clone(&randomness), None);
    let public_base_url = Some(operator_address(settings));
    let settings = HttpSettings { public_base_url, ..operator_settings(settings) };
    let limits = Arc::default();
    // The clock of a sandbox exists only in the server's process, so a command in another process cannot set
    // the clock.
    let sandbox = None;
    let agents = None;
    let given = OperatorApi {
        store,
        clock,
        randomness,
        health,
        metrics,
        limits,
        sandbox,
        diagnostics: oversight,
        agents,
        identity: None,
        settings,
    };
    LocalOperator::new(given, &system::current_account_name())
        .map_err(|error| Failure::with_cause("the settings cannot be used", &error))
}
