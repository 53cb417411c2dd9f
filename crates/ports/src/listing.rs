//! Windows of lists (an offset and a limit). The rows of a window are in memory or a stream.

use std::fmt;
use std::num::NonZeroU32;

use futures_util::stream::{self, BoxStream, StreamExt, TryStreamExt};

use crate::StoreError;

/// The requested range of a list: an offset and a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Window {
    /// The number of elements to skip at the start.
    pub offset: u32,
    /// The maximum number of elements. `None` means all remaining elements.
    pub limit: Option<NonZeroU32>,
}

/// The elements whose changes the version of a list covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VersionScope {
    /// The version covers all elements of the list, regardless of the window.
    List,
    /// The version covers at least the elements in the window. Other elements therefore need not be read.
    ///
    /// A change outside the window, such as the removal of an earlier element, can move elements into or out
    /// of the window. Use this scope only if each such change also changes the version of the parent of the
    /// list. The parent is the caller's access or the company.
    Window,
}

/// A window of a list, with the scope of its version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VersionedWindow {
    /// The window of the list to read.
    pub window: Window,
    /// The elements whose changes also change the version of the list.
    pub version: VersionScope,
}

impl From<Window> for VersionedWindow {
    fn from(window: Window) -> Self {
        Self { window, version: VersionScope::List }
    }
}

impl Window {
    /// A window without elements. With this window, only the number of elements, the version of the list and
    /// the caller's access are read. No API request uses this offset.
    pub const HEAD_ONLY: Self = Self { offset: u32::MAX, limit: Some(NonZeroU32::MIN) };

    /// Returns the number of elements in the window, for a list with `total` elements.
    #[must_use]
    pub fn elements_in_window(self, total: u64) -> u64 {
        let left = total.saturating_sub(u64::from(self.offset));
        self.limit.map_or(left, |limit| left.min(u64::from(limit.get())))
    }
}

/// The window of a list, which is read from one snapshot.
#[derive(Debug)]
pub struct Listing<T> {
    /// The number of elements in the complete list that match the filters.
    pub total: u64,
    /// The version of the list, which is part of the `ETag`. The version changes, and usually increases, with
    /// every change that is visible in the rows.
    pub version: i64,
    /// The rows of the window, in the order of their creation and then by id. The number of rows is
    /// [`Window::elements_in_window`]. Lists of companies may have fewer rows, because they omit companies
    /// that cannot be read.
    pub rows: Rows<T>,
}

impl<T> Listing<T> {
    /// Returns the window of a list that is completely in memory.
    #[must_use]
    pub fn from_all(all: Vec<T>, version: i64, window: Window) -> Self {
        let total = u64::try_from(all.len()).unwrap_or(u64::MAX);
        let offset = usize::try_from(window.offset).unwrap_or(usize::MAX);
        let most =
            window.limit.map_or(usize::MAX, |limit| usize::try_from(limit.get()).unwrap_or(usize::MAX));
        Self { total, version, rows: Rows::All(all.into_iter().skip(offset).take(most).collect()) }
    }
}

/// The rows of a list: in memory if they are few, and otherwise as a stream of chunks from one snapshot.
pub enum Rows<T> {
    /// All rows are in memory.
    All(Vec<T>),
    /// The rows come in chunks. If the stream is dropped, the snapshot ends. An error ends the stream.
    Stream(BoxStream<'static, Result<Vec<T>, StoreError>>),
}

impl<T: Send + 'static> Rows<T> {
    /// Returns the rows as a stream of chunks, even if all rows are in memory.
    #[must_use]
    pub fn into_stream(self) -> BoxStream<'static, Result<Vec<T>, StoreError>> {
        match self {
            Self::All(rows) => stream::iter([Ok(rows)]).boxed(),
            Self::Stream(chunks) => chunks,
        }
    }

    /// Converts each row with the function `change`, in memory or while streaming.
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

    /// Converts each row, and omits the rows for which `change` returns `None`.
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

    /// Returns all rows in memory. Use this method only for lists that are always small.
    ///
    /// # Errors
    /// Returns the error of the stream.
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
