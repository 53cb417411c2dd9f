//! Tests of a successful request to each operation: the status, the content, and each media type. The test
//! client verifies `metadata` in each response.

use serde_json::{Value, json};

use crate::operations::{CHECK, CHECKS, CUSTOM_FIELDS, JSON, OPERATIONS, PROCESSED_CHECK, PROCESSED_CHECKS};
use crate::support::files::{DOCUMENT_ID, store_files};
use crate::support::{
    BARE, CHILD_TAX_ID, Caller, GRANTED_COMPANIES, OPEN, Request, on_every_database, valid_check,
    valid_request,
};

/// Returns the path and a valid request of each operation. For GET of checks, there is a request for each
/// state of a period.
fn successful_requests() -> Vec<(&'static str, Request)> {
    [company_requests(), worker_requests()].concat()
}

fn company_requests() -> Vec<(&'static str, Request)> {
    let on_open = |list: &str| Request::get(format!("/companies/{OPEN}/{list}"));
    let field = json!({"customFieldName": "Hat size", "type": "NUMERIC"});
    vec![
        ("/companies", Request::get("/companies")),
        ("/companies/{companyId}", Request::get(format!("/companies/{OPEN}"))),
        ("/companies/{companyId}/calculationbases", on_open("calculationbases")),
        ("/companies/{companyId}/checks", on_open("checks?payperiodid=ENTRY")),
        ("/companies/{companyId}/checks", on_open("checks?payperiodid=COMPLETED")),
        ("/companies/{companyId}/checks", Request::post_checks(OPEN, &valid_check())),
        ("/companies/{companyId}/contacttypes", on_open("contacttypes")),
        ("/companies/{companyId}/customemploymenttypes", on_open("customemploymenttypes")),
        ("/companies/{companyId}/customfields", on_open("customfields")),
        ("/companies/{companyId}/customfields", Request::post_custom_field(OPEN, &field)),
        ("/companies/{companyId}/customfields/{customFieldId}", on_open("customfields/SHIRT")),
        (
            "/companies/{companyId}/customfields/{customFieldId}",
            Request::patch(format!("/companies/{OPEN}/customfields/SHIRT"), &json!({"required": true})),
        ),
        ("/companies/{companyId}/customfieldscategories", on_open("customfieldscategories")),
        (
            "/companies/{companyId}/customfieldscategories",
            Request::post(
                format!("/companies/{OPEN}/customfieldscategories"),
                &json!({"categoryName": "Footwear"}),
            ),
        ),
        ("/companies/{companyId}/jobtitles", on_open("jobtitles")),
        ("/companies/{companyId}/jobtitles/{jobTitleId}", on_open("jobtitles/BAKER")),
        ("/companies/{companyId}/laborassignments", on_open("laborassignments")),
        ("/companies/{companyId}/laborassignments/{laborAssignmentId}", on_open("laborassignments/NIGHT")),
        ("/companies/{companyId}/jobs", on_open("jobs")),
        (
            "/companies/{companyId}/jobs",
            Request::post(format!("/companies/{OPEN}/jobs"), &json!({"jobName": "Bridge"})),
        ),
        ("/companies/{companyId}/jobs/{jobId}", on_open("jobs/CAKES")),
        (
            "/companies/{companyId}/jobs/{jobId}",
            Request::patch(format!("/companies/{OPEN}/jobs/CAKES"), &json!({"endDate": "2051-12-31"})),
        ),
        ("/companies/{companyId}/jobsegments", on_open("jobsegments")),
        ("/companies/{companyId}/documentcategories", on_open("documentcategories")),
        ("/companies/{companyId}/users", on_open("users")),
        ("/companies/{companyId}/workerstatuses", on_open("workerstatuses")),
        ("/companies/{companyId}/workerstatuses/{statusId}", on_open("workerstatuses/HIRED")),
        ("/companies/{companyId}/locations", on_open("locations")),
        ("/companies/{companyId}/locations/{locationId}", on_open("locations/SHOP")),
        ("/companies/{companyId}/payfrequencies", on_open("payfrequencies")),
        ("/companies/{companyId}/statetaxes", on_open("statetaxes")),
        ("/companies/{companyId}/organizations", on_open("organizations")),
        ("/companies/{companyId}/organizations/{organizationId}", on_open("organizations/BAKERY")),
        ("/companies/{companyId}/paycomponents", on_open("paycomponents")),
        ("/companies/{companyId}/paycomponents/{componentId}", on_open("paycomponents/HOURLY")),
        ("/companies/{companyId}/payperiods", on_open("payperiods")),
        ("/companies/{companyId}/payperiods/{payPeriodId}", on_open("payperiods/ENTRY")),
        ("/companies/{companyId}/workers", on_open("workers")),
    ]
}

