//! Tests of conditional requests: an entity tag identifies the content of a response and changes with it.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::world::{company, test_data_lines};
use crate::support::{
    Caller, OPEN, Request, Server, check_with_correlation_id, grant_to_application, import_line,
    on_every_database, with_member,
};

/// Returns the entity tag in the response to a GET.
async fn read_etag(server: &Server, target: &str) -> String {
    let response = server.send(&Request::get(target)).await;
    assert_eq!(response.status, 200, "{response:?}");
    response.header("etag").to_owned()
}

/// Returns the company [`OPEN`] of the test data, with another value for one member.
fn company_with_member(member: &str, value: Value) -> Value {
    let open = test_data_lines().into_iter().find(|line| line["companyId"] == OPEN).expect("the company");
    with_member(open, member, value)
}

/// Returns changed companies. Each changed company follows the path of a GET whose response shows the change.
fn company_changes() -> Vec<(&'static str, Value)> {
    let renamed =
        |id: &str, display_id: &str| with_member(company(id, display_id), "legalName", "Renamed LLC");
    let child = with_member(renamed("CHILD", "00020001"), "parentCompanyId", OPEN);
    let type_of =
        |id: &str, name: &str| json!([{"customEmploymentTypeId": id, "customEmploymentTypeName": name}]);
    vec![
        ("/companies", renamed("PARENT", "00010001")),
        (
            "/companies?limit=100",
            with_member(company("PARENT", "00010001"), "legalName", "Renamed once more LLC"),
        ),
        ("/companies?displayid=01000001", company_with_member("legalName", json!("Renamed LLC"))),
        ("/companies/OPEN", company_with_member("legalName", json!("Renamed again LLC"))),
        ("/companies/OPEN?includelineage=true", child),
        ("/companies/CHILD?includelineage=true", renamed("PARENT", "00010009")),
        (
            "/companies/OPEN/calculationbases?limit=1",
            company_with_member(
                "calculationBases",
                json!([{"calculationBaseId": "BASE-9", "calculationBaseName": "Base 9"}]),
            ),
        ),
        (
            "/companies/OPEN/contacttypes",
            company_with_member(
                "contactTypes",
                json!([{"contactTypeId": "EMERGENCY", "contactTypeName": "Renamed"}]),
            ),
        ),
        (
            "/companies/OPEN/customemploymenttypes",
            company_with_member("customEmploymentTypes", type_of("HYBRID", "Renamed")),
        ),
        (
            "/companies/OPEN/customfields",
            company_with_member(
                "customFields",
                json!([{"customFieldId": "BADGE", "customFieldName": "Renamed", "type": "TEXT"}]),
            ),
        ),
    ]
}

#[test]
fn every_visible_change_changes_the_etag() {
    on_every_database(async |server| {
        for (target, changed) in company_changes() {
            let before = read_etag(server, target).await;
            import_line(&*server.store, &changed).await;
            assert_ne!(before, read_etag(server, target).await, "{target}");
        }
    });
}

#[test]
fn an_import_without_changes_keeps_every_etag() {
    on_every_database(async |server| {
        for (target, _) in company_changes() {
            let before = read_etag(server, target).await;
            import_line(&*server.store, &company_with_member("displayId", json!("00-0100 0001"))).await;
            assert_eq!(before, read_etag(server, target).await, "{target}");
        }
    });
}

#[test]
fn a_relative_that_becomes_invisible_changes_the_etag_of_the_lineage() {
    on_every_database(async |server| {
        let target = "/companies/OPEN?includelineage=true";
        let before = read_etag(server, target).await;
        grant_to_application(&*server.store, "partner", "CHILD", payroll_domain::access::Scopes::NONE).await;
        let after = server.send(&Request::get(target).header("if-none-match", before)).await;
        assert_eq!((after.status, after.content()[0]["lineage"]["descendants"].clone()), (200, json!([])));
    });
}

#[test]
fn a_new_custom_field_changes_the_etag_of_the_list() {
    on_every_database(async |server| {
        let target = "/companies/OPEN/customfields";
        let before = read_etag(server, target).await;
        let field = json!({"customFieldName": "Hat size", "type": "TEXT"});
        server.send(&Request::post_custom_field(OPEN, &field)).await;
        assert_ne!(before, read_etag(server, target).await);
    });
}

#[test]
fn callers_have_different_etags() {
    on_every_database(async |server| {
        let request = Request::get(format!("/companies/{OPEN}/checks?payperiodid=ENTRY&filterbyuserid=true"));
        let etag = server.send(&request).await.header("etag").to_owned();
        let other = request.with_caller(Caller::PeriodScoped).header("if-none-match", etag);
        assert_eq!(server.send(&other).await.status, 200);
    });
}

