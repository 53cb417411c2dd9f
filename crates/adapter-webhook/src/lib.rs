//! Delivery of webhook notifications.
//!
//! [`Sender`] makes one attempt and returns its result. The sender resolves host names itself and connects
//! only to addresses that it has validated. The sender signs and authenticates the request, and reads a
//! limited part of the response.
//!
//! [`Dispatcher`] is the loop that claims due deliveries, sends them with the sender, and records the
//! outcomes.

mod dispatch;
mod sender;

pub use dispatch::{AtomicCount, DispatchMetrics, DispatchSettings, Dispatcher};
pub use sender::{NameLookup, SendLimits, SendResult, Sender, SenderError, SenderSettings, SystemLookup};
