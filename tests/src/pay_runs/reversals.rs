//! Tests of reversals: checks that undo a completed check (specification §10.20).

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

use super::large_totals::company_with_huge_checks;
use super::{add_and_process_checks, completion_request, reversal_request, step_request, transition_request};
use crate::support::{
    Caller, LOCKED, OPEN, Request, Server, check_with_correlation_id, checks_document, on_every_database,
    with_member,
};

/// Returns a request to reverse a check in the open period INITIAL.
fn reversal_request_for_check(paycheck_id: &str) -> Request {
    reversal_request(OPEN, "INITIAL", &json!({"paycheckId": paycheck_id}))
}

fn removal_request(period: &str, paycheck_id: &str) -> Request {
    let path = format!("/companies/{OPEN}/payperiods/{period}/reversals/{paycheck_id}");
    Request::operator(Method::DELETE, &path)
}

async fn read_list(server: &Server, subpath: &str) -> Vec<Value> {
    let response =
        server.send(&Request::operator_get(&format!("/companies/{OPEN}/payperiods/{subpath}"))).await;
    assert_eq!(response.status, 200, "{response:?}");
    response.content()
}

/// Completes a pay run with hours, tips, an informational line, a deduction and taxes of both kinds. Returns
/// the ids of its two checks.
async fn complete_first_period(server: &Server) -> Vec<String> {
    let lines = json!([{"componentId": "HOURLY", "payHours": "7.5", "payRate": "20.3333"},
                       {"componentId": "TIPS", "payAmount": "10"}]);
    let car = json!([{"componentId": "CAR", "payAmount": "50"}]);
    let one =
        with_member(with_member(check_with_correlation_id("one"), "earnings", lines), "informational", car);
    let ids = add_and_process_checks(server, &json!([one, check_with_correlation_id("two")])).await;
    let handed_in = json!({"checks": [{"paycheckId": ids[0], "checkNumber": "17",
        "taxes": [{"name": "A tax", "amount": "28.33", "paidBy": "EMPLOYEE_WITHHOLDING"},
                  {"name": "A tax", "amount": "11.62", "paidBy": "EMPLOYER_LIABILITY"}],
        "deductions": [{"componentId": "GARNISHMENT", "amount": 20}]}]});
    assert_eq!(server.send(&completion_request(&handed_in)).await.status, 200);
    ids
}

/// Processes the period INITIAL, which contains the reversals, and completes it with this document.
async fn complete_with_document(server: &Server, document: &Value) -> crate::support::Response {
    assert_eq!(server.send(&transition_request(OPEN, "INITIAL", "process")).await.status, 200);
    let path = format!("/companies/{OPEN}/payperiods/INITIAL/complete");
    server.send(&Request::operator_post(&path, document)).await
}

fn negate(amount: &Value) -> Value {
    let text = amount.as_str().expect("a decimal");
    text.strip_prefix('-').map_or_else(|| format!("-{text}"), str::to_owned).into()
}

#[test]
fn a_reversal_negates_a_check_and_keeps_the_original_unchanged() {
    on_every_database(async |server| {
        let ids = complete_first_period(server).await;
        let original = read_list(server, "ENTRY/register").await.remove(0);
        let tag = server.send(&Request::operator_get(&format!("/companies/{OPEN}/payperiods/ENTRY"))).await;
        let response = server.send(&reversal_request_for_check(&ids[0])).await;
        let added = response.content().remove(0);
        assert_eq!(
            (response.status, &added["reversalOf"], &added["checkCorrelationId"]),
            (201, &json!(ids[0]), &json!(ids[0]))
        );
        assert_eq!(
            (&added["earnings"][0]["payHours"], &added["earnings"][0]["payAmount"]),
            (&json!("-7.5"), &json!("-152.50"))
        );
        assert_eq!(added["deductions"][0]["payAmount"], "-20.00");
        let period =
            server.send(&Request::operator_get(&format!("/companies/{OPEN}/payperiods/INITIAL"))).await;
        assert_eq!(period.header("etag"), response.header("etag"));
        let entered = json!({"checks": 1, "workers": 1, "grossEarnings": "-162.50", "deductions": "-20.00"});
        assert_eq!(
            (&period.content()[0]["totals"], period.members("status")),
            (&entered, vec!["ENTRY".to_owned()])
        );

        let done = complete_with_document(server, &json!({})).await;
        let totals = json!({"checks": 1, "workers": 1, "grossEarnings": "-162.50", "netPay": "-104.17",
            "employeeTaxes": "-28.33", "employerTaxes": "-11.62", "deductions": "-20.00",
            "employerCost": "-174.12"});
        assert_eq!((done.status, &done.content()[0]["totals"]), (200, &totals));
        let taken_back = read_list(server, "INITIAL/register").await.remove(0);
        assert_eq!(
            (&taken_back["checkType"], &taken_back["reversalOf"]),
            (&json!("Reversal"), &json!(ids[0]))
        );
        for member in ["grossEarnings", "netPay"] {
            assert_eq!(taken_back[member], negate(&original[member]));
        }
        for list in ["earnings", "deductions", "informational", "taxes"] {
            let amounts = |check: &Value| -> Vec<Value> {
                check[list].as_array().expect("a list").iter().map(|line| line["amount"].clone()).collect()
            };
            let expected: Vec<Value> = amounts(&original).iter().map(negate).collect();
            assert_eq!(amounts(&taken_back), expected, "{list}");
        }
        assert_eq!(read_list(server, "ENTRY/register").await[0], original);
        let again = server.send(&Request::operator_get(&format!("/companies/{OPEN}/payperiods/ENTRY"))).await;
        assert_eq!((again.header("etag"), again.content()), (tag.header("etag"), tag.content()));
    });
}

