//! Group commit: writes that wait for the writer at the same time share one transaction and one commit. Each
//! commit waits for the disk, so without groups a write would wait for the commits of all earlier writes.
//!
//! The first caller that gets the writer runs the writes of all waiting callers. The first write needs no
//! savepoint, so a single client is as fast as without groups. Each further write has its own savepoint, so
//! that only this write is rolled back if it fails.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;

use super::connection::Conn;
use crate::connections::ConnectionWork;
use crate::error::{Failure, Outcome};

/// The maximum number of writes in a group. The number is limited because a failed commit rolls all writes of
/// the group back. `load -- clients` shows no more throughput with 256 clients than with 64, so 128 writes
/// are enough.
const MAX_GROUP_WRITES: usize = 128;
/// The time after which a group accepts no further writes: about the sync time of a slow disk.
const MAX_GROUP_TIME: Duration = Duration::from_millis(10);

/// The durability that a write needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WriteDurability {
    /// The write is on disk before the response.
    Durable,
    /// A power failure may undo the write.
    WithoutSync,
    /// The write takes long, so no other write shares its transaction.
    Alone,
}

struct WriteJob {
    work: ConnectionWork<Conn>,
    durability: WriteDurability,
    result_sender: oneshot::Sender<Outcome<()>>,
}

/// A queued write, or `None` once it is started or withdrawn.
type QueuedJob = Arc<Mutex<Option<WriteJob>>>;

/// The pending writes in the order of their arrival.
#[derive(Clone, Default)]
pub(super) struct WriteQueue(Arc<Mutex<VecDeque<QueuedJob>>>);

/// A caller's handle for a queued write. If the caller drops the handle before the start, the write does not
/// run.
pub(super) struct QueuedWriteHandle {
    job: QueuedJob,
    result_receiver: oneshot::Receiver<Outcome<()>>,
}

impl WriteQueue {
    /// Adds a write at the end of the queue.
    pub(super) fn push(&self, work: ConnectionWork<Conn>, durability: WriteDurability) -> QueuedWriteHandle {
        let (sender, done) = oneshot::channel();
        let job = Arc::new(Mutex::new(Some(WriteJob { work, durability, result_sender: sender })));
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push_back(Arc::clone(&job));
        QueuedWriteHandle { job, result_receiver: done }
    }

    /// Removes and returns the first write, if `joins` accepts its durability. Withdrawn writes are
    /// skipped. `None` if no write is pending, or if `joins` rejects the first one.
    fn take_next_job_if(&self, joins: impl Fn(WriteDurability) -> bool) -> Option<WriteJob> {
        let mut queue = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let first = Arc::clone(queue.front()?);
            let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
            if first.as_ref().is_some_and(|job| !joins(job.durability)) {
                return None;
            }
            queue.pop_front();
            if let Some(job) = first.take() {
                return Some(job);
            }
        }
    }

    /// Returns whether all pending writes have the durability `WriteDurability::WithoutSync`. The commit of
    /// such writes need not wait for the disk.
    fn can_skip_sync(&self) -> bool {
        let queue = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        queue.iter().all(|job| {
            let job = job.lock().unwrap_or_else(PoisonError::into_inner);
            job.as_ref().is_none_or(|job| job.durability == WriteDurability::WithoutSync)
        })
    }

    /// Removes the first writes of the queue and returns them as a group. `None` if no write is pending.
    pub(super) fn take_next_group(&self) -> Option<WriteGroup> {
        let first = self.take_next_job_if(|_| true)?;
        let durability = match first.durability {
            WriteDurability::WithoutSync if !self.can_skip_sync() => WriteDurability::Durable,
            manner => manner,
        };
        let members = vec![GroupedWrite { result_sender: first.result_sender, outcome: Ok(()) }];
        Some(WriteGroup { queue: self.clone(), durability, first_work: Some(first.work), members })
    }
}

impl QueuedWriteHandle {
    /// Waits for the outcome of the write.
    pub(super) async fn wait_for_outcome(&mut self) -> Outcome<()> {
        let lost = |_| Err(Failure::Bug("a write has ended without an outcome".to_owned()));
        (&mut self.result_receiver).await.unwrap_or_else(lost)
    }

