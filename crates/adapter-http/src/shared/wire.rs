//! Serializes resources to JSON (specification §11).
//!
//! The types here borrow the domain's data and only define names, order and format. Nothing is copied except
//! masked values. Requests are parsed in other modules. The domain parses pay checks, so that it can report
//! all faults of a check at once.

mod check;
mod delivery;
pub(crate) mod described_resource;
mod envelope;
mod event;
pub(crate) mod link;
mod processed_check;
mod request;
#[cfg(test)]
pub(crate) mod samples;
pub(crate) mod value;

pub(crate) use check::{CheckResource, LineResource};
pub(crate) use delivery::DeliveryResource;
pub(crate) use envelope::{Content, Envelope, Metadata, Pagination};
pub(crate) use event::EventResource;
pub(crate) use link::{Href, Link};
pub(crate) use processed_check::{ProcessedCheckResource, ProcessedCheckSectionLines, Taxes};
pub(crate) use request::LoggedRequestResource;
