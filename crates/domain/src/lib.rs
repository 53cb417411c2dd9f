// The README is the documentation of the crate. Its examples run as documentation tests.
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

#[cfg(feature = "server")]
pub mod access;
pub mod account;
#[cfg(feature = "server")]
pub mod application;
#[cfg(feature = "server")]
pub mod audit;
pub mod check;
#[cfg(feature = "server")]
pub mod client_key;
pub mod code;
pub mod company;
pub mod complete_company;
#[cfg(feature = "server")]
pub mod completion_request;
pub mod custom_field;
pub mod date;
#[cfg(feature = "server")]
pub mod delivery;
pub mod description;
pub mod document;
#[cfg(feature = "serde")]
mod envelope;
#[cfg(feature = "server")]
pub mod event;
#[cfg(feature = "server")]
pub mod file;
mod frequency;
#[cfg(feature = "server")]
pub mod hook;
pub mod id;
#[cfg(feature = "server")]
pub mod id_sequence;
pub mod input;
#[cfg(feature = "server")]
pub mod job;
pub mod lookup;
pub mod money;
mod named;
mod object;
#[cfg(feature = "server")]
pub mod operator_key;
#[cfg(feature = "server")]
pub mod operator_name;
pub mod pay_component;
pub mod pay_period;
mod person_name;
mod rate_number;
mod report;
#[cfg(feature = "server")]
pub mod resource;
#[cfg(feature = "server")]
mod secret_text;
mod status_type;
#[doc(hidden)]
pub mod steps;
pub mod tax_id;
#[cfg(feature = "server")]
pub mod token;
pub mod violation;
pub mod worker;

#[cfg(feature = "server")]
pub use secret_text::SecretText;

/// The examples of docs/embedding.md, which run as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/embedding.md")]
pub struct EmbeddingExamples;
