//! Responses of the operator API, and their conversion to errors for the user of the command line.

use std::fmt;

use serde::Deserialize;
use serde_json::Value;

use crate::failure::{Failure, Outcome};
use crate::terminal::replace_control_characters;

/// The body that is used if a response has no body: an empty envelope.
const EMPTY_ENVELOPE: &[u8] = br#"{"content":[],"links":[]}"#;

/// The status of a response to an unknown or revoked operator key.
const UNAUTHORIZED: u16 = 401;
/// The error text for an unknown or revoked operator key.
const UNKNOWN_KEY_MESSAGE: &str = "API-102 the server does not know the operator key, or it was revoked\n  \
    `payroll-server operator-key list` on the server's machine lists the keys.";
/// The statuses for a document that is invalid or conflicts with stored data.
const DOCUMENT_ERROR_STATUSES: [u16; 2] = [400, 409];

/// The header of an export that contains the number of omitted checks.
pub(super) const OMITTED_CHECK_COUNT_HEADER: &str = "checks-left-out";

/// A response of the operator API.
#[derive(Debug)]
pub(crate) struct OperatorResponse {
    status: u16,
    etag: Option<String>,
    body: Vec<u8>,
    /// The number of checks that an export omitted.
    omitted_checks: u64,
}

/// The envelope of a successful response.
#[derive(Deserialize)]
struct Envelope {
    content: Vec<Value>,
    #[serde(default)]
    links: Vec<Link>,
}

#[derive(Deserialize)]
struct Link {
    rel: String,
    href: String,
}

/// The envelope of an error response.
#[derive(Deserialize)]
struct ErrorEnvelope {
    errors: Vec<Fault>,
}

/// A fault in a request, or in a line of an import.
#[derive(Deserialize)]
pub(crate) struct Fault {
    code: String,
    #[serde(default)]
    description: String,
    resolution: Option<String>,
    pointer: Option<String>,
}

impl OperatorResponse {
    pub(super) fn new(status: u16, etag: Option<String>, body: Vec<u8>) -> Self {
        let body = if body.is_empty() { EMPTY_ENVELOPE.to_vec() } else { body };
        Self { status, etag, body, omitted_checks: 0 }
    }

    /// Sets the number of omitted checks from the header of an export. A missing header means 0.
    pub(super) fn with_omitted_checks(mut self, checks: Option<&str>) -> Self {
        self.omitted_checks = checks.and_then(|checks| checks.parse().ok()).unwrap_or(0);
        self
    }

    /// Returns the number of checks that an export omitted. The pay periods of these checks are unprocessed,
    /// so an import would reject the checks.
    pub(crate) const fn omitted_check_count(&self) -> u64 {
        self.omitted_checks
    }

    /// Returns the entity tag of the response, which is the version of the object; `None` without an entity
    /// tag.
    pub(crate) fn etag(&self) -> Option<&str> {
        self.etag.as_deref()
    }

    /// Returns the body of the response, unchanged.
    pub(crate) fn body(&self) -> &[u8] {
        &self.body
    }

    /// Returns the elements in the envelope.
    ///
    /// # Errors
    /// The response does not have the format of the operator API.
    pub(crate) fn content(&self) -> Outcome<Vec<Value>> {
        Ok(self.envelope()?.content)
    }

    /// Returns the only element in the envelope.
    ///
    /// # Errors
    /// The response does not have the format of the operator API, or contains no element.
    pub(crate) fn single_object(&self) -> Outcome<Value> {
        self.content()?.into_iter().next().ok_or_else(|| self.unexpected_response_failure())
    }

    /// Returns the value of a query parameter in the link with the given relation, such as `next`. `None` if
    /// there is no such link or parameter.
    ///
    /// # Errors
    /// The response does not have the format of the operator API.
    pub(crate) fn link_parameter(&self, relation: &str, name: &str) -> Outcome<Option<String>> {
        let links = self.envelope()?.links;
        let link = links.into_iter().find(|link| link.rel == relation);
        let query = link.as_ref().and_then(|link| link.href.split_once('?')).map_or("", |(_, query)| query);
        let parameters = query.split('&').filter_map(|pair| pair.split_once('='));
        let mut found = parameters.filter(|(parameter, _)| *parameter == name);
        Ok(found.next_back().map(|(_, value)| value.to_owned()))
    }

    /// Returns whether the object was not found.
    pub(super) const fn is_not_found(&self) -> bool {
        self.status == 404
    }

