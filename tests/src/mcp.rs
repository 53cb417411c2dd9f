//! Tests of `/mcp` with the official client of the Model Context Protocol. The tests cover discovery, tools,
//! dry runs and errors, and the permissions and limits of agents.

mod client;
mod discovery;
mod exact;
mod operator;
mod partner;
mod stdio;
mod transport;

use crate::support::{Server, Settings, on_every_database_with};

/// Runs a test on servers that serve `/mcp`.
fn run_with_mcp(test: impl AsyncFn(&mut Server)) {
    on_every_database_with(|settings: &mut Settings| settings.mcp = true, test);
}
