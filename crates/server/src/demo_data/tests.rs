//! Checks that the demo has an example of every code and every state, and that its totals are consistent.

use std::collections::HashSet;

use payroll_domain::check::{Batch, CheckAmounts, ValidationFacts, validate};
use payroll_domain::complete_company::CompleteCompany;
use payroll_domain::date::Timestamp;
use payroll_domain::document::{collect_external_references, read_company};
use payroll_domain::input;
use payroll_domain::pay_component::EffectOnPay;
use payroll_domain::pay_period::PeriodStatus;
use payroll_domain::resource::ResourceKind;
use payroll_domain::worker::WorkerType;

use super::*;

const TODAY: &str = "2026-11-20";

fn read_demo_companies(today: &str) -> Vec<CompleteCompany> {
    let file = demo_companies_ndjson(parse_date(today).unwrap());
    let read = |line: &str| read_company(&input::parse(line.as_bytes()).unwrap()).unwrap();
    file.lines().map(read).collect()
}

#[test]
fn demo_data_is_valid_on_every_day() {
    for today in ["2024-02-29", "2026-01-05", TODAY, "2099-12-31"] {
        let mut before = HashSet::new();
        for company in read_demo_companies(today) {
            for open in collect_external_references(&company) {
                assert_eq!(open.target, ResourceKind::Company, "{}", open.pointer);
                assert!(before.contains(open.id), "a parent stands before its children");
            }
            before.insert(company.company.company_id.to_string());
        }
    }
}

#[test]
fn demo_dates_shift_with_the_current_day() {
    let periods = |today| read_demo_companies(today)[0].pay_periods.clone();
    for (then, later) in periods("2026-01-05").iter().zip(periods("2026-02-05")) {
        let days = later.period.end_date.to_julian_day() - then.period.end_date.to_julian_day();
        assert_eq!(days, 31);
    }
}

#[test]
fn demo_data_contains_an_example_for_every_rule() {
    let companies = read_demo_companies(TODAY);
    assert!(companies.iter().map(|it| it.workers.len()).sum::<usize>() >= 60);
    let main = &companies[0];
    for worker_type in WorkerType::ALL {
        assert!(main.workers.iter().any(|it| it.worker_type == *worker_type), "{worker_type}");
    }
    for effect in EffectOnPay::ALL {
        assert!(main.pay_components.iter().any(|it| it.effect_on_pay == *effect), "{effect}");
    }
    for status in PeriodStatus::ALL {
        let mut periods = companies.iter().flat_map(|it| &it.pay_periods);
        assert!(periods.any(|it| it.period.status == *status), "{status}");
    }
    let today = parse_date(TODAY).unwrap();
    assert!(companies.iter().any(|it| it.company.end_date.is_some_and(|end| end < today)), "end-dated");
    assert!(companies.iter().any(|it| it.lock.is_some()), "locked");
    assert!(companies.iter().any(|it| it.company.converting), "being converted");
    assert_eq!(companies.iter().filter(|it| it.company.parent_company_id.is_some()).count(), 2);
}

#[test]
fn demo_workers_have_all_data_that_partners_read() {
    let companies = read_demo_companies(TODAY);
    for worker in companies.iter().flat_map(|company| &company.workers) {
        assert!(!worker.communications.is_empty() && worker.legal_id.is_some(), "{}", worker.worker_id);
        assert!(worker.current_status.is_some() && worker.hire_date.is_some(), "{}", worker.worker_id);
    }
    let statuses = companies[0].workers.iter().filter_map(|it| it.current_status.as_ref());
    let statuses: HashSet<_> = statuses.map(|status| status.status_type.as_str()).collect();
    assert!(statuses.len() >= 4, "there is a worker to find in most states");
    assert!(companies[0].workers.iter().any(|it| it.supervisor_id.is_some() && it.organization_id.is_some()));
}

#[test]
fn processed_demo_checks_have_consistent_totals() {
    let companies = read_demo_companies(TODAY);
    let periods = companies.iter().flat_map(|it| &it.pay_periods);
    let checks: Vec<_> = periods.flat_map(|it| &it.processed_checks).collect();
    assert!(checks.len() > 40);
    for check in checks {
        let pay = CheckAmounts::from_processed_lines(&check.lines, &check.taxes).unwrap();
        let stated = CheckAmounts { gross_earnings: check.gross_earnings, net_pay: check.net_pay };
        assert_eq!(pay, stated, "{}", check.paycheck_id);
    }
}

/// Validates a request for the company with the number `company`, counted from 1. Returns the codes with
/// which the rules reject the request.
fn validation_codes(company: usize, request: &str) -> Vec<&'static str> {
    let document = input::parse(request.as_bytes()).unwrap();
    let facts = ValidationFacts::from_company(
        &read_demo_companies(TODAY)[company - 1],
        Timestamp::parse(TODAY).unwrap(),
    );
    let faults = facts.and_then(|facts| validate(&Batch::read(&document).unwrap(), &facts)).err();
    faults.into_iter().flatten().map(|fault| fault.reason.code()).collect()
}

/// Returns a check with the given correlation id and line. The worker and the pay period are given by their
/// numbers.
fn demo_check_request(
    company: usize,
    correlation: &str,
    (worker, period): (usize, usize),
    line: &str,
) -> String {
    format!(
        r#"{{"workerId": "00DEMO{company:04}WORKER{worker:04}", "payPeriodId": "85{company}000000002{period:03}",
            "checkCorrelationId": "{correlation}", "earnings": [{line}]}}"#
    )
}

