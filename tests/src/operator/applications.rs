//! Tests of applications, their secrets and their grants in the operator API.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Caller, OPEN, Request, Response, Server, on_every_database};

const PARTNER_PATH: &str = "/applications/partner";

/// Returns the only element of a successful response.
async fn only_element(server: &Server, request: &Request) -> Value {
    let response = server.send(request).await;
    assert!(response.is_success(), "{response:?}");
    response.content()[0].clone()
}

async fn send_and_read_error(server: &Server, request: Request) -> String {
    server.send(&request).await.status_and_any_code()
}

/// Returns the status of a token request with this secret.
async fn token_status(server: &Server, application: &Value, secret: &Value) -> u16 {
    let (id, secret) = (application["clientId"].as_str().unwrap(), secret.as_str().unwrap());
    let form = format!("grant_type=client_credentials&client_id={id}&client_secret={secret}");
    server.send(&Request::token(&form)).await.status
}

fn new_application() -> Value {
    json!({"name": "Bookkeeper", "rateLimitPerMinute": 60, "webhookScopes": ["read:webhooks"]})
}

/// Returns a request to change the application. `If-Match` contains the entity tag of this response.
fn change_request(method: Method, body: &Value, shown: &Response) -> Request {
    let request = Request { method, ..Request::operator_put(PARTNER_PATH, body) };
    request.if_match(shown.header("etag"))
}

#[test]
fn a_new_application_gets_its_secret_once_and_can_request_a_token() {
    on_every_database(async |server| {
        let post = Request::operator_post("/applications", &new_application()).idempotency_key("once");
        let created = server.send(&post).await;
        let application = created.content()[0].clone();
        assert_eq!((created.status, &application["enabled"]), (201, &json!(true)));
        assert_eq!(token_status(server, &application, &application["secrets"][0]["value"]).await, 200);

        let replay = server.send(&post).await;
        assert_eq!((replay.status, replay.header("idempotent-replayed")), (201, "true"));
        let mut without_value = application.clone();
        without_value["secrets"][0].as_object_mut().unwrap().remove("value");
        assert_eq!(replay.content()[0], without_value, "a replay shows no secret");
        let path = format!("/applications/{}", application["applicationId"].as_str().unwrap());
        assert_eq!(only_element(server, &Request::operator_get(&path)).await, without_value);
    });
}

#[test]
fn faults_of_an_application_are_reported_together_and_its_name_is_unique() {
    on_every_database(async |server| {
        let faulty = json!({"webhookScopes": ["read:payroll"], "secret": "mine"});
        let response = server.send(&Request::operator_post("/applications", &faulty)).await;
        assert_eq!(response.faults(), ["API-48 /secret", "API-48 /webhookScopes/0", "API-46 /name"]);
        let duplicate = Request::operator_post("/applications", &json!({"name": "partner"}));
        assert_eq!(send_and_read_error(server, duplicate).await, "409 API-409");
    });
}

#[test]
fn an_application_is_changed_only_in_the_version_read() {
    on_every_database(async |server| {
        let first = server.send(&Request::operator_get(PARTNER_PATH)).await;
        let rename = json!({"name": "Partner and sons"});
        let renamed = server.send(&change_request(Method::PATCH, &rename, &first)).await;
        assert_eq!((renamed.status, &renamed.content()[0]["name"]), (200, &rename["name"]));
        assert_eq!(
            send_and_read_error(server, change_request(Method::PATCH, &rename, &first)).await,
            "412 API-412"
        );
        assert_eq!(
            send_and_read_error(server, change_request(Method::PUT, &rename, &first)).await,
            "412 API-412"
        );
        assert_eq!(
            send_and_read_error(server, change_request(Method::DELETE, &rename, &first)).await,
            "412 API-412"
        );
        let same = server.send(&change_request(Method::PUT, &renamed.content()[0], &renamed)).await;
        assert_eq!(same.header("etag"), renamed.header("etag"), "what is the same is not written");
        let unsaid = Request::operator_put(PARTNER_PATH, &rename).without_header("if-match");
        assert_eq!(send_and_read_error(server, unsaid).await, "428 API-428");
        let other = Request::operator_put(PARTNER_PATH, &json!({"applicationId": "other", "name": "x"}));
        assert_eq!(send_and_read_error(server, other).await, "400 API-48");
        assert_eq!(
            send_and_read_error(server, Request::operator_put("/applications/nobody", &rename)).await,
            "404 API-7"
        );
    });
}

