//! Runs the steps of ../journey.py with a generated Rust client.

use openapi::apis::configuration::Configuration;
use openapi::apis::{Error, authentication_api, company_api, payroll_api, worker_api};
use openapi::models::{Check, CheckInput, CheckLineInput};
use serde_json::json;

const OPEN: &str = "851000000002008";
const PROCESSED: &str = "851000000002005";

fn line(component: &str) -> CheckLineInput {
    CheckLineInput::new(component.to_owned())
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let mut configuration = Configuration { base_path: arguments[1].clone(), ..Configuration::default() };
    let token = authentication_api::create_token(
        &configuration, &arguments[2], &arguments[3], "client_credentials", None, None,
    );
    configuration.oauth_access_token = Some(token.await.unwrap().access_token);
    let companies = company_api::list_companies(&configuration, Some("00010001"), None, None, None, None, None);
    let company = companies.await.unwrap().content[0].company_id.clone();
    let workers = worker_api::list_workers(
        &configuration, &company, None, None, None, None, None, None, None, None, None, None, None, None, None,
    );
    let worker = workers.await.unwrap().content[0].worker_id.clone();

    let mut check = CheckInput::new("rust-1".to_owned(), OPEN.to_owned(), worker);
    check.earnings = Some(Some(vec![
        CheckLineInput { pay_hours: Some(Some("7.25".to_owned())), ..line("851000000001001") },
        CheckLineInput { pay_amount: Some(Some("75.25".to_owned())), ..line("851000000001004") },
    ]));
    let add = async |check: &CheckInput| {
        payroll_api::add_checks(&configuration, &company, vec![check.clone()], None, None, None, None).await
    };
    let list = async |period: &str| {
        payroll_api::list_checks(&configuration, &company, period, None, None, None, None, None, None).await
    };
    let added = add(&check).await.unwrap();
    let (opened, processed) = (list(OPEN).await.unwrap(), list(PROCESSED).await.unwrap());
    check.worker_id = "nobody".to_owned();
    let Err(Error::ResponseError(refusal)) = add(&check).await else { panic!("nobody was paid") };
    let refused: serde_json::Value = serde_json::from_str(&refusal.content).unwrap();

    let (last, first): (&Check, &Check) = (opened.content.last().unwrap(), &processed.content[0]);
    let (line, other) = (&last.earnings.as_ref().unwrap()[0], &last.earnings.as_ref().unwrap()[1]);
    let paid = &first.earnings.as_ref().unwrap()[0];
    println!("{}", json!({
        "added": added, "open": opened, "processed": processed, "refused": refused["errors"][0]["code"],
        "typed": {
            "openHours": line.pay_hours, "openRate": line.pay_rate, "openAmount": other.pay_amount,
            "netPay": first.net_pay, "grossEarnings": first.gross_earnings,
            "tax": first.taxes.as_ref().unwrap()[0].amount, "hours": paid.hours, "amount": paid.amount,
        },
    }));
}
