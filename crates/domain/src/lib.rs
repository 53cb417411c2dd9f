//! Payroll rules without I/O: what a check may look like, which are refused, with which API-xx.
//!
//! No clock, no randomness, no storage, no network, no async: what is absent cannot fail. A
//! program that depends on this crate alone can tell whether a batch of checks would be refused
//! before it sends it.

#![forbid(unsafe_code)]

pub mod access;
pub mod application;
pub mod audit;
pub mod check;
pub mod code;
pub mod company;
pub mod custom_field;
pub mod date;
pub mod delivery;
pub mod document;
pub mod event;
pub mod hook;
pub mod id;
pub mod id_sequence;
pub mod input;
pub mod money;
mod named;
pub mod operator_key;
pub mod pay_component;
pub mod pay_period;
mod report;
pub mod resource;
mod secret_text;
#[doc(hidden)]
pub mod steps;
pub mod tax_id;
pub mod token;
pub mod violation;
pub mod whole_company;
pub mod worker;

pub use secret_text::SecretText;

/// The examples of README.md, which are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct ReadmeExamples;
