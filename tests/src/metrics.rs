//! Tests of `/metrics`. Each line can be parsed, docs/operating/health.md explains each metric, and each
//! action that a metric counts changes this metric.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use crate::support::receiver::wait_until_async;
use crate::support::{
    Caller, LOCKED, OPEN, Receiver, Request, Server, check_with_correlation_id, on_every_database,
    on_every_database_with, run,
};
use crate::webhooks::{change_request, run_until_delivered};

/// The samples in the response of `/metrics`: the value of each metric with its labels. The key is the name
/// with the labels, as the server writes them.
type Samples = BTreeMap<String, f64>;

/// Parses a response of `/metrics` as Prometheus does. Each line that is not a comment is a sample.
fn parse_samples(text: &str) -> Samples {
    let mut samples = Samples::new();
    let mut typed = BTreeSet::new();
    for line in text.lines() {
        if let Some(comment) = line.strip_prefix("# ") {
            let (kind, rest) = comment.split_once(' ').unwrap_or_else(|| panic!("{line}"));
            let (name, reported) = rest.split_once(' ').unwrap_or_else(|| panic!("{line}"));
            match kind {
                "HELP" => assert!(!reported.is_empty(), "{line}"),
                "TYPE" => {
                    assert!(["counter", "gauge", "histogram"].contains(&reported), "{line}");
                    assert!(typed.insert(name.to_owned()), "{name} stands twice");
                }
                _ => panic!("{line}"),
            }
            continue;
        }
        let (series, value) = line.rsplit_once(' ').unwrap_or_else(|| panic!("{line}"));
        let value: f64 = value.parse().unwrap_or_else(|_| panic!("{line}"));
        assert!(typed.contains(metric_name(series)), "{line} has no type before it");
        assert!(samples.insert(series.to_owned(), value).is_none(), "{series} stands twice");
        parse_labels(series);
    }
    samples
}

/// Returns the name of the metric to which a sample belongs.
fn metric_name(series: &str) -> &str {
    let name = series.split('{').next().unwrap_or(series);
    let of_histogram = ["_bucket", "_sum", "_count"].into_iter().find_map(|suffix| name.strip_suffix(suffix));
    of_histogram.filter(|name| name.ends_with("duration_seconds")).unwrap_or(name)
}

/// Returns the labels of a sample, each as `name="value"`.
fn parse_labels(series: &str) -> Vec<(&str, &str)> {
    let Some((_, labels)) = series.split_once('{') else { return Vec::new() };
    let labels = labels.strip_suffix('}').unwrap_or_else(|| panic!("{series}"));
    // Splitting at commas is enough, because no label value contains a comma.
    let pair = |label: &'_ str| -> Option<(usize, usize)> {
        let (name, value) = label.split_once('=')?;
        (value.len() >= 2 && value.starts_with('"') && value.ends_with('"'))
            .then_some((name.len(), value.len()))
    };
    labels
        .split(',')
        .map(|label| {
            let (name, value) = pair(label).unwrap_or_else(|| panic!("{label} in {series}"));
            (&label[..name], &label[label.len() - value + 1..label.len() - 1])
        })
        .collect()
}

async fn scrape(server: &Server) -> Samples {
    let response = server.operator_get("/metrics").await;
    assert_eq!(response.status, 200, "{response:?}");
    assert!(response.header("content-type").starts_with("text/plain; version=0.0.4"), "{response:?}");
    parse_samples(&response.text())
}

/// Returns the names of the metrics that a server reports.
async fn series_names(server: &Server) -> BTreeSet<String> {
    scrape(server).await.keys().map(|series| metric_name(series).to_owned()).collect()
}

/// Returns the amount by which a metric increases while `work` runs.
async fn measure_metric_increase(server: &Server, series: &str, work: impl AsyncFnOnce()) -> f64 {
    let before = scrape(server).await.get(series).copied().unwrap_or_default();
    work().await;
    scrape(server).await.get(series).copied().unwrap_or_default() - before
}

