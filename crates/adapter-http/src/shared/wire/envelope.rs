//! The envelope around every response (specification §2.1, §2.2).
//!
//! A small response is built in memory, so its length is known. Rows that the storage returns in chunks are
//! streamed, so only a part of the response is in memory. If the storage fails during a stream, the
//! connection is closed, and the JSON is incomplete.

use actix_web::web::Bytes;
use futures_util::stream::{self, BoxStream, StreamExt};
use payroll_ports::{BoxError, Rows, StoreError};
use serde::Serialize;

use payroll_domain::violation::Violation;

use super::link::Link;

/// The members of a response in addition to its content.
#[derive(Debug)]
pub(crate) struct Envelope {
    /// The metadata, which only collections have.
    pub(crate) metadata: Option<Metadata>,
    /// The links of the response.
    pub(crate) links: Vec<Link<'static>>,
}

/// The metadata of a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Metadata {
    /// The number of elements in this response.
    pub(crate) content_item_count: u64,
    /// The requested page, if the request contained `offset` or `limit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pagination: Option<Pagination>,
}

/// The requested page and the total number of elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Pagination {
    pub(crate) offset: u32,
    pub(crate) limit: u32,
    pub(crate) item_count: u64,
    pub(crate) total: u64,
}

/// The content of a response.
pub(crate) enum Content {
    /// The complete content in memory.
    Complete(Vec<u8>),
    /// The content in chunks, as the storage returns them.
    Stream(BoxStream<'static, Result<Bytes, BoxError>>),
}

/// The approximate bytes of one row, measured with a check of three lines.
const ESTIMATED_BYTES_PER_ROW: usize = 1_024;
/// The number of bytes after which a part of a stream is sent, even if rows of the chunk remain. This size
/// limits the memory for large serialized rows.
const MAX_CHUNK_BYTES: usize = 64 * 1_024;

impl Envelope {
    /// Creates the envelope of the response to a POST, which has no links.
    pub(crate) const fn without_links() -> Self {
        Self { metadata: None, links: Vec::new() }
    }

    /// Serializes the envelope with these rows.
    ///
    /// # Errors
    /// [`StoreError::Bug`] if a row cannot be serialized.
    pub(crate) fn serialize<T>(
        &self,
        rows: &[T],
        write: impl Fn(&T, &mut Vec<u8>) -> serde_json::Result<()>,
    ) -> Result<Vec<u8>, StoreError> {
        self.serialize_with_errors(rows, &[], write)
    }

    /// Serializes the envelope with these rows and with the faults of the elements that were rejected.
    ///
    /// # Errors
    /// [`StoreError::Bug`] if a row cannot be serialized.
    pub(crate) fn serialize_with_errors<T>(
        &self,
        rows: &[T],
        errors: &[Violation],
        write: impl Fn(&T, &mut Vec<u8>) -> serde_json::Result<()>,
    ) -> Result<Vec<u8>, StoreError> {
        let mut out = Vec::with_capacity(ESTIMATED_BYTES_PER_ROW * rows.len().saturating_add(1));
        self.write_before_rows(&mut out).map_err(serialization_bug)?;
        for (index, row) in rows.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            write(row, &mut out).map_err(serialization_bug)?;
        }
        self.write_after_rows(errors, &mut out).map_err(serialization_bug)?;
        Ok(out)
    }

