//! The failures of requests. This is the only module that maps a failure to an HTTP status.
//!
//! There are three kinds of failure: a rejected request ([`Rejection`]), a failure of the storage
//! ([`StoreError`]) and a bug ([`Failure::Bug`]). The cause of the last two is logged once, with the id of
//! the request.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{ALLOW, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use payroll_domain::access::Scope;
use payroll_domain::code::{Reason, ReasonKind};
use payroll_domain::violation::{Violation, Violations};
use payroll_ports::{BoxError, StoreError};
use serde::Serialize;

use crate::shared::limits::RETRY_AFTER_SECONDS;

/// The reason for which a request failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The request is invalid or not permitted.
    Refused(Rejection),
    /// An operator has marked the company as being converted. The response is 409 without a body.
    BeingConverted,
    /// The storage failed or is unreachable.
    Store(StoreError),
    /// A bug in this program.
    Bug(BoxError),
}

/// A rejected request: its faults, and additional headers of the response.
#[derive(Debug)]
pub(crate) struct Rejection {
    faults: Violations,
    headers: Vec<(HeaderName, HeaderValue)>,
    /// An error code of RFC 6749, which the response of the token operation also contains.
    oauth_error: Option<&'static str>,
}

/// The description for an unknown company. [`Failure::with_unknown_id`] replaces it by a sentence that
/// contains the id in the path.
const UNKNOWN_COMPANY_DESCRIPTION: &str = "there is no such company";

/// The descriptions of the error for an unknown id in a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnknownIdDescriptions {
    /// The description if the last id of the path, or its parent object, is unknown.
    pub(crate) object: String,
    /// The description if the company in the path is unknown, or if the worker or check that determines the
    /// company is unknown.
    pub(crate) company: String,
}

/// Returns 404 API-7 for an unknown company in the path.
pub(crate) fn unknown_company_fault() -> Violation {
    Violation::new(Reason::UnknownResource, UNKNOWN_COMPANY_DESCRIPTION)
}

/// Returns the HTTP status for a kind of error.
pub(crate) const fn status_for_kind(kind: ReasonKind) -> StatusCode {
    match kind {
        ReasonKind::Fault => StatusCode::BAD_REQUEST,
        ReasonKind::NotAuthenticated => StatusCode::UNAUTHORIZED,
        ReasonKind::Forbidden => StatusCode::FORBIDDEN,
        ReasonKind::Unknown => StatusCode::NOT_FOUND,
        ReasonKind::NotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        ReasonKind::NotAcceptable => StatusCode::NOT_ACCEPTABLE,
        ReasonKind::TooSlow => StatusCode::REQUEST_TIMEOUT,
        ReasonKind::Conflict => StatusCode::CONFLICT,
        ReasonKind::Gone => StatusCode::GONE,
        ReasonKind::PreconditionFailed => StatusCode::PRECONDITION_FAILED,
        ReasonKind::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        ReasonKind::UriTooLong => StatusCode::URI_TOO_LONG,
        ReasonKind::MediaTypeUnsupported => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        ReasonKind::KeyReused | ReasonKind::NotYet => StatusCode::UNPROCESSABLE_ENTITY,
        ReasonKind::Locked => StatusCode::LOCKED,
        ReasonKind::PreconditionRequired => StatusCode::PRECONDITION_REQUIRED,
        ReasonKind::TooMany => StatusCode::TOO_MANY_REQUESTS,
        ReasonKind::HeadersTooLarge => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
        ReasonKind::Failed => StatusCode::INTERNAL_SERVER_ERROR,
        ReasonKind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
    }
}

/// Returns the reason that a client sees for a failure of the storage.
const fn store_error_reason(error: &StoreError) -> Reason {
    match error {
        StoreError::CompanyBusy => Reason::CompanyLocked,
        StoreError::TotalTooLarge => Reason::Conflict,
        StoreError::Unavailable(_) => Reason::Unavailable,
        StoreError::Corrupt { .. } | StoreError::Bug(_) => Reason::Internal,
    }
}

/// Returns the common status of several faults, or 400 if their statuses differ.
fn common_status(faults: &Violations) -> StatusCode {
    let mut statuses = faults.iter().map(|fault| status_for_kind(fault.reason.kind()));
    let first = statuses.next().unwrap_or(StatusCode::BAD_REQUEST);
    if statuses.all(|other| other == first) { first } else { StatusCode::BAD_REQUEST }
}

impl Failure {
    /// Returns 401 API-102 for a request without a token.
    pub(crate) fn missing_token() -> Self {
        Self::not_authenticated("Bearer")
    }

