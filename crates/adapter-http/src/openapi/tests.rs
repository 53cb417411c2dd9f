//! Compares the OpenAPI descriptions with the route tables, and with the files docs/openapi.json and
//! docs/operator-openapi.json. The files are generated from the descriptions.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::interface::ApiDescription;
use super::*;

/// The environment variable that makes the tests rewrite the files instead of comparing them.
const UPDATE_VARIABLE: &str = "UPDATE_DOCS";

/// Returns the descriptions of both APIs, each with the name of its file.
fn render_descriptions() -> [(&'static str, Value); 2] {
    let settings = HttpSettings::default();
    [
        ("docs/openapi.json", partner::partner_api_description(&settings).into_openapi(&settings)),
        ("docs/operator-openapi.json", operator::operator_api_description(&settings).into_openapi(&settings)),
    ]
}

/// Returns the input for the descriptions of both APIs.
fn api_descriptions() -> [ApiDescription; 2] {
    let settings = HttpSettings::default();
    [partner::partner_api_description(&settings), operator::operator_api_description(&settings)]
}

#[test]
fn docs_openapi_json_matches_the_code() {
    let settings = HttpSettings::default();
    for (file, printed) in [
        ("docs/openapi.json", partner_openapi(&settings)),
        ("docs/operator-openapi.json", operator_openapi(&settings)),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
        if std::env::var_os(UPDATE_VARIABLE).is_some() {
            std::fs::write(&path, &printed).unwrap();
        }
        let stored = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(stored == printed, "{file} is out of date: run this test with {UPDATE_VARIABLE}=1");
    }
}

#[test]
fn routes_and_descriptions_match() {
    for ApiDescription { areas, routes, title, .. } in api_descriptions() {
        let described = areas.iter().flat_map(|area| &area.operations);
        let described: BTreeSet<_> = described.map(|operation| (operation.path, operation.method)).collect();
        let routes: BTreeSet<_> = routes.iter().map(|route| (route.path(), route.method())).collect();
        let different: Vec<_> = routes.symmetric_difference(&described).collect();
        assert!(different.is_empty(), "{title}: {different:?}");
    }
}

#[test]
fn references_resolve_and_every_component_is_used() {
    for (file, description) in render_descriptions() {
        let mut referred = BTreeSet::new();
        collect_references(&description, &mut referred);
        let components = description["components"].as_object().unwrap();
        let of_kind = |(kind, all): (&String, &Value)| {
            let names = all.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
            let kind = kind.clone();
            names.into_iter().map(move |name| format!("#/components/{kind}/{name}"))
        };
        let schemes = components.iter().filter(|(kind, _)| *kind != "securitySchemes");
        let there: BTreeSet<String> = schemes.flat_map(of_kind).collect();
        let different: Vec<_> = there.symmetric_difference(&referred).collect();
        assert!(different.is_empty(), "{file}: {different:?}");
    }
}

fn collect_references(value: &Value, references: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            references.extend(members.get("$ref").and_then(Value::as_str).map(str::to_owned));
            members.values().for_each(|member| collect_references(member, references));
        }
        Value::Array(elements) => elements.iter().for_each(|element| collect_references(element, references)),
        _ => {}
    }
}

#[test]
fn operations_describe_exactly_their_parameters() {
    for (ApiDescription { routes, .. }, (file, description)) in
        api_descriptions().into_iter().zip(render_descriptions())
    {
        for route in routes {
            let operation = &description["paths"][route.path()][route.method().to_lowercase()];
            let parameters = operation["parameters"].as_array().unwrap().iter().map(|parameter| {
                let reference = parameter["$ref"].as_str().and_then(|text| text.strip_prefix('#'));
                reference.map_or(parameter, |pointer| description.pointer(pointer).unwrap())
            });
            let names = parameters.filter(|it| it["in"] == "query").map(|it| it["name"].as_str().unwrap());
            let (described, known): (BTreeSet<_>, BTreeSet<_>) =
                (names.collect(), route.query().iter().copied().collect());
            assert_eq!(described, known, "{file}: {} {}", route.method(), route.path());
        }
    }
}

#[test]
fn operation_ids_are_unique_and_links_use_them() {
    for (file, description) in render_descriptions() {
        let operations = collect_operations(&description);
        let ids: Vec<_> = operations.iter().map(|it| it["operationId"].as_str().unwrap()).collect();
        let distinct: BTreeSet<_> = ids.iter().copied().collect();
        assert_eq!(distinct.len(), ids.len(), "{file}");
        let responses = operations.iter().flat_map(|it| it["responses"].as_object().unwrap().values());
        let links =
            responses.filter_map(|it| it.get("links")).flat_map(|links| links.as_object().unwrap().keys());
        for link in links {
            assert!(distinct.contains(link.as_str()), "{file}: {link}");
        }
    }
}

fn collect_operations(description: &Value) -> Vec<&Value> {
    let paths = description["paths"].as_object().unwrap();
    paths.values().flat_map(|path| path.as_object().unwrap().values()).collect()
}

#[test]
fn every_body_has_an_example_in_each_of_its_media_types() {
    for (file, description) in render_descriptions() {
        for operation in collect_operations(&description) {
            let responses = operation["responses"].as_object().unwrap().iter();
            let responses = responses.map(|(status, response)| {
                let reference = response["$ref"].as_str().and_then(|text| text.strip_prefix('#'));
                (status.as_str(), reference.map_or(response, |pointer| description.pointer(pointer).unwrap()))
            });
            for (status, body) in responses.chain([("request", &operation["requestBody"])]) {
                for (media_type, content) in body["content"].as_object().into_iter().flatten() {
                    let is_read = content["schema"]["description"]
                        != "The server does not read the body. You can omit it.";
                    assert!(
                        content.get("examples").is_some() || !is_read,
                        "{file}: {} {status} {media_type}",
                        operation["operationId"]
                    );
                }
            }
        }
    }
}

