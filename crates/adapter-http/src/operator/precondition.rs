//! `If-Match` in the operator API (specification §10.4). If the header contains several versions, the current
//! version of the object must be one of them.

use super::call::OperatorCall;
use crate::shared::error::Failure;
use crate::shared::objects::ObjectKey;

pub(super) use crate::shared::precondition::IfMatch;

impl IfMatch {
    /// Returns the version that the object must have when the change is stored; `None` accepts any version.
    ///
    /// # Errors
    /// If the header contains several versions: 404 API-7 for an unknown object, 412 API-412 if no version
    /// matches.
    pub(super) async fn read_expected_version(
        &self,
        call: &OperatorCall,
        key: &ObjectKey,
    ) -> Result<Option<i64>, Failure> {
        match self {
            Self::Any => Ok(None),
            Self::Versions(versions) if versions.len() == 1 => Ok(versions.first().copied()),
            Self::Versions(_) => self.required_version(key.read_object(call).await?.version),
        }
    }
}
