//! The journey of ../journey.py with a generated Rust client. The check is added to the worker and not to the
//! company, because this generator sends every body as application/json. The company's operation rejects this
//! media type.

use openapi::apis::configuration::Configuration;
use openapi::apis::{Error, authentication_api, company_api, payroll_api, worker_api};
use openapi::models::*;
use serde::Serialize;
use serde_json::{Map, Value, json};

const OPEN: &str = "851000000002008";
const PROCESSED: &str = "851000000002005";

/// A client, and the responses that it has read, by the names in ../compare.py.
struct Journey {
    configuration: Configuration,
    company: String,
    worker: String,
    responses: Map<String, Value>,
    typed: Map<String, Value>,
}

/// Wraps the value of a member that may be absent (the outer `Option`) or null (the inner one).
fn present_value<T: From<&'static str>>(value: &'static str) -> Option<Option<T>> {
    Some(Some(value.into()))
}

impl Journey {
    fn record_response<T: Serialize, E: std::fmt::Debug>(
        &mut self,
        name: &str,
        response: Result<T, Error<E>>,
    ) -> T {
        let response = response.unwrap_or_else(|error| panic!("{name}: {error:?}"));
        self.responses.insert(name.to_owned(), serde_json::to_value(&response).unwrap());
        response
    }

    fn record_value(&mut self, name: &str, value: impl Serialize) {
        self.typed.insert(name.to_owned(), serde_json::to_value(value).unwrap());
    }

    /// Reads the lists of a company, and hires a worker in that company.
    async fn hire(&mut self) {
        let c = &self.configuration.clone();
        let companies = company_api::list_companies(c, Some("00010001"), None, None, None, None, None).await;
        let company = self.record_response("companies", companies).content[0].company_id.clone();
        let components = payroll_api::list_pay_components(
            c, &company, None, None, None, None, None, None, None, None, None,
        );
        self.record_response("components", components.await);
        let jobs = company_api::list_company_jobs(c, &company, None, None, None, None, None, None).await;
        self.record_response("jobs", jobs);
        let locations = company_api::list_locations(c, &company, None, None, None, None, None, None).await;
        let location = self.record_response("locations", locations).content[0].location_id.clone();

        let mut input = WorkerInput::new(
            WorkerInputName::new("Sample".to_owned(), "Ann".to_owned()),
            worker_input::WorkerType::Employee,
        );
        input.worker_correlation_id = Some("rust-1".to_owned());
        input.employment_type = Some(Some(worker_input::EmploymentType::FullTime));
        input.hire_date = present_value("2021-06-07");
        let ssn = worker_input_legal_id::LegalIdType::Ssn;
        input.legal_id = Some(Some(Box::new(WorkerInputLegalId::new(ssn, "900123456".to_owned()))));
        let unit = WorkerInputOrganization::new("851000000006003".to_owned());
        input.organization = Some(Some(Box::new(unit)));
        input.location_id = Some(Some(location));
        let hired = worker_api::add_workers(c, &company, vec![input], None, None, None, None).await;
        let hired = self.record_response("hired", hired);
        let worker = hired.content[0].worker_id.clone().unwrap();
        let read = worker_api::get_worker(c, &worker, None, None, None).await;
        self.record_response("worker", read);
        let change = WorkerChange { clock_id: present_value("4117"), ..WorkerChange::new() };
        let changed = worker_api::change_worker(c, &worker, change, None, None, None, None).await;
        let changed = self.record_response("changed", changed);
        self.record_value("familyName", &hired.content[0].name.family_name);
        self.record_value("clockId", &changed.content[0].clock_id);
        (self.company, self.worker) = (company, worker);
    }