/// The statuses that specification §10.5 lists for all operators' operations.
const COMMON_STATUSES: &[u16] = &[400, 401, 403, 405, 406, 414, 429, 431, 500, 503];

#[test]
fn operator_operations_have_the_specified_statuses() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/specification/operator.md");
    let specification = std::fs::read_to_string(path).unwrap();
    let (_, section) = specification.split_once("## 10.5 ").unwrap();
    let (operations, _) = section.split_once("\n## ").unwrap();
    let (_, of_sandboxes) = specification.split_once("## 10.19 ").unwrap();
    let section = format!("{operations}\n{of_sandboxes}");
    let [_, (_, description)] = render_descriptions();
    let mut differing = Vec::new();
    for row in section.lines().filter(|row| row.starts_with("| ") && row.contains(" /operator/")) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let (method, path) = cells[0].split_once(' ').unwrap();
        let numbers = cells[1..].iter().flat_map(|cell| cell.split(", ")).filter_map(|it| it.parse().ok());
        let mut listed: BTreeSet<u16> = numbers.chain(COMMON_STATUSES.iter().copied()).collect();
        let operation = &description["paths"][path][method.to_lowercase()];
        // An import never returns 408. The status of its response is sent before the body is complete, so a
        // slow body becomes a fault in the response.
        if operation.get("requestBody").is_some() && path != "/operator/v1/import" {
            listed.insert(408);
        }
        let responses = operation["responses"].as_object().unwrap().keys();
        let described: BTreeSet<u16> = responses.map(|status| status.parse().unwrap()).collect();
        let difference: Vec<_> = listed.symmetric_difference(&described).copied().collect();
        if !difference.is_empty() {
            differing.push(format!("{method} {path}: listed or described only: {difference:?}"));
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

#[test]
fn settings_determine_media_types_headers_and_server_url() {
    let settings = HttpSettings {
        vendor: "acme".to_owned(),
        request_id_header: "x-acme-txid".to_owned(),
        notification_header: "x-acme-sid".to_owned(),
        correlation_header: "x-acme-cid".to_owned(),
        public_base_url: Some("https://api.example.org/payroll".to_owned()),
        ..HttpSettings::default()
    };
    let text = partner_openapi(&settings);
    for expected in [
        "application/vnd.acme.payroll.checks.v1+json",
        "x-acme-txid",
        "x-acme-sid",
        "x-acme-cid",
        "https://api.example.org/payroll/auth/oauth/v2/token",
    ] {
        assert!(text.contains(expected), "{expected}");
    }
    assert!(!text.contains("vnd.vendor") && !text.contains("x-vendor"));
}

/// The text at the beginning of docs/operations.md, before the generated list of operations.
const OPERATIONS_PREAMBLE: &str = "# Operations of the partner API

A test generates this page from the OpenAPI description, which follows the table of paths. To generate it again:

```sh not-run: it writes this page
UPDATE_DOCS=1 cargo test -p payroll-adapter-http docs_operations_md
```

All operations exist since release 0.1.0. A scope is required in the token and in the grant for the company. The media types are those of a successful response. `application/vnd.vendor.` is written as `…`, and `json` is `application/json`.
";

#[test]
fn docs_operations_md_lists_every_operation() {
    let [(_, document), _] = render_descriptions();
    let printed = operations_page(&document);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/operations.md");
    if std::env::var_os(UPDATE_VARIABLE).is_some() {
        std::fs::write(&path, &printed).unwrap();
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(stored == printed, "docs/operations.md is outdated: run the command on the page");
    let rows = printed.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| Operation"));
    assert_eq!(rows.count(), crate::routes().len());
}

fn operations_page(document: &Value) -> String {
    let mut page = OPERATIONS_PREAMBLE.to_owned();
    for tag in document["tags"].as_array().into_iter().flatten() {
        page.push_str(&format!(
            "\n## {}\n\n| Operation | Purpose | Scope | Success |\n|---|---|---|---|\n",
            tag["name"].as_str().unwrap_or_default()
        ));
        for (path, methods) in document["paths"].as_object().into_iter().flatten() {
            for (method, operation) in methods.as_object().into_iter().flatten() {
                if operation["tags"][0] == tag["name"] {
                    page.push_str(&operation_row(&method.to_uppercase(), path, operation));
                }
            }
        }
    }
    page
}

fn operation_row(method: &str, path: &str, operation: &Value) -> String {
    let scopes: Vec<_> = operation["security"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|alternative| Some(alternative["oauth2"].as_array()?.first()?.as_str()?.to_owned()))
        .collect();
    let scope = match (operation["security"].as_array().is_some_and(Vec::is_empty), scopes.is_empty()) {
        (true, _) => "no token".to_owned(),
        (false, true) => "any token".to_owned(),
        (false, false) => scopes.join(" or "),
    };
    let successes = operation["responses"].as_object().into_iter().flatten();
    let successes = successes.filter(|(status, _)| status.starts_with('2')).map(|(status, response)| {
        let types = response["content"].as_object().into_iter().flatten().map(|(media_type, _)| {
            let short = media_type.strip_prefix("application/vnd.vendor.").map(|rest| format!("`…{rest}`"));
            short.unwrap_or_else(|| media_type.replace("application/", ""))
        });
        format!("{status} {}", types.collect::<Vec<_>>().join(", ")).trim().to_owned()
    });
    let summary = operation["summary"].as_str().unwrap_or_default();
    format!("| {method} {path} | {summary} | {scope} | {} |\n", successes.collect::<Vec<_>>().join(" or "))
}
