//! Companies: the list of those that the caller may reach, and one of them.

use actix_web::HttpResponse;

use payroll_ports::Window;

use crate::call::Call;
use crate::routes::Handled;

/// GET /companies.
pub(crate) async fn list(call: Call) -> Handled {
    let guarded = call.store().companies(&call.caller, None, Window::default()).await?;
    let (_, listing) = call.open(guarded)?;
    Ok(HttpResponse::Ok().json(listing.total))
}
