//! Tests for registrations and changes of hooks: accepted values, the form of each fault, and the absence of
//! secrets in faults.

mod delivery;

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::*;
use crate::date::Timestamp;
use crate::event::EventDomain::{CompanyAccess, WorkerAdded, WorkerDemographics};
use crate::hook::{AuthType, DeliveryOptions, HookKey};
use crate::input::parse;
use crate::secret_text::SecretText;

fn hook() -> Hook {
    Hook {
        key: HookKey { application_id: "APP-1".parse().unwrap(), hook_id: "H-1".parse().unwrap() },
        company_id: Some("ACME".parse().unwrap()),
        address: Address::from_stored("https://hooks.example.com/in?key=secret").unwrap(),
        domains: vec![WorkerAdded, CompanyAccess],
        auth_type: AuthType::ApiKey,
        active: true,
        delivery: DeliveryOptions::default(),
        created: Timestamp::parse("2026-07-28T00:37:25.149Z").unwrap(),
        version: 1,
    }
}

fn read_hook(body: &str) -> Result<HookDocument, Violations> {
    read_registration(&parse(body.as_bytes()).unwrap(), &AddressRules::default())
}

fn read_change(body: &str) -> Result<HookChange, Violations> {
    read_hook_change(&parse(body.as_bytes()).unwrap(), &hook(), &AddressRules::default())
}

fn faults<T: std::fmt::Debug>(read: Result<T, Violations>) -> Vec<String> {
    let faults = read.unwrap_err();
    faults
        .iter()
        .map(|fault| format!("{} {}", fault.reason.code(), fault.pointer.as_deref().unwrap_or_default()))
        .collect()
}

/// Returns a valid registration in which the given members replace the original ones.
fn hook_with(members: &Json) -> String {
    let mut whole = json!({
        "uri": "https://hooks.example.com/in",
        "domains": ["WRKR_ADD"],
        "authentication": {"authType": "BASIC_AUTH", "username": "ann", "password": "p"},
    });
    for (name, value) in members.as_object().unwrap() {
        whole[name] = value.clone();
    }
    whole.to_string()
}

fn read_hook_authentication(authentication: &Json) -> Result<Authentication, Violations> {
    read_hook(&hook_with(&json!({ "authentication": authentication }))).map(|read| read.authentication)
}

#[test]
fn reads_a_complete_registration() {
    let body = r#"{"url": "https://Hooks.example.com", "clientId": "ACME", "hookId": "H-1", "name": 5,
        "active": false, "domains": "WRKR_DEM, WRKR_ADD,WRKR_DEM",
        "authentication": {"authType": "APIKEY", "apiKey": "k 1", "more": {}}}"#;
    let read = read_hook(body).unwrap();
    assert_eq!(read.company_id.unwrap().as_str(), "ACME");
    assert_eq!(read.hook_id.unwrap().as_str(), "H-1");
    assert_eq!(read.address.as_str(), "https://hooks.example.com/");
    assert_eq!(read.domains, [WorkerAdded, WorkerDemographics]);
    let key = SecretText::new("k 1");
    assert_eq!(read.authentication, Authentication::ApiKey { header: "x-api-key".to_owned(), key });
}

#[test]
fn accepts_absent_and_null_optional_members() {
    let read = read_hook(&hook_with(&json!({"companyId": null, "clientId": null, "hookId": ""}))).unwrap();
    assert_eq!((read.company_id, read.hook_id), (None, None));
    // An absent company means all companies. An empty id is a fault, because it may be a mistake.
    assert_eq!(faults(read_hook(&hook_with(&json!({"companyId": ""})))), ["API-46 /companyId"]);
    assert_eq!(
        faults(read_hook(&hook_with(&json!({"companyId": null, "clientId": ""})))),
        ["API-46 /clientId"]
    );
}

#[test]
fn reports_an_invalid_body_as_one_fault() {
    for (body, fault) in [("{}", "API-52 "), ("[]", "API-52 "), ("[{}]", "API-40 "), ("\"x\"", "API-40 ")] {
        assert_eq!(faults(read_hook(body)), [fault], "{body}");
        assert_eq!(faults(read_change(body)), [fault], "{body}");
    }
}

