//! Background work for as long as the application runs.
//!
//! Deletions are final, so they never depend on a single reading of the clock. The age of data is measured by
//! the trusted time ([`ClockState`]). Nothing expires within the first hour of a process, or within an hour
//! after the clock jumped ahead.

use std::sync::Arc;
use std::time::Duration;

use payroll_domain::date::Timestamp;
use payroll_ports::requests::LogSection;
use payroll_ports::schema::StatisticsOf;
use payroll_ports::{Clock, ClockState, Randomness, Store, StoreError, id_sequence};

use crate::archive::Archiver;
use crate::config::Settings;
use crate::{due_statuses, unused_blobs};

/// The interval between two turns. It is short enough that a day's idempotency keys never pile up.
const INTERVAL: Duration = Duration::from_secs(60);
/// The maximum number of rows in one transaction, so that no request waits for long.
const BATCH: u32 = 500;
/// The maximum number of batches of one kind in one turn. It covers the events of a busy server, and other
/// kinds do not wait for long.
const BATCHES: u32 = 200;
/// The maximum number of requests in the log of one application. It covers three minutes of the busiest one
/// and weeks of most.
const REQUESTS_KEPT: u32 = 10_000;
/// The maximum number of requests of one application with details, about 10 MB.
const DETAILS_KEPT: u32 = 1_000;
const SECONDS_OF_A_DAY: i64 = 86_400;

/// The retention of each kind of data. `None` means unlimited.
#[derive(Debug, Clone, Copy)]
struct Retention {
    event_days: Option<u32>,
    audit_days: Option<u32>,
    delivery_days: Option<u32>,
    request_days: u32,
    request_detail_days: u32,
    /// The retention of unsent notifications, which is always limited.
    waiting_days: u32,
}

impl Retention {
    /// The retention in the settings.
    fn from_settings(settings: &Settings) -> Self {
        let days = |days| (days > 0).then_some(days);
        Self {
            event_days: days(settings.event_retention_days),
            audit_days: days(settings.audit_retention_days),
            delivery_days: days(settings.delivery_retention_days),
            request_days: settings.request_log_days,
            request_detail_days: settings.request_detail_days.min(settings.request_log_days),
            waiting_days: settings.webhook_expire_days,
        }
    }
}

/// Applies future statuses, expires pending deliveries, and deletes expired data.
pub struct Housekeeper {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    randomness: Arc<dyn Randomness>,
    retention: Retention,
    archiver: Option<Archiver>,
    time: ClockState,
}

impl Housekeeper {
    /// Creates the housekeeper without reading the clock.
    #[must_use]
    pub fn new(
        store: Arc<dyn Store>,
        (clock, randomness): (Arc<dyn Clock>, Arc<dyn Randomness>),
        settings: &Settings,
    ) -> Self {
        let (retention, archiver) = (Retention::from_settings(settings), Archiver::from_settings(settings));
        Self { store, clock, randomness, retention, archiver, time: ClockState::default() }
    }

    /// Runs turns without end.
    pub(crate) async fn run(mut self) {
        let mut interval = tokio::time::interval(INTERVAL);
        interval.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            interval.tick().await;
            self.run_once().await;
        }
    }

    /// Runs one turn of the work.
    pub async fn run_once(&mut self) {
        let reading = self.time.read(self.clock.now(), self.clock.monotonic());
        clean(&*self.store, reading.trusted_time, self.retention).await;
        let ids = id_sequence(&*self.clock, &*self.randomness);
        due_statuses::apply(&*self.store, reading.trusted_time, ids).await;
        unused_blobs::delete(&*self.store, &*self.store, reading.trusted_time).await;
        // A failure only makes statements slower until the next turn.
        if let Err(error) = self.store.refresh_statistics(StatisticsOf::GrownTables).await {
            tracing::warn!(%error, "the database's statistics could not be refreshed");
        }
        if let Some(archiver) = &mut self.archiver {
            archiver.run_once(&*self.store, reading.trusted_time, &*self.clock).await;
        }
    }
}