/// The metric that exists only if the tables are distributed over a cluster. A test of the cluster covers it.
const CLUSTER_METRIC: &str = "payroll_database_nodes";
/// The metric that exists only if the database is embedded and the server knows one of its backups.
const BACKUP_METRIC: &str = "payroll_last_backup_timestamp_seconds";

#[test]
fn the_documentation_explains_exactly_the_existing_metrics() {
    on_every_database(async |server| {
        server.send(&Request::get("/companies")).await;
        let reported = series_names(server).await;
        let page = include_str!("../../docs/operating/health.md");
        let (_, page) = page.split_once("## Metrics").expect("a section");
        let (table, _) = page.split_once("## Alerts").expect("a section");
        let name = |line: &str| Some(line.strip_prefix("| `")?.split_once('`')?.0.to_owned());
        let mut explained: BTreeSet<String> = table.lines().filter_map(name).collect();
        assert!(explained.remove(CLUSTER_METRIC), "it is there where tables are distributed");
        assert!(explained.remove(BACKUP_METRIC), "it is there after a backup");
        assert_eq!(reported, explained);
    });
}

/// Returns the names of the metrics in a Prometheus expression. A name such as `…_bucket` counts as the name
/// of its histogram.
fn metric_names_in(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    let metrics = words.filter(|word| word.starts_with("payroll_") || word.starts_with("process_"));
    metrics.map(metric_name)
}

#[test]
fn the_dashboard_and_the_alerts_use_existing_metrics_and_omit_few() {
    let dashboard = include_str!("../../docs/deploy/monitoring/dashboard.json");
    let alerts = include_str!("../../docs/deploy/monitoring/alerts.yml");
    let dashboard: serde_json::Value = serde_json::from_str(dashboard).expect("JSON");
    let panels = dashboard["panels"].as_array().expect("panels");
    let targets = panels.iter().filter_map(|panel| panel["targets"].as_array()).flatten();
    let shown: Vec<&str> = targets.map(|target| target["expr"].as_str().expect("an expression")).collect();
    let alerting: Vec<&str> = alerts.lines().filter_map(|line| line.trim().strip_prefix("expr: ")).collect();
    assert!(shown.len() > 30 && alerting.len() > 10, "{shown:?} {alerting:?}");
    on_every_database(async |server| {
        server.send(&Request::get("/companies")).await;
        let mut reported = series_names(server).await;
        reported.extend([CLUSTER_METRIC.to_owned(), BACKUP_METRIC.to_owned()]);
        let read: BTreeSet<&str> =
            shown.iter().chain(&alerting).flat_map(|text| metric_names_in(text)).collect();
        let unknown: Vec<_> = read.iter().filter(|name| !reported.contains(**name)).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
        let unread: Vec<_> = reported.iter().filter(|name| !read.contains(name.as_str())).collect();
        assert!(unread.is_empty(), "metrics without a panel: {unread:?}");
    });
}

#[test]
fn every_alert_links_to_a_page_that_exists() {
    let alerts = include_str!("../../docs/deploy/monitoring/alerts.yml");
    let rules = alerts.matches("- alert: ").count();
    let pages = alerts.lines().filter_map(|line| line.trim().strip_prefix("runbook_url: "));
    let paths: Vec<_> =
        pages.filter_map(|url| url.strip_prefix("https://payroll.example.org/docs/")).collect();
    assert_eq!(paths.len(), rules, "{paths:?}");
    for path in paths {
        let file = format!("{}/../docs/{path}", env!("CARGO_MANIFEST_DIR"));
        assert!(path.starts_with("operating/") && std::path::Path::new(&file).is_file(), "{path}");
    }
}