    /// Returns 401 API-102 for an invalid or expired token.
    pub(crate) fn invalid_token() -> Self {
        Self::not_authenticated("Bearer error=\"invalid_token\"")
    }

    /// Returns 403 API-2 for a token or grant without this scope (RFC 6750, section 3.1).
    pub(crate) fn insufficient_scope(scope: Scope) -> Self {
        let challenge = format!("Bearer error=\"insufficient_scope\", scope=\"{}\"", scope.as_str());
        let failure = Self::from(Reason::NotAuthorized);
        // The conversion to a header value cannot fail, because names of scopes are visible ASCII.
        match HeaderValue::try_from(challenge) {
            Ok(challenge) => failure.with_header(WWW_AUTHENTICATE, challenge),
            Err(_) => failure,
        }
    }

    fn not_authenticated(challenge: &'static str) -> Self {
        Self::from(Reason::NotAuthenticated)
            .with_header(WWW_AUTHENTICATE, HeaderValue::from_static(challenge))
    }

    /// Adds the URL of the resource metadata to the challenge of a 401 (RFC 9728, section 5.1). Clients find
    /// the token endpoint in this metadata.
    pub(crate) fn with_resource_metadata(mut self, url: &str) -> Self {
        if let Self::Refused(refusal) = &mut self {
            for (_, challenge) in refusal.headers.iter_mut().filter(|(name, _)| *name == WWW_AUTHENTICATE) {
                let separator = if challenge.as_bytes().contains(&b'=') { ", " } else { " " };
                let text = challenge.to_str().unwrap_or("Bearer");
                // If the URL cannot be part of a header value, the challenge is sent without the URL.
                if let Ok(longer) =
                    HeaderValue::try_from(format!("{text}{separator}resource_metadata=\"{url}\""))
                {
                    *challenge = longer;
                }
            }
        }
        self
    }

