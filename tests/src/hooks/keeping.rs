//! Tests of retention periods. Old pending notifications expire even if the server sends no notifications,
//! and are deleted later. Old entries of the delivery log are deleted too.

use serde_json::{Value, json};

use crate::support::hooks::{HOOK_ID, store_hooks};
use crate::support::{OPEN, Request, Server, on_every_database};

/// One day more than the default retention of events and deliveries, in seconds.
const LONGER_THAN_RETENTION: i64 = 31 * 86_400;
/// A time in seconds that exceeds every retention.
const TWENTY_YEARS: i64 = 20 * 365 * 86_400;

async fn get(server: &Server, subpath: &str) -> Value {
    let path = format!("/applications/partner/hooks/{HOOK_ID}{subpath}");
    server.send(&Request::operator_get(&path)).await.json()["content"].clone()
}

/// Returns the states of the deliveries of the hook.
async fn read_delivery_states(server: &Server) -> Vec<String> {
    let deliveries = get(server, "/deliveries").await;
    let states = deliveries.as_array().into_iter().flatten().map(|delivery| delivery["state"].as_str());
    states.map(|state| state.expect("a word").to_owned()).collect()
}

#[test]
fn old_pending_deliveries_expire_and_are_deleted_later() {
    on_every_database(async |server| {
        store_hooks(server).await;
        let mut housekeeper = server.housekeeper();
        housekeeper.run_once().await;
        for states in [&["EXPIRED"][..], &[]] {
            server.clock.advance_seconds(LONGER_THAN_RETENTION);
            housekeeper.run_once().await;
            assert_eq!(read_delivery_states(server).await, states);
            let queue = get(server, "").await[0]["queue"].clone();
            assert_eq!((&queue["waiting"], &queue["expired"]), (&json!(0), &json!(1)));
        }
    });
}

#[test]
fn stored_deliveries_survive_a_clock_set_forwards_and_back() {
    on_every_database(async |server| {
        store_hooks(server).await;
        let path = format!("/companies/{OPEN}/workers/EMPLOYEE");
        let change = Request::operator_patch(&path, &json!({"birthDate": "1990-01-01"}));
        assert_eq!(server.send(&change).await.status, 200);
        let read_stored = async || {
            let events = server.database.query_number("SELECT count(*) FROM events").await;
            (
                read_delivery_states(server).await,
                events,
                server.database.query_number("SELECT count(*) FROM audit").await,
            )
        };
        let before = read_stored().await;
        let mut housekeeper = server.housekeeper();
        housekeeper.run_once().await;
        server.clock.advance_seconds(2 * 3_600);
        housekeeper.run_once().await;
        // The clock jumps before each run, by up to twenty years forward or back. A second housekeeper starts
        // between two runs. No run may delete anything.
        let mut another = server.housekeeper();
        for step in
            [TWENTY_YEARS, -TWENTY_YEARS, 3_600, -3_600, TWENTY_YEARS, TWENTY_YEARS, -2 * TWENTY_YEARS]
        {
            server.clock.step_seconds(step);
            housekeeper.run_once().await;
            another.run_once().await;
            server.clock.advance_seconds(1_800);
            housekeeper.run_once().await;
            another.run_once().await;
        }
        assert_eq!(read_stored().await, before);
        // After an hour without a jump, the housekeeper trusts the clock again and deletes old rows.
        server.clock.step_seconds(TWENTY_YEARS);
        for _ in 0..3 {
            housekeeper.run_once().await;
            server.clock.advance_seconds(1_801);
        }
        housekeeper.run_once().await;
        assert_ne!(read_stored().await, before);
    });
}
