//! What a handler returns.

use actix_web::HttpResponse;

use crate::shared::error::Failure;

/// The response, or why there is none.
pub(crate) type Handled = Result<HttpResponse, Failure>;
