//! `migrate`: bring the schema up to this release, without serving.

use super::Context;
use crate::app;
use crate::failure::Outcome;

pub(super) async fn run(context: Context<'_>) -> Outcome {
    let store = app::open_store(&context.settings, context.randomness.clone()).await?;
    writeln!(context.out, "The schema is at version {}.", store.schema_version().await?)?;
    Ok(())
}
