//! Tests of browser sessions: signing in and out, and the protection against cross-site requests.

use payroll_server::config::Settings;
use serde_json::json;

use super::get;
use crate::support::{
    Caller, OPEN, OPERATOR_KEY, Request, Response, Server, on_every_database, on_every_database_with,
};

const SESSIONS_PATH: &str = "/sessions";
const CURRENT_SESSION_PATH: &str = "/sessions/current";

/// The session that a sign-in has created: its cookie, its CSRF token and its id.
pub(super) struct SignInResult {
    cookie: String,
    csrf_token: String,
    session_id: String,
}

pub(super) async fn sign_in(server: &Server, caller: Caller) -> SignInResult {
    let request = Request::operator(reqwest::Method::POST, SESSIONS_PATH).with_caller(caller);
    let response = server.send(&request).await;
    assert_eq!(response.status, 201, "{response:?}");
    let session = &response.content()[0];
    let text = |name: &str| session[name].as_str().expect("a text").to_owned();
    SignInResult {
        cookie: response.header("set-cookie").split(';').next().expect("a cookie").to_owned(),
        csrf_token: text("csrfToken"),
        session_id: text("sessionId"),
    }
}

impl SignInResult {
    /// Returns a request as a page of this server sends it, with the cookie and the CSRF token.
    pub(super) fn same_origin_request(&self, request: Request) -> Request {
        self.request_with_cookie_only(request)
            .header("x-csrf-token", &*self.csrf_token)
            .header("sec-fetch-site", "same-origin")
    }

    /// Returns a request as a page of another site can send it, with the cookie but without the CSRF token.
    fn request_with_cookie_only(&self, request: Request) -> Request {
        request.with_caller(Caller::Anonymous).header("cookie", &*self.cookie)
    }
}

fn lock_request() -> Request {
    Request::operator_put(&format!("/companies/{OPEN}/lock"), &json!({"reason": "month end"}))
}

fn status_and_code(response: &Response) -> (u16, String) {
    (response.status, response.json()["errors"][0]["code"].as_str().unwrap_or_default().to_owned())
}

#[test]
fn a_key_is_exchanged_for_a_cookie_that_scripts_cannot_read() {
    on_every_database(async |server| {
        let response = server.send(&Request::operator(reqwest::Method::POST, SESSIONS_PATH)).await;
        let cookie = response.header("set-cookie");
        assert!(cookie.starts_with("payroll_operator_session=ops_"), "{cookie}");
        assert!(cookie.ends_with("; Path=/; Max-Age=36000; HttpOnly; SameSite=Strict"), "{cookie}");
        assert_eq!(response.header("strict-transport-security"), "");
        let value = cookie["payroll_operator_session=".len()..].split(';').next().expect("a value");
        assert!(!response.text().contains(value), "the session is in the cookie alone");
        let signed_in = sign_in(server, Caller::Operator).await;
        let own =
            server.send(&signed_in.same_origin_request(Request::operator_get(CURRENT_SESSION_PATH))).await;
        let session = &own.content()[0];
        assert_eq!(session["csrfToken"], signed_in.csrf_token.as_str());
        assert_eq!((own.status, &session["readOnly"]), (200, &json!(false)));
        let list = get(server, SESSIONS_PATH).await;
        assert_eq!(list.content().len(), 2);
        assert!(!list.text().contains("csrfToken") && !list.text().contains("ops_"), "{list:?}");
        let one = get(server, &format!("{SESSIONS_PATH}/{}", signed_in.session_id)).await;
        assert_eq!(one.content()[0], list.content()[0]);
    });
}

#[test]
fn with_tls_the_cookie_has_the_host_prefix_and_browsers_must_use_tls() {
    let settings = |settings: &mut Settings| {
        settings.operator_public_url = "https://ops.example.org".to_owned();
    };
    on_every_database_with(settings, async |server| {
        let response = server.send(&Request::operator(reqwest::Method::POST, SESSIONS_PATH)).await;
        let cookie = response.header("set-cookie");
        assert!(cookie.starts_with("__Host-payroll_operator_session=ops_"), "{cookie}");
        assert!(cookie.ends_with("; Path=/; Max-Age=36000; HttpOnly; SameSite=Strict; Secure"), "{cookie}");
        for path in ["/", "/operator/v1/companies", "/nowhere"] {
            let page = server.operator_get(path).await;
            assert_eq!(page.header("strict-transport-security"), "max-age=31536000", "{path}");
        }
        let session = sign_in(server, Caller::Operator).await;
        assert_eq!(
            server
                .send(&session.same_origin_request(Request::operator_get(CURRENT_SESSION_PATH)))
                .await
                .status,
            200
        );
        let (_, value) = session.cookie.split_once('=').expect("a cookie");
        let unsafe_cookie = format!("payroll_operator_session={value}");
        let neighbour = Request::operator_get(CURRENT_SESSION_PATH)
            .with_caller(Caller::Anonymous)
            .header("cookie", unsafe_cookie);
        assert_eq!(server.send(&neighbour).await.status, 401, "a neighbour of the host can set that cookie");
        assert_eq!(server.send(&Request::get("/companies")).await.header("strict-transport-security"), "");
    });
}

