//! The OpenAPI 3.1 descriptions of the partner API and of the operator's, made from the code: paths and
//! who may call from the tables of routes, media types and headers from the settings, words from the
//! domain's enums and descriptions, codes and their examples from the table of codes, limits from the
//! constants, examples of successes from the schemas.
//!
//! What no code knows is declared here: names and sentences of operations (`operations`,
//! `operator::operations`), and the shapes of what goes in and out (`schemas`, `operator::schemas`).
//! `tests` hold both against the tables of routes, the acceptance tests hold every answer that they get
//! against them. They are served by `service`, and printed with default settings as docs/openapi.json and
//! docs/operator-openapi.json.

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

/// The description of the partner API with these settings, as indented JSON.
#[must_use]
pub fn openapi(settings: &HttpSettings) -> String {
    format!("{:#}\n", partner::interface(settings).describe(settings))
}

/// The description of the operator's API with these settings, as indented JSON.
#[must_use]
pub fn operator_openapi(settings: &HttpSettings) -> String {
    format!("{:#}\n", operator::interface(settings).describe(settings))
}
