//! News between processes on one database: that deliveries were queued; and whether the database is
//! there at all (`pulse`).
//!
//! One connection of its own notifies the other processes and listens to them, so that a transaction
//! that queues something neither waits for that nor holds PostgreSQL's lock on the queue of
//! notifications, which is taken at a commit. A process that misses a notification finds the
//! deliveries when it polls.

use std::pin::pin;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::select;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tokio_postgres::{AsyncMessage, Client, SimpleQueryMessage};

use super::background::Background;
use super::causes::with_causes;
use super::connect::Way;
use super::dial::Dialled;
use super::pulse::{BEAT, COMMITS_WAIT, LATE, Pulse, Unanswered};
use super::socket::Messages;
use crate::error::{Failure, Outcome};
use crate::writable::Writable;

const LISTEN: &str = "LISTEN payroll_deliveries";
const TELL: &str = "NOTIFY payroll_deliveries";
/// The schema, whether the server takes writes, and whether a commit has waited for a standby for two
/// seconds: longer than one that is well takes, and before a request that waits for its locks gives up.
const VERSION: &str = "SELECT coalesce(max(version), ''), current_setting('transaction_read_only'), \
    EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'SyncRep' \
        AND query_start < clock_timestamp() - interval '2 seconds') \
    FROM __diesel_schema_migrations";
/// The schema, and whether what is read is recent: the server is a primary, or a standby that receives and has
/// replayed all, or something of the last minute. A standby without a receiver may be of any age.
pub(crate) const RECENT: &str = "SELECT coalesce(max(version), ''), NOT pg_is_in_recovery() \
    OR (EXISTS (SELECT FROM pg_stat_wal_receiver) \
        AND (pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() \
            OR pg_last_xact_replay_timestamp() > clock_timestamp() - interval '1 minute')) \
    FROM __diesel_schema_migrations";
/// Writes a row anew, and makes a table that needs some space and is gone with the transaction: a full
/// disk has room for the one and not for the other. Who may make no such table does without.
const TRY_TO_WRITE: &str = "DO $$ BEGIN \
    UPDATE __diesel_schema_migrations SET run_on = run_on \
        WHERE version = (SELECT max(version) FROM __diesel_schema_migrations); \
    IF has_database_privilege(current_database(), 'TEMPORARY') THEN \
        CREATE TEMPORARY TABLE payroll_write_trial ON COMMIT DROP AS \
            SELECT repeat('x', 80) AS filler FROM generate_series(1, 1000); \
    END IF; END $$";

/// Between two notifications: a process that gets one looks for everything, so that more of them
/// would add nothing.
const APART: Duration = Duration::from_millis(20);
/// Before a lost connection is created again. With [`CONNECT`] it stays below two seconds, within which
/// it is known that the database is back.
const PAUSE: Duration = Duration::from_millis(250);
/// How long making the connection may take, with everything that is said at its beginning.
const CONNECT: Duration = Duration::from_millis(1_500);

/// The notifications that one process sends and receives. Its task ends with it.
pub(super) struct News {
    way: Way,
    bells: Arc<Bells>,
    pulse: Arc<Pulse>,
    writable: Arc<Writable>,
    task: OnceLock<Background>,
    /// The database is a replica: whether it is recent is all that is wanted.
    is_replica: bool,
}

#[derive(Default)]
struct Bells {
    /// Something was queued, here or elsewhere.
    here: Notify,
    /// The other processes have to be notified.
    elsewhere: Notify,
}

impl News {
    /// Opens no connection yet.
    pub(super) fn new(way: Way) -> Self {
        let (bells, pulse, writable) = (Arc::default(), Arc::new(Pulse::new()), Arc::default());
        Self { way, bells, pulse, writable, task: OnceLock::new(), is_replica: false }
    }

    /// The same for a replica, from which is only read.
    pub(super) fn of_replica(way: Way) -> Self {
        Self { is_replica: true, ..Self::new(way) }
    }

