//! Creates successful responses. The response to a GET has an entity tag and is sent complete or as a stream.
//! The response to a change is composed before the change is stored.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use payroll_ports::idempotency::StoredResponse;
use payroll_ports::{Listing, Rows};

use crate::shared::error::Failure;
use crate::shared::etag::EntityTag;
use crate::shared::handler_result::HandlerResult;
use crate::shared::incoming::IncomingRequest;
use crate::shared::page::{CollectionUrl, RequestedPage};
use crate::shared::wire::{Content, Envelope, Href, Link};

/// The response to a GET, without its content.
pub(crate) struct GetResponse<'a> {
    incoming: &'a IncomingRequest,
    media_type: &'a str,
    base: String,
    tag: EntityTag,
}

impl<'a> GetResponse<'a> {
    /// Creates a response with this media type and entity tag.
    pub(crate) fn with_etag(incoming: &'a IncomingRequest, media_type: &'a str, tag: EntityTag) -> Self {
        Self { incoming, media_type, base: incoming.base_url(), tag }
    }

    /// Returns the URL of the request, for links.
    pub(crate) fn collection_url(&self) -> CollectionUrl<'_> {
        CollectionUrl { base: &self.base, path: self.incoming.path(), query: self.incoming.raw_query() }
    }

    /// Whether the request's `If-None-Match` contains the entity tag of this response.
    pub(crate) fn is_not_modified(&self) -> bool {
        self.tag
            .matches_if_none_match(self.incoming.headers().get_all(IF_NONE_MATCH).map(|line| line.as_bytes()))
    }

    /// Returns the response if it has no body: 304 if `If-None-Match` contains the entity tag, otherwise 200
    /// for HEAD. The result is `None` if the response needs a body.
    pub(crate) fn without_body(&self) -> Option<HttpResponse> {
        if self.is_not_modified() {
            let etag = (ETAG, self.tag.header());
            return Some(HttpResponse::NotModified().insert_header(etag).finish());
        }
        self.incoming.is_head().then(|| self.response_head().finish())
    }

    /// Returns the response with this content.
    ///
    /// # Errors
    /// 503 API-503 if too many responses are being streamed.
    pub(crate) fn with_body(&self, content: Content) -> HandlerResult {
        Ok(match content {
            Content::Complete(bytes) => self.response_head().body(bytes),
            Content::Stream(chunks) => {
                let incoming = self.incoming;
                self.response_head()
                    .streaming(incoming.api.streams.stream_response(chunks, &incoming.context.request_id)?)
            }
        })
    }

    /// Returns the response with one page of a collection. `write` serializes a row; its second argument is
    /// the base URL of links.
    ///
    /// # Errors
    /// Returns the errors of [`Self::with_body`].
    pub(crate) fn collection_response<T: Send + 'static>(
        &self,
        page: RequestedPage,
        listing: Listing<T>,
        write: impl Fn(&T, &str, &mut Vec<u8>) -> serde_json::Result<()> + Send + 'static,
    ) -> HandlerResult {
        if let Some(response) = self.without_body() {
            return Ok(response);
        }
        let envelope = Envelope {
            metadata: Some(page.metadata(listing.total)),
            links: page.links(&self.collection_url(), listing.total),
        };
        let base = self.base.clone();
        self.with_body(envelope.serialize_rows(listing.rows, move |row, out| write(row, &base, out))?)
    }

    /// Returns the response with these rows in an envelope without metadata.
    ///
    /// # Errors
    /// Returns the errors of [`Self::with_body`].
    pub(crate) fn rows_response<T: Send + 'static>(
        &self,
        rows: Rows<T>,
        write: impl Fn(&T, &str, &mut Vec<u8>) -> serde_json::Result<()> + Send + 'static,
    ) -> HandlerResult {
        if let Some(response) = self.without_body() {
            return Ok(response);
        }
        let own = Link::to_self(Href::Complete(self.collection_url().self_url()));
        let base = self.base.clone();
        let envelope = Envelope { metadata: None, links: vec![own] };
        self.with_body(envelope.serialize_rows(rows, move |row, out| write(row, &base, out))?)
    }

    fn response_head(&self) -> actix_web::HttpResponseBuilder {
        let mut head = HttpResponse::Ok();
        head.insert_header((CONTENT_TYPE, self.media_type)).insert_header((ETAG, self.tag.header()));
        head
    }
}

/// Converts a stored response to an HTTP response.
///
/// # Errors
/// [`Failure::Bug`] if the stored status is invalid.
pub(crate) fn from_stored(response: StoredResponse) -> HandlerResult {
    let status = StatusCode::from_u16(response.status).map_err(|error| Failure::Bug(error.into()))?;
    Ok(HttpResponse::build(status).insert_header((CONTENT_TYPE, response.content_type)).body(response.body))
}
