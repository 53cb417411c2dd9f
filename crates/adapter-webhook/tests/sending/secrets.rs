//! Tests that no library logs a secret, even at the most detailed level.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use payroll_adapter_webhook::{Sender, SenderSettings};
use payroll_domain::SecretText;
use payroll_domain::hook::{Address, Authentication, OAuthClient};
use tracing_subscriber::filter::LevelFilter;

use crate::receiver::Receiver;
use crate::support::*;

/// A log in memory that the test reads.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn secret_text(text: &str) -> SecretText {
    SecretText::new(text)
}

fn oauth_client(address: String) -> OAuthClient {
    let token_url = Address::from_stored(&address).unwrap();
    OAuthClient { token_url, client_id: "id".to_owned(), client_secret: secret_text("hidden-4"), scope: None }
}

#[tokio::test]
async fn no_secret_is_logged() {
    let log = Log::default();
    let writer = log.clone();
    // The log covers the entire process, so other tests must not log secrets either.
    let format = tracing_subscriber::fmt().with_max_level(LevelFilter::TRACE).with_ansi(false);
    format.with_writer(move || writer.clone()).init();
    let token = r#"{"access_token":"hidden-5"}"#;
    let granted = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{token}", token.len());
    let refusing = "HTTP/1.1 400 x\r\ncontent-length: 8\r\n\r\nhidden-6";
    let mut mapped = settings(Receiver::responding_with(ACCEPTED_RESPONSE).await.address).mapped_hosts;
    mapped.insert("tokens.example".to_owned(), Receiver::responding_with(granted).await.address);
    mapped.insert("refusing.example".to_owned(), Receiver::responding_with(refusing).await.address);
    mapped.insert("closing.example".to_owned(), Receiver::responding_once_with("").await.address);
    let sender = Sender::new(SenderSettings { mapped_hosts: mapped, ..SenderSettings::default() }).unwrap();
    for host in [HOST, "closing.example", "name.invalid"] {
        for authentication in [
            Authentication::Basic { username: "payroll".to_owned(), password: secret_text("hidden-2") },
            Authentication::ApiKey { header: "x-api-key".to_owned(), key: secret_text("hidden-3") },
            Authentication::OAuth2(oauth_client("http://tokens.example/?key=hidden-7".to_owned())),
            Authentication::OAuth2Basic(oauth_client("http://refusing.example/?key=hidden-7".to_owned())),
            Authentication::OAuth2(oauth_client("http://closing.example/?key=hidden-7".to_owned())),
            Authentication::OAuth2(oauth_client("http://name.invalid/?key=hidden-7".to_owned())),
        ] {
            let target = target_with_authentication(&format!("http://{host}/?key=hidden-1"), authentication);
            sender.send(&target, &notification(), NOW).await;
        }
    }
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(log.contains("a notification was sent") && log.contains(HOST), "{log}");
    // Decoded from base64, the second and the third text begin `payroll:hidden-2` and `id:hidden-4`. The
    // last text is a part of the signing secret of the tests.
    for secret in ["hidden-", "cGF5cm9sbDpoaWRkZW4tM", "aWQ6aGlkZGVuLTQ", "BwcHBwcHBwc"] {
        assert!(!log.contains(secret), "{secret}: {log}");
    }
}
