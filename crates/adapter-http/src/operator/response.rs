//! Creates successful responses of the operator API.

use actix_web::HttpResponse;
use actix_web::http::Method;
use actix_web::http::header::{CONTENT_TYPE, ETAG, HeaderValue, LOCATION};
use payroll_domain::access::Scopes;
use payroll_domain::document::{self, TaxIdMasking};
use payroll_domain::resource::Resource;
use payroll_ports::idempotency::StoredResponse;
use payroll_ports::resources::Versioned;
use payroll_ports::{BoxError, Listing, Rows, StoreError};
use sha2::{Digest, Sha256};

use super::call::OperatorCall;
use crate::shared::error::Failure;
use crate::shared::etag::{EntityTag, EtagInputs};
use crate::shared::handler_result::HandlerResult;
use crate::shared::media_type::{CSV, JSON};
use crate::shared::page::{CollectionUrl, RequestedPage};
use crate::shared::response::{self, GetResponse};
use crate::shared::wire::{Content, Envelope, Href, Link};

/// Creates the response to a GET of a collection. `write` serializes a row to JSON.
///
/// # Errors
/// 503 API-503 if too many responses are being streamed.
pub(super) fn collection_response<T: Send + 'static>(
    call: &OperatorCall,
    page: RequestedPage,
    listing: Listing<T>,
    write: impl Fn(&T) -> String + Send + 'static,
) -> HandlerResult {
    let tag = collection_tag(call, listing.version);
    GetResponse::with_etag(&call.incoming, JSON, tag).collection_response(
        page,
        listing,
        move |row, _, out| {
            out.extend_from_slice(write(row).as_bytes());
            Ok(())
        },
    )
}

/// Creates the response to a GET of a collection as CSV. `write` serializes the rows.
///
/// # Errors
/// 503 API-503 if too many responses are being streamed.
pub(super) fn csv_response<T>(
    call: &OperatorCall,
    listing: Listing<T>,
    write: impl FnOnce(Rows<T>) -> Result<Content, BoxError>,
) -> HandlerResult {
    let tag = media_type_tag(call, listing.version, CSV);
    let reading = GetResponse::with_etag(&call.incoming, CSV, tag);
    match reading.without_body() {
        Some(response) => Ok(response),
        None => reading.with_body(write(listing.rows).map_err(Failure::Bug)?),
    }
}

/// Creates the response to a GET that combines several objects. The objects have no common version, so the
/// entity tag is a hash of the content.
///
/// # Errors
/// The errors of [`GetResponse::with_body`], which occur only for a streamed response, and never here.
pub(super) fn response_with_hash_etag(
    call: &OperatorCall,
    media_type: &str,
    written: Vec<u8>,
) -> HandlerResult {
    let digest = Sha256::digest(&written);
    let version =
        digest.iter().take(VERSION_BYTES).fold(0_i64, |version, byte| (version << 8) | i64::from(*byte));
    let reading =
        GetResponse::with_etag(&call.incoming, media_type, media_type_tag(call, version, media_type));
    if media_type == JSON {
        return reading.rows_response(Rows::All(vec![written]), |content, _, out| {
            out.extend_from_slice(content);
            Ok(())
        });
    }
    match reading.without_body() {
        Some(response) => Ok(response),
        None => reading.with_body(Content::Complete(written)),
    }
}

/// The number of bytes of a digest that are used as a version. With 7 bytes, the version is a positive
/// number. Two responses of one path are unlikely to have the same version.
const VERSION_BYTES: usize = 7;

/// Returns the entity tag for a collection with this stored version.
pub(super) fn collection_tag(call: &OperatorCall, stored: i64) -> EntityTag {
    media_type_tag(call, stored, JSON)
}

fn media_type_tag(call: &OperatorCall, stored: i64, media_type: &str) -> EntityTag {
    let incoming = &call.incoming;
    EntityTag::new(&EtagInputs {
        stored_version: stored,
        day: None,
        // Callers with fewer permissions see masked values, so their responses have different entity tags.
        application: match call.tax_id_masking() {
            TaxIdMasking::Masked => "reader",
            TaxIdMasking::Support => "support",
            TaxIdMasking::Unmasked => "operator",
        },
        access: 0,
        scopes: Scopes::NONE,
        base: &incoming.base_url(),
        target: &format!("{}?{}", incoming.path(), incoming.raw_query()),
        media_type,
    })
}

/// Creates the response to a GET of a collection of objects.
///
/// # Errors
/// Returns the errors of [`collection_response`].
pub(super) fn resources_response(
    call: &OperatorCall,
    page: RequestedPage,
    listing: Listing<Versioned<Resource>>,
) -> HandlerResult {
    let tax_ids = call.tax_id_masking();
    collection_response(call, page, listing, move |row| document::write_resource(&row.value, tax_ids))
}

/// Creates the response to a GET of one object. The response is 304 if the client has this version.
///
/// # Errors
/// The errors of [`GetResponse::with_body`], which occur only for a streamed response, and never here.
pub(super) fn single_response(call: &OperatorCall, version: i64, content: String) -> HandlerResult {
    let reading = GetResponse::with_etag(&call.incoming, JSON, EntityTag::from_version(version));
    reading.rows_response(Rows::All(vec![content]), |content, _, out| {
        out.extend_from_slice(content.as_bytes());
        Ok(())
    })
}

