//! Tests of sending notifications to well-behaved and hostile receivers on the loopback interface.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test stops at the first surprise")]

mod addresses;
mod answers;
mod bodies;
mod challenges;
mod exchanges;
mod handshakes;
mod receiver;
mod secrets;
mod support;
mod tokens;
