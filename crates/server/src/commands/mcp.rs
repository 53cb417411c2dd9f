//! `mcp`: offers the operations of a running server as tools, on standard input and output (Model Context
//! Protocol).

mod remote;

use std::sync::Arc;

use payroll_adapter_mcp::{Api, ToolSelection, UnknownTag, serve_stdio};

use crate::cli::McpArguments;
use crate::failure::{Failure, Outcome};
use remote::RemoteApi;

pub(super) async fn run(arguments: McpArguments) -> Outcome {
    let api = Arc::new(RemoteApi::open(&arguments)?);
    let side = if arguments.operator { Api::Operator } else { Api::Partner };
    let selection = ToolSelection { read_only: arguments.read_only, tags: arguments.tags };
    let served = serve_stdio(side, selection, api).await;
    served.map_err(|error| match error.downcast_ref::<UnknownTag>() {
        Some(unknown) => Failure::with_cause("--tags", unknown),
        None => Failure::with_cause("the Model Context Protocol ended with an error", &*error),
    })
}
