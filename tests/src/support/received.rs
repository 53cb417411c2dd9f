//! The requests that test receivers store.

use std::collections::BTreeMap;

use serde_json::Value;

/// A request that the receiver has received.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    pub(crate) method: String,
    /// Path and query of the request.
    pub(crate) target: String,
    /// The request headers, with their names in lower case.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

impl Received {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|fault| panic!("{fault}: {self:?}"))
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    pub(crate) fn notification_id(&self) -> String {
        self.header("webhook-id").to_owned()
    }
}
