//! Collections: a window of them, and their rows, complete or as a stream.

use std::fmt;
use std::num::NonZeroU32;

use futures_util::stream::{self, BoxStream, StreamExt, TryStreamExt};

use crate::StoreError;

/// The part of a collection that is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Window {
    /// Elements to leave out at the beginning.
    pub offset: u32,
    /// The most elements to give; `None`: all that are left.
    pub limit: Option<NonZeroU32>,
}

/// What the version of a list stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VersionOf {
    /// All elements of the list, whichever of them are in the window.
    List,
    /// Those of the window at least, so that no others have to be read. Which elements are in a window
    /// changes only with what the list belongs to: the access of the caller, or the company.
    Window,
}

/// A window of a list that has versions of windows too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VersionedWindow {
    /// Which elements are read.
    pub window: Window,
    /// What the listing's version stands for.
    pub version: VersionOf,
}

impl From<Window> for VersionedWindow {
    fn from(window: Window) -> Self {
        Self { window, version: VersionOf::List }
    }
}

impl Window {
    /// How many elements of a collection of that size are in the window.
    #[must_use]
    pub fn count_of(self, total: u64) -> u64 {
        let left = total.saturating_sub(u64::from(self.offset));
        self.limit.map_or(left, |limit| left.min(u64::from(limit.get())))
    }
}

/// A window of a collection, from one snapshot.
#[derive(Debug)]
pub struct Listing<T> {
    /// Elements of the complete collection, after filters, before the window.
    pub total: u64,
    /// Another one after every change that the rows could show, most often a greater one; part of the
    /// `ETag`.
    pub version: i64,
    /// The rows of the window, in the order of their creation, id as tie-break. There are exactly
    /// as many as [`Window::count_of`] says; only lists of companies leave out those that cannot be read.
    pub rows: Rows<T>,
}

impl<T> Listing<T> {
    /// A window of a collection that is in memory.
    #[must_use]
    pub fn of(all: Vec<T>, version: i64, window: Window) -> Self {
        let total = u64::try_from(all.len()).unwrap_or(u64::MAX);
        let behind = usize::try_from(window.offset).unwrap_or(usize::MAX);
        let most =
            window.limit.map_or(usize::MAX, |limit| usize::try_from(limit.get()).unwrap_or(usize::MAX));
        Self { total, version, rows: Rows::All(all.into_iter().skip(behind).take(most).collect()) }
    }
}

/// Rows: all at once when they are few, otherwise in chunks out of one snapshot.
pub enum Rows<T> {
    /// All elements of the list.
    All(Vec<T>),
    /// Chunks; dropping the stream ends the snapshot. After an error nothing follows.
    Stream(BoxStream<'static, Result<Vec<T>, StoreError>>),
}

impl<T: Send + 'static> Rows<T> {
    /// The rows as a stream of chunks, whichever way they came.
    #[must_use]
    pub fn into_stream(self) -> BoxStream<'static, Result<Vec<T>, StoreError>> {
        match self {
            Self::All(rows) => stream::iter([Ok(rows)]).boxed(),
            Self::Stream(chunks) => chunks,
        }
    }

    /// The same rows, each changed.
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

    /// The same rows, each changed or left out.
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

    /// All rows in memory: for collections that are small by nature.
    ///
    /// # Errors
    /// What the stream fails with.
    pub async fn whole(self) -> Result<Vec<T>, StoreError> {
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
