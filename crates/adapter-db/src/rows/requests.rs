//! Rows of the log of API requests.

use std::borrow::Cow;

use payroll_domain::date::Timestamp;
use payroll_ports::requests::{FailedRequest, LoggedRequest, RequestDetails};

use crate::error::Outcome;
use crate::rows::RowLocation;
use crate::seal::Sealer;
use crate::table::table;

table! {
    /// A logged API request of an application.
    struct RequestLogRow in "requests" key "position" {
        application_id: text,
        at: int,
        duration: int,
        method: text,
        route: text,
        company_id: text_or_null,
        status: int,
        codes: text,
        request_id: text,
        correlation_id: text_or_null,
        skipped: int,
    }
}

impl RequestLogRow {
    /// Creates the row of a logged request.
    pub(crate) fn new(request: &LoggedRequest) -> Self {
        let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        Self {
            application_id: request.application_id.to_string(),
            at: request.at.as_micros(),
            duration: number(request.duration_micros),
            method: request.method.clone().into_owned(),
            route: request.route.clone().into_owned(),
            company_id: request.company_id.as_ref().map(ToString::to_string),
            status: request.status.into(),
            codes: request.codes.join(" "),
            request_id: request.request_id.clone(),
            correlation_id: request.correlation_id.clone(),
            skipped: number(request.skipped_before),
        }
    }

    /// Returns the logged request in this row.
    pub(crate) fn into_request(self) -> Outcome<LoggedRequest> {
        let at = RowLocation { table: "requests", key: &self.request_id };
        Ok(LoggedRequest {
            application_id: at.parse_id(&self.application_id)?,
            at: Timestamp::from_micros(self.at),
            duration_micros: at.read_number(self.duration)?,
            company_id: at.parse_optional_id(self.company_id.as_deref())?,
            status: at.read_number(self.status)?,
            codes: self.codes.split_whitespace().map(|code| Cow::Owned(code.to_owned())).collect(),
            skipped_before: at.read_number(self.skipped)?,
            method: self.method.into(),
            route: self.route.into(),
            request_id: self.request_id,
            correlation_id: self.correlation_id,
            details: None,
        })
    }
}

table! {
    /// The details of a rejected or failed request.
    struct RequestDetailsRow in "request_details" key "position" {
        application_id: text,
        at: int,
        request_id: text,
        company_id: text_or_null,
        sealed: text,
    }
}

impl RequestDetailsRow {
    /// Creates the row with the details of a request. `None` if the request has no details.
    pub(crate) fn new(request: &LoggedRequest, sealer: &Sealer) -> Option<Self> {
        let RequestDetails(text) = request.details.as_ref()?;
        let application_id = request.application_id.to_string();
        Some(Self {
            sealed: sealer.seal(text, &details_associated_data(&application_id, &request.request_id)),
            application_id,
            at: request.at.as_micros(),
            request_id: request.request_id.clone(),
            company_id: request.company_id.as_ref().map(ToString::to_string),
        })
    }

    /// Decrypts the details in this row. `None` if no key can decrypt the details.
    pub(crate) fn decrypt_failed_request(self, sealer: &Sealer) -> Outcome<Option<FailedRequest>> {
        let at = RowLocation { table: "request_details", key: &self.request_id };
        let company_id = at.parse_optional_id(self.company_id.as_deref())?;
        let text =
            sealer.unseal(&self.sealed, &details_associated_data(&self.application_id, &self.request_id));
        Ok(text.map(|text| FailedRequest { company_id, details: RequestDetails(text) }))
    }
}

/// Returns the associated data for encrypting the details of a request. With this data, the details cannot be
/// decrypted as details of another request.
pub(crate) fn details_associated_data(application_id: &str, request_id: &str) -> String {
    format!("request {application_id} {request_id}")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use payroll_ports::Randomness;
    use payroll_ports::keys::{Key, KeySet};

    use super::*;

    struct FixedRandomness;
    impl Randomness for FixedRandomness {
        fn fill_with_random_bytes(&self, bytes: &mut [u8]) {
            bytes.fill(7);
        }
    }

    fn sealer_with_key(key_id: &str) -> Sealer {
        let keys = KeySet::new(Key::new(key_id, [1; 32]).unwrap(), Vec::new()).unwrap();
        Sealer::new(keys.into(), Arc::new(FixedRandomness))
    }

    #[test]
    fn details_can_only_be_decrypted_with_their_key_for_their_request() {
        let request = LoggedRequest {
            application_id: "app".parse().unwrap(),
            at: Timestamp::from_micros(0),
            duration_micros: 0,
            method: "POST".into(),
            route: "/companies".into(),
            company_id: None,
            status: 400,
            codes: Vec::new(),
            request_id: "r-1".to_owned(),
            correlation_id: None,
            skipped_before: 0,
            details: Some(RequestDetails("whispered".to_owned())),
        };
        let row = RequestDetailsRow::new(&request, &sealer_with_key("a")).unwrap();
        assert!(!row.sealed.contains("whispered"));
        let read = row.clone().decrypt_failed_request(&sealer_with_key("a")).unwrap();
        assert_eq!(read.unwrap().details, request.details.unwrap());
        assert_eq!(
            row.clone().decrypt_failed_request(&sealer_with_key("b")).unwrap(),
            None,
            "no key decrypts them"
        );
        let moved = RequestDetailsRow { request_id: "r-2".to_owned(), ..row };
        assert_eq!(
            moved.decrypt_failed_request(&sealer_with_key("a")).unwrap(),
            None,
            "the row of another request"
        );
    }
}