#[test]
fn check_of_the_demo_page_is_valid() {
    let request = format!(
        r#"[{{"workerId": "{WORKER_ID}", "payPeriodId": "{OPEN_PERIOD_ID}", "checkCorrelationId": "a",
            "earnings": [{{"componentId": "{HOURLY_COMPONENT_ID}", "payHours": "8"}}]}}]"#
    );
    assert_eq!(read_demo_companies(TODAY)[0].company.company_id.as_str(), COMPANY_ID);
    assert_eq!(validation_codes(1, &request), [""; 0]);
}

#[test]
fn demo_data_can_trigger_every_code_of_a_line() {
    let cases = [
        (1, (1, 8), "001", r#""payHours": "8", "payUnits": "8""#, "API-47"),
        (1, (1, 8), "999", r#""payHours": "8""#, "API-48"),
        (1, (1, 8), "009", r#""payAmount": "8""#, "API-48"),
        (1, (1, 8), "010", r#""payAmount": "8""#, "API-48"),
        (1, (1, 8), "004", r#""payAmount": "10000""#, "API-28"),
        (1, (1, 8), "004", r#""payAmount": "8", "organization": {"organizationId": "X"}"#, "API-40"),
        (1, (1, 99), "004", r#""payAmount": "8""#, "API-40"),
        (1, (1, 6), "004", r#""payAmount": "8""#, "API-51"),
        (1, (99, 8), "004", r#""payAmount": "8""#, "API-55"),
        (1, (1, 8), "008", r#""payAmount": "8""#, "API-57"),
        (1, (4, 8), "002", r#""payAmount": "8""#, "API-57"),
        (1, (1, 8), "015", r#""payAmount": "8""#, "API-60"),
        (1, (1, 8), "011", r#""payAmount": "8""#, "API-65"),
        (2, (1, 3), "003", r#""payAmount": "8""#, "API-65"),
        (3, (1, 1), "003", r#""payAmount": "8""#, "API-65"),
        (1, (2, 8), "001", r#""payHours": "8", "payRateId": "851000000003003""#, "API-69"),
        (1, (7, 8), "001", r#""payHours": "8""#, "API-69"),
        (1, (8, 8), "001", r#""payHours": "8""#, "API-70"),
        (1, (9, 8), "001", r#""payHours": "8""#, "API-70"),
        (5, (1, 3), "001", r#""payHours": "8""#, "API-10"),
    ];
    for (company, place, component, pay, code) in cases {
        let line = format!(r#"{{"componentId": "85{company}000000001{component}", {pay}}}"#);
        let request = demo_check_request(company, "a", place, &line);
        assert_eq!(validation_codes(company, &request), [code], "{request}");
    }
}

#[test]
fn demo_data_can_trigger_every_code_of_several_checks() {
    let line = r#"{"componentId": "851000000001001", "payHours": "8"}"#;
    let two = |second: String| format!("[{}, {second}]", demo_check_request(1, "a", (1, 8), line));
    assert_eq!(validation_codes(1, &two(demo_check_request(1, "b", (1, 7), line))), ["API-53"]);
    assert_eq!(validation_codes(1, &two(demo_check_request(1, "", (1, 8), line))), ["API-54"]);
    assert_eq!(validation_codes(1, &two(demo_check_request(1, "a", (1, 8), line))), ["API-56"]);
    let claimed = demo_check_request(1, "b", (1, 8), line).replacen(
        '{',
        r#"{"paycheckId": "00DEMO0001CHECK00001", "#,
        1,
    );
    assert_eq!(validation_codes(1, &two(claimed)), ["API-51"]);
    assert_eq!(validation_codes(1, &demo_check_request(1, "", (1, 8), line)), ["API-46"]);
}

fn generate_lines(population: GeneratedPopulation, today: &str) -> String {
    let mut text = String::new();
    let mut lines = population.lines(parse_date(today).unwrap());
    std::io::Read::read_to_string(&mut lines, &mut text).unwrap();
    text
}

#[test]
fn the_same_seed_generates_the_same_companies() {
    let population = GeneratedPopulation { seed: 42, companies: 3, workers: 5 };
    let text = generate_lines(population, "2026-05-12");
    assert_eq!(generate_lines(population, "2026-05-12"), text);
    assert_ne!(generate_lines(GeneratedPopulation { seed: 43, ..population }, "2026-05-12"), text);
    let fewer = generate_lines(GeneratedPopulation { companies: 2, ..population }, "2026-05-12");
    assert!(text.starts_with(&fewer), "a company is the same however many there are");
    assert!(
        text.starts_with(r#"{"companyId":"MADE-42-00001""#)
            || text.contains(r#""companyId":"MADE-42-00001""#)
    );
}

#[test]
fn generates_valid_companies_of_the_requested_size() {
    let text = generate_lines(GeneratedPopulation { seed: u64::MAX, companies: 4, workers: 7 }, "2026-05-12");
    assert_eq!(text.lines().count(), 4);
    for line in text.lines() {
        let node = input::parse(line.as_bytes()).unwrap();
        let complete = read_company(&node).unwrap_or_else(|faults| panic!("{faults}"));
        assert_eq!(complete.workers.len(), 7);
        assert!(complete.company.legal_name.starts_with("Example "), "{}", complete.company.legal_name);
    }
    assert_eq!(
        generate_lines(GeneratedPopulation { seed: 0, companies: 1, workers: 0 }, "9999-12-31")
            .lines()
            .count(),
        1
    );
}
