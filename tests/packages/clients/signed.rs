//! Gets a token with a private key, and verifies a notification with the public keys of the server. RECEIVED is the
//! notification that the Python program has received, as JSON.

use std::env::var;
use std::error::Error;

use payroll_client::webhook::{Received, Verifier};
use payroll_client::{Client, PrivateKey};
use serde_json::Value;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let key = PrivateKey::from_pem(&var("PRIVATE_KEY")?)?;
    let client = Client::new(&var("BASE")?, var("KEY")?, key.clone())?;
    let company = client.companies().first().await?.ok_or("no company")?;
    println!("{}: read with the key {}", company.legal_name, key.key_id());

    let published: Value = client.get("/.well-known/webhook-keys").json().await?;
    let keys = published["keys"].as_array().ok_or("no public keys")?;
    let verifier = Verifier::new(keys.iter().filter_map(|it| it["publicKey"].as_str()))?;
    let received: Value = serde_json::from_str(&var("RECEIVED")?)?;
    let header = |name: &str| received["headers"][name].as_str().unwrap_or_default();
    let body = received["body"].as_str().unwrap_or_default().as_bytes();
    let signed = |body| Received {
        id: header("webhook-id"),
        timestamp: header("webhook-timestamp"),
        signature: header("webhook-signature"),
        body,
    };
    let notification = verifier.verify(&signed(body))?;
    assert!(verifier.verify(&signed(&[body, b" "].concat())).is_err(), "a changed notification was accepted");
    println!("verified the notification {} with the public keys", notification.notification_id);
    Ok(())
}
