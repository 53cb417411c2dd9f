//! Serves MCP by Streamable HTTP without sessions. Each message is a POST, and its response is one JSON
//! document.

use std::borrow::Cow;
use std::sync::Arc;

use async_trait::async_trait;
use http::header::CONTENT_TYPE;
use http_body_util::BodyExt;
use payroll_ports::BoxError;
use payroll_ports::api_calls::{AgentRequestHandler, ApiCaller, ApiRequest, ApiResponse};
use rmcp::model::ErrorCode;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::sync::OnceCell;

use crate::handler::MessageHandler;
use crate::message::{MAX_MESSAGE_BYTES, MessageFault, parse_message, prepare_message};
use crate::selection::ToolSelection;
use crate::side::Api;
use crate::tools::ApiTools;

/// The maximum bytes of a prepared message. Preparation at most doubles a message, because it puts a
/// backslash before each quotation mark of a document.
const MAX_PREPARED_BYTES: usize = 2 * MAX_MESSAGE_BYTES;

/// Serves the tools of one API on the listener of this API.
pub struct ToolServer {
    side: Api,
    /// The tools, which are built from the listener's API description when the first message arrives.
    tools: OnceCell<Arc<ApiTools>>,
}

impl ToolServer {
    /// Creates the MCP handler for the listener of an API.
    #[must_use]
    pub fn new(side: Api) -> Self {
        Self { side, tools: OnceCell::new() }
    }

    async fn handle(&self, message: ApiRequest, api: Arc<dyn ApiCaller>) -> Result<ApiResponse, BoxError> {
        let selection = match ToolSelection::from_target(&message.target) {
            Ok(selection) => selection,
            Err(error) => return Ok(plain_text(400, &error.to_string())),
        };
        if message.body.len() > MAX_MESSAGE_BYTES {
            return Ok(plain_text(413, "the message is too large"));
        }
        // The library rejects a message whose content type is not JSON.
        let body = match prepare_message(&message.body) {
            Ok(text) if is_json(&message.headers) => parse_message(&text).map(|_| text.into_owned()),
            prepared => prepared.map(Cow::into_owned),
        };
        let body = match body {
            Ok(body) => body,
            Err(fault) => return Ok(fault_response(&fault)),
        };
        let Ok(body) = String::from_utf8(body) else {
            return Ok(plain_text(400, "the message is not UTF-8 text"));
        };
        let mut request = http::Request::builder().method(message.method.as_str()).uri(&message.target);
        for (name, value) in &message.headers {
            request = request.header(name, value);
        }
        let load = || async { ApiTools::load(self.side, &*api).await.map(Arc::new) };
        let tools = Arc::clone(self.tools.get_or_try_init(load).await?);
        if let Err(error) = tools.check_selection(&selection) {
            return Ok(plain_text(400, &error.to_string()));
        }
        let handler = move || {
            let (tools, api) = (Arc::clone(&tools), Arc::clone(&api));
            Ok(MessageHandler { tools, selection: selection.clone(), api })
        };
        // The library's validation of the header `Host` is disabled. The listener has already validated the
        // header `Origin`. The listener also authenticates every message by a header that a page of another
        // site cannot send.
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(MAX_PREPARED_BYTES)
            .disable_allowed_hosts();
        let service = StreamableHttpService::new(handler, Arc::new(NeverSessionManager::default()), config);
        read_response(service.handle(request.body(body)?).await).await
    }
}

#[async_trait]
impl AgentRequestHandler for ToolServer {
    async fn handle(&self, message: ApiRequest, api: Arc<dyn ApiCaller>) -> ApiResponse {
        self.handle(message, api).await.unwrap_or_else(|error| {
            tracing::error!(%error, "handling a message of an MCP client failed");
            plain_text(500, "the server failed")
        })
    }
}

/// Reads the complete response of the MCP library.
async fn read_response<B>(response: http::Response<B>) -> Result<ApiResponse, BoxError>
where
    B: http_body_util::BodyExt<Error = std::convert::Infallible>,
{
    let (head, body) = response.into_parts();
    let text = |value: &http::HeaderValue| value.to_str().map(str::to_owned).ok();
    let headers = head.headers.iter().filter_map(|(name, value)| Some((name.to_string(), text(value)?)));
    Ok(ApiResponse {
        status: head.status.as_u16(),
        headers: headers.collect(),
        body: BodyExt::collect(body).await?.to_bytes().to_vec(),
    })
}

/// Returns whether the headers declare that the body is JSON.
fn is_json(headers: &[(String, String)]) -> bool {
    let declared = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case(CONTENT_TYPE.as_str()));
    let essence = declared.and_then(|(_, value)| value.split(';').next());
    essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case("application/json"))
}

/// Returns the response for a message that is rejected before the library handles it. A message with invalid
/// parameters is a valid message. The status is therefore 200, as for other errors of MCP methods.
fn fault_response(fault: &MessageFault) -> ApiResponse {
    ApiResponse {
        status: if fault.code == ErrorCode::INVALID_PARAMS { 200 } else { 400 },
        headers: vec![(CONTENT_TYPE.to_string(), "application/json".to_owned())],
        body: fault.to_response().to_string().into_bytes(),
    }
}

/// Creates a plain-text response, for errors that a person may read.
fn plain_text(status: u16, text: &str) -> ApiResponse {
    ApiResponse {
        status,
        headers: vec![(CONTENT_TYPE.to_string(), "text/plain; charset=utf-8".to_owned())],
        body: text.as_bytes().to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_type_is_compared_without_its_parameters() {
        for (value, expected) in [("application/json; charset=utf-8", true), ("text/plain", false)] {
            assert_eq!(is_json(&[("Content-Type".to_owned(), value.to_owned())]), expected, "{value}");
        }
    }
}
