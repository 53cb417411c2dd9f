//! The order of faults of missing members that have the same position. An object ends where its last inner
//! object ends, so both ends have the same position. The members of inner objects come first.

pub(in crate::document) const AUTH_TYPE: u8 = 1;
pub(in crate::document) const FIRST_CREDENTIAL: u8 = 2;
pub(in crate::document) const SECOND_CREDENTIAL: u8 = 3;
pub(in crate::document) const THIRD_CREDENTIAL: u8 = 4;
pub(in crate::document) const ADDRESS: u8 = 5;
pub(in crate::document) const DOMAINS: u8 = 6;
pub(in crate::document) const AUTHENTICATION: u8 = 7;
