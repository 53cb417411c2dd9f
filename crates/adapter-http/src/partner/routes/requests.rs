//! The recent requests of the caller's application (specification §9.10).

use payroll_domain::code::Reason;
use payroll_domain::violation::Violations;
use payroll_ports::requests::FailedRequest;

use crate::partner::call::PartnerCall;
use crate::shared::handler_result::HandlerResult;
use crate::shared::media_type::JSON;
use crate::shared::requests::{self, SerializedRequests, request_id_in_path};
use crate::shared::response::GetResponse;

/// Handles a request for `GET /management/requests`.
pub(crate) async fn list(call: PartnerCall) -> HandlerResult {
    let query = call
        .prefer_authentication_failure::<_, Violations>(requests::read_request_query(&call.incoming.query()))
        .await?;
    call.negotiate(&[JSON]).await?;
    let (access, page) = call.check_access(call.store().requests_of_caller(&call.caller, &query).await?)?;
    let shown = SerializedRequests::from_page(&page)?;
    shown.list_response(&GetResponse::new(&call, &access, JSON, shown.version()))
}

/// Handles `GET /management/requests/{requestId}` requests. Without access to the company of the request, the
/// response omits the query and the body.
pub(crate) async fn get_request(call: PartnerCall) -> HandlerResult {
    call.negotiate(&[JSON]).await?;
    let id = call.prefer_authentication_failure(request_id_in_path(&call.ids)).await?;
    let guarded = call.store().failed_request_of_caller(&call.caller, &id).await?;
    let (access, found) = call.check_access(guarded)?;
    let FailedRequest { company_id, mut details } = found.ok_or(Reason::UnknownResource)?;
    if company_id.is_some() && access.check_access_by_any_grant(call.incoming.api.today()).is_err() {
        details = requests::remove_personal_data(&details)?;
    }
    let shown = SerializedRequests::from_details(details);
    let reading = GetResponse::new(&call, &access, JSON, shown.version());
    shown.single_response(&reading)
}
