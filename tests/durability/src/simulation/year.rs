//! The steps of a simulated year, and the comparison at the end of the year.

use std::collections::BTreeSet;

use payroll_domain::date::Timestamp;
use reqwest::Method;
use serde_json::{Value, json};

use super::expected_checks::{
    ExpectedCheck, ExpectedChecks, format_amount, format_register_check, parse_cents,
};
use super::machine::Machine;
use super::receiver::{BASIC_AUTH_PATH, BEARER_PATH, Receivers, TOKENS};
use super::trace::Trace;
use crate::clock::START_TIME;
use crate::defect::Defect;
use crate::disk::SurvivingWrites;
use crate::random::SeededRandom;
use crate::server::{Request, Response};
use crate::world::{self, WORKERS};

/// The number of pay runs in a year.
const PAY_RUNS_PER_YEAR: usize = 26;
/// The length of a pay period in days.
const DAYS_PER_PAY_RUN: i64 = 14;
/// The hourly rate of all workers at the beginning, in cents.
const RATE: i64 = 2_000;
/// The average number of a company's pay runs for each rare step, such as a reversal.
const RUNS_PER_RARE_STEP: usize = 6;

/// The result of a simulated year.
#[derive(Debug)]
pub(super) struct YearSummary {
    /// The hash of all steps.
    pub(super) hash: u64,
    pub(super) cuts: usize,
    pub(super) failures: usize,
    #[expect(dead_code, reason = "the numbers are printed")]
    pub(super) checks: usize,
    #[expect(dead_code, reason = "the numbers are printed")]
    pub(super) notifications: usize,
}

struct Company {
    id: String,
    /// The hourly rate of each worker in cents.
    rates: [i64; WORKERS],
    /// The checks of the last pay run that can be reversed, each with its id.
    last: Vec<(String, ExpectedCheck)>,
}

struct Year {
    machine: Machine,
    receivers: Receivers,
    chance: SeededRandom,
    trace: Trace,
    books: ExpectedChecks,
    companies: Vec<Company>,
}

/// Simulates the year of a seed. The error describes a difference from the expected payroll.
pub(super) async fn simulate_year(
    seed: u64,
    companies: usize,
    defect: Defect,
) -> Result<YearSummary, String> {
    let mut chance = SeededRandom::from_seed(seed);
    let receivers = Receivers::start(chance.fork()).await;
    let machine = Machine::start(seed.is_multiple_of(2), chance.fork(), receivers.clone(), defect).await;
    let companies = (0..companies).map(|number| Company {
        id: format!("C{number:02}"),
        rates: [RATE; WORKERS],
        last: Vec::new(),
    });
    let (books, companies) = (ExpectedChecks::default(), companies.collect());
    let mut year = Year { machine, receivers, chance, trace: Trace::new(), books, companies };
    let result = year.run_payrolls().await;
    let (cuts, failures) = (year.machine.cuts, year.machine.failures);
    year.machine.stop().await;
    result.map_err(|fault| format!("{fault}\nThe last steps:{}", year.trace.last_steps()))?;
    let checks = year.books.periods.values().map(Vec::len).sum();
    Ok(YearSummary { hash: year.trace.hash(), cuts, failures, checks, notifications: year.receivers.count() })
}

fn operator_request(method: Method, path: &str, body: Option<Value>, key: Option<String>) -> Request {
    Request { method, path: format!("/operator/v1{path}"), body, media_type: "application/json", key }
}

fn partner_request(method: Method, path: String, body: Option<Value>) -> Request {
    Request { method, path, body, media_type: "application/json", key: None }
}

/// Returns the elements of a list in a response.
fn response_content(response: &Response) -> Vec<Value> {
    let mut body: Value = serde_json::from_str(&response.body).expect("JSON");
    match body["content"].take() {
        Value::Array(elements) => elements,
        _ => panic!("no list: {response:?}"),
    }
}

