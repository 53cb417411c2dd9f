//! Access for agents over the Model Context Protocol (MCP). This crate offers the operations of an API as
//! tools, the documentation as resources, and a prompt for a pay run.
//!
//! The tools are built from the OpenAPI description that the server serves (`catalog`). A tool call becomes
//! one request through [`ApiCaller`] (`call`), in this process or over the network. This crate makes no
//! decision about access and has no access to credentials.
//!
//! The module `composite` contains tools that send several requests. `handler` connects everything to the MCP
//! library.

mod call;
mod catalog;
mod composite;
mod documents;
mod exact;
mod handler;
mod message;
mod prompts;
mod result;
mod selection;
mod side;
mod stdio;
mod streamable;
mod tools;

use payroll_ports::BoxError;
use payroll_ports::api_calls::ApiCaller;
use rmcp::ServiceExt;
use std::sync::Arc;

pub use selection::{InvalidSelection, ToolSelection, UnknownTag};
pub use side::Api;
pub use streamable::ToolServer;

use handler::MessageHandler;
use stdio::LineTransport;
use tools::ApiTools;

/// Serves the tools of an API on standard input and output until the client closes the input.
///
/// # Errors
/// [`UnknownTag`] if no tool has a selected tag. Another error if the API does not return its description, or
/// if the client violates the protocol.
pub async fn serve_stdio(
    side: Api,
    selection: ToolSelection,
    api: Arc<dyn ApiCaller>,
) -> Result<(), BoxError> {
    let tools = Arc::new(ApiTools::load(side, &*api).await?);
    tools.check_selection(&selection)?;
    let handler = MessageHandler { tools, selection, api };
    handler.serve(LineTransport::new(tokio::io::stdin(), tokio::io::stdout())).await?.waiting().await?;
    Ok(())
}
