//! The tool `why_was_hook_not_called`: reports the state of a hook and the results of its last deliveries.

use payroll_ports::api_calls::ApiCaller;
use rmcp::model::{CallToolResult, JsonObject};
use serde_json::{Map, Value, json};

use super::failure::{ToolFailure, required_text};
use super::reading::{content_elements, get_document, text_member};
use crate::call::percent_encode;
use crate::side::Api;

/// The number of deliveries in the report. The most recent deliveries are enough to show the cause of a
/// problem.
const MAX_DELIVERIES: usize = 10;

pub(super) async fn run_hook_report(
    side: Api,
    arguments: &JsonObject,
    api: &dyn ApiCaller,
) -> Result<CallToolResult, ToolFailure> {
    let hook_id = percent_encode(required_text(arguments, "hookId")?);
    let base = match side {
        Api::Partner => format!("/management/hooks/{hook_id}"),
        Api::Operator => {
            let application_id = percent_encode(required_text(arguments, "applicationId")?);
            format!("/operator/v1/applications/{application_id}/hooks/{hook_id}")
        }
    };
    let hook = get_document(api, base.clone()).await?;
    let hook = content_elements(&hook).first().cloned().unwrap_or_default();
    let deliveries = get_document(api, format!("{base}/deliveries?limit={MAX_DELIVERIES}")).await?;
    let deliveries = content_elements(&deliveries);
    Ok(CallToolResult::structured(json!({
        "findings": explain_hook_state(&hook, deliveries),
        "hook": hook,
        "deliveries": deliveries.iter().map(delivery_summary).collect::<Vec<_>>(),
    })))
}

/// Returns sentences that explain the state of the hook, the most important sentence first.
fn explain_hook_state(hook: &Value, deliveries: &[Value]) -> Vec<String> {
    let mut findings = Vec::new();
    if hook.get("active").and_then(Value::as_bool) == Some(false) {
        findings.push(
            "The hook is disabled, so nothing is sent. It was disabled by a person, or because every attempt \
             failed for too long. Repair the receiver, then call `enableHook`."
                .to_owned(),
        );
    }
    let retries = deliveries.iter().any(|delivery| text_member(delivery, "state") == "RETRYING");
    if retries && hook.get("ordered").and_then(Value::as_bool) == Some(true) {
        findings.push(
            "The hook is ordered: a delivery that is retried holds back all later ones until it is delivered or \
             given up."
                .to_owned(),
        );
    }
    if deliveries.is_empty() {
        let domains = hook.get("domains").and_then(Value::as_array).cloned().unwrap_or_default();
        let domains: Vec<_> = domains.iter().filter_map(Value::as_str).collect();
        let company = match text_member(hook, "companyId") {
            "" => String::new(),
            company_id => format!(", only for the company {company_id}"),
        };
        findings.push(format!(
            "The hook has no deliveries, because there was no change in its event domains. Its event \
             domains are {}{company}. The application also needs access to the company.",
            domains.join(", ")
        ));
    }
    for (state, sentence) in [
        ("RETRYING", "deliveries failed and are retried. Their last attempts contain the cause"),
        ("WAITING", "deliveries wait for their first attempt"),
        ("EXPIRED", "deliveries failed until they expired. Replay them after the receiver is repaired"),
        ("CANCELLED", "deliveries were cancelled"),
        ("DELIVERED", "deliveries were accepted by the receiver"),
    ] {
        let count = deliveries.iter().filter(|delivery| text_member(delivery, "state") == state).count();
        if count > 0 {
            findings.push(format!("{count} of the last {} {sentence}.", deliveries.len()));
        }
    }
    findings.extend(deliveries.iter().find_map(last_failure));
    findings
}

/// Returns the last attempt of a delivery.
fn last_attempt(delivery: &Value) -> Option<&Value> {
    delivery.get("attempts")?.as_array()?.last()
}

/// Returns the cause of the last failed attempt as text; `None` if the last attempt did not fail.
fn last_failure(delivery: &Value) -> Option<String> {
    let attempt = last_attempt(delivery)?;
    let cause = match attempt.get("error")?.as_str()? {
        "STATUS" => format!("the receiver returned the status {}", attempt.get("status")?),
        "DNS" => "the host name of the receiver is unknown".to_owned(),
        "FORBIDDEN_ADDRESS" => "the receiver's IP address is not public".to_owned(),
        "CONNECT" => "the receiver accepts no connections".to_owned(),
        "CONNECT_TIMEOUT" | "TIMEOUT" => "the receiver did not respond in time".to_owned(),
        "TLS" => "the certificate or the TLS settings of the receiver are invalid".to_owned(),
        "TOKEN" => "the token server of the receiver issued no token".to_owned(),
        other => format!("the error is {other}"),
    };
    Some(format!("The last failed attempt at {}: {cause}.", text_member(attempt, "date")))
}

/// Returns the members of a delivery that explain its result.
fn delivery_summary(delivery: &Value) -> Value {
    const SHOWN_MEMBERS: [&str; 9] = [
        "deliveryId",
        "state",
        "domain",
        "action",
        "companyId",
        "queuedDate",
        "dueDate",
        "endedDate",
        "attemptCount",
    ];
    let members =
        SHOWN_MEMBERS.iter().filter_map(|name| Some(((*name).to_owned(), delivery.get(*name)?.clone())));
    let mut members: Map<String, Value> = members.collect();
    members.extend(last_attempt(delivery).map(|attempt| ("lastAttempt".to_owned(), attempt.clone())));
    Value::Object(members)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disabled_hook_and_a_failing_receiver_are_explained() {
        let hook = json!({"active": false, "domains": ["WRKR_ADD"]});
        let attempt = json!({"date": "today", "error": "STATUS", "status": 503});
        let deliveries = [json!({"state": "RETRYING", "attempts": [attempt]})];
        let text = explain_hook_state(&hook, &deliveries).join("\n");
        for part in ["disabled", "1 of the last 1 deliveries failed", "returned the status 503"] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    #[test]
    fn hook_without_deliveries_is_explained_by_its_domains() {
        let hook = json!({"active": true, "domains": ["WRKR_ADD", "CLT_PYRN"], "companyId": "C"});
        let text = explain_hook_state(&hook, &[]).join("\n");
        assert!(text.contains("WRKR_ADD, CLT_PYRN, only for the company C"), "{text}");
    }
}
