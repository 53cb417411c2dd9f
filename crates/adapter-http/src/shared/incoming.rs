//! A request as it came: its parts, and what they mean to HTTP.

use std::net::IpAddr;
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

use crate::shared::api::Api;
use crate::shared::body::{BodyLimits, BodyReader, Progress};
use crate::shared::error::Failure;
use crate::shared::media_type::{Accept, content_type_fits};
use crate::shared::query::Query;
use crate::shared::request_context::RequestContext;
use crate::transport::connection::ConnectionState;
use crate::transport::forwarded::{self, Origins, is_host};

/// A request whose caller is not known yet.
pub(crate) struct Incoming {
    pub(crate) api: Arc<Api>,
    pub(crate) trail: Rc<RequestContext>,
    http: Request,
    payload: Payload,
    connection: Rc<ConnectionState>,
}

/// A body, as far as it was read.
pub(crate) enum ReadBody {
    Whole(Bytes),
    /// It is large, and the caller's right to send it is not known.
    Large(BodyReader),
}

impl Incoming {
    pub(crate) fn new(
        api: Arc<Api>,
        trail: Rc<RequestContext>,
        http: Request,
        (payload, connection): (Payload, Rc<ConnectionState>),
    ) -> Self {
        Self { api, trail, http, payload, connection }
    }

    /// What it shares with its connection.
    pub(crate) const fn connection(&self) -> &Rc<ConnectionState> {
        &self.connection
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        &self.http.head().headers
    }

    pub(crate) fn method(&self) -> &Method {
        self.http.method()
    }

    /// The address as it was sent; its text is shared, not copied.
    pub(crate) fn address(&self) -> Uri {
        self.http.uri().clone()
    }

    /// The path as it was sent.
    pub(crate) fn path(&self) -> &str {
        self.http.uri().path()
    }

    /// The query as it was sent, without the question mark.
    pub(crate) fn raw_query(&self) -> &str {
        self.http.uri().query().unwrap_or_default()
    }

    /// The parameters of the query.
    pub(crate) fn query(&self) -> Query {
        Query::parse(self.raw_query())
    }

    /// Whether only the head of the response is wanted.
    pub(crate) fn is_head(&self) -> bool {
        self.http.method() == Method::HEAD
    }

