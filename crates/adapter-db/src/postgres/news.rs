//! News between processes on one database: that deliveries were queued; and whether the database is
//! there at all (`pulse`).
//!
//! One connection of its own tells the others and listens to them, so that a transaction that queues
//! something neither waits for that nor holds PostgreSQL's lock on the queue of notifications, which
//! is taken at a commit. Who misses the news finds the deliveries when looking by itself.

use std::pin::pin;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::select;
use futures_util::stream::{BoxStream, poll_fn};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Notify;
use tokio::task::AbortHandle;
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tokio_postgres::{AsyncMessage, Client, Connection, NoTls, SimpleQueryMessage};

use super::connect::{Way, with_causes};
use super::pulse::{BEAT, Pulse, Unanswered};
use crate::error::Outcome;

const LISTEN: &str = "LISTEN payroll_deliveries";
const TELL: &str = "NOTIFY payroll_deliveries";
const VERSION: &str = "SELECT coalesce(max(version), '') FROM __diesel_schema_migrations";

/// Between two notifications: who is told once looks for everything, so that more tell nothing.
const APART: Duration = Duration::from_millis(20);
/// Before a lost connection is made anew. With [`CONNECT`] it stays below two seconds, within which
/// it is known that the database is back.
const PAUSE: Duration = Duration::from_millis(250);
/// How long making the connection may take, with everything that is said at its beginning.
const CONNECT: Duration = Duration::from_millis(1_500);

/// What one process hears and tells. Its task ends with it.
pub(super) struct News {
    way: Way,
    bells: Arc<Bells>,
    pulse: Arc<Pulse>,
    task: OnceLock<Task>,
}

#[derive(Default)]
struct Bells {
    /// Something was queued, here or elsewhere.
    here: Notify,
    /// Others have to be told.
    elsewhere: Notify,
}

struct Task(AbortHandle);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl News {
    /// Opens nothing yet.
    pub(super) fn new(way: Way) -> Self {
        Self { way, bells: Arc::default(), pulse: Arc::new(Pulse::new()), task: OnceLock::new() }
    }

    /// Tells everybody that something was queued, and committed.
    pub(super) fn tell(&self) {
        self.bells.here.notify_one();
        self.tell_others();
    }

    /// Tells all others.
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
    pub(super) fn version(&self) -> Outcome<String> {
        self.begin();
        self.pulse.version()
    }

    /// Does the work, as long as the database answers; see [`Pulse::unless_lost`].
    pub(super) async fn unless_lost<T>(&self, work: impl Future<Output = Outcome<T>>) -> Outcome<T> {
        self.pulse.unless_lost(work).await
    }

    /// Whether the database has fallen silent.
    pub(super) fn is_lost(&self) -> bool {
        self.pulse.is_lost()
    }

    fn begin(&self) {
        self.task.get_or_init(|| {
            let (way, bells, pulse) = (self.way.clone(), Arc::clone(&self.bells), Arc::clone(&self.pulse));
            Task(tokio::spawn(async move { keep_up(&way, &bells, &pulse).await }).abort_handle())
        });
    }
}

/// Keeps one connection, and makes it anew whenever it is lost.
async fn keep_up(way: &Way, bells: &Bells, pulse: &Pulse) {
    loop {
        match timeout(CONNECT, connect(way)).await {
            Ok(Ok((client, messages))) => {
                let own = AtomicI32::new(0);
                // The first that ends has found the connection broken.
                select(pin!(hear(messages, &own, bells)), pin!(tell(&client, &own, bells, pulse))).await;
            }
            Ok(Err(error)) => pulse.failed(&error),
            Err(_) => pulse.silent(),
        }
        sleep(PAUSE).await;
    }
}

/// Hears what others tell, until the connection breaks.
async fn hear(mut messages: Messages, own: &AtomicI32, bells: &Bells) {
    while let Some(Ok(message)) = messages.next().await {
        if let AsyncMessage::Notification(told) = message
            && told.process_id() != own.load(Ordering::Relaxed)
        {
            bells.here.notify_one();
        }
    }
}

/// Tells others what is queued here, and asks whether the database is there, until the connection
/// breaks.
async fn tell(client: &Client, own: &AtomicI32, bells: &Bells, pulse: &Pulse) -> Result<(), Unanswered> {
    pulse.answer(client.batch_execute(LISTEN)).await?;
    let backend = pulse.answer(client.query_one("SELECT pg_backend_pid()", &[])).await?;
    own.store(backend.try_get(0).unwrap_or_default(), Ordering::Relaxed);
    // What was told while nobody listened.
    bells.here.notify_one();
    let mut next_beat = Instant::now();
    loop {
        if timeout_at(next_beat, bells.elsewhere.notified()).await.is_err() {
            next_beat = Instant::now() + BEAT;
            ask(client, pulse).await?;
        } else if let Err(unanswered) = pulse.answer(client.batch_execute(TELL)).await {
            bells.elsewhere.notify_one();
            return Err(unanswered);
        } else {
            sleep(APART).await;
        }
    }
}

/// Asks for the version of the schema.
async fn ask(client: &Client, pulse: &Pulse) -> Result<(), Unanswered> {
    let rows = pulse.answer(client.simple_query(VERSION)).await?;
    let version = rows.iter().find_map(|row| match row {
        SimpleQueryMessage::Row(row) => row.get(0),
        _ => None,
    });
    pulse.told(version.unwrap_or_default().to_owned());
    Ok(())
}

/// What the server says, asked or not; nothing on the connection moves unless it is read.
type Messages = BoxStream<'static, Result<AsyncMessage, tokio_postgres::Error>>;

async fn connect(way: &Way) -> Result<(Client, Messages), String> {
    let failed = |error: tokio_postgres::Error| with_causes(&error);
    match &way.tls {
        Some(tls) => {
            let (client, connection) = way.settings.connect(tls.clone()).await.map_err(failed)?;
            Ok((client, messages(connection)))
        }
        None => {
            let (client, connection) = way.settings.connect(NoTls).await.map_err(failed)?;
            Ok((client, messages(connection)))
        }
    }
}

fn messages<S, T>(mut connection: Connection<S, T>) -> Messages
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    poll_fn(move |context| connection.poll_message(context)).boxed()
}
