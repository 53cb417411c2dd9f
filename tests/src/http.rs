//! Tests of HTTP: methods, response headers, unusual paths, repeated parameters and headers, and size limits.

use reqwest::Method;

use crate::operations::OPERATIONS;
use crate::support::description::Description;
use crate::support::hooks::store_hooks;
use crate::support::{Caller, OPEN, Request, on_every_database, on_every_database_with, raw, valid_request};

#[test]
fn options_lists_the_methods_of_a_path_without_a_token() {
    on_every_database(async |server| {
        for (path, allow) in [
            ("/companies", "GET, HEAD, OPTIONS"),
            ("/companies/OPEN/checks", "GET, HEAD, POST, OPTIONS"),
            ("/auth/oauth/v2/token", "POST, OPTIONS"),
        ] {
            let response =
                server.send(&Request::new(Method::OPTIONS, path).with_caller(Caller::Anonymous)).await;
            assert_eq!(
                (response.status, allowed_methods(response.header("allow"))),
                (204, allowed_methods(allow)),
                "{path}"
            );
        }
    });
}

fn allowed_methods(allow: &str) -> Vec<String> {
    let mut methods: Vec<String> = allow.split(',').map(|it| it.trim().to_owned()).collect();
    methods.sort();
    methods
}

#[test]
fn another_method_gets_405_with_allow_on_every_path() {
    on_every_database(async |server| {
        for operation in OPERATIONS {
            let supported = |method: &Method| {
                OPERATIONS.iter().any(|it| it.path == operation.path && *method == it.method)
            };
            let methods = [Method::PUT, Method::PATCH, Method::DELETE, Method::TRACE];
            for method in methods.into_iter().filter(|method| !supported(method)) {
                let request = Request { method, ..valid_request(operation.method, operation.path, OPEN) };
                let response = server.send(&request).await;
                assert_eq!(response.status_and_code(), "405 API-59", "{request:?}");
                assert!(response.header("allow").contains(operation.method), "{response:?}");
            }
        }
    });
}

#[test]
fn head_returns_the_same_as_get_without_a_body() {
    on_every_database(async |server| {
        store_hooks(server).await;
        for operation in OPERATIONS.iter().filter(|it| it.method == "GET") {
            let get = valid_request("GET", operation.path, OPEN);
            let head = Request { method: Method::HEAD, ..get.clone() };
            let (get, head) = (server.send(&get).await, server.send(&head).await);
            let of = |response: &crate::support::Response| {
                let header = |name| response.header(name).to_owned();
                (response.status, header("content-type"), header("etag"), header("vary"))
            };
            assert_eq!((of(&head), head.body.len()), (of(&get), 0), "{}", operation.path);
        }
    });
}

#[test]
fn a_rejected_head_request_has_no_body() {
    on_every_database(async |server| {
        let head = Request::new(Method::HEAD, "/companies/UNKNOWN");
        let response = server.send(&head).await;
        assert_eq!((response.status, response.body.len()), (404, 0));
    });
}

#[test]
fn an_unknown_path_gets_404_for_every_caller() {
    on_every_database(async |server| {
        for path in ["/nothing", "/companies/OPEN/nothing", "/companies/OPEN/checks/x", "/favicon.ico"] {
            let response = server.send(&Request::get(path).with_caller(Caller::Anonymous)).await;
            assert_eq!(response.status_and_code(), "404 API-7", "{path}");
        }
    });
}

#[test]
fn the_root_of_a_listener_redirects_to_its_reference() {
    on_every_database(async |server| {
        let response = server.send_unchecked(&Request::get("/").with_caller(Caller::Anonymous)).await;
        // The test client may follow the redirect, so the test also accepts the page to which the redirect
        // leads.
        let is_page = response.status == 200 && response.header("content-type").starts_with("text/html");
        assert!(is_page || (response.status, response.header("location")) == (308, "docs/"), "{response:?}");
    });
}

/// Paths that resemble other paths or are invalid.
const UNUSUAL_PATHS: &[&str] = &[
    "//",
    "//companies",
    "/companies/",
    "/companies//checks",
    "/companies/%2e%2e/OPEN",
    "/companies/..",
    "/companies/../companies",
    "/companies/OPEN%2Fchecks",
    "/companies%2FOPEN",
    "/companies/%00",
    "/companies/%",
    "/companies/%zz",
    "/companies/%FF%FE",
    "/companies/O%50EN;x=1",
    "/COMPANIES",
    "/companies/a%20b",
    "/companies/\\",
];

#[test]
fn unusual_paths_are_rejected_with_the_envelope() {
    on_every_database(async |server| {
        let token = server.authorization(Caller::Partner).await.expect("a token");
        for path in UNUSUAL_PATHS {
            let head = format!(
                "GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: {token}\r\nConnection: close\r\n\r\n"
            );
            let response = raw::exchange_bytes(&server.address, head.as_bytes()).await;
            let expected = response.starts_with("HTTP/1.1 404") || response.starts_with("HTTP/1.1 400");
            assert!(expected && response.contains("{\"errors\":[{\"code\":\"API-"), "{path}: {response}");
        }
    });
}

#[test]
fn an_id_of_ten_thousand_characters_is_unknown() {
    on_every_database(async |server| {
        let response = server.send(&Request::get(format!("/companies/{}", "x".repeat(10_000)))).await;
        assert!(["404 API-7", "414 API-414"].contains(&response.status_and_code().as_str()), "{response:?}");
    });
}