    /// Withdraws the write. `false` if the write was already started.
    pub(super) fn cancel_if_not_started(&self) -> bool {
        self.job.lock().unwrap_or_else(PoisonError::into_inner).take().is_some()
    }
}

impl Drop for QueuedWriteHandle {
    fn drop(&mut self) {
        self.cancel_if_not_started();
    }
}

/// A write of a group, whose caller waits for the outcome.
struct GroupedWrite {
    result_sender: oneshot::Sender<Outcome<()>>,
    outcome: Outcome<()>,
}

/// Writes that share one transaction and therefore one commit.
pub(super) struct WriteGroup {
    queue: WriteQueue,
    pub(super) durability: WriteDurability,
    first_work: Option<ConnectionWork<Conn>>,
    members: Vec<GroupedWrite>,
}

impl WriteGroup {
    /// Runs the writes in the current transaction. An error rolls all writes back.
    pub(super) async fn run_writes(&mut self, conn: &Conn) -> Outcome<()> {
        let Some(first) = self.first_work.take() else { return Ok(()) };
        let since = Instant::now();
        first(conn).await?;
        let durability = self.durability;
        let joins = |other: WriteDurability| match durability {
            WriteDurability::Durable => other != WriteDurability::Alone,
            WriteDurability::WithoutSync => other == WriteDurability::WithoutSync,
            WriteDurability::Alone => false,
        };
        while self.members.len() < MAX_GROUP_WRITES
            && since.elapsed() < MAX_GROUP_TIME
            && let Some(WriteJob { work, result_sender: done, .. }) = self.queue.take_next_job_if(joins)
        {
            self.members.push(GroupedWrite { result_sender: done, outcome: Ok(()) });
            let outcome = run_in_savepoint(conn, work).await?;
            if let Some(member) = self.members.last_mut() {
                member.outcome = outcome;
            }
        }
        Ok(())
    }

    /// Sends the outcomes to the callers after the end of the transaction.
    pub(super) fn send_outcomes(self, end_result: &Outcome<()>, note: impl Fn(&Outcome<()>)) {
        for GroupedWrite { result_sender: done, outcome } in self.members {
            let outcome = outcome.and_then(|()| end_result.clone());
            note(&outcome);
            // Sending fails if the caller has disconnected. The error is ignored, because such a caller does
            // not need the outcome.
            drop(done.send(outcome));
        }
    }
}

/// Runs one write in the shared transaction. The inner result is that of the write. An error in the outer
/// result means that the complete transaction was rolled back.
async fn run_in_savepoint(conn: &Conn, work: ConnectionWork<Conn>) -> Outcome<Outcome<()>> {
    let queued = conn.queued.load(Ordering::Relaxed);
    conn.execute_batch("SAVEPOINT write").await?;
    let outcome = work(conn).await;
    match &outcome {
        Ok(()) => conn.execute_batch("RELEASE write").await?,
        Err(failure) => {
            conn.queued.store(queued, Ordering::Relaxed);
            conn.execute_batch("ROLLBACK TO write; RELEASE write")
                .await
                .map_err(|lost| group_failure(failure, lost))?;
        }
    }
    Ok(outcome)
}

