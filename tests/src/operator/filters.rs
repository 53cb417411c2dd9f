//! Tests of filtered lists for operators (specification §10.6): each filter alone, several filters, pages of
//! filtered lists, and invalid filters.

use serde_json::{Value, json};

use super::get;
use crate::support::world::{component, worker};
use crate::support::{BARE, Caller, OPEN, Request, Server, import_line, on_every_database, with_member};

fn worker_named(id: &str, given: &str, family: &str) -> Value {
    with_member(worker(id, "EMPLOYEE"), "name", json!({"familyName": family, "givenName": given}))
}

/// Creates workers and pay components to search for.
async fn create_workers(server: &Server) {
    let status = json!({"workerStatusId": "S", "statusType": "ACTIVE", "effectiveDate": "2025-01-01"});
    let ann = with_member(
        with_member(worker_named("ANN", "Ann", "Meyer"), "currentStatus", status),
        "employeeId",
        "7",
    );
    let ann = with_member(ann, "legalId", json!({"legalIdType": "SSN", "legalIdValue": "000006789"}));
    let company = json!({
        "companyId": BARE, "displayId": "SHORT", "legalName": "Bare Example LLC",
        "workers": [
            ann,
            with_member(worker_named("BEN", "Ben", "MEYERS"), "locationId", "HARBOR"),
            with_member(worker_named("ODD", "100%_a\\b", "O'Hara"), "hireDate", "2026-01-15"),
            worker_named("EVE", "Ève", "D'Été"),
            worker_named("ZOE", "ZOË", "MÜLLER"),
        ],
        "payComponents": [
            component("FOOD", "ADDITION"),
            with_member(component("DUES", "REDUCTION"), "name", "Gewerkschaft Übertrag 5%"),
            with_member(component("TIPS", "ADDITION"), "classificationType", "TIPS"),
        ],
    });
    import_line(&*server.store, &company).await;
}

/// Returns the ids in the response to a GET, or the status and code of an error.
async fn find_ids(server: &Server, path: &str, id: &str) -> String {
    let response = get(server, path).await;
    if response.is_success() { response.members(id).join(" ") } else { response.status_and_code() }
}

#[test]
fn each_filter_of_workers_finds_the_matching_workers() {
    on_every_database(async |server| {
        create_workers(server).await;
        let table = [
            ("", "ANN BEN ODD EVE ZOE"),
            ("name=mey", "ANN BEN"),
            ("name=n+mey", "ANN BEN"),
            ("name=ann+meyer", "ANN"),
            ("name=meyer+ann", ""),
            ("name=%25", "ODD"),
            ("name=_", "ODD"),
            ("name=0%25_a%5C", "ODD"),
            ("name=o%27hara", "ODD"),
            ("name=%C3%A9t%C3%A9", "EVE"),
            ("name=%C3%88VE", "EVE"),
            ("name=m%C3%BCll", "ZOE"),
            ("name=%C3%9CLL", "ZOE"),
            ("name=%00", ""),
            ("givenname=ann", "ANN"),
            ("familyname=mey", ""),
            ("employeeid=7", "ANN"),
            ("legallastfour=6789", "ANN"),
            ("legallastfour=0000", ""),
            ("locationid=HARBOR", "BEN"),
            ("status=ACTIVE", "ANN"),
            ("from=2025-01-01", "ANN ODD"),
            ("to=2025-01-01", "ANN"),
            ("name=mey&status=ACTIVE", "ANN"),
            ("name=mey&locationid=HARBOR", "BEN"),
            ("name=mey&from=2026-01-01", ""),
            ("legallastfour=6789&name=eyer", "ANN"),
            ("legallastfour=6789&name=ben", ""),
        ];
        for (query, expected) in table {
            let path = format!("/companies/{BARE}/workers?{query}");
            assert_eq!(find_ids(server, &path, "workerId").await, expected, "{query}");
        }
    });
}

#[test]
fn each_filter_of_pay_components_finds_the_matching_components() {
    on_every_database(async |server| {
        create_workers(server).await;
        let table = [
            ("", "FOOD DUES TIPS"),
            ("effectonpay=REDUCTION", "DUES"),
            ("effectonpay=ADDITION", "FOOD TIPS"),
            ("classificationtype=TIPS", "TIPS"),
            ("name=COMP", "FOOD TIPS"),
            ("name=%C3%BCber", "DUES"),
            ("name=5%25", "DUES"),
            ("name=%25%25", ""),
            ("name=comp&classificationtype=TIPS", "TIPS"),
            ("effectonpay=REDUCTION&name=comp", ""),
        ];
        for (query, expected) in table {
            let path = format!("/companies/{BARE}/paycomponents?{query}");
            assert_eq!(find_ids(server, &path, "componentId").await, expected, "{query}");
        }
    });
}

#[test]
fn each_filter_of_pay_periods_finds_the_matching_periods() {
    on_every_database(async |server| {
        let table = [
            ("status=INITIAL", "INITIAL"),
            ("status=INITIAL&status=ENTRY", "INITIAL ENTRY BEFORE-PAYROLL"),
            ("status=PROCESSING", ""),
            ("to=2019-12-14", "BEFORE-PAYROLL"),
            ("from=2019-12-01&to=2019-12-14", "BEFORE-PAYROLL"),
            ("from=2026-05-04&status=ENTRY", "ENTRY"),
            ("from=2026-05-05", ""),
        ];
        for (query, expected) in table {
            let path = format!("/companies/{OPEN}/payperiods?{query}");
            assert_eq!(find_ids(server, &path, "payPeriodId").await, expected, "{query}");
        }
        let path = format!("/companies/{OPEN}/payperiods?status=COMPLETED");
        let completed = get(server, &path).await.content();
        assert_eq!(completed[0]["totals"]["checks"], 3, "{completed:?}");
    });
}

