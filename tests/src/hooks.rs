//! Webhooks as an application uses them (specification §9): registering, changing and removing
//! hooks, what was sent to them, and resending it. That each operation returns only its statuses, to
//! whom it may, the tables in `callers` and `codes` hold.

mod changes;
mod deliveries;
mod isolation;
mod keeping;
mod receiver;
mod registration;
mod requests;
mod secrets;
mod verification;

use reqwest::Method;
use serde_json::Value;

use crate::support::hooks::registration;
use crate::support::{Answer, Request, Server, with};

/// The collection of hooks.
const HOOKS: &str = "/management/hooks";

/// Asks to register that.
async fn post(server: &Server, body: &Value) -> Answer {
    server.send(&Request::post(HOOKS, body)).await
}

/// Registers a hook of that id, with these members in addition to or in place of those of a valid one.
async fn register(server: &Server, id: &str, members: &[(&str, Value)]) -> Value {
    let base = with(registration(), "hookId", id);
    let body = members.iter().fold(base, |body, (member, value)| with(body, member, value.clone()));
    let answer = post(server, &body).await;
    assert_eq!(answer.status, 201, "{answer:?}");
    answer.json()
}

/// The path of a hook, or of something below it.
fn of(id: &str, below: &str) -> String {
    format!("{HOOKS}/{id}{below}")
}

/// A POST without a body below a hook.
async fn act(server: &Server, id: &str, below: &str) -> Answer {
    server.send(&Request::new(Method::POST, of(id, below))).await
}

/// The complete log of a hook, the newest first, in pages of that many.
async fn log(server: &Server, id: &str, query: &str) -> Vec<Value> {
    let mut all = Vec::new();
    let mut next = Some(of(id, &format!("/deliveries?{query}")));
    while let Some(target) = next {
        let answer = server.send(&Request::get(target)).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        all.extend(answer.content());
        next = answer.link("next").map(|link| link.trim_start_matches(&server.base).to_owned());
    }
    all
}

/// One member of each.
fn each<'v>(values: &'v [Value], member: &str) -> Vec<&'v str> {
    values.iter().map(|value| value[member].as_str().unwrap_or_default()).collect()
}
