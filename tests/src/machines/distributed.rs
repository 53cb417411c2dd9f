//! Tests of a database that is distributed over three nodes (Citus). Responses equal those of a single
//! server, and invalid configurations are rejected.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::chaos::query_number;
use super::cluster::{CitusCluster, WORKER_NODES};
use super::failover::{connect, execute};
use super::postgres::{PostgresMachine, next_network};
use crate::support::receiver::wait_until_async;
use crate::support::{
    DatabaseKind, GRANTED_COMPANIES, OPEN, Process, Request, check_with_correlation_id, fill_database,
    for_each_kind, token_form,
};
use crate::webhooks::change_request;
use crate::webhooks::crash::event_ids;
use crate::webhooks::processes::operator_authorization;

/// Returns the number of statements that any node has sent to more than one shard.
async fn count_multi_shard_queries(cluster: &CitusCluster) -> i64 {
    // The counters are delayed. Citus adds the counts of a session shortly after a statement, or when the
    // session ends.
    const COUNT_MULTI_SHARD_QUERIES: &str = "SELECT sum(query_execution_multi_shard)::int8 FROM citus_stat_counters \
        WHERE name = current_database()";
    let mut sent = 0;
    for url in [cluster.url(), cluster.url_of_node(0), cluster.url_of_node(1)] {
        sent += connect(&url)
            .await
            .query_one(COUNT_MULTI_SHARD_QUERIES, &[])
            .await
            .expect("counters")
            .get::<_, i64>(0);
    }
    sent
}

fn serve(cluster: &CitusCluster) -> Process {
    let url = cluster.url();
    Process::serve_with(&cluster.keys, &["--database-url", &url])
}

/// Returns a server with connections to the worker nodes. The server sends statements about one company to
/// the node of this company.
fn serve_with_node_routing(cluster: &CitusCluster) -> Process {
    let url = cluster.url();
    Process::serve_with(&cluster.keys, &["--database-url", &url, "--database-node-connections", "4"])
}

/// Runs a test on a new cluster, if PostgreSQL and the extension are installed.
fn run_on_cluster(test: impl AsyncFn(CitusCluster)) {
    for_each_kind(async |kind| {
        if kind == DatabaseKind::Postgres
            && let Some(cluster) = CitusCluster::start_distributed().await
        {
            test(cluster).await;
        }
    });
}

#[test]
fn company_requests_reach_only_their_node_and_others_only_the_coordinator() {
    run_on_cluster(async |cluster| {
        for (first, process) in [(0, serve(&cluster)), (MAX_ATTEMPTS, serve_with_node_routing(&cluster))] {
            assert_sent_to_one_shard(&cluster, &process, first).await;
        }
    });
}

async fn assert_sent_to_one_shard(cluster: &CitusCluster, process: &Process, first: usize) {
    let token = process.client.request_token(token_form()).await;
    let operator = operator_authorization();
    for number in 0..requests_about_company(0).len() {
        let mut least = i64::MAX;
        // The counters include statements of the server's background tasks. Such statements do not occur
        // during every attempt, so one attempt without a counted statement is enough.
        for attempt in first..first + MAX_ATTEMPTS {
            let request = requests_about_company(attempt).remove(number);
            let (client, authorization) = match request.is_for_operator_api() {
                true => (&process.operator, &operator),
                false => (&process.client, &token),
            };
            let before = count_multi_shard_queries(cluster).await;
            let response = client.send(&request, Some(authorization)).await.expect("an answer");
            assert!(response.status < 300, "{response:?}");
            least = least.min(count_multi_shard_queries(cluster).await - before);
        }
        assert_eq!(least, 0, "statements for more than one shard: {:?}", requests_about_company(0)[number]);
    }
}

/// The number of times that each request is sent while its statements are counted.
const MAX_ATTEMPTS: usize = 3;

