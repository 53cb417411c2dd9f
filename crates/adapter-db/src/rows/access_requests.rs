//! Rows of access requests.

use payroll_domain::application::AccessRequest;
use payroll_domain::date::Timestamp;
use payroll_ports::access_requests::NewAccessRequest;

use super::access::{parse_scopes, to_hex};
use crate::error::Outcome;
use crate::rows::RowLocation;
use crate::table::table;

table! {
    /// The row of an access request.
    struct AccessRequestRow in "access_requests" key "access_request_id" {
        access_request_id: text,
        application_id: text,
        company_id: text,
        hash: text,
        scopes: text,
        created: int,
        expires: int,
    }
}

impl AccessRequestRow {
    /// Creates the row of a new access request.
    pub(crate) fn new(new: &NewAccessRequest, created: Timestamp) -> Self {
        Self {
            access_request_id: new.access_request_id.to_string(),
            application_id: new.application_id.to_string(),
            company_id: new.company_id.to_string(),
            hash: to_hex(&new.hash.0),
            scopes: new.scopes.to_string(),
            created: created.as_micros(),
            expires: new.expires.as_micros(),
        }
    }
}

table! {
    /// An access request with the names of its application and company.
    struct NamedAccessRequestRow in "access_requests" key "access_request_id" {
        access_request_id: text,
        application_id: text,
        application_name: text,
        company_id: text,
        display_id: text,
        legal_name: text,
        scopes: text,
        created: int,
        expires: int,
    }
}

impl NamedAccessRequestRow {
    /// Returns the access request in this row.
    pub(crate) fn into_request(self) -> Outcome<AccessRequest> {
        let at = RowLocation { table: "access_requests", key: &self.access_request_id };
        Ok(AccessRequest {
            access_request_id: at.parse_id(&self.access_request_id)?,
            application_id: at.parse_id(&self.application_id)?,
            company_id: at.parse_id(&self.company_id)?,
            scopes: parse_scopes(&self.scopes, &self.application_id)?,
            created: Timestamp::from_micros(self.created),
            expires: Timestamp::from_micros(self.expires),
            application_name: self.application_name,
            display_id: self.display_id,
            legal_name: self.legal_name,
        })
    }
}