    /// Serializes the envelope with rows from the storage. The content is a stream if the rows arrive in
    /// chunks.
    ///
    /// # Errors
    /// [`StoreError::Bug`] if a row cannot be serialized.
    pub(crate) fn serialize_rows<T: Send + 'static>(
        self,
        rows: Rows<T>,
        write: impl Fn(&T, &mut Vec<u8>) -> serde_json::Result<()> + Send + 'static,
    ) -> Result<Content, StoreError> {
        match rows {
            Rows::All(rows) => self.serialize(&rows, write).map(Content::Complete),
            Rows::Stream(chunks) => Ok(Content::Stream(self.stream(chunks, write))),
        }
    }

    fn stream<T: Send + 'static>(
        self,
        chunks: BoxStream<'static, Result<Vec<T>, StoreError>>,
        write: impl Fn(&T, &mut Vec<u8>) -> serde_json::Result<()> + Send + 'static,
    ) -> BoxStream<'static, Result<Bytes, BoxError>> {
        let rows = Vec::new().into_iter();
        let writing = EnvelopeStream { envelope: self, chunks, rows, write, progress: StreamProgress::Head };
        stream::unfold(writing, |mut writing| async move {
            let next = writing.next().await?;
            if next.is_err() {
                writing.progress = StreamProgress::Finished;
            }
            Some((next.map(Bytes::from), writing))
        })
        .boxed()
    }

    fn write_before_rows(&self, out: &mut Vec<u8>) -> serde_json::Result<()> {
        out.push(b'{');
        if let Some(metadata) = &self.metadata {
            out.extend_from_slice(b"\"metadata\":");
            serde_json::to_writer(&mut *out, metadata)?;
            out.push(b',');
        }
        out.extend_from_slice(b"\"content\":[");
        Ok(())
    }

    fn write_after_rows(&self, errors: &[Violation], out: &mut Vec<u8>) -> serde_json::Result<()> {
        out.push(b']');
        if !errors.is_empty() {
            out.extend_from_slice(b",\"errors\":");
            serde_json::to_writer(&mut *out, errors)?;
        }
        out.extend_from_slice(b",\"links\":");
        serde_json::to_writer(&mut *out, &self.links)?;
        out.push(b'}');
        Ok(())
    }
}

/// The state of a streamed response.
struct EnvelopeStream<T, W> {
    envelope: Envelope,
    chunks: BoxStream<'static, Result<Vec<T>, StoreError>>,
    /// The remaining rows of the current chunk.
    rows: std::vec::IntoIter<T>,
    write: W,
    progress: StreamProgress,
}

/// The progress of a streamed response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StreamProgress {
    /// The stream has not written anything yet.
    Head,
    /// The beginning of the envelope is written, but no row.
    FirstRow,
    /// At least one row is written.
    Rows,
    /// The stream has ended.
    Finished,
}

impl<T, W: Fn(&T, &mut Vec<u8>) -> serde_json::Result<()>> EnvelopeStream<T, W> {
    /// Returns the next bytes: some rows, or the end of the envelope after the last row. The first bytes also
    /// contain the beginning of the envelope.
    async fn next(&mut self) -> Option<Result<Vec<u8>, BoxError>> {
        if self.progress == StreamProgress::Finished {
            return None;
        }
        while self.rows.len() == 0 {
            match self.chunks.next().await {
                Some(Ok(rows)) => self.rows = rows.into_iter(),
                Some(Err(error)) => return Some(Err(error.into())),
                None => return Some(self.last_chunk().map_err(BoxError::from)),
            }
        }
        Some(self.next_chunk().map_err(BoxError::from))
    }

    fn next_chunk(&mut self) -> serde_json::Result<Vec<u8>> {
        let mut out = self.begin_chunk()?;
        out.reserve(MAX_CHUNK_BYTES + ESTIMATED_BYTES_PER_ROW);
        while out.len() < MAX_CHUNK_BYTES
            && let Some(row) = self.rows.next()
        {
            if self.progress == StreamProgress::Rows {
                out.push(b',');
            }
            (self.write)(&row, &mut out)?;
            self.progress = StreamProgress::Rows;
        }
        Ok(out)
    }

    fn last_chunk(&mut self) -> serde_json::Result<Vec<u8>> {
        let mut out = self.begin_chunk()?;
        self.envelope.write_after_rows(&[], &mut out)?;
        self.progress = StreamProgress::Finished;
        Ok(out)
    }

    fn begin_chunk(&mut self) -> serde_json::Result<Vec<u8>> {
        let mut out = Vec::new();
        if self.progress == StreamProgress::Head {
            self.envelope.write_before_rows(&mut out)?;
            self.progress = StreamProgress::FirstRow;
        }
        Ok(out)
    }
}

