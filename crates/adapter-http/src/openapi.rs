//! Generates the OpenAPI 3.1 descriptions of both APIs from the code. Paths and security come from the route
//! tables. Media types and headers come from the settings, and texts from the domain's enums and
//! descriptions. Error codes come from the table of codes, limits from the constants, and examples from the
//! schemas.
//!
//! Everything that the code does not contain is declared here: operations in `operations` and
//! `operator::operations`, schemas in `schemas` and `operator::schemas`. Tests compare the operations with
//! the route tables, and the acceptance tests validate every response against its schema. `served` serves the
//! descriptions. The files docs/openapi.json and docs/operator-openapi.json contain the descriptions for the
//! default settings.

mod documents;
mod envelope;
mod errors;
mod examples;
mod filters;
mod interface;
pub(crate) mod markdown;
mod operation;
mod operations;
mod operator;
mod page;
mod parameters;
mod partner;
mod schema;
mod schemas;
mod security;
pub(crate) mod served;
#[cfg(test)]
mod tests;
mod webhooks;

use crate::shared::settings::HttpSettings;

/// Returns the OpenAPI description of the partner API with these settings, as indented JSON.
#[must_use]
pub fn partner_openapi(settings: &HttpSettings) -> String {
    format!("{:#}\n", partner::partner_api_description(settings).into_openapi(settings))
}

/// Returns the OpenAPI description of the operator API with these settings, as indented JSON.
#[must_use]
pub fn operator_openapi(settings: &HttpSettings) -> String {
    format!("{:#}\n", operator::operator_api_description(settings).into_openapi(settings))
}
