//! `migrate`: migrates the schema to this release without starting a server.

use super::context::CommandContext;
use crate::app;
use crate::cli::MigrateArguments;
use crate::failure::Outcome;

pub(super) async fn run(context: CommandContext<'_>, arguments: MigrateArguments) -> Outcome {
    let (settings, randomness) = (&context.settings, context.randomness.clone());
    let store = match arguments.create {
        true => app::open_or_create_store(settings, randomness).await?,
        false => app::open_store(settings, randomness).await?,
    };
    writeln!(context.out, "The schema is at version {}.", store.schema_version().await?)?;
    Ok(())
}