#[test]
fn a_third_secret_revokes_the_oldest_and_each_can_be_revoked() {
    on_every_database(async |server| {
        let application =
            only_element(server, &Request::operator_post("/applications", &new_application())).await;
        let path = format!("/applications/{}/secrets", application["applicationId"].as_str().unwrap());
        let rotate = || Request::operator(Method::POST, &path);
        let (second, third) = (only_element(server, &rotate()).await, only_element(server, &rotate()).await);
        let values = [&application["secrets"][0]["value"], &second["value"], &third["value"]];
        let mut statuses = Vec::new();
        for value in values {
            statuses.push(token_status(server, &application, value).await);
        }
        assert_eq!(statuses, [401, 200, 200]);
        let listed = server.send(&Request::operator_get(&path)).await;
        assert_eq!(
            listed.members("secretId"),
            [second["secretId"].as_str().unwrap(), third["secretId"].as_str().unwrap()]
        );
        let dropped = format!("{path}/{}", second["secretId"].as_str().unwrap());
        assert_eq!(send_and_read_error(server, Request::operator(Method::DELETE, &dropped)).await, "204");
        assert_eq!(send_and_read_error(server, Request::operator_get(&dropped)).await, "404 API-7");
        assert_eq!(token_status(server, &application, &second["value"]).await, 401);
    });
}

#[test]
fn a_deleted_application_loses_its_tokens() {
    on_every_database(async |server| {
        let read = Request::get("/companies");
        assert_eq!(server.send(&read).await.status, 200);
        assert_eq!(send_and_read_error(server, Request::operator_delete(PARTNER_PATH)).await, "204");
        assert_eq!(server.send(&read).await.status, 401);
        assert_eq!(
            send_and_read_error(server, Request::operator_get(&format!("{PARTNER_PATH}/grants"))).await,
            "404 API-7"
        );
    });
}

#[test]
fn a_grant_is_created_changed_and_revoked_with_its_etag() {
    on_every_database(async |server| {
        let path = "/applications/other/grants/OPEN";
        let put = |scopes: &[&str]| {
            Request::operator_put(path, &json!({"scopes": scopes})).without_header("if-match")
        };
        let created = server.send(&put(&["read:companies"])).await;
        assert_eq!(created.status, 201, "{created:?}");
        assert_eq!(
            server.send(&Request::get(format!("/companies/{OPEN}")).with_caller(Caller::Other)).await.status,
            200
        );

        let wider = put(&["read:companies", "read:payroll"]);
        assert_eq!(send_and_read_error(server, wider.clone()).await, "428 API-428");
        let changed = server.send(&wider.clone().header("if-match", created.header("etag"))).await;
        assert_eq!(changed.content()[0]["scopes"], json!(["read:companies", "read:payroll"]));
        assert_eq!(
            send_and_read_error(server, wider.clone().header("if-match", created.header("etag"))).await,
            "412 API-412"
        );
        let listed = server.send(&Request::operator_get("/applications/other/grants?limit=1&offset=1")).await;
        assert_eq!(listed.json()["metadata"]["pagination"]["total"], 2);

        assert_eq!(send_and_read_error(server, Request::operator_delete(path)).await, "204");
        assert_eq!(send_and_read_error(server, Request::operator_delete(path)).await, "404 API-7");
        assert_eq!(send_and_read_error(server, wider.header("if-match", "*")).await, "412 API-412");
        assert_eq!(
            server.send(&Request::get(format!("/companies/{OPEN}")).with_caller(Caller::Other)).await.status,
            403
        );
    });
}

