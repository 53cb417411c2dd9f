//! Reads and writes JSON objects member by member. The macro `described!` and the documents are built on this
//! module.

pub(crate) mod reader;
pub(crate) mod values;
#[cfg(feature = "server")]
pub(crate) mod writer;