    /// Adds a header to the response of a rejected request.
    pub(crate) fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        if let Self::Refused(refusal) = &mut self {
            refusal.headers.push((name, value));
        }
        self
    }

    /// Adds the header `Allow` with the supported methods if the status is 405.
    pub(crate) fn with_allow_header(self, methods: HeaderValue) -> Self {
        match &self {
            Self::Refused(refusal) if common_status(&refusal.faults) == StatusCode::METHOD_NOT_ALLOWED => {
                self.with_header(ALLOW, methods)
            }
            Self::Refused(_) | Self::BeingConverted | Self::Store(_) | Self::Bug(_) => self,
        }
    }

    /// Replaces the generic description by a sentence with the id, if the error says that an object or a
    /// company is unknown.
    pub(crate) fn with_unknown_id(
        self,
        descriptions: impl FnOnce() -> Option<UnknownIdDescriptions>,
    ) -> Self {
        if !self.reasons().contains(&Reason::UnknownResource) {
            return self;
        }
        let Some(UnknownIdDescriptions { object: last, company }) = descriptions() else { return self };
        let general = Violation::from(Reason::UnknownResource);
        self.with_changed_faults(|mut fault| {
            if fault == general {
                fault.description.clone_from(&last);
            } else if fault.reason == general.reason && fault.description == UNKNOWN_COMPANY_DESCRIPTION {
                fault.description.clone_from(&company);
            }
            fault
        })
    }

    /// Replaces each fault of a rejected request by the result of `change`.
    pub(crate) fn with_changed_faults(mut self, change: impl Fn(Violation) -> Violation) -> Self {
        if let Self::Refused(refusal) = &mut self {
            let faults = refusal.faults.iter().cloned().map(change).collect();
            if let Some(faults) = Violations::from_faults(faults) {
                refusal.faults = faults;
            }
        }
        self
    }

    /// Returns the faults if at least one of them points to a member of the document, else `None`.
    pub(crate) fn document_faults(&self) -> Option<&Violations> {
        match self {
            Self::Refused(refusal) => {
                Some(&refusal.faults).filter(|faults| faults.iter().any(|fault| fault.pointer.is_some()))
            }
            Self::BeingConverted | Self::Store(_) | Self::Bug(_) => None,
        }
    }

    /// Returns the faults of a rejected request. Any other failure is returned unchanged as an error.
    ///
    /// # Errors
    /// The failure itself, if it is not a rejected request.
    pub(crate) fn into_faults(self) -> Result<Vec<Violation>, Self> {
        match self {
            Self::Refused(refusal) => Ok(refusal.faults.iter().cloned().collect()),
            Self::BeingConverted | Self::Store(_) | Self::Bug(_) => Err(self),
        }
    }

    /// Returns the errors that the response contains.
    pub(crate) fn errors(&self) -> Vec<Violation> {
        match self {
            Self::Refused(refusal) => refusal.faults.iter().cloned().collect(),
            Self::BeingConverted | Self::Store(_) | Self::Bug(_) => {
                self.reasons().into_iter().map(Violation::from).collect()
            }
        }
    }

    /// Adds the header `Retry-After` with this number of seconds, at least 1.
    pub(crate) fn with_retry_after(self, seconds: i64) -> Self {
        self.with_header(RETRY_AFTER, HeaderValue::from(seconds.max(1)))
    }

    /// Adds an error code of RFC 6749 to the envelope.
    pub(crate) fn with_oauth_error(mut self, code: &'static str) -> Self {
        if let Self::Refused(refusal) = &mut self {
            refusal.oauth_error.get_or_insert(code);
        }
        self
    }

    /// Replaces the descriptions of locks by the general description, without the holder and the reason of
    /// the lock. The holder is an operator, and the reason is a text for other operators. Partners must not
    /// see the holder or the reason.
    pub(crate) fn without_lock_details(mut self) -> Self {
        if let Self::Refused(rejection) = &mut self
            && rejection.faults.all_have_reason(Reason::CompanyLocked)
        {
            rejection.faults = Reason::CompanyLocked.into();
        }
        self
    }

    /// Returns the distinct reasons of the failure. The list is empty if the response has no code.
    pub(crate) fn reasons(&self) -> Vec<Reason> {
        let mut reasons = Vec::new();
        match self {
            Self::Refused(refusal) => {
                for fault in refusal.faults.iter() {
                    if !reasons.contains(&fault.reason) {
                        reasons.push(fault.reason);
                    }
                }
            }
            Self::BeingConverted => {}
            Self::Store(error) => reasons.push(store_error_reason(error)),
            Self::Bug(_) => reasons.push(Reason::Internal),
        }
        reasons
    }

    /// Converts the failure to a response. Failures of the storage and bugs are logged here and nowhere else.
    pub(crate) fn into_response(self, request_id: &str) -> HttpResponse {
        match self {
            Self::Refused(refusal) => refusal.into_response(),
            Self::BeingConverted => HttpResponse::new(StatusCode::CONFLICT),
            Self::Store(error) => {
                let reason = store_error_reason(&error);
                match error {
                    StoreError::CompanyBusy => {}
                    StoreError::TotalTooLarge => {
                        let fault = Violation::new(reason, error.to_string());
                        return Self::from(fault).into_response(request_id);
                    }
                    StoreError::Unavailable(_) => {
                        crate::shared::outage_log::log_unavailable(request_id, &error);
                    }
                    StoreError::Corrupt { .. } | StoreError::Bug(_) => {
                        tracing::error!(request_id, error = %error, "the request failed");
                    }
                }
                let failure = Self::from(reason);
                let failure = if reason == Reason::Internal {
                    failure
                } else {
                    failure.with_retry_after(RETRY_AFTER_SECONDS.into())
                };
                failure.into_response(request_id)
            }
            Self::Bug(error) => {
                tracing::error!(request_id, error = %error, "the request failed");
                Self::from(Reason::Internal).into_response(request_id)
            }
        }
    }
}

impl Rejection {
    fn into_response(self) -> HttpResponse {
        let mut response = HttpResponse::build(common_status(&self.faults));
        response.insert_header((CONTENT_TYPE, "application/json"));
        for header in self.headers {
            response.append_header(header);
        }
        let description = self.faults.iter().next().map(|fault| fault.description.as_str());
        let body = ErrorBody {
            errors: self.faults.as_slice(),
            error: self.oauth_error,
            error_description: self.oauth_error.and(description),
        };
        // Serialization cannot fail, because the body contains only strings.
        response.body(serde_json::to_vec(&body).unwrap_or_default())
    }
}

impl From<Violations> for Failure {
    fn from(faults: Violations) -> Self {
        Self::Refused(Rejection { faults, headers: Vec::new(), oauth_error: None })
    }
}

impl From<Violation> for Failure {
    fn from(fault: Violation) -> Self {
        Violations::from(fault).into()
    }
}

impl From<Reason> for Failure {
    fn from(reason: Reason) -> Self {
        Violations::from(reason).into()
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// The error envelope with the serialized [`Violations`] and, for the token operation, the error of RFC 6749.
#[derive(Serialize)]
struct ErrorBody<'a> {
    errors: &'a [Violation],
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_description: Option<&'a str>,
}

#[cfg(test)]
mod tests;
