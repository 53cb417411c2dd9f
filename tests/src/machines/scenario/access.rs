//! Steps with access requests, browser sessions, hooks in both APIs, and the logs.

use serde_json::json;

use super::lists::{ADA, JANUARY};
use super::requests::{
    BAKERY_ID, CLOCK_APPLICATION, COMPANY_IDS, FARM_ID, HOOK_ID, HOTEL_ID, OTHER_APPLICATION, company_path,
    delete_request, get, operator_post, operator_post_without_body, partner_get, partner_post,
    partner_post_document, patch_request,
};
use super::runner::{Scenario, only_element};
use crate::support::{Caller, Request, Response};

/// Requests access twice as the application. An operator approves some scopes of the first request, and
/// rejects the second request.
pub(super) async fn request_access(scenario: &mut Scenario<'_>, form: &str) {
    const REQUEST_ACCESS_PATH: &str = "/management/requestclientaccess";
    let end = |response: &Response| {
        let link = response.json()["approvalLink"].as_str().expect("a link").to_owned();
        link.rsplit('/').next().expect("an end").to_owned()
    };
    scenario.send_expecting(403, partner_get(&company_path(HOTEL_ID, "payperiods"))).await;
    scenario
        .send_expecting(404, partner_post_document(REQUEST_ACCESS_PATH, &json!({"displayId": "00779999"})))
        .await;
    let document = json!({"displayId": "00770003", "scopes": "read:companies read:payroll"});
    let first =
        end(&scenario.send_expecting(201, partner_post_document(REQUEST_ACCESS_PATH, &document)).await);
    assert_eq!(scenario.send_expecting(200, get("/accessrequests")).await.members("companyId"), [HOTEL_ID]);
    scenario.send_expecting(200, get(&format!("/accessrequests/{first}"))).await;
    let less = json!({"scopes": ["read:payroll"]});
    scenario.send_expecting(200, operator_post(&format!("/accessrequests/{first}/approve"), &less)).await;
    scenario.expect_event(&format!("CLT_ACCESS ADD {HOTEL_ID} {CLOCK_APPLICATION}"));
    scenario.send_expecting(404, operator_post(&format!("/accessrequests/{first}/approve"), &less)).await;
    let second =
        end(&scenario.send_expecting(201, partner_post_document(REQUEST_ACCESS_PATH, &document)).await);
    scenario
        .send_expecting(200, operator_post_without_body(&format!("/accessrequests/{second}/refuse")))
        .await;
    assert_eq!(scenario.send_expecting(200, get("/accessrequests")).await.content().len(), 0);
    let token = scenario.send_expecting(200, Request::token(form)).await.json();
    scenario.token = format!("Bearer {}", token["access_token"].as_str().expect("a token"));
    scenario.send_expecting(200, partner_get(&company_path(HOTEL_ID, "payperiods"))).await;
    scenario.send_expecting(403, partner_get(&format!("/companies/{HOTEL_ID}"))).await;
}

/// Creates two browser sessions, uses them, and signs out.
pub(super) async fn run_session_steps(scenario: &mut Scenario<'_>) {
    let cookie = |response: &Response| {
        let cookie = response.header("set-cookie").split(';').next();
        cookie.expect("a cookie").to_owned()
    };
    let signed_in = scenario.send_expecting(201, operator_post_without_body("/sessions")).await;
    let (own, csrf) =
        (cookie(&signed_in), only_element(&signed_in)["csrfToken"].as_str().expect("a token").to_owned());
    let browser = |request: Request| request.with_caller(Caller::Anonymous).header("cookie", own.as_str());
    scenario.send_expecting(200, browser(get("/sessions/current"))).await;
    let masked =
        scenario.send_expecting(200, browser(get(&company_path(BAKERY_ID, &format!("workers/{ADA}"))))).await;
    assert!(masked.text().contains("*****7701"), "{masked:?}");
    let path = format!("/companies/{HOTEL_ID}");
    let converting = patch_request(&path, &json!({"converting": true}));
    scenario.send_expecting(403, browser(converting.clone())).await;
    scenario.send_expecting(200, browser(converting).header("x-csrf-token", csrf.as_str())).await;
    scenario.send_expecting(200, patch_request(&path, &json!({"converting": false}))).await;
    let other = scenario.send_as_second_operator(201, operator_post_without_body("/sessions")).await;
    scenario.send_expecting(200, get("/sessions")).await;
    let id = only_element(&other)["sessionId"].as_str().expect("an id").to_owned();
    scenario.send_expecting(200, get(&format!("/sessions/{id}"))).await;
    scenario.send_expecting(204, delete_request(&format!("/sessions/{id}")).without_header("if-match")).await;
    let ended = get("/sessions/current").with_caller(Caller::Anonymous).header("cookie", cookie(&other));
    scenario.send_expecting(401, ended).await;
    let sign_out = delete_request("/sessions/current").without_header("if-match");
    scenario.send_expecting(204, browser(sign_out).header("x-csrf-token", csrf.as_str())).await;
}

