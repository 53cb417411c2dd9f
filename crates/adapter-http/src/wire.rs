//! JSON out (specification §11): what resources look like on the wire.
//!
//! Structures here borrow from the domain's and only say names, order and form; nothing is copied
//! but what has to be masked. What comes in is read elsewhere: checks by the domain, since every
//! fault in them is reported at once.

mod audit;
mod check;
mod communication;
mod company;
mod custom_field;
mod delivery;
mod envelope;
mod event;
mod hook_report;
mod link;
mod list;
mod organization;
mod pay_component;
mod pay_period;
mod pay_rate;
mod processed_check;
mod request;
#[cfg(test)]
mod samples;
mod value;
mod worker;

pub(crate) use audit::AuditResource;
pub(crate) use check::CheckResource;
pub(crate) use communication::CommunicationResource;
pub(crate) use company::{CompanyContext, CompanyResource};
pub(crate) use custom_field::{CategoryResource, CustomFieldResource};
pub(crate) use delivery::DeliveryResource;
pub(crate) use envelope::{Content, Envelope, Metadata, Pagination};
pub(crate) use event::EventResource;
pub(crate) use hook_report::{HookReportResource, QueueSummaryResource};
pub(crate) use link::{Href, Link};
pub(crate) use list::{CalculationBaseResource, ContactTypeResource, CustomEmploymentTypeResource};
pub(crate) use organization::OrganizationResource;
pub(crate) use pay_component::PayComponentResource;
pub(crate) use pay_period::PayPeriodResource;
pub(crate) use pay_rate::{PayRateContext, PayRateResource};
pub(crate) use processed_check::ProcessedCheckResource;
pub(crate) use request::AnsweredRequestResource;
pub(crate) use worker::{Shown, WorkerContext, WorkerResource};
