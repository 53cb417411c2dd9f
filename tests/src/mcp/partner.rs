//! Tests an agent with a token of the partner: the agent finds ids, drafts checks, reads the faults, and
//! adds the checks.

use serde_json::{Value, json};

use super::client::{AgentClient, connect_partner_agent, connect_partner_agent_as};
use super::run_with_mcp;
use crate::support::{Caller, OPEN, Request, check_with_correlation_id, with_member};

async fn find_tool(agent: &AgentClient, name: &str) -> rmcp::model::Tool {
    agent.list_tools().await.into_iter().find(|tool| tool.name == name).expect("the tool")
}

#[test]
fn the_operations_are_tools_with_schemas_and_annotations() {
    run_with_mcp(async |server| {
        let agent = connect_partner_agent(server).await;
        let adding = find_tool(&agent, "addChecks").await;
        let properties = &adding.input_schema["properties"];
        assert_eq!(adding.input_schema["required"], json!(["companyId", "body"]));
        assert!(properties.get("execute").is_some() && properties.get("dryrun").is_none());
        assert!(adding.input_schema["$defs"].get("CheckInput").is_some());
        assert_eq!(adding.annotations.expect("annotations").read_only_hint, Some(false));
        let listing = find_tool(&agent, "listCompanies").await;
        assert_eq!(listing.annotations.expect("annotations").read_only_hint, Some(true));
        let companies = agent.call("listCompanies", json!({})).await;
        assert!(companies.to_string().contains(OPEN), "{companies}");
    });
}

#[test]
fn only_tools_that_the_scopes_of_the_token_permit_are_listed() {
    run_with_mcp(async |server| {
        let agent = connect_partner_agent_as(server, Caller::WithoutTaxIds).await;
        let names: Vec<_> = agent.list_tools().await.into_iter().map(|tool| tool.name).collect();
        let listed = |name: &str| names.iter().any(|it| it == name);
        assert!(listed("listCompanies") && listed("explain_error"), "{names:?}");
        for name in ["addChecks", "listWorkers", "find_worker", "draft_checks", "why_was_hook_not_called"] {
            assert!(!listed(name), "{name}: {names:?}");
        }
        let add = json!({"companyId": OPEN, "body": [check_with_correlation_id("one")], "execute": true});
        assert_eq!(agent.call_error("addChecks", add).await["status"], 403, "the API still decides");
    });
}

#[test]
fn a_batch_is_drafted_corrected_and_added_once() {
    run_with_mcp(async |server| {
        let agent = connect_partner_agent(server).await;
        let faulty = json!([
            check_with_correlation_id("one"),
            with_member(check_with_correlation_id("two"), "workerId", json!("NOBODY"))
        ]);
        let draft = agent.call_error("draft_checks", json!({"companyId": OPEN, "checks": faulty})).await;
        let fault = &draft["errors"][0];
        assert_eq!((&fault["code"], &fault["pointer"]), (&json!("API-55"), &json!("/checks/1/workerId")));
        assert_eq!((&fault["check"], &fault["checkCorrelationId"]), (&json!(1), &json!("two")));
        assert!(fault["resolution"].is_string());

        let checks = json!([check_with_correlation_id("one"), check_with_correlation_id("two")]);
        let draft = agent.call("draft_checks", json!({"companyId": OPEN, "checks": checks})).await;
        assert_eq!((&draft["valid"], &draft["totals"]["checks"]), (&json!(true), &json!(2)));
        let dry = agent.call("addChecks", json!({"companyId": OPEN, "body": checks})).await;
        assert_eq!((&dry["dryRun"], server.count_stored_checks().await), (&json!(true), 0));

        let add = json!({"companyId": OPEN, "body": checks, "idempotencyKey": "k", "execute": true});
        let added = agent.call("addChecks", add.clone()).await;
        assert_eq!(added["status"], 201);
        assert_eq!((agent.call("addChecks", add).await, server.count_stored_checks().await), (added, 2));
    });
}