    /// Adds the parts of the worker that pay depends on.
    async fn set_up(&mut self) {
        let (c, worker) = (&self.configuration.clone(), &self.worker.clone());
        let (phone, business) = (communication_input::Type::Phone, communication_input::UsageType::Business);
        let phone = CommunicationInput {
            dial_area: present_value("585"),
            dial_number: present_value("5550100"),
            ..CommunicationInput::new(phone, business)
        };
        self.record_response(
            "communication",
            worker_api::add_communication(c, worker, phone, None, None, None, None).await,
        );
        let (number, kind) = (pay_rate_input::RateNumber::Rate1, pay_rate_input::RateType::HourlyRate);
        let rate = PayRateInput {
            default: Some(Some(true)),
            start_date: present_value("2021-06-07"),
            ..PayRateInput::new("23.505".to_owned(), number, kind)
        };
        self.record_response("rate", worker_api::add_pay_rate(c, worker, rate, None, None, None, None).await);
        let federal = FederalTaxInput {
            filing_status: Some(Some(federal_tax_input::FilingStatus::MarriedFilingJointly)),
            multiple_jobs: Some(federal_tax_input::MultipleJobs::True),
            dependents_amount: present_value("500.00"),
            ..FederalTaxInput::new()
        };
        self.record_response(
            "federal",
            worker_api::set_federal_tax(c, worker, federal, None, None, None, None, None).await,
        );
        let change = FederalTaxChange {
            filing_status: Some(Some(federal_tax_change::FilingStatus::HeadOfHousehold)),
            extra_withholding_amount: present_value("10.50"),
            ..FederalTaxChange::new()
        };
        let changed = worker_api::change_federal_tax(c, worker, change, None, None, None, None).await;
        self.record_response("federalChanged", changed);
        let state =
            json!({"countrySubdivisionCode": "OH", "taxStatusType": "WITHHOLD", "isResidentState": true});
        let patch = [("/workerTaxes/new", state), ("/workerTaxes/new/additionalAmount", json!("5.25"))];
        let patch = patch.map(|(path, value)| {
            StateTaxPatchInner::new(state_tax_patch_inner::Op::Add, path.to_owned(), Some(value))
        });
        let states = worker_api::change_state_taxes(c, worker, patch.into(), None, None, None, None).await;
        self.record_response("states", states);
        let kinds =
            (direct_deposit_input::AccountType::Savings, direct_deposit_input::PaymentType::Percentage);
        let (account, routing) = ("5550001234".to_owned(), "122100024".to_owned());
        let deposit = DirectDepositInput {
            value: present_value("10"),
            ..DirectDepositInput::new(account, kinds.0, kinds.1, routing)
        };
        self.record_response(
            "deposit",
            worker_api::add_direct_deposit(c, worker, deposit, None, None, None, None).await,
        );
        let flat = recurring_component_input::CalculationType::FlatDollarAmount;
        let recurring = RecurringComponentInput::new(flat, "851000000001016".to_owned(), "25.00".to_owned());
        let recurring =
            worker_api::add_recurring_component(c, worker, recurring, None, None, None, None).await;
        self.record_response("recurring", recurring);
    }

    /// Adds a check, adds a line to this check, and sends a request that is rejected.
    async fn pay(&mut self) {
        let (c, worker) = (&self.configuration.clone(), &self.worker.clone());
        let add = async |check: &CheckOfWorkerInput| {
            payroll_api::add_checks_of_worker(c, worker, vec![check.clone()], None, None, None, None).await
        };
        let line = |component: &str| CheckLineInput::new(component.to_owned());
        let mut check = CheckOfWorkerInput::new("rust-1".to_owned(), OPEN.to_owned());
        let hours = CheckLineInput { pay_hours: present_value("7.25"), ..line("851000000001001") };
        check.earnings = Some(Some(vec![hours]));
        let added = self.record_response("added", add(&check).await);
        let id = added.content[0].paycheck_id.clone().unwrap();
        let bonus = CheckLineInput { pay_amount: present_value("75.25"), ..line("851000000001004") };
        let changed = payroll_api::add_check_line(c, &id, bonus, None, None, None, None).await;
        let changed = self.record_response("line", changed);
        check.worker_id = present_value("nobody");
        let Err(Error::ResponseError(rejection)) = add(&check).await else { panic!("nobody was paid") };
        let rejected: Value = serde_json::from_str(&rejection.content).unwrap();
        self.responses.insert("rejected".to_owned(), rejected["errors"][0]["code"].clone());
        let lines = changed.content[0].earnings.as_ref().unwrap();
        self.record_value("openHours", &lines[0].pay_hours);
        self.record_value("openRate", &lines[0].pay_rate);
        self.record_value("openAmount", &lines[1].pay_amount);
    }

