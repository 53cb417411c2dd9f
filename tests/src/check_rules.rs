//! Tests of each reason to reject a check (specification §7.4) over HTTP. Unit tests cover the rules
//! completely. These tests show that each code reaches the client with its pointer.

use serde_json::{Value, json};

use crate::support::{
    OPEN, Request, Response, check_with, check_with_correlation_id, check_with_line, check_with_line_member,
    check_without, on_every_database, valid_check, with_member,
};

/// The body of a request, and the expected faults with code and pointer.
type RejectedCase = (Value, &'static [&'static str]);

/// Sends each invalid body and compares the faults in the response with the expected ones.
fn assert_rejected(status: u16, cases: Vec<RejectedCase>) {
    on_every_database(async |server| {
        for (body, faults) in &cases {
            let response = server.send(&Request::post_checks(OPEN, body)).await;
            assert_eq!(
                (response.status, response.faults().as_slice()),
                (status, &to_strings(faults)[..]),
                "{body}"
            );
        }
    });
}

fn to_strings(faults: &[&str]) -> Vec<String> {
    faults.iter().map(|&fault| fault.to_owned()).collect()
}

/// Sends each body as a dry run and expects it to be valid.
fn assert_accepted(cases: Vec<Value>) {
    on_every_database(async |server| {
        for body in &cases {
            let mut request = Request::post_checks(OPEN, body);
            request.target.push_str("?dryrun=true");
            let response: Response = server.send(&request).await;
            assert_eq!(response.status, 200, "{body}: {response:?}");
        }
    });
}

#[test]
fn a_missing_member_of_a_single_check_gets_api_46_at_its_pointer() {
    assert_rejected(
        400,
        vec![
            (check_without("workerId"), &["API-46 /workerId"]),
            (json!([check_without("workerId")]), &["API-46 /0/workerId"]),
            (check_with("payPeriodId", ""), &["API-46 /payPeriodId"]),
            (check_with("checkCorrelationId", Value::Null), &["API-46 /checkCorrelationId"]),
            (check_without("earnings"), &["API-46"]),
            (json!([check_with("earnings", json!([]))]), &["API-46 /0"]),
            (check_with_line(json!({"payHours": "8"})), &["API-46 /earnings/0/componentId"]),
            (check_with_line(json!({"componentId": "HOURLY"})), &["API-46 /earnings/0"]),
            (check_with_line(json!({"componentId": "HOURLY", "payRate": "20"})), &["API-46 /earnings/0"]),
            (check_with_line(json!({"componentId": "HOURLY", "memoed": true})), &["API-46 /earnings/0"]),
        ],
    );
}

#[test]
fn a_missing_member_of_one_of_several_checks_gets_api_54() {
    assert_rejected(
        400,
        vec![
            (json!([check_without("workerId"), check_with_correlation_id("b")]), &["API-54 /0/workerId"]),
            (
                json!([
                    check_with_correlation_id("b"),
                    with_member(check_with_line(json!({})), "checkCorrelationId", "")
                ]),
                &["API-54 /1/checkCorrelationId", "API-54 /1/earnings/0", "API-54 /1/earnings/0/componentId"],
            ),
        ],
    );
}

#[test]
fn a_contradictory_line_gets_api_47() {
    let with_amount = |member: &str, value: &str| {
        check_with_line(json!({"componentId": "HOURLY", "payAmount": "5", member: value}))
    };
    assert_rejected(
        400,
        vec![
            (check_with_line_member("payUnits", "8"), &["API-47 /earnings/0"]),
            (with_amount("payHours", "8"), &["API-47 /earnings/0"]),
            (with_amount("payUnits", "8"), &["API-47 /earnings/0"]),
            (with_amount("payRate", "8"), &["API-47 /earnings/0"]),
            (with_amount("payRateId", "NIGHT"), &["API-47 /earnings/0"]),
            (
                with_member(
                    check_with_line_member("payRate", "8"),
                    "earnings",
                    vec![json!({
                        "componentId": "HOURLY", "payHours": "8", "payRate": "8", "payRateId": "NIGHT"
                    })],
                ),
                &["API-47 /earnings/0"],
            ),
        ],
    );
}

