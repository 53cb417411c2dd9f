//! Reading and writing of JSON objects, member by member: the level below the resources, which
//! `described!` and the documents are built on.

pub(crate) mod reader;
pub(crate) mod values;
#[cfg(feature = "server")]
pub(crate) mod writer;
