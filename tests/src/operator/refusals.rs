//! Tests of rejected requests to the operator API, and of the order in which the server detects the errors.

use payroll_server::app::operator_routes;
use reqwest::Method;
use serde_json::json;

use super::{COMPANY_LISTS, list_path};
use crate::support::{Caller, OPEN, Request, UNKNOWN, on_every_database};

fn parse_method(name: &str) -> Method {
    name.parse().expect("a method")
}

/// Returns the path of a route with this company id. All other parameters of the path contain unknown ids.
fn path_in_company(route: &str, company: &str) -> String {
    let part = |part: &str| match part {
        "{companyId}" => company.to_owned(),
        part if part.starts_with('{') => UNKNOWN.to_owned(),
        part => part.to_owned(),
    };
    route.split('/').map(part).collect::<Vec<_>>().join("/")
}

#[test]
fn an_unknown_object_gets_404_before_any_fault_of_the_request() {
    on_every_database(async |server| {
        for company in [UNKNOWN, "no%20id"] {
            for route in operator_routes().iter().filter(|route| route.path.contains("{companyId}/")) {
                let request = Request::new(parse_method(route.method), path_in_company(route.path, company))
                    .with_caller(Caller::Operator)
                    .json(&json!({"nonsense": 1}));
                let response = server.send(&request).await;
                assert_eq!(response.status_and_code(), "404 API-7", "{route:?}");
            }
        }
    });
}

#[test]
fn a_change_without_a_version_gets_428_and_one_with_another_version_412() {
    on_every_database(async |server| {
        for (name, id, _) in COMPANY_LISTS {
            let all = super::get(server, &list_path(name)).await.json();
            let path = format!("{}/{}", list_path(name), all["content"][0][id].as_str().expect("an id"));
            for name in ["PUT", "PATCH", "DELETE"] {
                let mut request = Request::operator(parse_method(name), &path).json(&all["content"][0]);
                assert_eq!(server.send(&request).await.status, 428, "{name} {path}");
                for tag in ["\"1\"", "W/\"1\"", "nonsense", "\"1\", \"2\""] {
                    request = request.if_match(tag);
                    assert_eq!(server.send(&request).await.status, 412, "{name} {path} {tag}");
                }
            }
        }
    });
}

#[test]
fn a_read_only_key_writes_nothing() {
    on_every_database(async |server| {
        for route in operator_routes().iter().filter(|route| route.writes) {
            let request = Request::new(parse_method(route.method), path_in_company(route.path, OPEN))
                .with_caller(Caller::OperatorReader);
            let response = server.send(&request).await;
            assert_eq!(response.status_and_code(), "403 API-2", "{route:?}");
        }
    });
}

#[test]
fn a_body_is_json_and_a_patch_may_have_its_own_media_type() {
    on_every_database(async |server| {
        let path = format!("/companies/{OPEN}/organizations");
        let send = async |method: Method, path: &str, media_type: &str| {
            let request = Request::operator(method, path).body("x").header("content-type", media_type);
            server.send(&request.if_match("*")).await.status
        };
        let one = format!("{path}/BAKERY");
        assert_eq!(send(Method::POST, &path, "text/plain").await, 415);
        assert_eq!(send(Method::PUT, &one, "application/merge-patch+json").await, 415);
        assert_eq!(send(Method::PATCH, &one, "application/merge-patch+json").await, 400);
        assert_eq!(send(Method::PATCH, &one, "application/json").await, 400);
    });
}

#[test]
fn all_faults_of_a_document_are_reported_with_their_pointers() {
    on_every_database(async |server| {
        let worker = json!({"workerType": "ROBOT", "name": {"givenName": "A"}, "nonsense": true});
        let request = Request::operator_post(&list_path("workers"), &worker);
        let response = server.send(&request).await;
        let errors = response.json()["errors"].as_array().expect("errors").clone();
        let places: Vec<_> =
            errors.iter().map(|error| format!("{} {}", error["code"], error["pointer"])).collect();
        let expected =
            [r#""API-46" "/name/familyName""#, r#""API-48" "/nonsense""#, r#""API-48" "/workerType""#];
        assert_eq!((response.status, places), (400, expected.map(str::to_owned).to_vec()));
    });
}
