//! Tests an agent with an operator key: the agent prepares a pay run, and a second operator must approve
//! its completion.

use serde_json::json;

use super::client::{connect_operator_agent, connect_partner_agent};
use super::run_with_mcp;
use crate::support::{
    CLIENT_ID, OPEN, OPERATOR_KEY, READER_KEY, Request, Server, Settings, check_with_correlation_id,
    on_every_database_with,
};

fn period_of_valid_checks() -> serde_json::Value {
    json!({"companyId": OPEN, "payPeriodId": "ENTRY"})
}

/// Returns the arguments of a tool call that identify the pay period.
fn arguments_with(members: &serde_json::Value) -> serde_json::Value {
    let mut arguments = period_of_valid_checks();
    for (name, value) in members.as_object().expect("an object") {
        arguments[name] = value.clone();
    }
    arguments
}

/// Returns the value of a new operator key.
async fn new_key(server: &Server, name: &str) -> String {
    server.send(&Request::operator_post("/keys", &json!({"name": name}))).await.members("value").remove(0)
}

#[test]
fn a_pay_run_is_completed_only_with_a_second_operator() {
    let change = |settings: &mut Settings| (settings.mcp, settings.two_person_completion) = (true, true);
    on_every_database_with(change, async |server| {
        let desk = connect_operator_agent(server, OPERATOR_KEY).await;
        let checks = json!({"checks": [check_with_correlation_id("one")]});
        let draft = desk.call("draft_checks", arguments_with(&checks)).await;
        assert_eq!(draft["totals"]["earnings"]["payHours"], "8");
        let adding =
            json!({"body": [check_with_correlation_id("one")], "execute": true, "idempotencyKey": "k"});
        assert_eq!(desk.call("addChecksOfOperator", arguments_with(&adding)).await["status"], 200);
        desk.call_error("processPayPeriod", period_of_valid_checks()).await;
        desk.call("processPayPeriod", arguments_with(&json!({"execute": true}))).await;

        let preview = desk.call("completePayPeriod", period_of_valid_checks()).await;
        assert_eq!(preview["dryRun"], true, "{preview}");
        let alone = desk.call_error("completePayPeriod", arguments_with(&json!({"execute": true}))).await;
        assert_eq!((&alone["status"], &alone["errors"][0]["code"]), (&json!(409), &json!("API-409")));
        desk.call("requestCompletion", arguments_with(&json!({"execute": true}))).await;
        let request = desk.call("getCompletionRequest", period_of_valid_checks()).await;
        let approval = arguments_with(&json!({"execute": true, "ifMatch": request["etag"]}));
        let own = desk.call_error("approveCompletionRequest", approval.clone()).await;
        assert_eq!((&own["status"], &own["errors"][0]["code"]), (&json!(403), &json!("API-2")), "{own}");

        let ben = connect_operator_agent(server, &new_key(server, "ben").await).await;
        let completed = ben.call("approveCompletionRequest", approval).await;
        assert_eq!(completed["status"], 200, "{completed}");
        let audit_log =
            server.send(&Request::operator_get(&format!("/audit?companyid={OPEN}&resourceid=ENTRY"))).await;
        let names: Vec<_> = audit_log.content().iter().map(|row| row["actor"]["name"].clone()).collect();
        assert!(names.contains(&json!("desk")) && names.contains(&json!("ben")), "{names:?}");
    });
}

#[test]
fn a_read_only_key_cannot_write_through_a_tool() {
    run_with_mcp(async |server| {
        let reader = connect_operator_agent(server, READER_KEY).await;
        assert_eq!(reader.call("getPayPeriod", period_of_valid_checks()).await["status"], 200);
        let refused = reader.call_error("processPayPeriod", arguments_with(&json!({"execute": true}))).await;
        assert_eq!((&refused["status"], &refused["errors"][0]["code"]), (&json!(403), &json!("API-2")));
        let tools = reader.list_tools().await;
        for credential in ["createOperatorKey", "createSecret", "signIn", "exportCompany"] {
            assert!(!tools.iter().any(|tool| tool.name == credential), "{credential}");
        }
    });
}

#[test]
fn results_mask_tax_ids_and_account_numbers() {
    run_with_mcp(async |server| {
        let ssn = "000006780";
        let tax_id = json!({"legalId": {"legalIdType": "SSN", "legalIdValue": ssn}});
        let change = Request::operator_patch(&format!("/companies/{OPEN}/workers/EMPLOYEE"), &tax_id);
        let stored = server.send(&change).await.content().remove(0);
        assert_eq!(stored["legalId"]["legalIdValue"], ssn);
        let account = stored["directDeposits"][0]["accountNumber"].as_str().expect("an account");
        assert!(account.bytes().all(|byte| byte.is_ascii_digit()), "{account}");
        let (desk, program) =
            (connect_operator_agent(server, OPERATOR_KEY).await, connect_partner_agent(server).await);
        let worker = json!({"companyId": OPEN, "workerId": "EMPLOYEE"});
        for result in [
            desk.call("getWorker", worker).await,
            desk.call("listWorkers", json!({"companyId": OPEN})).await,
            program.call("getWorker", json!({"workerId": "EMPLOYEE"})).await,
        ] {
            let text = result.to_string();
            assert!(text.contains("*****") && !text.contains(ssn) && !text.contains(account), "{text}");
        }
    });
}

#[test]
fn a_hook_without_deliveries_is_explained() {
    run_with_mcp(async |server| {
        let desk = connect_operator_agent(server, OPERATOR_KEY).await;
        let applications = desk.call("listApplications", json!({})).await;
        let applications = applications["body"]["content"].as_array().expect("applications").clone();
        let partner = applications.iter().find(|it| it["clientId"] == CLIENT_ID).expect("the partner");
        let arguments = json!({"applicationId": partner["applicationId"], "hookId": "NONE"});
        let unknown = desk.call_error("why_was_hook_not_called", arguments).await;
        assert_eq!((&unknown["status"], &unknown["errors"][0]["code"]), (&json!(404), &json!("API-7")));
    });
}
