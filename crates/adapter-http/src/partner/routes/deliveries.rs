//! The deliveries of an application's hooks, and their replay (specification §9.6, §9.7). The code that both
//! APIs share is in `shared::deliveries`.

use std::sync::Arc;

use payroll_domain::code::Reason;
use payroll_domain::hook::{Hook, HookKey};
use payroll_domain::id::Id;

use crate::partner::call::PartnerCall;
use crate::partner::routes::hooks::HookRequest;
use crate::shared::cursor::CursorKind;
use crate::shared::deliveries::{self, SerializedDeliveries};
use crate::shared::error::Failure;
use crate::shared::handler_result::HandlerResult;
use crate::shared::media_type::JSON;
use crate::shared::response::GetResponse;

/// Handles a request for `GET /management/hooks/{hookId}/deliveries`.
pub(crate) async fn list(call: PartnerCall) -> HandlerResult {
    let query =
        call.prefer_authentication_failure(deliveries::read_delivery_query(&call.incoming.query())).await?;
    call.negotiate(&[JSON]).await?;
    let (access, hook) = call.read_hook().await?;
    let shown = SerializedDeliveries::from_page(&call.store().deliveries(&hook.key, &query).await?)?;
    let reading = GetResponse::new(&call, &access, JSON, shown.version());
    shown.list_response(&reading)
}

/// Handles a request for `GET /management/hooks/{hookId}/deliveries/{deliveryId}`.
pub(crate) async fn get_delivery(call: PartnerCall) -> HandlerResult {
    call.negotiate(&[JSON]).await?;
    let (access, hook) = call.read_hook().await?;
    let delivery = call.store().delivery(&hook.key, delivery_position(&call)?).await?;
    let shown = SerializedDeliveries::from_delivery(&delivery.ok_or(Reason::UnknownResource)?)?;
    let reading = GetResponse::new(&call, &access, JSON, shown.version());
    shown.single_response(&reading)
}

/// Handles a request for `POST /management/hooks/{hookId}/deliveries/{deliveryId}/replay`.
pub(crate) async fn replay(call: PartnerCall) -> HandlerResult {
    let on = HookRequest::without_body(call).await?;
    let position = delivery_position(&on.call)?;
    let (partner, now) = (Arc::clone(&on.call.partner), on.call.incoming.api.monotonic_time());
    on.change_idempotently(|store, Hook { key, .. }, audit| {
        partner.replays.take_from_bucket(&rate_limit_bucket(&key), now).1?;
        Ok(deliveries::replay_delivery(store, key, position, audit))
    })
    .await
}

/// Handles a request for `POST /management/hooks/{hookId}/replay`.
pub(crate) async fn replay_deliveries(call: PartnerCall) -> HandlerResult {
    let on = HookRequest::with_body(call).await?;
    let query = on.call.incoming.process_body(&on.body, deliveries::read_replay_query).await;
    let (partner, now) = (Arc::clone(&on.call.partner), on.call.incoming.api.monotonic_time());
    on.change_idempotently(|store, Hook { key, .. }, audit| {
        let query = query?;
        partner.replays.take_from_bucket(&rate_limit_bucket(&key), now).1?;
        Ok(deliveries::replay_deliveries(store, key, query, audit))
    })
    .await
}

/// Handles a request for `POST /management/hooks/{hookId}/test`.
pub(crate) async fn queue_test_notification(call: PartnerCall) -> HandlerResult {
    let on = HookRequest::without_body(call).await?;
    let (partner, api) = (Arc::clone(&on.call.partner), Arc::clone(&on.call.incoming.api));
    let notification = deliveries::test_notification(&api, &on.hook);
    on.change_idempotently(|store, Hook { key, .. }, audit| {
        partner.test_calls.take_from_bucket(&rate_limit_bucket(&key), api.monotonic_time()).1?;
        Ok(deliveries::queue_test_call(store, key, notification, audit))
    })
    .await
}

/// Returns the name of the rate limit's bucket for a hook.
fn rate_limit_bucket(HookKey { application_id, hook_id }: &HookKey) -> String {
    format!("{application_id} {hook_id}")
}

/// Decodes the delivery id in the path to the position of the delivery in the queue.
fn delivery_position(call: &PartnerCall) -> Result<i64, Failure> {
    let id: Option<Id<()>> = call.ids.get("deliveryId");
    let position = id.and_then(|id| CursorKind::Delivery.decode(id.as_str()));
    position.ok_or_else(|| Reason::UnknownResource.into())
}