    /// Changes the status of the worker, and reads everything back.
    async fn read_back(&mut self) {
        let (c, worker) = (&self.configuration.clone(), &self.worker.clone());
        let status = WorkerChangeCurrentStatus {
            status_type: Some(Some(worker_change_current_status::StatusType::Inactive)),
            status_reason: present_value("DISABILITY"),
            ..WorkerChangeCurrentStatus::new()
        };
        let change = WorkerChange { current_status: Some(Some(Box::new(status))), ..WorkerChange::new() };
        self.record_response(
            "statusChanged",
            worker_api::change_worker(c, worker, change, None, None, None, None).await,
        );
        let statuses = worker_api::list_statuses(c, worker, None, None, None, None, None).await;
        let status = self.record_response("statuses", statuses).content.remove(0);
        let communications =
            worker_api::list_communications_of_worker(c, worker, None, None, None, None, None);
        self.record_response("communications", communications.await);
        let rates = worker_api::list_pay_rates(c, worker, None, None, None, None, None).await;
        let rate = self.record_response("rates", rates).content.remove(0);
        let federal = worker_api::get_federal_tax(c, worker, None, None, None).await;
        let federal = self.record_response("federalTax", federal).content.remove(0);
        let states = worker_api::list_state_taxes(c, worker, None, None, None).await;
        let state = self.record_response("stateTaxes", states).content.remove(0);
        let deposits = worker_api::list_direct_deposits(c, worker, None, None, None, None, None, None, None);
        let deposit = self.record_response("deposits", deposits.await).content.remove(0);
        let recurring = worker_api::list_recurring_components(
            c, worker, None, None, None, None, None, None, None, None, None, None,
        );
        let recurring = self.record_response("recurringComponents", recurring.await).content.remove(0);
        self.record_value("rate", rate.amount);
        self.record_value("default", rate.default);
        self.record_value("filingStatus", federal.filing_status);
        self.record_value("multipleJobs", federal.multiple_jobs);
        self.record_value("resident", state.is_resident_state);
        self.record_value("depositStatus", deposit.status);
        self.record_value("account", deposit.account_number);
        self.record_value("recurring", recurring.value);
        self.record_value("status", status.status_type);
        self.record_value("order", status.order);
    }

    async fn read_checks(&mut self) {
        let (c, company, worker) = (&self.configuration.clone(), &self.company.clone(), &self.worker.clone());
        let own = payroll_api::list_checks_of_worker(c, worker, OPEN, None, None, None, None, None, None);
        self.record_response("ownChecks", own.await);
        let list = async |period| {
            payroll_api::list_checks(c, company, period, None, None, None, None, None, None).await
        };
        self.record_response("open", list(OPEN).await);
        let check = self.record_response("processed", list(PROCESSED).await).content.remove(0);
        let earning = &check.earnings.as_ref().unwrap()[0];
        self.record_value("netPay", &check.net_pay);
        self.record_value("grossEarnings", &check.gross_earnings);
        self.record_value("tax", &check.taxes.as_ref().unwrap()[0].amount);
        self.record_value("hours", &earning.hours);
        self.record_value("amount", &earning.amount);
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let mut configuration = Configuration { base_path: arguments[1].clone(), ..Configuration::default() };
    let token = authentication_api::create_token(
        &configuration,
        &arguments[2],
        &arguments[3],
        "client_credentials",
        None,
        None,
    );
    configuration.oauth_access_token = Some(token.await.unwrap().access_token);
    let (company, worker) = (String::new(), String::new());
    let mut journey = Journey { configuration, company, worker, responses: Map::new(), typed: Map::new() };
    journey.hire().await;
    journey.set_up().await;
    journey.pay().await;
    let mut operator = std::process::Command::new("python3");
    operator.arg(std::env::var_os("ACTIVATE").unwrap()).arg(&journey.worker);
    assert!(operator.status().unwrap().success(), "the worker is not active");
    journey.read_back().await;
    journey.read_checks().await;
    journey.responses.insert("typed".to_owned(), journey.typed.into());
    println!("{}", Value::from(journey.responses));
}
