//! A received request, with functions that interpret its HTTP parts.

use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;
use std::sync::Arc;

use actix_http::Request;
use actix_web::dev::Payload;
use actix_web::http::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE, HOST, HeaderMap, HeaderValue};
use actix_web::http::{Method, Uri};
use actix_web::web::Bytes;
use payroll_domain::code::Reason;
use payroll_domain::input::Node;
use payroll_domain::violation::Violation;

use crate::shared::api::ListenerState;
use crate::shared::body::{BodyLimits, BodyProgress, BodyReader};
use crate::shared::error::Failure;
use crate::shared::media_type::{AcceptedTypes, is_accepted_type};
use crate::shared::query::Query;
use crate::shared::request_context::RequestContext;
use crate::shared::request_log::BodyStart;
use crate::transport::connection::ConnectionState;
use crate::transport::forwarded::{self, RequestOrigins, is_host};

/// A request whose caller is not authenticated yet.
pub(crate) struct IncomingRequest {
    pub(crate) api: Arc<ListenerState>,
    pub(crate) context: Rc<RequestContext>,
    http: Request,
    payload: Payload,
    connection: Rc<ConnectionState>,
}

/// A request body, either complete or not read to its end yet.
pub(crate) enum ReadBody {
    Complete(Bytes),
    /// The body is large, and the caller's permission to send a large body is not verified yet.
    Large(BodyReader),
}

impl IncomingRequest {
    pub(crate) fn new(
        api: Arc<ListenerState>,
        context: Rc<RequestContext>,
        http: Request,
        (payload, connection): (Payload, Rc<ConnectionState>),
    ) -> Self {
        Self { api, context, http, payload, connection }
    }

    /// Returns the state that this request shares with its connection.
    pub(crate) const fn connection(&self) -> &Rc<ConnectionState> {
        &self.connection
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        &self.http.head().headers
    }

    pub(crate) fn method(&self) -> &Method {
        self.http.method()
    }

    /// Returns the URI as it was sent. The clone shares the text with the request.
    pub(crate) fn uri(&self) -> Uri {
        self.http.uri().clone()
    }

    /// Returns the path of the URL as the client sent it.
    pub(crate) fn path(&self) -> &str {
        self.http.uri().path()
    }

    /// Returns the query of the URL as the client sent it, without the question mark.
    pub(crate) fn raw_query(&self) -> &str {
        self.http.uri().query().unwrap_or_default()
    }

    /// Parses the parameters of the query.
    pub(crate) fn query(&self) -> Query {
        Query::parse(self.raw_query())
    }

    /// Whether the client requested only the headers of the response (method HEAD).
    pub(crate) fn is_head(&self) -> bool {
        self.http.method() == Method::HEAD
    }

