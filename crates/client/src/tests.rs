//! Tests against a small server on this machine.

mod paging;
mod retrying;
mod server;
mod signing;
mod tokens;
mod values;
mod vectors;
mod verifying;
