//! Tests that each operation is listed once in the specification and in the table of roles.

use std::path::Path;

use super::*;

#[test]
fn operations_are_unique_and_all_but_get_and_sessions_write() {
    let mut all = [operator_routes(), sandbox_routes()].concat();
    let count = all.len();
    all.sort_by_key(|route| (route.path, route.method));
    all.dedup();
    assert_eq!(all.len(), count);
    for route in all {
        // Signing in and out are writes, but every role may sign in and out.
        let is_own = matches!(
            (route.method, route.path),
            ("POST", "/operator/v1/sessions") | ("DELETE", "/operator/v1/sessions/current")
        );
        assert_eq!(route.writes, route.method != "GET" && !is_own, "{route:?}");
        assert!(route.path.starts_with("/operator/v1/"), "{route:?}");
    }
}

#[test]
fn the_specification_lists_exactly_the_operations() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/specification/operator.md");
    let specification = std::fs::read_to_string(path).unwrap();
    let (_, section) = specification.split_once("## 10.5 ").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| ")?.split(" |").next());
    let mut listed: Vec<String> = rows.filter(|row| row.contains(" /")).map(str::to_owned).collect();
    let all = operator_routes().into_iter().map(|route| format!("{} {}", route.method, route.path));
    let mut all: Vec<String> = all.collect();
    listed.sort();
    all.sort();
    assert_eq!(listed, all, "specification §10.5 has a row for each operation");
}

#[test]
fn each_path_matches_only_its_own_route() {
    let table = operator_route_table(true);
    for route in table.routes() {
        let path = route.path().replace(['{', '}'], "");
        assert_eq!(table.match_route(&path).map(|found| found.route.path()), Some(route.path()));
    }
}

/// The start and the end of the generated table in docs/operating/security.md.
const TABLE_BEGIN: &str = "<!-- Generated: operations of each role -->\n";
const TABLE_END: &str = "<!-- End of the generated table -->\n";

#[test]
fn docs_operating_security_md_lists_the_operations_of_each_role() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/operating/security.md");
    let stored = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = stored.split_once(TABLE_BEGIN).expect("the beginning of the table");
    let (_, after) = rest.split_once(TABLE_END).expect("the end of the table");
    let printed = format!("{before}{TABLE_BEGIN}\n{}\n{TABLE_END}{after}", permitted_roles_table());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &printed).unwrap();
    }
    let stored = std::fs::read_to_string(&path).unwrap();
    assert!(
        stored == printed,
        "the table is outdated: UPDATE_DOCS=1 cargo test -p payroll-adapter-http security_md"
    );
}

/// Returns a Markdown table with a row for each path. Each row contains the methods that each role may use,
/// and the methods that a restricted key may use.
fn permitted_roles_table() -> String {
    let routes = [operator_routes(), sandbox_routes()].concat();
    let mut paths: Vec<&str> = routes.iter().map(|route| route.path).collect();
    paths.dedup();
    let names: Vec<_> = OperatorRole::ALL.iter().map(|role| role.as_str()).collect();
    let mut table = format!("| Path below `/operator/v1` | {} | restricted key |\n", names.join(" | "));
    table.push_str(&format!("|{}\n", "---|".repeat(names.len() + 2)));
    for path in paths {
        let methods = |may: &dyn Fn(&OperatorRoute) -> bool| {
            let of_path = routes.iter().filter(|route| route.path == path && may(route));
            of_path.map(|route| route.method).collect::<Vec<_>>().join(" ")
        };
        let of_role = |role: &OperatorRole| methods(&|route| route.roles.contains(role));
        let mut cells: Vec<_> = OperatorRole::ALL.iter().map(of_role).collect();
        cells.push(methods(&|route| route.is_for_restricted));
        let name = path.strip_prefix("/operator/v1").unwrap_or(path);
        table.push_str(&format!("| `{name}` | {} |\n", cells.join(" | ")));
    }
    table
}

#[test]
fn auditors_cannot_write_and_administrators_can_call_every_operation() {
    for route in [operator_routes(), sandbox_routes()].concat() {
        assert!(route.roles.contains(&OperatorRole::Administrator), "{route:?}");
        assert!(!(route.writes && route.roles.contains(&OperatorRole::Auditor)), "{route:?}");
    }
}

#[test]
fn a_restricted_key_may_call_company_and_filtered_operations() {
    const FILTERED_LISTS: [&str; 8] = [
        "completionrequests",
        "depositrequests",
        "events",
        "audit",
        "export",
        "payruns",
        "payruns/totals",
        "search",
    ];
    for route in operator_routes() {
        let name = route.path.strip_prefix("/operator/v1/").unwrap();
        let is_list_of_companies = (route.method, name) == ("GET", "companies");
        let is_own = name == "sessions/current" || (route.method, name) == ("POST", "sessions");
        let expected = name.starts_with("companies/{companyId}")
            || is_list_of_companies
            || is_own
            || FILTERED_LISTS.contains(&name);
        assert_eq!(route.is_for_restricted, expected, "{route:?}");
    }
    assert!(sandbox_routes().iter().all(|route| !route.is_for_restricted));
}
