//! The first steps: operators' keys, applications with secrets, companies, grants, a token, and a hook.

use serde_json::json;

use super::requests::{
    BAKERY_ID, CLOCK_APPLICATION, COMPANY_IDS, FARM_ID, GARAGE_ID, HOOK_ID, HOTEL_ID, INN_ID,
    OTHER_APPLICATION, company_path, delete_request, get, operator_post, operator_post_without_body,
    partner_delete, partner_get, partner_post, partner_post_document, patch_request, put_request,
};
use super::runner::{Scenario, only_element, with_authorization};
use crate::support::receiver::RECEIVER_HOSTS;
use crate::support::{COMPANY_SCOPES, Caller, Request, Response};

/// Reads the health report of the server and creates operators' keys.
pub(super) async fn create_operator_keys(scenario: &mut Scenario<'_>) {
    scenario.send_expecting(200, get("/health")).await;
    scenario.send_expecting(200, get("/diagnosis")).await;
    let lead = scenario.send_expecting(201, operator_post("/keys", &json!({"name": "walk lead"}))).await;
    scenario.authorization = format!("Bearer {}", text_member(&only_element(&lead), "value"));
    let reader = scenario
        .send_expecting(201, operator_post("/keys", &json!({"name": "walk reader", "readOnly": true})))
        .await;
    let reader = only_element(&reader);
    scenario.send_expecting(409, operator_post("/keys", &json!({"name": "walk lead"}))).await;
    scenario.send_expecting(200, get("/keys")).await;
    let path = format!("/keys/{}", text_member(&reader, "keyId"));
    scenario.send_expecting(200, get(&path)).await;
    let value = format!("Bearer {}", text_member(&reader, "value"));
    scenario.send_expecting(200, with_authorization(&value, get("/companies"))).await;
    scenario
        .send_expecting(
            403,
            with_authorization(&value, operator_post("/keys", &json!({"name": "walk third"}))),
        )
        .await;
    scenario.send_expecting(204, delete_request(&path).without_header("if-match")).await;
    scenario.send_expecting(401, with_authorization(&value, get("/companies"))).await;
}

fn text_member(value: &serde_json::Value, member: &str) -> String {
    value[member].as_str().unwrap_or_else(|| panic!("{member} in {value}")).to_owned()
}

/// Creates two applications. Returns the form with which the first one requests a token.
pub(super) async fn create_applications(scenario: &mut Scenario<'_>) -> String {
    let both = json!(["read:webhooks", "write:webhooks"]);
    let whole = json!({"applicationId": CLOCK_APPLICATION, "name": "Walk clock", "webhookScopes": both});
    let created = scenario.send_expecting(201, operator_post("/applications", &whole)).await;
    let first = text_member(&only_element(&created)["secrets"][0], "secretId");
    let client_id = text_member(&only_element(&created), "clientId");
    scenario
        .send_expecting(
            201,
            operator_post(
                "/applications",
                &json!({"applicationId": OTHER_APPLICATION, "name": "Walk other"}),
            ),
        )
        .await;
    scenario.send_expecting(409, operator_post("/applications", &json!({"name": "Walk other"}))).await;
    scenario.send_expecting(200, get("/applications")).await;
    let path = format!("/applications/{CLOCK_APPLICATION}");
    let shown = scenario.send_expecting(200, get(&path)).await;
    let tag = shown.header("etag").to_owned();
    let limit = json!({"rateLimitPerMinute": 100_000});
    let changed = scenario.send_expecting(200, patch_request(&path, &limit).if_match(&tag)).await;
    scenario.send_expecting(412, patch_request(&path, &limit).if_match(&tag)).await;
    scenario.send_expecting(428, patch_request(&path, &limit).without_header("if-match")).await;
    scenario.send_expecting(200, put_request(&path, &only_element(&changed))).await;
    let secrets = format!("{path}/secrets");
    let second = only_element(&scenario.send_expecting(201, operator_post_without_body(&secrets)).await);
    scenario.send_expecting(200, get(&secrets)).await;
    scenario.send_expecting(200, get(&format!("{secrets}/{first}"))).await;
    scenario
        .send_expecting(204, delete_request(&format!("{secrets}/{first}")).without_header("if-match"))
        .await;
    scenario.send_expecting(404, get(&format!("{secrets}/{first}"))).await;
    let secret = text_member(&second, "value");
    format!("grant_type=client_credentials&client_id={client_id}&client_secret={secret}")
}