/// Returns valid requests about workers and about the application itself.
fn worker_requests() -> Vec<(&'static str, Request)> {
    vec![
        ("/workers/{workerId}", Request::get("/workers/EMPLOYEE")),
        ("/workers/{workerId}/communications", Request::get("/workers/EMPLOYEE/communications")),
        ("/workers/{workerId}/compensation", Request::get("/workers/EMPLOYEE/compensation")),
        (
            "/workers/{workerId}/compensation/paystandards",
            Request::get("/workers/EMPLOYEE/compensation/paystandards"),
        ),
        ("/workers/{workerId}/documents", Request::get("/workers/EMPLOYEE/documents")),
        (
            "/workers/{workerId}/documents/{documentId}",
            Request::get(format!("/workers/EMPLOYEE/documents/{DOCUMENT_ID}")),
        ),
        ("/workers/{workerId}/profileimage", Request::get("/workers/EMPLOYEE/profileimage")),
        ("/workers/{workerId}/i9status", Request::get("/workers/EMPLOYEE/i9status")),
        (
            "/workers/{workerId}/compensation/payrates",
            Request::get("/workers/EMPLOYEE/compensation/payrates"),
        ),
        (
            "/workers/{workerId}/compensation/payrates/{rateId}",
            Request::get("/workers/EMPLOYEE/compensation/payrates/HOUR"),
        ),
        ("/workers/{workerId}/directdeposits", Request::get("/workers/EMPLOYEE/directdeposits")),
        (
            "/workers/{workerId}/directdeposits/{directDepositId}",
            Request::get("/workers/EMPLOYEE/directdeposits/MAIN"),
        ),
        ("/workers/{workerId}/federaltax", Request::get("/workers/EMPLOYEE/federaltax")),
        ("/workers/{workerId}/statetaxes", Request::get("/workers/EMPLOYEE/statetaxes")),
        ("/workers/{workerId}/paycomponents", Request::get("/workers/EMPLOYEE/paycomponents")),
        (
            "/workers/{workerId}/paycomponents/{workerComponentId}",
            Request::get("/workers/EMPLOYEE/paycomponents/DUES"),
        ),
        ("/workers/{workerId}/customfields", Request::get("/workers/EMPLOYEE/customfields")),
        (
            "/workers/{workerId}/customfields/{workerCustomFieldId}",
            Request::get("/workers/EMPLOYEE/customfields/SIZE"),
        ),
        (
            "/workers/{workerId}/assignmentdistributions",
            Request::get("/workers/STARTS-LATER/assignmentdistributions"),
        ),
        ("/workers/{workerId}/status", Request::get("/workers/COLLEAGUE/status")),
        ("/workers/{workerId}/timeoff", Request::get("/workers/EMPLOYEE/timeoff")),
        ("/workers/{workerId}/contacts", Request::get("/workers/EMPLOYEE/contacts")),
        ("/workers/{workerId}/contacts/{contactId}", Request::get("/workers/EMPLOYEE/contacts/SISTER")),
        ("/management/domains", Request::get("/management/domains")),
        ("/management/hooks", Request::get("/management/hooks")),
        ("/management/sourceaddresses", Request::get("/management/sourceaddresses")),
        ("/workers/{workerId}/checks", Request::get("/workers/EMPLOYEE/checks?payperiodid=ENTRY")),
        ("/workers/{workerId}/checks", Request::get("/workers/EMPLOYEE/checks?payperiodid=COMPLETED")),
        ("/workers/{workerId}/checks", valid_request("POST", "/workers/{workerId}/checks", OPEN)),
        ("/workers/{workerId}/checks/{paycheckId}", Request::get("/workers/EMPLOYEE/checks/PROCESSED-1")),
    ]
}

/// Returns the media types of the successful responses to a request. For checks, the vendor type depends on
/// the state of the period.
fn expected_media_types(path: &str, request: &Request) -> Vec<&'static str> {
    let of = |it: &&crate::operations::Operation| it.path == path && it.method == request.method.as_str();
    let operation = OPERATIONS.iter().find(of).expect("an operation");
    let processed = ["=COMPLETED", "PROCESSED-1"].iter().any(|end| request.target.ends_with(end));
    let excluded = if processed { [CHECK, CHECKS] } else { [PROCESSED_CHECK, PROCESSED_CHECKS] };
    operation.media_types.iter().copied().filter(|it| !excluded.contains(it)).collect()
}