/// Returns requests whose statements should need only one shard. Most of these requests concern one company.
/// Writes differ in each attempt.
fn requests_about_company(attempt: usize) -> Vec<Request> {
    let path = |what: &str| Request::get(format!("/companies/{OPEN}/{what}"));
    let five: Vec<Value> =
        (0..5).map(|number| check_with_correlation_id(&format!("five-{attempt}-{number}"))).collect();
    vec![
        Request::post_checks(OPEN, &json!(five)).idempotency_key(&format!("five-{attempt}")),
        Request::post_checks(OPEN, &json!([check_with_correlation_id(&format!("one-{attempt}"))])),
        path("workers"),
        path("organizations"),
        path("paycomponents"),
        path("payperiods"),
        Request::get(format!("/companies/{OPEN}")),
        change_request(OPEN, "EMPLOYEE", attempt + 1),
        Request::operator_get(&format!("/companies/{OPEN}/workers/EMPLOYEE")),
        Request::operator_get(&format!("/companies/{OPEN}/workers")),
        Request::get("/management/events"),
        Request::get("/management/hooks"),
        Request::get("/management/domains"),
        Request::operator_get("/events"),
    ]
}

#[test]
fn only_one_of_forty_requests_for_an_id_is_stored() {
    run_on_cluster(async |cluster| {
        let process = serve(&cluster);
        let elsewhere = find_company_on_other_node(&cluster).await;
        let requests = (0..40).map(|number| {
            let company = if number % 2 == 0 { OPEN } else { elsewhere };
            let worker = json!({
                "workerId": "TWICE", "workerType": "EMPLOYEE", "name": {"familyName": "A", "givenName": "B"},
            });
            let request = Request::operator_post(&format!("/companies/{company}/workers"), &worker);
            let operator = &process.operator;
            async move {
                operator.send(&request, Some(&operator_authorization())).await.expect("an answer").status
            }
        });
        let responses = join_all(requests).await;
        let count = |expected| responses.iter().filter(|status| **status == expected).count();
        assert_eq!((count(201), count(409)), (1, 39), "{responses:?}");
        assert_eq!(
            query_number(&cluster.url(), "SELECT count(*) FROM workers WHERE worker_id = 'TWICE'").await,
            1
        );
    });
}

#[test]
fn a_stopped_machine_gets_503_only_for_its_companies() {
    run_on_cluster(async |cluster| test_stopped_machine(&cluster, serve).await);
}

#[test]
fn a_stopped_machine_gets_503_for_directly_connected_servers() {
    run_on_cluster(async |cluster| test_stopped_machine(&cluster, serve_with_node_routing).await);
}

async fn test_stopped_machine(cluster: &CitusCluster, serve: fn(&CitusCluster) -> Process) {
    let process = serve(cluster);
    let token = process.client.request_token(token_form()).await;
    let (own, elsewhere) =
        (cluster.node_number_of_company(OPEN).await, find_company_on_other_node(cluster).await);
    let company = async |company: &str| {
        let request = Request::get(format!("/companies/{company}"));
        process.client.send(&request, Some(&token)).await.expect("an answer")
    };
    let change = async |number| {
        let sent = process
            .operator
            .send(&change_request(OPEN, "EMPLOYEE", number), Some(&operator_authorization()))
            .await;
        sent.expect("an answer")
    };
    assert_eq!((company(OPEN).await.status, change(1).await.status), (200, 200));
    cluster.node(own).kill();
    let (read, changed) = (company(OPEN).await, change(2).await);
    assert_eq!((read.status, changed.status), (503, 503), "{read:?} {changed:?}");
    assert!(!read.header("retry-after").is_empty() && !changed.header("retry-after").is_empty());
    assert_eq!(company(elsewhere).await.status, 200);
    // A server can start while a node is down. Such a server serves the companies on the other nodes.
    let second = serve(cluster);
    let request = Request::get(format!("/companies/{elsewhere}"));
    let served = second.client.send(&request, Some(&token)).await.expect("an answer");
    assert_eq!(served.status, 200, "{served:?}");
    drop(second);
    let answering = async || {
        let ready = process.client.send(&Request::get("/readyz"), None).await.expect("an answer");
        (ready.status, ready.json()["checks"]["storage"]["nodes"].clone())
    };
    let one_of_two = (200, json!({"all": WORKER_NODES, "answering": WORKER_NODES - 1}));
    wait_until_async(async || answering().await == one_of_two, "the machine that is missing").await;
    let metrics = process.operator.send(&Request::get("/metrics"), None).await.expect("an answer");
    assert!(metrics.text().contains("payroll_database_nodes{state=\"silent\"} 1"), "{metrics:?}");
    let doctor = cluster.run_server_command(&["doctor"]).1;
    assert!(doctor.contains("does not respond"), "{doctor}");
    cluster.node(own).run_pg_ctl("start");
    wait_until_async(async || change(2).await.status == 200, "the machine that is back").await;
    assert_eq!(company(OPEN).await.status, 200);
    let both = (200, json!({"all": WORKER_NODES, "answering": WORKER_NODES}));
    wait_until_async(async || answering().await == both, "both machines").await;
    // A write with an error response may have been stored, but at most once. Each acknowledged write has
    // exactly one event.
    assert_eq!(event_ids(&process).await.len(), 2);
}

