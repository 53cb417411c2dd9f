//! The credential of an application: its secret or its private key.

use crate::hidden::Secret;
use crate::private_key::PrivateKey;

/// The credential with which a [`Client`](crate::Client) requests tokens. A string converts to a secret.
///
/// ```
/// use payroll_client::Credential;
/// assert_eq!(format!("{:?}", Credential::from("pks_example")), "Secret([hidden])");
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Credential {
    /// The secret of the application, `pks_…`.
    Secret(Secret),
    /// The private key of the application, which signs each token request.
    PrivateKey(PrivateKey),
}

impl<S: Into<Secret>> From<S> for Credential {
    fn from(secret: S) -> Self {
        Self::Secret(secret.into())
    }
}

impl From<PrivateKey> for Credential {
    fn from(key: PrivateKey) -> Self {
        Self::PrivateKey(key)
    }
}
