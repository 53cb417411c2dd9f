//! Measures the validation of a request of 100 checks with 3 lines each, from bytes to validated checks.
//!
//! `cargo bench -p payroll-domain` prints the time of each step. The aim is that all steps together take well
//! under a millisecond.

use std::fmt::Write;
use std::hint::black_box;

use criterion::{Criterion, Throughput};
use payroll_domain::check::{Batch, PeriodFacts, ValidationFacts, WorkerFacts, validate};
use payroll_domain::company::Product;
use payroll_domain::date::Date;
use payroll_domain::input;
use payroll_domain::money::Rate;
use payroll_domain::pay_component::{ClassificationType, EffectOnPay, PayComponent};
use payroll_domain::pay_period::PeriodStatus;
use payroll_domain::worker::{ExemptionType, PayRate, RateNumber, RateType, WorkerType};

const CHECKS: usize = 100;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let facts = facts();
    let good = request_with_hours("8.25");
    let wrong = request_with_hours("8.12345");
    assert!(validate_bytes(good.as_bytes(), &facts), "the good request is good");
    assert!(!validate_bytes(wrong.as_bytes(), &facts), "the wrong one is wrong");

    let mut group = criterion.benchmark_group("100 checks of 3 lines");
    group.throughput(Throughput::Bytes(good.len() as u64));
    group.bench_function("parse", |b| b.iter(|| input::parse(black_box(good.as_bytes())).is_ok()));
    if let Ok(document) = input::parse(good.as_bytes()) {
        group.bench_function("read", |b| b.iter(|| Batch::read(black_box(&document)).is_ok()));
        if let Ok(batch) = Batch::read(&document) {
            group.bench_function("wanted", |b| b.iter(|| black_box(&batch).required_lookups()));
            group.bench_function("validate", |b| b.iter(|| validate(black_box(&batch), &facts)));
        }
    }
    group.bench_function("all of it", |b| b.iter(|| validate_bytes(black_box(good.as_bytes()), &facts)));
    group.bench_function("with 100 faults", |b| {
        b.iter(|| validate_bytes(black_box(wrong.as_bytes()), &facts))
    });
    group.finish();
    criterion.final_summary();
}

fn validate_bytes(body: &[u8], facts: &ValidationFacts) -> bool {
    let Ok(document) = input::parse(body) else { return false };
    let Ok(batch) = Batch::read(&document) else { return false };
    black_box(batch.required_lookups());
    validate(&batch, facts).is_ok()
}

/// Returns a request with one check for each worker. Each check has three lines: one with hours, one with an
/// amount and an informational one.
fn request_with_hours(hours: &str) -> String {
    let mut text = String::from("[");
    for index in 0..CHECKS {
        let comma = if index == 0 { "" } else { "," };
        let _ = write!(
            text,
            r#"{comma}{{"payPeriodId":"850002407928035","workerId":"00ACMEWORKER{index:08}",
            "checkCorrelationId":"batch-7-{index}","earnings":[
            {{"componentId":"850001539952899","payHours":"{hours}","lineDate":"2026-05-08T00:00:00Z"}},
            {{"componentId":"850001539952938","payAmount":"120.50"}}],
            "informational":[{{"componentId":"850001539952940","payAmount":12.5}}]}}"#
        );
    }
    text.push(']');
    text
}

fn facts() -> ValidationFacts {
    let check_date = Date::from_ordinal_date(2026, 132).unwrap_or(Date::MAX);
    let components = [
        component_with_effect("850001539952899", EffectOnPay::Addition),
        component_with_effect("850001539952938", EffectOnPay::Addition),
        component_with_effect("850001539952940", EffectOnPay::EmployerInformational),
    ];
    let period = PeriodFacts::new(PeriodStatus::Entry, check_date, check_date);
    let payroll = Product { product_code: "PAYROLL".to_owned(), start_date: Date::MIN, end_date: None };
    let components = components.into_iter().flatten();
    let mut facts = ValidationFacts::default();
    facts.products = vec![payroll];
    facts.pay_periods = "850002407928035".parse().map(|id| (id, period)).into_iter().collect();
    facts.workers = (0..CHECKS)
        .filter_map(|index| Some((format!("00ACMEWORKER{index:08}").parse().ok()?, worker()?)))
        .collect();
    facts.components = components.map(|it| (it.component_id.clone(), it)).collect();
    facts
}

fn worker() -> Option<WorkerFacts> {
    let hourly = PayRate {
        rate_id: "RATE1".parse().ok()?,
        rate_number: RateNumber::FIRST,
        rate_type: RateType::Hourly,
        description: None,
        amount: Rate::parse("20.5").ok()?,
        standard_hours: None,
        standard_overtime: None,
        default: true,
        start_date: Date::MIN,
        effective_date: None,
    };
    Some(WorkerFacts::new(WorkerType::Employee, Some(ExemptionType::NonExempt), vec![hourly]))
}

fn component_with_effect(id: &str, effect_on_pay: EffectOnPay) -> Option<PayComponent> {
    Some(PayComponent {
        component_id: id.parse().ok()?,
        name: "Hourly".to_owned(),
        code: None,
        classification_type: ClassificationType::Regular,
        description: None,
        effect_on_pay,
        start_date: None,
        end_date: None,
        applies_to_worker_types: Vec::new(),
        overtime: false,
        required_product: None,
        debit_account: None,
        credit_account: None,
    })
}