#[test]
fn a_decimal_of_the_wrong_form_or_range_gets_api_48_at_the_member() {
    let hours =
        |value: Value| (check_with_line_member("payHours", value), &["API-48 /earnings/0/payHours"][..]);
    let mut cases: Vec<RejectedCase> =
        ["+1", "01", ".5", " 1", "1e2", "1,5", "NaN", "0x10", "8h", "-1", "9999.9999001", "10000"]
            .map(|text| hours(json!(text)))
            .to_vec();
    cases.extend([json!(true), json!([]), json!({}), json!("1.00001")].map(hours));
    assert_rejected(400, cases);
}

#[test]
fn a_rate_out_of_range_gets_api_48_at_the_member() {
    let rate = |value: &str| (check_with_line_member("payRate", value), &["API-48 /earnings/0/payRate"][..]);
    assert_rejected(400, ["-0.0001", "1000000", "20.00001"].map(rate).to_vec());
}

#[test]
fn an_id_of_another_company_or_worker_gets_api_48() {
    assert_rejected(
        400,
        vec![
            (check_with_line_member("componentId", "FOREIGN-COMPONENT"), &["API-48 /earnings/0/componentId"]),
            (check_with_line_member("payRateId", "COLLEAGUE-HOUR"), &["API-48 /earnings/0/payRateId"]),
            (check_with_line_member("payRateId", "PIECE"), &["API-48 /earnings/0/payRateId"]),
            (check_with_line_member("componentId", "OLD"), &["API-48 /earnings/0/componentId"]),
            (check_with_line_member("componentId", "CAR"), &["API-48 /earnings/0/componentId"]),
            (check_with_line_member("componentId", "a b"), &["API-48 /earnings/0/componentId"]),
            (check_with_line_member("jobId", "a b"), &["API-48 /earnings/0/jobId"]),
            (check_with("workerId", json!(7)), &["API-48 /workerId"]),
            (check_with("checkCorrelationId", "a".repeat(65)), &["API-48 /checkCorrelationId"]),
            (check_with("checkCorrelationId", "a\u{0}b"), &["API-48 /checkCorrelationId"]),
        ],
    );
}

#[test]
fn values_of_the_wrong_type_get_api_48_at_their_pointers() {
    assert_rejected(
        400,
        vec![
            (json!([check_with_correlation_id("a"), null]), &["API-48 /1"]),
            (check_with("earnings", json!({})), &["API-48 /earnings"]),
            (check_with("earnings", json!([null])), &["API-48 /earnings/0"]),
            (check_with("blockAutoDistribution", "true"), &["API-48 /blockAutoDistribution"]),
            (check_with_line_member("memoed", "true"), &["API-48 /earnings/0/memoed"]),
            (check_with_line_member("lineDate", "2026-02-30"), &["API-48 /earnings/0/lineDate"]),
            (
                check_with_line_member("lineDate", "2026-05-12T00:00:00+02:00"),
                &["API-48 /earnings/0/lineDate"],
            ),
            (check_with_line_member("organization", "BAKERY"), &["API-48 /earnings/0/organization"]),
        ],
    );
}

#[test]
fn an_amount_outside_0_to_9999_99_gets_api_28_and_three_decimals_get_api_48() {
    let amount = |value: &str| check_with_line(json!({"componentId": "BONUS", "payAmount": value}));
    assert_rejected(
        400,
        vec![
            (amount("-0.01"), &["API-28 /earnings/0/payAmount"]),
            (amount("10000"), &["API-28 /earnings/0/payAmount"]),
            (amount("9999.995"), &["API-48 /earnings/0/payAmount"]),
            (check_with_line_member("payRateId", "HIGH"), &["API-28 /earnings/0"]),
            (check_with_line_member("payHours", "500"), &["API-28 /earnings/0"]),
        ],
    );
}

#[test]
fn the_limits_of_every_range_are_valid() {
    let amount = |value: Value| check_with_line(json!({"componentId": "BONUS", "payAmount": value}));
    assert_accepted(vec![
        amount(json!("0")),
        amount(json!("-0")),
        amount(json!("9999.99")),
        amount(json!("12.50000")),
        amount(json!(9999.99)),
        check_with_line_member("payHours", "499.9995"),
        check_with_line_member("payHours", "0"),
        check_with_line_member("componentId", "LAST-DAY"),
        check_with_line_member("componentId", "CLOCKED"),
        check_with("checkCorrelationId", "a".repeat(64)),
        check_with_line_member("lineDate", "0001-01-01"),
    ]);
}

