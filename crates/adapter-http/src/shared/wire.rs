//! JSON out (specification §11): what resources look like on the wire.
//!
//! Structures here borrow from the domain's and only say names, order and form; nothing is copied
//! but what has to be masked. What comes in is read elsewhere: checks by the domain, since every
//! fault in them is reported at once.

mod check;
mod delivery;
pub(crate) mod described;
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
pub(crate) use processed_check::{Lines, ProcessedCheckResource, Taxes};
pub(crate) use request::AnsweredRequestResource;
