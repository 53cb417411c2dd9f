//! The floor: a simple loop that posts the same bytes to the same receiver.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::Failure;
use crate::process::cpu_seconds;

/// Requests in progress at the same time.
const IN_FLIGHT: usize = 64;
/// The body of a notification.
const NOTIFICATION_JSON: &str = r#"{"companyId":"IMPORT000001","workerId":"IMPORT000001-W000001","asOfDate":"2026-06-07T10:10:24.000+00:00","domains":["WRKR_ADD"],"action":"ADD","notificationType":"WORKER_MESSAGE","notificationId":"31a271e5-b970-49e6-ac8f-d46f73c061af"}"#;

/// The measured results of the floor.
pub(super) struct PostBaseline {
    pub(super) per_second: f64,
    /// Processor seconds of the loop per 1,000 posts, without the receiver.
    pub(super) cpu_per_thousand_items: f64,
}

/// Posts the given number of notifications.
pub(super) async fn measure_posts(port: u16, count: usize) -> Result<PostBaseline, Failure> {
    // The client requires a provider, although nothing is encrypted here.
    let _already_installed = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(Duration::from_secs(15))
        .build()?;
    let own = Path::new("/proc/self/stat");
    let (address, left) = (format!("http://127.0.0.1:{port}/hook"), Arc::new(AtomicUsize::new(count)));
    let (before, began) = (cpu_seconds(own)?, Instant::now());
    let loops: Vec<_> = (0..IN_FLIGHT)
        .map(|_| tokio::spawn(post_sequentially(client.clone(), address.clone(), Arc::clone(&left))))
        .collect();
    for posting in loops {
        posting.await??;
    }
    let seconds = began.elapsed().as_secs_f64();
    let spent = cpu_seconds(own)? - before;
    Ok(PostBaseline {
        per_second: count as f64 / seconds,
        cpu_per_thousand_items: spent / count as f64 * 1_000.0,
    })
}

async fn post_sequentially(
    client: reqwest::Client,
    address: String,
    left: Arc<AtomicUsize>,
) -> Result<(), Failure> {
    let one_less = |left: usize| left.checked_sub(1);
    while left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok() {
        let request =
            client.post(&address).header("content-type", "application/json").body(NOTIFICATION_JSON);
        request.send().await?.error_for_status()?.bytes().await?;
    }
    Ok(())
}
