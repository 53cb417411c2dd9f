//! How paths are matched.

use super::*;

/// The route and the company of a path.
fn found(path: &str) -> Option<(&'static str, Option<String>)> {
    let table = RouteTable::new();
    let Found { route, company } = table.find(path)?;
    let company = company.map(|company| match company {
        CompanyInPath::Id(id) => id.to_string(),
        CompanyInPath::Malformed => "(malformed)".to_owned(),
    });
    Some((route.path(), company))
}

#[test]
fn a_path_fits_to_the_letter() {
    assert_eq!(found("/companies"), Some(("/companies", None)));
    assert_eq!(found("/companies/A-1"), Some(("/companies/{companyId}", Some("A-1".to_owned()))));
    for path in [
        "",
        "/",
        "companies",
        "/Companies",
        "/companies/",
        "//companies",
        "/companies//contacttypes",
        "/companies/a/b",
    ] {
        assert_eq!(found(path), None, "{path:?}");
    }
}

#[test]
fn an_id_is_decoded_after_the_path_is_split() {
    let company = |text: &str| found(&format!("/companies/{text}")).unwrap().1.unwrap();
    assert_eq!(company("%41cme"), "Acme");
    for text in ["%2e%2e", "..", "a%2Fb", "a%00", "%", "%zz", "a%20b", "a+b", "%C3%A9", &"x".repeat(10_000)] {
        assert_eq!(company(text), "(malformed)", "{text}");
    }
    assert_eq!(found("/companies/%2e%2e/companies"), None);
}

#[test]
fn every_operation_is_listed_once_with_its_scope() {
    let mut all = routes();
    let count = all.len();
    all.sort_by_key(|route| (route.path, route.method));
    all.dedup();
    assert_eq!(all.len(), count);
    for route in all {
        let kind = if route.method == "GET" { "read:" } else { "write:" };
        let fits = route.scope.is_none_or(|scope| scope.as_str().starts_with(kind));
        assert!(fits, "{route:?}");
    }
}
