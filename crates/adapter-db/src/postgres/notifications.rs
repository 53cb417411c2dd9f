//! Sends and receives notifications between processes about queued deliveries. The same connection monitors
//! whether the database is available (module `liveness`).
//!
//! The connection is separate from the pool. A transaction that queues deliveries sends no notification
//! itself. Its commit therefore does not acquire PostgreSQL's global lock on the notification queue. A
//! process that misses a notification finds the deliveries at its next poll.

use std::pin::pin;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::select;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tokio_postgres::{AsyncMessage, Client, SimpleQueryMessage};

use super::background::BackgroundTask;
use super::causes::format_with_causes;
use super::connect::DatabaseConnector;
use super::dial::OpenedConnection;
use super::liveness::{
    COMMITS_WAIT_MESSAGE, DatabaseLiveness, NoResponse, QUERY_INTERVAL, UNAVAILABLE_AFTER,
};
use super::socket::MessageStream;
use crate::error::{Failure, Outcome};
use crate::write_availability::WriteAvailability;

const LISTEN_SQL: &str = "LISTEN payroll_deliveries";
const NOTIFY_SQL: &str = "NOTIFY payroll_deliveries";
/// Reads the schema version, whether the server is read-only, and whether a commit has waited for a standby
/// for two seconds. A healthy standby confirms a commit in less time. A request that waits for a lock of such
/// a commit times out after more than two seconds. At that time the waiting commit is known, so the error of
/// the request can report the standby as the reason.
const SELECT_STATE: &str = "SELECT coalesce(max(version), ''), current_setting('transaction_read_only'), \
    EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'SyncRep' \
        AND query_start < clock_timestamp() - interval '2 seconds') \
    FROM __diesel_schema_migrations";
/// Reads the schema version and whether the data is recent. A primary is always recent. A standby is recent
/// if it has a receiver and has replayed everything, or if its data is from the last minute. Without a
/// receiver, it is unknown how old the data is.
pub(crate) const SELECT_IS_CURRENT: &str = "SELECT coalesce(max(version), ''), NOT pg_is_in_recovery() \
    OR (EXISTS (SELECT FROM pg_stat_wal_receiver) \
        AND (pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() \
            OR pg_last_xact_replay_timestamp() > clock_timestamp() - interval '1 minute')) \
    FROM __diesel_schema_migrations";
/// Tests whether writes work. The statement rewrites a row, and creates a temporary table that needs disk
/// space. A full disk may allow the rewrite but not the table. If the database user may not create temporary
/// tables, this part of the test is skipped.
const TRY_TO_WRITE: &str = "DO $$ BEGIN \
    UPDATE __diesel_schema_migrations SET run_on = run_on \
        WHERE version = (SELECT max(version) FROM __diesel_schema_migrations); \
    IF has_database_privilege(current_database(), 'TEMPORARY') THEN \
        CREATE TEMPORARY TABLE payroll_write_trial ON COMMIT DROP AS \
            SELECT repeat('x', 80) AS filler FROM generate_series(1, 1000); \
    END IF; END $$";

/// The minimum interval between two notifications. A process that receives a notification reads all
/// deliveries, so more notifications would be useless.
const MIN_NOTIFY_INTERVAL: Duration = Duration::from_millis(20);
/// The pause before a lost connection is opened again. The pause and [`MONITOR_CONNECT_TIMEOUT`] together
/// take less than two seconds, so that a database that is available again is detected within two seconds.
const RECONNECT_DELAY: Duration = Duration::from_millis(250);
/// The time limit for opening the connection, including its first statements.
const MONITOR_CONNECT_TIMEOUT: Duration = Duration::from_millis(1_500);

/// Sends and receives the notifications of this process, and monitors the database. The background task ends
/// when this value is dropped.
pub(super) struct DatabaseMonitor {
    connector: DatabaseConnector,
    queue_signals: Arc<QueueSignals>,
    liveness: Arc<DatabaseLiveness>,
    write_availability: Arc<WriteAvailability>,
    task: OnceLock<BackgroundTask>,
    /// Whether the database is a replica. For a replica, only the age of its data is monitored.
    is_replica: bool,
}

#[derive(Default)]
struct QueueSignals {
    /// Signals that this process or another one has queued deliveries.
    changed: Notify,
    /// Signals that the other processes must be notified.
    other_processes: Notify,
}

impl DatabaseMonitor {
    /// Creates the monitor without opening a connection.
    pub(super) fn new(connector: DatabaseConnector) -> Self {
        let (bells, liveness, writable) = (Arc::default(), Arc::new(DatabaseLiveness::new()), Arc::default());
        Self {
            connector,
            queue_signals: bells,
            liveness,
            write_availability: writable,
            task: OnceLock::new(),
            is_replica: false,
        }
    }