#[test]
fn a_session_has_the_permissions_and_the_name_of_its_key() {
    on_every_database(async |server| {
        let (full, reader) =
            (sign_in(server, Caller::Operator).await, sign_in(server, Caller::OperatorReader).await);
        let companies = Request::operator_get("/companies");
        for session in [&full, &reader] {
            assert_eq!(server.send(&session.same_origin_request(companies.clone())).await.status, 200);
        }
        assert_eq!(
            status_and_code(&server.send(&reader.same_origin_request(lock_request())).await),
            (403, "API-2".to_owned())
        );
        assert_eq!(server.send(&full.same_origin_request(lock_request())).await.status, 200);
        let audit_rows = get(server, "/audit?kind=lock").await.content();
        let by_key = get(server, "/audit?kind=operatorSession").await.content();
        assert_eq!(audit_rows[0]["actor"], by_key[1]["actor"], "{audit_rows:?} {by_key:?}");
        let masked = server.send(&full.same_origin_request(Request::operator_get("/companies/CHILD"))).await;
        assert_eq!(masked.content()[0]["legalId"]["legalIdValue"], "*****6789");
        let again = server
            .send(&full.same_origin_request(Request::operator(reqwest::Method::POST, SESSIONS_PATH)))
            .await;
        assert_eq!(status_and_code(&again), (403, "API-2".to_owned()), "a session makes no other");
    });
}

#[test]
fn a_session_creates_no_key_without_the_operator_key() {
    on_every_database(async |server| {
        let session = sign_in(server, Caller::Operator).await;
        let create = Request::operator_post("/keys", &json!({"name": "left behind"}));
        let refused = server.send(&session.same_origin_request(create.clone())).await;
        assert_eq!(status_and_code(&refused), (403, "API-2".to_owned()));
        assert!(refused.text().contains("send an operator key in the header Authorization"), "{refused:?}");
        let with_key =
            session.same_origin_request(create).header("authorization", format!("Bearer {OPERATOR_KEY}"));
        assert_eq!(server.send(&with_key).await.status, 201);
    });
}

#[test]
fn pages_of_other_sites_cannot_use_a_session() {
    on_every_database(async |server| {
        let session = sign_in(server, Caller::Operator).await;
        let host = &server.operator_address;
        let own = || session.same_origin_request(lock_request());
        let refused = [
            session.request_with_cookie_only(lock_request()),
            session.request_with_cookie_only(lock_request()).header("x-csrf-token", "AAAA"),
            session.request_with_cookie_only(lock_request()).header("x-csrf-token", "no token at all"),
            own().header("sec-fetch-site", "cross-site"),
            own().header("sec-fetch-site", "same-site"),
            own().header("sec-fetch-site", "none"),
            own().header("origin", "http://attacker.example"),
            own().header("origin", format!("http://{host}.attacker.example")),
            own().header("origin", "null"),
        ];
        for request in refused {
            let response = server.send(&request).await;
            assert_eq!(status_and_code(&response), (403, "API-2".to_owned()), "{request:?}");
            let resolution = &response.errors()[0]["resolution"];
            assert!(resolution.as_str().is_some_and(|text| text.contains("X-CSRF-Token")), "{resolution}");
        }
        assert_eq!(get(server, &format!("/companies/{OPEN}/lock")).await.status, 404, "nothing has happened");
        let two = session
            .same_origin_request(lock_request())
            .append_header("cookie", "payroll_operator_session=ops_other");
        assert_eq!(status_and_code(&server.send(&two).await), (401, "API-102".to_owned()));
        assert_eq!(server.send(&own().header("origin", format!("http://{host}"))).await.status, 200);
    });
}