#[test]
fn every_operation_returns_its_success_in_each_of_its_media_types() {
    on_every_database(async |server| {
        store_files(&server.database).await;
        for (path, request) in successful_requests() {
            for (number, media_type) in expected_media_types(path, &request).into_iter().enumerate() {
                let mut request = request.clone().accept(media_type);
                if path.ends_with("customfields") && request.body.is_some() {
                    let name = format!("Hat size {number}");
                    request = request.body(json!({"customFieldName": name, "type": "TEXT"}).to_string());
                }
                if path.ends_with("categories") && request.body.is_some() {
                    request = request.json(&json!({"categoryName": format!("Footwear {number}")}));
                }
                let response = server.send(&request).await;
                let is_created =
                    request.method == "POST" && (path.ends_with("checks") || path.ends_with("jobs"));
                let expected = (if is_created { 201 } else { 200 }, media_type, "Accept");
                assert_eq!(
                    (response.status, response.header("content-type"), response.header("vary")),
                    expected
                );
            }
        }
    });
}

#[test]
fn without_a_preference_the_vendor_type_is_sent() {
    on_every_database(async |server| {
        store_files(&server.database).await;
        for (path, request) in successful_requests() {
            let expected = expected_media_types(path, &request)[0];
            let sent = server.send(&request).await.header("content-type").to_owned();
            assert_eq!(sent, expected, "{request:?}");
        }
    });
}

#[test]
fn negotiation_follows_weight_then_precision_then_the_vendor_type() {
    on_every_database(async |server| {
        let both = format!("{JSON};q=0.5, {CUSTOM_FIELDS};q=0.4");
        let named = format!("*/*, {JSON}");
        let excluded = format!("{CUSTOM_FIELDS};q=0, application/*");
        let accepts = [
            ("*/*", CUSTOM_FIELDS),
            ("application/*", CUSTOM_FIELDS),
            ("", CUSTOM_FIELDS),
            (both.as_str(), JSON),
            (named.as_str(), JSON),
            (excluded.as_str(), JSON),
            ("text/html, application/json;q=0.1", JSON),
            ("APPLICATION/JSON ; charset=utf-8", JSON),
        ];
        for (accept, expected) in accepts {
            let response =
                server.send(&Request::get(format!("/companies/{OPEN}/customfields")).accept(accept)).await;
            assert_eq!(response.header("content-type"), expected, "{accept}");
        }
    });
}

#[test]
fn several_accept_headers_count_as_one_list() {
    on_every_database(async |server| {
        let request = Request::get(format!("/companies/{OPEN}/customfields"))
            .accept("text/html")
            .append_header("accept", JSON);
        assert_eq!(server.send(&request).await.header("content-type"), JSON);
    });
}

#[test]
fn the_representation_of_another_state_gets_406_with_the_acceptable_type() {
    on_every_database(async |server| {
        for (target, other, fitting) in [
            ("/companies/OPEN/checks?payperiodid=ENTRY", PROCESSED_CHECKS, CHECKS),
            ("/companies/OPEN/checks?payperiodid=COMPLETED", CHECKS, PROCESSED_CHECKS),
            ("/workers/EMPLOYEE/checks?payperiodid=ENTRY", PROCESSED_CHECKS, CHECKS),
            ("/workers/EMPLOYEE/checks/PROCESSED-1", CHECK, PROCESSED_CHECK),
        ] {
            let request = Request::get(target).accept(other);
            let response = server.send(&request).await;
            assert_eq!(response.status_and_code(), "406 API-75");
            assert!(
                response.errors()[0]["description"].as_str().expect("text").contains(fitting),
                "{response:?}"
            );
        }
    });
}

#[test]
fn a_missing_period_is_reported_before_the_media_type_that_depends_on_it() {
    on_every_database(async |server| {
        let mut reported = Vec::new();
        for query in ["", "?payperiodid=", "?payperiodid=NONE", "?payperiodid=FOREIGN-PERIOD"] {
            let request = Request::get(format!("/companies/{OPEN}/checks{query}")).accept(PROCESSED_CHECKS);
            reported.push(server.send(&request).await.status_and_code());
        }
        assert_eq!(reported, ["400 API-49", "400 API-40", "400 API-40", "400 API-40"]);
    });
}

