//! How an application stops: not ready first, then closed, then gone.

use std::sync::Arc;
use std::time::Duration;

use payroll_adapter_http::{Doorway, Health, ServerHandle};
use tokio::sync::watch;

use crate::config::Settings;

/// The pause behind a balancer where the settings say nothing: a balancer that checks each second has found
/// out twice, and its kept connections have been used or closed.
const BEHIND_BALANCER: Duration = Duration::from_secs(5);

/// Stops an application from elsewhere.
#[derive(Clone)]
pub struct Stopper {
    pub(super) health: Arc<Health>,
    pub(super) stopping: watch::Sender<bool>,
    pub(super) sides: [Closing; 2],
    pub(super) pause: Duration,
}

/// What ends one side.
#[derive(Clone)]
pub(super) struct Closing {
    pub(super) doorway: Doorway,
    pub(super) server: ServerHandle,
}

/// How long requests are served while the server says that it is not ready.
pub(super) fn pause(settings: &Settings) -> Duration {
    let behind = || if settings.trusted_proxies.0.is_empty() { Duration::ZERO } else { BEHIND_BALANCER };
    settings.shutdown_pause_seconds.0.map_or_else(behind, |seconds| Duration::from_secs(u64::from(seconds)))
}

impl Stopper {
    /// Is not ready from here on, and serves requests during the pause of the settings; then takes no more
    /// requests, lets those in progress end until the deadline of the settings, and returns when all is
    /// over.
    pub async fn stop(&self) {
        self.health.stop();
        tokio::time::sleep(self.pause).await;
        // Attempts under way end beside requests, not after them: there is one deadline for both.
        self.stopping.send_replace(true);
        let [partner, operator] = &self.sides;
        tokio::join!(partner.close(), operator.close());
    }
}

impl Closing {
    async fn close(&self) {
        self.doorway.close().await;
        self.server.stop(true).await;
    }
}