#[test]
fn unsupported_operations_on_a_cluster_are_rejected_with_the_reason() {
    for_each_kind(async |kind| {
        if kind != DatabaseKind::Postgres {
            return; // an embedded database is on one machine
        }
        let Some(cluster) = CitusCluster::start().await else { return };
        let refused = |arguments: &[&str], why: &str| {
            let (done, output) = cluster.run_server_command(arguments);
            assert!(!done && output.contains(why) && !output.contains("panicked"), "{why}: {output}");
        };
        let (url, node) = (cluster.url(), cluster.url_of_node(0));
        let coordinator = cluster.coordinator().host();
        let place = |on: bool| {
            format!("SELECT citus_set_node_property('{coordinator}', 5432, 'shouldhaveshards', {on})")
        };
        // The command rejects a database without the extension and changes nothing.
        let none = url.replace("/pay", "/postgres");
        refused(&["distribute", "--database-url", &none], "does not have the extension");
        assert_eq!(
            query_number(&none, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").await,
            0
        );
        // The extension is installed, but no table is distributed yet. `migrate` then works like on any other
        // database.
        assert!(cluster.run_server_command(&["migrate"]).0);
        execute(&url, &place(true)).await;
        refused(&["distribute"], "companies may be placed on the coordinator");
        execute(&url, &place(false)).await;
        refused(&["distribute", "--shards", "0"], "--shards");
        cluster.node(1).change_setting("synchronous_commit = off");
        refused(&["distribute"], "synchronous_commit on");
        cluster.node(1).change_setting("synchronous_commit = on");
        execute(&url, "SELECT create_distributed_table('key_canaries', 'key_id')").await;
        refused(
            &["serve", "--listen", "127.0.0.1:0"],
            "the table companies of the distributed database (Citus) is in the wrong place",
        );
        execute(&url, "SELECT undistribute_table('key_canaries')").await;
        assert!(cluster.run_server_command(&["partition", "4"]).0);
        refused(&["distribute"], "`payroll-server partition 1`");
        assert!(cluster.run_server_command(&["partition", "1"]).0);
        let (done, output) = cluster.run_server_command(&["distribute", "--shards", "4"]);
        assert!(done && output.contains("tables are now distributed"), "{output}");
        let (done, output) = cluster.run_server_command(&["distribute"]);
        assert!(done && output.contains("already distributed"), "{output}");
        refused(&["partition", "4"], "the database is distributed (Citus)");
        // Servers do not start if one table is no longer distributed. `distribute` repairs the database.
        execute(&url, "SELECT undistribute_table('paycheck_ids')").await;
        refused(
            &["serve", "--listen", "127.0.0.1:0"],
            "the table paycheck_ids of the distributed database (Citus) is in the wrong place",
        );
        let (done, output) = cluster.run_server_command(&["distribute"]);
        assert!(done && output.contains("1 more table"), "{output}");
        refused(&["serve", "--listen", "127.0.0.1:0", "--database-url", &node], "not the coordinator");
        // The test undoes a migration that creates a table with companies. `migrate` creates the table again
        // and distributes it.
        let older = "DROP TABLE completion_requests; \
            DELETE FROM __diesel_schema_migrations WHERE version = '20261122800000'";
        execute(&url, older).await;
        let (done, output) = cluster.run_server_command(&["migrate"]);
        assert!(done, "{output}");
        let (done, output) = cluster.run_server_command(&["distribute"]);
        assert!(done && output.contains("already distributed"), "{output}");
        let (_, output) = cluster.run_server_command(&["doctor"]);
        assert!(output.contains("distributed over 2 nodes") && !output.contains("limits"), "{output}");
        execute(&url, "ALTER ROLE postgres IN DATABASE pay RESET lock_timeout").await;
        let (_, output) = cluster.run_server_command(&["doctor"]);
        assert!(output.contains("without the limits"), "{output}");
    });
}

/// The number of requests of the measurement.
const POST_COUNT: usize = 200;
/// The number of checks per request.
const CHECKS_PER_POST: usize = 100;

/// The time for which the test measures the processor use of idle nodes.
const IDLE_MEASUREMENT_TIME: Duration = Duration::from_secs(5);

/// Adds checks in batches of one hundred, like an application. Returns the processor time per request for
/// each node in milliseconds. The time that an idle node uses is subtracted.
#[expect(
    clippy::disallowed_methods,
    reason = "what an idle machine takes is taken off by the time that has passed"
)]
async fn measure_processor_time_per_post(
    process: &Process,
    name: &str,
    machines: &[&PostgresMachine],
) -> Vec<f64> {
    let token = process.client.request_token(token_form()).await;
    let times = || machines.iter().map(|machine| machine.processor_time()).collect::<Vec<u64>>();
    let milliseconds = |after: &[u64], before: &[u64]| {
        let used = after.iter().zip(before).map(|(after, before)| u32::try_from(after - before));
        used.map(|ticks| 10.0 * f64::from(ticks.expect("less than a year"))).collect::<Vec<f64>>()
    };
    let before = times();
    tokio::time::sleep(IDLE_MEASUREMENT_TIME).await;
    let idle: Vec<f64> = milliseconds(&times(), &before)
        .iter()
        .map(|used| used / IDLE_MEASUREMENT_TIME.as_secs_f64())
        .collect();
    let (before, started) = (times(), Instant::now());
    for number in 0..POST_COUNT {
        let checks: Vec<Value> = (0..CHECKS_PER_POST)
            .map(|line| check_with_correlation_id(&format!("{name}-{number}-{line}")))
            .collect();
        let request = Request::post_checks(OPEN, &json!(checks)).idempotency_key(&format!("{name}-{number}"));
        let added = process.client.send_unchecked(&request, Some(&token)).await.expect("an answer");
        assert_eq!(added.status, 201, "{added:?}");
    }
    let posts = f64::from(u32::try_from(POST_COUNT).expect("a small number"));
    let length = started.elapsed().as_secs_f64();
    let used = milliseconds(&times(), &before);
    used.iter().zip(&idle).map(|(used, idle)| (used - idle * length) / posts).collect()
}

