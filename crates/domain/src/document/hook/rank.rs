//! Sort ranks for the faults of missing members. The fault of a missing member is placed at the end of its
//! object, where an inner object can end too. The rank orders faults at the same place: inner members come
//! first.

pub(in crate::document) const AUTH_TYPE: u8 = 1;
pub(in crate::document) const FIRST_CREDENTIAL: u8 = 2;
pub(in crate::document) const SECOND_CREDENTIAL: u8 = 3;
pub(in crate::document) const THIRD_CREDENTIAL: u8 = 4;
pub(in crate::document) const ADDRESS: u8 = 5;
pub(in crate::document) const DOMAINS: u8 = 6;
pub(in crate::document) const AUTHENTICATION: u8 = 7;
