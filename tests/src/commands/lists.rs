//! Tests of filtered lists, and of the products of a company.

use crate::support::command_line::{ServerCommandLine, run_with_and_without_server};
use crate::support::{BARE, OPEN};

/// Returns the ids in the output of a list command.
fn list_ids(line: &ServerCommandLine<'_>, arguments: &[&str], id: &str) -> String {
    let document = line.run_json(arguments);
    let elements = document["content"].as_array().expect("a list").iter();
    elements.filter_map(|element| element[id].as_str()).collect::<Vec<_>>().join(" ")
}

#[test]
fn filters_narrow_the_lists_of_workers_components_periods_and_companies() {
    run_with_and_without_server(async |line| {
        let set = |worker| {
            line.run_successfully(&["worker", "change", OPEN, worker, "--set", "name.givenName=Ann%"])
        };
        set("EXEMPT");
        let table: &[(&[&str], &str, &str)] = &[
            (&["worker", "list", OPEN, "--name", "nn%"], "workerId", "EXEMPT"),
            (&["worker", "list", OPEN, "--name", "nn%", "--status", "ACTIVE"], "workerId", ""),
            (&["worker", "list", OPEN, "--given-name", "employee"], "workerId", "EMPLOYEE"),
            (
                &["worker", "list", OPEN, "--changed-since", "2026-05-12T12:00:00.001Z", "--limit", "1"],
                "workerId",
                "EXEMPT",
            ),
            (&["worker", "list", OPEN, "--changed-since", "2099-01-01"], "workerId", ""),
            (&["component", "list", OPEN, "--effect", "REDUCTION"], "componentId", "GARNISHMENT"),
            (&["component", "list", OPEN, "--name", "TIP"], "componentId", "TIPS"),
            (
                &["period", "list", OPEN, "--status", "INITIAL", "--status", "ENTRY", "--from", "2026-01-01"],
                "payPeriodId",
                "INITIAL ENTRY",
            ),
            (
                &["company", "list", "--state", "ENDED", "--state", "CONVERTING"],
                "companyId",
                "CONVERTING ENDED",
            ),
            (&["company", "list", "--name", "bare"], "companyId", BARE),
        ];
        for (arguments, id, expected) in table {
            assert_eq!(list_ids(line, arguments, id), *expected, "{arguments:?}");
        }
        let table = line.run_successfully(&["worker", "list", OPEN, "--name", "nn%"]);
        assert!(table.contains("EXEMPT") && !table.contains("COLLEAGUE"), "{table}");
        let refused = line.run(&["worker", "list", OPEN, "--status", "GONE"]);
        assert!(refused.code == Some(1) && refused.errors.contains("GONE"), "{refused:?}");
    });
}

#[test]
fn products_are_created_changed_and_deleted() {
    run_with_and_without_server(async |line| {
        let products = || list_ids(line, &["product", "list", OPEN], "productCode");
        assert_eq!(products(), "PAYROLL RETIREMENT TIMEKEEPING");
        let end = || line.run_json(&["product", "show", OPEN, "PAYROLL"])["content"][0]["endDate"].clone();
        line.run_successfully(&["product", "change", OPEN, "PAYROLL", "--end-date", "2027-01-31"]);
        assert_eq!(end(), "2027-01-31T00:00:00Z");
        line.run_successfully(&["product", "change", OPEN, "PAYROLL", "--clear"]);
        assert!(end().is_null());
        let created =
            line.run_successfully(&["product", "create", OPEN, "LEAVE", "--start-date", "2026-01-01"]);
        assert!(created.contains("LEAVE"), "{created}");
        assert_eq!(products(), "LEAVE PAYROLL RETIREMENT TIMEKEEPING");
        let unasked = line.run(&["product", "delete", OPEN, "LEAVE"]);
        assert!(unasked.code == Some(2) && unasked.errors.contains("--yes"), "{unasked:?}");
        line.run_successfully(&["product", "delete", OPEN, "LEAVE", "--yes"]);
        assert_eq!(products(), "PAYROLL RETIREMENT TIMEKEEPING");
        assert!(line.run_successfully(&["product", "list", BARE]).contains("Nothing was found"));
    });
}

#[test]
fn an_unknown_or_ambiguous_product_is_not_changed() {
    run_with_and_without_server(async |line| {
        let refused = |arguments: &[&'static str], says: &str| {
            let ended = line.run(arguments);
            assert!(ended.code == Some(1) && ended.errors.contains(says), "{arguments:?}: {ended:?}");
        };
        refused(&["product", "show", OPEN, "NONE"], "no product with this code");
        refused(&["product", "change", OPEN, "NONE", "--clear"], "no product with this code");
        refused(&["product", "create", OPEN, "LEAVE", "--start-date", "soon"], "/products");
        line.run_successfully(&["product", "create", OPEN, "RETIREMENT", "--start-date", "2026-06-01"]);
        refused(&["product", "change", OPEN, "RETIREMENT", "--clear"], "--start-date");
        line.run_successfully(&[
            "product",
            "change",
            OPEN,
            "RETIREMENT",
            "--start-date",
            "2026-06-01",
            "--end-date",
            "2026-12-31",
        ]);
        let shown = line.run_json(&["product", "show", OPEN, "RETIREMENT"]);
        assert_eq!(shown["content"][0]["endDate"], "2026-05-21T00:00:00Z");
        assert_eq!(shown["content"][1]["endDate"], "2026-12-31T00:00:00Z");
        let stale = ["product", "change", OPEN, "PAYROLL", "--clear", "--if-match"];
        assert_eq!(line.run(&stale).code, Some(2), "it is no option of a change");
    });
}
