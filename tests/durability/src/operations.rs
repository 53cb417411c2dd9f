//! The operations during which the power is cut.

pub(crate) mod archive;
pub(crate) mod backup;
pub(crate) mod checks;
pub(crate) mod keys;
mod load;
pub(crate) mod restore;
mod start;
pub(crate) mod story;
