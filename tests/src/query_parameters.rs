//! Tests of query parameters on every operation of both APIs. The names are accepted in each form that
//! clients use. Unknown names are rejected, because ignoring a filter would return data that the client did
//! not request.

use payroll_server::app;
use reqwest::Method;

use crate::operations::OPERATIONS;
use crate::support::hooks::store_hooks;
use crate::support::{OPEN, Request, Response, Server, on_every_database, store_checks, valid_request};

/// Returns a request for an operation with this query.
fn with_query(mut request: Request, query: &str) -> Request {
    let mark = if request.target.contains('?') { '&' } else { '?' };
    request.target = format!("{}{mark}{query}", request.target);
    request
}

/// Returns a valid request for each operation of both APIs. Each request is followed by the names of the
/// parameters that its operation accepts.
fn requests_with_parameters() -> Vec<(Request, &'static [&'static str])> {
    let partners = app::routes()
        .into_iter()
        .map(|route| (valid_request(route.method, route.path, OPEN), route.parameters));
    let operators = app::operator_routes().into_iter().map(|route| {
        let path = route.path.trim_start_matches("/operator/v1").replace(['{', '}'], "");
        let method = Method::from_bytes(route.method.as_bytes()).expect("a method");
        (Request::operator(method, &path), route.parameters)
    });
    partners.chain(operators).collect()
}

/// Returns the description of the first error.
fn error_description(response: &Response) -> String {
    response.json()["errors"][0]["description"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn an_unknown_parameter_gets_api_40_with_the_known_names() {
    on_every_database(async |server| {
        store_hooks(server).await;
        store_checks(&server.database).await;
        let all = requests_with_parameters();
        assert!(all.len() > OPERATIONS.len(), "both sides");
        for (request, known) in all {
            let request = with_query(request, "Employee=1003&dry_run=true");
            let response = server.send(&request).await;
            assert_eq!(response.status_and_code(), "400 API-40", "{request:?}");
            let reported = error_description(&response);
            let names = if known.is_empty() { "no query parameter".to_owned() } else { known.join(", ") };
            let expected = format!(
                "unknown query parameters: \"employee\", \"dry_run\"; this operation accepts {names}"
            );
            assert_eq!(reported, expected, "{request:?}");
        }
    });
}

#[test]
fn every_known_parameter_is_accepted_in_each_spelling() {
    on_every_database(async |server| {
        store_hooks(server).await;
        store_checks(&server.database).await;
        for (request, known) in requests_with_parameters() {
            let method = request.method.clone();
            for (name, written) in known.iter().flat_map(|name| {
                [name.to_uppercase(), format!("{name}[]"), format!("{name}[0]")].map(|it| (name, it))
            }) {
                // Each parameter has an empty value, which is invalid. The server rejects the requests, so
                // they change nothing.
                let response = server.send(&with_query(request.clone(), &format!("{written}="))).await;
                let reported = response.text();
                assert!(
                    !reported.contains("unknown query parameters"),
                    "{method} {} {name}: {reported}",
                    request.target
                );
            }
        }
    });
}

#[test]
fn a_filter_works_with_each_spelling_of_its_name() {
    on_every_database(async |server| {
        let found = async |query: &str| {
            let target = format!("/companies/{OPEN}/workers?{query}");
            server.send(&Request::get(target)).await.members("workerId").join(" ")
        };
        for query in ["givenname=EXEMPT", "givenName=EXEMPT", "GIVENNAME=exempt", "givenname%5B0%5D=EXEMPT"] {
            assert_eq!(found(query).await, "EXEMPT", "{query}");
        }
        let periods = async |query: &str| {
            let target = format!("/companies/{OPEN}/payperiods?{query}");
            server.send(&Request::get(target)).await.members("payPeriodId").join(" ")
        };
        for query in ["status=INITIAL&status=RELEASED", "status[]=INITIAL&status[]=RELEASED"] {
            assert_eq!(periods(query).await, "INITIAL RELEASED", "{query}");
        }
        assert_eq!(periods("Status[0]=INITIAL&Status[1]=RELEASED").await, "INITIAL RELEASED");
    });
}

#[test]
fn links_to_other_pages_replace_offset_and_limit_in_any_spelling() {
    on_every_database(async |server| {
        let target = format!("/companies/{OPEN}/workers?Limit=2&OFFSET=2&givenname%5B%5D=");
        let refused = server.send(&Request::get(target)).await;
        assert_eq!(refused.status_and_code(), "400 API-40", "an empty name");
        let page = server.send(&Request::get(format!("/companies/{OPEN}/workers?Limit=2&OFFSET=2"))).await;
        let next = format!("{}/companies/{OPEN}/workers?offset=4&limit=2", server.base);
        assert_eq!(page.link("next"), Some(next));
    });
}

#[test]
fn a_query_is_checked_after_the_token_and_before_everything_else() {
    on_every_database(async |server| {
        let reported = async |request: Request| server.send(&request).await.status_and_code();
        let strange =
            |query: &str| Request::get(format!("/companies/FOREIGN/workers?{query}")).accept("text/html");
        for query in ["nothing=1", "limit=-1", "status=GONE"] {
            assert_eq!(reported(strange(query)).await, "400 API-40", "{query}");
            let nobody = strange(query).with_caller(crate::support::Caller::Anonymous);
            assert_eq!(reported(nobody).await, "401 API-102", "{query}");
        }
        assert_eq!(reported(strange("limit=1")).await, "406 API-75");
        server.database.execute("DELETE FROM secrets").await;
        assert_eq!(reported(strange("nothing=1")).await, "401 API-102", "the secret is gone");
    });
}

#[test]
fn a_read_only_key_gets_the_faults_of_the_query_before_403() {
    on_every_database(async |server: &mut Server| {
        let request =
            Request::operator(Method::POST, "/keys?x=1").with_caller(crate::support::Caller::OperatorReader);
        assert_eq!(server.send(&request).await.status_and_code(), "400 API-40");
    });
}
