//! Tests of earnings that are split over the jobs and labor assignments of a worker.

use serde_json::{Value, json};

use crate::support::{OPEN, Request, Server, check_with_correlation_id, on_every_database, with_member};

/// For each earning of a check, returns the id of its job or labor assignment, its hours, and its amount.
fn earning_rows(check: &Value) -> Vec<[String; 3]> {
    let text = |line: &Value, member: &str| line[member].as_str().unwrap_or_default().to_owned();
    let lines = check["earnings"].as_array().into_iter().flatten();
    let of = |line| {
        let booked_on = text(line, "jobId") + &text(line, "laborAssignmentId");
        [booked_on, text(line, "payHours"), text(line, "payAmount")]
    };
    lines.map(of).collect()
}

async fn set_distribution(server: &Server, parts: Value) {
    let path = format!("/companies/{OPEN}/workers/EMPLOYEE");
    let set = server.send(&Request::operator_patch(&path, &json!({"assignmentDistributions": parts}))).await;
    assert_eq!(set.status, 200, "{set:?}");
}

/// Returns a check with 7 hours at 10.01, and a bonus.
fn hourly_check(correlation_id: &str) -> Value {
    let lines = json!([{"componentId": "HOURLY", "payHours": "7", "payRate": "10.01"},
                       {"componentId": "BONUS", "payAmount": "0.05"}]);
    with_member(check_with_correlation_id(correlation_id), "earnings", lines)
}

#[test]
fn the_parts_of_a_distributed_check_pay_the_same_as_the_check() {
    on_every_database(async |server| {
        let thirds = json!([{"jobId": "CAKES", "value": "33.3333"}, {"jobId": "OVENS", "value": "33.3333"},
                            {"laborAssignmentId": "NIGHT", "value": "33.3334"}]);
        set_distribution(server, thirds).await;
        let blocked = with_member(hourly_check("whole"), "blockAutoDistribution", true);
        let added = server.send(&Request::post_checks(OPEN, &json!([hourly_check("split"), blocked]))).await;
        assert_eq!(added.status, 201, "{added:?}");
        let [split, whole] = added.content().try_into().expect("two checks");
        let expected = [
            ["CAKES", "2.3333", ""],
            ["OVENS", "2.3333", "23.35"],
            ["NIGHT", "2.3334", ""],
            ["CAKES", "", "0.02"],
            ["OVENS", "", "0.01"],
            ["NIGHT", "", "0.02"],
        ];
        assert_eq!(earning_rows(&split), expected);
        assert_eq!(earning_rows(&whole), [["", "7", ""], ["", "", "0.05"]]);
        let read =
            Request::get(format!("/workers/EMPLOYEE/checks/{}", split["paycheckId"].as_str().unwrap()));
        assert_eq!(server.send(&read).await.content(), std::slice::from_ref(&split));

        // After the completion, the check with split earnings and the check without them have the same gross
        // earnings.
        let path = format!("/companies/{OPEN}/payperiods/ENTRY");
        let processed = server.send(&Request::operator_post(&format!("{path}/process"), &json!({}))).await;
        assert_eq!(processed.status, 200, "{processed:?}");
        let completed = server.send(&Request::operator_post(&format!("{path}/complete"), &json!({}))).await;
        assert_eq!(completed.status, 200, "{completed:?}");
        let checks = server.send(&Request::get(format!("/companies/{OPEN}/checks?payperiodid=ENTRY"))).await;
        assert_eq!(checks.members("grossEarnings"), ["70.12", "70.12"]);
    });
}

#[test]
fn an_added_check_line_is_distributed_and_a_changed_line_is_not() {
    on_every_database(async |server| {
        let added = server.send(&Request::post_checks(OPEN, &json!([hourly_check("before")]))).await;
        let check = added.content().remove(0);
        let lines = format!("/checks/{}/checkcomponents", check["paycheckId"].as_str().expect("an id"));
        set_distribution(
            server,
            json!([{"jobId": "CAKES", "value": "25"}, {"jobId": "OVENS", "value": "75"}]),
        )
        .await;
        let bonus = Request::post(&lines, &json!({"componentId": "BONUS", "payAmount": "0.03"}));
        let after = server.send(&bonus).await.content().remove(0);
        let stored = [["", "7", ""], ["", "", "0.05"]];
        assert_eq!(earning_rows(&after)[..2], stored, "stored lines stay as they are");
        assert_eq!(earning_rows(&after)[2..], [["CAKES", "", "0.01"], ["OVENS", "", "0.02"]]);
        let hours = format!("{lines}/{}", after["earnings"][0]["checkComponentId"].as_str().unwrap());
        let changed = server.send(&Request::patch(&hours, &json!({"payHours": "8"}))).await;
        assert_eq!((changed.status, &changed.content()[0]["payHours"]), (200, &json!("8")));

        // The split creates a part that has both an amount and hours. If the hours change, the server
        // computes the amount of this part again.
        let rate = json!({"componentId": "HOURLY", "payHours": "2", "payRate": "0.03"});
        let parts = server.send(&Request::post(&lines, &rate)).await.content().remove(0);
        let part = parts["earnings"]
            .as_array()
            .unwrap()
            .iter()
            .find(|line| line["payAmount"].is_string() && line["payHours"].is_string());
        let part = format!(
            "{lines}/{}",
            part.expect("1.5 hours at 0.03 are 0.045")["checkComponentId"].as_str().unwrap()
        );
        let changed = server.send(&Request::patch(&part, &json!({"payHours": "100"}))).await;
        assert_eq!(changed.status, 200, "{changed:?}");
        assert_eq!(changed.content()[0].get("payAmount"), None);
    });
}

#[test]
fn a_check_line_refers_to_a_listed_job_and_a_stored_reference_stays_valid() {
    on_every_database(async |server| {
        let line = json!({"componentId": "HOURLY", "payHours": "1", "jobId": "NOWHERE", "laborAssignmentId": "NIGHT"});
        let sent = Request::post_checks(
            OPEN,
            &json!([with_member(check_with_correlation_id("a"), "earnings", json!([line]))]),
        );
        assert_eq!(server.send(&sent).await.faults(), ["API-48 /0/earnings/0/jobId"]);
        let known = with_member(line, "jobId", "CAKES");
        let sent = Request::post_checks(
            OPEN,
            &json!([with_member(check_with_correlation_id("a"), "earnings", json!([known]))]),
        );
        let check = server.send(&sent).await.content().remove(0);
        // The company deletes the job after the check was added. The check line with this job can still be
        // changed.
        let gone = Request::operator_delete(&format!("/companies/{OPEN}/jobs/CAKES"));
        set_distribution(server, json!([])).await;
        let later = format!("/companies/{OPEN}/workers/STARTS-LATER");
        let none = json!({"assignmentDistributions": []});
        assert_eq!(server.send(&Request::operator_patch(&later, &none)).await.status, 200);
        assert_eq!(server.send(&gone).await.status, 204);
        let id = check["earnings"][0]["checkComponentId"].as_str().unwrap();
        let line = format!("/checks/{}/checkcomponents/{id}", check["paycheckId"].as_str().unwrap());
        let patch = |change: Value| Request::patch(&line, &change);
        assert_eq!(server.send(&patch(json!({"payHours": "2"}))).await.status, 200);
        assert_eq!(server.send(&patch(json!({"jobId": "NOWHERE"}))).await.faults(), ["API-48 /jobId"]);
    });
}