#[test]
fn the_list_contains_only_companies_with_a_grant() {
    on_every_database(async |server| {
        let mine = server.send(&Request::get("/companies")).await;
        let others = server.send(&Request::get("/companies").with_caller(Caller::Other)).await;
        let mut listed = mine.members("companyId");
        listed.sort_by_key(|id| GRANTED_COMPANIES.iter().position(|granted| granted == id));
        assert_eq!(
            (listed, others.members("companyId")),
            (GRANTED_COMPANIES.iter().map(|&id| id.to_owned()).collect(), vec!["FOREIGN".to_owned()])
        );
    });
}

#[test]
fn an_application_without_a_company_gets_an_empty_list() {
    on_every_database(async |server| {
        server.database.execute("DELETE FROM grants").await;
        let response = server.send(&Request::get("/companies").with_caller(Caller::Partner)).await;
        assert_eq!(response.content(), Vec::<Value>::new());
    });
}

#[test]
fn a_company_is_returned_completely() {
    on_every_database(async |server| {
        let response = server.send(&Request::get(format!("/companies/{OPEN}"))).await;
        let base = &server.base;
        let expected = json!([{
            "companyId": OPEN, "displayId": "00-0100 0001", "legalName": "OPEN Example LLC", "hasPermission": true,
            "legalId": {"legalIdType": "FEIN", "legalIdValue": "000000001"},
            "communications": [{
                "communicationId": "OPEN-ADDRESS", "type": "STREET_ADDRESS", "usageType": "BUSINESS",
                "streetLineOne": "1 Sample Road", "city": "SAMPLETON", "countrySubdivisionCode": "NY",
                "postalCode": "00000", "countryCode": "US",
            }],
            "links": [
                {"rel": "self", "href": format!("{base}/companies/{OPEN}")},
                {"rel": "workers", "href": format!("{base}/companies/{OPEN}/workers")},
            ],
        }]);
        assert_eq!(response.json()["content"], expected);
    });
}

#[test]
fn a_persons_tax_identity_is_complete_only_with_its_scope() {
    on_every_database(async |server| {
        let value = async |target: &str, caller| {
            let response = server.send(&Request::get(target).with_caller(caller)).await;
            response.content()[0]["legalId"]["legalIdValue"].clone()
        };
        for target in ["/companies/CHILD", "/companies?displayid=00020001"] {
            assert_eq!(value(target, Caller::Partner).await, CHILD_TAX_ID);
            assert_eq!(value(target, Caller::WithoutTaxIds).await, "*****6789");
        }
    });
}

#[test]
fn a_persons_tax_identity_is_encrypted_at_rest() {
    on_every_database(async |server| {
        let readable = format!("SELECT count(*) FROM companies WHERE legal_id LIKE '%{CHILD_TAX_ID}%'");
        let sealed = "SELECT count(*) FROM companies WHERE legal_id_type = 'SSN' AND length(legal_id) > 9";
        assert_eq!(
            (server.database.query_number(&readable).await, server.database.query_number(sealed).await),
            (0, 1)
        );
    });
}

#[test]
fn lineage_contains_the_visible_relatives_nearest_first() {
    on_every_database(async |server| {
        let mut reported = Vec::new();
        for company in ["CHILD", "OPEN", "PARENT"] {
            let request = Request::get(format!("/companies/{company}?includelineage=true"));
            let lineage = server.send(&request).await.content()[0]["lineage"].clone();
            let ids = |side: &str| {
                let relatives = lineage[side].as_array().expect("a list").iter();
                relatives
                    .map(|it| it["companyId"].as_str().expect("an id").to_owned())
                    .collect::<Vec<_>>()
                    .join(" ")
            };
            reported.push(format!("{} < {company} < {}", ids("ancestors"), ids("descendants")));
        }
        assert_eq!(reported, ["OPEN PARENT < CHILD < ", "PARENT < OPEN < CHILD", " < PARENT < OPEN CHILD"]);
    });
}

#[test]
fn displayid_compares_the_last_eight_characters_ignoring_dashes_spaces_and_case() {
    on_every_database(async |server| {
        let mut reported = Vec::new();
        for filter in ["01000001", "00-0100%200001", "99901000001", "short", "SHORT", "ORT", "00010001", ""] {
            let response = server.send(&Request::get(format!("/companies?displayid={filter}"))).await;
            reported.push(if response.is_success() {
                response.members("companyId").join(" ")
            } else {
                response.status_and_code()
            });
        }
        let none = "404 API-7";
        assert_eq!(reported, [OPEN, OPEN, OPEN, BARE, BARE, none, "PARENT", "400 API-40"]);
    });
}
