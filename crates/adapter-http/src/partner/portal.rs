//! The portal for partners (specification §1.10): static files, and a list of the error codes with their
//! descriptions. The pages fetch their data from the partner API with an access token.

use std::sync::LazyLock;

use actix_web::HttpResponse;
use actix_web::http::header::LOCATION;
use payroll_console::App;
use payroll_domain::code::Reason;
use serde_json::json;

use crate::shared::browser_page;
use crate::shared::error::status_for_kind;
use crate::shared::handler_result::HandlerResult;
use crate::shared::incoming::IncomingRequest;
use crate::shared::media_type::JSON;
use crate::shared::route_table::{Route, route};
use crate::shared::service::ServiceHandler;
use crate::shared::static_file::static_file_response;

/// The JSON list of all error codes with the descriptions of docs/errors.md.
static CODE_LIST_JSON: LazyLock<String> = LazyLock::new(code_list_json);

/// Returns the paths of the portal.
pub(crate) fn service_routes() -> Vec<Route<ServiceHandler>> {
    vec![
        route("/portal").get_without_authentication(redirect_to_page),
        route("/portal/")
            .get_without_authentication(|incoming| browser_page::serve_page(App::Portal, incoming)),
        route("/portal/codes.json").get_without_authentication(serve_code_list),
        route("/portal/{folder}/{file}")
            .get_without_authentication(|incoming| browser_page::serve_file(App::Portal, incoming)),
    ]
}

/// Handles `GET /portal`: redirects to `/portal/`, because the page loads its files by URLs relative to
/// `/portal/`.
async fn redirect_to_page(_: IncomingRequest) -> HandlerResult {
    Ok(HttpResponse::PermanentRedirect().insert_header((LOCATION, "portal/")).finish())
}

/// Handles `GET /portal/codes.json`: returns the codes as `[{"code", "status", "summary", "resolution"}]`.
async fn serve_code_list(incoming: IncomingRequest) -> HandlerResult {
    static_file_response(&incoming, JSON, CODE_LIST_JSON.as_bytes())
}

fn code_list_json() -> String {
    let row = |reason: &Reason| {
        let mut row = json!({
            "code": reason.code(),
            "status": status_for_kind(reason.kind()).as_u16(),
            "summary": reason.summary(),
        });
        if let (Some(resolution), Some(members)) = (reason.resolution(), row.as_object_mut()) {
            members.insert("resolution".to_owned(), resolution.into());
        }
        row
    };
    json!(Reason::ALL.iter().map(row).collect::<Vec<_>>()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_a_text_for_its_status() {
        let rows: Vec<serde_json::Value> = serde_json::from_str(&code_list_json()).unwrap();
        assert_eq!(rows.len(), Reason::ALL.len());
        let not_found = rows.iter().find(|row| row["code"] == "API-7").unwrap();
        assert_eq!(not_found["status"], 404);
        assert_eq!(not_found["resolution"], "Check the path and the ids in the request.");
        assert!(rows.iter().all(|row| row["summary"].is_string()));
    }
}