#[test]
fn partners_cannot_change_the_lines_of_a_reversal() {
    on_every_database(async |server| {
        let ids = complete_first_period(server).await;
        let added = server.send(&reversal_request_for_check(&ids[0])).await.content().remove(0);
        let text = |value: &Value| value.as_str().expect("an id").to_owned();
        let lines = format!("/checks/{}/checkcomponents", text(&added["paycheckId"]));
        let line = format!("{lines}/{}", text(&added["earnings"][0]["checkComponentId"]));
        for request in [
            Request::post(&lines, &json!({"componentId": "HOURLY", "payHours": "1"})),
            Request::patch(&line, &json!({"payHours": "1"})),
            Request::new(Method::DELETE, &line),
        ] {
            assert_eq!(server.send(&request).await.status_and_code(), "400 API-19", "{request:?}");
        }
    });
}

#[test]
fn partners_read_a_reversal_and_its_journal_has_reversed_entries() {
    on_every_database(async |server| {
        let ids = complete_first_period(server).await;
        let added = server.send(&reversal_request_for_check(&ids[0])).await.members("paycheckId").remove(0);
        let one = Request::get(format!("/workers/EMPLOYEE/checks/{added}"));
        assert_eq!(server.send(&one).await.content()[0]["reversalOf"], ids[0]);
        assert_eq!(complete_with_document(server, &json!({})).await.status, 200);
        let read_back = server.send(&one).await.content().remove(0);
        assert_eq!((&read_back["netPay"], &read_back["reversalOf"]), (&json!("-104.17"), &json!(ids[0])));
        let first = read_list(server, "ENTRY/journal").await.remove(0);
        let second = read_list(server, "INITIAL/journal").await.remove(0);
        let booked = |journal: &Value, name: &str, side: &str| {
            let entries = journal["entries"].as_array().expect("entries").clone();
            let entry = entries.into_iter().find(|entry| entry["name"] == name && !entry[side].is_null());
            entry.map(|entry| (entry["account"].clone(), entry[side].clone()))
        };
        assert_eq!(booked(&first, "TIPS component", "debit"), booked(&second, "TIPS component", "credit"));
        assert!(booked(&first, "TIPS component", "debit").is_some());
        assert_eq!(second["totalDebit"], second["totalCredit"]);
    });
}

#[test]
fn an_impossible_reversal_is_rejected_with_the_reason() {
    on_every_database(async |server| {
        let ids = complete_first_period(server).await;
        let open = server
            .send(&Request::post_checks(
                OPEN,
                &with_member(check_with_correlation_id("x"), "payPeriodId", "INITIAL"),
            ))
            .await;
        let open = open.members("paycheckId").remove(0);
        let known = json!({"paycheckId": ids[0]});
        for (request, expected) in [
            (reversal_request_for_check("NOBODYS"), "400 API-48"),
            (reversal_request_for_check("not an id"), "400 API-48"),
            (reversal_request(OPEN, "INITIAL", &json!({})), "400 API-46"),
            (reversal_request(OPEN, "INITIAL", &json!({"paycheckId": ids[0], "amount": "1"})), "400 API-48"),
            (reversal_request(OPEN, "INITIAL", &json!([])), "400 API-48"),
            (reversal_request(OPEN, "ENTRY", &known), "409 API-409"),
            (reversal_request(OPEN, "NOWHERE", &known), "404 API-7"),
            (reversal_request("UNKNOWN", "INITIAL", &known), "404 API-7"),
            (reversal_request(LOCKED, "LOCKED-PERIOD", &known), "400 API-48"),
            (reversal_request_for_check(&open), "409 API-409"),
            (reversal_request_for_check(&ids[0]).with_caller(Caller::OperatorReader), "403 API-2"),
            (reversal_request_for_check(&ids[0]).if_match("\"1\""), "412 API-412"),
            (removal_request("INITIAL", &open), "404 API-7"),
            (removal_request("INITIAL", "NOBODYS"), "404 API-7"),
            (removal_request("ENTRY", &ids[0]), "409 API-409"),
        ] {
            assert_eq!(server.send(&request).await.status_and_code(), expected, "{request:?}");
        }
        let added = server.send(&reversal_request_for_check(&ids[0])).await.members("paycheckId").remove(0);
        let again = server.send(&reversal_request_for_check(&ids[0])).await;
        assert_eq!(again.status_and_code(), "409 API-409");
        assert!(again.errors()[0]["description"].as_str().expect("words").contains(&added), "{again:?}");
        let faulty =
            complete_with_document(server, &json!({"checks": [{"paycheckId": added, "checkNumber": "1"}]}))
                .await;
        assert_eq!(faulty.faults(), ["API-48 /checks/0/paycheckId"]);
        let path = format!("/companies/{OPEN}/payperiods/INITIAL/complete");
        assert_eq!(server.send(&Request::operator_post(&path, &json!({}))).await.status, 200);
        let next = with_member(crate::support::world::period("NEXT", "INITIAL"), "checkDate", "2026-06-19");
        let created =
            server.send(&Request::operator_post(&format!("/companies/{OPEN}/payperiods"), &next)).await;
        assert_eq!(created.status, 201, "{created:?}");
        let of_reversal = server.send(&reversal_request(OPEN, "NEXT", &json!({"paycheckId": added}))).await;
        assert_eq!(of_reversal.status_and_code(), "409 API-409", "a reversal is not taken back");
    });
}