#[test]
fn a_target_that_is_too_long_gets_414_and_headers_that_are_too_large_431() {
    on_every_database(async |server| {
        let long = server.send(&Request::get(format!("/companies?displayid={}", "x".repeat(60_000)))).await;
        let large = server.send(&Request::get("/companies").header("x-large", "x".repeat(200_000))).await;
        assert_eq!([long.status_and_code(), large.status_and_code()], ["414 API-414", "431 API-431"]);
    });
}

#[test]
fn a_nul_in_a_parameter_finds_nothing() {
    on_every_database(async |server| {
        let mut reported = Vec::new();
        for target in ["/companies?displayid=%00", "/companies/OPEN/checks?payperiodid=%00", "/companies/%00"]
        {
            reported.push(server.send(&Request::get(target)).await.status_and_code());
        }
        assert_eq!(reported, ["404 API-7", "400 API-40", "404 API-7"]);
    });
}

#[test]
fn every_response_has_a_unique_request_id() {
    on_every_database(async |server| {
        let id = async || {
            let response = server.send(&Request::get("/companies")).await;
            response.header("x-vendor-txid").to_owned()
        };
        let (first, second) = (id().await, id().await);
        assert!(!first.is_empty() && first != second, "{first} {second}");
    });
}

#[test]
fn a_correlation_value_of_1_to_128_visible_characters_is_returned() {
    on_every_database(async |server| {
        let mut echoed = Vec::new();
        for value in ["mine-1", "", "two words", &"x".repeat(128), &"x".repeat(129)] {
            let request = Request::get("/companies").header("x-vendor-client-correlationid", value);
            echoed.push(server.send(&request).await.header("x-vendor-client-correlationid").len());
        }
        assert_eq!(echoed, [6, 0, 0, 128, 0]);
    });
}

#[test]
fn the_vendor_names_are_configurable() {
    let settings = |settings: &mut crate::support::Settings| {
        settings.vendor_token = "acme".to_owned();
        settings.request_id_header = "x-acme-txid".to_owned();
    };
    on_every_database_with(settings, async |server| {
        let request = Request::get("/companies").accept("application/vnd.acme.companies.v1+json");
        let response = server.send_unchecked(&request).await;
        assert_eq!(response.header("content-type"), "application/vnd.acme.companies.v1+json");
        assert!(!response.header("x-acme-txid").is_empty());
        let old = Request::get("/companies").accept("application/vnd.vendor.companies.v1+json");
        let refusal = server.send_unchecked(&old).await;
        assert_eq!(refusal.status_and_code(), "406 API-75");
        let served = server.send_unchecked(&Request::get("/openapi.json")).await.text();
        let described = Description::read(&served);
        assert_eq!(described.faults(&request, &response), Vec::<String>::new());
        assert_eq!(described.faults(&old, &refusal), Vec::<String>::new());
    });
}

#[test]
fn a_duplicate_parameter_gets_api_40() {
    on_every_database(async |server| {
        for target in [
            "/companies?limit=1&limit=1",
            "/companies?offset=0&offset=1",
            "/companies?displayid=a&displayid=b",
            "/companies/OPEN?includelineage=true&includelineage=true",
            "/companies/OPEN/checks?payperiodid=ENTRY&payperiodid=ENTRY",
            "/companies/OPEN/checks?payperiodid=ENTRY&filterbyuserid=true&filterbyuserid=true",
        ] {
            assert_eq!(server.send(&Request::get(target)).await.status_and_code(), "400 API-40", "{target}");
        }
    });
}

#[test]
fn unusual_parameters_are_unknown_and_empty_parts_are_ignored() {
    on_every_database(async |server| {
        for (query, status) in
            [("x=1&x=2", 400), ("%00=%FF", 400), ("=", 400), ("&&", 200), ("&limit=1&", 200)]
        {
            let response = server.send(&Request::get(format!("/companies?{query}"))).await;
            assert_eq!(response.status, status, "{query}: {response:?}");
        }
    });
}

#[test]
fn a_duplicate_content_type_gets_415() {
    on_every_database(async |server| {
        let request = Request::post_checks(OPEN, &crate::support::valid_check());
        let twice = request.append_header("content-type", crate::operations::CHECKS);
        assert_eq!(server.send(&twice).await.status_and_code(), "415 API-415");
    });
}

#[test]
fn a_404_names_the_unknown_id() {
    on_every_database(async |server| {
        for (request, reported) in [
            (Request::get("/companies/NOTHING"), "companyId NOTHING is not known"),
            (Request::get("/companies/NOTHING/payperiods/P-1"), "companyId NOTHING is not known"),
            (
                Request::get("/companies/OPEN/payperiods/P-1"),
                "payPeriodId P-1 is not known in companyId OPEN",
            ),
            (Request::get("/workers/W-9"), "workerId W-9 is not known"),
            (Request::get("/companies/%3Cb%3E"), "the companyId in the path is not known"),
            (Request::operator_get("/companies/NOTHING"), "companyId NOTHING is not known"),
            (
                Request::operator_get("/companies/OPEN/workers/W-9"),
                "workerId W-9 is not known in companyId OPEN",
            ),
        ] {
            let response = server.send(&request).await;
            let description = &response.errors()[0]["description"];
            assert_eq!(
                (response.status_and_code().as_str(), description),
                ("404 API-7", &reported.into()),
                "{request:?}"
            );
        }
    });
}
