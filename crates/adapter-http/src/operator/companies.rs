//! All companies of the server (specification §10.6). One company is an object like the others.

use super::answer;
use super::call::OperatorCall;
use crate::shared::company_filter::display_filter;
use crate::shared::handled::Handled;

/// GET /operator/v1/companies.
pub(super) async fn list(call: OperatorCall) -> Handled {
    call.answers_json()?;
    let filter = display_filter(&call.incoming.query())?;
    let page = call.page()?;
    let window = page.window(call.incoming.is_head());
    let listing = call.store().all_companies(filter.as_deref(), window).await?;
    answer::resources(&call, page, listing)
}
