//! What a handler is given: the request, who sent it, and the order in which things are refused.
//!
//! The store reads the caller's access beside the data, so most refusals come out of
//! [`Call::open`]. A fault that is found before the store was asked (a media type, a parameter, a
//! body) must not be told to somebody who would not get as far: [`Call::after_authentication`] and
//! [`Call::after_admission`] ask for the access first, only in that case.

use std::rc::Rc;
use std::sync::Arc;

use actix_http::Request;
use actix_web::dev::Payload;
use actix_web::http::Method;
use actix_web::http::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE, HOST, HeaderMap, HeaderValue};
use actix_web::web::Bytes;
use payroll_domain::access::{Access, Caller, Denied, Guarded, Scope};
use payroll_domain::code::Reason;
use payroll_domain::id::CompanyId;
use payroll_domain::violation::Violation;
use payroll_ports::Store;

use crate::api::Api;
use crate::body::{self, BodyLimits};
use crate::dispatch::Trail;
use crate::error::Failure;
use crate::media_type::{Accept, content_type_fits};
use crate::page::Page;
use crate::query::Query;
use crate::rate_limit::Ticket;

/// A request that anybody may have sent.
pub(crate) struct Incoming {
    pub(crate) api: Arc<Api>,
    pub(crate) trail: Rc<Trail>,
    http: Request,
    payload: Payload,
}

/// A request of a caller with a valid token.
pub(crate) struct Call {
    pub(crate) incoming: Incoming,
    pub(crate) caller: Arc<Caller>,
    pub(crate) target: Target,
    pub(crate) ticket: Ticket,
}

/// What a request is for, and which scope it takes.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub(crate) scope: Scope,
    /// The company in the path, when the path has one.
    pub(crate) company: Option<CompanyInPath>,
    /// What is told when there is no such company.
    pub(crate) unknown_company: Reason,
}

/// The company that a path names.
#[derive(Debug, Clone)]
pub(crate) enum CompanyInPath {
    /// Its id.
    Id(CompanyId),
    /// A text that can be no company's id.
    Malformed,
}

impl Incoming {
    pub(crate) const fn new(api: Arc<Api>, trail: Rc<Trail>, http: Request, payload: Payload) -> Self {
        Self { api, trail, http, payload }
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        &self.http.head().headers
    }

    pub(crate) fn method(&self) -> &Method {
        self.http.method()
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

    /// Whether only the head of the answer is wanted.
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
            let description = format!("the answer can be had as {}", offers.join(" or "));
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

    /// The address that the connection comes from.
    pub(crate) fn peer(&self) -> Option<std::net::IpAddr> {
        self.http.peer_addr().map(|address| address.ip())
    }

    /// What links begin with: the configured address, or the one that the caller used.
    pub(crate) fn base_url(&self) -> String {
        if let Some(configured) = &self.api.settings.public_base_url {
            return configured.trim_end_matches('/').to_owned();
        }
        let host = self.headers().get(HOST).and_then(|host| host.to_str().ok()).filter(|host| is_host(host));
        match host {
            Some(host) => format!("http://{host}"),
            None => format!("http://{}", self.api.address),
        }
    }

    /// Reads the body.
    ///
    /// # Errors
    /// See [`body::read`].
    pub(crate) async fn body(&mut self, max_bytes: usize, too_large: Reason) -> Result<Bytes, Violation> {
        let limits = BodyLimits { max_bytes, timeout: self.api.settings.body_timeout, too_large };
        let payload = std::mem::replace(&mut self.payload, Payload::None);
        body::read(payload, &self.http.head().headers, limits).await
    }
}

impl Call {
    pub(crate) fn store(&self) -> &dyn Store {
        self.incoming.api.store.as_ref()
    }

    /// The company that the path names.
    ///
    /// # Errors
    /// What an unknown company is told, or what comes before it, when the text is no id.
    pub(crate) async fn company_id(&self) -> Result<CompanyId, Failure> {
        match &self.target.company {
            Some(CompanyInPath::Id(id)) => Ok(id.clone()),
            Some(CompanyInPath::Malformed) | None => {
                self.admit().await?;
                Err(self.target.unknown_company.into())
            }
        }
    }