/// The kinds of work, with their names for errors.
#[derive(Debug, Clone, Copy)]
enum WorkKind {
    IdempotencyKeys,
    Events,
    AuditRows,
    /// Expires pending deliveries that are not sent.
    ExpiredDeliveries,
    Deliveries,
    /// Deletes from the log that applications read.
    Requests,
    /// Deletes the details of requests, earlier than their rows.
    RequestDetails,
    AccessRequests,
    /// Indexes tax IDs that cannot be searched yet.
    UnindexedTaxIds,
}

impl WorkKind {
    const fn description(self) -> &'static str {
        match self {
            Self::IdempotencyKeys => "ended idempotency keys could not be removed",
            Self::Events => "old events could not be removed",
            Self::AuditRows => "old rows of the audit log could not be removed",
            Self::ExpiredDeliveries => "notifications that are not sent could not be ended",
            Self::Deliveries => "old deliveries could not be removed",
            Self::Requests => "old requests could not be removed",
            Self::RequestDetails => "old details of requests could not be removed",
            Self::AccessRequests => "ended requests for access could not be removed",
            Self::UnindexedTaxIds => "workers could not be made findable by their tax identities",
        }
    }

    /// Processes one batch of data from before that instant.
    async fn batch(self, store: &dyn Store, before: Timestamp, now: Timestamp) -> Result<u64, StoreError> {
        match self {
            Self::IdempotencyKeys => store.delete_expired_records(before, BATCH).await,
            Self::Events => store.delete_events_before(before, BATCH).await,
            Self::AuditRows => store.delete_audit_before(before, BATCH).await,
            Self::ExpiredDeliveries => store.expire_deliveries(before, now, BATCH).await,
            Self::Deliveries => store.delete_deliveries_before(before, BATCH).await,
            Self::Requests => {
                store.delete_requests_before(LogSection::Requests, before, REQUESTS_KEPT, BATCH).await
            }
            Self::RequestDetails => {
                store.delete_requests_before(LogSection::Details, before, DETAILS_KEPT, BATCH).await
            }
            Self::AccessRequests => store.delete_expired_access_requests(before, BATCH).await,
            Self::UnindexedTaxIds => store.index_tax_ids(BATCH).await,
        }
    }
}

/// Runs one turn at a trusted time.
async fn clean(store: &dyn Store, now: Timestamp, retention: Retention) {
    let ago = |days: u32| now.plus_seconds(-i64::from(days) * SECONDS_OF_A_DAY);
    let ended = [
        // This comes first, because requests wait for it after an update of the server.
        (WorkKind::UnindexedTaxIds, Some(now)),
        (WorkKind::IdempotencyKeys, Some(now)),
        (WorkKind::AccessRequests, Some(now)),
        (WorkKind::Events, retention.event_days.map(ago)),
        (WorkKind::AuditRows, retention.audit_days.map(ago)),
        (WorkKind::ExpiredDeliveries, Some(ago(retention.waiting_days))),
        // Data of removed hooks is deleted even if all other deliveries are kept, because nothing is older
        // than 1970.
        (WorkKind::Deliveries, Some(retention.delivery_days.map_or(Timestamp::from_micros(0), ago))),
        // If the log is disabled, its existing rows are deleted too.
        (WorkKind::Requests, Some(ago(retention.request_days))),
        (WorkKind::RequestDetails, Some(ago(retention.request_detail_days))),
    ];
    for (what, before) in ended {
        if let Some(before) = before {
            in_batches(store, what, before, now).await;
        }
    }
}

/// Runs batches until one is not full.
async fn in_batches(store: &dyn Store, work_kind: WorkKind, before: Timestamp, now: Timestamp) {
    for _ in 0..BATCHES {
        match work_kind.batch(store, before, now).await {
            Ok(forgotten) if forgotten >= u64::from(BATCH) => {}
            Ok(_) => return,
            // The next turn tries again, and requests do not depend on it.
            Err(error) => {
                tracing::warn!(%error, "{}", work_kind.description());
                return;
            }
        }
    }
}
