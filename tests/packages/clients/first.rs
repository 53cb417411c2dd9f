//! The first steps with the installed Rust crate, against a demo. Prints each step. RECEIVED is the notification that the
//! Python program has received, as JSON.

use std::collections::HashMap;
use std::env::var;
use std::error::Error;

use payroll_client::types::{CheckInput, CheckLineInput};
use payroll_client::webhook::{Received, Verifier};
use payroll_client::{Client, Decimal};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = Client::new(&var("BASE")?, var("KEY")?, var("SECRET")?)?;
    pay(&client).await?;
    verify(&var("RECEIVED")?)
}

async fn pay(client: &Client) -> Result<(), Box<dyn Error>> {
    let company = client.companies().first().await?.ok_or("no company")?;
    let home = company.company_id.as_str();
    let period = client.open_pay_periods(home).first().await?.ok_or("no open pay period")?;
    let component = client.pay_components(home).query("name", "Bonus").first().await?.ok_or("no pay component")?;
    let workers = client.workers(home).query("status", "ACTIVE").page_size(2).collect().await?;
    assert!(workers.len() > 2, "the workers are on several pages");
    let id = &period.pay_period_id;
    println!("{}: pays {} to {} workers in {id}", company.legal_name, component.name, workers.len());

    let check = |worker_id: &str, amount: Decimal| {
        let line = CheckLineInput::amount(&component.component_id, amount);
        let mut check = CheckInput::new(worker_id, id, format!("rust-{worker_id}")).earning(line);
        // The earnings of some workers are distributed over several jobs. The server would then split the
        // check line.
        check.block_auto_distribution = true;
        check
    };
    let mut amounts = vec!["0.10"; workers.len()];
    amounts[0] = "1234.50";
    let rows = workers.iter().zip(&amounts);
    let checks = rows.map(|(it, amount)| Ok(check(&it.worker_id, amount.parse()?)));
    let checks = checks.collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    let key = format!("first-rust-{id}");
    let added = client.add_checks(home, &key, &checks).await?;
    assert_eq!(client.add_checks(home, &key, &checks).await?, added, "nothing is paid twice");
    let stored = client.checks(home, id).query("filterbyuserid", true).page_size(2).collect().await?;
    let stored: HashMap<_, _> = stored.into_iter().map(|it| (it.paycheck_id.clone(), it)).collect();
    let read = added.iter().map(|it| stored[&it.paycheck_id].earnings[0].amount.map(|it| it.to_string()));
    let read = read.collect::<Option<Vec<_>>>().ok_or("a line without an amount")?;
    assert_eq!(read, amounts);
    println!("added {} checks and read them back: {}, …", added.len(), read[..3].join(", "));

    let wrong = [check("NOBODY", Decimal::ONE), check(&workers[0].worker_id, Decimal::from(10_000))];
    let error = client.add_checks(home, "rust-wrong", &wrong).await.err().ok_or("a wrong batch was accepted")?;
    let rejection = error.rejection().ok_or("the batch was not rejected")?;
    let found: Vec<_> = rejection.errors.iter().map(|it| (it.code.as_str(), it.pointer.as_deref())).collect();
    assert_eq!(found, [("API-55", Some("/0/workerId")), ("API-28", Some("/1/earnings/0/payAmount"))]);
    println!("rejected: {error}");
    Ok(())
}

fn verify(received: &str) -> Result<(), Box<dyn Error>> {
    let received: serde_json::Value = serde_json::from_str(received)?;
    let header = |name: &str| received["headers"][name].as_str().unwrap_or_default();
    let verifier = Verifier::new([received["secret"].as_str().unwrap_or_default()])?;
    let body = received["body"].as_str().unwrap_or_default().as_bytes();
    let signed = |body| Received {
        id: header("webhook-id"),
        timestamp: header("webhook-timestamp"),
        signature: header("webhook-signature"),
        body,
    };
    let notification = verifier.verify(&signed(body))?;
    assert!(verifier.verify(&signed(&[body, b" "].concat())).is_err(), "a changed notification was accepted");
    println!("verified the notification {}", notification.notification_id);
    Ok(())
}