#[test]
fn reports_missing_and_empty_members_by_api_46() {
    let all = ["API-46 /uri", "API-46 /domains", "API-46 /authentication"];
    assert_eq!(faults(read_hook(r#"{"x": 1}"#)), all);
    assert_eq!(faults(read_hook(r#"{"uri": "", "domains": [], "authentication": null}"#)), all);
    assert_eq!(faults(read_hook(&hook_with(&json!({"uri": null, "url": ""})))), ["API-46 /url"]);
    assert_eq!(faults(read_hook(&hook_with(&json!({"domains": " "})))), ["API-46 /domains"]);
    for (authentication, missing) in [
        (json!({}), vec!["authType"]),
        (json!({"authType": "BASIC_AUTH"}), vec!["username", "password"]),
        (json!({"authType": "API_KEY", "apiKey": ""}), vec!["apiKey"]),
        (json!({"authType": "OAUTH2"}), vec!["tokenUrl", "clientId", "clientSecret"]),
        (json!({"authType": "OAUTH2_BASIC", "clientId": "a"}), vec!["tokenUrl", "clientSecret"]),
    ] {
        let missing: Vec<_> = missing.iter().map(|name| format!("API-46 /authentication/{name}")).collect();
        assert_eq!(faults(read_hook_authentication(&authentication)), missing, "{authentication}");
    }
}

#[test]
fn reports_two_values_for_one_member_by_api_47() {
    let both = hook_with(&json!({"url": "https://hooks.example.com/in"}));
    assert_eq!(faults(read_hook(&both)), ["API-47 /url"]);
    let swapped = r#"{"url": "https://a.example/", "uri": "https://a.example/", "domains": "WRKR_ADD",
        "authentication": {"authType": "APIKEY", "apiKey": "k"}}"#;
    assert_eq!(faults(read_hook(swapped)), ["API-47 /uri"]);
    let companies = hook_with(&json!({"companyId": "A", "clientId": "A"}));
    assert_eq!(faults(read_hook(&companies)), ["API-47 /companyId"]);
    let twice = r#"{"uri": "https://a.example/", "domains": "WRKR_ADD", "hookId": "A", "hookId": "A",
        "authentication": {"authType": "APIKEY", "apiKey": "k", "apiKey": "k"}}"#;
    assert_eq!(faults(read_hook(twice)), ["API-47 /hookId", "API-47 /authentication/apiKey"]);
}

#[test]
fn reports_all_faults_together_in_document_order() {
    let body = r#"{"authentication": {"authType": "OAUTH2", "tokenUrl": "http://login.example/", "scope": "a  b"},
        "domains": ["WRKR_ADD", "WRKR_PAY", 5, "CLT_ADD"], "companyId": "a b", "uri": "https://10.0.0.1/"}"#;
    assert_eq!(
        faults(read_hook(body)),
        [
            "API-48 /authentication/tokenUrl",
            "API-48 /authentication/scope",
            "API-46 /authentication/clientId",
            "API-46 /authentication/clientSecret",
            "API-48 /domains/1",
            "API-48 /domains/2",
            "API-48 /domains/3",
            "API-48 /companyId",
            "API-48 /uri",
        ]
    );
}

#[test]
fn reports_a_rejected_address_by_its_rule_without_repeating_it() {
    let uri = "https://user:secret@hooks.example.com/in?key=secret";
    let reported = read_hook(&hook_with(&json!({ "uri": uri }))).unwrap_err().to_string();
    assert_eq!(reported, "API-48 uri must have no user name and no password (/uri)");
    let address = json!({"authType": "OAUTH2", "tokenUrl": "https://login.example/#secret", "clientId": "a", "clientSecret": "secret"});
    let reported = read_hook_authentication(&address).unwrap_err().to_string();
    assert!(reported.starts_with("API-48 tokenUrl must have no fragment"), "{reported}");
    assert!(!reported.contains("secret"), "{reported}");
}

#[test]
fn repeats_an_unknown_domain_only_if_it_is_a_plain_word() {
    let reported =
        |domains: Json| read_hook(&hook_with(&json!({ "domains": domains }))).unwrap_err().to_string();
    let known = "WRKR_ADD, WRKR_DEM, WRKR_EMPL, WRKR_TAX, WRKR_ASGN, WRKR_CMP, CLT_DEM, CLT_ORG, CLT_PROD, CLT_ACCESS, CLT_PYRN";
    for (domains, unknown, place) in [
        (json!(["WRKR_ADD", "wrkr_dem"]), "; unknown: wrkr_dem", "/domains/1"),
        (json!(["<script>"]), "", "/domains/0"),
        (json!("WRKR_ADD,A,B C,,CLT-B"), "; unknown: A, CLT-B", "/domains"),
        (json!(","), "", "/domains"),
    ] {
        let expected = format!("API-48 domains must contain only these domains: {known}{unknown} ({place})");
        assert_eq!(reported(domains), expected);
    }
    assert!(reported(json!({"a": 1})).contains("must be an array of domains"));
}

#[test]
fn reads_each_method_with_its_credentials() {
    let basic = json!({"authType": "BASIC_AUTH", "username": "\u{fc}nn", "password": "p:\u{fc} "});
    let read = read_hook_authentication(&basic).unwrap();
    let password = SecretText::new("p:\u{fc} ");
    assert_eq!(read, Authentication::Basic { username: "\u{fc}nn".to_owned(), password });

    let key = json!({"authType": "API_KEY", "apiKey": "Bearer k", "apiKeyHeader": "X-Token"});
    let read = read_hook_authentication(&key).unwrap();
    let (header, key) = ("x-token".to_owned(), SecretText::new("Bearer k"));
    assert_eq!(read, Authentication::ApiKey { header, key });

    for method in ["OAUTH2", "OAUTH2_BASIC"] {
        let client = json!({"authType": method, "tokenUrl": "https://login.example.com:8443/token",
            "clientId": "id", "clientSecret": "s", "scope": "read write",
            "grantType": "client_credentials", "contentType": "application/json"});
        let read = read_hook_authentication(&client).unwrap();
        assert_eq!(read.auth_type().as_str(), method);
        let (Authentication::OAuth2(client) | Authentication::OAuth2Basic(client)) = read else { panic!() };
        assert_eq!((client.token_url.port(), client.scope.as_deref()), (8_443, Some("read write")));
        assert_eq!((client.client_id.as_str(), client.client_secret.expose()), ("id", "s"));
    }
}

#[test]
fn rejects_unsendable_credentials_by_api_48() {
    let basic = json!({"authType": "BASIC_AUTH", "username": "ann", "password": "p"});
    let key = json!({"authType": "APIKEY", "apiKey": "k"});
    let client = json!({"authType": "OAUTH2", "tokenUrl": "https://login.example.com/", "clientId": "a", "clientSecret": "b"});
    let wrong = [
        (&basic, "authType", vec!["basic_auth", "NONE", "API-KEY"]),
        (&basic, "username", vec!["a:b", "a\nb", "\u{7f}"]),
        (&basic, "password", vec!["a\r\nb", "\0"]),
        (&key, "apiKey", vec!["a\r\nHost: b", " k", "k ", "\u{fc}", "a\tb", "\u{7f}"]),
        (&client, "clientId", vec!["a\nb"]),
        (&client, "clientSecret", vec!["a\u{85}b"]),
        (&client, "scope", vec![" a", "a ", "a  b", "a\"b", "a\\b", "\u{fc}", "a\tb"]),
        (&client, "tokenUrl", vec!["login.example.com", "http://login.example.com/", "https://127.1/"]),
    ];
    for (good, name, values) in wrong {
        for value in values {
            let mut faulty = good.clone();
            faulty[name] = json!(value);
            let expected = [format!("API-48 /authentication/{name}")];
            assert_eq!(faults(read_hook_authentication(&faulty)), expected, "{name} {value:?}");
        }
    }
    assert_eq!(faults(read_hook_authentication(&json!("BASIC_AUTH"))), ["API-48 /authentication"]);
}

#[test]
fn rejects_headers_that_the_server_sets_itself() {
    let with_header = |header: &str| {
        read_hook_authentication(&json!({"authType": "APIKEY", "apiKey": "k", "apiKeyHeader": header}))
    };
    let refused = [
        "Host",
        "AUTHORIZATION",
        "Content-Type",
        "content-length",
        "Webhook-Id",
        "webhook-signature",
        "Connection",
        "Keep-Alive",
        "TE",
        "Trailer",
        "Transfer-Encoding",
        "Upgrade",
        "Proxy-Authorization",
        "User-Agent",
        "Expect",
        "a b",
        "a:b",
        "\u{fc}",
        "a\r\nb",
    ];
    for header in refused {
        assert_eq!(faults(with_header(header)), ["API-48 /authentication/apiKeyHeader"], "{header:?}");
    }
    for header in ["x-api-key", "Api_Key", "Cookie", "X-Content-Key", "hosts", "webhook"] {
        assert!(with_header(header).is_ok(), "{header}");
    }
}

#[test]
fn limits_the_length_of_texts() {
    let limits = [
        ("BASIC_AUTH", "username", 256),
        ("BASIC_AUTH", "password", 4_096),
        ("APIKEY", "apiKey", 4_096),
        ("APIKEY", "apiKeyHeader", 64),
        ("OAUTH2", "clientId", 256),
        ("OAUTH2", "clientSecret", 4_096),
        ("OAUTH2", "scope", 1_024),
    ];
    for (method, name, longest) in limits {
        let of_length = |length: usize| {
            let mut whole = json!({"authType": method, "username": "a", "password": "b", "apiKey": "c",
                "tokenUrl": "https://login.example.com/", "clientId": "d", "clientSecret": "e"});
            whole[name] = json!("x".repeat(length));
            read_hook_authentication(&whole)
        };
        assert!(of_length(longest).is_ok(), "{name}");
        assert_eq!(faults(of_length(longest + 1)), [format!("API-48 /authentication/{name}")]);
    }
}

#[test]
fn a_change_contains_only_the_sent_members() {
    let nothing =
        read_change(r#"{"uri": null, "domains": null, "authentication": null, "more": 1}"#).unwrap();
    assert_eq!(nothing, HookChange::default());
    let address = read_change(r#"{"url": "https://b.example/"}"#).unwrap();
    assert_eq!(address.address.unwrap().as_str(), "https://b.example/");
    assert_eq!((address.domains, address.authentication), (None, None));
    assert_eq!(read_change(r#"{"domains": "CLT_ACCESS"}"#).unwrap().domains.unwrap(), [CompanyAccess]);
    let key = r#"{"authentication": {"authType": "APIKEY", "apiKey": "k"}}"#;
    assert_eq!(read_change(key).unwrap().authentication.unwrap().auth_type(), AuthType::ApiKey);
}

#[test]
fn rejects_empty_values_in_a_change() {
    let body = r#"{"uri": "", "domains": [], "authentication": {}}"#;
    let expected = ["API-46 /uri", "API-46 /domains", "API-46 /authentication/authType"];
    assert_eq!(faults(read_change(body)), expected);
    assert_eq!(faults(read_change(r#"{"url": ""}"#)), ["API-46 /url"]);
}

#[test]
fn accepts_a_hook_that_is_sent_back_unchanged() {
    let sent_back = super::write_hook(&hook(), Some("whsec_x"));
    let change = read_change(&sent_back).unwrap();
    assert_eq!((change.address, change.domains), (Some(hook().address), Some(hook().domains)));
    assert_eq!(change.authentication, None);
}

#[test]
fn rejects_a_change_of_fixed_members_by_api_48() {
    let body = r#"{"hookId": "H-2", "companyId": "OTHER", "clientId": 5, "authType": "BASIC_AUTH", "active": false}"#;
    let expected =
        ["API-48 /hookId", "API-48 /companyId", "API-48 /clientId", "API-48 /authType", "API-48 /active"];
    assert_eq!(faults(read_change(body)), expected);
    let same = r#"{"hookId": "H-1", "clientId": "ACME", "authType": "API_KEY", "active": true}"#;
    assert_eq!(read_change(same).unwrap(), HookChange::default());
}

#[test]
fn reports_a_rejected_host_at_the_member_of_its_address() {
    let body = r#"{"url": "https://a.example/", "authentication": {"tokenUrl": "https://b.example/"}}"#;
    let document = parse(body.as_bytes()).unwrap();
    let late = vec![
        rejected_token_url_violation(&document, AddressRule::Public),
        rejected_receiver_violation(&document, AddressRule::Public),
    ];
    let reported: Vec<_> =
        Violations::from_faults(late).unwrap().iter().map(|fault| fault.pointer.clone().unwrap()).collect();
    assert_eq!(reported, ["/url", "/authentication/tokenUrl"]);
    assert_eq!(
        rejected_receiver_violation(&Value::Null.into(), AddressRule::Name).pointer.as_deref(),
        Some("/uri")
    );
}

#[test]
fn the_audit_log_omits_the_query_of_an_address() {
    let settings = write_hook_settings(&hook());
    assert!(
        settings.contains(r#""uri":"https://hooks.example.com/in","#) && !settings.contains("secret"),
        "{settings}"
    );
    assert!(super::write_hook(&hook(), Some("whsec_x")).ends_with(r#""signingSecret":"whsec_x"}"#));
}

fn any_json() -> impl Strategy<Value = Json> {
    let names = prop_oneof![
        Just("uri"),
        Just("url"),
        Just("domains"),
        Just("companyId"),
        Just("clientId"),
        Just("hookId"),
        Just("authentication"),
        Just("authType"),
        Just("apiKey"),
        Just("tokenUrl"),
        Just("username"),
    ];
    let leaf = prop_oneof![
        Just(Json::Null),
        Just(json!(true)),
        Just(json!(1)),
        Just(json!("WRKR_ADD")),
        Just(json!("APIKEY")),
        Just(json!("OAUTH2")),
        Just(json!("https://a.example/")),
        any::<String>().prop_map(Json::from),
    ];
    leaf.prop_recursive(3, 32, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            prop::collection::btree_map(names.clone().prop_map(str::to_owned), inner, 0..8)
                .prop_map(|members| Json::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn no_document_causes_a_panic_or_an_internal_error(body in any_json()) {
        for read in [read_hook(&body.to_string()).map(|_| ()), read_change(&body.to_string()).map(|_| ())] {
            for fault in read.err().into_iter().flatten() {
                prop_assert_eq!(fault.reason.kind(), crate::code::ReasonKind::Fault, "{}", body);
            }
        }
    }
}