    /// Chooses the media type that the client prefers among the offered ones.
    ///
    /// # Errors
    /// 406 API-75 if the client accepts none of the offered types.
    pub(crate) fn negotiate<'t>(&self, offers: &[&'t str]) -> Result<&'t str, Violation> {
        let lines = self.headers().get_all(ACCEPT).map(HeaderValue::as_bytes);
        AcceptedTypes::parse(lines).choose(offers).ok_or_else(|| {
            let description = format!("the response is available as {}", offers.join(" or "));
            Violation::new(Reason::NotAcceptable, description)
        })
    }

    /// Verifies that the body has one of these media types and is not compressed.
    ///
    /// # Errors
    /// 415 API-415 if the body has another type or is compressed.
    pub(crate) fn check_content_type(&self, accepted: &[&str]) -> Result<(), Violation> {
        let lines = self.headers().get_all(CONTENT_TYPE).map(HeaderValue::as_bytes);
        let plain = |coding: &HeaderValue| coding.as_bytes().eq_ignore_ascii_case(b"identity");
        if is_accepted_type(lines, accepted) && self.headers().get_all(CONTENT_ENCODING).all(plain) {
            return Ok(());
        }
        let description = format!("the body must be sent as {}, not compressed", accepted.join(" or "));
        Err(Violation::new(Reason::MediaTypeUnsupported, description))
    }

    /// Whether the body has this media type.
    pub(crate) fn has_media_type(&self, media_type: &str) -> bool {
        is_accepted_type(self.headers().get_all(CONTENT_TYPE).map(HeaderValue::as_bytes), &[media_type])
    }

    /// Determines the client's address and the URL that the client used, from trusted proxies or from the
    /// connection.
    fn origins(&self) -> RequestOrigins {
        forwarded::read(self.headers(), self.http.peer_addr(), &self.api.settings.trusted_proxies)
    }

    /// Returns the address of the client, as reported by trusted proxies.
    pub(crate) fn client_address(&self) -> Option<IpAddr> {
        self.origins().peer
    }

    /// Returns the address at the other end of the connection, which may be a proxy.
    pub(crate) fn peer_address(&self) -> Option<SocketAddr> {
        self.http.peer_addr()
    }

    /// Returns the base URL of links: the configured base URL, or the base URL that the client used.
    pub(crate) fn base_url(&self) -> String {
        if let Some(configured) = &self.api.settings.public_base_url {
            return configured.trim_end_matches('/').to_owned();
        }
        let RequestOrigins { scheme, host, .. } = self.origins();
        let scheme = scheme.unwrap_or(self.api.scheme).as_str();
        let own = || self.headers().get(HOST)?.to_str().ok().filter(|host| is_host(host)).map(str::to_owned);
        match host.or_else(own) {
            Some(host) => format!("{scheme}://{host}"),
            None => format!("{scheme}://{}", self.api.address),
        }
    }

    /// Takes the payload, for a reader that processes the body in chunks.
    pub(crate) fn take_payload(&mut self) -> Payload {
        std::mem::replace(&mut self.payload, Payload::None)
    }

    /// Creates a reader for a body that is a JSON document.
    ///
    /// # Errors
    /// The reason `too_large` if the announced length exceeds the setting for bodies.
    pub(crate) fn document_reader(&mut self, too_large: Reason) -> Result<BodyReader, Violation> {
        self.body_reader(self.api.settings.max_body_bytes, too_large, true)
    }

    fn body_reader(
        &mut self,
        max_bytes: usize,
        too_large: Reason,
        is_document: bool,
    ) -> Result<BodyReader, Violation> {
        let timeout = self.api.settings.body_timeout;
        let limits = BodyLimits { max_bytes, timeout, too_large, is_document };
        let payload = self.take_payload();
        let memory = self.api.memory.new_reservation(self.context.application.get().cloned());
        BodyReader::new(payload, self.headers(), limits, memory)
    }

    /// Whether the caller must be authorized before the body is read: the body is announced as large, or the
    /// client waits for `100 Continue`.
    pub(crate) fn must_authorize_before_body(&self, reader: &BodyReader) -> bool {
        reader.has_large_announced_length() || self.connection.expects_continue()
    }

    /// Continues to read the body. Returns the complete body, or returns the reader if the body is large.
    ///
    /// # Errors
    /// The errors of [`BodyReader::read_to_end`] and [`BodyReader::into_body`].
    pub(crate) async fn read_body(&self, mut reader: BodyReader) -> Result<ReadBody, Failure> {
        Ok(match reader.read_to_end(&self.connection).await? {
            BodyProgress::Large => ReadBody::Large(reader),
            BodyProgress::Complete => {
                let finished = reader.into_body();
                if let (true, Ok((bytes, _))) = (self.must_store_body_start(), &finished) {
                    let _ = self.context.body.set(BodyStart::from_body(bytes));
                }
                let (bytes, memory) = finished?;
                // The request context holds the reservation, so the memory stays reserved until the end of
                // the request.
                self.context.memory.replace(Some(memory));
                ReadBody::Complete(bytes)
            }
        })
    }

    /// Whether to store the beginning of the body for the request log, which contains it if the request
    /// fails.
    fn must_store_body_start(&self) -> bool {
        let content_type = || self.headers().get(CONTENT_TYPE)?.to_str().ok();
        self.api.settings.request_details
            && self.context.application.get().is_some()
            && content_type().is_some_and(|content_type| content_type.contains("json"))
    }

    /// Reads the JSON document of an authorized caller.
    ///
    /// # Errors
    /// Returns the errors of [`BodyReader::read_to_end`].
    pub(crate) async fn read_document_body(&mut self, too_large: Reason) -> Result<Bytes, Failure> {
        let reader = self.document_reader(too_large)?;
        self.read_to_end(reader).await
    }

    /// Reads the JSON document of an authorized caller. The maximum size is `max_bytes`, or the maximum
    /// size of bodies in the settings if the setting is larger.
    pub(crate) async fn read_large_document_body(&mut self, max_bytes: usize) -> Result<Bytes, Failure> {
        let max_bytes = max_bytes.max(self.api.settings.max_body_bytes);
        let reader = self.body_reader(max_bytes, Reason::BodyTooLarge, true)?;
        self.read_to_end(reader).await
    }

    /// Reads the body as a form. This function may be called before the caller is authorized.
    ///
    /// # Errors
    /// Returns the errors of [`BodyReader::read_to_end`].
    pub(crate) async fn read_form(&mut self, max_bytes: usize) -> Result<Bytes, Failure> {
        let reader = self.body_reader(max_bytes, Reason::BodyTooLarge, false)?;
        self.read_to_end(reader).await
    }

    async fn read_to_end(&self, mut reader: BodyReader) -> Result<Bytes, Failure> {
        loop {
            reader.allow_large_body();
            match self.read_body(reader).await? {
                ReadBody::Complete(bytes) => return Ok(bytes),
                ReadBody::Large(more) => reader = more,
            }
        }
    }

    /// Changes the memory reservation of the request to this number of bytes. A request whose body was not
    /// read has no reservation, and this function adds none.
    ///
    /// # Errors
    /// API-429 or API-503 if there is currently no memory. API-413 if the size exceeds the entire budget or
    /// the application's share of the budget.
    pub(crate) fn reserve_memory(&self, bytes: usize) -> Result<(), Failure> {
        match self.context.memory.borrow_mut().as_mut() {
            Some(memory) => {
                memory.resize(bytes).map_err(|refusal| refusal.into_failure(Reason::BodyTooLarge))
            }
            None => Ok(()),
        }
    }

    /// Reserves memory for a response that is read from a file or another store.
    ///
    /// # Errors
    /// API-429 or API-503 if there is no memory for the response.
    pub(crate) fn reserve_for_response(&self, bytes: usize) -> Result<(), Failure> {
        let mut memory = self.api.memory.new_reservation(self.context.application.get().cloned());
        memory.resize(bytes).map_err(|refusal| refusal.into_failure(Reason::Unavailable))?;
        self.context.memory.replace(Some(memory));
        Ok(())
    }

    /// Processes a body. A large body is processed outside the threads that serve requests.
    ///
    /// # Errors
    /// Returns the errors of `work`.
    pub(crate) async fn process_body<T: Send + 'static>(
        &self,
        body: &Bytes,
        work: impl FnOnce(&[u8]) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let (bytes, body) = (body.len(), body.clone());
        self.api.blocking_pool.run_in_pool(bytes, move || work(&body)).await?
    }

    /// Parses a JSON document. A large document is parsed outside the threads that serve requests.
    ///
    /// # Errors
    /// 400 if the body is not JSON, and the errors of `read`.
    pub(crate) async fn read_document<T, E>(
        &self,
        body: &Bytes,
        read: impl FnOnce(Node<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, Failure>
    where
        T: Send + 'static,
        E: Into<Failure>,
    {
        self.api.blocking_pool.parse(body.clone(), read).await
    }
}