#[test]
fn an_operation_that_returns_a_secret_is_not_a_tool() {
    run_with_mcp(async |server| {
        let agent = connect_partner_agent(server).await;
        for name in ["registerHook", "rotateHookSecret", "createToken"] {
            assert!(agent.try_call(name, json!({})).await.is_err(), "{name}");
        }
    });
}

#[test]
fn a_write_without_a_dry_run_needs_execute() {
    run_with_mcp(async |server| {
        let agent = connect_partner_agent(server).await;
        let refused = agent.call_error("sendTestCall", json!({"hookId": "unsent"})).await;
        let text = refused["errors"][0]["description"].as_str().expect("a sentence");
        assert!(text.contains("execute: true") && text.contains("POST /management/hooks"), "{text}");
        assert_eq!(refused["sent"], false);
    });
}

#[test]
fn an_error_of_the_api_has_status_code_and_resolution() {
    run_with_mcp(async |server| {
        let agent = connect_partner_agent(server).await;
        let unknown = agent.call_error("getWorker", json!({"workerId": "NOBODY"})).await;
        assert_eq!((&unknown["status"], &unknown["errors"][0]["code"]), (&json!(404), &json!("API-7")));
        let explained = agent.call("explain_error", json!({"code": "API-7"})).await;
        assert_eq!(explained["reasons"][0]["resolution"], unknown["errors"][0]["resolution"]);
    });
}

#[test]
fn bad_arguments_are_reported_together_and_unknown_tools_are_rejected() {
    run_with_mcp(async |server| {
        let agent = connect_partner_agent(server).await;
        let faults = agent.call_error("listWorkers", json!({"companyid": OPEN, "limit": {}})).await;
        let pointers: Vec<&Value> =
            faults["errors"].as_array().expect("errors").iter().map(|fault| &fault["pointer"]).collect();
        assert_eq!(pointers, ["/companyid", "/companyId", "/limit"]);
        let refused = agent.try_call("dropDatabase", json!({})).await.expect_err("no such tool");
        assert!(refused.to_string().contains("there is no tool dropDatabase"), "{refused}");
    });
}

#[test]
fn workers_are_found_by_parts_of_their_name() {
    run_with_mcp(async |server| {
        let agent = connect_partner_agent(server).await;
        let listed = server.send(&Request::get(format!("/companies/{OPEN}/workers"))).await;
        let worker = listed.content().into_iter().find(|it| it["workerId"] == "EMPLOYEE").expect("a worker");
        let name = worker["name"]["familyName"].as_str().expect("a name").to_lowercase();
        let found = agent.call("find_worker", json!({"companyId": OPEN, "name": name})).await;
        assert!(found["workers"].to_string().contains("EMPLOYEE"), "{found}");
        let nobody = agent.call("find_worker", json!({"companyId": OPEN, "name": "Zzyzx"})).await;
        assert_eq!(nobody["workers"], json!([]));
    });
}

#[test]
fn the_documentation_is_readable_and_the_prompt_leads_through_a_pay_run() {
    run_with_mcp(async |server| {
        let agent = connect_partner_agent(server).await;
        let resources = agent.0.list_all_resources().await.expect("resources");
        assert!(resources.iter().any(|it| it.uri == "payroll://docs/errors.md"), "{resources:?}");
        let read = |uri: &str| agent.0.read_resource(rmcp::model::ReadResourceRequestParams::new(uri));
        let page = read("payroll://docs/errors.md").await.expect("a page");
        assert!(serde_json::to_string(&page).expect("JSON").contains("API-48"));
        assert!(read("payroll://schemas/CheckInput").await.is_ok());
        assert!(read("payroll://companies").await.is_err());
        let arguments = json!({"companyId": OPEN}).as_object().expect("an object").clone();
        let prompt = rmcp::model::GetPromptRequestParams::new("pay_run").with_arguments(arguments);
        let prompt = agent.0.get_prompt(prompt).await.expect("a prompt");
        assert!(serde_json::to_string(&prompt).expect("JSON").contains("draft_checks"));
    });
}
