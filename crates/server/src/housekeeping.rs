//! Housekeeping: background work in regular turns, for as long as the application runs.
//!
//! Deletions are final, so they never depend on a single reading of the clock. The trusted time
//! ([`ClockState`]) determines the age of data. No data expires within the first hour of a process, or within
//! an hour after the clock jumped ahead.

use std::sync::Arc;
use std::time::Duration;

use payroll_domain::date::Timestamp;
use payroll_ports::requests::RequestLogSection;
use payroll_ports::schema::StatisticsScope;
use payroll_ports::{Clock, ClockState, Randomness, Store, StoreError, id_sequence};

use crate::archive::PeriodArchiver;
use crate::config::Settings;
use crate::{due_statuses, unused_blobs};

/// The interval between two turns of housekeeping. The interval is so short that expired idempotency keys do
/// not accumulate.
const TURN_INTERVAL: Duration = Duration::from_secs(60);
/// The maximum number of rows that one transaction changes. Requests wait for such a transaction only
/// briefly.
const MAX_ROWS_PER_BATCH: u32 = 500;
/// The maximum number of batches of one kind of work in one turn, such as the deletion of old events. This
/// number is sufficient for the events of a busy server, and other kinds of work do not wait for long.
const MAX_BATCHES: u32 = 200;
/// The maximum number of requests in the log of one application. This number covers three minutes of the
/// busiest application and weeks of most others.
const MAX_LOGGED_REQUESTS: u32 = 10_000;
/// The maximum number of logged requests of one application that have details. Their details use about 10 MB.
const MAX_REQUESTS_WITH_DETAILS: u32 = 1_000;
const SECONDS_OF_A_DAY: i64 = 86_400;

/// The retention of each kind of data, in days. `None` means unlimited.
#[derive(Debug, Clone, Copy)]
struct Retention {
    event_days: Option<u32>,
    audit_days: Option<u32>,
    delivery_days: Option<u32>,
    request_days: u32,
    request_detail_days: u32,
    /// The number of days after which pending notifications expire. This number is always limited.
    waiting_days: u32,
}

impl Retention {
    /// Returns the retention that the settings define.
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

/// Applies future statuses, expires pending deliveries, deletes expired data, and archives old pay periods.
pub struct Housekeeper {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    randomness: Arc<dyn Randomness>,
    retention: Retention,
    archiver: Option<PeriodArchiver>,
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
        let (retention, archiver) =
            (Retention::from_settings(settings), PeriodArchiver::from_settings(settings));
        Self { store, clock, randomness, retention, archiver, time: ClockState::default() }
    }

    /// Runs a turn at each interval, and never returns.
    pub(crate) async fn run(mut self) {
        let mut interval = tokio::time::interval(TURN_INTERVAL);
        interval.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            interval.tick().await;
            self.run_once().await;
        }
    }

    /// Runs all kinds of work once.
    pub async fn run_once(&mut self) {
        let reading = self.time.read_clock(self.clock.now(), self.clock.monotonic_time());
        clean_storage(&*self.store, reading.trusted_time, self.retention).await;
        let ids = id_sequence(&*self.clock, &*self.randomness);
        due_statuses::apply_due_statuses(&*self.store, reading.trusted_time, ids).await;
        unused_blobs::delete_unused_blobs(&*self.store, &*self.store, reading.trusted_time).await;
        // Without fresh statistics, queries may be slower until a later turn succeeds. The error is therefore
        // only logged.
        if let Err(error) = self.store.refresh_statistics(StatisticsScope::GrownTables).await {
            tracing::warn!(%error, "the database's statistics could not be refreshed");
        }
        if let Some(archiver) = &mut self.archiver {
            archiver.run_once(&*self.store, reading.trusted_time, &*self.clock).await;
        }
    }
}

/// The kinds of housekeeping work on expired or unprocessed rows of the database.
#[derive(Debug, Clone, Copy)]
enum WorkKind {
    IdempotencyKeys,
    Events,
    AuditRows,
    /// Pending deliveries that are too old. Such deliveries are marked as expired and not deleted.
    ExpiredDeliveries,
    Deliveries,
    /// Rows of the request log that applications read.
    Requests,
    /// The details of logged requests, which are deleted earlier than their rows.
    RequestDetails,
    AccessRequests,
    /// Stored tax IDs that are missing from the search index. This work adds the tax IDs to the index.
    UnindexedTaxIds,
}

