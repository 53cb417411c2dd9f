//! Tests of webhooks from an application's view (specification §9): registering, changing and removing hooks,
//! their deliveries, and replays. The tables in `callers` and `codes` cover statuses and permissions.

mod changes;
mod deliveries;
mod isolation;
mod keeping;
mod options;
mod receiver;
mod registration;
mod requests;
mod secrets;
mod verification;

use reqwest::Method;
use serde_json::Value;

use crate::support::hooks::registration;
use crate::support::{Request, Response, Server, with_member};

/// The path of the collection of hooks.
const HOOKS_PATH: &str = "/management/hooks";

/// Sends a registration with this body.
async fn post_hook(server: &Server, body: &Value) -> Response {
    server.send(&Request::post(HOOKS_PATH, body)).await
}

/// Registers a hook with this id. `members` are added to a valid registration, or replace its members.
async fn register_hook(server: &Server, id: &str, members: &[(&str, Value)]) -> Value {
    let base = with_member(registration(), "hookId", id);
    let body = members.iter().fold(base, |body, (member, value)| with_member(body, member, value.clone()));
    let response = post_hook(server, &body).await;
    assert_eq!(response.status, 201, "{response:?}");
    response.json()
}

/// Returns the path of a hook or of a resource below it.
fn hook_path(id: &str, subpath: &str) -> String {
    format!("{HOOKS_PATH}/{id}{subpath}")
}

/// Sends a POST without a body to a resource below a hook.
async fn post_action(server: &Server, id: &str, subpath: &str) -> Response {
    server.send(&Request::new(Method::POST, hook_path(id, subpath))).await
}

/// Reads all pages of a hook's delivery log, newest delivery first. `query` contains the page size.
async fn read_delivery_log(server: &Server, id: &str, query: &str) -> Vec<Value> {
    let mut all = Vec::new();
    let mut next = Some(hook_path(id, &format!("/deliveries?{query}")));
    while let Some(target) = next {
        let response = server.send(&Request::get(target)).await;
        assert_eq!(response.status, 200, "{response:?}");
        all.extend(response.content());
        next = response.link("next").map(|link| link.trim_start_matches(&server.base).to_owned());
    }
    all
}

/// Returns the text of this member in each value.
fn member_values<'v>(values: &'v [Value], member: &str) -> Vec<&'v str> {
    values.iter().map(|value| value[member].as_str().unwrap_or_default()).collect()
}
