//! Tests of the order of all companies' pay runs, and of their totals (specification §10.14).

use serde_json::{Value, json};

use crate::support::{Caller, FOREIGN, OPEN, Request, Server, checks_document, on_every_database};

async fn list_pay_runs(server: &Server, query: &str) -> Vec<Value> {
    server.send(&Request::operator_get(&format!("/payruns?{query}"))).await.content()
}

async fn read_totals(server: &Server, query: &str) -> Value {
    server.send(&Request::operator_get(&format!("/payruns/totals?{query}"))).await.content()[0].clone()
}

/// Returns the value by which a pay run is sorted, as text. Comparing the texts gives the same order as
/// comparing the values.
fn sort_value(run: &Value, member: &str) -> String {
    match &run[member] {
        Value::String(text) => text.to_lowercase(),
        _ if member == "submitByDate" => "none".to_owned(),
        _ if member == "checks" => format!("{:012}", run["totals"]["checks"].as_u64().expect("a number")),
        _ => format!("{:>16}", run["totals"]["grossEarnings"].as_str().expect("an amount")),
    }
}

#[test]
fn pay_runs_are_sorted_by_each_column_in_both_directions_across_pages() {
    on_every_database(async |server| {
        assert_eq!(server.send(&Request::post_checks(OPEN, &checks_document(3))).await.status, 201);
        let all = list_pay_runs(server, "").await.len();
        for (word, member) in [
            ("checkdate", "checkDate"),
            ("company", "legalName"),
            ("submitby", "submitByDate"),
            ("checks", "checks"),
            ("gross", "grossEarnings"),
        ] {
            let sorted = async |sort: &str| -> Vec<String> {
                let runs = list_pay_runs(server, &format!("sort={sort}")).await;
                let keys = runs.iter().map(|run| format!("{} {}", run["companyId"], run["payPeriodId"]));
                let keys: Vec<String> = keys.collect();
                let mut paged = Vec::new();
                for offset in (0..runs.len()).step_by(2) {
                    let page =
                        self::list_pay_runs(server, &format!("sort={sort}&offset={offset}&limit=2")).await;
                    paged.extend(
                        page.iter().map(|run| format!("{} {}", run["companyId"], run["payPeriodId"])),
                    );
                }
                assert_eq!(paged, keys, "{sort}");
                runs.iter().map(|run| sort_value(run, member)).collect()
            };
            let ascending = sorted(word).await;
            let mut expected = ascending.clone();
            expected.sort();
            assert_eq!((ascending.len(), &ascending), (all, &expected), "{word}");
            let mut descending = sorted(&format!("-{word}")).await;
            expected.reverse();
            if member == "submitByDate" {
                // Pay runs without a submit-by date are last in both sort directions.
                expected.retain(|day| day != "none");
                descending.truncate(expected.len());
            }
            assert_eq!(descending, expected, "-{word}");
        }
        for sort in ["name", "", "-", "CHECKS", "checks&sort=gross"] {
            let refused = server.send(&Request::operator_get(&format!("/payruns?sort={sort}"))).await;
            assert_eq!(refused.status_and_code(), "400 API-40", "{sort}");
        }
    });
}

#[test]
fn totals_of_pay_runs_are_the_sums_of_the_filtered_runs() {
    on_every_database(async |server| {
        let before = read_totals(server, "companyid=OPEN").await;
        assert_eq!(server.send(&Request::post_checks(OPEN, &checks_document(3))).await.status, 201);
        let after = read_totals(server, "companyid=OPEN").await;
        assert_eq!((&before["checks"], &before["grossEarnings"]), (&json!(0), &json!("0.00")));
        assert_eq!((&after["checks"], &after["grossEarnings"]), (&json!(3), &json!("480.00")));
        for query in
            ["", "companyid=FOREIGN", "status=ENTRY", "checkdatefrom=2100-01-01", "overdueon=2026-05-20"]
        {
            let listed = list_pay_runs(server, query).await;
            let sums = read_totals(server, query).await;
            let checks: u64 = listed.iter().filter_map(|run| run["totals"]["checks"].as_u64()).sum();
            assert_eq!(
                (&sums["payRuns"], &sums["checks"]),
                (&json!(listed.len()), &json!(checks)),
                "{query}"
            );
        }
        assert_eq!(
            read_totals(server, "companyid=NOBODY").await,
            json!({
                "payRuns": 0, "checks": 0, "grossEarnings": "0.00", "deductions": "0.00",
            })
        );
        for query in ["sort=checks", "limit=1", "overdueon=soon", "status=COMPLETED"] {
            let refused = server.send(&Request::operator_get(&format!("/payruns/totals?{query}"))).await;
            assert_eq!(refused.status_and_code(), "400 API-40", "{query}");
        }
        let key = json!({"name": "restricted", "companyIds": [FOREIGN]});
        let created = server.send(&Request::operator_post("/keys", &key)).await;
        let bearer = format!("Bearer {}", created.members("value").remove(0));
        let restricted = Request::operator_get("/payruns/totals").with_caller(Caller::Anonymous);
        let restricted = restricted.header("authorization", bearer);
        let sums = server.send(&restricted).await.content()[0].clone();
        assert_eq!(sums, read_totals(server, "companyid=FOREIGN").await);
    });
}
