//! Tests of tax settings of a worker over HTTP.

use serde_json::{Value, json};

use crate::support::{Caller, OPEN, Request, Server, on_every_database};

const FEDERAL_PATH: &str = "/workers/EMPLOYEE/federaltax";
const STATES_PATH: &str = "/workers/EMPLOYEE/statetaxes";

async fn read_tax_settings(server: &Server, path: &str) -> Vec<Value> {
    server.send(&Request::get(path)).await.content()
}

fn patch_request(body: &Value) -> Request {
    Request::patch(STATES_PATH, body).header("content-type", "application/json-patch+json")
}

#[test]
fn a_tax_setting_removes_the_settings_that_it_excludes() {
    on_every_database(async |server| {
        let read = server.send(&Request::get(FEDERAL_PATH)).await;
        let stored = json!({
            "taxId": "EMPLOYEE", "filingStatus": "MARRIED_FILING_JOINTLY", "multipleJobs": "false",
            "extraWithholdingAmount": "5.00", "extraWithholdingPercentage": "2.0000",
        });
        assert_eq!(read.content(), std::slice::from_ref(&stored));
        let change = async |body: Value| server.send(&Request::patch(FEDERAL_PATH, &body)).await;
        let changed =
            change(json!({"overrideWithholdingPercentage": 4, "taxesWithheld": true, "taxId": "X"})).await;
        let expected = json!({
            "taxId": "EMPLOYEE", "filingStatus": "MARRIED_FILING_JOINTLY", "multipleJobs": "false",
            "extraWithholdingAmount": "5.00", "taxesWithheld": "true", "overrideWithholdingPercentage": "4.0000",
        });
        assert_eq!(changed.content(), std::slice::from_ref(&expected));
        let changed = change(json!({"overrideWithholdingAmount": "9.5"})).await.content();
        assert_eq!(changed[0].get("extraWithholdingAmount"), None);
        assert_eq!(changed[0].get("overrideWithholdingPercentage"), None);
        let both =
            change(json!({"extraWithholdingPercentage": "1", "overrideWithholdingPercentage": "2"})).await;
        assert_eq!(both.status_and_code(), "400 API-47");
        let all = change(json!({
            "extraWithholdingAmount": "1", "overrideWithholdingAmount": "2", "multipleJobs": "perhaps",
            "taxesWithheld": "never", "filingStatus": "WIDOWED",
        }))
        .await;
        let mut faults = all.faults();
        faults.sort_unstable();
        assert_eq!(
            faults,
            [
                "API-47 /overrideWithholdingAmount",
                "API-48 /filingStatus",
                "API-48 /multipleJobs",
                "API-48 /taxesWithheld"
            ]
        );
        assert_eq!(read_tax_settings(server, FEDERAL_PATH).await, changed);
    });
}

#[test]
fn posted_tax_settings_replace_the_stored_ones() {
    on_every_database(async |server| {
        let new = json!({"filingStatus": "HEAD_OF_HOUSEHOLD", "dependentsAmount": "123.45"});
        let dry = server.send(&Request::post(format!("{FEDERAL_PATH}?dryrun=true"), &new)).await;
        assert_eq!(dry.status, 200);
        let post = Request::post(FEDERAL_PATH, &new).idempotency_key("w4");
        let (created, again) = (server.send(&post).await, server.send(&post).await);
        let expected =
            json!({"taxId": "EMPLOYEE", "filingStatus": "HEAD_OF_HOUSEHOLD", "dependentsAmount": "123.45"});
        assert_eq!((created.status, created.content()), (201, vec![expected]));
        assert_eq!((again.status, again.content()), (201, created.content()));
        let none = server.send(&Request::get("/workers/COLLEAGUE/federaltax")).await;
        assert_eq!((none.status, none.content()), (200, Vec::new()));
    });
}

#[test]
fn state_taxes_are_added_and_changed_by_state_code_or_by_the_id_in_the_patch() {
    on_every_database(async |server| {
        let codes = async || {
            let shown = read_tax_settings(server, STATES_PATH).await;
            shown
                .iter()
                .map(|it| it["workerTaxId"].as_str().expect("an id").to_owned())
                .collect::<Vec<_>>()
                .join(" ")
        };
        let changed = server
            .send(&patch_request(&json!([
                {"op": "replace", "path": "/workerTaxes/NY/stateAllocationPercent", "value": 30},
                {"op": "add", "path": "/workerTaxes/my~1id", "value": {"countrySubdivisionCode": "OH",
                    "isResidentState": true, "stateAllocationPercent": 20, "regulationType": "INCOME_TAX"}},
                {"op": "replace", "path": "/workerTaxes/my~1id/stateAllocationPercent", "value": "30"},
                {"op": "replace", "path": "/workerTaxes/NJ", "value": {"stateAllocationPercent": 40, "taxStatusType": "EXEMPT"}},
            ])))
            .await;
        assert_eq!(changed.status, 200, "{changed:?}");
        assert_eq!(changed.members("stateAllocationPercent"), ["30.0000", "40.0000", "30.0000"]);
        assert_eq!(changed.members("regulationType"), ["INCOME_TAX"; 3]);
        assert_eq!(
            changed.content()[1].get("additionalAmount"),
            None,
            "a setting that is replaced is replaced completely"
        );
        assert_eq!(codes().await, "NY NJ OH");
        assert_eq!(read_tax_settings(server, STATES_PATH).await, changed.content());
    });
}

