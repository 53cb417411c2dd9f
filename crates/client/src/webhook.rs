//! Verification of notifications, by the rules of Standard Webhooks (`v1` and `v1a`).

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use ring::signature::{ED25519, ED25519_PUBLIC_KEY_LEN, UnparsedPublicKey};
use serde::Deserialize;
use sha2::Sha256;
use time::OffsetDateTime;

use crate::exact;
use crate::hidden::Secret;
use crate::types::{EventAction, EventDomain};

/// The maximum difference between the timestamp of a notification and the clock of the receiver. This maximum
/// limits replay attacks. Each attempt of the server has a new timestamp.
pub const TOLERANCE: Duration = Duration::from_secs(300);

/// The maximum number of signatures of each version that are verified. The server sends at most two
/// signatures with secrets, and one for each of its few key pairs.
const MAX_SIGNATURES: usize = 8;

/// The maximum number of digits in a timestamp. Twelve digits are enough for 30,000 years.
const MAX_TIMESTAMP_DIGITS: usize = 12;

/// The prefix of a signing secret of a hook.
const SECRET_PREFIX: &str = "whsec_";

/// The prefix of a public key of the server.
const PUBLIC_KEY_PREFIX: &str = "whpk_";

/// The headers and the body of a received notification.
#[derive(Debug, Clone, Copy)]
pub struct Received<'a> {
    /// The value of the header `webhook-id`.
    pub id: &'a str,
    /// The value of the header `webhook-timestamp`.
    pub timestamp: &'a str,
    /// The value of the header `webhook-signature`.
    pub signature: &'a str,
    /// The body, byte for byte as received.
    pub body: &'a [u8],
}

/// Verifies the signatures of notifications with the signing secrets of a hook (`whsec_…`), or with the
/// public keys of the server (`whpk_…`). One matching signature is enough.
///
/// ```no_run
/// # fn example(headers: &std::collections::HashMap<String, String>, body: &[u8]) -> Result<(), Box<dyn std::error::Error>> {
/// use payroll_client::webhook::{Received, Verifier};
///
/// let verifier = Verifier::new(["whsec_…"])?;
/// let header = |name: &str| headers.get(name).map_or("", String::as_str);
/// let notification = verifier.verify(&Received {
///     id: header("webhook-id"),
///     timestamp: header("webhook-timestamp"),
///     signature: header("webhook-signature"),
///     body,
/// })?;
/// println!("{} {:?}", notification.notification_id, notification.worker_id);
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Verifier {
    keys: Vec<Key>,
}

/// A key that verifies signatures of one version.
#[derive(Clone)]
enum Key {
    /// The signing secret of a hook, for `v1` (HMAC-SHA256).
    Secret(Vec<u8>),
    /// A public key of the server, for `v1a` (Ed25519).
    Public(Vec<u8>),
}

/// The content of a notification, which reports that something has changed. Your program then reads the
/// changed data from the API.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Notification {
    /// The id of the notification, the same in every attempt. Use this id to process each notification once.
    pub notification_id: String,
    /// The kind of the notification, such as `WORKER_MESSAGE`.
    pub notification_type: String,
    /// A list with one event domain: the kind of data that changed.
    pub domains: Vec<EventDomain>,
    /// The kind of the change: an addition, a change or a deletion.
    pub action: EventAction,
    /// The time at which the change was stored.
    #[serde(deserialize_with = "exact::instant")]
    pub as_of_date: OffsetDateTime,
    /// The company whose data changed.
    pub company_id: Option<String>,
    /// The changed worker, only in event domains that concern workers.
    pub worker_id: Option<String>,
    /// The completed pay period, only in the event domain [`EventDomain::PayRun`].
    pub payperiod_id: Option<String>,
    /// Whether the notification is a test call without a change.
    #[serde(default)]
    pub test: bool,
}

/// The reason for rejecting a notification. The receiver then responds with status 401.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum VerifyError {
    /// A signing secret of the verifier does not consist of `whsec_` and base64, or the verifier has no key.
    InvalidSecret,
    /// A public key of the verifier does not consist of `whpk_` and the base64 of 32 bytes.
    InvalidPublicKey,
    /// No signature of the notification matches a secret or a public key.
    WrongSignature,
    /// The timestamp is missing, invalid, or differs from the clock by more than [`TOLERANCE`].
    WrongTimestamp,
    /// The signature is correct, but the body is not a notification.
    InvalidBody(String),
}

impl std::fmt::Display for VerifyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::InvalidSecret => f.write_str("expected a signing secret: whsec_ followed by base64, or a public key: whpk_ followed by base64"),
            Self::InvalidPublicKey => {
                f.write_str("expected a public key: whpk_ followed by the base64 of 32 bytes")
            }
            Self::WrongSignature => f.write_str("no signature of the notification matches a key of the verifier"),
            Self::WrongTimestamp => {
                let seconds = TOLERANCE.as_secs();
                write!(f, "webhook-timestamp is not within {seconds} seconds of the current time")
            }
            Self::InvalidBody(fault) => write!(f, "the body is not a notification: {fault}"),
        }
    }
}

