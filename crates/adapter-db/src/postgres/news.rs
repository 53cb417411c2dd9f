//! News between processes on one database: that deliveries were queued.
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
use tokio::time::{sleep, timeout};
use tokio_postgres::config::SslMode;
use tokio_postgres::{AsyncMessage, Client, Connection, NoTls};

use super::{CONNECT, settings, tls};

const LISTEN: &str = "LISTEN payroll_deliveries";
const TELL: &str = "NOTIFY payroll_deliveries";

/// Between two notifications: who is told once looks for everything, so that more tell nothing.
const APART: Duration = Duration::from_millis(20);
/// Before a lost connection is made anew: the others can be woken by their own clock meanwhile.
const PAUSE: Duration = Duration::from_secs(1);
/// How often a silent connection is asked whether it is still there.
const CHECK: Duration = Duration::from_secs(30);

/// What one process hears and tells. Its task ends with it.
pub(super) struct News {
    url: String,
    bells: Arc<Bells>,
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
    pub(super) fn new(url: &str) -> Self {
        Self { url: url.to_owned(), bells: Arc::default(), task: OnceLock::new() }
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

    fn begin(&self) {
        self.task.get_or_init(|| {
            let (url, bells) = (self.url.clone(), Arc::clone(&self.bells));
            Task(tokio::spawn(async move { keep_up(&url, &bells).await }).abort_handle())
        });
    }
}

/// Keeps one connection, and makes it anew whenever it is lost.
async fn keep_up(url: &str, bells: &Bells) {
    loop {
        if let Some((client, messages)) = connect(url).await {
            let own = AtomicI32::new(0);
            // The first that ends has found the connection broken.
            select(pin!(hear(messages, &own, bells)), pin!(tell(&client, &own, bells))).await;
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

/// Tells others what is queued here, until the connection breaks.
async fn tell(client: &Client, own: &AtomicI32, bells: &Bells) {
    if !answers(client, LISTEN).await {
        return;
    }
    if let Ok(row) = client.query_one("SELECT pg_backend_pid()", &[]).await {
        own.store(row.try_get(0).unwrap_or_default(), Ordering::Relaxed);
    }
    // What was told while nobody listened.
    bells.here.notify_one();
    loop {
        let wanted = timeout(CHECK, bells.elsewhere.notified()).await.is_ok();
        if !answers(client, if wanted { TELL } else { "SELECT 1" }).await {
            if wanted {
                bells.elsewhere.notify_one();
            }
            return;
        }
        sleep(APART).await;
    }
}

async fn answers(client: &Client, sql: &str) -> bool {
    matches!(timeout(CONNECT, client.batch_execute(sql)).await, Ok(Ok(())))
}

/// What the server says, asked or not; nothing on the connection moves unless it is read.
type Messages = BoxStream<'static, Result<AsyncMessage, tokio_postgres::Error>>;

async fn connect(url: &str) -> Option<(Client, Messages)> {
    let settings = settings(url).ok()?;
    if settings.get_ssl_mode() == SslMode::Require {
        let (client, connection) = settings.connect(tls().ok()?).await.ok()?;
        Some((client, messages(connection)))
    } else {
        let (client, connection) = settings.connect(NoTls).await.ok()?;
        Some((client, messages(connection)))
    }
}

fn messages<S, T>(mut connection: Connection<S, T>) -> Messages
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    poll_fn(move |context| connection.poll_message(context)).boxed()
}
