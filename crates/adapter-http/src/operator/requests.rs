//! An application's recent requests, for operators (specification §10.17).

use payroll_domain::code::Reason;
use payroll_domain::document::TaxIdMasking;

use super::applications::{application_id, load_application, prefer_application_not_found};
use super::call::OperatorCall;
use super::response;
use crate::shared::handler_result::HandlerResult;
use crate::shared::media_type::JSON;
use crate::shared::requests::{self, SerializedRequests, request_id_in_path};
use crate::shared::response::GetResponse;

/// Handles a request for `GET /operator/v1/applications/{applicationId}/requests`.
pub(super) async fn list(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let id = application_id(&call)?;
    let query = requests::read_request_query(&call.incoming.query()).map_err(Into::into);
    let query = prefer_application_not_found(&call, &id, query).await?;
    let page = call.store().requests(&id, &query).await?;
    if page.requests.is_empty() {
        load_application(&call, &id).await?;
    }
    let shown = SerializedRequests::from_page(&page)?;
    let tag = response::collection_tag(&call, shown.version());
    shown.list_response(&GetResponse::with_etag(&call.incoming, JSON, tag))
}

/// Handles `GET /operator/v1/applications/{applicationId}/requests/{requestId}` requests. Support staff get
/// no query and no body.
pub(super) async fn get_request(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let id = application_id(&call)?;
    let found = call.store().read_failed_request(&id, &request_id_in_path(&call.ids)?).await?;
    let mut details = found.ok_or(Reason::UnknownResource)?.details;
    if call.tax_id_masking() == TaxIdMasking::Support {
        details = requests::remove_personal_data(&details)?;
    }
    let shown = SerializedRequests::from_details(details);
    let tag = response::collection_tag(&call, shown.version());
    shown.single_response(&GetResponse::with_etag(&call.incoming, JSON, tag))
}