#[test]
fn a_session_ends_by_sign_out_revocation_and_expiry() {
    on_every_database(async |server| {
        let companies = Request::operator_get("/companies");
        let is_known = async |session: &SignInResult| {
            server.send(&session.same_origin_request(companies.clone())).await.status
        };
        let first = sign_in(server, Caller::OperatorReader).await;
        let out =
            server.send(&first.same_origin_request(Request::operator_delete(CURRENT_SESSION_PATH))).await;
        assert_eq!((out.status, is_known(&first).await), (204, 401));
        assert!(out.header("set-cookie").starts_with("payroll_operator_session=; Path=/; Max-Age=0;"));
        let again =
            server.send(&first.same_origin_request(Request::operator_delete(CURRENT_SESSION_PATH))).await;
        assert_eq!(status_and_code(&again), (401, "API-102".to_owned()));

        let second = sign_in(server, Caller::OperatorReader).await;
        let path = format!("{SESSIONS_PATH}/{}", second.session_id);
        assert_eq!(server.send(&Request::operator_delete(&path)).await.status, 204);
        assert_eq!(is_known(&second).await, 401);
        assert_eq!(server.send(&Request::operator_delete(&path)).await.status, 404);

        let third = sign_in(server, Caller::OperatorReader).await;
        server.clock.advance_seconds(10 * 60 * 60 - 1);
        assert_eq!(is_known(&third).await, 200);
        server.clock.advance_seconds(1);
        assert_eq!(is_known(&third).await, 401);
        assert_eq!(get(server, SESSIONS_PATH).await.content().len(), 0);

        let fourth = sign_in(server, Caller::OperatorReader).await;
        let keys = get(server, "/keys").await.content();
        let reader = keys.iter().find(|key| key["readOnly"] == true).expect("the key that reads");
        let key_path = format!("/keys/{}", reader["keyId"].as_str().expect("an id"));
        assert_eq!(server.send(&Request::operator_delete(&key_path)).await.status, 204);
        assert_eq!(is_known(&fourth).await, 401);
    });
}

#[test]
fn an_invalid_session_is_rejected() {
    on_every_database(async |server| {
        for cookie in ["payroll_operator_session=", "payroll_operator_session=ops_x", "other=1"] {
            let request =
                Request::operator_get("/companies").with_caller(Caller::Anonymous).header("cookie", cookie);
            assert_eq!(
                status_and_code(&server.send(&request).await),
                (401, "API-102".to_owned()),
                "{cookie}"
            );
        }
        let with_key = Request::operator_get(CURRENT_SESSION_PATH);
        assert_eq!(status_and_code(&server.send(&with_key).await), (404, "API-7".to_owned()));
        let session = sign_in(server, Caller::Operator).await;
        let wrong_key = session.request_with_cookie_only(Request::operator_get("/companies"));
        let wrong_key = wrong_key.header("authorization", "Bearer opk_unknown");
        assert_eq!(
            status_and_code(&server.send(&wrong_key).await),
            (401, "API-102".to_owned()),
            "the header counts"
        );
    });
}

#[test]
fn wrong_keys_are_limited_like_wrong_secrets() {
    let settings = |settings: &mut Settings| settings.failed_tokens_per_minute = 2;
    on_every_database_with(settings, async |server| {
        let with = |key: &str| {
            let request = Request::operator_get("/companies").with_caller(Caller::Anonymous);
            request.header("authorization", format!("Bearer {key}"))
        };
        for expected in [401, 401, 429] {
            let response = server.send(&with("opk_wrong")).await;
            assert_eq!(response.status, expected, "{response:?}");
            assert_eq!(response.header("retry-after").is_empty(), expected == 401);
        }
        assert_eq!(server.send(&with("opk_other")).await.status, 401, "another key has its own bucket");
        assert_eq!(get(server, "/companies").await.status, 200, "and so has a right one");
        for number in 0..30 {
            server.send(&with(&format!("opk_{number}"))).await;
        }
        assert_eq!(server.send(&with("opk_new")).await.status, 429, "too many wrong keys from one address");
        assert_eq!(get(server, "/companies").await.status, 200, "a right one is of another client");
        server.clock.advance_seconds(60);
        assert_eq!(server.send(&with("opk_new")).await.status, 401);
    });
}

#[test]
fn wrong_sessions_count_as_failed_sign_ins() {
    let settings = |settings: &mut Settings| settings.failed_tokens_per_minute = 2;
    on_every_database_with(settings, async |server| {
        let session = sign_in(server, Caller::Operator).await;
        let with = |value: &str| {
            let request = Request::operator_get("/companies").with_caller(Caller::Anonymous);
            request.header("cookie", format!("payroll_operator_session={value}"))
        };
        for expected in [401, 401, 429] {
            assert_eq!(server.send(&with("ops_wrong")).await.status, expected);
        }
        for number in 0..30 {
            server.send(&with(&format!("ops_{number}"))).await;
        }
        assert_eq!(server.send(&with("ops_new")).await.status, 429);
        assert_eq!(
            server.send(&session.same_origin_request(Request::operator_get("/companies"))).await.status,
            200
        );
        sign_in(server, Caller::Operator).await;
    });
}
