//! Lists of the API, read page by page.

use std::collections::VecDeque;
use std::fmt;
use std::marker::PhantomData;

use futures_util::stream::{self, Stream, TryStreamExt};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use url::Url;

use crate::client::Client;
use crate::error::Error;
use crate::types::{Link, Metadata};

/// The default number of elements of a page. With this number, a page of any list is smaller than about 1 MB.
pub const DEFAULT_PAGE_SIZE: u32 = 100;

/// A list of the API. Add filters, then read it as a stream, as a `Vec`, or one page at a time.
///
/// ```no_run
/// # use futures_util::TryStreamExt;
/// # async fn example(client: payroll_client::Client) -> Result<(), payroll_client::Error> {
/// let mut workers = Box::pin(client.workers("COMPANY").query("status", "ACTIVE").stream());
/// while let Some(worker) = workers.try_next().await? {
///     println!("{}", worker.worker_id);
/// }
/// # Ok(()) }
/// ```
#[derive(Clone)]
#[must_use = "a list is read by `stream`, `collect` or `page`"]
pub struct List<T> {
    client: Client,
    path: String,
    query: Vec<(String, String)>,
    page_size: u32,
    element: PhantomData<fn() -> T>,
}

impl<T> fmt::Debug for List<T> {
    /// Writes the path without the filters, because filters can contain personal data.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("List").field(&self.path).finish()
    }
}

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Page<T> {
    /// The elements of the list that this page contains.
    pub content: Vec<T>,
    /// The size of the list, if the operation reports it.
    pub metadata: Option<Metadata>,
    /// The links, such as `next`.
    #[serde(default)]
    pub links: Vec<Link>,
}

impl<T> Page<T> {
    /// Returns the query of the link to the next page, or `None` on the last page. The client ignores the
    /// host of the link, so a response cannot make the client send the token to another server.
    pub(crate) fn next_query(&self) -> Option<Vec<(String, String)>> {
        let link = self.links.iter().find(|it| it.rel == "next")?;
        let url = Url::parse(&link.href).ok()?;
        Some(url.query_pairs().into_owned().collect())
    }
}

impl Client {
    /// Returns a list of the API by its path. Use this function for lists that have no method of their own.
    ///
    /// ```no_run
    /// # async fn example(client: payroll_client::Client) -> Result<(), payroll_client::Error> {
    /// let jobs = client.list::<serde_json::Value>("/companies/COMPANY/jobs").collect().await?;
    /// # Ok(()) }
    /// ```
    pub fn list<T>(&self, path: impl Into<String>) -> List<T> {
        List {
            client: self.clone(),
            path: path.into(),
            query: Vec::new(),
            page_size: DEFAULT_PAGE_SIZE,
            element: PhantomData,
        }
    }
}

impl<T: DeserializeOwned> List<T> {
    /// Adds a filter of the operation. A filter can occur several times.
    pub fn query(mut self, name: &str, value: impl ToString) -> Self {
        self.query.push((name.to_owned(), value.to_string()));
        self
    }

    /// Sets the maximum number of elements of a page. With 0, one response has all elements.
    pub const fn page_size(mut self, elements: u32) -> Self {
        self.page_size = elements;
        self
    }

    /// Reads the page that begins at an offset.
    ///
    /// # Errors
    /// See [`Error`]: a rejection, or a failure of the connection.
    pub async fn page(&self, offset: u64) -> Result<Page<T>, Error> {
        let mut query = self.query.clone();
        // An offset of 0 is omitted, because it is the default. A list with a cursor, such as the requests of
        // the application, rejects any offset.
        if offset > 0 {
            query.push(("offset".to_owned(), offset.to_string()));
        }
        query.push(("limit".to_owned(), self.page_size.to_string()));
        self.read_page(&query).await
    }

    /// Reads all elements as a stream, which requests each page when the previous page has been read. Each
    /// page is a separate snapshot. If an element is added or deleted between two pages, other elements can
    /// move to the next or previous page.
    pub fn stream(self) -> impl Stream<Item = Result<T, Error>> + Send
    where
        T: Send,
    {
        stream::try_unfold(StreamState::First(self), StreamState::next)
    }

    /// Reads all elements of all pages.
    ///
    /// # Errors
    /// See [`Error`]: a rejection, or a failure of the connection.
    pub async fn collect(self) -> Result<Vec<T>, Error>
    where
        T: Send,
    {
        self.stream().try_collect().await
    }

    /// Reads the first element, or `None` if the list is empty.
    ///
    /// # Errors
    /// See [`Error`]: a rejection, or a failure of the connection.
    pub async fn first(self) -> Result<Option<T>, Error> {
        let page = self.page_size(1).page(0).await?;
        Ok(page.content.into_iter().next())
    }

    async fn read_page(&self, query: &[(String, String)]) -> Result<Page<T>, Error> {
        let mut request = self.client.get(self.path.clone());
        for (name, value) in query {
            request = request.query(name, value);
        }
        request.json().await
    }
}

/// The state of a stream of elements.
enum StreamState<T> {
    First(List<T>),
    Rest { list: List<T>, rows: VecDeque<T>, next: Option<Vec<(String, String)>> },
}

impl<T: DeserializeOwned> StreamState<T> {
    /// Returns the next element and the state after it.
    async fn next(self) -> Result<Option<(T, Self)>, Error> {
        let (list, mut rows, mut next) = match self {
            Self::First(list) => {
                let page = list.page(0).await?;
                let next = page.next_query();
                (list, VecDeque::from(page.content), next)
            }
            Self::Rest { list, rows, next } => (list, rows, next),
        };
        while rows.is_empty() {
            let Some(query) = next else { return Ok(None) };
            let page = list.read_page(&query).await?;
            next = page.next_query();
            // If a page links to itself, the stream would never end. The result is therefore an error.
            if next.as_ref() == Some(&query) {
                return Err(Error::Response("the link to the next page leads to the same page".to_owned()));
            }
            rows.extend(page.content);
        }
        Ok(rows.pop_front().map(|row| (row, Self::Rest { list, rows, next })))
    }
}
