//! For how long notifications wait that nobody sends, and for how long it is kept what became of them.

use serde_json::{Value, json};

use crate::support::hooks::{HOOK, put_hooks};
use crate::support::{Request, Server, on_every_database};

/// A reader who has asked so often waits for what does not come.
const MOST_READS: usize = 20_000;
/// A day longer than both are by default.
const LONG_ENOUGH: i64 = 31 * 86_400;

async fn get(server: &Server, below: &str) -> Value {
    let path = format!("/applications/partner/hooks/{HOOK}{below}");
    server.send(&Request::operator_get(&path)).await.json()["content"].clone()
}

/// The states of the deliveries of the hook, once they are those.
async fn until(server: &Server, expected: &[&str]) {
    for _ in 0..MOST_READS {
        let deliveries = get(server, "/deliveries").await;
        let states = deliveries.as_array().into_iter().flatten().map(|delivery| &delivery["state"]);
        if states.eq(expected) {
            return;
        }
        tokio::task::yield_now().await;
    }
    panic!("it never came: {}", get(server, "/deliveries").await);
}

#[test]
fn what_a_hook_collects_for_too_long_expires_and_is_forgotten_later() {
    on_every_database(async |server| {
        put_hooks(server).await;
        until(server, &["WAITING"]).await;
        // Housekeeping is done at the start, and then once a minute.
        for states in [&["EXPIRED"][..], &[]] {
            server.clock.move_seconds(LONG_ENOUGH);
            server.restart().await;
            until(server, states).await;
            let queue = get(server, "").await[0]["queue"].clone();
            assert_eq!((&queue["waiting"], &queue["expired"]), (&json!(0), &json!(1)));
        }
    });
}