    /// Creates the monitor of a replica, which is only read.
    pub(super) fn for_replica(connector: DatabaseConnector) -> Self {
        Self { is_replica: true, ..Self::new(connector) }
    }

    /// Notifies this process and all others that queued deliveries were committed.
    pub(super) fn notify_all_processes(&self) {
        self.queue_signals.changed.notify_one();
        self.notify_other_processes();
    }

    /// Notifies all other processes that deliveries are queued.
    pub(super) fn notify_other_processes(&self) {
        self.spawn_monitor();
        self.queue_signals.other_processes.notify_one();
    }

    /// Waits until deliveries may have been queued since the last call.
    pub(super) async fn wait_for_deliveries(&self) {
        self.spawn_monitor();
        self.queue_signals.changed.notified().await;
    }

    /// Returns the last known schema version.
    ///
    /// # Errors
    /// The database does not respond, or the last write test failed.
    pub(super) fn schema_version(&self) -> Outcome<String> {
        self.spawn_monitor();
        let version = self.liveness.schema_version()?;
        self.write_availability.cause().map_or(Ok(version), |cause| Err(Failure::Unwritable(cause)))
    }

    /// Records that a write failed. From then on, writes are tested regularly until one succeeds.
    pub(super) fn record_write_failure(&self, cause: &str) {
        self.spawn_monitor();
        self.write_availability.record_failure(cause);
    }

    /// Runs the work, which is aborted if the database stops responding. See
    /// [`DatabaseLiveness::run_while_database_responds`].
    pub(super) async fn run_while_database_responds<T>(
        &self,
        work: impl Future<Output = Outcome<T>>,
    ) -> Outcome<T> {
        self.liveness.run_while_database_responds(work).await
    }

    /// Returns whether the database has stopped responding.
    pub(super) fn is_silent(&self) -> bool {
        self.liveness.is_silent()
    }

    /// Runs work that writes, unless commits are waiting for a standby. See
    /// [`DatabaseLiveness::run_unless_commits_wait`].
    pub(super) async fn run_unless_commits_wait<T>(
        &self,
        work: impl Future<Output = Outcome<T>>,
    ) -> Outcome<T> {
        self.liveness.run_unless_commits_wait(work).await
    }

    fn spawn_monitor(&self) {
        self.task.get_or_init(|| {
            let (connector, queue_signals) = (self.connector.clone(), Arc::clone(&self.queue_signals));
            let (liveness, writable) = (Arc::clone(&self.liveness), Arc::clone(&self.write_availability));
            let is_replica = self.is_replica;
            let keeping = async move {
                match is_replica {
                    true => monitor_replica(&connector, &liveness).await,
                    false => run_monitor(&connector, &queue_signals, &liveness, &writable).await,
                }
            };
            BackgroundTask::spawn_task(&self.connector, keeping)
        });
    }
}

/// Keeps one connection open. Whenever the connection is lost, a new one is opened.
async fn run_monitor(
    connector: &DatabaseConnector,
    queue_signals: &QueueSignals,
    liveness: &DatabaseLiveness,
    write_availability: &WriteAvailability,
) {
    loop {
        match connector.connect_to_server(MONITOR_CONNECT_TIMEOUT).await {
            Ok(OpenedConnection { client, messages, .. }) => {
                let asks = MonitorQueries { client, liveness, write_availability };
                let own = AtomicI32::new(0);
                // Each of the two futures ends when it detects that the connection is broken. `select`
                // returns when the first future ends.
                let telling = send_notifications(&asks, connector.presence_lock_sql(), &own, queue_signals);
                select(pin!(receive_notifications(messages, &own, queue_signals)), pin!(telling)).await;
            }
            Err(unreachable) if unreachable.is_unresponsive => liveness.record_silence(&unreachable.problem),
            Err(unreachable) => liveness.record_failure(&unreachable.problem),
        }
        sleep(RECONNECT_DELAY).await;
    }
}

/// Queries regularly whether a replica is recent. Whenever the connection is lost, a new one is opened.
async fn monitor_replica(connector: &DatabaseConnector, liveness: &DatabaseLiveness) {
    loop {
        match connector.connect_to_server(MONITOR_CONNECT_TIMEOUT).await {
            Ok(OpenedConnection { client, mut messages, .. }) => {
                let hearing = pin!(async { while let Some(Ok(_)) = messages.next().await {} });
                select(hearing, pin!(check_replica_regularly(&client, liveness))).await;
            }
            Err(unreachable) if unreachable.is_unresponsive => liveness.record_silence(&unreachable.problem),
            Err(unreachable) => liveness.record_failure(&unreachable.problem),
        }
        sleep(RECONNECT_DELAY).await;
    }
}

