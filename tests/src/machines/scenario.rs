//! A scenario test. One scenario over several companies uses each operation of both APIs successfully at
//! least once.
//!
//! The scenario runs on each configuration of the service: one or several servers, partitions, poolers, a
//! failover, and a cluster. Each step must get the same response everywhere. An unchanged content is not
//! resent, an entity tag identifies one content only, and each event occurs once.

mod access;
mod beginning;
mod checks;
mod coverage;
mod feed;
mod leaving;
mod lists;
mod partner;
mod pay_run;
mod requests;
mod runner;
mod tags;

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;

use super::balancer::BalancerKind;
use super::cluster::CitusCluster;
use super::failover::{create_filled_database, max_recovery_time, run_with_postgres};
use super::pair::{PairMember, ServerPair};
use super::pooler::Pooler;
use super::{fleet, pooler};
use crate::support::receiver::wait_until_async;
use crate::support::{Database, DatabaseKind, Process, Receiver, Request, for_each_kind, run};
use crate::webhooks::processes::operator_authorization;
use requests::COMPANY_IDS;
use runner::{Scenario, TestedSystem};

/// Makes a server send statements about one company directly to its node.
const NODE_CONNECTION_ARGUMENTS: &[&str] = &["--database-node-connections", "4"];
/// The expected number of steps of a complete scenario.
const EXPECTED_STEPS: usize = 699;

/// Returns the arguments of the scenario's servers in addition to the database URL.
fn serve_arguments(receiver: &Receiver) -> Vec<String> {
    let hosts = receiver.host_mappings();
    let hooks = ["--webhook-hosts", &hosts, "--webhook-allow-http", "true"];
    let completion = ["--two-person-completion", "true"];
    hooks.into_iter().chain(completion).map(str::to_owned).collect()
}

/// Returns a server with these additional arguments.
fn serve(folder: &Database, receiver: &Receiver, more: &[&str]) -> Process {
    let arguments = serve_arguments(receiver);
    Process::serve_with(
        folder,
        &arguments.iter().map(String::as_str).chain(more.iter().copied()).collect::<Vec<_>>(),
    )
}

/// Returns the tested system with these servers. The scenario sends its requests to one server after the
/// other.
fn create_system<'a>(servers: &[Process], receiver: &'a Receiver) -> TestedSystem<'a> {
    TestedSystem {
        partners: servers.iter().map(|server| server.client.clone()).collect(),
        operators: servers.iter().map(|server| server.operator.clone()).collect(),
        key: operator_authorization(),
        receiver,
        outage: Duration::ZERO,
    }
}

/// Runs the entire scenario. Calls `middle` once in the middle of the scenario. `middle` may disturb the
/// system.
async fn run_scenario(system: TestedSystem<'_>, middle: impl AsyncFn()) {
    let scenario = &mut Scenario::begin(system).await;
    let form = create_keys_and_companies(scenario).await;
    let before_the_hook = beginning::register_hook(scenario).await;
    write_objects(scenario, &form).await;
    scenario.assert_partner_feed_complete().await;
    scenario.assert_hook_received_all_after(before_the_hook).await;
    checks::retry_after_disturbance(scenario, middle).await;
    process_pay_run(scenario).await;
    scenario.read_feed().await;
    run_steps_of_both_apis(scenario, &form).await;
    scenario.assert_partner_feed_complete().await;
    scenario.assert_hook_received_all_after(before_the_hook).await;
    scenario.repeat_all_reads().await;
    leaving::delete_companies(scenario).await;
    leaving::delete_applications(scenario).await;
    scenario.assert_operator_feed_complete().await;
    scenario.assert_all_steps_done(EXPECTED_STEPS);
}

/// Creates keys, applications, companies and grants. Returns the form with which the application requests a
/// token.
async fn create_keys_and_companies(scenario: &mut Scenario<'_>) -> String {
    beginning::create_operator_keys(scenario).await;
    let form = beginning::create_applications(scenario).await;
    beginning::create_companies(scenario).await;
    beginning::import_companies(scenario).await;
    beginning::try_foreign_ids(scenario).await;
    beginning::grant_scopes(scenario, &form).await;
    form
}

