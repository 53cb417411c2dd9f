//! Windows of collections, with their rows in memory or as a stream.

use std::fmt;
use std::num::NonZeroU32;

use futures_util::stream::{self, BoxStream, StreamExt, TryStreamExt};

use crate::StoreError;

/// The requested part of a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Window {
    /// The number of elements to skip at the start.
    pub offset: u32,
    /// The maximum number of elements. `None` means all remaining ones.
    pub limit: Option<NonZeroU32>,
}

/// The elements that the version of a list covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VersionScope {
    /// All elements of the list, regardless of the window.
    List,
    /// At least the elements of the window, so that no others must be read. Which elements are in the window
    /// only depends on the parent's version: that of the caller's access, or of the company.
    Window,
}

/// A window of a list, with the scope of its version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VersionedWindow {
    /// The elements to read.
    pub window: Window,
    /// The elements that the list's version covers.
    pub version: VersionScope,
}

impl From<Window> for VersionedWindow {
    fn from(window: Window) -> Self {
        Self { window, version: VersionScope::List }
    }
}

impl Window {
    /// The number of elements in the window, for a collection with `total` elements.
    #[must_use]
    pub fn count_of(self, total: u64) -> u64 {
        let left = total.saturating_sub(u64::from(self.offset));
        self.limit.map_or(left, |limit| left.min(u64::from(limit.get())))
    }
}

/// A window of a collection, from one snapshot.
#[derive(Debug)]
pub struct Listing<T> {
    /// The number of elements in the complete collection, after filters and before the window.
    pub total: u64,
    /// The version, which differs after every change that the rows show, and is usually higher. It is part of
    /// the `ETag`.
    pub version: i64,
    /// The rows of the window, in the order of their creation and then by id. Their number is
    /// [`Window::count_of`]. Only lists of companies omit elements that cannot be read.
    pub rows: Rows<T>,
}

impl<T> Listing<T> {
    /// A window of a collection in memory.
    #[must_use]
    pub fn from_all(all: Vec<T>, version: i64, window: Window) -> Self {
        let total = u64::try_from(all.len()).unwrap_or(u64::MAX);
        let behind = usize::try_from(window.offset).unwrap_or(usize::MAX);
        let most =
            window.limit.map_or(usize::MAX, |limit| usize::try_from(limit.get()).unwrap_or(usize::MAX));
        Self { total, version, rows: Rows::All(all.into_iter().skip(behind).take(most).collect()) }
    }
}

/// The rows: in memory if they are few, otherwise in chunks from one snapshot.
pub enum Rows<T> {
    /// All elements of the list.
    All(Vec<T>),
    /// The elements in chunks. Dropping the stream ends the snapshot, and an error ends the stream.
    Stream(BoxStream<'static, Result<Vec<T>, StoreError>>),
}

impl<T: Send + 'static> Rows<T> {
    /// The rows as a stream of chunks, in either case.
    #[must_use]
    pub fn into_stream(self) -> BoxStream<'static, Result<Vec<T>, StoreError>> {
        match self {
            Self::All(rows) => stream::iter([Ok(rows)]).boxed(),
            Self::Stream(chunks) => chunks,
        }
    }

    /// The same rows after a conversion.
    #[must_use]
    pub fn map<U: Send + 'static>(self, change: impl Fn(T) -> U + Send + 'static) -> Rows<U> {
        match self {
            Self::All(rows) => Rows::All(rows.into_iter().map(change).collect()),
            Self::Stream(chunks) => {
                let change_all = move |chunk: Vec<T>| chunk.into_iter().map(&change).collect();
                Rows::Stream(chunks.map_ok(change_all).boxed())
            }
        }
    }

    /// The same rows after a conversion that may omit some.
    #[must_use]
    pub fn filter_map<U: Send + 'static>(
        self,
        mut change: impl FnMut(T) -> Option<U> + Send + 'static,
    ) -> Rows<U> {
        match self {
            Self::All(rows) => Rows::All(rows.into_iter().filter_map(change).collect()),
            Self::Stream(chunks) => {
                let change_all = move |chunk: Vec<T>| chunk.into_iter().filter_map(&mut change).collect();
                Rows::Stream(chunks.map_ok(change_all).boxed())
            }
        }
    }

    /// All rows in memory, for collections that are always small.
    ///
    /// # Errors
    /// The error of the stream.
    pub async fn into_vec(self) -> Result<Vec<T>, StoreError> {
        match self {
            Self::All(rows) => Ok(rows),
            Self::Stream(chunks) => chunks.try_concat().await,
        }
    }
}

impl<T> fmt::Debug for Rows<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All(rows) => write!(f, "{} rows", rows.len()),
            Self::Stream(_) => f.write_str("a stream of rows"),
        }
    }
}
