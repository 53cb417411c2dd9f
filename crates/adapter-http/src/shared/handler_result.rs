//! The result type of request handlers.

use actix_web::HttpResponse;

use crate::shared::error::Failure;

/// The response, or the failure of the request.
pub(crate) type HandlerResult = Result<HttpResponse, Failure>;