/// Creates objects of companies as an operator, and reads them as the application.
async fn write_objects(scenario: &mut Scenario<'_>, form: &str) {
    lists::run_company_list_steps(scenario).await;
    lists::write_workers(scenario).await;
    lists::write_worker_parts(scenario).await;
    lists::change_many_workers(scenario).await;
    lists::write_pay_periods(scenario).await;
    partner::read_companies(scenario).await;
    partner::read_workers(scenario, form).await;
    partner::write_custom_fields(scenario).await;
    partner::write_jobs(scenario).await;
    partner::change_workers_as_partner(scenario).await;
    partner::write_direct_deposits(scenario).await;
}

/// Adds checks and executes pay runs.
async fn process_pay_run(scenario: &mut Scenario<'_>) {
    checks::run_own_check_steps(scenario).await;
    checks::run_worker_check_steps(scenario).await;
    checks::run_other_company_steps(scenario).await;
    checks::run_operator_check_steps(scenario).await;
    pay_run::process_and_reopen(scenario).await;
    pay_run::complete_with_two_operators(scenario).await;
    pay_run::read_paid_checks(scenario).await;
    pay_run::reverse_check(scenario).await;
    pay_run::complete_other_period(scenario).await;
}

/// Uses access requests, sessions, hooks and logs.
async fn run_steps_of_both_apis(scenario: &mut Scenario<'_>, form: &str) {
    access::request_access(scenario, form).await;
    access::run_session_steps(scenario).await;
    access::run_hook_steps_as_partner(scenario).await;
    access::run_hook_steps_as_operator(scenario).await;
    access::read_logs_and_searches(scenario).await;
}

#[test]
fn every_operation_succeeds_on_one_server() {
    let receiver = Receiver::start();
    for_each_kind(async |kind| {
        receiver.reset_state();
        let database = Database::with_test_data(kind).await;
        let servers = [serve(&database, &receiver, &[])];
        run_scenario(create_system(&servers, &receiver), async || {}).await;
        drop(servers);
        database.return_to_pool().await;
    });
}

#[test]
fn every_operation_succeeds_on_partitions() {
    let receiver = Receiver::start();
    for_each_kind(async |kind| {
        if kind != DatabaseKind::Postgres {
            return; // an embedded database has no partitions
        }
        receiver.reset_state();
        let database = Database::with_test_data(kind).await;
        let partition = |count: &str| assert!(run(&database, &["partition", count], "").status.success());
        partition("5");
        let servers = [serve(&database, &receiver, &[])];
        run_scenario(create_system(&servers, &receiver), async || {}).await;
        drop(servers);
        partition("1");
        database.return_to_pool().await;
    });
}

#[test]
fn every_operation_succeeds_through_a_session_pooler() {
    let receiver = Receiver::start();
    pooler::run_behind_pooler(&pooler::POOLER_PROGRAMS[..1], "pool_mode = session", async |database, url| {
        let servers = [serve(database, &receiver, &["--database-url", url])];
        run_scenario(create_system(&servers, &receiver), async || {}).await;
    });
}

#[test]
fn every_operation_succeeds_through_a_transaction_pooler() {
    let receiver = Receiver::start();
    pooler::run_behind_pooler(&[pooler::NEWER_PROGRAM], pooler::FEW_CONNECTIONS, async |database, url| {
        let direct = database.url();
        let addresses = ["--database-url", url, "--direct-database-url", &direct];
        let servers = [serve(database, &receiver, &addresses)];
        run_scenario(create_system(&servers, &receiver), async || {}).await;
    });
}

#[test]
fn every_operation_succeeds_on_three_servers_behind_a_balancer() {
    let receiver = Receiver::start();
    fleet::run_behind_balancer(
        BalancerKind::HaProxy,
        "",
        &serve_arguments(&receiver),
        async |fleet, balancer| {
            let system = create_system(&fleet.servers, &receiver);
            run_scenario(TestedSystem { partners: vec![balancer.client.clone()], ..system }, async || {})
                .await;
            for server in &fleet.servers {
                assert!(fleet::count_requests(server).await > 0, "the balancer has sent requests to each");
            }
        },
    );
}

