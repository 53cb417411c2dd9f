//! Tests of `/mcp` with the official client of the Model Context Protocol: discovery, tools, dry runs, errors,
//! and the rules of the API that also apply to programs.

mod client;
mod discovery;
mod exact;
mod operator;
mod partner;
mod stdio;
mod transport;

use crate::support::{Server, Settings, on_every_database_with};

/// Runs a test on servers that serve `/mcp`.
fn with_mcp(test: impl AsyncFn(&mut Server)) {
    on_every_database_with(|settings: &mut Settings| settings.mcp = true, test);
}
