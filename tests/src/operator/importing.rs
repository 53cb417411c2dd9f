//! Tests of imports over HTTP (specification §10.9).

use reqwest::Method;
use serde_json::{Value, json};

use super::{get, only_object};
use crate::support::{Request, Response, on_every_database, on_every_database_with};

const NDJSON_MEDIA_TYPE: &str = "application/x-ndjson";

fn import_request(lines: &str) -> Request {
    Request::operator(Method::POST, "/import").header("content-type", NDJSON_MEDIA_TYPE).body(lines)
}

fn report_lines(response: &Response) -> Vec<Value> {
    response.text().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn company_import_line(id: &str) -> String {
    json!({"companyId": id, "displayId": id, "legalName": "Example", "organizations": [
        {"organizationId": "U", "name": "Unit"},
    ]})
    .to_string()
}

#[test]
fn each_line_gets_a_result_and_valid_ones_are_stored() {
    on_every_database(async |server| {
        let body = format!(
            "{}\nnonsense\n\n{}\n{}",
            company_import_line("ONE"),
            json!({"companyId": "TWO"}),
            company_import_line("THREE")
        );
        let response = server.send_unchecked(&import_request(&body)).await;
        assert_eq!((response.status, response.header("content-type")), (200, NDJSON_MEDIA_TYPE));
        let reported = report_lines(&response);
        let short = |line: &Value| format!("{} {} {}", line["line"], line["companyId"], line["result"]);
        let expected =
            [r#"1 "ONE" "stored""#, r#"2 null "refused""#, r#"4 "TWO" "refused""#, r#"5 "THREE" "stored""#];
        assert_eq!(reported.iter().map(short).collect::<Vec<_>>(), expected);
        assert_eq!(reported[0]["counts"], json!({"created": 2, "changed": 0, "unchanged": 0}));
        assert_eq!(reported[2]["errors"][0]["pointer"], "/displayId");
        assert_eq!(only_object(&get(server, "/companies/THREE/organizations/U").await)["name"], "Unit");
        assert_eq!(get(server, "/companies/TWO").await.status, 404);
    });
}

#[test]
fn a_locked_company_is_reported_as_locked_and_an_equal_line_as_unchanged() {
    on_every_database(async |server| {
        let locked = json!({"companyId": "LOCKED", "displayId": "00050001", "legalName": "Other"});
        let body = format!("{locked}\n{}\n{}\n", company_import_line("ONE"), company_import_line("ONE"));
        let reported = report_lines(&server.send_unchecked(&import_request(&body)).await);
        assert_eq!(
            (&reported[0]["result"], &reported[0]["errors"][0]["code"]),
            (&json!("locked"), &json!("API-10"))
        );
        assert_eq!(reported[2]["counts"], json!({"created": 0, "changed": 0, "unchanged": 2}));
    });
}

#[test]
fn a_dry_run_returns_the_results_of_an_import_and_stores_nothing() {
    on_every_database(async |server| {
        let locked = json!({"companyId": "LOCKED", "displayId": "00050001", "legalName": "Other"});
        let below =
            json!({"companyId": "BELOW", "displayId": "B", "legalName": "B", "parentCompanyId": "ONE"});
        let astray =
            json!({"companyId": "X", "displayId": "X", "legalName": "X", "parentCompanyId": "NOBODY"});
        let body = format!("{}\n{below}\n{locked}\n{astray}\n", company_import_line("ONE"));
        let dry = Request::operator(Method::POST, "/import?dryrun=true");
        let dry = dry.header("content-type", NDJSON_MEDIA_TYPE).body(body.as_str());
        let reported = report_lines(&server.send_unchecked(&dry).await);
        let results: Vec<_> = reported.iter().map(|line| line["result"].clone()).collect();
        assert_eq!(results, ["valid", "valid", "locked", "refused"]);
        assert_eq!(reported[0]["counts"], json!({"created": 2, "changed": 0, "unchanged": 0}));
        for id in ["ONE", "BELOW"] {
            assert_eq!(get(server, &format!("/companies/{id}")).await.status, 404);
        }
        let stored = report_lines(&server.send_unchecked(&import_request(&body)).await);
        let results: Vec<_> = stored.iter().map(|line| line["result"].clone()).collect();
        assert_eq!(results, ["stored", "stored", "locked", "refused"]);
        assert_eq!(
            (&stored[0]["counts"], &stored[3]["errors"]),
            (&reported[0]["counts"], &reported[3]["errors"])
        );
        let nonsense = Request::operator(Method::POST, "/import?dryrun=perhaps")
            .header("content-type", NDJSON_MEDIA_TYPE);
        assert_eq!(server.send(&nonsense).await.status, 400);
    });
}

#[test]
fn an_import_completes_no_open_period_if_two_operators_are_required() {
    on_every_database_with(
        |settings| settings.two_person_completion = true,
        async |server| {
            let with_periods = |periods: &[(&str, &str)]| {
                let period = |(id, status): &(&str, &str)| {
                    json!({"payPeriodId": id, "intervalCode": "WEEKLY", "status": status,
                        "startDate": "2026-06-01", "endDate": "2026-06-07", "checkDate": "2026-06-12"})
                };
                let periods: Vec<Value> = periods.iter().map(period).collect();
                json!({"companyId": "ONE", "displayId": "ONE", "legalName": "Example", "payPeriods": periods})
            };
            let reported = async |line: Value, path: &str| {
                let request = Request::operator(Method::POST, path).header("content-type", NDJSON_MEDIA_TYPE);
                report_lines(&server.send_unchecked(&request.body(line.to_string())).await).remove(0)
            };
            let opened = reported(with_periods(&[("NOW", "ENTRY"), ("OLD", "COMPLETED")]), "/import").await;
            assert_eq!(opened["result"], "stored", "another system has completed the old one: {opened}");
            for path in ["/import", "/import?dryrun=true"] {
                let refused = reported(with_periods(&[("NOW", "COMPLETED")]), path).await;
                assert_eq!(
                    (&refused["result"], &refused["errors"][0]["code"]),
                    (&json!("refused"), &json!("API-409"))
                );
                let description = refused["errors"][0]["description"].as_str().expect("a text");
                assert!(description.contains("two operators complete a pay period"), "{description}");
            }
            assert_eq!(only_object(&get(server, "/companies/ONE/payperiods/NOW").await)["status"], "ENTRY");
            let again = reported(with_periods(&[("NOW", "ENTRY"), ("OLD", "COMPLETED")]), "/import").await;
            assert_eq!(again["counts"]["changed"], 0, "{again}");
        },
    );
}

#[test]
fn an_import_reads_and_returns_ndjson() {
    on_every_database(async |server| {
        let request = import_request("");
        let json = request.clone().header("content-type", "application/json");
        assert_eq!(server.send(&json).await.status, 415);
        assert_eq!(server.send(&request.clone().accept("application/json")).await.status, 406);
        assert_eq!(server.send_unchecked(&request).await.text(), "");
    });
}

#[test]
fn an_exported_company_can_be_imported() {
    on_every_database(async |server| {
        server.send_unchecked(&import_request(&company_import_line("ONE"))).await;
        let export = |query: &str| {
            Request::operator(Method::GET, &format!("/export{query}")).accept(NDJSON_MEDIA_TYPE)
        };
        let response = server.send_unchecked(&export("?companyid=ONE")).await;
        let media_type = response.header("content-type");
        assert_eq!(
            (response.status, media_type, response.header("checks-left-out")),
            (200, NDJSON_MEDIA_TYPE, "0")
        );
        assert_eq!(
            report_lines(&response)[0]["organizations"],
            json!([{"organizationId": "U", "name": "Unit"}])
        );
        let reported = report_lines(&server.send_unchecked(&import_request(&response.text())).await);
        assert_eq!(reported[0]["counts"], json!({"created": 0, "changed": 0, "unchanged": 2}));
        for (query, status) in
            [("", 400), ("?companyid=a%2Fb", 400), ("?companyid=NOBODY", 404), ("?x=1", 400)]
        {
            assert_eq!(server.send(&export(query)).await.status, status, "{query}");
        }
        let json = Request::operator(Method::GET, "/export?companyid=ONE").accept("application/json");
        assert_eq!(server.send(&json).await.status, 406);
    });
}
