//! Contract tests for the information that a store reports about itself.

use std::sync::Arc;
use std::task::Poll;

use futures_util::future::poll_fn;

use crate::schema::SchemaStore;

/// Tests that a ping returns the schema version once the store has responded.
pub(super) async fn a_ping_returns_the_version_of_the_schema<S: SchemaStore + ?Sized>(store: Arc<S>) {
    let ping = loop {
        match store.ping().await {
            Ok(version) => break version,
            Err(_) => yield_to_other_tasks().await,
        }
    };
    assert_eq!(ping, store.schema_version().await.unwrap());
}

/// Lets other tasks run that were woken before the current task.
async fn yield_to_other_tasks() {
    let mut waited = false;
    poll_fn(|context| {
        if std::mem::replace(&mut waited, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