    /// Notifies this process and all others that something was queued, and committed.
    pub(super) fn tell(&self) {
        self.bells.here.notify_one();
        self.tell_others();
    }

    /// Notifies all other processes.
    pub(super) fn tell_others(&self) {
        self.begin();
        self.bells.elsewhere.notify_one();
    }

    /// Returns when something may have been queued since the last call.
    pub(super) async fn queued(&self) {
        self.begin();
        self.bells.here.notified().await;
    }

    /// What was last heard of the database: the version of its schema.
    ///
    /// # Errors
    /// It does not respond, or could not be written when that was last tried.
    pub(super) fn version(&self) -> Outcome<String> {
        self.begin();
        let version = self.pulse.version()?;
        self.writable.cause().map_or(Ok(version), |cause| Err(Failure::Unwritable(cause)))
    }

    /// A write has failed, because nothing can be written. From here on it is tried again and again.
    pub(super) fn cannot_be_written(&self, cause: &str) {
        self.begin();
        self.writable.failed(cause);
    }

    /// Does the work, as long as the database responds; see [`Pulse::unless_lost`].
    pub(super) async fn unless_lost<T>(&self, work: impl Future<Output = Outcome<T>>) -> Outcome<T> {
        self.pulse.unless_lost(work).await
    }

    /// Whether the database has stopped responding.
    pub(super) fn is_lost(&self) -> bool {
        self.pulse.is_lost()
    }

    /// Does work that writes, as long as commits do not wait for a standby; see
    /// [`Pulse::unless_commits_wait`].
    pub(super) async fn unless_commits_wait<T>(&self, work: impl Future<Output = Outcome<T>>) -> Outcome<T> {
        self.pulse.unless_commits_wait(work).await
    }

    fn begin(&self) {
        self.task.get_or_init(|| {
            let (way, bells) = (self.way.clone(), Arc::clone(&self.bells));
            let (pulse, writable) = (Arc::clone(&self.pulse), Arc::clone(&self.writable));
            let is_replica = self.is_replica;
            let keeping = async move {
                match is_replica {
                    true => follow(&way, &pulse).await,
                    false => keep_up(&way, &bells, &pulse, &writable).await,
                }
            };
            Background::begin(&self.way, keeping)
        });
    }
}

/// Keeps one connection, and makes it anew whenever it is lost.
async fn keep_up(way: &Way, bells: &Bells, pulse: &Pulse, writable: &Writable) {
    loop {
        match way.dial(CONNECT).await {
            Ok(Dialled { client, messages, .. }) => {
                let asks = Asks { client, pulse, writable };
                let own = AtomicI32::new(0);
                // The first that ends has found the connection broken.
                let telling = tell(&asks, way.presence(), &own, bells);
                select(pin!(hear(messages, &own, bells)), pin!(telling)).await;
            }
            Err(unreachable) if unreachable.silent => pulse.silent(&unreachable.problem),
            Err(unreachable) => pulse.failed(&unreachable.problem),
        }
        sleep(PAUSE).await;
    }
}

/// Finds out again and again whether a replica is recent, and connects anew whenever the connection is lost.
async fn follow(way: &Way, pulse: &Pulse) {
    loop {
        match way.dial(CONNECT).await {
            Ok(Dialled { client, mut messages, .. }) => {
                let hearing = pin!(async { while let Some(Ok(_)) = messages.next().await {} });
                select(hearing, pin!(is_recent(&client, pulse))).await;
            }
            Err(unreachable) if unreachable.silent => pulse.silent(&unreachable.problem),
            Err(unreachable) => pulse.failed(&unreachable.problem),
        }
        sleep(PAUSE).await;
    }
}

