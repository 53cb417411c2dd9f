//! The first steps: operators' keys, applications with secrets, companies, grants, a token, and a hook.

use serde_json::json;

use super::requests::{
    BAKERY, CLOCK, COMPANIES, FARM, GARAGE, HOOK, HOTEL, INN, OTHER, action, add, change, company_path,
    delete, get, operator_post, partner_post, read, remove, replace,
};
use super::walker::{Walk, one, with_authorization};
use crate::support::receiver::HOSTS;
use crate::support::{COMPANY_SCOPES, Caller, Request, Response};

/// Reads the state of the server and creates operators' keys.
pub(super) async fn operators(walk: &mut Walk<'_>) {
    walk.step(200, get("/health")).await;
    walk.step(200, get("/diagnosis")).await;
    let lead = walk.step(201, operator_post("/keys", &json!({"name": "walk lead"}))).await;
    walk.authorization = format!("Bearer {}", text(&one(&lead), "value"));
    let reader =
        walk.step(201, operator_post("/keys", &json!({"name": "walk reader", "readOnly": true}))).await;
    let reader = one(&reader);
    walk.step(409, operator_post("/keys", &json!({"name": "walk lead"}))).await;
    walk.step(200, get("/keys")).await;
    let path = format!("/keys/{}", text(&reader, "keyId"));
    walk.step(200, get(&path)).await;
    let value = format!("Bearer {}", text(&reader, "value"));
    walk.step(200, with_authorization(&value, get("/companies"))).await;
    walk.step(403, with_authorization(&value, operator_post("/keys", &json!({"name": "walk third"})))).await;
    walk.step(204, delete(&path).without_header("if-match")).await;
    walk.step(401, with_authorization(&value, get("/companies"))).await;
}

fn text(value: &serde_json::Value, member: &str) -> String {
    value[member].as_str().unwrap_or_else(|| panic!("{member} in {value}")).to_owned()
}

/// Creates two applications. Returns the form with which the first one requests a token.
pub(super) async fn applications(walk: &mut Walk<'_>) -> String {
    let both = json!(["read:webhooks", "write:webhooks"]);
    let whole = json!({"applicationId": CLOCK, "name": "Walk clock", "webhookScopes": both});
    let created = walk.step(201, operator_post("/applications", &whole)).await;
    let first = text(&one(&created)["secrets"][0], "secretId");
    let client_id = text(&one(&created), "clientId");
    walk.step(201, operator_post("/applications", &json!({"applicationId": OTHER, "name": "Walk other"})))
        .await;
    walk.step(409, operator_post("/applications", &json!({"name": "Walk other"}))).await;
    walk.step(200, get("/applications")).await;
    let path = format!("/applications/{CLOCK}");
    let shown = walk.step(200, get(&path)).await;
    let tag = shown.header("etag").to_owned();
    let limit = json!({"rateLimitPerMinute": 100_000});
    let changed = walk.step(200, change(&path, &limit).if_match(&tag)).await;
    walk.step(412, change(&path, &limit).if_match(&tag)).await;
    walk.step(428, change(&path, &limit).without_header("if-match")).await;
    walk.step(200, replace(&path, &one(&changed))).await;
    let secrets = format!("{path}/secrets");
    let second = one(&walk.step(201, action(&secrets)).await);
    walk.step(200, get(&secrets)).await;
    walk.step(200, get(&format!("{secrets}/{first}"))).await;
    walk.step(204, delete(&format!("{secrets}/{first}")).without_header("if-match")).await;
    walk.step(404, get(&format!("{secrets}/{first}"))).await;
    let secret = text(&second, "value");
    format!("grant_type=client_credentials&client_id={client_id}&client_secret={secret}")
}

