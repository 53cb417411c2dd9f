//! The description against the table of routes and itself, and docs/openapi.json, which is printed
//! from it.

use std::collections::BTreeSet;
use std::path::Path;

use super::*;

/// Set to rewrite docs/openapi.json instead of comparing it.
const UPDATE: &str = "UPDATE_DOCS";

#[test]
fn docs_openapi_json_says_what_the_code_does() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi.json");
    let printed = openapi(&HttpSettings::default());
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(&path, &printed).unwrap();
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(stored == printed, "docs/openapi.json is out of date: run this test with {UPDATE}=1");
}

#[test]
fn every_route_is_described_and_every_description_has_its_route() {
    let areas = operations::areas(&VendorTypes::new("vendor"));
    let described = areas.iter().flat_map(|area| &area.operations);
    let described: BTreeSet<_> = described.map(|operation| (operation.path, operation.method)).collect();
    let routes: BTreeSet<_> = routes().iter().map(|route| (route.path, route.method)).collect();
    assert_eq!(routes.symmetric_difference(&described).collect::<Vec<_>>(), Vec::<&(&str, &str)>::new());
}

#[test]
fn every_reference_leads_somewhere_and_every_component_is_referred_to() {
    let description = describe(&HttpSettings::default());
    let mut referred = BTreeSet::new();
    note_references(&description, &mut referred);
    let components = description["components"].as_object().unwrap();
    let of_kind = |(kind, all): (&String, &Value)| {
        let names = all.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        let kind = kind.clone();
        names.into_iter().map(move |name| format!("#/components/{kind}/{name}"))
    };
    let schemes = components.iter().filter(|(kind, _)| *kind != "securitySchemes");
    let there: BTreeSet<String> = schemes.flat_map(of_kind).collect();
    assert_eq!(there.symmetric_difference(&referred).collect::<Vec<_>>(), Vec::<&String>::new());
}

fn note_references(value: &Value, noted: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            noted.extend(members.get("$ref").and_then(Value::as_str).map(str::to_owned));
            members.values().for_each(|member| note_references(member, noted));
        }
        Value::Array(elements) => elements.iter().for_each(|element| note_references(element, noted)),
        _ => {}
    }
}

#[test]
fn every_parameter_that_an_operation_knows_is_described_and_no_other() {
    let description = describe(&HttpSettings::default());
    for route in routes() {
        let operation = &description["paths"][route.path][route.method.to_lowercase()];
        let parameters = operation["parameters"].as_array().unwrap().iter().map(|parameter| {
            let reference = parameter["$ref"].as_str().and_then(|text| text.strip_prefix('#'));
            reference.map_or(parameter, |pointer| description.pointer(pointer).unwrap())
        });
        let names = parameters.filter(|it| it["in"] == "query").map(|it| it["name"].as_str().unwrap());
        let (described, known): (BTreeSet<_>, BTreeSet<_>) =
            (names.collect(), route.parameters.iter().copied().collect());
        assert_eq!(described, known, "{} {}", route.method, route.path);
    }
}

#[test]
fn operations_have_ids_of_their_own_and_links_lead_to_them() {
    let description = describe(&HttpSettings::default());
    let paths = description["paths"].as_object().unwrap();
    let operations: Vec<_> = paths.values().flat_map(|path| path.as_object().unwrap().values()).collect();
    let ids: Vec<_> = operations.iter().map(|it| it["operationId"].as_str().unwrap()).collect();
    let distinct: BTreeSet<_> = ids.iter().copied().collect();
    assert_eq!(distinct.len(), ids.len());
    let responses = operations.iter().flat_map(|it| it["responses"].as_object().unwrap().values());
    for link in responses.filter_map(|it| it.get("links")).flat_map(|links| links.as_object().unwrap().keys())
    {
        assert!(distinct.contains(link.as_str()), "{link}");
    }
}

#[test]
fn the_settings_name_media_types_headers_and_the_server() {
    let settings = HttpSettings {
        vendor: "acme".to_owned(),
        request_id_header: "x-acme-txid".to_owned(),
        notification_header: "x-acme-sid".to_owned(),
        correlation_header: "x-acme-cid".to_owned(),
        public_base_url: Some("https://api.example.org/payroll".to_owned()),
        ..HttpSettings::default()
    };
    let text = openapi(&settings);
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