#[test]
fn a_backup_updates_its_metric() {
    on_every_database(async |server| {
        assert_eq!(scrape(server).await.get(BACKUP_METRIC), None);
        if server.database.url().starts_with("postgres") {
            return;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let copy = folder.path().join("copy.db").display().to_string();
        assert!(run(&server.database, &["backup", &copy], "").status.success());
        assert!(scrape(server).await[BACKUP_METRIC] > 1.7e9);
    });
}

#[test]
fn a_request_increments_its_metric() {
    on_every_database(async |server| {
        let route = r#"listener="partner",route="/companies",method="GET""#;
        let series = format!(r#"payroll_http_requests_total{{{route},status="200"}}"#);
        let ask = async || drop(server.send(&Request::get("/companies")).await);
        assert_eq!(measure_metric_increase(server, &series, ask).await, 1.0);
        let slowest = format!(r#"payroll_http_request_duration_seconds_bucket{{{route},le="+Inf"}}"#);
        assert_eq!(measure_metric_increase(server, &slowest, ask).await, 1.0);
    });
}

#[test]
fn rejections_replays_and_tokens_increment_their_metrics() {
    on_every_database(async |server| {
        let locked = async || {
            let response =
                server.send(&Request::post_checks(LOCKED, &json!([check_with_correlation_id("a")]))).await;
            assert_eq!(response.status, 423, "{response:?}");
        };
        let series = r#"payroll_lock_refusals_total{listener="partner"}"#;
        assert_eq!(measure_metric_increase(server, series, locked).await, 1.0);
        let twice = async || {
            let request = Request::post_checks(OPEN, &json!([check_with_correlation_id("a")]))
                .idempotency_key("metrics");
            assert_eq!(server.send(&request).await.status, 201);
            assert_eq!(server.send(&request).await.status, 201);
        };
        let series = r#"payroll_idempotent_replays_total{listener="partner"}"#;
        assert_eq!(measure_metric_increase(server, series, twice).await, 1.0);
        let token = async || {
            server.discard_tokens().await;
            server.send(&Request::get("/companies")).await;
        };
        let series = r#"payroll_token_grants_total{result="granted"}"#;
        assert_eq!(measure_metric_increase(server, series, token).await, 1.0);
    });
}

#[test]
fn a_rejection_by_the_rate_limit_increments_its_metric() {
    on_every_database_with(
        |settings| settings.rate_limit_per_minute = 1,
        async |server| {
            let series = r#"payroll_rate_limit_refusals_total{listener="partner"}"#;
            let twice = async || {
                server.send(&Request::get("/companies")).await;
                assert_eq!(server.send(&Request::get("/companies")).await.status, 429);
            };
            assert_eq!(measure_metric_increase(server, series, twice).await, 1.0);
        },
    );
}

#[test]
fn a_delivery_increments_its_metric() {
    let receiver = Receiver::start();
    run_until_delivered(&receiver, async |server: &Server| {
        let series = r#"payroll_delivery_attempts_total{outcome="delivered"}"#;
        let reported = async || {
            assert_eq!(server.send(&change_request(OPEN, "EMPLOYEE", 1)).await.status, 200);
            let counted = async || scrape(server).await[series] >= 1.0;
            wait_until_async(counted, "a delivery that is counted").await;
        };
        assert_eq!(measure_metric_increase(server, series, reported).await, 1.0);
    });
}

#[test]
fn metrics_contain_no_names_and_no_ids() {
    on_every_database(async |server| {
        for request in [
            Request::get(format!("/companies/{OPEN}")),
            Request::get("/companies/nobody-knows-it/secret"),
            Request::get("/companies").with_caller(Caller::Malformed),
        ] {
            server.send(&request).await;
        }
        let text = server.operator_get("/metrics").await.text();
        for name in [OPEN, "nobody-knows-it", "partner application", "key-of-partner", "EMPLOYEE"] {
            assert!(!text.contains(name), "{name}");
        }
    });
}

#[test]
fn partners_cannot_read_metrics() {
    on_every_database(async |server| {
        assert_eq!(server.send(&Request::get("/metrics").with_caller(Caller::Anonymous)).await.status, 404);
    });
}
