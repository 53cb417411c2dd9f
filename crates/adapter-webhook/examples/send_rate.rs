//! Compares the cost of an attempt with the cost of a plain request by the same HTTP client. Attempts and
//! plain requests send the same bytes to the same receiver in this process, 64 requests at a time. The two
//! measurements alternate.
//!
//! Run `cargo run --release -p payroll-adapter-webhook --example send_rate` on an otherwise idle machine.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a measurement stops at the first surprise"
)]
#![expect(clippy::print_stdout, reason = "a measurement prints its metrics")]
#![expect(clippy::disallowed_methods, reason = "it measures the real clock")]

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use futures_util::future::join_all;
use payroll_adapter_webhook::{Sender, SenderSettings};
use payroll_domain::SecretText;
use payroll_domain::date::Timestamp;
use payroll_domain::delivery::{HookHealth, Notification};
use payroll_domain::event::{EventAction, EventDomain};
use payroll_domain::hook::{Address, Authentication, DeliveryOptions, HookKey, SigningSecret};
use payroll_ports::deliveries::{DeliveryTarget, HookNumber};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const IN_FLIGHT: usize = 64;
const SENT: u64 = 200_000;
const ROUNDS: usize = 5;
/// The serialized form of the notification that [`notification`] creates.
const BODY: &[u8] = br#"{"companyId":"01K0COMPANY0000000000000AA","workerId":"01K0WORKER00000000000000BB","asOfDate":"2026-05-12T00:00:00.000+00:00","domains":["WRKR_DEM"],"action":"UPDATE","notificationType":"WORKER_MESSAGE","notificationId":"6f9619ff-8b86-4d01-b42d-00cf4fc964ff"}"#;

#[tokio::main(worker_threads = 2)]
async fn main() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(accept_requests(stream));
        }
    });
    let mapped_hosts = BTreeMap::from([("receiver.example".to_owned(), address)]);
    let sender = Arc::new(Sender::new(SenderSettings { mapped_hosts, ..SenderSettings::default() }).unwrap());
    for _ in 0..ROUNDS {
        let floor = measure_plain_requests(address).await;
        let ours = measure_attempts(&sender).await;
        println!("bare {floor:.0}/s, attempts {ours:.0}/s, ratio {:.3}", ours / floor);
    }
}

/// Responds to requests. The headers of a request must contain the length of the body. Headers and body may
/// arrive in any number of chunks.
async fn accept_requests(mut stream: TcpStream) {
    stream.set_nodelay(true).unwrap();
    let (mut buffer, mut filled) = (vec![0; 16_384], 0);
    loop {
        let read = stream.read(&mut buffer[filled..]).await.unwrap_or(0);
        if read == 0 {
            return;
        }
        filled += read;
        if buffer[..filled].ends_with(b"}") {
            filled = 0;
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await.unwrap();
        }
    }
}

async fn measure_plain_requests(address: SocketAddr) -> f64 {
    let client = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .timeout(std::time::Duration::from_secs(15))
        .tls_backend_preconfigured(empty_tls_config())
        .build()
        .unwrap();
    let url = reqwest::Url::parse(&format!("http://{address}/hook")).unwrap();
    measure_calls_per_second(async || {
        let response = client.post(url.clone()).body(BODY).send().await.unwrap();
        response.bytes().await.unwrap();
    })
    .await
}

/// Returns a TLS configuration without certificates. The client requires a TLS configuration, although this
/// example uses plain HTTP.
fn empty_tls_config() -> rustls::ClientConfig {
    rustls::ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth()
}

async fn measure_attempts(sender: &Sender) -> f64 {
    let (target, notification) = (target(), notification());
    measure_calls_per_second(async || {
        let sent = sender.send(&target, &notification, notification.as_of).await;
        assert_eq!(sent.error, None);
    })
    .await
}

/// Returns the number of calls per second. One task runs [`IN_FLIGHT`] calls at a time.
async fn measure_calls_per_second(once: impl AsyncFn()) -> f64 {
    let left = AtomicU64::new(SENT);
    let started = Instant::now();
    let take_one = || left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
    join_all((0..IN_FLIGHT).map(|_| async {
        while take_one().is_ok() {
            once().await;
        }
    }))
    .await;
    #[expect(clippy::cast_precision_loss, reason = "it is small")]
    let sent = SENT as f64;
    sent / started.elapsed().as_secs_f64()
}

fn target() -> DeliveryTarget {
    let password = SecretText::new("swordfish");
    DeliveryTarget {
        hook: HookNumber(1),
        version: 1,
        key: HookKey { application_id: "app".parse().unwrap(), hook_id: "hook".parse().unwrap() },
        address: Address::from_stored("http://receiver.example/hook").unwrap(),
        authentication: Authentication::Basic { username: "payroll".to_owned(), password },
        signing_secret: SigningSecret([7; 32]),
        old_signing_secret: None,
        health: HookHealth::default(),
        options: DeliveryOptions::default(),
    }
}

fn notification() -> Notification {
    Notification {
        notification_id: "6f9619ff-8b86-4d01-b42d-00cf4fc964ff".to_owned(),
        company_id: Some("01K0COMPANY0000000000000AA".parse().unwrap()),
        worker_id: Some("01K0WORKER00000000000000BB".parse().unwrap()),
        pay_period_id: None,
        domain: EventDomain::WorkerDemographics,
        action: EventAction::Update,
        as_of: Timestamp::from_micros(1_778_544_000_000_000),
        test: false,
    }
}
