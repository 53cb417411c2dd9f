//! Stops an application in three steps: the application reports that it is not ready, accepts no more
//! requests, and ends.

use std::sync::Arc;
use std::time::Duration;

use payroll_adapter_http::{Health, ListenerHandle, ServerHandle};
use tokio::sync::watch;

use crate::config::Settings;

/// The default pause if the server is behind a load balancer. A load balancer that checks the readiness each
/// second detects several times during the pause that the server is not ready. The load balancer then sends
/// no more requests, not even on its idle connections to this server.
const LOAD_BALANCER_PAUSE: Duration = Duration::from_secs(5);

/// Stops an application from another task.
#[derive(Clone)]
pub struct StopHandle {
    pub(super) health: Arc<Health>,
    pub(super) stop_sender: watch::Sender<bool>,
    pub(super) listeners: [ListenerStopper; 2],
    pub(super) shutdown_delay: Duration,
}

/// The handles that stop one listener.
#[derive(Clone)]
pub(super) struct ListenerStopper {
    pub(super) handle: ListenerHandle,
    pub(super) server: ServerHandle,
}

/// Returns the time during which requests are still served after the server reports that it is not ready.
pub(super) fn shutdown_pause(settings: &Settings) -> Duration {
    let default_pause =
        || if settings.trusted_proxies.0.is_empty() { Duration::ZERO } else { LOAD_BALANCER_PAUSE };
    settings
        .shutdown_pause_seconds
        .0
        .map_or_else(default_pause, |seconds| Duration::from_secs(u64::from(seconds)))
}

impl StopHandle {
    /// Stops the application and returns when everything has ended. First the application reports that it is
    /// not ready, and serves requests during the pause of the settings. Then the application accepts no more
    /// requests, and waits for the requests in progress until the deadline of the settings.
    pub async fn stop(&self) {
        self.health.mark_stopping();
        tokio::time::sleep(self.shutdown_delay).await;
        // Delivery attempts and requests end at the same time, so the same deadline applies to them.
        self.stop_sender.send_replace(true);
        let [partner, operator] = &self.listeners;
        tokio::join!(partner.close(), operator.close());
    }
}

impl ListenerStopper {
    async fn close(&self) {
        self.handle.close().await;
        self.server.stop(true).await;
    }
}
