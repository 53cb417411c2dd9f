//! Delivery of webhook notifications.
//!
//! [`Sender`] makes one attempt and says what became of it: it resolves names itself and dials only
//! what it has vetted, signs, authenticates, and reads a bounded response. [`Dispatcher`] is the loop
//! around it: it claims what is due, sends it, and records what became of it.

mod dispatch;
mod sender;

pub use dispatch::{Count, DispatchSettings, Dispatcher, Metrics};
pub use sender::{NameLookup, SendLimits, Sender, SenderError, SenderSettings, Sent, SystemLookup};