#[test]
fn each_filter_of_companies_finds_the_matching_companies() {
    on_every_database(async |server| {
        let table = [
            ("name=bare", "BARE"),
            ("name=EN+exam", "OPEN"),
            ("name=%25", ""),
            ("displayid=00020001", "CHILD"),
            ("displayid=00020001&name=child", "CHILD"),
            ("displayid=00020001&name=open", ""),
            ("state=ENDED", "ENDED"),
            ("state=CONVERTING", "CONVERTING"),
            ("state=ENDED&state=CONVERTING", "CONVERTING ENDED"),
            ("state=ACTIVE", "BARE BUSY CHILD FOREIGN LOCKED OPEN PARENT"),
            ("state=ACTIVE&name=ende", ""),
        ];
        for (query, expected) in table {
            assert_eq!(
                find_ids(server, &format!("/companies?{query}"), "companyId").await,
                expected,
                "{query}"
            );
        }
    });
}

#[test]
fn invalid_filters_are_rejected_with_all_their_faults() {
    on_every_database(async |server| {
        let long = "x".repeat(101);
        let workers = format!("/companies/{OPEN}/workers");
        for (path, expected) in [
            (format!("{workers}?name="), "400 API-40"),
            (format!("{workers}?name={long}"), "400 API-40"),
            (format!("{workers}?name=a&name=b"), "400 API-40"),
            (
                format!("{workers}?status=GONE&from=x&legallastfour=1&limit=-1"),
                "400 API-40 API-40 API-40 API-40",
            ),
            (format!("{workers}?fullname=a"), "400 API-40"),
            ("/companies/UNKNOWN/workers?name=".to_owned(), "404 API-7"),
            (format!("/companies/{OPEN}/paycomponents?effectonpay=PLUS&name="), "400 API-40 API-40"),
            (format!("/companies/{OPEN}/payperiods?status=OPEN&to=x"), "400 API-40 API-40"),
            ("/companies?state=OPEN&displayid=&name=".to_owned(), "400 API-40 API-40 API-40"),
        ] {
            assert_eq!(get(server, &path).await.status_and_code(), expected, "{path}");
        }
    });
}

#[test]
fn pages_of_a_filtered_list_keep_the_filter() {
    on_every_database(async |server| {
        create_workers(server).await;
        let response = get(server, &format!("/companies/{BARE}/workers?name=mey&limit=1")).await;
        assert_eq!(response.members("workerId"), ["ANN"]);
        assert_eq!(response.json()["metadata"]["pagination"]["total"], 2);
        let next = response.link("next").expect("another page");
        let (_, next) = next.split_once("/operator/v1").expect("an address of ours");
        let response = get(server, next).await;
        assert_eq!((response.members("workerId"), response.link("next")), (vec!["BEN".to_owned()], None));
        let response = get(server, "/companies?state=ACTIVE&offset=5&limit=1").await;
        assert_eq!(
            (response.members("companyId"), response.link("next").is_some()),
            (vec!["OPEN".to_owned()], true)
        );
    });
}

#[test]
fn a_long_filtered_list_is_complete_and_in_order_of_creation() {
    on_every_database(async |server| {
        let ids: Vec<String> = (0..700).map(|number| format!("MANY-{number:04}")).collect();
        let workers: Vec<Value> = ids.iter().map(|id| worker_named(id, id, "Long")).collect();
        let company = json!({
            "companyId": BARE, "displayId": "SHORT", "legalName": "Bare Example LLC", "workers": workers,
        });
        import_line(&*server.store, &company).await;
        let response = get(server, &format!("/companies/{BARE}/workers?name=many-0&offset=3")).await;
        assert_eq!(response.members("workerId"), ids[3..]);
    });
}

#[test]
fn the_etag_of_a_filtered_list_changes_with_its_elements() {
    on_every_database(async |server| {
        create_workers(server).await;
        let path = format!("/companies/{BARE}/workers?name=mey");
        let first = get(server, &path).await;
        let again = Request::operator_get(&path).header("if-none-match", first.header("etag"));
        assert_eq!(server.send(&again).await.status, 304);
        let renamed = json!({"name": {"familyName": "Meyer-Sample"}});
        let patch = Request::operator_patch(&format!("/companies/{BARE}/workers/EVE"), &renamed);
        assert_eq!(server.send(&patch).await.status, 200);
        let response = server.send(&again).await;
        assert_eq!(
            (response.status, response.members("workerId").join(" ")),
            (200, "ANN BEN EVE".to_owned())
        );
    });
}

#[test]
fn the_etag_of_companies_by_their_state_changes_with_the_day() {
    on_every_database(async |server| {
        let patch = json!({"endDate": "2026-05-12"});
        let patch = Request::operator_patch(&format!("/companies/{BARE}"), &patch);
        assert_eq!(server.send(&patch).await.status, 200);
        let path = "/companies?state=ENDED";
        let first = get(server, path).await;
        assert_eq!(first.members("companyId"), ["ENDED"]);
        server.clock.advance_seconds(12 * 3600);
        let again = Request::operator_get(path).header("if-none-match", first.header("etag"));
        let response = server.send(&again).await;
        assert_eq!(
            (response.status, response.members("companyId").join(" ")),
            (200, "BARE ENDED".to_owned())
        );
    });
}

#[test]
fn a_read_only_key_finds_workers_by_the_visible_part_of_their_tax_identity() {
    on_every_database(async |server| {
        create_workers(server).await;
        let request = Request::operator_get(&format!("/companies/{BARE}/workers?legallastfour=6789"));
        let response = server.send(&request.with_caller(Caller::OperatorReader)).await;
        assert_eq!(response.content()[0]["legalId"]["legalIdValue"], "*****6789");
    });
}
