//! Tests of requests for access to a company, and of their approval and rejection (specification §5.8,
//! §10.16).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use payroll_domain::access::Scopes;
use reqwest::Method;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::feed::read_feed;
use crate::support::{
    Caller, Client, FOREIGN, OPEN, Request, Response, Server, grant_to_application, on_every_database,
    on_every_database_with,
};

const REQUEST_ACCESS_PATH: &str = "/management/requestclientaccess";
const ACCESS_REQUESTS_PATH: &str = "/accessrequests";
/// The display id of the company [`FOREIGN`]. The partner has no grant for this company.
const DISPLAY_ID: &str = "00030001";

fn post_access_request(body: &Value) -> Request {
    Request::post(REQUEST_ACCESS_PATH, body)
}

/// Requests access to [`FOREIGN`]. Returns the token at the end of the approval link in the response.
pub(crate) async fn request_link_token(server: &Server) -> String {
    let document = json!({"displayId": DISPLAY_ID, "scopes": "read:companies read:payroll"});
    let response = server.send(&post_access_request(&document)).await;
    assert_eq!(response.status, 201, "{response:?}");
    link_token(&response)
}

fn link_token(response: &Response) -> String {
    let body = response.json();
    let link = body["approvalLink"].as_str().expect("a link");
    link.rsplit('/').next().expect("an end").to_owned()
}

fn decision_request(token: &str, decision: &str) -> Request {
    Request::operator(Method::POST, &format!("{ACCESS_REQUESTS_PATH}/{token}/{decision}"))
}

async fn send_and_read_error(server: &Server, request: &Request) -> String {
    server.send(request).await.status_and_any_code()
}

#[test]
fn a_request_for_access_is_approved_once_and_reported_to_its_application() {
    on_every_database(async |server| {
        let (_, here) = read_feed(server, Caller::Partner, "/management/events", 1).await;
        let token = request_link_token(server).await;
        let shown =
            server.send(&Request::operator_get(&format!("{ACCESS_REQUESTS_PATH}/{token}"))).await.content()
                [0]
            .clone();
        assert_eq!((&shown["applicationName"], &shown["companyId"]), (&json!("partner"), &json!(FOREIGN)));
        assert_eq!(shown["scopes"], json!(["read:companies", "read:payroll"]));
        let company = Request::get(format!("/companies/{FOREIGN}"));
        assert_eq!(send_and_read_error(server, &company).await, "403 API-2");

        let narrow = decision_request(&token, "approve").json(&json!({"scopes": ["read:companies"]}));
        let approved = server.send(&narrow).await;
        assert_eq!((approved.status, &approved.content()[0]["scopes"]), (200, &json!(["read:companies"])));
        assert!(approved.link("self").expect("a link").ends_with("/applications/partner/grants/FOREIGN"));
        assert_eq!(send_and_read_error(server, &narrow).await, "404 API-7", "the link is used up");
        server.discard_tokens().await;
        assert_eq!(send_and_read_error(server, &company).await, "200");
        assert_eq!(
            send_and_read_error(server, &Request::get(format!("/companies/{FOREIGN}/calculationbases")))
                .await,
            "403 API-2"
        );
        let (events, _) = read_feed(server, Caller::Partner, &here, 1).await;
        assert_eq!((&events[0]["domain"], &events[0]["companyId"]), (&json!("CLT_ACCESS"), &json!(FOREIGN)));
    });
}

#[test]
fn the_link_of_a_rejected_or_expired_request_is_invalid() {
    on_every_database(async |server| {
        let refused = request_link_token(server).await;
        assert_eq!(send_and_read_error(server, &decision_request(&refused, "refuse")).await, "200");
        assert_eq!(send_and_read_error(server, &decision_request(&refused, "approve")).await, "404 API-7");
        let replaced = request_link_token(server).await;
        let newer = request_link_token(server).await;
        assert_eq!(send_and_read_error(server, &decision_request(&replaced, "approve")).await, "404 API-7");
        server.clock.advance_seconds(7 * 86_400);
        assert_eq!(send_and_read_error(server, &decision_request(&newer, "approve")).await, "404 API-7");
        assert_eq!(
            server.send(&Request::operator_get(ACCESS_REQUESTS_PATH)).await.content(),
            Vec::<Value>::new()
        );
        assert_eq!(
            server
                .database
                .query_number(
                    "SELECT count(*) FROM grants WHERE company_id = 'FOREIGN' AND application_id = 'partner'"
                )
                .await,
            0
        );
    });
}

#[test]
fn one_of_two_simultaneous_approvals_succeeds() {
    on_every_database(async |server| {
        let token = request_link_token(server).await;
        let request = decision_request(&token, "approve");
        let (one, other) = tokio::join!(server.send(&request), server.send(&request));
        let mut statuses = [one.status, other.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 404], "{one:?} {other:?}");
        let rows = "SELECT count(*) FROM audit WHERE kind = 'grant' AND company_id = 'FOREIGN' AND actor_kind = 'operator'";
        assert_eq!(server.database.query_number(rows).await, 1);
    });
}

