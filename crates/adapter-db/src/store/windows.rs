//! Pages of collections. A short page is returned at once, and a long page as a stream from one snapshot.

use std::future::Future;

use futures_util::future::BoxFuture;
use futures_util::try_join;
use payroll_ports::{Listing, Rows, Window};

use super::streams::{CHUNK_ROWS, start_stream};
use super::{Conn, Db};
use crate::error::Outcome;

/// The head of a collection (`PagedCollection::Head`), and the first elements.
pub(super) type HeadAndFirstRows<P> =
    Outcome<(<P as PagedCollection>::Head, Vec<<P as PagedCollection>::Item>)>;

/// A collection that is read page by page, always in the same order. A value of the implementing type stores
/// the reading position, so each page starts where the previous one ended.
pub(super) trait PagedCollection: Clone + Send + Sync + 'static {
    /// The data that is read before the elements: the number of elements, the version of the collection, and
    /// the caller's access.
    type Head: Send + 'static;
    type Item: Send + 'static;

    /// Returns the total number of elements in the collection.
    fn total(head: &Self::Head) -> u64;

    /// Reads the head, and at most `limit` of the first elements of the window. If `limit` is 0, only the
    /// head is needed.
    fn read_start<'c>(&'c mut self, conn: &'c Conn, limit: i64) -> BoxFuture<'c, HeadAndFirstRows<Self>>;

    /// Reads the next elements, at most `limit`.
    fn read_next<'c>(&'c mut self, conn: &'c Conn, limit: i64) -> BoxFuture<'c, Outcome<Vec<Self::Item>>>;

    /// Reads like [`Self::read_start`], with all rows from one state of the database.
    fn read_first_rows_consistently(
        mut self,
        db: &Db,
        limit: i64,
    ) -> impl Future<Output = HeadAndFirstRows<Self>> + Send {
        async move { db.read(move |conn| Box::pin(async move { self.read_start(conn, limit).await })).await }
    }
}

/// Reads a window (limit and offset) of a collection. Returns the head and the elements in the window.
pub(super) async fn read_window<P: PagedCollection>(
    db: &Db,
    pages: P,
    window: Window,
) -> Outcome<(P::Head, Rows<P::Item>)> {
    let limit = match window {
        Window::HEAD_ONLY => 0,
        Window { limit, .. } => i64::from(limit.map_or(CHUNK_ROWS, |limit| limit.get().min(CHUNK_ROWS))),
    };
    let (head, rows) = pages.clone().read_first_rows_consistently(db, limit).await?;
    if window.elements_in_window(P::total(&head)) <= u64::try_from(rows.len()).unwrap_or(0) {
        return Ok((head, Rows::All(rows)));
    }
    // The head is read again in the stream's snapshot, so that the head and all elements are from one
    // snapshot.
    let (head, chunks) = start_stream(db, move |conn, feed| {
        Box::pin(async move {
            let mut pages = pages;
            let (head, mut rows) = pages.read_start(conn, i64::from(CHUNK_ROWS)).await?;
            let mut left = window.elements_in_window(P::total(&head));
            feed.send_head(head);
            loop {
                rows.truncate(usize::try_from(left).unwrap_or(usize::MAX));
                left = left.saturating_sub(u64::try_from(rows.len()).unwrap_or(0));
                if rows.is_empty() || !feed.send_chunk(rows).await || left == 0 {
                    return Ok(());
                }
                let chunk_rows = i64::from(CHUNK_ROWS).min(i64::try_from(left).unwrap_or(i64::MAX));
                rows = pages.read_next(conn, chunk_rows).await?;
            }
        })
    })
    .await?;
    Ok((head, Rows::Stream(chunks)))
}

/// A limit and an offset for the SQL of a page.
#[derive(Debug, Clone, Copy)]
pub(super) struct LimitAndOffset {
    pub(super) limit: i64,
    pub(super) offset: i64,
}

/// Combines two versions that change independently: `owner_version`, the version of the owner of a list, and
/// `elements_version`, the sum of the versions of its elements. The owner's version is multiplied by a large
/// odd constant (2^64 divided by the golden ratio, without the highest bit). A change of one version
/// therefore cannot cancel a change of the other.
pub(super) const fn combine_versions(owner_version: i64, elements_version: i64) -> i64 {
    owner_version.wrapping_mul(0x1E37_79B9_7F4A_7C15).wrapping_add(elements_version)
}

/// The number of elements in a list, and the version of the list. The version is `None` if the company's
/// version covers the list.
#[derive(Debug, Clone, Copy)]
pub(super) struct ListSize {
    pub(super) total: u64,
    pub(super) version: Option<i64>,
}

/// A collection that can be counted and read with an offset.
pub(super) trait OffsetCollection: Clone + Send + Sync + 'static {
    type Item: Send + 'static;

    /// Reads the number of elements. `None` if the collection does not exist.
    fn read_size<'c>(&'c self, conn: &'c Conn) -> BoxFuture<'c, Outcome<Option<ListSize>>>;
    fn read_page<'c>(
        &'c self,
        conn: &'c Conn,
        page: LimitAndOffset,
    ) -> BoxFuture<'c, Outcome<Vec<Self::Item>>>;
}

/// A collection, and the offset of the next element.
#[derive(Clone)]
struct OffsetReader<C> {
    collection: C,
    offset: i64,
}

impl<C: OffsetCollection> PagedCollection for OffsetReader<C> {
    type Head = Option<ListSize>;
    type Item = C::Item;

    fn total(head: &Self::Head) -> u64 {
        head.map_or(0, |size| size.total)
    }

    fn read_start<'c>(&'c mut self, conn: &'c Conn, limit: i64) -> BoxFuture<'c, HeadAndFirstRows<Self>> {
        Box::pin(async move {
            let page = LimitAndOffset { limit, offset: self.offset };
            self.offset += limit;
            if limit == 0 {
                return Ok((self.collection.read_size(conn).await?, Vec::new()));
            }
            try_join!(self.collection.read_size(conn), self.collection.read_page(conn, page))
        })
    }

    fn read_next<'c>(&'c mut self, conn: &'c Conn, limit: i64) -> BoxFuture<'c, Outcome<Vec<Self::Item>>> {
        let page = LimitAndOffset { limit, offset: self.offset };
        self.offset += limit;
        self.collection.read_page(conn, page)
    }
}

/// Reads a window of a collection that is read by offset.
pub(super) async fn read_listing<C: OffsetCollection>(
    db: &Db,
    collection: C,
    of: Window,
) -> Outcome<Option<Listing<C::Item>>> {
    let (size, rows) = read_window(db, OffsetReader { collection, offset: i64::from(of.offset) }, of).await?;
    let listing =
        |size: ListSize| Listing { total: size.total, version: size.version.unwrap_or_default(), rows };
    Ok(size.map(listing))
}
