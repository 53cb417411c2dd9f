//! Tests against a small server on this machine.

mod paging;
mod retrying;
mod server;
mod tokens;
mod values;
mod verifying;