/// Creates companies one by one.
pub(super) async fn companies(walk: &mut Walk<'_>) {
    let products = json!([{"productCode": "PAYROLL", "startDate": "2020-01-01"}]);
    let company = |id: &str, number: &str| {
        json!({"companyId": id, "displayId": number, "legalName": format!("{id} LLC"), "products": products,
            "legalId": {"legalIdType": "FEIN", "legalIdValue": "000000077"}})
    };
    let bakery = company(BAKERY, "00770001");
    walk.step(201, operator_post("/companies", &bakery)).await;
    walk.step(409, operator_post("/companies", &bakery)).await;
    let mut garage = company(GARAGE, "00770002");
    garage["parentCompanyId"] = json!(BAKERY);
    walk.step(201, operator_post("/companies", &garage)).await;
    walk.step(201, operator_post("/companies", &company(HOTEL, "00770003"))).await;
    walk.step(200, get("/companies?name=walk-")).await;
    walk.step(200, get("/companies?state=ACTIVE&limit=3")).await;
    let path = format!("/companies/{BAKERY}");
    let shown = walk.step(200, get(&path)).await;
    let tag = shown.header("etag").to_owned();
    let renamed = json!({"legalName": "Walk Bakery LLC"});
    let changed = walk.step(200, change(&path, &renamed).if_match(&tag)).await;
    walk.expect_event(&format!("CLT_DEM UPDATE {BAKERY}"));
    walk.step(412, change(&path, &renamed).if_match(&tag)).await;
    let mut again = one(&changed);
    again["wagesExpenseAccount"] = json!("6000");
    again["products"][0]["endDate"] = json!("2099-12-31");
    walk.step(200, replace(&path, &again)).await;
    walk.expect_event(&format!("CLT_PROD UPDATE {BAKERY}"));
    walk.step(200, action(&format!("{path}/reveal-taxid"))).await;
    let lock = format!("{path}/lock");
    walk.step(404, get(&lock)).await;
    let reason = Request::operator(reqwest::Method::PUT, &lock).json(&json!({"reason": "year end"}));
    walk.step(200, reason.clone()).await;
    walk.step(409, reason).await;
    walk.step(200, get(&lock)).await;
    let late = json!({"workerType": "EMPLOYEE", "name": {"familyName": "A", "givenName": "B"}});
    walk.step_as_lead(423, operator_post(&company_path(BAKERY, "workers"), &late)).await;
    walk.step(204, delete(&lock).without_header("if-match")).await;
}

/// Creates complete companies with an import.
pub(super) async fn imports(walk: &mut Walk<'_>) {
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
    let lines = format!("{}\n{}\n", line(FARM, "00770004", "WALK-FAY"), line(INN, "00770005", "WALK-IDA"));
    let import = |query: &str| import(query, &lines);
    assert_eq!(results(&walk.step(200, import("?dryrun=true")).await), ["valid", "valid"]);
    assert_eq!(results(&walk.step(200, import("")).await), ["stored", "stored"]);
    for (company, worker) in [(FARM, "WALK-FAY"), (INN, "WALK-IDA")] {
        walk.expect_event(&format!("CLT_ORG ADD {company}"));
        walk.expect_event(&format!("WRKR_ADD ADD {company} {worker}"));
    }
    let again = walk.step(200, import("")).await;
    assert!(again.text().contains("\"unchanged\""), "{again:?}");
}

/// Tries to use ids of workers and checks of another company, whatever its node.
pub(super) async fn try_foreign_ids(walk: &mut Walk<'_>) {
    let paid = |company: &str, number: &str, worker: &str| {
        json!({"companyId": company, "displayId": number, "legalName": format!("{company} LLC"),
            "payPeriods": [{"payPeriodId": "LAST-YEAR", "intervalCode": "MONTHLY", "status": "COMPLETED",
                "startDate": "2025-12-01", "endDate": "2025-12-31", "checkDate": "2026-01-02",
                "checks": [{"paycheckId": "WALK-PAID", "workerId": worker, "netPay": "1.00",
                    "grossEarnings": "1.00"}]}]})
    };
    let lines = [paid(FARM, "00770004", "WALK-FAY"), paid(INN, "00770005", "WALK-IDA")];
    let lines = lines.map(|line| format!("{line}\n")).concat();
    assert_eq!(results(&walk.step(200, import("", &lines)).await), ["stored", "refused"]);
    let worker = json!([{"workerId": "WALK-FAY", "workerType": "EMPLOYEE",
        "name": {"familyName": "Field", "givenName": "Fay"}}]);
    let line = json!({"companyId": INN, "displayId": "00770005", "legalName": format!("{INN} LLC"),
        "workers": worker});
    assert_eq!(results(&walk.step(200, import("", &line.to_string())).await), ["refused"]);
}