#[test]
fn the_state_of_residence_is_a_boolean_or_a_text() {
    on_every_database(async |server| {
        let change = |ohio: Value, new_york: Value| {
            patch_request(&json!([
                {"op": "add", "path": "/workerTaxes/OH", "value": {"countrySubdivisionCode": "OH", "isResidentState": ohio}},
                {"op": "replace", "path": "/workerTaxes/NY/isResidentState", "value": new_york},
            ]))
        };
        let mut refused = server.send(&change(json!("yes"), json!("True"))).await.faults();
        refused.sort();
        assert_eq!(refused, ["API-48 /0/value/isResidentState", "API-48 /1/value"]);
        let changed = server.send(&change(json!("true"), json!("false"))).await;
        assert_eq!(changed.status, 200, "{changed:?}");
        let shown = changed.content();
        let of = |state: &str| {
            shown.iter().find(|it| it["workerTaxId"] == state).unwrap()["isResidentState"].clone()
        };
        assert_eq!((of("NY"), of("OH")), (json!(false), json!(true)));
    });
}

/// Returns a JSON Patch operation on a tax deduction of New York, or on a member of the deduction.
fn deduction_operation(op: &str, path: &str, value: &Value) -> Value {
    json!({"op": op, "path": format!("/workerTaxes/NY/workerTaxDeductions/{path}"), "value": value})
}

#[test]
fn deductions_of_a_state_are_added_and_changed_by_their_ids() {
    on_every_database(async |server| {
        let change = patch_request(&json!([
            deduction_operation("replace", "ALLOWANCES/quantity", &json!(2)),
            deduction_operation("add", "credits", &json!({"workerTaxDeductionName": "Credits", "amount": "7.5", "hairColor": "red"})),
            deduction_operation("add", "credits/quantity", &json!("0.25")),
            {"op": "add", "path": "/workerTaxes/ohio", "value": {"countrySubdivisionCode": "OH"}},
            {"op": "add", "path": "/workerTaxes/ohio/workerTaxDeductions/D",
                "value": {"workerTaxDeductionId": "D", "workerTaxDeductionName": "Dependents"}},
            {"op": "replace", "path": "/workerTaxes/NJ/workerTaxDeductions", "value": []},
        ]));
        let changed = server.send(&change).await;
        assert_eq!(changed.status, 200, "{changed:?}");
        let shown = changed.content();
        let deductions = |state: usize| shown[state]["workerTaxDeductions"].clone();
        let expected = json!([
            {"workerTaxDeductionId": "ALLOWANCES", "workerTaxDeductionName": "Total Number of Allowances",
                "quantity": "2"},
            {"workerTaxDeductionId": "credits", "workerTaxDeductionName": "Credits", "amount": "7.50",
                "quantity": "0.25"},
        ]);
        assert_eq!(deductions(0), expected);
        assert_eq!(
            deductions(2),
            json!([{"workerTaxDeductionId": "D", "workerTaxDeductionName": "Dependents"}])
        );
        assert_eq!(read_tax_settings(server, STATES_PATH).await, changed.content());
        let replaced =
            json!([deduction_operation("replace", "ALLOWANCES", &json!({"workerTaxDeductionName": "All"}))]);
        let replaced = server.send(&patch_request(&replaced)).await.content();
        assert_eq!(
            replaced[0]["workerTaxDeductions"][0],
            json!({"workerTaxDeductionId": "ALLOWANCES", "workerTaxDeductionName": "All"})
        );
        let gone =
            json!([{"op": "replace", "path": "/workerTaxes/NY", "value": {"stateAllocationPercent": 60}}]);
        let gone = server.send(&patch_request(&gone)).await.content();
        assert!(gone[0].get("workerTaxDeductions").is_none_or(|it| it == &json!([])), "{gone:?}");
    });
}