pub(super) async fn create_companies(scenario: &mut Scenario<'_>) {
    let products = json!([{"productCode": "PAYROLL", "startDate": "2020-01-01"}]);
    let company = |id: &str, number: &str| {
        json!({"companyId": id, "displayId": number, "legalName": format!("{id} LLC"), "products": products,
            "legalId": {"legalIdType": "FEIN", "legalIdValue": "000000077"}})
    };
    let bakery = company(BAKERY_ID, "00770001");
    scenario.send_expecting(201, operator_post("/companies", &bakery)).await;
    scenario.send_expecting(409, operator_post("/companies", &bakery)).await;
    let mut garage = company(GARAGE_ID, "00770002");
    garage["parentCompanyId"] = json!(BAKERY_ID);
    scenario.send_expecting(201, operator_post("/companies", &garage)).await;
    scenario.send_expecting(201, operator_post("/companies", &company(HOTEL_ID, "00770003"))).await;
    scenario.send_expecting(200, get("/companies?name=walk-")).await;
    scenario.send_expecting(200, get("/companies?state=ACTIVE&limit=3")).await;
    let path = format!("/companies/{BAKERY_ID}");
    let shown = scenario.send_expecting(200, get(&path)).await;
    let tag = shown.header("etag").to_owned();
    let renamed = json!({"legalName": "Walk Bakery LLC"});
    let changed = scenario.send_expecting(200, patch_request(&path, &renamed).if_match(&tag)).await;
    scenario.expect_event(&format!("CLT_DEM UPDATE {BAKERY_ID}"));
    scenario.send_expecting(412, patch_request(&path, &renamed).if_match(&tag)).await;
    let mut again = only_element(&changed);
    again["wagesExpenseAccount"] = json!("6000");
    again["products"][0]["endDate"] = json!("2099-12-31");
    scenario.send_expecting(200, put_request(&path, &again)).await;
    scenario.expect_event(&format!("CLT_PROD UPDATE {BAKERY_ID}"));
    scenario.send_expecting(200, operator_post_without_body(&format!("{path}/reveal-taxid"))).await;
    let lock = format!("{path}/lock");
    scenario.send_expecting(404, get(&lock)).await;
    let reason = Request::operator(reqwest::Method::PUT, &lock).json(&json!({"reason": "year end"}));
    scenario.send_expecting(200, reason.clone()).await;
    scenario.send_expecting(409, reason).await;
    scenario.send_expecting(200, get(&lock)).await;
    let late = json!({"workerType": "EMPLOYEE", "name": {"familyName": "A", "givenName": "B"}});
    scenario.send_as_second_operator(423, operator_post(&company_path(BAKERY_ID, "workers"), &late)).await;
    scenario.send_expecting(204, delete_request(&lock).without_header("if-match")).await;
}

/// Creates complete companies with an import.
pub(super) async fn import_companies(scenario: &mut Scenario<'_>) {
    let line = |id: &str, number: &str, worker: &str| {
        json!({"companyId": id, "displayId": number, "legalName": format!("{id} LLC"),
            "products": [{"productCode": "PAYROLL", "startDate": "2020-01-01"}],
            "organizations": [{"organizationId": "FIELD", "name": "Field"}],
            "payComponents": [{"componentId": "HOURLY", "name": "Hourly", "classificationType": "REGULAR",
                "effectOnPay": "ADDITION"}],
            "payPeriods": [{"payPeriodId": "MARCH", "intervalCode": "MONTHLY", "status": "INITIAL",
                "startDate": "2026-03-01", "endDate": "2026-03-31", "checkDate": "2026-04-02"}],
            "workers": [{"workerId": worker, "workerType": "EMPLOYEE",
                "name": {"familyName": "Field", "givenName": worker},
                "payRates": [{"rateId": "R1", "rateNumber": "RATE_1", "rateType": "HOURLY_RATE",
                    "amount": "18.50", "default": true, "startDate": "2024-01-01"}]}]})
    };
    let lines =
        format!("{}\n{}\n", line(FARM_ID, "00770004", "WALK-FAY"), line(INN_ID, "00770005", "WALK-IDA"));
    let import = |query: &str| import_request(query, &lines);
    assert_eq!(
        import_results(&scenario.send_expecting(200, import("?dryrun=true")).await),
        ["valid", "valid"]
    );
    assert_eq!(import_results(&scenario.send_expecting(200, import("")).await), ["stored", "stored"]);
    for (company, worker) in [(FARM_ID, "WALK-FAY"), (INN_ID, "WALK-IDA")] {
        scenario.expect_event(&format!("CLT_ORG ADD {company}"));
        scenario.expect_event(&format!("WRKR_ADD ADD {company} {worker}"));
    }
    let again = scenario.send_expecting(200, import("")).await;
    assert!(again.text().contains("\"unchanged\""), "{again:?}");
}

/// Tries to use ids of workers and checks that belong to another company. On a cluster, the two companies may
/// be on different nodes.
pub(super) async fn try_foreign_ids(scenario: &mut Scenario<'_>) {
    let paid = |company: &str, number: &str, worker: &str| {
        json!({"companyId": company, "displayId": number, "legalName": format!("{company} LLC"),
            "payPeriods": [{"payPeriodId": "LAST-YEAR", "intervalCode": "MONTHLY", "status": "COMPLETED",
                "startDate": "2025-12-01", "endDate": "2025-12-31", "checkDate": "2026-01-02",
                "checks": [{"paycheckId": "WALK-PAID", "workerId": worker, "netPay": "1.00",
                    "grossEarnings": "1.00"}]}]})
    };
    let lines = [paid(FARM_ID, "00770004", "WALK-FAY"), paid(INN_ID, "00770005", "WALK-IDA")];
    let lines = lines.map(|line| format!("{line}\n")).concat();
    assert_eq!(
        import_results(&scenario.send_expecting(200, import_request("", &lines)).await),
        ["stored", "refused"]
    );
    let worker = json!([{"workerId": "WALK-FAY", "workerType": "EMPLOYEE",
        "name": {"familyName": "Field", "givenName": "Fay"}}]);
    let line = json!({"companyId": INN_ID, "displayId": "00770005", "legalName": format!("{INN_ID} LLC"),
        "workers": worker});
    assert_eq!(
        import_results(&scenario.send_expecting(200, import_request("", &line.to_string())).await),
        ["refused"]
    );
}

