//! Steps with access requests, browser sessions, hooks on both sides, and the logs.

use serde_json::json;

use super::lists::{ADA, JANUARY};
use super::requests::{
    BAKERY, CLOCK, COMPANIES, FARM, HOOK, HOTEL, OTHER, action, add, change, company_path, delete, get,
    operator_post, partner_post, read,
};
use super::walker::{Walk, one};
use crate::support::{Caller, Request, Response};

/// Requests access as the application twice. A part of the first request is approved, and the second request
/// is rejected.
pub(super) async fn requests(walk: &mut Walk<'_>, form: &str) {
    const ASK: &str = "/management/requestclientaccess";
    let end = |response: &Response| {
        let link = response.json()["approvalLink"].as_str().expect("a link").to_owned();
        link.rsplit('/').next().expect("an end").to_owned()
    };
    walk.step(403, read(&company_path(HOTEL, "payperiods"))).await;
    walk.step(404, add(ASK, &json!({"displayId": "00779999"}))).await;
    let wanted = json!({"displayId": "00770003", "scopes": "read:companies read:payroll"});
    let first = end(&walk.step(201, add(ASK, &wanted)).await);
    assert_eq!(walk.step(200, get("/accessrequests")).await.members("companyId"), [HOTEL]);
    walk.step(200, get(&format!("/accessrequests/{first}"))).await;
    let less = json!({"scopes": ["read:payroll"]});
    walk.step(200, operator_post(&format!("/accessrequests/{first}/approve"), &less)).await;
    walk.expect_event(&format!("CLT_ACCESS ADD {HOTEL} {CLOCK}"));
    walk.step(404, operator_post(&format!("/accessrequests/{first}/approve"), &less)).await;
    let second = end(&walk.step(201, add(ASK, &wanted)).await);
    walk.step(200, action(&format!("/accessrequests/{second}/refuse"))).await;
    assert_eq!(walk.step(200, get("/accessrequests")).await.content().len(), 0);
    let token = walk.step(200, Request::token(form)).await.json();
    walk.token = format!("Bearer {}", token["access_token"].as_str().expect("a token"));
    walk.step(200, read(&company_path(HOTEL, "payperiods"))).await;
    walk.step(403, read(&format!("/companies/{HOTEL}"))).await;
}

/// Signs in twice as a browser, and signs out.
pub(super) async fn sessions(walk: &mut Walk<'_>) {
    let cookie = |response: &Response| {
        let cookie = response.header("set-cookie").split(';').next();
        cookie.expect("a cookie").to_owned()
    };
    let signed_in = walk.step(201, action("/sessions")).await;
    let (own, csrf) =
        (cookie(&signed_in), one(&signed_in)["csrfToken"].as_str().expect("a token").to_owned());
    let browser = |request: Request| request.with_caller(Caller::Anonymous).header("cookie", own.as_str());
    walk.step(200, browser(get("/sessions/current"))).await;
    let masked = walk.step(200, browser(get(&company_path(BAKERY, &format!("workers/{ADA}"))))).await;
    assert!(masked.text().contains("*****7701"), "{masked:?}");
    let path = format!("/companies/{HOTEL}");
    let converting = change(&path, &json!({"converting": true}));
    walk.step(403, browser(converting.clone())).await;
    walk.step(200, browser(converting).header("x-csrf-token", csrf.as_str())).await;
    walk.step(200, change(&path, &json!({"converting": false}))).await;
    let other = walk.step_as_lead(201, action("/sessions")).await;
    walk.step(200, get("/sessions")).await;
    let id = one(&other)["sessionId"].as_str().expect("an id").to_owned();
    walk.step(200, get(&format!("/sessions/{id}"))).await;
    walk.step(204, delete(&format!("/sessions/{id}")).without_header("if-match")).await;
    let ended = get("/sessions/current").with_caller(Caller::Anonymous).header("cookie", cookie(&other));
    walk.step(401, ended).await;
    let sign_out = delete("/sessions/current").without_header("if-match");
    walk.step(204, browser(sign_out).header("x-csrf-token", csrf.as_str())).await;
}

