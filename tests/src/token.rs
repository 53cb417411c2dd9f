//! Tests of the token operation (§5): its success, and each rejection.

mod published_keys;

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use oauth2::basic::{BasicClient, BasicErrorResponseType, BasicTokenType};
use oauth2::{
    AuthType, ClientId, ClientSecret, HttpRequest, HttpResponse, RequestTokenError, Scope, TokenResponse,
    TokenUrl,
};
use payroll_ports::Clock;
use reqwest::Method;
use reqwest::redirect::Policy;
use serde_json::Value;

use crate::support::{
    CLIENT_ID, CLIENT_SECRET, Caller, OPEN, Request, Response, Settings, basic_authorization,
    on_every_database, on_every_database_with, token_form,
};

/// Returns the status, the code and the OAuth member `error` of a response.
fn oauth_error_text(response: &Response) -> String {
    let error = response.json()["error"].as_str().unwrap_or("no error").to_owned();
    format!("{} {error}", response.status_and_code())
}

/// Sends each request, and compares the `error` that OAuth clients read, the status and the code.
fn assert_rejected(cases: Vec<(Request, &'static str)>) {
    on_every_database(async |server| {
        for (request, refusal) in &cases {
            assert_eq!(oauth_error_text(&server.send(request).await), *refusal, "{request:?}");
        }
    });
}

#[test]
fn the_response_is_an_uncacheable_bearer_token_for_an_hour() {
    on_every_database(async |server| {
        let response = server.send(&Request::token(&token_form())).await;
        let reported = response.json();
        let members: Vec<&String> = reported.as_object().expect("an object").keys().collect();
        assert_eq!(members, ["access_token", "expires_in", "scope", "token_type"]);
        assert_eq!(reported["token_type"], "Bearer");
        assert_eq!(reported["expires_in"], Value::from(3600));
        assert_eq!(response.header("cache-control"), "no-store");
    });
}

#[test]
fn the_secret_is_checked_before_the_grants_are_read() {
    on_every_database(async |server| {
        // This statement makes the stored grant unreadable. Requests with a wrong secret still get 401,
        // because the server validates the secret before it reads the grant.
        server.database.execute("UPDATE grants SET scopes = 'no such scope'").await;
        for (client, secret) in [("key-of-nobody", CLIENT_SECRET), (CLIENT_ID, "wrong"), ("x", "wrong")] {
            let form = format!("grant_type=client_credentials&client_id={client}&client_secret={secret}");
            assert_eq!(
                server.send(&Request::token(&form)).await.status_and_code(),
                "401 API-102",
                "{client}"
            );
        }
        assert_eq!(server.send(&Request::token(&token_form())).await.status_and_code(), "500 API-1");
    });
}

/// Returns the header and the claims of a token.
fn decode_parts(token: &str) -> [Value; 2] {
    let mut parts = token.split('.');
    [(); 2].map(|()| {
        let bytes = URL_SAFE_NO_PAD.decode(parts.next().expect("a part")).expect("base64");
        serde_json::from_slice(&bytes).expect("JSON")
    })
}

#[test]
fn a_token_is_a_unique_access_token_of_this_server() {
    let named = |settings: &mut Settings| settings.public_base_url = "https://api.example.org/".to_owned();
    on_every_database_with(named, async |server| {
        let make = async || {
            let reported = server.send(&Request::token(&token_form())).await.json();
            decode_parts(reported["access_token"].as_str().expect("a token"))
        };
        let ([header, first], [_, second]) = (make().await, make().await);
        assert_eq!((&header["typ"], &header["alg"]), (&Value::from("at+jwt"), &Value::from("HS256")));
        let own = Value::from("https://api.example.org");
        assert_eq!((&first["iss"], &first["aud"], &first["client_id"]), (&own, &own, &CLIENT_ID.into()));
        assert!(first["jti"].is_string() && first["jti"] != second["jti"], "{first}");
    });
}

#[test]
fn the_scope_is_the_union_of_the_grants() {
    on_every_database(async |server| {
        server.database.execute("DELETE FROM grants WHERE company_id NOT IN ('OPEN', 'CHILD')").await;
        server
            .database
            .execute("UPDATE grants SET scopes = 'read:companies' WHERE company_id = 'CHILD'")
            .await;
        server.database.execute("UPDATE grants SET scopes = 'read:payroll' WHERE company_id = 'OPEN'").await;
        let reported = server.send(&Request::token(&token_form())).await.json();
        assert_eq!(reported["scope"], "read:companies read:payroll read:webhooks write:webhooks");
    });
}

#[test]
fn a_scope_can_be_narrowed_but_not_widened() {
    on_every_database(async |server| {
        let narrowed = async |scope: &str| {
            let response = server.send(&Request::token(&format!("{}&scope={scope}", token_form()))).await;
            if response.is_success() {
                response.json()["scope"].to_string()
            } else {
                oauth_error_text(&response)
            }
        };
        assert_eq!(narrowed("read:payroll").await, "\"read:payroll\"");
        assert_eq!(narrowed("write:payroll+read:companies").await, "\"read:companies write:payroll\"");
        assert_eq!(narrowed("root").await, "400 API-48 invalid_scope");
    });
}

#[test]
fn id_and_secret_can_be_sent_as_http_basic() {
    on_every_database(async |server| {
        let request = Request::token("grant_type=client_credentials")
            .header("authorization", basic_authorization(CLIENT_ID, CLIENT_SECRET));
        assert_eq!(server.send(&request).await.status, 200);
    });
}

#[test]
fn the_oauth2_crate_gets_a_valid_token_by_header_and_by_body() {
    on_every_database(async |server| {
        for audit in [AuthType::BasicAuth, AuthType::RequestBody] {
            let client = |secret: &str| {
                BasicClient::new(ClientId::new(CLIENT_ID.to_owned()))
                    .set_client_secret(ClientSecret::new(secret.to_owned()))
                    .set_token_uri(
                        TokenUrl::new(format!("{}/auth/oauth/v2/token", server.base)).expect("a URL"),
                    )
                    .set_auth_type(audit.clone())
            };
            let good = client(CLIENT_SECRET);
            let request =
                good.exchange_client_credentials().add_scope(Scope::new("read:companies".to_owned()));
            let token =
                request.request_async(&send).await.unwrap_or_else(|error| panic!("{audit:?}: {error:?}"));
            assert_eq!(token.token_type(), &BasicTokenType::Bearer);
            assert_eq!(token.expires_in(), Some(Duration::from_hours(1)));
            assert_eq!(
                token.scopes().map(Vec::as_slice),
                Some(&[Scope::new("read:companies".to_owned())][..])
            );
            let companies = Request::get("/companies")
                .with_caller(Caller::Anonymous)
                .header("authorization", format!("Bearer {}", token.access_token().secret()));
            let companies = server.send(&companies).await;
            assert!(companies.members("companyId").contains(&OPEN.to_owned()), "{companies:?}");

            let refused = client("wrong").exchange_client_credentials().request_async(&send).await;
            let Err(RequestTokenError::ServerResponse(refusal)) = refused else {
                panic!("{audit:?}: {refused:?}")
            };
            assert_eq!(refusal.error(), &BasicErrorResponseType::InvalidClient);
        }
    });
}

/// A time limit that is long enough for a token request on a slow machine.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// Sends a token request of the OAuth client library, without redirects and with a time limit.
async fn send(request: HttpRequest) -> Result<HttpResponse, reqwest::Error> {
    let client = reqwest::Client::builder().no_proxy().redirect(Policy::none()).timeout(TIME_LIMIT);
    let response = client.build()?.execute(request.try_into()?).await?;
    let mut read = HttpResponse::default();
    (*read.status_mut(), *read.headers_mut()) = (response.status(), response.headers().clone());
    *read.body_mut() = response.bytes().await?.to_vec();
    Ok(read)
}

#[test]
fn credentials_in_two_ways_or_in_the_query_are_rejected() {
    let good = Request::token(&token_form());
    let in_query = |query: &str| {
        let mut request = good.clone();
        request.target.push_str(query);
        request
    };
    assert_rejected(vec![
        (
            good.clone().header("authorization", basic_authorization(CLIENT_ID, CLIENT_SECRET)),
            "400 API-40 invalid_request",
        ),
        (in_query("?client_secret=x"), "400 API-40 invalid_request"),
        (in_query(&format!("?client_id={CLIENT_ID}")), "400 API-40 invalid_request"),
    ]);
}

#[test]
fn each_fault_of_a_token_form_has_its_code() {
    let form = |text: String| Request::token(&text);
    let id = format!("client_id={CLIENT_ID}&client_secret={CLIENT_SECRET}");
    assert_rejected(vec![
        (form(id.clone()), "400 API-46 invalid_request"),
        (form(format!("grant_type=&{id}")), "400 API-46 invalid_request"),
        (form(format!("grant_type=password&{id}")), "400 API-48 unsupported_grant_type"),
        (form(format!("grant_type=Client_Credentials&{id}")), "400 API-48 unsupported_grant_type"),
        (form(format!("{}&client_id={CLIENT_ID}", token_form())), "400 API-47 invalid_request"),
        (form(format!("{}&scope=a&scope=b", token_form())), "400 API-47 invalid_request"),
        (form("grant_type=client_credentials".to_owned()), "401 API-102 invalid_client"),
        (form(String::new()), "400 API-46 invalid_request"),
    ]);
}

#[test]
fn a_wrong_secret_and_an_unknown_client_get_the_same_response() {
    on_every_database(async |server| {
        let refused = async |id: &str, secret: &str| {
            let form = format!("grant_type=client_credentials&client_id={id}&client_secret={secret}");
            let response = server.send(&Request::token(&form)).await;
            let body = String::from_utf8_lossy(&response.body).into_owned();
            (response.status, body, response.header("www-authenticate").to_owned())
        };
        let wrong = refused(CLIENT_ID, "wrong").await;
        assert_eq!(wrong.0, 401);
        assert_eq!(wrong, refused("nobody", CLIENT_SECRET).await);
        assert_eq!(wrong, refused("a%00b", "%FF").await);
    });
}

#[test]
fn wrong_basic_credentials_are_challenged_with_basic() {
    on_every_database(async |server| {
        let mut reported = Vec::new();
        for value in
            [basic_authorization(CLIENT_ID, "wrong"), "Basic %%%".to_owned(), "Basic bm9jb2xvbg==".to_owned()]
        {
            let request = Request::token("grant_type=client_credentials").header("authorization", value);
            let response = server.send(&request).await;
            reported
                .push((response.status_and_code(), response.header("www-authenticate").starts_with("Basic")));
        }
        assert_eq!(reported, vec![("401 API-102".to_owned(), true); 3]);
    });
}

#[test]
fn a_disabled_application_gets_no_token() {
    on_every_database(async |server| {
        server.database.execute("UPDATE applications SET enabled = false WHERE name = 'partner'").await;
        let response = server.send(&Request::token(&token_form())).await;
        assert_eq!(oauth_error_text(&response), "401 API-102 invalid_client");
    });
}

#[test]
fn only_forms_are_accepted_and_only_json_is_returned() {
    on_every_database(async |server| {
        let good = Request::token(&token_form());
        let mut reported = Vec::new();
        for request in [
            good.clone().header("content-type", "application/json").body("{}"),
            good.clone().without_header("content-type"),
            good.clone().accept("text/html"),
            Request { method: Method::GET, body: None, ..good.clone() },
            good.clone().body("x".repeat(3 * 1024 * 1024)),
        ] {
            reported.push(server.send(&request).await.status_and_code());
        }
        assert_eq!(reported, ["415 API-415", "415 API-415", "406 API-75", "405 API-59", "413 API-413"]);
    });
}

#[test]
fn a_token_form_with_a_charset_is_accepted() {
    on_every_database(async |server| {
        let request = Request::token(&token_form())
            .header("content-type", "application/x-www-form-urlencoded; charset=UTF-8");
        assert_eq!(server.send(&request).await.status, 200);
    });
}

#[test]
fn the_token_endpoint_is_found_from_the_base_address() {
    on_every_database(async |server| {
        let found = async |name: &str| {
            let document = Request::get(format!("/.well-known/{name}")).with_caller(Caller::Anonymous);
            let response = server.send_unchecked(&document).await;
            assert_eq!((response.status, response.header("content-type")), (200, "application/json"));
            response.json()
        };
        let resource = found("oauth-protected-resource").await;
        assert_eq!(resource["resource"], server.base);
        assert_eq!(resource["authorization_servers"], serde_json::json!([server.base]));
        let issuer = found("oauth-authorization-server").await;
        assert_eq!(
            (&issuer["issuer"], &issuer["scopes_supported"]),
            (&resource["resource"], &resource["scopes_supported"])
        );
        let endpoint = issuer["token_endpoint"].as_str().expect("an address");
        let token =
            Request { target: endpoint.replacen(&server.base, "", 1), ..Request::token(&token_form()) };
        let issued = server.send(&token).await;
        assert_eq!(issued.status, 200, "{issued:?}");
        let known = issuer["scopes_supported"].as_array().expect("scopes");
        assert!(
            issued.json()["scope"]
                .as_str()
                .expect("scopes")
                .split(' ')
                .all(|scope| known.contains(&scope.into()))
        );
        let post = Request::new(Method::POST, "/.well-known/oauth-protected-resource")
            .with_caller(Caller::Anonymous);
        assert_eq!(server.send_unchecked(&post).await.status, 405);
    });
}

#[test]
fn security_txt_has_the_contacts_of_the_setting() {
    const SECURITY_TXT_PATH: &str = "/.well-known/security.txt";
    on_every_database(async |server| {
        let without =
            server.send_unchecked(&Request::get(SECURITY_TXT_PATH).with_caller(Caller::Anonymous)).await;
        assert_eq!(without.status, 404, "no contact is set");
    });
    let contacts = |settings: &mut Settings| {
        settings.security_contact = "mailto:security@example.org, https://example.org/report".to_owned();
        settings.public_base_url = "https://api.example.org".to_owned();
    };
    on_every_database_with(contacts, async |server| {
        let file =
            server.send_unchecked(&Request::get(SECURITY_TXT_PATH).with_caller(Caller::Anonymous)).await;
        assert_eq!((file.status, file.header("content-type")), (200, "text/plain; charset=utf-8"));
        let expires = server.clock.now().plus_seconds(180 * 86_400).date();
        let expected = format!(
            "Contact: mailto:security@example.org\nContact: https://example.org/report\n\
             Expires: {expires}T00:00:00Z\nPreferred-Languages: en\n\
             Canonical: https://api.example.org/.well-known/security.txt\n"
        );
        assert_eq!(file.text(), expected);
    });
}

#[test]
fn the_metadata_contain_the_public_address() {
    let named = |settings: &mut Settings| settings.public_base_url = "https://api.example.org/".to_owned();
    on_every_database_with(named, async |server| {
        let document = Request::get("/.well-known/oauth-authorization-server").with_caller(Caller::Anonymous);
        let document = server.send_unchecked(&document).await.json();
        assert_eq!(document["issuer"], "https://api.example.org");
        assert_eq!(document["token_endpoint"], "https://api.example.org/auth/oauth/v2/token");
    });
}