/// Creates the response 204 (no content) to a change.
pub(super) fn no_content_response() -> HttpResponse {
    HttpResponse::NoContent().finish()
}

/// Creates the response to a change. This response may be stored for the idempotency key.
pub(super) fn create_stored_response(
    status: u16,
    content: &str,
    links: Vec<Link<'static>>,
) -> Result<StoredResponse, StoreError> {
    let body = Envelope { metadata: None, links }.serialize(&[content], |content, out| {
        out.extend_from_slice(content.as_bytes());
        Ok(())
    })?;
    Ok(StoredResponse { status, content_type: JSON.to_owned(), body })
}

/// Creates the response 200 with an object after its change.
///
/// # Errors
/// [`Failure::Bug`] if the response cannot be composed.
pub(super) fn changed_response(call: &OperatorCall, version: i64, content: &str) -> HandlerResult {
    with_etag(
        response::from_stored(create_stored_response(200, content, vec![link_to_request(call)])?)?,
        version,
    )
}

/// Creates the response 200 with content that GET of the same path would not return. The response therefore
/// has no entity tag.
///
/// # Errors
/// 503 API-503 if the content is a stream and too many responses are being streamed.
pub(super) fn content_response(call: &OperatorCall, content: Content) -> HandlerResult {
    let mut head = HttpResponse::Ok();
    head.insert_header((CONTENT_TYPE, JSON));
    Ok(match content {
        Content::Complete(bytes) => head.body(bytes),
        Content::Stream(chunks) => {
            let incoming = &call.incoming;
            head.streaming(incoming.api.streams.stream_response(chunks, &incoming.context.request_id)?)
        }
    })
}

/// Returns the link to the request. For a GET, the link contains the query, so that following the link
/// returns the same content. For other methods, the link is the path without the query. A client can read
/// this path with GET.
pub(super) fn link_to_request(call: &OperatorCall) -> Link<'static> {
    let incoming = &call.incoming;
    if !matches!(*incoming.method(), Method::GET | Method::HEAD) {
        return Link::to_self(Href::Complete(request_address(call)));
    }
    let base = incoming.base_url();
    let url = CollectionUrl { base: &base, path: incoming.path(), query: incoming.raw_query() };
    Link::to_self(Href::Complete(url.self_url()))
}

/// Returns the requested URL without its query.
pub(super) fn request_address(call: &OperatorCall) -> String {
    format!("{}{}", call.incoming.base_url(), call.incoming.path())
}

/// Adds the entity tag of this version to the response.
pub(super) fn with_etag(mut response: HttpResponse, version: i64) -> HandlerResult {
    let tag = HeaderValue::try_from(EntityTag::from_version(version).header());
    response.headers_mut().insert(ETAG, tag.map_err(|error| Failure::Bug(error.into()))?);
    Ok(response)
}

/// The response to the creation of an object, with the object's URL.
pub(crate) struct CreatedResponse {
    location: String,
    stored_response: StoredResponse,
    response: StoredResponse,
}

impl CreatedResponse {
    /// Composes the response to a POST that creates an object with this id. `stored_body` is the body that is
    /// stored for the idempotency key. The stored body contains no tax identity and no secret that is shown
    /// only once.
    ///
    /// # Errors
    /// [`Failure::Bug`] if the response cannot be composed.
    pub(super) fn new(
        call: &OperatorCall,
        id: &str,
        response_body: &str,
        stored_body: &str,
    ) -> Result<Self, Failure> {
        Self::in_collection(&request_address(call), id, response_body, stored_body)
    }

    /// Composes the response like [`Self::new`], for an object in the collection at this URL.
    ///
    /// # Errors
    /// Returns the errors of [`Self::new`].
    pub(super) fn in_collection(
        collection: &str,
        id: &str,
        response_body: &str,
        stored_body: &str,
    ) -> Result<Self, Failure> {
        Self::with_location(format!("{collection}/{id}"), response_body, stored_body)
    }

    /// Composes the response like [`Self::new`], for an object at this URL.
    ///
    /// # Errors
    /// Returns the errors of [`Self::new`].
    pub(super) fn with_location(
        location: String,
        response_body: &str,
        stored_body: &str,
    ) -> Result<Self, Failure> {
        let links = || vec![Link::to_self(Href::Complete(location.clone()))];
        let (sent, stored_response) = (
            create_stored_response(201, response_body, links())?,
            create_stored_response(201, stored_body, links())?,
        );
        Ok(Self { location, stored_response, response: sent })
    }

    /// Returns the response that is stored for the idempotency key.
    pub(super) const fn stored_response(&self) -> &StoredResponse {
        &self.stored_response
    }

    /// Sends 201 after the object was stored with this version.
    ///
    /// # Errors
    /// [`Failure::Bug`] if the URL is not a valid header value.
    pub(super) fn send_created(self, version: i64) -> HandlerResult {
        let mut response = with_etag(response::from_stored(self.response)?, version)?;
        let location = HeaderValue::try_from(self.location).map_err(|error| Failure::Bug(error.into()))?;
        response.headers_mut().insert(LOCATION, location);
        Ok(response)
    }
}
