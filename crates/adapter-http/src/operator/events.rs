//! The complete event feed for operators (specification §9.4).

use payroll_domain::code::Reason;
use payroll_domain::violation::Violation;

use super::call::OperatorCall;
use super::response;
use crate::shared::feed;
use crate::shared::handler_result::HandlerResult;
use crate::shared::media_type::JSON;
use crate::shared::wire::EventResource;

/// Handles a request for `GET /operator/v1/events`.
pub(super) async fn list(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let query = call.incoming.query();
    let mut feed_query = feed::read_feed_query(&query)?;
    feed_query.company_id = feed::read_company_filter(&query)?
        .transpose()
        .map_err(|()| invalid_id_parameter_fault("companyid"))?;
    feed_query.visible_companies = call.visible_companies().map(<[_]>::to_vec);
    let feed = call.store().read_events(&feed_query).await?;
    let tag = response::collection_tag(&call, feed::feed_version(&feed));
    let reading = crate::shared::response::GetResponse::with_etag(&call.incoming, JSON, tag);
    feed::feed_response(&reading, feed, |event, out| {
        serde_json::to_writer(out, &EventResource::for_operator(event))
    })
}

/// Returns 400 API-40 for a text that is not a valid id. An unknown id is not an error, because deleted
/// objects still have events and audit log entries.
pub(super) fn invalid_id_parameter_fault(name: &str) -> Violation {
    Violation::new(Reason::InvalidParameter, format!("the query parameter {name} must be an id"))
}
