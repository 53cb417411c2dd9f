//! Tests of a standby that serves reads of partners who accept stale data. Responses from the standby may
//! lack recent changes.

use payroll_domain::access::Scopes;
use serde_json::json;

use super::failover::{connect, create_filled_database};
use super::pair::{PairMember, ServerPair};
use crate::operations::OPERATIONS;
use crate::support::process::run;
use crate::support::receiver::wait_until_async;
use crate::support::{
    BARE, CHILD, Database, DatabaseKind, OPEN, PARENT, Process, Request, Response, check_with_correlation_id,
    create_application, for_each_kind, grant_to_application, open_store_at, token_form, valid_request,
};

const APPLIED_HEADER: &str = "preference-applied";

fn list_request() -> Request {
    Request::get(format!("/companies/{OPEN}/checks?payperiodid=ENTRY"))
}

fn read_from_replica() -> Request {
    list_request().header("prefer", "respond-async, Stale")
}

async fn send_request(process: &Process, token: &str, request: &Request) -> Response {
    process.client.send(request, Some(token)).await.expect("a response")
}

async fn add_check(process: &Process, token: &str, name: &str) {
    let adding =
        Request::post_checks(OPEN, &json!([check_with_correlation_id(name)])).header("prefer", "stale");
    let added = send_request(process, token, &adding).await;
    assert_eq!((added.status, added.headers.get(APPLIED_HEADER)), (201, None), "a write is of the primary");
}

fn shows_check(response: &Response, name: &str) -> bool {
    assert_eq!(response.status, 200, "{response:?}");
    String::from_utf8_lossy(&response.body).contains(name)
}

/// Returns the output of `doctor`.
fn run_doctor(folder: &Database, url: &str, replica: &str) -> String {
    let addresses = ["doctor", "--database-url", url, "--replica-database-url", replica];
    String::from_utf8_lossy(&run(folder, &addresses, "").stdout).into_owned()
}

/// Waits until the replica serves a read that accepts stale data.
async fn wait_for_replica(process: &Process, token: &str) {
    wait_until_async(
        async || {
            send_request(process, token, &read_from_replica()).await.headers.contains_key(APPLIED_HEADER)
        },
        "a read of the replica",
    )
    .await;
}

#[test]
fn reads_that_may_be_stale_use_the_replica_and_access_uses_the_primary() {
    for_each_kind(async |kind| {
        if kind != DatabaseKind::Postgres {
            return;
        }
        let Some(pair) = ServerPair::start() else { return };
        let url = create_filled_database(&pair).await;
        let replica = format!("postgres://postgres@{}/pay", pair.host(PairMember::Standby));
        let folder = Database::empty(DatabaseKind::Sqlite).await;
        let process =
            Process::serve_with(&folder, &["--database-url", &url, "--replica-database-url", &replica]);
        let token = process.client.request_token(token_form()).await;
        add_check(&process, &token, "before").await;
        wait_for_replica(&process, &token).await;
        wait_until_async(
            async || shows_check(&send_request(&process, &token, &read_from_replica()).await, "before"),
            "the check",
        )
        .await;
        let fresh = send_request(&process, &token, &list_request()).await;
        assert!(shows_check(&fresh, "before") && !fresh.headers.contains_key(APPLIED_HEADER), "{fresh:?}");

        // `pg_wal_replay_pause` stops the standby from applying changes. The standby still receives them.
        assert!(run_doctor(&folder, &url, &replica).contains("follows"));
        let (primary, standby) = (connect(&url).await, connect(&replica).await);
        standby.batch_execute("SELECT pg_wal_replay_pause()").await.expect("it pauses");
        add_check(&process, &token, "after").await;
        let (old, fresh) = (
            send_request(&process, &token, &read_from_replica()).await,
            send_request(&process, &token, &list_request()).await,
        );
        assert!(
            old.headers.contains_key(APPLIED_HEADER)
                && !shows_check(&old, "after")
                && shows_check(&fresh, "after")
        );
        assert_eq!(
            send_request(&process, &token, &read_from_replica().header("if-none-match", old.header("etag")))
                .await
                .status,
            304
        );

        primary.batch_execute("DELETE FROM grants WHERE company_id = 'OPEN'").await.expect("it is revoked");
        let refused = send_request(&process, &token, &read_from_replica()).await;
        assert_eq!(refused.status, 403, "a permission is gone at once: {refused:?}");

        // After the standby has failed, the server reads from the primary instead.
        let other = Request::get(format!("/companies/{BARE}")).header("prefer", "stale");
        assert!(send_request(&process, &token, &other).await.headers.contains_key(APPLIED_HEADER));
        pair.kill_member(PairMember::Standby);
        let is_of_primary = async || {
            let response = send_request(&process, &token, &other).await;
            response.status == 200 && !response.headers.contains_key(APPLIED_HEADER)
        };
        wait_until_async(is_of_primary, "a read of the primary").await;
        assert!(run_doctor(&folder, &url, &replica).contains("cannot be used"));
        let is_ready = async || {
            process.client.send(&Request::get("/readyz"), None).await.expect("a response").status == 200
        };
        wait_until_async(is_ready, "a server that is ready").await;
    });
}