#[test]
fn a_patch_with_a_wrong_operation_stores_nothing() {
    on_every_database(async |server| {
        let before = read_tax_settings(server, STATES_PATH).await;
        let good = json!({"op": "add", "path": "/workerTaxes/NY/additionalAmount", "value": "9"});
        for (wrong, pointer) in [
            (json!({"op": "test", "path": "/workerTaxes/NY/additionalAmount", "value": "9"}), "/1/op"),
            (json!({"op": "move", "from": "/workerTaxes/NY", "path": "/workerTaxes/NJ"}), "/1/op"),
            (json!({"op": "replace", "path": "/workerTaxes/CA", "value": {}}), "/1/path"),
            (json!({"op": "add", "path": "/workerTaxes/CA/additionalAmount", "value": "1"}), "/1/path"),
            (
                json!({"op": "add", "path": "/workerTaxes/NY/workerTaxDeductions/1/quantity", "value": 1}),
                "/1/path",
            ),
            (deduction_operation("add", "ALLOWANCES/workerTaxDeductionId", &json!("OTHER")), "/1/path"),
            (deduction_operation("add", "ALLOWANCES/hairColor", &json!("red")), "/1/path"),
            (deduction_operation("add", "ALLOWANCES/quantity/high", &json!(1)), "/1/path"),
            (deduction_operation("replace", "NEW", &json!({"workerTaxDeductionName": "New"})), "/1/path"),
            (deduction_operation("add", "NEW", &json!({"workerTaxDeductionId": "OTHER"})), "/1/path"),
            (deduction_operation("add", "NEW", &json!(5)), "/1/path"),
            (deduction_operation("add", "NEW", &json!({"quantity": 1})), "/1/value/workerTaxDeductionName"),
            (
                deduction_operation("add", "NEW", &json!({"workerTaxDeductionName": "New", "amount": "-1"})),
                "/1/value/amount",
            ),
            (deduction_operation("replace", "ALLOWANCES/quantity", &json!("many")), "/1/value"),
            (deduction_operation("add", "ALLOWANCES/amount", &json!("0.001")), "/1/value"),
            (
                json!({"op": "add", "path": "/workerTaxes/NY/workerTaxDeductions", "value": "none"}),
                "/1/value",
            ),
            (
                json!({"op": "add", "path": "/workerTaxes/NY/workerTaxDeductions", "value": [
                    {"workerTaxDeductionId": "A", "workerTaxDeductionName": "A"},
                    {"workerTaxDeductionId": "A", "workerTaxDeductionName": "B"},
                ]}),
                "/1/value/1/workerTaxDeductionId",
            ),
            (json!({"op": "add", "path": "/workerTaxes", "value": []}), "/1/path"),
            (json!({"op": "add", "path": "", "value": []}), "/1/path"),
            (json!({"op": "add", "path": "/workerTaxes/NY/hairColor", "value": "red"}), "/1/path"),
            (
                json!({"op": "replace", "path": "/workerTaxes/NY/countrySubdivisionCode", "value": "CA"}),
                "/1/path",
            ),
            (json!({"op": "add", "path": "/workerTaxes/new", "value": 5}), "/1/value"),
            (json!({"op": "add", "path": "/workerTaxes/NY/additionalAmount"}), "/1/value"),
            (json!({"op": "add", "path": "/workerTaxes/NY/additionalAmount", "value": "much"}), "/1/value"),
            (
                json!({"op": "add", "path": "/workerTaxes/x", "value": {"countrySubdivisionCode": "CA", "overridePercent": "101"}}),
                "/1/value/overridePercent",
            ),
            (json!(7), "/1/op"),
        ] {
            let response = server.send(&patch_request(&json!([good, wrong]))).await;
            let pointers: Vec<_> = response.errors().iter().map(|fault| fault["pointer"].clone()).collect();
            assert_eq!((response.status, pointers), (400, vec![json!(pointer)]), "{wrong}");
        }
        let named = json!({"workerTaxDeductionName": "Credits"});
        let many: Vec<_> = (0..50).map(|n| deduction_operation("add", &format!("D-{n}"), &named)).collect();
        let response = server.send(&patch_request(&json!(many))).await;
        assert_eq!(
            (response.status_and_code().as_str(), response.errors().len()),
            ("400 API-48", 1),
            "{response:?}"
        );
        let many: Vec<_> = std::iter::repeat_n(good, 101).collect();
        assert_eq!(server.send(&patch_request(&json!(many))).await.status_and_code(), "400 API-48");
        assert_eq!(read_tax_settings(server, STATES_PATH).await, before);
    });
}

#[test]
fn an_allocation_fault_names_the_last_operation_that_sets_an_allocation() {
    on_every_database(async |server| {
        let amount = json!({"op": "add", "path": "/workerTaxes/NY/additionalAmount", "value": "9"});
        let percent = json!({"op": "replace", "path": "/workerTaxes/NY/stateAllocationPercent", "value": 61});
        let response = server.send(&patch_request(&json!([amount, percent, amount]))).await;
        assert_eq!(response.status_and_code(), "400 API-48");
        assert_eq!(response.errors()[0]["pointer"], "/1/value");
    });
}

#[test]
fn tax_settings_need_separate_scopes() {
    on_every_database(async |server| {
        let path = format!("/applications/partner/grants/{OPEN}");
        let all = json!({"scopes": ["read:companies", "read:payroll", "write:payroll", "read:workers", "write:workers"]});
        assert_eq!(server.send(&Request::operator_put(&path, &all).if_match("*")).await.status, 200);
        for request in [
            Request::get(FEDERAL_PATH),
            Request::get(STATES_PATH),
            Request::patch(FEDERAL_PATH, &json!({"taxesWithheld": "false"})),
            patch_request(&json!([{"op": "add", "path": "/workerTaxes/NY/additionalAmount", "value": "9"}])),
        ] {
            assert_eq!(
                server.send(&request.with_caller(Caller::Partner)).await.status_and_code(),
                "403 API-2"
            );
        }
    });
}