#[test]
fn every_operation_succeeds_during_a_failover_to_a_standby() {
    let receiver = Receiver::start();
    run_with_postgres(async || {
        let Some(pair) = ServerPair::start().map(Arc::new) else { return };
        let url = create_filled_database(&pair).await;
        let (first, second) = (pair.host(PairMember::Primary), pair.host(PairMember::Standby));
        let both =
            format!("{}?target_session_attrs=primary", url.replace(&first, &format!("{first},{second}")));
        let folder = Database::empty(DatabaseKind::Sqlite).await;
        let servers = [(); 2].map(|()| serve(&folder, &receiver, &["--database-url", &both]));
        let system = TestedSystem { outage: max_recovery_time(), ..create_system(&servers, &receiver) };
        let ready = Request::get("/readyz");
        let noticed = async |server: &Process| {
            let is_not_ready =
                async || server.client.send(&ready, None).await.is_ok_and(|it| it.status == 503);
            wait_until_async(is_not_ready, "a server that knows of the loss").await;
        };
        // The standby is promoted while the scenario continues. Until the promotion is complete, the servers
        // reject requests, and the scenario retries them.
        let lost = async || {
            pair.kill_member(PairMember::Primary);
            join_all(servers.iter().map(noticed)).await;
            let pair = Arc::clone(&pair);
            drop(tokio::task::spawn_blocking(move || pair.promote_standby()));
        };
        run_scenario(system, lost).await;
    });
}

#[test]
fn every_operation_succeeds_on_a_cluster() {
    run_on_cluster(&[&[]]);
}

#[test]
fn every_operation_succeeds_on_a_cluster_with_direct_node_connections() {
    run_on_cluster(&[NODE_CONNECTION_ARGUMENTS]);
}

#[test]
fn every_operation_succeeds_on_a_cluster_with_one_server_per_connection_mode() {
    run_on_cluster(&[&[], NODE_CONNECTION_ARGUMENTS]);
}

#[test]
fn every_operation_succeeds_on_a_cluster_through_poolers() {
    let receiver = Receiver::start();
    run_with_postgres(async || {
        let Some(cluster) = CitusCluster::start_distributed().await else { return };
        let direct = cluster.url();
        let of_sessions =
            Pooler::start_in_front_of(&direct, pooler::POOLER_PROGRAMS[0], "pool_mode = session").await;
        let of_transactions =
            Pooler::start_in_front_of(&direct, pooler::NEWER_PROGRAM, pooler::FEW_CONNECTIONS).await;
        let way = |pooler: &Pooler| pooler.pooled_url(&direct);
        let of_sessions = of_sessions.as_ref().map(way);
        let of_transactions = of_transactions.as_ref().map(way);
        let of_sessions = of_sessions.iter().map(|url| vec!["--database-url", url]);
        let of_transactions = of_transactions.iter().map(|url| {
            [&["--database-url", url, "--direct-database-url", &direct], NODE_CONNECTION_ARGUMENTS].concat()
        });
        let arguments: Vec<Vec<&str>> = of_sessions.chain(of_transactions).collect();
        if !arguments.is_empty() {
            run_scenario_on_cluster(&cluster, &receiver, &arguments).await;
        }
    });
}

/// Runs the scenario on a cluster, with a server for each list of arguments.
fn run_on_cluster(arguments: &[&[&str]]) {
    let receiver = Receiver::start();
    run_with_postgres(async || {
        let Some(cluster) = CitusCluster::start_distributed().await else { return };
        let url = cluster.url();
        let arguments = arguments.iter().map(|more| [&["--database-url", &url], *more].concat());
        run_scenario_on_cluster(&cluster, &receiver, &arguments.collect::<Vec<_>>()).await;
    });
}

/// Runs the scenario on a cluster whose nodes contain different companies.
async fn run_scenario_on_cluster(cluster: &CitusCluster, receiver: &Receiver, arguments: &[Vec<&str>]) {
    let servers = arguments.iter().map(|arguments| serve(&cluster.keys, receiver, arguments));
    let servers: Vec<Process> = servers.collect();
    let mut nodes = Vec::new();
    for company in COMPANY_IDS {
        nodes.push(cluster.node_number_of_company(company).await);
    }
    assert!(nodes.contains(&0) && nodes.contains(&1), "companies on both machines: {nodes:?}");
    run_scenario(create_system(&servers, receiver), async || {}).await;
}
