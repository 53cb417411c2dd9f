//! Delivery of webhook notifications.
//!
//! [`Sender`] makes one attempt and returns its result. It resolves names itself and connects only to
//! addresses that it has checked, signs, authenticates, and reads a bounded response. [`Dispatcher`] is the
//! loop around it. It claims due deliveries, sends them, and records the outcomes.

mod dispatch;
mod sender;

pub use dispatch::{Count, DispatchSettings, Dispatcher, Metrics};
pub use sender::{NameLookup, SendLimits, SendResult, Sender, SenderError, SenderSettings, SystemLookup};
