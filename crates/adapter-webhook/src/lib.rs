//! Delivery of webhook notifications: the beginning of it.
//!
//! What is here: which addresses may be dialled ([`guard`]), and the HTTP client with its limits
//! ([`client`]). Hooks, the queue, the authentication methods and the dispatcher are not here
//! yet; the server does not link this crate so far.

pub mod client;
pub mod guard;
