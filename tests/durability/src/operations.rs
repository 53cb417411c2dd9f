//! The operations during which the power is cut.

pub(crate) mod archive;
pub(crate) mod backup;
pub(crate) mod checks;
mod keys;
mod load;
mod restore;
mod start;
mod story;
