//! A refusal, and the request that must meet it.

use crate::support::Request;

/// Both.
pub(super) type Row = (&'static str, Request);