fn serialization_bug(error: serde_json::Error) -> StoreError {
    StoreError::Bug(error.into())
}

#[cfg(test)]
mod tests {
    use super::super::link::Href;
    use super::*;

    fn envelope() -> Envelope {
        let pagination = Pagination { offset: 0, limit: 2, item_count: 3, total: 3 };
        let own = Link::to_self(Href::Complete("http://h/x".to_owned()));
        Envelope {
            metadata: Some(Metadata { content_item_count: 3, pagination: Some(pagination) }),
            links: vec![own],
        }
    }

    fn write_number(row: &u32, out: &mut Vec<u8>) -> serde_json::Result<()> {
        serde_json::to_writer(out, row)
    }

    fn rows(chunks: Vec<Result<Vec<u32>, StoreError>>) -> Rows<u32> {
        Rows::Stream(stream::iter(chunks).boxed())
    }

    async fn collect_stream(chunks: Vec<Result<Vec<u32>, StoreError>>) -> (String, bool) {
        let Content::Stream(bytes) = envelope().serialize_rows(rows(chunks), write_number).unwrap() else {
            panic!("rows in chunks are streamed")
        };
        let parts: Vec<_> = bytes.collect().await;
        let failed = parts.iter().any(Result::is_err);
        let text = parts.into_iter().filter_map(Result::ok).flat_map(|part| part.to_vec()).collect();
        (String::from_utf8(text).unwrap(), failed)
    }

    const COMPLETE_DOCUMENT: &str = concat!(
        r#"{"metadata":{"contentItemCount":3,"pagination":{"offset":0,"limit":2,"itemCount":3,"total":3}},"#,
        r#""content":[1,2,3],"links":[{"rel":"self","href":"http://h/x"}]}"#,
    );

    #[tokio::test]
    async fn a_stream_has_the_same_bytes_for_any_chunk_size() {
        assert_eq!(
            String::from_utf8(envelope().serialize(&[1, 2, 3], write_number).unwrap()).unwrap(),
            COMPLETE_DOCUMENT
        );
        let cuts: [&[&[u32]]; 4] =
            [&[&[1, 2, 3]], &[&[1], &[2], &[3]], &[&[], &[1, 2], &[], &[3], &[]], &[&[1, 2], &[3]]];
        for chunks in cuts {
            let chunks = chunks.iter().map(|chunk| Ok(chunk.to_vec())).collect();
            assert_eq!(collect_stream(chunks).await, (COMPLETE_DOCUMENT.to_owned(), false));
        }
    }

    #[tokio::test]
    async fn large_rows_of_a_chunk_are_sent_in_parts() {
        let large = |_: &u32, out: &mut Vec<u8>| {
            out.resize(out.len() + MAX_CHUNK_BYTES, b'1');
            Ok(())
        };
        let Content::Stream(bytes) = envelope().serialize_rows(rows(vec![Ok(vec![1, 2, 3])]), large).unwrap()
        else {
            panic!("rows in chunks are streamed")
        };
        let sizes: Vec<usize> = bytes.map(|part| part.unwrap().len()).collect().await;
        assert_eq!(sizes.len(), 4, "three rows and the tail: {sizes:?}");
    }

    #[tokio::test]
    async fn an_empty_stream_is_an_empty_content() {
        let (text, _) = collect_stream(Vec::new()).await;
        assert!(text.ends_with(r#""content":[],"links":[{"rel":"self","href":"http://h/x"}]}"#), "{text}");
    }

    #[tokio::test]
    async fn a_failure_in_the_middle_never_closes_the_json() {
        let chunks = vec![Ok(vec![1]), Err(StoreError::CompanyBusy), Ok(vec![2])];
        let (text, failed) = collect_stream(chunks).await;
        assert!(failed && text.ends_with(r#""content":[1"#), "{text}");
    }

    #[test]
    fn the_response_to_a_post_has_no_metadata_and_no_links() {
        let bytes = Envelope::without_links().serialize(&[7], write_number).unwrap();
        assert_eq!(String::from_utf8(bytes).unwrap(), r#"{"content":[7],"links":[]}"#);
    }
}
