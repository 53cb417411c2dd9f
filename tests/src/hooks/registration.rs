//! Tests of valid registrations, and of the errors for invalid ones.

use reqwest::Method;
use serde_json::{Value, json};

use super::{HOOKS_PATH, post_hook, register_hook};
use crate::support::hooks::registration;
use crate::support::{
    Caller, FOREIGN, OPEN, Request, UNKNOWN, on_every_database, on_every_database_with, with_member,
};

#[test]
fn the_registration_returns_the_hook_and_its_secret_once() {
    on_every_database(async |server| {
        let body = with_member(with_member(registration(), "companyId", OPEN), "hookId", "mine");
        let response = post_hook(server, &body).await;
        let hook = response.json();
        let secret = hook["signingSecret"].as_str().expect("a secret").to_owned();
        assert!(secret.starts_with("whsec_") && secret.len() == 50, "{secret}");
        let mut expected = json!({
            "hookId": "mine", "companyId": OPEN, "uri": "https://hooks.test/in", "domains": ["WRKR_DEM", "CLT_PYRN"],
            "authType": "BASIC_AUTH", "active": true, "createdDate": hook["createdDate"],
        });
        let shown = server.send(&Request::get(format!("{HOOKS_PATH}/mine"))).await;
        assert_eq!(shown.json(), expected, "the secret is shown once");
        assert_eq!(server.send(&Request::get(HOOKS_PATH)).await.json(), json!([expected]));
        expected["signingSecret"] = json!(secret);
        assert_eq!((response.status, hook), (201, expected));
        let header = |name| response.header(name).to_owned();
        assert_eq!(header("location"), format!("{}{HOOKS_PATH}/mine", server.base));
        assert_eq!(
            (header("cache-control").as_str(), header("etag").as_str()),
            ("no-store", shown.header("etag"))
        );
    });
}

#[test]
fn a_hook_can_be_registered_with_the_alternative_member_names() {
    on_every_database(async |server| {
        let authentication = json!({"authType": "API_KEY", "apiKey": "open-sesame"});
        let hook = json!({
            "url": "https://hooks.test", "domains": "CLT_PYRN, WRKR_DEM,CLT_PYRN", "clientId": OPEN,
            "authentication": authentication, "signingSecret": "whsec_mine", "unknown": {"a": 1},
        });
        let response = post_hook(server, &hook).await;
        let reported = response.json();
        let members = ["uri", "companyId", "authType", "domains"].map(|name| reported[name].clone());
        let domains = json!(["WRKR_DEM", "CLT_PYRN"]);
        assert_eq!(members, [json!("https://hooks.test/"), json!(OPEN), json!("APIKEY"), domains]);
        assert_ne!(reported["signingSecret"], "whsec_mine");
    });
}

/// Invalid URLs, with the error that each causes.
const INVALID_ADDRESSES: &[(&str, &str)] = &[
    ("http://hooks.test/", "must begin with https://"),
    ("ftp://hooks.test/", "must begin with https://"),
    ("hooks.test/in", "must begin with https://"),
    ("https://hooks.test:443/", "must have no port"),
    ("https://hooks.test:8443/", "must have no port"),
    ("https://ann@hooks.test/", "must have no user name"),
    ("https://hooks.test/#there", "must have no fragment"),
    ("https://hooks.test/a b", "must have no white space"),
    ("https://a.ngrok.io/", "tunnelling service"),
    ("https://A.NGROK-FREE.APP./", "tunnelling service"),
    ("https://127.0.0.1/", "must have a host whose IP addresses are all public"),
    ("https://2130706433/", "must have a host whose IP addresses are all public"),
    ("https://0x7f.1/", "must have a host whose IP addresses are all public"),
    ("https://[::ffff:10.0.0.1]/", "must have a host whose IP addresses are all public"),
    ("https://[64:ff9b::a9fe:a9fe]/", "must have a host whose IP addresses are all public"),
    ("https://169.254.169.254/latest", "must have a host whose IP addresses are all public"),
    ("https://localhost/", "must have a host whose IP addresses are all public"),
    ("https://no-such-host.invalid/", "must have a host"),
    ("https://", "must be a complete URL"),
];

#[test]
fn each_rule_for_addresses_has_its_own_description() {
    on_every_database(async |server| {
        for (address, sentence) in INVALID_ADDRESSES {
            let response = post_hook(server, &with_member(registration(), "uri", *address)).await;
            assert_eq!(response.faults(), ["API-48 /uri"], "{address}: {response:?}");
            let reported = response.errors()[0]["description"].to_string();
            assert!(reported.contains(sentence) && !reported.contains(address), "{address}: {reported}");
        }
        let long = format!("https://hooks.test/{}", "x".repeat(2_048));
        let response = post_hook(server, &with_member(registration(), "uri", long)).await;
        assert!(response.errors()[0]["description"].to_string().contains("2048 characters"), "{response:?}");
        assert_eq!(server.send(&Request::get(HOOKS_PATH)).await.json(), json!([]), "nothing was stored");
    });
}