#[test]
fn operators_list_requests_and_decide_by_their_ids() {
    on_every_database(async |server| {
        let token = request_link_token(server).await;
        let listed = server
            .send(&Request::operator_get(ACCESS_REQUESTS_PATH).with_caller(Caller::OperatorReader))
            .await;
        assert!(!String::from_utf8_lossy(&listed.body).contains(&token), "the list shows no link");
        let id = listed.content()[0]["accessRequestId"].as_str().expect("an id").to_owned();
        let by_reader = decision_request(&id, "approve").with_caller(Caller::OperatorReader);
        assert_eq!(send_and_read_error(server, &by_reader).await, "403 API-2");
        assert_eq!(
            send_and_read_error(server, &decision_request(&id, "approve").with_caller(Caller::Anonymous))
                .await,
            "401 API-102"
        );
        let wider = decision_request(&id, "approve").json(&json!({"scopes": ["write:payroll"]}));
        assert_eq!(server.send(&wider).await.faults(), ["API-48 /scopes/0"]);
        let nothing = decision_request(&id, "approve").json(&json!({"scopes": []}));
        assert_eq!(server.send(&nothing).await.faults(), ["API-46 /scopes"]);
        let once = decision_request(&id, "approve").idempotency_key("once");
        assert_eq!(send_and_read_error(server, &once).await, "200");
        assert_eq!(server.send(&once).await.header("idempotent-replayed"), "true");
    });
}

#[test]
fn invalid_requests_for_access_are_rejected() {
    on_every_database(async |server| {
        let same = json!({"companyId": "SAME", "displayId": "9-00030001", "legalName": "Same Example LLC"});
        assert_eq!(server.send(&Request::operator_post("/companies", &same)).await.status, 201);
        let cases = [
            (json!({"displayId": "99999999"}), "404 API-7"),
            (json!({"displayId": "00040001"}), "403 API-68"),
            (json!({"displayId": "00-0100 0001"}), "409 API-409"),
            (json!({"displayId": DISPLAY_ID}), "400 API-48"),
        ];
        grant_to_application(&*server.store, "partner", OPEN, Scopes::for_companies()).await;
        for (body, expected) in cases {
            assert_eq!(send_and_read_error(server, &post_access_request(&body)).await, expected, "{body}");
        }
        assert_eq!(
            send_and_read_error(
                server,
                &post_access_request(&json!({"displayId": "00020001"})).with_caller(Caller::WithoutScope)
            )
            .await,
            "409 API-409"
        );
    });
}

#[test]
fn the_link_is_shown_once_and_not_stored() {
    on_every_database(async |server| {
        let request = post_access_request(&json!({"displayId": DISPLAY_ID})).idempotency_key("once");
        let first = server.send(&request).await;
        let token = link_token(&first);
        assert!(token.starts_with("acr_") && token.len() == 47, "{token}");
        assert_eq!(first.header("cache-control"), "no-store");
        let again = server.send(&request).await;
        assert_eq!((again.status, again.header("idempotent-replayed")), (201, "true"));
        assert!(again.json().get("approvalLink").is_none() && again.json()["expiresDate"].is_string());
        server.send(&Request::operator_get(&format!("{ACCESS_REQUESTS_PATH}/{token}"))).await;
        server.send(&decision_request(&token, "approve").idempotency_key("k")).await;
        server.restart().await;
        let audit = server.send(&Request::operator_get("/audit?limit=1000")).await;
        let log = server.send(&Request::get("/management/requests")).await;
        for reported in [audit, log] {
            assert!(!String::from_utf8_lossy(&reported.body).contains(&token), "{reported:?}");
        }
        let rows = server.send(&Request::operator_get("/audit?kind=accessRequest")).await;
        assert_eq!(rows.members("action"), ["delete", "create"]);
    });
}

#[test]
fn the_link_leads_to_a_page_with_only_its_own_script() {
    on_every_database_with(
        |settings| settings.operator_public_url = "https://ops.example.org/payroll/".to_owned(),
        async |server| {
            let response = server.send(&post_access_request(&json!({"displayId": DISPLAY_ID}))).await;
            let link = response.json()["approvalLink"].as_str().expect("a link").to_owned();
            let end = link.strip_prefix("https://ops.example.org/payroll").expect("the setting");
            let client = Client::new(&format!("http://{}", server.operator_address));
            let page = client.send(&Request::get(end), None).await.expect("an answer");
            let text = String::from_utf8(page.body.clone()).expect("text");
            assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"));
            let policy = page.header("content-security-policy");
            for (element, directive) in [("script", "script-src"), ("style", "style-src")] {
                let inner = text.split_once(&format!("<{element}>")).expect("its beginning").1;
                let inner = inner.split_once(&format!("</{element}>")).expect("its end").0;
                let hash = STANDARD.encode(Sha256::digest(inner.as_bytes()));
                assert!(policy.contains(&format!("{directive} 'sha256-{hash}'")), "{policy}");
            }
            assert!(policy.starts_with("default-src 'none';") && policy.contains("frame-ancestors 'none'"));
            assert!(!text.contains(FOREIGN) && !text.contains(end.rsplit('/').next().expect("a token")));
            let other = client.send(&Request::get("/approve/nothing"), None).await.expect("an answer");
            assert_eq!(
                (other.status, other.body),
                (200, page.body),
                "it does not reveal which links are valid"
            );
        },
    );
}

#[test]
fn the_open_requests_of_an_application_are_limited() {
    on_every_database(async |server| {
        request_link_token(server).await;
        server
            .database
            .execute(
                "INSERT INTO access_requests (access_request_id, application_id, company_id, hash, scopes, created, expires) \
                 WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) \
                 SELECT 'R' || i, 'partner', 'C' || i, 'H' || i, 'read:payroll', 0, 9000000000000000 FROM n",
            )
            .await;
        assert_eq!(
            send_and_read_error(server, &post_access_request(&json!({"displayId": DISPLAY_ID}))).await,
            "409 API-409"
        );
    });
}
