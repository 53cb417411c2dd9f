//! A request of an application, as the request log shows it (specification §9.10).

use std::borrow::Cow;

use payroll_domain::date::Timestamp;
use payroll_domain::id::CompanyId;
use payroll_ports::requests::LoggedRequest;
use serde::Serialize;

use super::value::DisplayedText;

/// A completed request of an application.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LoggedRequestResource<'a> {
    date: DisplayedText<Timestamp>,
    method: &'a str,
    route: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    company_id: Option<DisplayedText<&'a CompanyId>>,
    status: u16,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    codes: &'a [Cow<'static, str>],
    request_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    correlation_id: Option<&'a str>,
    duration_microseconds: u64,
    #[serde(skip_serializing_if = "is_zero")]
    skipped: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
const fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl<'a> LoggedRequestResource<'a> {
    pub(crate) fn new(request: &'a LoggedRequest) -> Self {
        Self {
            date: DisplayedText(request.at),
            method: &request.method,
            route: &request.route,
            company_id: request.company_id.as_ref().map(DisplayedText),
            status: request.status,
            codes: &request.codes,
            request_id: &request.request_id,
            correlation_id: request.correlation_id.as_deref(),
            duration_microseconds: request.duration_micros,
            skipped: request.skipped_before,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_values_are_omitted() {
        let mut request = LoggedRequest {
            application_id: "app".parse().unwrap(),
            at: Timestamp::parse("2026-06-07T10:10:25.000Z").unwrap(),
            duration_micros: 1_250,
            method: "GET".into(),
            route: "/companies/{companyId}".into(),
            company_id: None,
            status: 200,
            codes: Vec::new(),
            request_id: "r-1".to_owned(),
            correlation_id: None,
            skipped_before: 0,
            details: None,
        };
        let shown =
            |request: &LoggedRequest| serde_json::to_string(&LoggedRequestResource::new(request)).unwrap();
        let little = concat!(
            r#"{"date":"2026-06-07T10:10:25.000Z","method":"GET","route":"/companies/{companyId}","#,
            r#""status":200,"requestId":"r-1","durationMicroseconds":1250}"#
        );
        assert_eq!(shown(&request), little);
        request.company_id = Some("ACME".parse().unwrap());
        (request.status, request.codes) = (400, vec!["API-46".into(), "API-48".into()]);
        (request.correlation_id, request.skipped_before) = (Some("mine".to_owned()), 3);
        let all = concat!(
            r#"{"date":"2026-06-07T10:10:25.000Z","method":"GET","route":"/companies/{companyId}","#,
            r#""companyId":"ACME","status":400,"codes":["API-46","API-48"],"requestId":"r-1","#,
            r#""correlationId":"mine","durationMicroseconds":1250,"skipped":3}"#
        );
        assert_eq!(shown(&request), all);
    }
}