#[test]
fn the_token_address_is_validated_and_may_have_a_port() {
    on_every_database(async |server| {
        let client = |url: &str| json!({"authType": "OAUTH2", "tokenUrl": url, "clientId": "ann", "clientSecret": "open-sesame"});
        let with_tokens = |url: &str| with_member(registration(), "authentication", client(url));
        let refused = post_hook(server, &with_tokens("https://10.0.0.1:8443/token")).await;
        assert_eq!(refused.faults(), ["API-48 /authentication/tokenUrl"]);
        let both =
            with_member(with_tokens("https://no-such-host.invalid/"), "url", "https://also-not.invalid/");
        let both = with_member(both, "uri", Value::Null);
        // The server reports faults in the order of the members in the request. In these tests, the members
        // are sorted by name.
        assert_eq!(
            post_hook(server, &both).await.faults(),
            ["API-48 /authentication/tokenUrl", "API-48 /url"]
        );
        assert_eq!(post_hook(server, &with_tokens("https://hooks.test:8443/token")).await.status, 201);
    });
}

#[test]
fn all_faults_of_a_registration_are_reported_together() {
    on_every_database(async |server| {
        let reported = post_hook(server, &json!({"uri": "", "domains": ["WORKER"], "hookId": "a b"})).await;
        let mut faults = reported.faults();
        faults.sort();
        assert_eq!(faults, ["API-46 /authentication", "API-46 /uri", "API-48 /domains/0", "API-48 /hookId"]);
    });
}

#[test]
fn a_company_without_a_grant_is_rejected_like_an_unknown_one() {
    on_every_database(async |server| {
        for company in [FOREIGN, UNKNOWN] {
            let response = post_hook(server, &with_member(registration(), "companyId", company)).await;
            assert_eq!(response.status_and_code(), "403 API-2", "{company}");
        }
    });
}

#[test]
fn a_hook_id_is_unique_per_application() {
    on_every_database(async |server| {
        register_hook(server, "mine", &[]).await;
        let again = Request::post(HOOKS_PATH, &with_member(registration(), "hookId", "mine"));
        assert_eq!(server.send(&again).await.status_and_code(), "409 API-409");
        assert_eq!(server.send(&again.with_caller(Caller::Other)).await.status, 201);
    });
}

#[test]
fn the_hooks_of_an_application_are_limited() {
    on_every_database_with(
        |settings| settings.max_hooks = 2,
        async |server| {
            register_hook(server, "one", &[]).await;
            register_hook(server, "two", &[]).await;
            let response = post_hook(server, &registration()).await;
            assert_eq!(response.status_and_code(), "409 API-409");
            assert!(response.text().contains("at most 2 hooks"), "{response:?}");
            server.send(&Request::new(Method::DELETE, format!("{HOOKS_PATH}/one"))).await;
            assert_eq!(post_hook(server, &registration()).await.status, 201);
        },
    );
}

#[test]
fn a_retried_registration_is_done_once_and_omits_the_secret() {
    on_every_database(async |server| {
        let request = Request::post(HOOKS_PATH, &registration()).idempotency_key("once");
        let (first, again) = (server.send(&request).await, server.send(&request).await);
        assert_eq!((again.status, again.header("idempotent-replayed")), (201, "true"));
        let mut expected = first.json();
        expected.as_object_mut().expect("an object").remove("signingSecret").expect("it was shown");
        assert_eq!(again.json(), expected);
        let other = request.body(with_member(registration(), "domains", "CLT_ORG").to_string());
        assert_eq!(server.send(&other).await.status_and_code(), "422 API-422");
        assert_eq!(server.send(&Request::get(HOOKS_PATH)).await.json().as_array().map(Vec::len), Some(1));
    });
}

#[test]
fn the_domains_and_the_source_addresses_are_listed() {
    let settings = |settings: &mut crate::support::Settings| {
        use payroll_server::config::Setting;
        settings.webhook_published_production =
            Setting::read("192.0.2.1,192.0.2.2,2001:db8::1").expect("addresses");
    };
    on_every_database_with(settings, async |server| {
        let domains = server.send(&Request::get("/management/domains")).await;
        let names = domains.json().as_array().expect("a flat array").clone();
        assert_eq!((names.len(), &names[0], &names[10]), (11, &json!("WRKR_ADD"), &json!("CLT_PYRN")));
        let again = Request::get("/management/domains").header("if-none-match", domains.header("etag"));
        assert_eq!(server.send(&again).await.status, 304);
        let addresses = server.send(&Request::get("/management/sourceaddresses")).await.json();
        let production = json!(["192.0.2.1", "192.0.2.2", "2001:db8::1"]);
        assert_eq!(addresses, json!({"production": production, "nonProduction": []}));
    });
}
