//! The token operation.

use payroll_domain::code::Reason;

use crate::call::Incoming;
use crate::routes::Handled;

/// POST /auth/oauth/v2/token.
pub(crate) async fn create(_incoming: Incoming) -> Handled {
    Err(Reason::NotAuthenticated.into())
}