impl Year {
    async fn run_payrolls(&mut self) -> Result<(), String> {
        self.set_up().await;
        for run in 0..PAY_RUNS_PER_YEAR {
            for company in 0..self.companies.len() {
                self.run_payroll(company, run).await?;
            }
            let cut = self.choose_rare_cut();
            self.trace.add(format!("run {run}: notifications, cut: {cut:?}"));
            self.machine.deliver_notifications(cut).await?;
            if self.chance.random_below(4) == 0 {
                // In one of four runs, the clock of the machine is set back by up to an hour.
                self.machine
                    .server()
                    .clock
                    .shift_system_time(-i64::try_from(self.chance.random_below(3_600)).expect("seconds"));
            }
            let cut = self.choose_rare_cut();
            self.trace.add(format!("run {run}: {DAYS_PER_PAY_RUN} days pass, cut: {cut:?}"));
            self.machine.pass_days(DAYS_PER_PAY_RUN, cut).await?;
        }
        self.receivers.accept_all_further();
        self.machine.deliver_notifications(None).await?;
        self.compare_with_expected().await
    }

    fn choose_rare_cut(&mut self) -> Option<SurvivingWrites> {
        let survival = SurvivingWrites::ALL[self.chance.random_below(SurvivingWrites::ALL.len())];
        (self.chance.random_below(RUNS_PER_RARE_STEP) == 0).then_some(survival)
    }