/// Runs the steps with the hook as its application.
pub(super) async fn own_hook(walk: &mut Walk<'_>) {
    let path = |what: &str| format!("/management/hooks/{HOOK}{what}");
    walk.until_shown(read(&path("/deliveries?state=DELIVERED"))).await;
    let listed = walk.step(200, read(&path("/deliveries?limit=5"))).await;
    let id = listed.members("deliveryId").remove(0);
    walk.step(200, read(&path("/deliveries?domain=CLT_PYRN"))).await;
    walk.step(200, read(&path(&format!("/deliveries/{id}")))).await;
    walk.step(202, partner_post(&path(&format!("/deliveries/{id}/replay")))).await;
    walk.step(400, add(&path("/replay"), &json!({}))).await;
    walk.step(202, add(&path("/replay"), &json!({"failed": true}))).await;
    walk.step(202, partner_post(&path("/test"))).await;
    walk.step(200, partner_post(&path("/enable"))).await;
}

/// Runs the steps with the hook as an operator, who disables it for a while.
pub(super) async fn hook_of_an_application(walk: &mut Walk<'_>) {
    let path = |what: &str| format!("/applications/{CLOCK}/hooks/{HOOK}{what}");
    assert_eq!(walk.step(200, get(&format!("/hooks?applicationid={CLOCK}"))).await.members("hookId"), [HOOK]);
    walk.step(200, get("/hooks/summary")).await;
    let shown = one(&walk.step(200, get(&path(""))).await);
    assert!(!shown["uri"].as_str().expect("an address").contains('?'), "{shown}");
    walk.step(200, action(&path("/disable"))).await;
    let ada = company_path(BAKERY, &format!("workers/{ADA}"));
    walk.step(200, change(&ada, &json!({"clockId": "1"}))).await;
    walk.expect_event(&format!("WRKR_EMPL UPDATE {BAKERY} {ADA}"));
    walk.until_shown(get(&path("/deliveries?state=WAITING"))).await;
    let listed = walk.step(200, get(&path("/deliveries"))).await;
    let id = listed.members("deliveryId").remove(0);
    walk.step(200, get(&path(&format!("/deliveries/{id}")))).await;
    let enabled = walk.step(200, action(&path("/enable"))).await;
    assert_eq!(one(&enabled)["active"], true);
    walk.step(202, action(&path(&format!("/deliveries/{id}/replay")))).await;
    walk.step(202, operator_post(&path("/replay"), &json!({"from": "2020-01-01"}))).await;
    walk.step(202, action(&path("/test"))).await;
}

/// Reads the audit log, the feeds and the request log, and searches.
pub(super) async fn read_logs_and_searches(walk: &mut Walk<'_>) {
    let found = [
        ("WALK-ADA", "worker"),
        ("ada%20walk", "worker"),
        ("walk-farm", "company"),
        ("walk%20clock", "application"),
    ];
    for (looked_for, kind) in found {
        let hits = walk.step(200, get(&format!("/search?q={looked_for}"))).await;
        assert!(hits.members("kind").contains(&kind.to_owned()), "{looked_for}: {hits:?}");
    }
    for company in COMPANIES {
        let export = walk.step(200, get(&format!("/export?companyid={company}"))).await;
        assert!(export.text().contains(company), "{export:?}");
    }
    let trail =
        walk.step(200, get(&format!("/audit?companyid={BAKERY}&resourceid={JANUARY}&kind=payPeriod"))).await;
    let names: Vec<String> = trail.content().iter().map(|row| row["actor"]["name"].to_string()).collect();
    assert!(names.contains(&"\"walk lead\"".to_owned()), "{names:?}");
    let page = walk.step(200, get("/audit?limit=10")).await;
    let next = page.link("next").expect("older rows");
    let (_, query) = next.split_once("/operator/v1").expect("an address of the operator API");
    assert_eq!(walk.step(200, get(query)).await.content().len(), 10);
    walk.step(200, read("/management/events?limit=3")).await;
    walk.step(200, read(&format!("/management/events?companyid={FARM}&domain=CLT_PYRN"))).await;
    walk.step(400, read("/management/events?after=no.cursor")).await;
    walk.step(200, get(&format!("/events?companyid={BAKERY}&limit=3"))).await;
    walk.until_shown(read("/management/requests")).await;
    walk.step(200, read("/management/requests?limit=3")).await;
    let failed = walk.step(200, get(&format!("/applications/{CLOCK}/requests?status=4xx"))).await.content();
    let failed = failed.iter().find(|request| request["status"] == 404).expect("a request with details");
    let id = failed["requestId"].as_str().expect("its id");
    walk.step(200, get(&format!("/applications/{CLOCK}/requests/{id}"))).await;
    walk.step(200, read(&format!("/management/requests/{id}"))).await;
    walk.step(200, get(&format!("/applications/{OTHER}/requests"))).await;
}
