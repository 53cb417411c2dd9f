//! A stored row that makes no sense: 500 API-1 on every operation that reads it, the cause kept
//! from the caller; and a company being converted: the one answer without a code.

use crate::operations::OPERATIONS;
use crate::support::hooks::put_hooks;
use crate::support::{CONVERTING, OPEN, Request, good_request, on_every_database};

const SPOILT_HOOK: &str = "hooks SET auth_type = 'CONFUSED'";
const SPOILT_APPLICATION: &str = "applications SET webhook_scopes = 'CONFUSED'";

/// For each operation a row that it reads, spoilt.
const CORRUPTIONS: &[(&str, &str, &str)] = &[
    ("GET", "/companies", "companies SET legal_id_type = 'CONFUSED' WHERE company_id = 'PARENT'"),
    ("GET", "/companies/{companyId}", "companies SET legal_id_type = 'CONFUSED' WHERE company_id = 'OPEN'"),
    (
        "GET",
        "/companies/{companyId}/calculationbases",
        "calculation_bases SET calculation_base_id = 'a b' WHERE calculation_base_id = 'BASE-1'",
    ),
    (
        "GET",
        "/companies/{companyId}/checks",
        "pay_periods SET status = 'CONFUSED' WHERE pay_period_id = 'ENTRY'",
    ),
    ("POST", "/companies/{companyId}/checks", "pay_components SET effect_on_pay = 'CONFUSED'"),
    ("GET", "/companies/{companyId}/contacttypes", "contact_types SET contact_type_id = 'a b'"),
    (
        "GET",
        "/companies/{companyId}/customemploymenttypes",
        "custom_employment_types SET custom_employment_type_id = 'a b' WHERE custom_employment_type_id = 'REMOTE'",
    ),
    ("GET", "/companies/{companyId}/customfields", "custom_fields SET field_type = 'CONFUSED'"),
    (
        "POST",
        "/companies/{companyId}/customfields",
        "custom_field_categories SET category_id = 'a b' WHERE category_id = 'UNIFORM'",
    ),
    ("GET", "/management/events", "events SET action = 'CONFUSED'"),
    ("GET", "/management/hooks/{hookId}/deliveries", "deliveries SET state = 'CONFUSED'"),
    ("GET", "/management/hooks/{hookId}/deliveries/{deliveryId}", "deliveries SET state = 'CONFUSED'"),
    ("GET", "/management/hooks", "hooks SET auth_type = 'CONFUSED'"),
    ("GET", "/management/hooks/{hookId}", SPOILT_HOOK),
    ("PATCH", "/management/hooks/{hookId}", SPOILT_HOOK),
    ("DELETE", "/management/hooks/{hookId}", SPOILT_HOOK),
    ("POST", "/management/hooks/{hookId}/deliveries/{deliveryId}/replay", SPOILT_HOOK),
    ("POST", "/management/hooks/{hookId}/enable", SPOILT_HOOK),
    ("POST", "/management/hooks/{hookId}/replay", SPOILT_HOOK),
    ("POST", "/management/hooks/{hookId}/rotate-secret", SPOILT_HOOK),
    ("POST", "/management/hooks/{hookId}/test", SPOILT_HOOK),
    ("POST", "/management/hooks", SPOILT_APPLICATION),
    ("GET", "/management/domains", SPOILT_APPLICATION),
    ("GET", "/management/sourceaddresses", SPOILT_APPLICATION),
    ("POST", "/auth/oauth/v2/token", "secrets SET hash = 'CONFUSED'"),
];

#[test]
fn every_operation_has_a_row_to_spoil() {
    let spoilt: Vec<_> = CORRUPTIONS.iter().map(|(method, path, _)| (*method, *path)).collect();
    assert!(OPERATIONS.iter().all(|it| spoilt.contains(&(it.method, it.path))), "{spoilt:?}");
}

#[test]
fn a_row_that_makes_no_sense_is_500_api_1_and_says_nothing_of_the_cause() {
    on_every_database(async |server| {
        put_hooks(server).await;
        server.send(&Request::get("/companies")).await; // the token, before the secrets are spoilt
        for (method, path, row) in CORRUPTIONS {
            server.database.execute(&format!("UPDATE {row}")).await;
            let answer = server.send(&good_request(method, path, OPEN)).await;
            assert_eq!(answer.refusal(), "500 API-1", "{method} {path}");
            let told = String::from_utf8_lossy(&answer.body).into_owned();
            assert!(!["CONFUSED", "a b", "legal_id"].iter().any(|cause| told.contains(cause)), "{told}");
        }
    });
}

#[test]
fn a_company_being_converted_is_409_without_a_body_and_reads_in_every_other_way() {
    on_every_database(async |server| {
        let converting = server.send(&Request::get(format!("/companies/{CONVERTING}"))).await;
        let lists = server.send(&Request::get(format!("/companies/{CONVERTING}/customfields"))).await;
        assert_eq!((converting.status, converting.body.len(), lists.status), (409, 0, 200));
        let wrong = Request::get(format!("/companies/{CONVERTING}?includelineage=x"));
        assert_eq!(server.send(&wrong).await.status, 409, "told before what is wrong with the parameters");
    });
}
