//! Tests of the operator API from outside. The server reads only the key from the store before it responds.

use payroll_adapter_http::{LocalOperator, LocalRequest, operator_routes};
use payroll_domain::operator_key::OperatorRole;

use crate::access_store::{FULL_KEY, operator_key_with_role};
use crate::envelope_code;
use crate::server::{Server, ServerResponse, operator_api};

fn bearer_header(key: &str) -> String {
    format!("Authorization: Bearer {key}")
}

/// Returns a path of a route with an id for each placeholder.
fn example_path(route: &str) -> String {
    route.split('/').map(|part| if part.starts_with('{') { "A" } else { part }).collect::<Vec<_>>().join("/")
}

fn status_and_code(response: &ServerResponse) -> (u16, String) {
    (response.status, envelope_code(response))
}

#[tokio::test]
async fn every_operation_accepts_a_key_with_a_permitted_role() {
    let server = Server::start_operator();
    for route in operator_routes() {
        let path = example_path(route.path);
        let nobody = server.request(route.method, &path, &[], "").await;
        assert_eq!(status_and_code(&nobody), (401, "API-102".to_owned()), "{route:?}");
        assert_eq!(nobody.header("www-authenticate"), Some("Bearer"), "{route:?}");
        let unknown = server.request(route.method, &path, &[&bearer_header("opk_other")], "").await;
        assert_eq!(status_and_code(&unknown), (401, "API-102".to_owned()), "{route:?}");
        assert_eq!(unknown.header("www-authenticate"), Some("Bearer error=\"invalid_token\""), "{route:?}");
        for role in OperatorRole::ALL {
            let response = server
                .request(route.method, &path, &[&bearer_header(&operator_key_with_role(*role))], "")
                .await;
            let is_refused = status_and_code(&response) == (403, "API-2".to_owned());
            assert_eq!(is_refused, !route.roles.contains(role), "{route:?} {role} {}", response.status);
        }
    }
}

#[tokio::test]
async fn every_operation_lists_its_methods_without_a_key() {
    let server = Server::start_operator();
    for route in operator_routes() {
        let path = example_path(route.path);
        let options = server.request("OPTIONS", &path, &[], "").await;
        let allowed = options.header("allow").unwrap();
        assert!(options.status == 204 && allowed.contains(route.method), "{route:?}: {allowed}");
        let other = server.request("BREW", &path, &[], "").await;
        assert_eq!((other.status, other.header("allow")), (405, Some(allowed)), "{route:?}");
    }
}

#[tokio::test]
async fn each_listener_has_only_the_paths_of_its_api() {
    let operator = Server::start_operator().get("/companies").await;
    let partner = Server::start().get("/operator/v1/companies").await;
    assert_eq!(
        (status_and_code(&operator), status_and_code(&partner)),
        ((404, "API-7".to_owned()), (404, "API-7".to_owned()))
    );
}

#[tokio::test]
async fn the_key_is_checked_before_media_types_and_an_unavailable_storage_gets_503() {
    let server = Server::start_operator();
    let text = "Accept: text/plain";
    let nobody = server.request("GET", "/operator/v1/companies", &[text], "").await;
    let known = server.request("GET", "/operator/v1/companies", &[text, &bearer_header(FULL_KEY)], "").await;
    let away = server.request("GET", "/operator/v1/companies", &[&bearer_header(FULL_KEY)], "").await;
    assert_eq!([nobody.status, known.status, away.status], [401, 406, 503]);
}

#[tokio::test]
async fn a_local_command_needs_no_key_and_gets_the_usual_responses() {
    let local = LocalOperator::new(operator_api(), "ann").unwrap();
    let send = async |method, target, headers: &[(&str, &str)], body: &str| {
        let request = LocalRequest { method, target, headers };
        let response = local.send(request, body.into()).await.unwrap();
        (response.status, response.header("content-type").map(str::to_owned))
    };
    let json = || Some("application/json".to_owned());
    let sent = [("content-type", "application/json")];
    assert_eq!(send("GET", "/operator/v1/companies", &[], "").await, (503, json()));
    assert_eq!(send("GET", "/companies", &[], "").await, (404, json()));
    assert_eq!(send("POST", "/operator/v1/companies", &[], "{}").await, (415, json()));
    assert_eq!(send("POST", "/operator/v1/companies", &sent, "{}").await, (400, json()));
    assert!(local.send(LocalRequest { method: "", target: "/", headers: &[] }, vec![]).await.is_err());
}

#[tokio::test]
async fn an_import_reports_each_line_and_stops_when_the_storage_fails() {
    let lines = "\n{}\nnonsense\n{\"companyId\":\"A\",\"displayId\":\"1\",\"legalName\":\"Acme\"}\n{}";
    let headers = [("content-type", "application/x-ndjson")];
    let request = LocalRequest { method: "POST", target: "/operator/v1/import", headers: &headers };
    let response =
        LocalOperator::new(operator_api(), "ann").unwrap().send(request, lines.into()).await.unwrap();
    assert_eq!((response.status, response.header("content-type")), (200, Some("application/x-ndjson")));
    let reported = String::from_utf8(response.body).unwrap();
    let reported = reported.lines().map(|line| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        format!("{} {} {} {}", line["line"], line["companyId"], line["result"], line["errors"][0]["code"])
    });
    let expected =
        [r#"2 null "refused" "API-46""#, r#"3 null "refused" "API-40""#, r#"4 "A" "failed" "API-503""#];
    assert_eq!(reported.collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn an_import_responds_while_its_body_is_still_arriving() {
    let server = Server::start_operator();
    let mut connection = server.connect().await;
    connection
        .send(&format!(
            "POST /operator/v1/import HTTP/1.1\r\nHost: h\r\n{}\r\nContent-Type: application/x-ndjson\r\n\
             Transfer-Encoding: chunked\r\n\r\n3\r\n{{}}\n\r\n",
            bearer_header(FULL_KEY)
        ))
        .await;
    connection.wait_for_text("\"line\":1").await;
    connection.send("3\r\n{}\n\r\n0\r\n\r\n").await;
    connection.wait_for_text("\"line\":2").await;
}
