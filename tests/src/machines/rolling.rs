//! Tests three servers behind each load balancer of docs/deploy while clients send requests. Replacing the
//! servers one by one fails no request, even while requests wait for the database. If a server is killed,
//! only its requests in progress fail.

use futures_util::future::join_all;
use serde_json::json;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

use super::balancer::BalancerKind;
use super::fleet::{SERVER_COUNT, ServerFleet, run_behind_balancer};
use super::steady::{CLIENT_COUNT, REQUEST_KINDS, RequestCounts, SteadyClients};
use crate::restarts::STOPS_VARIABLE;
use crate::support::receiver::wait_until_async;
use crate::support::{Database, OPEN, Request, check_with_correlation_id, token_form};

/// The default number of stops while requests wait for a lock.
const DEFAULT_STOPS: usize = 2;
/// The number of requests that wait on the stopped server, in addition to the load.
const WAITING_REQUESTS: usize = 2;
/// URL options that let requests wait for a lock for 25 seconds, which is longer than a stop takes.
const LONG_LOCK_TIMEOUT: &str = "?options=-c%20lock_timeout%3D25s";
/// Arguments with which a server has enough database connections. Reads still get a connection while all
/// writes wait on one server.
const CONNECTION_ARGUMENTS: [&str; 2] = ["--database-connections", "12"];

/// Sends requests to a server in addition to the load. Returns when all writes wait for the lock of the
/// company.
async fn start_waiting_requests(fleet: &ServerFleet, number: usize, round: usize) -> Vec<JoinHandle<u16>> {
    const COUNT_WAITING_SESSIONS: &str = "SELECT count(*) FROM pg_stat_activity \
        WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let client = &fleet.servers[number].client;
    let token = client.request_token(token_form()).await;
    let adding = (0..WAITING_REQUESTS).map(|waiting| {
        let name = |part| check_with_correlation_id(&format!("stop-{round}-{waiting}-{part}"));
        let request = Request::post_checks(OPEN, &json!([name("a"), name("b")]));
        let (client, token) = (client.clone(), token.clone());
        tokio::spawn(async move {
            client.send(&request, Some(&token)).await.map_or(0, |response| response.status)
        })
    });
    let adding = adding.collect();
    // The load has two kinds of clients that add checks. Clients of both kinds wait for the same lock.
    let waiting = i64::try_from(WAITING_REQUESTS + 2 * CLIENT_COUNT).expect("a count");
    wait_until_async(
        async || fleet.database.query_number(COUNT_WAITING_SESSIONS).await >= waiting,
        "requests that wait",
    )
    .await;
    adding
}

/// Stops a server while requests wait for a lock. Releases the lock after the server has stopped accepting
/// connections. Returns the statuses of the waiting requests.
async fn stop_while_requests_wait(fleet: &mut ServerFleet, round: usize) -> Vec<u16> {
    let number = round % SERVER_COUNT;
    let lock = format!("SELECT 1 FROM companies WHERE company_id = '{OPEN}' FOR UPDATE");
    let mut lock = fleet.database.hold_transaction(&lock).await;
    let waiting = start_waiting_requests(fleet, number, round).await;
    fleet.servers[number].send_stop_signal();
    let address = fleet.address(number);
    wait_until_async(async || TcpStream::connect(&address).await.is_err(), "a closed listener").await;
    lock.run_sql("COMMIT").await;
    let answered = join_all(waiting).await.into_iter().map(|status| status.expect("no panic")).collect();
    fleet.replace_stopping_server(number).await;
    answered
}

#[expect(clippy::print_stdout, reason = "what it took is to be read where it is measured")]
async fn assert_nothing_else_stored(
    kind: BalancerKind,
    database: &Database,
    outcome: &RequestCounts,
    in_doubt: usize,
) {
    let stored = database.query_number("SELECT count(*) FROM checks WHERE application_id <> ''").await;
    let stored = usize::try_from(stored).expect("a count") / 2;
    assert!((outcome.added..=outcome.added + in_doubt).contains(&stored), "{stored} of {}", outcome.added);
    println!(
        "{kind:?}: {} responses, the slowest after {:?}; {} failed: {:#?}",
        outcome.answered,
        outcome.slowest,
        outcome.failures.len(),
        outcome.failures
    );
}

fn test_rolling_restart(kind: BalancerKind) {
    run_behind_balancer(kind, "", &[], async |fleet, balancer| {
        let seen = SteadyClients::send_requests_during(&balancer.client, async |load| {
            for number in 0..SERVER_COUNT {
                fleet.replace_server(number).await;
                load.wait_for_more_responses().await;
            }
        })
        .await;
        assert_nothing_else_stored(kind, &fleet.database, &seen, 0).await;
        assert!(seen.failures.is_empty(), "{:#?}", seen.failures);
    });
}

fn stop_count() -> usize {
    let value = std::env::var(STOPS_VARIABLE).ok();
    value.map_or(DEFAULT_STOPS, |value| {
        value.parse().unwrap_or_else(|_| panic!("{STOPS_VARIABLE} is a number"))
    })
}

#[test]
fn requests_that_wait_behind_a_balancer_during_a_stop_get_responses() {
    run_behind_balancer(
        BalancerKind::HaProxy,
        LONG_LOCK_TIMEOUT,
        &CONNECTION_ARGUMENTS.map(str::to_owned),
        async |fleet, balancer| {
            let mut waited = 0;
            let mut seen = SteadyClients::send_requests_during(&balancer.client, async |load| {
                for round in 0..stop_count() {
                    let answered = stop_while_requests_wait(fleet, round).await;
                    assert_eq!(answered, [201; WAITING_REQUESTS], "stop {round}");
                    waited += answered.len();
                    load.wait_for_more_responses().await;
                }
            })
            .await;
            seen.added += waited;
            assert_nothing_else_stored(BalancerKind::HaProxy, &fleet.database, &seen, 0).await;
            assert!(seen.failures.is_empty(), "{:#?}", seen.failures);
        },
    );
}

/// Kills a server under load. Only requests that were in progress on that server may fail.
fn test_kill(kind: BalancerKind) {
    run_behind_balancer(kind, "", &[], async |fleet, balancer| {
        let seen = SteadyClients::send_requests_during(&balancer.client, async |load| {
            fleet.servers[0].kill();
            load.wait_for_more_responses().await;
            load.wait_for_more_responses().await;
        })
        .await;
        assert_nothing_else_stored(kind, &fleet.database, &seen, CLIENT_COUNT * REQUEST_KINDS).await;
        assert!(seen.failures.len() <= CLIENT_COUNT * REQUEST_KINDS, "{:#?}", seen.failures);
    });
}

#[test]
fn a_rolling_restart_behind_haproxy_fails_no_request() {
    test_rolling_restart(BalancerKind::HaProxy);
}

#[test]
fn a_rolling_restart_behind_nginx_fails_no_request() {
    test_rolling_restart(BalancerKind::Nginx);
}

#[test]
fn a_rolling_restart_behind_caddy_fails_no_request() {
    test_rolling_restart(BalancerKind::Caddy);
}

#[test]
fn a_kill_behind_haproxy_loses_at_most_requests_in_progress() {
    test_kill(BalancerKind::HaProxy);
}

#[test]
fn a_kill_behind_nginx_loses_at_most_requests_in_progress() {
    test_kill(BalancerKind::Nginx);
}

#[test]
fn a_kill_behind_caddy_loses_at_most_requests_in_progress() {
    test_kill(BalancerKind::Caddy);
}
