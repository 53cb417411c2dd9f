//! Tests of CSV bodies instead of JSON: workers, pay rates and checks of a company. Each fault is reported
//! with its line and column.

use reqwest::Method;
use serde_json::{Value, json};

use super::{get, only_object};
use crate::support::{BARE, LOCKED, OPEN, Request, Server, on_every_database};

const CSV_MEDIA_TYPE: &str = "text/csv";

async fn send_csv(server: &Server, path: &str, text: &str) -> (u16, Value) {
    let response = server
        .send(&Request::operator(Method::POST, path).header("content-type", CSV_MEDIA_TYPE).body(text))
        .await;
    (response.status, response.json())
}

/// Sends CSV rows that change workers of the company. Returns the status and the body of the response.
async fn change_workers(server: &Server, company: &str, query: &str, text: &str) -> (u16, Value) {
    send_csv(server, &format!("/companies/{company}/workerchanges?{query}"), text).await
}

/// Returns the codes of an error response, each with its pointer.
fn fault_texts(refusal: &Value) -> Vec<String> {
    let errors = refusal["errors"].as_array().expect("errors").iter();
    let text = |error: &Value, name: &str| error[name].as_str().unwrap_or("-").to_owned();
    errors.map(|error| format!("{} {}", text(error, "code"), text(error, "pointer"))).collect()
}

fn expected_counts(created: u32, changed: u32, unchanged: u32) -> Value {
    json!({"created": created, "changed": changed, "unchanged": unchanged})
}

const WORKERS_CSV: &str = "workerId,workerType,name.givenName,name.familyName,homeAddress.city\n\
    C-1,EMPLOYEE,Ann,Sample,ALBANY\r\n\
    C-2,EMPLOYEE,Bo,\"Sample, the second\",\n";

#[test]
fn rows_are_stored_together_and_only_once() {
    on_every_database(async |server| {
        let ann = format!("/companies/{BARE}/workers/C-1");
        let dry = change_workers(server, BARE, "rows=workers&dryrun=true", WORKERS_CSV).await;
        assert_eq!((dry.0, &dry.1["content"][0]), (200, &expected_counts(2, 0, 0)), "{dry:?}");
        assert_eq!(get(server, &ann).await.status, 404);
        assert_eq!(
            change_workers(server, BARE, "rows=workers", WORKERS_CSV).await.1["content"][0],
            expected_counts(2, 0, 0)
        );
        assert_eq!(
            change_workers(server, BARE, "rows=workers", WORKERS_CSV).await.1["content"][0],
            expected_counts(0, 0, 2)
        );
        assert_eq!(only_object(&get(server, &ann).await)["communications"][0]["city"], "ALBANY");
        let rates =
            "workerId,rateNumber,rateType,amount,startDate\nC-1,RATE_1,HOURLY_RATE,21.50,2026-01-01\n";
        assert_eq!(
            change_workers(server, BARE, "rows=rates", rates).await.1["content"][0],
            expected_counts(0, 1, 0)
        );
        assert_eq!(only_object(&get(server, &ann).await)["payRates"][0]["amount"], "21.5000");
    });
}

#[test]
fn every_fault_of_a_csv_file_has_its_line_and_column() {
    on_every_database(async |server| {
        // Faults of the CSV format and faults of the values are reported together.
        let wrong = "workerId,workerType,name.givenName,name.familyName,hireDate\n\
            C-1,NOBODY,Ann,Sample,01/02/2026\n\
            C-2,EMPLOYEE,Bo\n\
            \n\
            C-1,EMPLOYEE,Ann,Sample,\n\
            C-3,EMPLOYEE,,Sample,\n";
        let (status, refusal) = change_workers(server, BARE, "rows=workers", wrong).await;
        let expected = [
            "API-48 /2/workerType",
            "API-48 /2/hireDate",
            "API-40 /3",
            "API-47 /5",
            "API-46 /6/name.givenName",
        ];
        assert_eq!((status, fault_texts(&refusal)), (400, expected.map(str::to_owned).into()), "{refusal}");
        assert_eq!(get(server, &format!("/companies/{BARE}/workers/C-1")).await.status, 404);
        for (text, expected) in [
            ("", vec!["API-40 /1"]),
            ("workerId;workerType\nC-1;EMPLOYEE\n", vec!["API-40 /1"]),
            ("workerId,a/b~c\nC-1,x\n", vec!["API-48 /1", "API-48 /1/a~1b~0c"]),
            ("workerType,name.givenName\nEMPLOYEE,Ann\n", vec!["API-46 /1"]),
            ("workerId\n\"C-1\n", vec!["API-40 /2"]),
            ("workerId\n", vec!["API-46 /1"]),
            ("workerId,x,x,x\nC-1,1,2,3\n", vec!["API-48 /1", "API-48 /1/x", "API-47 /1/x"]),
        ] {
            let (status, refusal) = change_workers(server, BARE, "rows=workers", text).await;
            assert_eq!(
                (status, fault_texts(&refusal)),
                (400, expected.iter().map(ToString::to_string).collect()),
                "{text}"
            );
        }
        let many = format!("workerId,workerType,name.familyName\n{}", ",NOBODY,\n".repeat(300));
        let (_, refusal) = change_workers(server, BARE, "rows=workers", &many).await;
        let faults = fault_texts(&refusal);
        assert_eq!(faults.last().map(String::as_str), Some("API-40 -"), "{refusal}");
        assert!(refusal["errors"].to_string().contains("more faults"), "{refusal}");
    });
}

