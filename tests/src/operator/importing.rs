//! Import over HTTP.

use reqwest::Method;
use serde_json::{Value, json};

use super::{get, object};
use crate::support::{Answer, Request, on_every_database};

const NDJSON: &str = "application/x-ndjson";

fn import(lines: &str) -> Request {
    Request::operator(Method::POST, "/import").header("content-type", NDJSON).body(lines)
}

fn lines(answer: &Answer) -> Vec<Value> {
    answer.text().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn company(id: &str) -> String {
    json!({"companyId": id, "displayId": id, "legalName": "Example", "organizations": [
        {"organizationId": "U", "name": "Unit"},
    ]})
    .to_string()
}

#[test]
fn each_line_is_answered_and_the_good_ones_are_in() {
    on_every_database(async |server| {
        let body =
            format!("{}\nnonsense\n\n{}\n{}", company("ONE"), json!({"companyId": "TWO"}), company("THREE"));
        let answer = server.send_unchecked(&import(&body)).await;
        assert_eq!((answer.status, answer.header("content-type")), (200, NDJSON));
        let told = lines(&answer);
        let short = |line: &Value| format!("{} {} {}", line["line"], line["companyId"], line["result"]);
        let expected =
            [r#"1 "ONE" "stored""#, r#"2 null "refused""#, r#"4 "TWO" "refused""#, r#"5 "THREE" "stored""#];
        assert_eq!(told.iter().map(short).collect::<Vec<_>>(), expected);
        assert_eq!(told[0]["counts"], json!({"created": 2, "changed": 0, "unchanged": 0}));
        assert_eq!(told[2]["errors"][0]["pointer"], "/displayId");
        assert_eq!(object(&get(server, "/companies/THREE/organizations/U").await)["name"], "Unit");
        assert_eq!(get(server, "/companies/TWO").await.status, 404);
    });
}

#[test]
fn a_locked_company_is_told_as_locked_and_the_same_line_again_as_unchanged() {
    on_every_database(async |server| {
        let locked = json!({"companyId": "LOCKED", "displayId": "00050001", "legalName": "Other"});
        let body = format!("{locked}\n{}\n{}\n", company("ONE"), company("ONE"));
        let told = lines(&server.send_unchecked(&import(&body)).await);
        assert_eq!((&told[0]["result"], &told[0]["errors"][0]["code"]), (&json!("locked"), &json!("API-10")));
        assert_eq!(told[2]["counts"], json!({"created": 0, "changed": 0, "unchanged": 2}));
    });
}

#[test]
fn an_import_is_ndjson_in_and_out() {
    on_every_database(async |server| {
        let request = import("");
        let json = request.clone().header("content-type", "application/json");
        assert_eq!(server.send(&json).await.status, 415);
        assert_eq!(server.send(&request.clone().accept("application/json")).await.status, 406);
        assert_eq!(server.send_unchecked(&request).await.text(), "");
    });
}
