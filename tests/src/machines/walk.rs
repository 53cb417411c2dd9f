//! A walk through both APIs: one scenario over several companies in which each operation of both descriptions
//! succeeds at least once.
//!
//! The walk runs on each possible configuration of the server. Each step must get the same response
//! everywhere. An unchanged content is not resent, an entity tag never identifies two contents, and each
//! event occurs once.

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
mod tags;
mod walker;

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;

use super::balancer::Kind as BalancerKind;
use super::cluster::Cluster;
use super::failover::{filled_database, max_recovery_time, with_postgres};
use super::pair::{Member, Pair};
use super::pooler::Pooler;
use super::{fleet, pooler};
use crate::support::receiver::until_asked;
use crate::support::{Database, Kind, Process, Receiver, Request, for_each_kind, run};
use crate::webhooks::processes::key;
use requests::COMPANIES;
use walker::{System, Walk};

/// Makes a server send statements about one company directly to its node.
const NEAR: &[&str] = &["--database-node-connections", "4"];
/// The total number of steps of the walk.
const STEPS: usize = 699;

/// Returns the arguments of the walk's servers in addition to the database URL.
fn arguments(receiver: &Receiver) -> Vec<String> {
    let hosts = receiver.hosts();
    let hooks = ["--webhook-hosts", &hosts, "--webhook-allow-http", "true"];
    let completion = ["--two-person-completion", "true"];
    hooks.into_iter().chain(completion).map(str::to_owned).collect()
}

/// Returns a server with these additional arguments.
fn serve(folder: &Database, receiver: &Receiver, more: &[&str]) -> Process {
    let arguments = arguments(receiver);
    Process::serve_with(
        folder,
        &arguments.iter().map(String::as_str).chain(more.iter().copied()).collect::<Vec<_>>(),
    )
}

/// Returns the system with these servers, which process requests in turn.
fn system<'a>(servers: &[Process], receiver: &'a Receiver) -> System<'a> {
    System {
        partners: servers.iter().map(|server| server.client.clone()).collect(),
        operators: servers.iter().map(|server| server.operator.clone()).collect(),
        key: key(),
        receiver,
        outage: Duration::ZERO,
    }
}

/// Runs the entire walk. `middle` disturbs the system half way between two steps.
async fn run_walk(system: System<'_>, middle: impl AsyncFn()) {
    let walk = &mut Walk::begin(system).await;
    let form = set_up(walk).await;
    let before_the_hook = beginning::hook(walk).await;
    objects(walk, &form).await;
    walk.partner_has_seen_everything().await;
    walk.hook_has_all_after(before_the_hook).await;
    checks::retry_after_disturbance(walk, middle).await;
    pay(walk).await;
    walk.read_feed().await;
    both_sides(walk, &form).await;
    walk.partner_has_seen_everything().await;
    walk.hook_has_all_after(before_the_hook).await;
    walk.read_again().await;
    leaving::companies(walk).await;
    leaving::applications(walk).await;
    walk.operator_has_seen_everything().await;
    walk.end(STEPS);
}

/// Creates keys, applications, companies and grants. Returns the form with which the application requests a
/// token.
async fn set_up(walk: &mut Walk<'_>) -> String {
    beginning::operators(walk).await;
    let form = beginning::applications(walk).await;
    beginning::companies(walk).await;
    beginning::imports(walk).await;
    beginning::try_foreign_ids(walk).await;
    beginning::grants(walk, &form).await;
    form
}

/// Creates the objects of companies as operator, and reads them as application.
async fn objects(walk: &mut Walk<'_>, form: &str) {
    lists::walk_company_lists(walk).await;
    lists::workers(walk).await;
    lists::parts(walk).await;
    lists::many_workers(walk).await;
    lists::pay_periods(walk).await;
    partner::companies(walk).await;
    partner::workers(walk, form).await;
    partner::custom_fields(walk).await;
    partner::jobs(walk).await;
    partner::changes_of_workers(walk).await;
    partner::direct_deposits(walk).await;
}

/// Adds checks and executes pay runs.
async fn pay(walk: &mut Walk<'_>) {
    checks::walk_own_checks(walk).await;
    checks::walk_worker_checks(walk).await;
    checks::walk_other_companies(walk).await;
    checks::walk_operator_checks(walk).await;
    pay_run::process_and_reopen(walk).await;
    pay_run::complete_with_two_operators(walk).await;
    pay_run::read_paid_checks(walk).await;
    pay_run::reverse_check(walk).await;
    pay_run::complete_other_period(walk).await;
}

/// Uses access requests, sessions, hooks and logs.
async fn both_sides(walk: &mut Walk<'_>, form: &str) {
    access::requests(walk, form).await;
    access::sessions(walk).await;
    access::own_hook(walk).await;
    access::hook_of_an_application(walk).await;
    access::read_logs_and_searches(walk).await;
}

#[test]
fn a_walk_on_one_server() {
    let receiver = Receiver::start();
    for_each_kind(async |kind| {
        receiver.forget();
        let database = Database::with_world(kind).await;
        let servers = [serve(&database, &receiver, &[])];
        run_walk(system(&servers, &receiver), async || {}).await;
        drop(servers);
        database.return_to_pool().await;
    });
}

