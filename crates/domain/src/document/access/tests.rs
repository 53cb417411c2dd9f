//! Tests for documents about access: rejected input, and reading back a written document.

use super::*;
use crate::date::Timestamp;
use crate::input::parse;

fn find_faults<T: std::fmt::Debug>(read: Result<T, Violations>) -> Vec<String> {
    let faults = read.unwrap_err();
    faults
        .iter()
        .map(|fault| format!("{} {}", fault.reason.code(), fault.pointer.as_deref().unwrap()))
        .collect()
}

fn find_application_faults(json: &str) -> Vec<String> {
    find_faults(read_application(&parse(json.as_bytes()).unwrap()))
}

fn find_grant_faults(json: &str) -> Vec<String> {
    let of = ("APP-1".parse().unwrap(), "ACME".parse().unwrap());
    find_faults(read_grant(&parse(json.as_bytes()).unwrap(), (&of.0, &of.1)))
}

#[test]
fn a_written_application_reads_back_equal() {
    let settings = ApplicationSettings {
        name: "Über \\ \"Partner\"".to_owned(),
        enabled: false,
        correlation_ids_last_for_the_pay_period: true,
        rate_limit_per_minute: Some(7),
        webhook_scopes: Scopes::for_applications(),
    };
    let application_id: ApplicationId = "APP-1".parse().unwrap();
    let secrets = vec![ApplicationSecret {
        secret_id: "S1".parse().unwrap(),
        created: Timestamp::from_micros(0),
        public_key: None,
    }];
    let written =
        Application { application_id: application_id.clone(), client_id: "k".to_owned(), settings, secrets };
    for json in [write_application(&written, Some("pks_x")), write_application_settings(&written)] {
        let read = read_application(&parse(json.as_bytes()).unwrap()).unwrap();
        assert_eq!(read.settings, written.settings);
        assert_eq!(read.application_id.as_ref(), Some(&application_id));
    }
}

#[test]
fn a_minimal_application_is_enabled_without_permissions() {
    let read = read_application(&parse(br#"{"name": "Partner"}"#).unwrap()).unwrap();
    assert!(read.settings.enabled && read.settings.webhook_scopes.is_empty());
    assert!(!read.settings.correlation_ids_last_for_the_pay_period);
    assert_eq!((read.application_id, read.settings.rate_limit_per_minute), (None, None));
}

#[test]
fn reports_every_fault_of_an_application() {
    let faulty = r#"{"applicationId": "a b", "enabled": "yes", "correlationScope": "day",
        "rateLimitPerMinute": 0, "webhookScopes": ["read:webhooks", "read:payroll", 5], "nmae": "x"}"#;
    assert_eq!(
        find_application_faults(faulty),
        [
            "API-48 /applicationId",
            "API-48 /enabled",
            "API-48 /correlationScope",
            "API-48 /rateLimitPerMinute",
            "API-48 /webhookScopes/1",
            "API-48 /webhookScopes/2",
            "API-48 /nmae",
            "API-46 /name",
        ]
    );
}

#[test]
fn a_grant_accepts_only_scopes_of_companies() {
    assert_eq!(
        find_grant_faults(r#"{"scopes": ["read:webhooks", "read:all"]}"#),
        ["API-48 /scopes/0", "API-48 /scopes/1"]
    );
    assert_eq!(find_grant_faults("{}"), ["API-46 /scopes"]);
    assert_eq!(find_grant_faults(r#"{"scopes": []}"#), ["API-46 /scopes"]);
}

#[test]
fn rejects_a_grant_that_differs_from_its_path() {
    let other = r#"{"applicationId": "APP-2", "companyId": "ACME", "scopes": ["read:payroll"]}"#;
    assert_eq!(find_grant_faults(other), ["API-48 /applicationId"]);
}