impl WorkKind {
    const fn description(self) -> &'static str {
        match self {
            Self::IdempotencyKeys => "ended idempotency keys could not be removed",
            Self::Events => "old events could not be removed",
            Self::AuditRows => "old rows of the audit log could not be removed",
            Self::ExpiredDeliveries => "old notifications could not be marked as expired",
            Self::Deliveries => "old deliveries could not be removed",
            Self::Requests => "old requests could not be removed",
            Self::RequestDetails => "old details of requests could not be removed",
            Self::AccessRequests => "ended requests for access could not be removed",
            Self::UnindexedTaxIds => "the search index of workers by tax ID could not be completed",
        }
    }

    /// Processes one batch of rows that are older than `before`. Returns the number of processed rows.
    async fn run_batch(
        self,
        store: &dyn Store,
        before: Timestamp,
        now: Timestamp,
    ) -> Result<u64, StoreError> {
        match self {
            Self::IdempotencyKeys => store.delete_expired_records(before, MAX_ROWS_PER_BATCH).await,
            Self::Events => store.delete_events_before(before, MAX_ROWS_PER_BATCH).await,
            Self::AuditRows => store.delete_audit_before(before, MAX_ROWS_PER_BATCH).await,
            Self::ExpiredDeliveries => store.expire_deliveries(before, now, MAX_ROWS_PER_BATCH).await,
            Self::Deliveries => store.delete_deliveries_before(before, MAX_ROWS_PER_BATCH).await,
            Self::Requests => {
                store
                    .delete_requests_before(
                        RequestLogSection::Requests,
                        before,
                        MAX_LOGGED_REQUESTS,
                        MAX_ROWS_PER_BATCH,
                    )
                    .await
            }
            Self::RequestDetails => {
                store
                    .delete_requests_before(
                        RequestLogSection::Details,
                        before,
                        MAX_REQUESTS_WITH_DETAILS,
                        MAX_ROWS_PER_BATCH,
                    )
                    .await
            }
            Self::AccessRequests => store.delete_expired_access_requests(before, MAX_ROWS_PER_BATCH).await,
            Self::UnindexedTaxIds => store.index_tax_ids(MAX_ROWS_PER_BATCH).await,
        }
    }
}

/// Runs each kind of work with the retention, at a trusted time.
async fn clean_storage(store: &dyn Store, now: Timestamp, retention: Retention) {
    let ago = |days: u32| now.plus_seconds(-i64::from(days) * SECONDS_OF_A_DAY);
    let ended = [
        // Tax IDs come first, because searches by tax ID fail until the index is complete after an update of
        // the server.
        (WorkKind::UnindexedTaxIds, Some(now)),
        (WorkKind::IdempotencyKeys, Some(now)),
        (WorkKind::AccessRequests, Some(now)),
        (WorkKind::Events, retention.event_days.map(ago)),
        (WorkKind::AuditRows, retention.audit_days.map(ago)),
        (WorkKind::ExpiredDeliveries, Some(ago(retention.waiting_days))),
        // Deliveries of removed hooks are deleted even if the retention of deliveries is unlimited. With
        // unlimited retention, only deliveries from before 1970 are too old, so the deliveries of all other
        // hooks remain.
        (WorkKind::Deliveries, Some(retention.delivery_days.map_or(Timestamp::from_micros(0), ago))),
        // If the request log is disabled (0 days), all its rows are deleted.
        (WorkKind::Requests, Some(ago(retention.request_days))),
        (WorkKind::RequestDetails, Some(ago(retention.request_detail_days))),
    ];
    for (what, before) in ended {
        if let Some(before) = before {
            run_batches(store, what, before, now).await;
        }
    }
}

/// Runs batches until a batch is not full, because then no rows are left. Stops after [`MAX_BATCHES`].
async fn run_batches(store: &dyn Store, work_kind: WorkKind, before: Timestamp, now: Timestamp) {
    for _ in 0..MAX_BATCHES {
        match work_kind.run_batch(store, before, now).await {
            Ok(forgotten) if forgotten >= u64::from(MAX_ROWS_PER_BATCH) => {}
            Ok(_) => return,
            // No request depends on housekeeping, so an error is only logged. The next turn retries the
            // batch.
            Err(error) => {
                tracing::warn!(%error, "{}", work_kind.description());
                return;
            }
        }
    }
}
