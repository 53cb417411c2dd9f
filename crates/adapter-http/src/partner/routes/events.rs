//! The event feed for partners (specification §9.4).

use payroll_domain::violation::Violations;

use crate::partner::call::{CompanyInPath, PartnerCall};
use crate::shared::feed;
use crate::shared::handler_result::HandlerResult;
use crate::shared::media_type::JSON;
use crate::shared::response::GetResponse;
use crate::shared::wire::EventResource;

/// Handles a request for `GET /management/events`.
pub(crate) async fn list(mut call: PartnerCall) -> HandlerResult {
    let query = call.incoming.query();
    let company = call.prefer_authentication_failure(feed::read_company_filter(&query)).await?;
    let mut feed_query =
        call.prefer_authentication_failure::<_, Violations>(feed::read_feed_query(&query)).await?;
    call.negotiate(&[JSON]).await?;
    // The company in the query becomes the target of the request, so that access is verified as for a company
    // in a path.
    call.target.company = company.map(|company| company.map_or(CompanyInPath::Unknown, CompanyInPath::Id));
    if call.target.company.is_some() {
        feed_query.company_id = Some(call.company_id().await?);
    }
    let guarded = call.store().read_caller_events(&call.caller, &feed_query).await?;
    let (access, feed) = call.check_access(guarded)?;
    let reading = GetResponse::new(&call, &access, JSON, feed::feed_version(&feed));
    feed::feed_response(&reading, feed, |event, out| {
        serde_json::to_writer(out, &EventResource::for_partner(event))
    })
}