fn import_request(query: &str, lines: &str) -> Request {
    let request = Request::operator(reqwest::Method::POST, &format!("/import{query}"));
    request.header("content-type", "application/x-ndjson").body(lines)
}

fn import_results(response: &Response) -> Vec<String> {
    let lines = response.text();
    let lines = lines.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    lines.map(|line: serde_json::Value| text_member(&line, "result")).collect()
}

/// Grants scopes to the first application and requests its token.
pub(super) async fn grant_scopes(scenario: &mut Scenario<'_>, form: &str) {
    let all = json!({"scopes": COMPANY_SCOPES});
    let path = |application: &str, company: &str| format!("/applications/{application}/grants/{company}");
    for company in COMPANY_IDS.into_iter().filter(|company| *company != HOTEL_ID) {
        let grant = put_request(&path(CLOCK_APPLICATION, company), &all).without_header("if-match");
        scenario.send_expecting(201, grant).await;
        scenario.expect_event(&format!("CLT_ACCESS ADD {company} {CLOCK_APPLICATION}"));
    }
    let few = json!({"scopes": ["read:payroll"]});
    scenario
        .send_expecting(201, put_request(&path(OTHER_APPLICATION, FARM_ID), &few).without_header("if-match"))
        .await;
    scenario.expect_event(&format!("CLT_ACCESS ADD {FARM_ID} {OTHER_APPLICATION}"));
    let shown = scenario.send_expecting(200, get(&path(OTHER_APPLICATION, FARM_ID))).await;
    scenario
        .send_expecting(428, put_request(&path(OTHER_APPLICATION, FARM_ID), &all).without_header("if-match"))
        .await;
    scenario
        .send_expecting(
            200,
            put_request(&path(OTHER_APPLICATION, FARM_ID), &all).if_match(shown.header("etag")),
        )
        .await;
    scenario.expect_event(&format!("CLT_ACCESS UPDATE {FARM_ID} {OTHER_APPLICATION}"));
    let grants =
        scenario.send_expecting(200, get(&format!("/applications/{CLOCK_APPLICATION}/grants"))).await;
    assert_eq!(grants.content().len(), COMPANY_IDS.len() - 1);
    scenario.send_expecting(401, partner_get("/companies").with_caller(Caller::Anonymous)).await;
    scenario.send_expecting(401, Request::token(&format!("{form}x"))).await;
    let token = scenario.send_expecting(200, Request::token(form)).await;
    scenario.token = format!("Bearer {}", text_member(&token.json(), "access_token"));
}

/// Registers the application's hook for all domains. Returns the number of events that occurred before the
/// registration.
pub(super) async fn register_hook(scenario: &mut Scenario<'_>) -> usize {
    let domains = scenario.send_expecting(200, partner_get("/management/domains")).await.json();
    scenario.send_expecting(200, partner_get("/management/sourceaddresses")).await;
    let uri = format!("http://{}/walk", RECEIVER_HOSTS[0]);
    let registration = json!({"hookId": HOOK_ID, "uri": uri, "domains": domains,
        "authentication": {"authType": "APIKEY", "apiKey": "a key of the walk"}});
    scenario.send_expecting(201, partner_post_document("/management/hooks", &registration)).await;
    scenario.send_expecting(409, partner_post_document("/management/hooks", &registration)).await;
    let spare = json!({"hookId": "walk-spare", "uri": uri, "domains": "CLT_PYRN", "companyId": GARAGE_ID,
        "authentication": {"authType": "APIKEY", "apiKey": "another key"}});
    scenario.send_expecting(201, partner_post_document("/management/hooks", &spare)).await;
    scenario.send_expecting(200, partner_get("/management/hooks")).await;
    let path = format!("/management/hooks/{HOOK_ID}");
    let shown = scenario.send_expecting(200, partner_get(&path)).await;
    let elsewhere = json!({"uri": format!("{uri}?more=1")});
    scenario
        .send_expecting(200, Request::patch(path.as_str(), &elsewhere).if_match(shown.header("etag")))
        .await;
    scenario.send_expecting(200, partner_post(&format!("{path}/rotate-secret"))).await;
    scenario.send_expecting(204, partner_delete("/management/hooks/walk-spare")).await;
    scenario.send_expecting(404, partner_get("/management/hooks/walk-spare")).await;
    scenario.read_feed().await;
    scenario.event_count()
}