    /// Returns the faults in the document that was sent. `None` if the request was not rejected because of
    /// its document.
    pub(super) fn document_faults(&self) -> Option<Vec<Fault>> {
        if !DOCUMENT_ERROR_STATUSES.contains(&self.status) {
            return None;
        }
        let refusal: ErrorEnvelope = serde_json::from_slice(&self.body).ok()?;
        refusal.errors.iter().any(|fault| fault.pointer.is_some()).then_some(refusal.errors)
    }

    /// Returns the response if its status is a success.
    ///
    /// # Errors
    /// Describes every fault with its code, description, position and resolution. The exit code is 1 for
    /// faults that the caller can fix, and 2 for failures of the server.
    pub(super) fn into_success(self) -> Outcome<Self> {
        if (200..300).contains(&self.status) {
            return Ok(self);
        }
        let refusal: ErrorEnvelope =
            serde_json::from_slice(&self.body).map_err(|_| self.unexpected_response_failure())?;
        let description = match self.status {
            // The resolution text in the response is written for partners, so operators get this message
            // instead.
            UNAUTHORIZED => UNKNOWN_KEY_MESSAGE.to_owned(),
            _ => refusal.errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
        };
        let failure =
            if self.status < 500 { Failure::refused(description) } else { Failure::new(description) };
        Err(failure.with_document(String::from_utf8_lossy(&self.body).into_owned()))
    }

    fn envelope(&self) -> Outcome<Envelope> {
        serde_json::from_slice(&self.body).map_err(|_| self.unexpected_response_failure())
    }

    fn unexpected_response_failure(&self) -> Failure {
        Failure::new(format!(
            "the response with status {} is not from the operator API. Check that --url names the operator \
             listener (setting operator_listen) of a server of this release",
            self.status
        ))
    }
}

impl Fault {
    /// Returns the code of the fault.
    pub(crate) fn code(&self) -> &str {
        &self.code
    }

    /// Returns the position of the fault in the document; `None` without a position.
    pub(crate) fn pointer(&self) -> Option<&str> {
        self.pointer.as_deref()
    }

    /// Returns the description of the fault.
    pub(crate) fn description(&self) -> &str {
        &self.description
    }

    /// Returns the code, the description and the position in one line.
    pub(crate) fn format_one_line(&self) -> String {
        let place = self.pointer.as_ref().map(|pointer| format!(" ({pointer})")).unwrap_or_default();
        replace_control_characters(&format!("{} {}{place}", self.code, self.description))
    }
}

/// Writes the fault, and its resolution on a second line.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.format_one_line())?;
        match &self.resolution {
            Some(resolution) => write!(f, "\n  {}", replace_control_characters(resolution)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::ExitStatus;

    fn response(status: u16, body: &str) -> OperatorResponse {
        OperatorResponse::new(status, None, body.as_bytes().to_vec())
    }

    #[test]
    fn shows_every_fault_with_code_position_and_resolution() {
        let body = r#"{"errors":[{"code":"API-48","description":"bad\u001b[31m","resolution":"Mend it.","pointer":"/a"},
            {"code":"API-46","description":"missing"}]}"#;
        let failure = response(400, body).into_success().unwrap_err();
        assert_eq!(failure.to_string(), "API-48 bad\u{fffd}[31m (/a)\n  Mend it.\nAPI-46 missing");
        assert_eq!((failure.exit_status(), failure.document()), (ExitStatus::Refused, Some(body)));
    }

    #[test]
    fn distinguishes_server_failures_from_rejections() {
        let body = r#"{"errors":[{"code":"API-503","description":"the storage is away"}]}"#;
        assert_eq!(response(503, body).into_success().unwrap_err().exit_status(), ExitStatus::CouldNotRun);
        assert_eq!(
            response(502, "<html>").into_success().unwrap_err().exit_status(),
            ExitStatus::CouldNotRun
        );
    }

    #[test]
    fn a_response_without_a_body_is_an_empty_envelope() {
        let response = response(204, "").into_success().unwrap();
        assert_eq!((response.body(), response.content().unwrap().len()), (EMPTY_ENVELOPE, 0));
    }

    #[test]
    fn cursor_is_parsed_from_the_next_link() {
        let body = r#"{"content":[],"links":[{"rel":"self","href":"http://x/e?after=1"},
            {"rel":"next","href":"http://x/e?limit=5&after=abc"}]}"#;
        let response = response(200, body);
        assert_eq!(response.link_parameter("next", "after").unwrap().as_deref(), Some("abc"));
        assert_eq!(response.link_parameter("previous", "after").unwrap(), None);
    }
}