#[test]
fn a_foreign_period_or_organization_gets_api_40() {
    let organization = |id: &str| check_with_line_member("organization", json!({"organizationId": id}));
    assert_rejected(
        400,
        vec![
            (check_with("payPeriodId", "FOREIGN-PERIOD"), &["API-40 /payPeriodId"]),
            (organization("FOREIGN-ORG"), &["API-40 /earnings/0/organization/organizationId"]),
        ],
    );
}

#[test]
fn a_period_that_is_not_open_gets_api_51_once() {
    let closed = |id: &str| {
        let both = json!([
            check_with("payPeriodId", id),
            with_member(check_with_correlation_id("b"), "payPeriodId", id)
        ]);
        (both, &["API-51 /0/payPeriodId"][..])
    };
    assert_rejected(
        400,
        ["COMPLETED", "RELEASED", "COMPLETED_BY_MEC", "REISSUED", "REVERSED"].map(closed).to_vec(),
    );
}

#[test]
fn an_id_of_an_existing_check_gets_405_api_51_if_there_is_no_other_fault() {
    let names_one = check_with("paycheckId", "PROCESSED-1");
    let names_two =
        json!([names_one, with_member(check_with_correlation_id("b"), "paycheckId", "PROCESSED-2")]);
    assert_rejected(
        405,
        vec![
            (names_one.clone(), &["API-51 /paycheckId"]),
            (names_two, &["API-51 /0/paycheckId", "API-51 /1/paycheckId"]),
        ],
    );
    assert_rejected(
        400,
        vec![(with_member(names_one, "workerId", "NOBODY"), &["API-51 /paycheckId", "API-55 /workerId"])],
    );
    assert_accepted(vec![check_with("paycheckId", "SOMEBODY-ELSES")]);
}

#[test]
fn different_periods_get_api_53_and_suppress_the_rules_of_the_period() {
    let other = |id: &str, period: &str| with_member(check_with_correlation_id(id), "payPeriodId", period);
    assert_rejected(
        400,
        vec![
            (json!([check_with_correlation_id("a"), other("b", "INITIAL")]), &["API-53 /1"]),
            (
                json!([
                    other("a", "COMPLETED"),
                    check_with_correlation_id("b"),
                    check_with_correlation_id("c")
                ]),
                &["API-53 /1", "API-53 /2"],
            ),
        ],
    );
}

#[test]
fn an_unknown_worker_gets_only_api_55() {
    let stranger = with_member(check_with_line_member("payRateId", "NIGHT"), "workerId", "FOREIGN-WORKER");
    assert_rejected(400, vec![(stranger, &["API-55 /workerId"])]);
}

#[test]
fn a_duplicate_correlation_id_gets_api_56_from_the_second_use() {
    let three = json!([
        check_with_correlation_id("same"),
        check_with_correlation_id("same"),
        check_with_correlation_id("same")
    ]);
    assert_rejected(400, vec![(three, &["API-56 /1/checkCorrelationId", "API-56 /2/checkCorrelationId"])]);
}

#[test]
fn a_component_that_does_not_apply_to_the_worker_gets_api_57() {
    let check_for = |worker: &str, component: &str| {
        with_member(check_with_line_member("componentId", component), "workerId", worker)
    };
    assert_rejected(
        400,
        vec![
            (check_for("CONTRACTOR", "EMPLOYEES"), &["API-57 /earnings/0/componentId"]),
            (check_for("EXEMPT", "OVERTIME"), &["API-57 /earnings/0/componentId"]),
        ],
    );
    assert_accepted(vec![check_for("CONTRACTOR", "OVERTIME"), check_for("EXEMPT", "EMPLOYEES")]);
}