/// Returns all GET requests about companies and workers. One of the companies has related companies, and
/// another one has the tax ID of a person.
fn read_requests() -> Vec<Request> {
    let tables = OPERATIONS.iter().filter(|it| it.method == "GET");
    let of_companies =
        tables.filter(|it| ["{companyId}", "{workerId}"].iter().any(|id| it.path.contains(id)));
    let listed: Vec<_> = of_companies.map(|it| it.path).collect();
    let of = |company: &'static str| listed.iter().map(move |path| valid_request("GET", path, company));
    let more = [
        format!("/companies/{OPEN}?includelineage=true"),
        format!("/companies/{CHILD}?includelineage=true"),
        format!("/companies/{OPEN}/workers?legallastfour=9999"),
    ];
    of(OPEN).chain(of(CHILD)).chain(more.map(Request::get)).collect()
}

/// Compares each read that accepts stale data with the same read on the primary. Returns the number of reads
/// that the standby served.
async fn assert_equal_responses(process: &Process, token: &str, revoked: &str) -> usize {
    let mut from_standby = 0;
    for request in read_requests() {
        let path = request.path().to_owned();
        let fresh = send_request(process, token, &request.clone()).await;
        let stale = send_request(process, token, &request.header("prefer", "stale")).await;
        from_standby += usize::from(stale.headers.contains_key(APPLIED_HEADER));
        assert_eq!(
            (stale.status, stale.text()),
            (fresh.status, fresh.text()),
            "{path} without {revoked}, from the standby and from the primary"
        );
    }
    from_standby
}

#[test]
fn a_lagging_standby_serves_no_request_with_revoked_access() {
    for_each_kind(async |kind| {
        if kind != DatabaseKind::Postgres {
            return;
        }
        let Some(pair) = ServerPair::start() else { return };
        let url = create_filled_database(&pair).await;
        let replica = format!("postgres://postgres@{}/pay", pair.host(PairMember::Standby));
        let folder = Database::empty(DatabaseKind::Sqlite).await;
        let process =
            Process::serve_with(&folder, &["--database-url", &url, "--replica-database-url", &replica]);
        let token = process.client.request_token(token_form()).await;
        wait_for_replica(&process, &token).await;
        assert!(assert_equal_responses(&process, &token, "nothing").await > 0, "the standby is read");
        connect(&replica).await.batch_execute("SELECT pg_wal_replay_pause()").await.expect("it pauses");

        let store = open_store_at(&url).await;
        let of_companies = Scopes::for_companies();
        for revoked in of_companies.iter() {
            let left = of_companies.iter().filter(|scope| *scope != revoked).collect();
            for company in [OPEN, CHILD] {
                grant_to_application(&*store, "partner", company, left).await;
            }
            assert_equal_responses(&process, &token, revoked.as_str()).await;
        }
        for company in [OPEN, CHILD] {
            grant_to_application(&*store, "partner", company, of_companies).await;
        }
        grant_to_application(&*store, "partner", PARENT, Scopes::NONE).await;
        assert_equal_responses(&process, &token, "its parent").await;

        // The standby has not yet received this new application. The server finds the application on the
        // primary.
        create_application(&*store, "newcomer", &[OPEN], of_companies).await;
        let newcomer = token_form().replace("key-of-partner", "key-of-newcomer");
        let token = process.client.request_token(newcomer).await;
        assert_eq!(send_request(&process, &token, &read_from_replica()).await.status, 200);
    });
}

#[test]
fn without_a_recent_replica_all_reads_use_the_primary() {
    for_each_kind(async |kind| {
        if kind != DatabaseKind::Postgres {
            return;
        }
        let database = Database::with_test_data(kind).await;
        // The replica URL leads to an address without a server.
        let nowhere = "postgres://postgres@127.0.0.1:1/pay";
        let process = Process::serve_with(&database, &["--replica-database-url", nowhere]);
        let token = process.client.request_token(token_form()).await;
        add_check(&process, &token, "first").await;
        let response = send_request(&process, &token, &read_from_replica()).await;
        assert!(
            shows_check(&response, "first") && !response.headers.contains_key(APPLIED_HEADER),
            "{response:?}"
        );
        drop(process);
        database.return_to_pool().await;
    });
}
