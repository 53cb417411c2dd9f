//! Checks of the setup, for the command `doctor` and for operators of a running server.
//!
//! The checks change nothing, create no file, and only connect to the database, the resolver and this
//! machine's own listeners. Each file below contains the checks of one area.

mod backup;
mod keys;
mod network;
mod report;
mod settings;
mod storage;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use payroll_adapter_webhook::Metrics;
use payroll_domain::date::Timestamp;
use payroll_ports::minutes::Minute;
use payroll_ports::oversight::{Backup, Diagnostics, Finding};
use payroll_ports::{Clock, Randomness};
use tokio::sync::Mutex;

use crate::backup_note;
use crate::config::Settings;
use report::Report;

/// The time for which findings are cached. Checks take connections and use the resolver.
const FRESH: Duration = Duration::from_secs(5);

/// Runs all checks, including the resolution of these hosts.
pub(crate) async fn examine(
    settings: &Settings,
    (clock, randomness): (&dyn Clock, Arc<dyn Randomness>),
    hosts: &[String],
) -> Report {
    let mut report = Report::default();
    settings::check_settings(settings, clock.now(), &mut report);
    let keys = keys::check_keys(settings, &mut report);
    let addresses = storage::check_storage(settings, keys, (clock, randomness), &mut report).await;
    backup::check_backups(settings, clock.now(), &mut report);
    network::check_listeners(settings, &mut report).await;
    network::check_receivers(settings, &addresses, hosts, &mut report).await;
    report
}

/// The diagnostics of a running server.
pub(crate) struct Doctor {
    settings: Settings,
    clock: Arc<dyn Clock>,
    randomness: Arc<dyn Randomness>,
    /// The metrics of sent notifications, if the server sends any.
    delivery_metrics: Option<Arc<Metrics>>,
    /// The last findings and when they were made. Concurrent callers wait for them.
    last_findings: Mutex<Option<(Duration, Vec<Finding>)>>,
}

impl Doctor {
    pub(crate) fn new(
        settings: &Settings,
        clock: Arc<dyn Clock>,
        randomness: Arc<dyn Randomness>,
        delivery_metrics: Option<Arc<Metrics>>,
    ) -> Arc<Self> {
        Arc::new(Self {
            settings: settings.clone(),
            clock,
            randomness,
            delivery_metrics,
            last_findings: Mutex::default(),
        })
    }
}

#[async_trait]
impl Diagnostics for Doctor {
    async fn examine(&self) -> Vec<Finding> {
        let mut last = self.last_findings.lock().await;
        let now = self.clock.monotonic();
        if let Some((at, findings)) = &*last
            && now.saturating_sub(*at) < FRESH
        {
            return findings.clone();
        }
        let report = examine(&self.settings, (&*self.clock, Arc::clone(&self.randomness)), &[]).await;
        let findings = report.into_findings();
        *last = Some((self.clock.monotonic(), findings.clone()));
        findings
    }

    fn last_backup(&self) -> Option<Backup> {
        backup_note::read(&self.settings.database_url.embedded_path()?)
    }

    fn attempts(&self, now: Timestamp) -> Vec<Minute<2>> {
        self.delivery_metrics.as_ref().map_or_else(Vec::new, |sent| sent.minutes.last_hour(now))
    }
}