#[test]
fn a_matching_etag_gets_304_and_another_one_gets_the_response() {
    on_every_database(async |server| {
        let request = Request::get(format!("/companies/{OPEN}/checks?payperiodid=ENTRY"));
        let etag = server.send(&request).await.header("etag").to_owned();
        assert!(etag.starts_with("W/\""), "{etag}");
        let again = request.header("if-none-match", &etag);
        let unchanged = server.send(&again).await;
        assert_eq!((unchanged.status, unchanged.header("etag")), (304, etag.as_str()));
        server.send(&Request::post_checks(OPEN, &check_with_correlation_id("new"))).await;
        assert_eq!(server.send(&again).await.status, 200);
    });
}

#[test]
fn an_etag_of_another_response_gets_the_complete_response() {
    on_every_database(async |server| {
        for number in 0..3 {
            server
                .send(&Request::post_checks(OPEN, &check_with_correlation_id(&format!("check-{number}"))))
                .await;
        }
        for target in [
            "/companies".to_owned(),
            "/companies?offset=1".to_owned(),
            format!("/companies/{OPEN}/calculationbases"),
            format!("/companies/{OPEN}/calculationbases?offset=2&limit=2"),
            format!("/companies/{OPEN}/checks?payperiodid=ENTRY"),
            format!("/companies/{OPEN}/payperiods"),
            format!("/companies/{OPEN}/payperiods?offset=1&limit=2"),
            format!("/companies/{OPEN}/payperiods?limit=251"),
            format!("/companies/{OPEN}/paycomponents"),
            format!("/companies/{OPEN}/workers?limit=2"),
        ] {
            let request = Request::get(target.as_str());
            let whole = server.send(&request).await;
            let stale = server.send(&request.clone().header("if-none-match", "W/\"stale\"")).await;
            assert_eq!((stale.status, stale.json()), (200, whole.json()), "{target}");
            let held = server.send(&request.header("if-none-match", whole.header("etag"))).await;
            assert_eq!((held.status, held.header("etag")), (304, whole.header("etag")), "{target}");
        }
    });
}

#[test]
fn the_etag_of_a_page_of_pay_periods_covers_its_periods_and_the_total() {
    on_every_database(async |server| {
        let target = |offset: usize| format!("/companies/{OPEN}/payperiods?offset={offset}&limit=1");
        let page = |offset: usize| Request::get(target(offset));
        let first = server.send(&page(0)).await.json();
        let total = usize::try_from(first["metadata"]["pagination"]["total"].as_u64().expect("a total"));
        let total = total.expect("a count");
        assert!(total > 2, "{first}");
        let mut before = Vec::new();
        for offset in 0..=total {
            before.push(server.send(&page(offset)).await);
        }
        server.send(&Request::post_checks(OPEN, &check_with_correlation_id("one"))).await;
        for (offset, held) in before.iter().enumerate() {
            let head = server.send(&Request::new(Method::HEAD, target(offset))).await;
            let now = server.send(&page(offset)).await;
            assert_eq!(head.header("etag"), now.header("etag"), "{offset}");
            let has_it = held.text().contains("/payperiods/ENTRY\"");
            assert_eq!(held.header("etag") != now.header("etag"), has_it, "{offset}: {}", held.text());
            let conditional = page(offset).header("if-none-match", held.header("etag"));
            assert_eq!(server.send(&conditional).await.status, if has_it { 200 } else { 304 }, "{offset}");
        }
        let mut periods = company_with_member("legalName", json!("ACME LLC"))["payPeriods"].clone();
        let mut one_more = periods[0].clone();
        one_more["payPeriodId"] = json!("ONE-MORE");
        periods.as_array_mut().expect("periods").push(one_more);
        import_line(&*server.store, &company_with_member("payPeriods", periods)).await;
        for (offset, held) in before.iter().enumerate() {
            assert_ne!(held.header("etag"), read_etag(server, &target(offset)).await, "{offset}");
        }
    });
}

#[test]
fn if_none_match_accepts_lists_asterisks_and_strong_etags() {
    on_every_database(async |server| {
        let request = Request::get("/companies");
        let etag = server.send(&request).await.header("etag").to_owned();
        let strong = etag.trim_start_matches("W/");
        let mut reported = Vec::new();
        for value in [&format!("\"other\", {etag}"), strong, "*", "\"other\"", "garbage"] {
            reported.push(server.send(&request.clone().header("if-none-match", value)).await.status);
        }
        assert_eq!(reported, [304, 304, 304, 200, 200]);
    });
}

#[test]
fn each_query_media_type_and_access_has_a_different_etag() {
    on_every_database(async |server| {
        let etag = async |request: Request| server.send(&request).await.header("etag").to_owned();
        let plain = etag(Request::get("/companies")).await;
        let paged = etag(Request::get("/companies?limit=1")).await;
        let json = etag(Request::get("/companies").accept("application/json")).await;
        server.database.execute("UPDATE applications SET access_version = access_version + 1").await;
        let regranted = etag(Request::get("/companies")).await;
        let mut all = vec![plain, paged, json, regranted];
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 4, "{all:?}");
    });
}

#[test]
fn an_etag_request_header_is_ignored() {
    on_every_database(async |server| {
        assert_eq!(server.send(&Request::get("/companies").header("etag", "\"mine\"")).await.status, 200);
    });
}
