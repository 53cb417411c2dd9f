//! Windows of collections that the operator reads: in one go when they are short, else as a stream.

use futures_util::future::BoxFuture;
use futures_util::try_join;
use payroll_ports::{Listing, Rows, Window};

use super::lists::{Page, Size};
use super::streams::{CHUNK, stream};
use super::{Conn, Db};
use crate::error::Outcome;

/// A collection that is counted and read in pages, always in the same order.
pub(super) trait Collection: Clone + Send + Sync + 'static {
    type Item: Send + 'static;

    /// How many elements it has; `None` when there is no such collection.
    fn size<'c>(&'c self, conn: &'c Conn) -> BoxFuture<'c, Outcome<Option<Size>>>;
    fn page<'c>(&'c self, conn: &'c Conn, page: Page) -> BoxFuture<'c, Outcome<Vec<Self::Item>>>;
}

/// A window of a collection.
pub(super) async fn listing<C: Collection>(
    db: &Db,
    collection: C,
    window: Window,
) -> Outcome<Option<Listing<C::Item>>> {
    let first = Page {
        limit: i64::from(window.limit.map_or(CHUNK, |limit| limit.get().min(CHUNK))),
        offset: i64::from(window.offset),
    };
    let asked = collection.clone();
    let (size, rows) = db
        .read(move |conn| Box::pin(async move { try_join!(asked.size(conn), asked.page(conn, first)) }))
        .await?;
    let Some(size) = size else { return Ok(None) };
    if window.count_of(size.total) <= u64::try_from(rows.len()).unwrap_or(0) {
        return Ok(Some(with_rows(size, Rows::All(rows))));
    }
    long(db, collection, window).await
}

/// A long answer: it is counted anew, so that all of it is one snapshot.
async fn long<C: Collection>(db: &Db, collection: C, window: Window) -> Outcome<Option<Listing<C::Item>>> {
    let (size, chunks) = stream(db, move |conn, feed| {
        Box::pin(async move {
            let size = collection.size(conn).await?;
            feed.head(size);
            let mut left = size.map_or(0, |size| window.count_of(size.total));
            let mut page = Page { limit: i64::from(CHUNK), offset: i64::from(window.offset) };
            while left > 0 {
                page.limit = page.limit.min(i64::try_from(left).unwrap_or(page.limit));
                let rows = collection.page(conn, page).await?;
                left = left.saturating_sub(u64::try_from(rows.len()).unwrap_or(0));
                page.offset += page.limit;
                if rows.is_empty() || !feed.chunk(rows).await {
                    return Ok(());
                }
            }
            Ok(())
        })
    })
    .await?;
    Ok(size.map(|size| with_rows(size, Rows::Stream(chunks))))
}

fn with_rows<T>(size: Size, rows: Rows<T>) -> Listing<T> {
    Listing { total: size.total, version: size.version.unwrap_or_default(), rows }
}
