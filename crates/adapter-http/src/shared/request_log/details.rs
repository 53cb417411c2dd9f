//! The details of a rejected or failed request: its query, its errors and the beginning of its body
//! (specification §9.10).

use actix_web::http::StatusCode;
use payroll_domain::violation::Violation;
use payroll_ports::requests::RequestDetails;
use serde::Serialize;

use super::masking;

/// The maximum number of bytes of a request body that the request log stores. A body with twenty checks fits.
pub(crate) const MAX_BODY_BYTES: usize = 8 * 1024;
/// The maximum number of bytes of a query that the request log stores. The queries of all operations are
/// shorter.
const MAX_QUERY_BYTES: usize = 1_024;
/// The maximum number of errors of a request that the request log stores. More errors usually have the same
/// cause.
const MAX_ERRORS: usize = 20;

/// The prefixes of the routes whose bodies are stored. Bodies of other routes can contain secrets of the
/// application, such as the credentials of a hook.
const ROUTES_WITH_STORED_BODY: [&str; 2] = ["/companies", "/workers"];

/// The beginning of a body and its length.
#[derive(Debug)]
pub(crate) struct BodyStart {
    bytes: Vec<u8>,
    length: usize,
}

impl BodyStart {
    /// Copies the beginning of a body.
    pub(crate) fn from_body(body: &[u8]) -> Self {
        let start = body.get(..MAX_BODY_BYTES).unwrap_or(body);
        Self { bytes: start.to_vec(), length: body.len() }
    }

    /// Returns the beginning as text; `None` if the body is not UTF-8. An incomplete character at the end is
    /// omitted. So are digits at the end of an incomplete body, because they may be part of a tax identity.
    fn text(&self) -> Option<&str> {
        let text = match std::str::from_utf8(&self.bytes) {
            Ok(text) => text,
            Err(error) if error.error_len().is_none() => {
                self.bytes.get(..error.valid_up_to()).and_then(|valid| std::str::from_utf8(valid).ok())?
            }
            Err(_) => return None,
        };
        let is_complete = self.bytes.len() == self.length;
        Some(if is_complete { text } else { masking::without_last_digits(text) })
    }
}

/// The stored details. The API returns the details in this form.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MaskedDetails<'a> {
    request_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    query: Option<String>,
    errors: Vec<Violation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    errors_omitted: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body_bytes: Option<usize>,
}

/// Whether the details of responses with this status are stored. Details are stored for all errors except 401
/// and 429. Requests over the rate limit (429) can be numerous, and their details would not explain the
/// rejection.
pub(crate) fn has_details(status: StatusCode) -> bool {
    let failed = status.is_client_error() || status.is_server_error();
    failed && status != StatusCode::UNAUTHORIZED && status != StatusCode::TOO_MANY_REQUESTS
}

/// Returns the details of a request as JSON, with masked personal data and secrets.
pub(crate) fn masked_details(
    (request_id, route): (&str, &str),
    query: Option<&str>,
    body: Option<&BodyStart>,
    mut errors: Vec<Violation>,
) -> RequestDetails {
    let errors_omitted = errors.len().checked_sub(MAX_ERRORS).filter(|omitted| *omitted > 0);
    errors.truncate(MAX_ERRORS);
    let body = body.filter(|_| ROUTES_WITH_STORED_BODY.iter().any(|beginning| route.starts_with(beginning)));
    let details = MaskedDetails {
        request_id,
        query: query.filter(|query| query.len() <= MAX_QUERY_BYTES).map(masking::mask_query),
        errors,
        errors_omitted,
        body: body.and_then(BodyStart::text).map(masking::mask_document),
        body_bytes: body.map(|body| body.length),
    };
    // Serialization cannot fail, because the details contain only strings and numbers.
    RequestDetails(serde_json::to_string(&details).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use payroll_domain::code::Reason;

    use super::*;

    fn masked_details_text(route: &str, query: Option<&str>, body: &[u8], errors: usize) -> String {
        let errors = (0..errors).map(|_| Violation::from(Reason::FieldMissing)).collect();
        masked_details(("r-1", route), query, Some(&BodyStart::from_body(body)), errors).0
    }

    #[test]
    fn bodies_are_stored_only_for_routes_without_secrets() {
        let stored =
            masked_details_text("/companies/{companyId}/checks", Some("dryrun=true"), b"{\"a\":1}", 0);
        assert_eq!(
            stored,
            r#"{"requestId":"r-1","query":"dryrun=true","errors":[],"body":"{\"a\":1}","bodyBytes":7}"#
        );
        for route in ["/oauth/token", "/management/hooks", "-"] {
            assert_eq!(
                masked_details_text(route, None, b"{}", 0),
                r#"{"requestId":"r-1","errors":[]}"#,
                "{route}"
            );
        }
    }

    #[test]
    fn long_bodies_and_many_errors_are_truncated() {
        let body = "ü".repeat(MAX_BODY_BYTES);
        let long = format!(" {body}");
        let stored: serde_json::Value = serde_json::from_str(&masked_details_text(
            "/workers/{workerId}",
            Some(&"q".repeat(1_025)),
            long.as_bytes(),
            23,
        ))
        .unwrap();
        assert_eq!(stored["body"].as_str().map(str::len), Some(MAX_BODY_BYTES - 1));
        assert_eq!(stored["bodyBytes"], 1 + 2 * MAX_BODY_BYTES);
        assert_eq!(
            (stored["errors"].as_array().map(Vec::len), &stored["errorsOmitted"]),
            (Some(20), &3.into())
        );
        assert!(stored.get("query").is_none());
    }

    #[test]
    fn a_body_that_is_not_text_is_not_stored() {
        let stored = masked_details_text("/companies", None, b"{\"a\":\"\xff\"}", 0);
        assert_eq!(stored, r#"{"requestId":"r-1","errors":[],"bodyBytes":9}"#);
    }
}
