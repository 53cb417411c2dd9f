//! Attempts against receivers of every kind, honest and hostile, on loopback.

mod addresses;
mod answers;
mod exchanges;
mod receiver;
mod support;
