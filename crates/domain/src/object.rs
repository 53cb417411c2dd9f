//! Reads and writes JSON objects member by member. The macro `described!` and the module `document` use this
//! module.

pub(crate) mod reader;
pub(crate) mod values;
#[cfg(feature = "server")]
pub(crate) mod writer;