/// Runs the steps in which the application uses its hook.
pub(super) async fn run_hook_steps_as_partner(scenario: &mut Scenario<'_>) {
    let path = |what: &str| format!("/management/hooks/{HOOK_ID}{what}");
    scenario.wait_until_shown(partner_get(&path("/deliveries?state=DELIVERED"))).await;
    let listed = scenario.send_expecting(200, partner_get(&path("/deliveries?limit=5"))).await;
    let id = listed.members("deliveryId").remove(0);
    scenario.send_expecting(200, partner_get(&path("/deliveries?domain=CLT_PYRN"))).await;
    scenario.send_expecting(200, partner_get(&path(&format!("/deliveries/{id}")))).await;
    scenario.send_expecting(202, partner_post(&path(&format!("/deliveries/{id}/replay")))).await;
    scenario.send_expecting(400, partner_post_document(&path("/replay"), &json!({}))).await;
    scenario.send_expecting(202, partner_post_document(&path("/replay"), &json!({"failed": true}))).await;
    scenario.send_expecting(202, partner_post(&path("/test"))).await;
    scenario.send_expecting(200, partner_post(&path("/enable"))).await;
}

/// Runs the steps in which an operator reads, disables and enables the hook.
pub(super) async fn run_hook_steps_as_operator(scenario: &mut Scenario<'_>) {
    let path = |what: &str| format!("/applications/{CLOCK_APPLICATION}/hooks/{HOOK_ID}{what}");
    assert_eq!(
        scenario
            .send_expecting(200, get(&format!("/hooks?applicationid={CLOCK_APPLICATION}")))
            .await
            .members("hookId"),
        [HOOK_ID]
    );
    scenario.send_expecting(200, get("/hooks/summary")).await;
    let shown = only_element(&scenario.send_expecting(200, get(&path(""))).await);
    assert!(!shown["uri"].as_str().expect("an address").contains('?'), "{shown}");
    scenario.send_expecting(200, operator_post_without_body(&path("/disable"))).await;
    let ada = company_path(BAKERY_ID, &format!("workers/{ADA}"));
    scenario.send_expecting(200, patch_request(&ada, &json!({"clockId": "1"}))).await;
    scenario.expect_event(&format!("WRKR_EMPL UPDATE {BAKERY_ID} {ADA}"));
    scenario.wait_until_shown(get(&path("/deliveries?state=WAITING"))).await;
    let listed = scenario.send_expecting(200, get(&path("/deliveries"))).await;
    let id = listed.members("deliveryId").remove(0);
    scenario.send_expecting(200, get(&path(&format!("/deliveries/{id}")))).await;
    let enabled = scenario.send_expecting(200, operator_post_without_body(&path("/enable"))).await;
    assert_eq!(only_element(&enabled)["active"], true);
    scenario
        .send_expecting(202, operator_post_without_body(&path(&format!("/deliveries/{id}/replay"))))
        .await;
    scenario.send_expecting(202, operator_post(&path("/replay"), &json!({"from": "2020-01-01"}))).await;
    scenario.send_expecting(202, operator_post_without_body(&path("/test"))).await;
}

/// Reads the audit log, the feeds and the request log, and searches.
pub(super) async fn read_logs_and_searches(scenario: &mut Scenario<'_>) {
    let found = [
        ("WALK-ADA", "worker"),
        ("ada%20walk", "worker"),
        ("walk-farm", "company"),
        ("walk%20clock", "application"),
    ];
    for (looked_for, kind) in found {
        let hits = scenario.send_expecting(200, get(&format!("/search?q={looked_for}"))).await;
        assert!(hits.members("kind").contains(&kind.to_owned()), "{looked_for}: {hits:?}");
    }
    for company in COMPANY_IDS {
        let export = scenario.send_expecting(200, get(&format!("/export?companyid={company}"))).await;
        assert!(export.text().contains(company), "{export:?}");
    }
    let audit_log = scenario
        .send_expecting(
            200,
            get(&format!("/audit?companyid={BAKERY_ID}&resourceid={JANUARY}&kind=payPeriod")),
        )
        .await;
    let names: Vec<String> = audit_log.content().iter().map(|row| row["actor"]["name"].to_string()).collect();
    assert!(names.contains(&"\"walk lead\"".to_owned()), "{names:?}");
    let page = scenario.send_expecting(200, get("/audit?limit=10")).await;
    let next = page.link("next").expect("older rows");
    let (_, query) = next.split_once("/operator/v1").expect("an address of the operator API");
    assert_eq!(scenario.send_expecting(200, get(query)).await.content().len(), 10);
    scenario.send_expecting(200, partner_get("/management/events?limit=3")).await;
    scenario
        .send_expecting(200, partner_get(&format!("/management/events?companyid={FARM_ID}&domain=CLT_PYRN")))
        .await;
    scenario.send_expecting(400, partner_get("/management/events?after=no.cursor")).await;
    scenario.send_expecting(200, get(&format!("/events?companyid={BAKERY_ID}&limit=3"))).await;
    scenario.wait_until_shown(partner_get("/management/requests")).await;
    scenario.send_expecting(200, partner_get("/management/requests?limit=3")).await;
    let failed = scenario
        .send_expecting(200, get(&format!("/applications/{CLOCK_APPLICATION}/requests?status=4xx")))
        .await
        .content();
    let failed = failed.iter().find(|request| request["status"] == 404).expect("a request with details");
    let id = failed["requestId"].as_str().expect("its id");
    scenario.send_expecting(200, get(&format!("/applications/{CLOCK_APPLICATION}/requests/{id}"))).await;
    scenario.send_expecting(200, partner_get(&format!("/management/requests/{id}"))).await;
    scenario.send_expecting(200, get(&format!("/applications/{OTHER_APPLICATION}/requests"))).await;
}
