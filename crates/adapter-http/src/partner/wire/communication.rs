//! An address, phone or e-mail of a company or a worker (specification §11.3).

use payroll_domain::company::Communication;
use serde::Serialize;

/// An address, phone or e-mail.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CommunicationResource<'a> {
    communication_id: &'a str,
    #[serde(rename = "type")]
    communication_type: &'static str,
    usage_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    dial_country: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dial_area: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dial_number: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dial_extension: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    street_line_one: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    street_line_two: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    post_office_box: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    city: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    postal_code: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    postal_code_extension: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    country_subdivision_code: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    country_code: Option<&'a str>,
}

impl<'a> CommunicationResource<'a> {
    pub(crate) fn new(communication: &'a Communication) -> Self {
        Self {
            communication_id: communication.communication_id.as_str(),
            communication_type: communication.communication_type.as_str(),
            usage_type: communication.usage_type.as_str(),
            dial_country: communication.dial_country.as_deref(),
            dial_area: communication.dial_area.as_deref(),
            dial_number: communication.dial_number.as_deref(),
            dial_extension: communication.dial_extension.as_deref(),
            uri: communication.uri.as_deref(),
            street_line_one: communication.street_line_one.as_deref(),
            street_line_two: communication.street_line_two.as_deref(),
            post_office_box: communication.post_office_box.as_deref(),
            city: communication.city.as_deref(),
            postal_code: communication.postal_code.as_deref(),
            postal_code_extension: communication.postal_code_extension.as_deref(),
            country_subdivision_code: communication.country_subdivision_code.as_deref(),
            country_code: communication.country_code.as_deref(),
        }
    }
}