fn import(query: &str, lines: &str) -> Request {
    let request = Request::operator(reqwest::Method::POST, &format!("/import{query}"));
    request.header("content-type", "application/x-ndjson").body(lines)
}

fn results(response: &Response) -> Vec<String> {
    let lines = response.text();
    let lines = lines.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    lines.map(|line: serde_json::Value| text(&line, "result")).collect()
}

/// Grants scopes to the first application and requests its token.
pub(super) async fn grants(walk: &mut Walk<'_>, form: &str) {
    let all = json!({"scopes": COMPANY_SCOPES});
    let path = |application: &str, company: &str| format!("/applications/{application}/grants/{company}");
    for company in COMPANIES.into_iter().filter(|company| *company != HOTEL) {
        let grant = replace(&path(CLOCK, company), &all).without_header("if-match");
        walk.step(201, grant).await;
        walk.expect_event(&format!("CLT_ACCESS ADD {company} {CLOCK}"));
    }
    let few = json!({"scopes": ["read:payroll"]});
    walk.step(201, replace(&path(OTHER, FARM), &few).without_header("if-match")).await;
    walk.expect_event(&format!("CLT_ACCESS ADD {FARM} {OTHER}"));
    let shown = walk.step(200, get(&path(OTHER, FARM))).await;
    walk.step(428, replace(&path(OTHER, FARM), &all).without_header("if-match")).await;
    walk.step(200, replace(&path(OTHER, FARM), &all).if_match(shown.header("etag"))).await;
    walk.expect_event(&format!("CLT_ACCESS UPDATE {FARM} {OTHER}"));
    let grants = walk.step(200, get(&format!("/applications/{CLOCK}/grants"))).await;
    assert_eq!(grants.content().len(), COMPANIES.len() - 1);
    walk.step(401, read("/companies").with_caller(Caller::Anonymous)).await;
    walk.step(401, Request::token(&format!("{form}x"))).await;
    let token = walk.step(200, Request::token(form)).await;
    walk.token = format!("Bearer {}", text(&token.json(), "access_token"));
}

/// Registers the application's hook for all domains. Returns the number of events that occurred before.
pub(super) async fn hook(walk: &mut Walk<'_>) -> usize {
    let domains = walk.step(200, read("/management/domains")).await.json();
    walk.step(200, read("/management/sourceaddresses")).await;
    let uri = format!("http://{}/walk", HOSTS[0]);
    let registration = json!({"hookId": HOOK, "uri": uri, "domains": domains,
        "authentication": {"authType": "APIKEY", "apiKey": "a key of the walk"}});
    walk.step(201, add("/management/hooks", &registration)).await;
    walk.step(409, add("/management/hooks", &registration)).await;
    let spare = json!({"hookId": "walk-spare", "uri": uri, "domains": "CLT_PYRN", "companyId": GARAGE,
        "authentication": {"authType": "APIKEY", "apiKey": "another key"}});
    walk.step(201, add("/management/hooks", &spare)).await;
    walk.step(200, read("/management/hooks")).await;
    let path = format!("/management/hooks/{HOOK}");
    let shown = walk.step(200, read(&path)).await;
    let elsewhere = json!({"uri": format!("{uri}?more=1")});
    walk.step(200, Request::patch(path.as_str(), &elsewhere).if_match(shown.header("etag"))).await;
    walk.step(200, partner_post(&format!("{path}/rotate-secret"))).await;
    walk.step(204, remove("/management/hooks/walk-spare")).await;
    walk.step(404, read("/management/hooks/walk-spare")).await;
    walk.read_feed().await;
    walk.event_count()
}
