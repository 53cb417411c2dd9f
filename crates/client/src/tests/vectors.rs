//! The test vectors that the client packages of all three languages share.

use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct Vectors {
    pub(super) assertion: Claims,
    pub(super) keys: Vec<Key>,
    pub(super) rejected: Vec<RejectedCase>,
    pub(super) webhook: Webhook,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Claims {
    pub(super) client_id: String,
    pub(super) audience: String,
    pub(super) now: u64,
    pub(super) jti: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Key {
    pub(super) algorithm: String,
    pub(super) pem: String,
    pub(super) public_jwk: String,
    pub(super) key_id: String,
    pub(super) signed: String,
    /// The expected signature. `None` if the algorithm is randomized and creates a different signature each
    /// time.
    pub(super) signature: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct RejectedCase {
    pub(super) error: String,
    pub(super) pem: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Webhook {
    pub(super) public_key: String,
    pub(super) other_key: String,
    pub(super) id: String,
    pub(super) timestamp: String,
    pub(super) signature: String,
    pub(super) body: String,
}

pub(super) fn vectors() -> Vectors {
    serde_json::from_str(include_str!("vectors.json")).unwrap()
}