#[test]
#[expect(clippy::print_stdout, reason = "what it costs is to be read where it is measured")]
fn the_cpu_time_of_checks_is_similar_on_a_cluster_and_one_machine() {
    run_on_cluster(async |cluster| {
        let folder = tempfile::tempdir().expect("a folder");
        let alone = PostgresMachine::in_folder(folder.path(), "alone", format!("{}.1", next_network()))
            .expect("PostgreSQL");
        alone.create_server("");
        let url = format!("postgres://postgres@{}/pay", alone.host());
        execute(&url.replace("/pay", "/postgres"), "CREATE DATABASE pay").await;
        Box::pin(fill_database(&url)).await;
        let process = Process::serve_with(&cluster.keys, &["--database-url", &url]);
        let on_one = measure_processor_time_per_post(&process, "alone", &[&alone]).await;
        drop(process);
        let machines = [cluster.coordinator(), cluster.node(0), cluster.node(1)];
        let on_many = measure_processor_time_per_post(&serve(&cluster), "alone", &machines).await;
        let stored =
            format!("SELECT count(*) FROM checks WHERE application_id <> '' AND company_id = '{OPEN}'");
        assert_eq!(query_number(&cluster.url(), &stored).await, POST_COUNT * CHECKS_PER_POST);
        assert_eq!(query_number(&cluster.url(), &stored).await, query_number(&url, &stored).await);
        let near =
            measure_processor_time_per_post(&serve_with_node_routing(&cluster), "near", &machines).await;
        assert_eq!(query_number(&cluster.url(), &stored).await, 2 * POST_COUNT * CHECKS_PER_POST);
        println!(
            "each request: {on_one:.1?} ms on one machine; {on_many:.1?} ms on a coordinator and others; \
             {near:.1?} ms on these where the server is connected to them"
        );
    });
}

/// Returns a company of the partner that is stored on another node than [`OPEN`].
async fn find_company_on_other_node(cluster: &CitusCluster) -> &'static str {
    let own = cluster.node_number_of_company(OPEN).await;
    for company in GRANTED_COMPANIES {
        if cluster.node_number_of_company(company).await != own {
            return company;
        }
    }
    panic!("all companies are on one machine of {WORKER_NODES}");
}