/// Returns the error for all writes of a group if their transaction was rolled back, for example because the
/// disk is full.
fn group_failure(failure: &Failure, rollback_failure: Failure) -> Failure {
    match failure {
        Failure::Unwritable(_) | Failure::Unavailable(_) => failure.clone(),
        _ => rollback_failure,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use futures_util::future::join_all;
    use tempfile::TempDir;

    use super::super::Db;
    use super::*;
    use crate::statement::{binds, command, query};

    /// Creates a database with an empty table of distinct numbers.
    async fn open_test_database() -> (TempDir, Db) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("payroll.db");
        crate::migrations::migrate_sqlite_file(&path).await.unwrap();
        let db = Db::open(&path, 1);
        db.write(|conn| Box::pin(conn.execute_batch("CREATE TABLE numbers (number INTEGER PRIMARY KEY)")))
            .await
            .unwrap();
        (folder, db)
    }

    async fn insert_number(db: &Db, number: i64) -> Outcome<usize> {
        db.write(move |conn| {
            Box::pin(conn.execute(command("INSERT INTO numbers (number) VALUES ($1)", binds![number])))
        })
        .await
    }

    async fn count_numbers(db: &Db) -> i64 {
        let all =
            db.read(|conn| Box::pin(conn.query_row::<(i64,)>(query("SELECT count(*) FROM numbers", []))));
        all.await.unwrap().map_or(0, |(count,)| count)
    }

    /// Returns the number of transactions in the log of the database. The last frame of each transaction
    /// marks its end.
    fn count_commits(path: &Path) -> usize {
        const LOG_HEADER_BYTES: usize = 32;
        const FRAME_HEADER_BYTES: usize = 24;
        let log = std::fs::read(path.join("payroll.db-wal")).unwrap();
        let page = u32::from_be_bytes(log[8..12].try_into().unwrap()) as usize;
        let frames = log[LOG_HEADER_BYTES..].chunks(FRAME_HEADER_BYTES + page);
        frames.filter(|frame| frame[4..8] != [0; 4]).count()
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn waiting_writes_share_a_commit_and_only_a_failed_write_is_rolled_back() {
        let (folder, db) = open_test_database().await;
        insert_number(&db, 7).await.unwrap();
        let before = count_commits(folder.path());
        // The test holds the writer connection, so all writes wait.
        let pooled_connection = db.writer.checkout_connection().await.unwrap();
        let writes = tokio::spawn({
            let db = db.clone();
            async move { join_all((0..20).map(|number| insert_number(&db, number))).await }
        });
        while db.queue.0.lock().unwrap().len() < 20 {
            tokio::task::yield_now().await;
        }
        pooled_connection.return_to_pool();
        let outcomes = writes.await.unwrap();
        let failed: Vec<_> = outcomes.iter().enumerate().filter(|(_, outcome)| outcome.is_err()).collect();
        assert!(matches!(failed[..], [(7, Err(Failure::Taken(_)))]), "{failed:?}");
        assert_eq!((count_numbers(&db).await, count_commits(folder.path()) - before), (20, 1));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_failed_first_write_does_not_affect_others() {
        let (_folder, db) = open_test_database().await;
        insert_number(&db, 1).await.unwrap();
        let outcomes = join_all([1, 2, 1, 3].map(|number| insert_number(&db, number))).await;
        assert_eq!(outcomes.iter().map(Result::is_ok).collect::<Vec<_>>(), [false, true, false, true]);
        assert_eq!(count_numbers(&db).await, 3);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn cancels_a_queued_write_whose_caller_is_gone() {
        let (_folder, db) = open_test_database().await;
        let pooled_connection = db.writer.checkout_connection().await.unwrap();
        let gone = tokio::spawn({
            let db = db.clone();
            async move { insert_number(&db, 1).await }
        });
        while db.queue.0.lock().unwrap().is_empty() {
            tokio::task::yield_now().await;
        }
        gone.abort();
        assert!(gone.await.unwrap_err().is_cancelled());
        pooled_connection.return_to_pool();
        insert_number(&db, 2).await.unwrap();
        assert_eq!(count_numbers(&db).await, 1);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_failed_transaction_fails_all_writes_of_its_group() {
        let (_folder, db) = open_test_database().await;
        let pooled_connection = db.writer.checkout_connection().await.unwrap();
        let full = |db: Db| async move {
            // This statement simulates a full disk, where SQLite rolls the transaction back by itself.
            let work = db.write(|conn| {
                Box::pin(async move {
                    conn.execute_batch("ROLLBACK").await?;
                    Err::<(), _>(Failure::Unwritable("the disk is full".to_owned()))
                })
            });
            work.await.map(|()| 0)
        };
        let writes = tokio::spawn({
            let db = db.clone();
            async move { futures_util::join!(insert_number(&db, 1), full(db.clone()), insert_number(&db, 2)) }
        });
        while db.queue.0.lock().unwrap().len() < 3 {
            tokio::task::yield_now().await;
        }
        pooled_connection.return_to_pool();
        let (first, full, last) = writes.await.unwrap();
        assert!(matches!(&first, Err(Failure::Unwritable(_))), "{first:?}");
        assert!(matches!(&full, Err(Failure::Unwritable(_))), "{full:?}");
        assert_eq!(
            (last.is_ok(), count_numbers(&db).await),
            (true, 1),
            "what had not begun is done afterwards"
        );
    }
}
