//! `If-Match` on the operator's side (specification §10.4): where several versions are named, the
//! object itself says which of them it has.

use super::call::OperatorCall;
use crate::shared::error::Failure;
use crate::shared::objects::ObjectKey;

pub(super) use crate::shared::precondition::IfMatch;

impl IfMatch {
    /// The one version that the store has to insist on; `None`: any.
    ///
    /// # Errors
    /// Where it cannot be one of several without looking: 404 API-7, 412 API-412.
    pub(super) async fn of(&self, call: &OperatorCall, place: &ObjectKey) -> Result<Option<i64>, Failure> {
        match self {
            Self::Any => Ok(None),
            Self::Versions(versions) if versions.len() == 1 => Ok(versions.first().copied()),
            Self::Versions(_) => self.insists_on(place.read(call).await?.version),
        }
    }
}