/// A page reads its total from a stored counter. A list without a limit counts its rows. The two totals must
/// be equal after each change of a grant.
#[test]
fn the_total_of_companies_follows_every_change_of_a_grant() {
    on_every_database(async |server| {
        let path = "/applications/other/grants/OPEN";
        let put = |scopes: &[&str]| {
            Request::operator_put(path, &json!({"scopes": scopes})).without_header("if-match")
        };
        let page = async || {
            let read = Request::get("/companies?limit=1").with_caller(Caller::Other);
            server.send(&read).await
        };
        let total = |page: &Response| page.json()["metadata"]["pagination"]["total"].as_u64();
        let listed = async || {
            let all = server.send(&Request::get("/companies").with_caller(Caller::Other)).await;
            u64::try_from(all.content().len()).ok()
        };
        let before = total(&page().await);
        assert_eq!(before, listed().await);
        let readable = before.map(|before| before + 1);
        for (scopes, expected) in [
            (&["read:payroll"][..], before),
            (&["read:companies"], readable),
            (&["read:companies", "read:payroll"], readable),
            (&["read:companies", "read:payroll"], readable),
            (&["read:payroll"], before),
            (&["read:companies"], readable),
        ] {
            let tag = page().await.header("etag").to_owned();
            let shown = server.send(&Request::operator_get(path)).await;
            let change = match shown.status {
                200 => put(scopes).header("if-match", shown.header("etag")),
                _ => put(scopes),
            };
            let unchanged = shown.status == 200 && shown.content()[0]["scopes"] == json!(scopes);
            assert!(server.send(&change).await.status < 300, "{scopes:?}");
            let now = page().await;
            assert_eq!((total(&now), listed().await), (expected, expected), "{scopes:?}");
            assert_eq!(now.header("etag") == tag, unchanged, "{scopes:?}");
        }
        assert_eq!(send_and_read_error(server, Request::operator_delete(path)).await, "204");
        assert_eq!((total(&page().await), listed().await), (before, before));
    });
}

#[test]
fn an_invalid_grant_is_rejected() {
    on_every_database(async |server| {
        let put = |path: &str, body: Value| Request::operator_put(path, &body).without_header("if-match");
        let open = "/applications/other/grants/OPEN";
        let faulty =
            server.send(&put(open, json!({"scopes": ["read:webhooks", "all"], "companyId": "X"}))).await;
        assert_eq!(faulty.faults(), ["API-48 /companyId", "API-48 /scopes/0", "API-48 /scopes/1"]);
        assert_eq!(send_and_read_error(server, put(open, json!({"scopes": []}))).await, "400 API-46");
        let scopes = json!({"scopes": ["read:payroll"]});
        for unknown in ["/applications/other/grants/NOWHERE", "/applications/nobody/grants/OPEN"] {
            assert_eq!(send_and_read_error(server, put(unknown, scopes.clone())).await, "404 API-7");
        }
    });
}

#[test]
fn a_key_is_shown_once_and_invalid_after_its_revocation() {
    on_every_database(async |server| {
        let post = Request::operator_post("/keys", &json!({"name": "ann", "readOnly": true}));
        let created = only_element(server, &post.clone().idempotency_key("k")).await;
        assert!(only_element(server, &post.clone().idempotency_key("k")).await.get("value").is_none());
        assert_eq!(send_and_read_error(server, post).await, "409 API-409");
        let bearer = format!("Bearer {}", created["value"].as_str().unwrap());
        let by_it = |method| {
            let by_nobody = Request::operator(method, "/keys").with_caller(Caller::Anonymous);
            by_nobody.header("authorization", bearer.clone())
        };
        assert_eq!(server.send(&by_it(Method::GET)).await.status, 200);
        let path = format!("/keys/{}", created["keyId"].as_str().unwrap());
        assert_eq!(only_element(server, &Request::operator_get(&path)).await["name"], "ann");
        assert_eq!(send_and_read_error(server, Request::operator(Method::DELETE, &path)).await, "204");
        assert_eq!(server.send(&by_it(Method::GET)).await.status, 401);
        assert_eq!(send_and_read_error(server, Request::operator(Method::DELETE, &path)).await, "404 API-7");
    });
}