    /// The best of the offered media types.
    ///
    /// # Errors
    /// 401 API-102, then 406 API-75.
    pub(crate) async fn negotiate<'t>(&self, offers: &[&'t str]) -> Result<&'t str, Failure> {
        self.after_authentication(self.incoming.negotiate(offers)).await
    }

    /// Takes out what the store sealed, if the caller may have it.
    ///
    /// # Errors
    /// 401 API-102, 404 API-7, 403 API-2, 403 API-68.
    pub(crate) fn open<T>(&self, guarded: Guarded<T>) -> Result<(Access, T), Failure> {
        self.learn(guarded.access());
        let opened = match self.target.company {
            Some(_) => guarded.open(&self.caller, self.target.scope, self.incoming.api.today()),
            None => guarded.open_without_company(&self.caller, self.target.scope),
        };
        opened.map_err(|denied| self.denied(denied))
    }

    /// Whether the token is still worth something, whatever it may be used for.
    ///
    /// # Errors
    /// 401 API-102.
    pub(crate) fn check_authentication(&self, access: &Access) -> Result<(), Failure> {
        self.learn(access);
        access.authenticate().map_err(|denied| self.denied(denied))
    }

    /// Lets a fault speak only after a token that is worth nothing was refused.
    ///
    /// # Errors
    /// 401 API-102, else the fault.
    pub(crate) async fn after_authentication<T, F>(&self, judged: Result<T, F>) -> Result<T, Failure>
    where
        F: Into<Failure>,
    {
        let Err(fault) = judged else { return judged.map_err(Into::into) };
        let access = self.store().access(&self.caller, None).await?;
        self.check_authentication(&access)?;
        Err(fault.into())
    }

    /// Lets a fault speak only after everything was refused that comes before it.
    ///
    /// # Errors
    /// Those of [`Self::open`], else the fault.
    pub(crate) async fn after_admission<T, F>(&self, judged: Result<T, F>) -> Result<T, Failure>
    where
        F: Into<Failure>,
    {
        let Err(fault) = judged else { return judged.map_err(Into::into) };
        self.admit().await?;
        Err(fault.into())
    }

    /// The page that is asked for.
    ///
    /// # Errors
    /// Those of [`Self::open`], then 400 API-40.
    pub(crate) async fn page(&self) -> Result<Page, Failure> {
        self.after_admission(Page::read(&self.incoming.query())).await
    }

    /// Reads the body, for a caller who may send it.
    ///
    /// # Errors
    /// Those of [`Self::open`], then 413 with that reason, 408 API-408 and 400 API-40.
    pub(crate) async fn body(&mut self, too_large: Reason) -> Result<Bytes, Failure> {
        let max_bytes = self.incoming.api.settings.max_body_bytes;
        let read = self.incoming.body(max_bytes, too_large).await;
        self.after_admission(read).await
    }

    /// Asks the store for the access alone, and decides.
    async fn admit(&self) -> Result<(), Failure> {
        let company = match &self.target.company {
            Some(CompanyInPath::Id(id)) => Some(id),
            Some(CompanyInPath::Malformed) | None => None,
        };
        let access = self.store().access(&self.caller, company).await?;
        self.open(Guarded::new(access, ())).map(|_| ())
    }

    fn learn(&self, access: &Access) {
        self.ticket.learn(access.rate_limit_per_minute);
    }

    fn denied(&self, denied: Denied) -> Failure {
        match denied {
            Denied::NotAuthenticated => {
                // The request was not this application's: it must not use up what it may ask.
                self.ticket.give_back();
                Failure::not_authenticated(Some("invalid_token"))
            }
            Denied::UnknownCompany => self.target.unknown_company.into(),
            Denied::NotAuthorized | Denied::EndDated => denied.reason().into(),
        }
    }
}

/// Whether the text may stand in a link as host and port.
fn is_host(text: &str) -> bool {
    let plain =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b':' | b'[' | b']');
    !text.is_empty() && text.bytes().all(plain)
}