impl std::error::Error for VerifyError {}

impl Verifier {
    /// Creates a verifier with signing secrets, public keys, or both. While a secret is being rotated, pass
    /// the old and the new secret. Pass all public keys of `/.well-known/webhook-keys`.
    ///
    /// # Errors
    /// [`VerifyError::InvalidSecret`] if `keys` is empty, or if a secret is not `whsec_` and base64.
    /// [`VerifyError::InvalidPublicKey`] if a text that starts with `whpk_` has another form.
    pub fn new<S: Into<Secret>>(keys: impl IntoIterator<Item = S>) -> Result<Self, VerifyError> {
        let keys: Vec<_> =
            keys.into_iter().map(|key| Key::parse(key.into().expose())).collect::<Result<_, _>>()?;
        if keys.is_empty() { Err(VerifyError::InvalidSecret) } else { Ok(Self { keys }) }
    }

    /// Verifies a notification that has just arrived, and reads its content.
    ///
    /// # Errors
    /// [`VerifyError`] with the reason to reject the notification.
    pub fn verify(&self, received: &Received<'_>) -> Result<Notification, VerifyError> {
        #[expect(clippy::disallowed_methods, reason = "the timestamp is compared with the time of day")]
        self.verify_at(received, SystemTime::now())
    }

    /// Verifies a notification that has arrived at a given time, and reads its content.
    ///
    /// # Errors
    /// [`VerifyError`] with the reason to reject the notification.
    pub fn verify_at(&self, received: &Received<'_>, now: SystemTime) -> Result<Notification, VerifyError> {
        let digits = received.timestamp;
        if digits.len() > MAX_TIMESTAMP_DIGITS || !digits.bytes().all(|it| it.is_ascii_digit()) {
            return Err(VerifyError::WrongTimestamp);
        }
        let timestamp: u64 = digits.parse().map_err(|_| VerifyError::WrongTimestamp)?;
        let now = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        if now.abs_diff(timestamp) > TOLERANCE.as_secs() {
            return Err(VerifyError::WrongTimestamp);
        }
        let is_genuine = self.keys.iter().any(|key| key.has_valid_signature(received));
        if !is_genuine {
            return Err(VerifyError::WrongSignature);
        }
        serde_json::from_slice(received.body).map_err(|error| VerifyError::InvalidBody(error.to_string()))
    }
}

impl std::fmt::Debug for Verifier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Verifier").finish_non_exhaustive()
    }
}

impl Key {
    fn parse(text: &str) -> Result<Self, VerifyError> {
        if let Some(encoded) = text.strip_prefix(PUBLIC_KEY_PREFIX) {
            let key = STANDARD.decode(encoded).ok().filter(|it| it.len() == ED25519_PUBLIC_KEY_LEN);
            return key.map(Self::Public).ok_or(VerifyError::InvalidPublicKey);
        }
        let key = STANDARD.decode(text.trim_start_matches(SECRET_PREFIX)).ok().filter(|it| !it.is_empty());
        key.map(Self::Secret).ok_or(VerifyError::InvalidSecret)
    }

    /// Returns whether the notification has a valid signature of this key. Only signatures of the key's
    /// version are verified.
    fn has_valid_signature(&self, received: &Received<'_>) -> bool {
        let signed = [received.id.as_bytes(), b".", received.timestamp.as_bytes(), b".", received.body];
        match self {
            Self::Secret(key) => {
                // The creation of the HMAC cannot fail, because HMAC accepts keys of any length.
                let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else { return false };
                signed.iter().for_each(|part| mac.update(part));
                // `verify_slice` compares in constant time, so the duration of a failed comparison reveals
                // nothing about the correct signature.
                decode_signatures(received, "v1,").any(|it| mac.clone().verify_slice(&it).is_ok())
            }
            Self::Public(key) => {
                let (key, signed) = (UnparsedPublicKey::new(&ED25519, key), signed.concat());
                decode_signatures(received, "v1a,").any(|it| key.verify(&signed, &it).is_ok())
            }
        }
    }
}

/// Returns the first [`MAX_SIGNATURES`] signatures of one version. A signature that is not base64 is skipped.
fn decode_signatures<'a>(
    received: &Received<'a>,
    prefix: &'static str,
) -> impl Iterator<Item = Vec<u8>> + use<'a> {
    let encoded = received.signature.split(' ').filter_map(move |it| it.strip_prefix(prefix));
    encoded.take(MAX_SIGNATURES).filter_map(|it| STANDARD.decode(it).ok())
}