#[test]
fn a_reduction_gets_api_60_and_a_wrong_section_for_a_component_api_48() {
    let line = |component: &str| vec![json!({"componentId": component, "payAmount": "5"})];
    let in_section = |section: &str, component: &str| with_member(valid_check(), section, line(component));
    assert_rejected(
        400,
        vec![
            (in_section("deductions", "GARNISHMENT"), &["API-60 /deductions/0/componentId"]),
            (in_section("earnings", "GARNISHMENT"), &["API-60 /earnings/0/componentId"]),
            (in_section("informational", "GARNISHMENT"), &["API-60 /informational/0/componentId"]),
            (in_section("deductions", "BONUS"), &["API-48 /deductions/0/componentId"]),
            (in_section("informational", "TIPS"), &["API-48 /informational/0/componentId"]),
        ],
    );
    assert_accepted(vec![in_section("informational", "CAR"), in_section("earnings", "TIPS")]);
}

#[test]
fn a_product_that_ends_before_the_check_date_gets_api_65() {
    assert_rejected(
        400,
        vec![
            (check_with_line_member("componentId", "SAVINGS"), &["API-65 /earnings/0/componentId"]),
            (check_with("payPeriodId", "BEFORE-PAYROLL"), &["API-69 /earnings/0", "API-65 /payPeriodId"]),
        ],
    );
}

#[test]
fn a_rate_that_starts_after_the_period_gets_api_69() {
    assert_rejected(
        400,
        vec![
            (check_with_line_member("payRateId", "FUTURE"), &["API-69 /earnings/0/payRateId"]),
            (check_with("workerId", "STARTS-LATER"), &["API-69 /earnings/0"]),
        ],
    );
    assert_accepted(vec![with_member(check_with_line_member("payRate", "20"), "workerId", "STARTS-LATER")]);
}

#[test]
fn hours_or_units_without_any_rate_get_api_70() {
    let units = check_with_line(json!({"componentId": "HOURLY", "payUnits": "3"}));
    assert_rejected(
        400,
        vec![
            (check_with("workerId", "RATELESS"), &["API-70 /earnings/0"]),
            (with_member(units.clone(), "workerId", "COLLEAGUE"), &["API-70 /earnings/0"]),
        ],
    );
    assert_accepted(vec![
        units,
        with_member(check_with_line_member("payRate", "20"), "workerId", "RATELESS"),
    ]);
}

#[test]
fn all_faults_of_a_request_are_reported_in_document_order() {
    let spoiled = json!([
        check_with_line_member("componentId", "SAVINGS"),
        with_member(check_with_line_member("payHours", "x"), "workerId", "NOBODY"),
        with_member(
            check_with_line(json!({"componentId": "GARNISHMENT", "payAmount": "1"})),
            "checkCorrelationId",
            "a1"
        ),
    ]);
    let faults: &[&str] = &[
        "API-65 /0/earnings/0/componentId",
        "API-56 /1/checkCorrelationId",
        "API-48 /1/earnings/0/payHours",
        "API-55 /1/workerId",
        "API-56 /2/checkCorrelationId",
        "API-60 /2/earnings/0/componentId",
    ];
    assert_rejected(400, vec![(spoiled, faults)]);
}

#[test]
fn a_nul_in_any_text_of_a_line_is_a_fault() {
    on_every_database(async |server| {
        let mut reported = Vec::new();
        for member in ["componentId", "payRateId", "jobId", "laborAssignmentId", "lineDate", "payHours"] {
            let body = check_with_line_member(member, "a\u{0}b");
            reported.push(server.send(&Request::post_checks(OPEN, &body)).await.status_and_code());
        }
        let organization = check_with_line_member("organization", json!({"organizationId": "\u{0}"}));
        reported.push(server.send(&Request::post_checks(OPEN, &organization)).await.status_and_code());
        let mut expected = vec!["400 API-48"; 6];
        expected.push("400 API-40");
        assert_eq!(reported, expected);
    });
}

#[test]
fn a_fault_names_the_correlation_id_of_its_check() {
    on_every_database(async |server| {
        let body = json!([
            check_with_correlation_id("good"),
            with_member(check_with_correlation_id("bad"), "workerId", "NOBODY")
        ]);
        let response = server.send(&Request::post_checks(OPEN, &body)).await;
        assert_eq!(response.errors()[0]["correlationId"], "bad");
    });
}