async fn is_recent(client: &Client, pulse: &Pulse) -> Result<(), Unanswered> {
    loop {
        let rows = pulse.answer(client.simple_query(RECENT)).await?;
        let row = rows.iter().find_map(|row| match row {
            SimpleQueryMessage::Row(row) => Some((row.get(0), row.get(1))),
            _ => None,
        });
        match row.unwrap_or_default() {
            (version, Some("t")) => pulse.answered(version.unwrap_or_default().to_owned()),
            _ => {
                pulse.failed(&"the replica is more than a minute behind");
                // It does answer.
                pulse.answer(std::future::ready(Ok::<_, Unanswered>(()))).await?;
            }
        }
        sleep(BEAT).await;
    }
}

/// The queries, and the receivers of their results.
struct Asks<'a> {
    client: Client,
    pulse: &'a Pulse,
    writable: &'a Writable,
}

/// Receives the notifications of other processes, until the connection breaks.
async fn hear(mut messages: Messages, own: &AtomicI32, bells: &Bells) {
    while let Some(Ok(message)) = messages.next().await {
        if let AsyncMessage::Notification(notification) = message
            && notification.process_id() != own.load(Ordering::Relaxed)
        {
            bells.here.notify_one();
        }
    }
}

/// Notifies other processes of what is queued here, and asks whether the database is there, until
/// the connection breaks.
async fn tell(asks: &Asks<'_>, presence: &str, own: &AtomicI32, bells: &Bells) -> Result<(), Unanswered> {
    let Asks { client, pulse, .. } = asks;
    pulse.answer(client.batch_execute(LISTEN)).await?;
    // As every session of the process: its marks stand while one of them is there.
    pulse.answer(client.batch_execute(presence)).await?;
    let backend = pulse.answer(client.query_one("SELECT pg_backend_pid()", &[])).await?;
    own.store(backend.try_get(0).unwrap_or_default(), Ordering::Relaxed);
    // What was notified while this process did not listen.
    bells.here.notify_one();
    let mut next_beat = Instant::now();
    loop {
        if timeout_at(next_beat, bells.elsewhere.notified()).await.is_err() {
            next_beat = Instant::now() + BEAT;
            asks.version().await?;
        } else if let Err(unanswered) = pulse.answer(client.batch_execute(TELL)).await {
            bells.elsewhere.notify_one();
            return Err(unanswered);
        } else {
            sleep(APART).await;
        }
    }
}

impl Asks<'_> {
    /// Queries the version of the schema, and whether the server takes writes; if the last write has
    /// failed, tries another one.
    async fn version(&self) -> Result<(), Unanswered> {
        let rows = self.pulse.answer(self.client.simple_query(VERSION)).await?;
        let row = rows.iter().find_map(|row| match row {
            SimpleQueryMessage::Row(row) => Some((row.get(0), row.get(1), row.get(2))),
            _ => None,
        });
        let (version, read_only, commits_wait) = row.unwrap_or_default();
        self.pulse.answered(version.unwrap_or_default().to_owned());
        if read_only == Some("on") {
            self.writable.failed("the server takes no writes: it is a standby, or set to read only");
            // The address may lead to another one by now.
            return Err(Unanswered);
        }
        if commits_wait == Some("t") {
            self.pulse.note_commits(true);
            self.writable.failed(COMMITS_WAIT);
            // What waits stays until the standby is back, also when its caller has gone; one more would wait as well.
            return Ok(());
        }
        if self.writable.cause().is_some() { self.try_to_write().await } else { Ok(()) }
    }

    async fn try_to_write(&self) -> Result<(), Unanswered> {
        match timeout(LATE, self.client.batch_execute(TRY_TO_WRITE)).await {
            Ok(Ok(())) => {
                self.pulse.note_commits(false);
                self.writable.succeeded();
            }
            Ok(Err(error)) if error.as_db_error().is_some() => self.writable.failed(&with_causes(&error)),
            Ok(Err(_)) | Err(_) => return Err(Unanswered),
        }
        Ok(())
    }
}
