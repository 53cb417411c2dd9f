//! JSON out: what partners read of companies, workers and the lists of a company. The rest is
//! `shared::wire`.

mod communication;
mod company;
mod custom_field;
mod list;
mod organization;
mod pay_component;
mod pay_period;
mod pay_rate;
mod worker;

pub(crate) use communication::CommunicationResource;
pub(crate) use company::{CompanyContext, CompanyResource};
pub(crate) use custom_field::{CategoryResource, CustomFieldResource};
pub(crate) use list::{CalculationBaseResource, ContactTypeResource, CustomEmploymentTypeResource};
pub(crate) use organization::OrganizationResource;
pub(crate) use pay_component::PayComponentResource;
pub(crate) use pay_period::PayPeriodResource;
pub(crate) use pay_rate::{PayRateContext, PayRateResource};
pub(crate) use worker::{Shown, WorkerContext, WorkerResource};
