//! Checks the settings, keys, database and network of a server, for the command `doctor` and for operators
//! of a running server.
//!
//! The diagnostics change nothing and create no file. They connect only to the database, the resolver and the
//! listeners of this server. Each module covers one area.

mod backup;
mod keys;
mod network;
mod report;
mod settings;
mod storage;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use payroll_adapter_webhook::DispatchMetrics;
use payroll_domain::date::Timestamp;
use payroll_ports::minutes::MinuteCounts;
use payroll_ports::oversight::{Backup, Diagnostics, Finding};
use payroll_ports::{Clock, Randomness};
use tokio::sync::Mutex;

use crate::backup_note;
use crate::config::Settings;
use report::DiagnosticsReport;

/// The time for which findings are cached. A cache limits the load, because the diagnostics use connections
/// and the resolver.
const CACHE_TIME: Duration = Duration::from_secs(5);

/// Runs the diagnostics of all areas. `hosts` are further webhook hosts to resolve.
pub(crate) async fn run_diagnostics(
    settings: &Settings,
    (clock, randomness): (&dyn Clock, Arc<dyn Randomness>),
    hosts: &[String],
) -> DiagnosticsReport {
    let mut report = DiagnosticsReport::default();
    settings::check_settings(settings, clock.now(), &mut report);
    let keys = keys::check_keys(settings, &mut report);
    let addresses = storage::check_storage(settings, keys, (clock, randomness), &mut report).await;
    backup::check_backups(settings, clock.now(), &mut report);
    network::check_listeners(settings, &mut report).await;
    network::check_receivers(settings, &addresses, hosts, &mut report).await;
    report
}

/// Runs the diagnostics of a running server and caches their findings.
pub(crate) struct Doctor {
    settings: Settings,
    clock: Arc<dyn Clock>,
    randomness: Arc<dyn Randomness>,
    /// The metrics of sent notifications. `None` in a process that sends no notifications.
    delivery_metrics: Option<Arc<DispatchMetrics>>,
    /// The last findings, and the monotonic time at which they were found. Concurrent callers wait for the
    /// lock and share the findings.
    last_findings: Mutex<Option<(Duration, Vec<Finding>)>>,
}

impl Doctor {
    pub(crate) fn new(
        settings: &Settings,
        clock: Arc<dyn Clock>,
        randomness: Arc<dyn Randomness>,
        delivery_metrics: Option<Arc<DispatchMetrics>>,
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
    async fn run_checks(&self) -> Vec<Finding> {
        let mut last = self.last_findings.lock().await;
        let now = self.clock.monotonic_time();
        if let Some((at, findings)) = &*last
            && now.saturating_sub(*at) < CACHE_TIME
        {
            return findings.clone();
        }
        let report = run_diagnostics(&self.settings, (&*self.clock, Arc::clone(&self.randomness)), &[]).await;
        let findings = report.into_findings();
        *last = Some((self.clock.monotonic_time(), findings.clone()));
        findings
    }

    fn read_last_backup(&self) -> Option<Backup> {
        backup_note::read_backup_note(&self.settings.database_url.embedded_path()?)
    }

    fn attempts_by_minute(&self, now: Timestamp) -> Vec<MinuteCounts<2>> {
        self.delivery_metrics.as_ref().map_or_else(Vec::new, |sent| sent.minutes.counts_of_last_hour(now))
    }
}
