//! Search over all companies (specification §10.26).

use payroll_domain::code::Reason;
use payroll_domain::violation::Violation;
use payroll_ports::idempotency::StoredResponse;

use super::call::OperatorCall;
use super::response;
use super::wire;
use crate::shared::handler_result::HandlerResult;
use crate::shared::media_type::JSON;
use crate::shared::query::Query;
use crate::shared::response::from_stored;
use crate::shared::wire::{Envelope, Metadata};

/// The query parameters of a search.
pub(super) const PARAMETERS: &[&str] = &["q"];

/// The valid length of a search term in characters. A single letter would match too many objects. No name or
/// id exceeds the maximum.
const QUERY_LENGTH: std::ops::RangeInclusive<usize> = 2..=200;

/// Handles a request for `GET /operator/v1/search`.
pub(super) async fn search_objects(call: OperatorCall) -> HandlerResult {
    call.check_client_accepts_json()?;
    let text = read_search_text(&call.incoming.query())?;
    let hits = call.store().search(&text, call.visible_companies()).await?;
    let metadata = Metadata { content_item_count: hits.len() as u64, pagination: None };
    let envelope = Envelope { metadata: Some(metadata), links: vec![response::link_to_request(&call)] };
    let body =
        envelope.serialize(&hits, |hit, out| serde_json::to_writer(out, &wire::search_hit_json(hit)))?;
    from_stored(StoredResponse { status: 200, content_type: JSON.to_owned(), body })
}

/// Returns the search term without surrounding spaces.
fn read_search_text(query: &Query) -> Result<String, Violation> {
    let missing = || {
        let problem = "the query parameter q is missing: send the text to search for";
        Violation::new(Reason::ParameterMissing, problem)
    };
    let text = query.single_value("q")?.ok_or_else(missing)?.trim();
    if QUERY_LENGTH.contains(&text.chars().count()) {
        return Ok(text.to_owned());
    }
    Err(Violation::new(Reason::InvalidParameter, "the query parameter q must have 2 to 200 characters"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_text_has_at_least_two_characters() {
        let read = |query| read_search_text(&Query::parse(query)).map_err(|violation| violation.reason);
        assert_eq!(read("q=%20Ann%20Meyer%20"), Ok("Ann Meyer".to_owned()));
        assert_eq!(read(""), Err(Reason::ParameterMissing));
        for bad in ["q=", "q=%20a%20", "q=ab&q=ab"] {
            assert_eq!(read(bad), Err(Reason::InvalidParameter), "{bad}");
        }
        assert_eq!(read(&format!("q={}", "a".repeat(201))), Err(Reason::InvalidParameter));
    }
}
