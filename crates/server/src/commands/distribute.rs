//! `distribute`: distributes the tables of a PostgreSQL database over the nodes of its cluster.

use super::context::CommandContext;
use crate::app;
use crate::cli::DistributeArguments;
use crate::failure::Outcome;

pub(super) async fn run(context: CommandContext<'_>, arguments: DistributeArguments) -> Outcome {
    match app::distribute_tables(&context.settings, arguments.shards).await?.len() {
        0 => writeln!(context.out, "The tables are already distributed.")?,
        1 => writeln!(context.out, "1 more table is now distributed.")?,
        count => writeln!(
            context.out,
            "{count} tables are now distributed. Check the machines with `payroll-server doctor`."
        )?,
    }
    Ok(())
}