#[test]
fn a_removed_reversal_leaves_nothing_and_can_be_repeated() {
    on_every_database(async |server| {
        let ids = complete_first_period(server).await;
        let before = server.database.query_number("SELECT count(*) FROM checks").await;
        let first = server.send(&reversal_request_for_check(&ids[0]).idempotency_key("k")).await;
        let replay = server.send(&reversal_request_for_check(&ids[0]).idempotency_key("k")).await;
        assert_eq!((first.status, replay.status, &replay.body), (201, 201, &first.body));
        let added = first.members("paycheckId").remove(0);
        assert_eq!(
            server.send(&removal_request("INITIAL", &added).if_match("\"1\"")).await.status_and_code(),
            "412 API-412"
        );
        let removed = server.send(&removal_request("INITIAL", &added).if_match(first.header("etag"))).await;
        assert_eq!(removed.status, 204);
        assert_eq!(server.send(&removal_request("INITIAL", &added)).await.status_and_code(), "404 API-7");
        assert_eq!(server.database.query_number("SELECT count(*) FROM checks").await, before);
        let totals = read_list(server, "INITIAL").await[0]["totals"].clone();
        assert_eq!((&totals["checks"], &totals["grossEarnings"]), (&json!(0), &json!("0.00")));
        assert_eq!(server.send(&reversal_request_for_check(&ids[0])).await.status, 201);
        let count_audit_rows = "SELECT count(*) FROM audit WHERE kind = 'checks' AND resource_id = 'INITIAL'";
        assert_eq!(server.database.query_number(count_audit_rows).await, 3);
    });
}

#[test]
fn one_of_many_simultaneous_reversals_is_stored() {
    on_every_database(async |server| {
        let ids = add_and_process_checks(server, &checks_document(1)).await;
        assert_eq!(server.send(&step_request("complete")).await.status, 200);
        let requests: Vec<Request> = (0..12).map(|_| reversal_request_for_check(&ids[0])).collect();
        let responses = join_all(requests.iter().map(|request| server.send(request))).await;
        let created = responses.iter().filter(|response| response.status == 201).count();
        let refused = responses.iter().filter(|response| response.status == 409).count();
        assert_eq!((created, refused), (1, 11), "{responses:?}");
        let stored = "SELECT count(*) FROM checks WHERE reversal_of IS NOT NULL";
        assert_eq!(server.database.query_number(stored).await, 1);
    });
}

#[test]
fn a_check_with_an_open_reversal_is_not_corrected_by_an_import() {
    on_every_database(async |server| {
        let import = async |line: &Value| {
            let post =
                Request::operator(Method::POST, "/import").header("content-type", "application/x-ndjson");
            server.send_unchecked(&post.body(line.to_string())).await.text()
        };
        let company = company_with_huge_checks();
        let mut corrected = company.clone();
        corrected["payPeriods"][0]["checks"][0]["netPay"] = json!("1.00");
        assert!(import(&company).await.contains(r#""result":"stored""#));
        let added = server.send(&reversal_request("HUGE", "C", &json!({"paycheckId": "HUGE-A-0"}))).await;
        let reversal_id = added.members("paycheckId").remove(0);

        let refused = import(&corrected).await;
        assert!(refused.contains(r#""result":"refused""#) && refused.contains(&reversal_id), "{refused}");
        corrected["payPeriods"][0]["checks"][0]["netPay"] = json!("99999999999999.99");
        corrected["payPeriods"][0]["checks"][1]["netPay"] = json!("1.00");
        let other = import(&corrected).await;
        assert!(other.contains(r#""result":"stored""#), "{other}");
        corrected["payPeriods"][0]["checks"][0]["netPay"] = json!("1.00");
        let removal = format!("/companies/HUGE/payperiods/C/reversals/{reversal_id}");
        assert_eq!(server.send(&Request::operator(Method::DELETE, &removal)).await.status, 204);
        let stored = import(&corrected).await;
        assert!(stored.contains(r#""result":"stored""#), "{stored}");
    });
}