    /// Imports the companies with access for the partner, and registers a hook that needs tokens.
    async fn set_up(&mut self) {
        let server = self.machine.server();
        for company in &self.companies {
            let body = Some(world::company(&company.id));
            let import = operator_request(Method::POST, "/import", body, None);
            let response = server.send(&Request { media_type: "application/x-ndjson", ..import }).await;
            assert!(response.body.contains(r#""result":"stored""#), "{response:?}");
            world::grant_access(&*server.store, &company.id).await;
        }
        let authentication = json!({"authType": "OAUTH2", "tokenUrl": format!("http://hooks.test{TOKENS}"),
            "clientId": "ann", "clientSecret": "open-sesame"});
        let hook = json!({"uri": format!("http://hooks.test{BEARER_PATH}"), "authentication": authentication,
            "domains": ["CLT_PYRN", "WRKR_CMP"]});
        let response =
            server.send(&partner_request(Method::POST, "/management/hooks".to_owned(), Some(hook))).await;
        assert_eq!(response.status, 201, "{response:?}");
    }

    /// Sends a request until it is accepted. The status `repeated` is also accepted after an earlier attempt
    /// of the request, because that attempt may have been stored.
    async fn send_and_expect(
        &mut self,
        request: &Request,
        status: u16,
        repeated: Option<u16>,
    ) -> Result<Response, String> {
        self.trace.add(format!("{} {} {:?}", request.method, request.path, request.key));
        let accepted = self.machine.send(request, &mut self.chance, &mut self.trace).await?;
        let found = accepted.response.status;
        let is_expected = found == status || (accepted.is_repeated && Some(found) == repeated);
        if !is_expected {
            return Err(format!("{request:?} gets {:?} instead of {status}", accepted.response));
        }
        Ok(accepted.response)
    }

    /// Returns the date that is this number of days after the beginning.
    fn date_of_day(days: i64) -> String {
        const MICROS_OF_A_DAY: i64 = 86_400_000_000;
        Timestamp::from_micros(START_TIME.as_micros() + days * MICROS_OF_A_DAY).date().to_string()
    }

    /// Runs a pay period of a company from its creation to its completion.
    async fn run_payroll(&mut self, number: usize, run: usize) -> Result<(), String> {
        let (company, period) = (self.companies[number].id.clone(), format!("R{run:02}"));
        let periods = format!("/companies/{company}/payperiods");
        let key = |step: &str| Some(format!("{company}-{period}-{step}"));
        let first = i64::try_from(run).expect("days") * DAYS_PER_PAY_RUN;
        let body = json!({"payPeriodId": period, "intervalCode": "BI_WEEKLY", "status": "ENTRY",
            "startDate": Self::date_of_day(first), "endDate": Self::date_of_day(first + DAYS_PER_PAY_RUN - 1),
            "submitByDate": Self::date_of_day(first + DAYS_PER_PAY_RUN - 1),
            "checkDate": Self::date_of_day(first + DAYS_PER_PAY_RUN)});
        self.send_and_expect(&operator_request(Method::POST, &periods, Some(body), key("open")), 201, None)
            .await?;
        self.change_rate(number).await?;
        let mut paid = self.add_checks(number, &period).await?;
        self.delete_check(&mut paid).await?;
        let mut expected: Vec<_> = paid.iter().map(|(_, check)| check.clone()).collect();
        expected.extend(self.reverse_check(number, &period).await?);
        let path = format!("{periods}/{period}");
        let process = operator_request(Method::POST, &format!("{path}/process"), Some(json!({})), None);
        self.send_and_expect(&process, 200, Some(409)).await?;
        let checks: Vec<_> = paid.iter().map(|(id, check)| check.to_completion_input(id)).collect();
        let body = Some(json!({"checks": checks, "allowEmpty": true}));
        if self.machine.needs_two_operators {
            let request = operator_request(Method::POST, &format!("{path}/completionrequest"), body, None);
            self.send_and_expect(&request, 201, Some(200)).await?;
            let approve =
                operator_request(Method::POST, &format!("{path}/completionrequest/approve"), None, None);
            self.send_and_expect(&approve, 200, Some(409)).await?;
        } else {
            let complete = operator_request(Method::POST, &format!("{path}/complete"), body, None);
            self.send_and_expect(&complete, 200, Some(409)).await?;
        }
        self.books.add(&company, &period, expected);
        self.companies[number].last = paid;
        Ok(())
    }

    /// Changes the rate of a worker in some runs.
    async fn change_rate(&mut self, number: usize) -> Result<(), String> {
        if self.chance.random_below(RUNS_PER_RARE_STEP) != 0 {
            return Ok(());
        }
        let worker = self.chance.random_below(WORKERS);
        let rate = RATE + i64::try_from(self.chance.random_below(1_000)).expect("cents");
        let id = self.companies[number].id.clone();
        let path = format!("/workers/{id}-W-{worker}/compensation/payrates/{id}-R-{worker}");
        let change = partner_request(Method::PATCH, path, Some(json!({"amount": format_amount(rate)})));
        self.send_and_expect(&change, 200, None).await?;
        self.companies[number].rates[worker] = rate;
        Ok(())
    }

    /// Adds a check for each worker, sometimes after a rejected request. Returns the ids and expected checks.
    async fn add_checks(
        &mut self,
        number: usize,
        period: &str,
    ) -> Result<Vec<(String, ExpectedCheck)>, String> {
        let (company, rates) = (self.companies[number].id.clone(), self.companies[number].rates);
        let (mut batch, mut expected) = (Vec::new(), Vec::new());
        for (at, rate) in rates.into_iter().enumerate() {
            let quarters = 1 + i64::try_from(self.chance.random_below(320)).expect("hours");
            let worker = format!("{company}-W-{at}");
            expected.push(ExpectedCheck::new(&worker, rate, quarters));
            batch.push(json!({"workerId": worker, "payPeriodId": period,
                "checkCorrelationId": format!("{period}-{at}"),
                "earnings": [{"componentId": "HOURLY", "payHours": format_amount(quarters * 25)}]}));
        }
        let path = format!("/companies/{company}/checks");
        let media_type = "application/vnd.vendor.payroll.checks.v1+json";
        let post = |batch: Vec<Value>, key: &str| Request {
            media_type,
            key: Some(format!("{company}-{period}-{key}")),
            ..partner_request(Method::POST, path.clone(), Some(Value::Array(batch)))
        };
        if self.chance.random_below(RUNS_PER_RARE_STEP) == 0 {
            let mut faulty = batch.clone();
            faulty[0]["earnings"][0]["componentId"] = json!("UNKNOWN");
            self.send_and_expect(&post(faulty, "mistake"), 400, None).await?;
        }
        let added = response_content(&self.send_and_expect(&post(batch, "hours"), 201, None).await?);
        let ids = added.iter().map(|check| check["paycheckId"].as_str().expect("an id").to_owned());
        Ok(ids.zip(expected).collect())
    }

    /// Deletes one of the new checks in some runs.
    async fn delete_check(&mut self, paid: &mut Vec<(String, ExpectedCheck)>) -> Result<(), String> {
        if self.chance.random_below(RUNS_PER_RARE_STEP) != 0 {
            return Ok(());
        }
        let (id, check) = paid.remove(self.chance.random_below(paid.len()));
        // Ids are random, so the trace must not contain them.
        self.trace.add(format!("the check of {} is deleted", check.worker));
        let path = format!("/workers/{}/checks/{id}", check.worker);
        let delete = partner_request(Method::DELETE, path, None);
        let accepted = self.machine.send(&delete, &mut self.chance, &mut self.trace).await?;
        match accepted.response.status {
            204 => Ok(()),
            400 | 404 | 405 if accepted.is_repeated => Ok(()),
            _ => Err(format!("{delete:?} gets {:?}", accepted.response)),
        }
    }

    /// Reverses a check of the last pay run in some runs.
    async fn reverse_check(&mut self, number: usize, period: &str) -> Result<Option<ExpectedCheck>, String> {
        if self.chance.random_below(RUNS_PER_RARE_STEP) != 0 || self.companies[number].last.is_empty() {
            return Ok(None);
        }
        let company = &mut self.companies[number];
        let (id, check) = company.last.remove(0);
        let path = format!("/companies/{}/payperiods/{period}/reversals", company.id);
        let key = Some(format!("{}-{period}-reversal", company.id));
        let body = Some(json!({"paycheckId": id}));
        self.send_and_expect(&operator_request(Method::POST, &path, body, key), 201, None).await?;
        Ok(Some(check.reverse()))
    }

    /// Compares the stored payroll, events and notifications with the expected payroll, events and
    /// notifications.
    async fn compare_with_expected(&self) -> Result<(), String> {
        let mut faults = self.machine.find_faults();
        for ((company, period), expected) in &self.books.periods {
            let path = format!("/operator/v1/companies/{company}/payperiods/{period}");
            let register = self.machine.server().get(&format!("{path}/register?limit=100")).await;
            let mut found: Vec<_> = response_content(&register).iter().map(format_register_check).collect();
            let mut lines: Vec<_> = expected.iter().map(ExpectedCheck::to_register_line).collect();
            found.sort();
            lines.sort();
            if found != lines {
                faults.push(format!("{company} {period} has {found:?} instead of {lines:?}"));
            }
            let totals = response_content(&self.machine.server().get(&path).await)[0]["totals"].take();
            let gross: i64 = expected.iter().map(|check| check.gross).sum();
            if parse_cents(&totals["grossEarnings"]) != gross {
                faults.push(format!("{company} {period} has the totals {totals}"));
            }
        }
        for (path, query) in [
            (
                BASIC_AUTH_PATH,
                "SELECT event_id FROM events e WHERE EXISTS (SELECT 1 FROM deliveries d, hooks h \
                WHERE d.event_id = e.event_id AND d.hook = h.hook AND h.hook_id = 'hook')",
            ),
            (
                BEARER_PATH,
                "SELECT event_id FROM events e WHERE EXISTS (SELECT 1 FROM deliveries d, hooks h \
                WHERE d.event_id = e.event_id AND d.hook = h.hook AND h.hook_id <> 'hook')",
            ),
        ] {
            let events: BTreeSet<String> = self.machine.query_texts(query).into_iter().collect();
            let accepted = self.receivers.accepted_at(path);
            if events.is_empty() || events != accepted {
                let (missing, more) =
                    (events.difference(&accepted).count(), accepted.difference(&events).count());
                faults.push(format!(
                    "{path} misses {missing} of {} events and got {more} others",
                    events.len()
                ));
            }
        }
        if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
    }
}