    /// The best of the offered media types.
    ///
    /// # Errors
    /// 406 API-75.
    pub(crate) fn negotiate<'t>(&self, offers: &[&'t str]) -> Result<&'t str, Violation> {
        let lines = self.headers().get_all(ACCEPT).map(HeaderValue::as_bytes);
        Accept::parse(lines).choose(offers).ok_or_else(|| {
            let description = format!("the response is available as {}", offers.join(" or "));
            Violation::new(Reason::NotAcceptable, description)
        })
    }

    /// Whether the body is in one of these media types, and not compressed.
    ///
    /// # Errors
    /// 415 API-415.
    pub(crate) fn check_content_type(&self, accepted: &[&str]) -> Result<(), Violation> {
        let lines = self.headers().get_all(CONTENT_TYPE).map(HeaderValue::as_bytes);
        let plain = |coding: &HeaderValue| coding.as_bytes().eq_ignore_ascii_case(b"identity");
        if content_type_fits(lines, accepted) && self.headers().get_all(CONTENT_ENCODING).all(plain) {
            return Ok(());
        }
        let description = format!("the body must be sent as {}, not compressed", accepted.join(" or "));
        Err(Violation::new(Reason::MediaTypeUnsupported, description))
    }

    /// Whether the body is of that media type.
    pub(crate) fn is_of_type(&self, media_type: &str) -> bool {
        content_type_fits(self.headers().get_all(CONTENT_TYPE).map(HeaderValue::as_bytes), &[media_type])
    }

    /// Where the request comes from, as far as it is known.
    fn origins(&self) -> Origins {
        forwarded::read(self.headers(), self.http.peer_addr(), &self.api.settings.trusted_proxies)
    }

    /// The address of the caller, as the proxies in front of the server report it.
    pub(crate) fn peer(&self) -> Option<IpAddr> {
        self.origins().peer
    }

    /// What links begin with: the configured address, or the one that the caller used.
    pub(crate) fn base_url(&self) -> String {
        if let Some(configured) = &self.api.settings.public_base_url {
            return configured.trim_end_matches('/').to_owned();
        }
        let Origins { scheme, host, .. } = self.origins();
        let scheme = scheme.unwrap_or(self.api.scheme).as_str();
        let own = || self.headers().get(HOST)?.to_str().ok().filter(|host| is_host(host)).map(str::to_owned);
        match host.or_else(own) {
            Some(host) => format!("{scheme}://{host}"),
            None => format!("{scheme}://{}", self.api.address),
        }
    }

    /// The body as it comes, for who reads it in pieces.
    pub(crate) fn payload(&mut self) -> Payload {
        std::mem::replace(&mut self.payload, Payload::None)
    }

    /// What reads the body, as a document up to a number of bytes.
    ///
    /// # Errors
    /// That reason for a body that is announced as larger.
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
        let payload = self.payload();
        let memory = self.api.memory.reservation(self.trail.application.get().cloned());
        BodyReader::new(payload, self.headers(), limits, memory)
    }

    /// Whether the caller's right to send the body has to be known before it is read.
    pub(crate) fn is_admitted_first(&self, reader: &BodyReader) -> bool {
        reader.is_announced_large() || self.connection.expects_continue()
    }

    /// Reads on; the complete body, once it is there.
    ///
    /// # Errors
    /// Those of [`BodyReader::read`] and [`BodyReader::finish`].
    pub(crate) async fn read_body(&self, mut reader: BodyReader) -> Result<ReadBody, Failure> {
        Ok(match reader.read(&self.connection).await? {
            Progress::Large => ReadBody::Large(reader),
            Progress::Whole => {
                let (bytes, memory) = reader.finish()?;
                // It is there as long as the request is.
                self.trail.memory.replace(Some(memory));
                ReadBody::Whole(bytes)
            }
        })
    }

    /// Reads the body of a caller who may send it, as a document.
    ///
    /// # Errors
    /// See [`BodyReader`].
    pub(crate) async fn document(&mut self, too_large: Reason) -> Result<Bytes, Failure> {
        let reader = self.document_reader(too_large)?;
        self.whole(reader).await
    }

    /// Reads the body of a caller who may send it, as a document of at most that many bytes where the settings allow fewer.
    ///
    /// # Errors
    /// See [`BodyReader`].
    pub(crate) async fn large_document(&mut self, max_bytes: usize) -> Result<Bytes, Failure> {
        let max_bytes = max_bytes.max(self.api.settings.max_body_bytes);
        let reader = self.body_reader(max_bytes, Reason::BodyTooLarge, true)?;
        self.whole(reader).await
    }

    /// Reads the body as a form, of any caller.
    ///
    /// # Errors
    /// See [`BodyReader`].
    pub(crate) async fn form(&mut self, max_bytes: usize) -> Result<Bytes, Failure> {
        let reader = self.body_reader(max_bytes, Reason::BodyTooLarge, false)?;
        self.whole(reader).await
    }

    async fn whole(&self, mut reader: BodyReader) -> Result<Bytes, Failure> {
        loop {
            reader.admit();
            match self.read_body(reader).await? {
                ReadBody::Whole(bytes) => return Ok(bytes),
                ReadBody::Large(more) => reader = more,
            }
        }
    }

    /// Makes the memory that the request has reserved for its body that large.
    ///
    /// # Errors
    /// API-429 and API-503 where there is no memory for it now, API-413 where there never is.
    pub(crate) fn reserve(&self, bytes: usize) -> Result<(), Failure> {
        match self.trail.memory.borrow_mut().as_mut() {
            Some(memory) => memory.resize(bytes).map_err(|refusal| refusal.failure(Reason::BodyTooLarge)),
            None => Ok(()),
        }
    }

    /// Reserves memory for a response whose bytes are read from elsewhere.
    ///
    /// # Errors
    /// API-429 and API-503 where there is no memory for it.
    pub(crate) fn reserve_for_response(&self, bytes: usize) -> Result<(), Failure> {
        let mut memory = self.api.memory.reservation(self.trail.application.get().cloned());
        memory.resize(bytes).map_err(|refusal| refusal.failure(Reason::Unavailable))?;
        self.trail.memory.replace(Some(memory));
        Ok(())
    }

    /// Works on a body: apart from the threads that serve requests if it is large.
    ///
    /// # Errors
    /// Those of the work.
    pub(crate) async fn work_on<T: Send + 'static>(
        &self,
        body: &Bytes,
        work: impl FnOnce(&[u8]) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let (bytes, body) = (body.len(), body.clone());
        self.api.large_work.run(bytes, move || work(&body)).await?
    }

    /// Reads a document: apart from the threads that serve requests if it is large.
    ///
    /// # Errors
    /// 400 for what is no JSON, and those of the reading.
    pub(crate) async fn read_document<T, E>(
        &self,
        body: &Bytes,
        read: impl FnOnce(Node<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, Failure>
    where
        T: Send + 'static,
        E: Into<Failure>,
    {
        self.api.large_work.read(body.clone(), read).await
    }
}