#[test]
fn a_walk_on_partitions() {
    let receiver = Receiver::start();
    for_each_kind(async |kind| {
        if kind != Kind::Postgres {
            return; // an embedded database has no partitions
        }
        receiver.forget();
        let database = Database::with_world(kind).await;
        let partition = |count: &str| assert!(run(&database, &["partition", count], "").status.success());
        partition("5");
        let servers = [serve(&database, &receiver, &[])];
        run_walk(system(&servers, &receiver), async || {}).await;
        drop(servers);
        partition("1");
        database.return_to_pool().await;
    });
}

#[test]
fn a_walk_through_a_session_pooler() {
    let receiver = Receiver::start();
    pooler::run_behind_pooler(&pooler::PROGRAMS[..1], "pool_mode = session", async |database, url| {
        let servers = [serve(database, &receiver, &["--database-url", url])];
        run_walk(system(&servers, &receiver), async || {}).await;
    });
}

#[test]
fn a_walk_through_a_transaction_pooler() {
    let receiver = Receiver::start();
    pooler::run_behind_pooler(&[pooler::NEWER], pooler::FEW, async |database, url| {
        let direct = database.url();
        let addresses = ["--database-url", url, "--direct-database-url", &direct];
        let servers = [serve(database, &receiver, &addresses)];
        run_walk(system(&servers, &receiver), async || {}).await;
    });
}

#[test]
fn a_walk_on_three_servers_behind_a_balancer() {
    let receiver = Receiver::start();
    fleet::run_behind_balancer(BalancerKind::HaProxy, "", &arguments(&receiver), async |fleet, balancer| {
        let system = system(&fleet.servers, &receiver);
        run_walk(System { partners: vec![balancer.client.clone()], ..system }, async || {}).await;
        for server in &fleet.servers {
            assert!(fleet::count_requests(server).await > 0, "the balancer has sent requests to each");
        }
    });
}

#[test]
fn a_walk_during_which_a_standby_takes_over() {
    let receiver = Receiver::start();
    with_postgres(async || {
        let Some(pair) = Pair::start().map(Arc::new) else { return };
        let url = filled_database(&pair).await;
        let (first, second) = (pair.host(Member::Primary), pair.host(Member::Standby));
        let both =
            format!("{}?target_session_attrs=primary", url.replace(&first, &format!("{first},{second}")));
        let folder = Database::empty(Kind::Sqlite).await;
        let servers = [(); 2].map(|()| serve(&folder, &receiver, &["--database-url", &both]));
        let system = System { outage: max_recovery_time(), ..system(&servers, &receiver) };
        let ready = Request::get("/readyz");
        let noticed = async |server: &Process| {
            let asked = async || server.client.send(&ready, None).await.is_ok_and(|it| it.status == 503);
            until_asked(asked, "a server that knows of the loss").await;
        };
        // The walk continues while the standby is promoted. At first its requests are rejected.
        let lost = async || {
            pair.kill(Member::Primary);
            join_all(servers.iter().map(noticed)).await;
            let pair = Arc::clone(&pair);
            drop(tokio::task::spawn_blocking(move || pair.promote()));
        };
        run_walk(system, lost).await;
    });
}

#[test]
fn a_walk_on_a_cluster() {
    on_a_cluster(&[&[]]);
}

#[test]
fn a_walk_on_a_cluster_with_a_server_at_the_nodes() {
    on_a_cluster(&[NEAR]);
}

#[test]
fn a_walk_on_a_cluster_with_servers_that_use_both_connections() {
    on_a_cluster(&[&[], NEAR]);
}

#[test]
fn a_walk_on_a_cluster_through_poolers() {
    let receiver = Receiver::start();
    with_postgres(async || {
        let Some(cluster) = Cluster::distributed().await else { return };
        let direct = cluster.url();
        let of_sessions =
            Pooler::start_in_front_of(&direct, pooler::PROGRAMS[0], "pool_mode = session").await;
        let of_transactions = Pooler::start_in_front_of(&direct, pooler::NEWER, pooler::FEW).await;
        let way = |pooler: &Pooler| pooler.pooled_url(&direct);
        let of_sessions = of_sessions.as_ref().map(way);
        let of_transactions = of_transactions.as_ref().map(way);
        let of_sessions = of_sessions.iter().map(|url| vec!["--database-url", url]);
        let of_transactions = of_transactions
            .iter()
            .map(|url| [&["--database-url", url, "--direct-database-url", &direct], NEAR].concat());
        let arguments: Vec<Vec<&str>> = of_sessions.chain(of_transactions).collect();
        if !arguments.is_empty() {
            walk_on(&cluster, &receiver, &arguments).await;
        }
    });
}

/// Runs the walk on a cluster, with a server for each list of arguments.
fn on_a_cluster(arguments: &[&[&str]]) {
    let receiver = Receiver::start();
    with_postgres(async || {
        let Some(cluster) = Cluster::distributed().await else { return };
        let url = cluster.url();
        let arguments = arguments.iter().map(|more| [&["--database-url", &url], *more].concat());
        walk_on(&cluster, &receiver, &arguments.collect::<Vec<_>>()).await;
    });
}

/// Runs the walk on a cluster whose nodes contain different companies.
async fn walk_on(cluster: &Cluster, receiver: &Receiver, arguments: &[Vec<&str>]) {
    let servers = arguments.iter().map(|arguments| serve(&cluster.keys, receiver, arguments));
    let servers: Vec<Process> = servers.collect();
    let mut nodes = Vec::new();
    for company in COMPANIES {
        nodes.push(cluster.node_of(company).await);
    }
    assert!(nodes.contains(&0) && nodes.contains(&1), "companies on both machines: {nodes:?}");
    run_walk(system(&servers, receiver), async || {}).await;
}