async fn check_replica_regularly(client: &Client, liveness: &DatabaseLiveness) -> Result<(), NoResponse> {
    loop {
        let rows = liveness.wait_for_response(client.simple_query(SELECT_IS_CURRENT)).await?;
        let row = rows.iter().find_map(|row| match row {
            SimpleQueryMessage::Row(row) => Some((row.get(0), row.get(1))),
            _ => None,
        });
        match row.unwrap_or_default() {
            (version, Some("t")) => liveness.record_response(version.unwrap_or_default().to_owned()),
            _ => {
                liveness.record_failure(&"the replica is more than a minute behind");
                // `record_failure` also records that the last query has no response. The replica has
                // responded, although its data is old, so this call records the response.
                liveness.wait_for_response(std::future::ready(Ok::<_, NoResponse>(()))).await?;
            }
        }
        sleep(QUERY_INTERVAL).await;
    }
}

/// The client for the queries, and the state that their results update.
struct MonitorQueries<'a> {
    client: Client,
    liveness: &'a DatabaseLiveness,
    write_availability: &'a WriteAvailability,
}

/// Receives the notifications of other processes until the connection breaks.
async fn receive_notifications(
    mut messages: MessageStream,
    own_process_id: &AtomicI32,
    queue_signals: &QueueSignals,
) {
    while let Some(Ok(message)) = messages.next().await {
        if let AsyncMessage::Notification(notification) = message
            && notification.process_id() != own_process_id.load(Ordering::Relaxed)
        {
            queue_signals.changed.notify_one();
        }
    }
}

/// Notifies other processes of deliveries that are queued here, and queries the state of the database
/// regularly. Ends when the connection breaks.
async fn send_notifications(
    queries: &MonitorQueries<'_>,
    presence_lock_sql: &str,
    own_process_id: &AtomicI32,
    queue_signals: &QueueSignals,
) -> Result<(), NoResponse> {
    let MonitorQueries { client, liveness, .. } = queries;
    liveness.wait_for_response(client.batch_execute(LISTEN_SQL)).await?;
    // Acquires the presence lock, by which other processes detect this process. Every session of the process
    // holds the lock.
    liveness.wait_for_response(client.batch_execute(presence_lock_sql)).await?;
    let backend = liveness.wait_for_response(client.query_one("SELECT pg_backend_pid()", &[])).await?;
    own_process_id.store(backend.try_get(0).unwrap_or_default(), Ordering::Relaxed);
    // Signals that deliveries may have been queued while this process was not listening.
    queue_signals.changed.notify_one();
    let mut next_beat = Instant::now();
    loop {
        if timeout_at(next_beat, queue_signals.other_processes.notified()).await.is_err() {
            next_beat = Instant::now() + QUERY_INTERVAL;
            queries.query_schema_version().await?;
        } else if let Err(unanswered) = liveness.wait_for_response(client.batch_execute(NOTIFY_SQL)).await {
            queue_signals.other_processes.notify_one();
            return Err(unanswered);
        } else {
            sleep(MIN_NOTIFY_INTERVAL).await;
        }
    }
}

impl MonitorQueries<'_> {
    /// Queries the schema version and whether the server accepts writes. If the last write failed, a write is
    /// tested.
    async fn query_schema_version(&self) -> Result<(), NoResponse> {
        let rows = self.liveness.wait_for_response(self.client.simple_query(SELECT_STATE)).await?;
        let row = rows.iter().find_map(|row| match row {
            SimpleQueryMessage::Row(row) => Some((row.get(0), row.get(1), row.get(2))),
            _ => None,
        });
        let (version, read_only, commits_wait) = row.unwrap_or_default();
        self.liveness.record_response(version.unwrap_or_default().to_owned());
        if read_only == Some("on") {
            self.write_availability.record_failure(
                "the server accepts no writes, because it is a standby or is set to read-only",
            );
            // After a failover, the address may lead to another server. The error causes the caller to open a
            // new connection.
            return Err(NoResponse);
        }
        if commits_wait == Some("t") {
            self.liveness.set_commits_wait(true);
            self.write_availability.record_failure(COMMITS_WAIT_MESSAGE);
            // No test write is made, because it would wait for the standby as well. Such a write continues to
            // wait even after its caller is gone.
            return Ok(());
        }
        if self.write_availability.cause().is_some() { self.try_to_write().await } else { Ok(()) }
    }

    async fn try_to_write(&self) -> Result<(), NoResponse> {
        match timeout(UNAVAILABLE_AFTER, self.client.batch_execute(TRY_TO_WRITE)).await {
            Ok(Ok(())) => {
                self.liveness.set_commits_wait(false);
                self.write_availability.record_success();
            }
            Ok(Err(error)) if error.as_db_error().is_some() => {
                self.write_availability.record_failure(&format_with_causes(&error))
            }
            Ok(Err(_)) | Err(_) => return Err(NoResponse),
        }
        Ok(())
    }
}
