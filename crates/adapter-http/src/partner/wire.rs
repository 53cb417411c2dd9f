//! The JSON of companies, organizations and workers for partners. Resources of both APIs are in
//! `shared::wire`.

mod company;
mod organization;
mod pay_period;
mod pay_rate;
#[cfg(test)]
mod tests;
mod worker;

pub(crate) use company::{CompanyContext, CompanyResource};
pub(crate) use organization::write_organization;
pub(crate) use pay_period::write_pay_period;
pub(crate) use pay_rate::{PayRateContext, write_pay_rate};
pub(crate) use worker::{WorkerContext, WorkerResource};
