#![doc = include_str!("../README.md")]
//!
//! # Modules
//!
//! [`Client`] sends requests, [`List`] reads lists page by page, [`types`] has the objects of the API, and
//! [`webhook`] verifies notifications. The documentation of [`retry`] lists the limits of retries.

mod client;
mod credential;
mod error;
mod exact;
mod hidden;
mod list;
mod operations;
mod private_key;
mod random;
mod request;
mod response;
pub mod retry;
mod tls;
mod token;
pub mod types;
pub mod webhook;

pub use client::{Builder, Client};
pub use credential::Credential;
pub use error::{ApiError, Error, PartialRejection, Rejection};
pub use hidden::Secret;
pub use list::{DEFAULT_PAGE_SIZE, List, Page};
pub use private_key::PrivateKey;
pub use request::{Request, path};
pub use response::Response;
pub use rust_decimal;
pub use rust_decimal::Decimal;
pub use time;

#[cfg(test)]
mod tests;