#[test]
fn the_rows_parameter_is_required_for_csv_and_rejected_for_json() {
    on_every_database(async |server| {
        assert_eq!(
            fault_texts(&change_workers(server, BARE, "dryrun=true", WORKERS_CSV).await.1),
            ["API-49 -"]
        );
        assert_eq!(
            fault_texts(&change_workers(server, BARE, "rows=checks", WORKERS_CSV).await.1),
            ["API-40 -"]
        );
        let path = format!("/companies/{BARE}/workerchanges?rows=workers");
        let json = server.send(&Request::operator_post(&path, &json!({"workers": []}))).await;
        assert_eq!((json.status, fault_texts(&json.json())), (400, vec!["API-40 -".to_owned()]));
        assert_eq!(change_workers(server, "NOWHERE", "rows=workers", WORKERS_CSV).await.0, 404);
        assert_eq!(change_workers(server, LOCKED, "rows=workers", WORKERS_CSV).await.0, 423);
        let other =
            Request::operator(Method::POST, &path).header("content-type", "text/plain").body(WORKERS_CSV);
        assert_eq!(server.send(&other).await.status, 415);
    });
}

#[test]
fn rows_of_checks_are_added_once_under_an_idempotency_key() {
    on_every_database(async |server| {
        let path = format!("/companies/{OPEN}/payperiods/INITIAL/checks");
        let wrong = "workerId,section,componentId,payHours\nEMPLOYEE,wages,HOURLY,8\nEMPLOYEE,,HOURLY,\"7,5\"\nEMPLOYEE,,NOTHING,1\n";
        let (status, refusal) = send_csv(server, &path, wrong).await;
        assert_eq!((status, fault_texts(&refusal).len()), (400, 3), "{refusal}");
        assert!(fault_texts(&refusal).contains(&"API-48 /3/payHours".to_owned()), "{refusal}");
        assert!(fault_texts(&refusal).contains(&"API-48 /2/section".to_owned()), "{refusal}");
        let all_wrong = "workerId,section,componentId,payHours\nEMPLOYEE,wages,HOURLY,8\n";
        let (status, refusal) = send_csv(server, &path, all_wrong).await;
        assert_eq!((status, fault_texts(&refusal)), (400, vec!["API-48 /2/section".to_owned()]));
        let hours = "workerId,section,componentId,payHours\nEMPLOYEE,,HOURLY,8\n";
        let add = Request::operator(Method::POST, &path)
            .header("content-type", CSV_MEDIA_TYPE)
            .body(hours)
            .idempotency_key("csv-1");
        let first = server.send(&add).await;
        assert_eq!((first.status, &first.json()["content"][0]), (200, &expected_counts(1, 0, 0)));
        assert_eq!(
            server.send(&add).await.json(),
            first.json(),
            "the same request again gets the same response"
        );
        let (status, refusal) = send_csv(server, &path, hours).await;
        assert_eq!(status, 400, "{refusal}");
        assert!(
            refusal["errors"][0]["description"].as_str().is_some_and(|it| it.contains("imported before"))
        );
        assert_eq!(fault_texts(&refusal), ["API-56 /2"]);
    });
}
